//! The contours of the binary maps (Suzuki and Abe 1985), and the cards among them.
//!
//! Cards whose symbols cannot be read, in glare or under a hand, are found by their contours alone:
//! approximated by polygons (Douglas and Peucker 1973); convex quadrangles are kept. On the
//! table that the other cards determine, those of a card's size count. The reader decides whether
//! such a region is a card, or else a card's back or a phone.

use super::{maps::BinaryMap, opencv_versions as polygons};
use crate::find::plane::{CARD_ASPECT, TablePlane};
use crate::find::working_image::WorkingQuad;
use opencv::core::{Point as CvPoint, Vector};
use opencv::imgproc;
use opencv::prelude::*;
use setsight_photo::geometry::Point;

/// Thresholds for a card's contour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Params {
    /// Shortest bounding box (longer side), in working pixels.
    pub smallest_px: f64,
    /// Longest bounding box as a share of the working image's long side; a single card may fill the
    /// photo.
    pub largest: f64,
    /// How far the polygon may lie from the contour, as a share of the contour's length. A card's
    /// round corners lie 0.01 from those of its quadrangle.
    pub tolerance: f64,
    /// Least share of the quadrangle's area that the contour encloses.
    pub filled: f64,
    /// Largest mean distance of the corners from a card on the table, in card short sides.
    pub misfit: f64,
    /// Number of contours of all maps that must agree; a chance shape has one.
    pub votes: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            smallest_px: 36.0,
            largest: 0.9,
            tolerance: 0.02,
            filled: 0.9,
            misfit: 0.13,
            votes: 2,
        }
    }
}

/// A contour of one map: around a dark region, or around a light hole in it.
#[derive(Debug)]
pub(crate) struct Contour {
    points: Vector<CvPoint>,
    /// The longer and the shorter side of the bounding box, in working pixels.
    pub box_px: [f64; 2],
    /// Whether it is whole, rather than cut off by the map's edge.
    pub is_complete: bool,
}

impl Contour {
    /// The points in working pixels.
    pub(crate) fn polygon(&self) -> Vec<Point> {
        in_working(&self.points)
    }
}

fn in_working(points: &Vector<CvPoint>) -> Vec<Point> {
    // OpenCV names pixels; here the middle of one has a half.
    points.iter().map(|p| Point::new(f64::from(p.x) + 0.5, f64::from(p.y) + 0.5)).collect()
}

/// The contours of all maps whose bounding box is at least `smallest_px` long, in working pixels.
pub(crate) fn contours(maps: &[BinaryMap], smallest_px: f64) -> opencv::Result<Vec<Contour>> {
    let mut contours = Vec::new();
    for map in maps {
        let mut found = Vector::<Vector<CvPoint>>::new();
        let (mode, method) = (imgproc::RETR_LIST, imgproc::CHAIN_APPROX_SIMPLE);
        imgproc::find_contours_def(&map.pixels, &mut found, mode, method)?;
        for points in found {
            let bounds = polygons::bounding_rect(&points)?;
            let sides = [bounds.width, bounds.height].map(f64::from);
            let box_px = [sides[0].max(sides[1]), sides[0].min(sides[1])];
            if box_px[0] >= smallest_px {
                let end = bounds.br();
                let is_complete = bounds.x > 0
                    && bounds.y > 0
                    && end.x < map.pixels.cols()
                    && end.y < map.pixels.rows();
                contours.push(Contour { points, box_px, is_complete });
            }
        }
    }
    Ok(contours)
}

/// The quadrangles among contours, clockwise on the screen. `long_side_px` is that of the working
/// image.
pub(crate) fn quadrangles(
    contours: &[Contour],
    long_side_px: f64,
    params: &Params,
) -> opencv::Result<Vec<WorkingQuad>> {
    let mut quads = Vec::new();
    for contour in contours {
        let [long, short] = contour.box_px;
        if (params.smallest_px..=params.largest * long_side_px).contains(&long)
            && short >= 0.25 * params.smallest_px
        {
            quads.extend(quadrangle(contour, params)?);
        }
    }
    Ok(quads)
}

fn quadrangle(contour: &Contour, params: &Params) -> opencv::Result<Option<WorkingQuad>> {
    let points = &contour.points;
    let mut polygon = Vector::<CvPoint>::new();
    let tolerance = params.tolerance * polygons::arc_length(points, true)?;
    polygons::approx_poly_dp(points, &mut polygon, tolerance, true)?;
    if polygon.len() != 4 || !polygons::is_contour_convex(&polygon)? {
        return Ok(None);
    }
    let area = polygons::contour_area(&polygon, false)?;
    if polygons::contour_area(points, false)? < params.filled * area {
        return Ok(None);
    }
    let corners = in_working(&polygon);
    let [a, b, c, d] = corners[..] else { return Ok(None) };
    let quad = WorkingQuad::from_corners([a, b, c, d]);
    Ok(Some(if quad.signed_area() < 0.0 { WorkingQuad::from_corners([a, d, c, b]) } else { quad }))
}

/// The quadrangles that have a card's size on the table, each once, with corners in a card's order.
pub(crate) fn cards_on(
    table: &TablePlane,
    quads: &[WorkingQuad],
    params: &Params,
) -> Vec<WorkingQuad> {
    let mut fitting: Vec<(f64, WorkingQuad)> = quads
        .iter()
        .flat_map(|&quad| [quad, turned(quad.0)])
        .map(|quad| (table.misfit(&quad), quad))
        .filter(|(misfit, _)| *misfit < params.misfit)
        .collect();
    fitting.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut cards: Vec<(WorkingQuad, usize)> = Vec::new();
    for (_, quad) in fitting {
        let near = cards.iter_mut().find(|(other, _)| {
            other.center().distance(quad.center()) < 0.4 * other.long_side() / CARD_ASPECT
        });
        match near {
            Some((_, votes)) => *votes += 1,
            None => cards.push((quad, 1)),
        }
    }
    cards.retain(|(_, votes)| *votes >= params.votes);
    cards.into_iter().map(|(quad, _)| quad).collect()
}

fn turned([a, b, c, d]: [Point; 4]) -> WorkingQuad {
    WorkingQuad::from_corners([b, c, d, a])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::drawn::{FlatCard, card_at, photo};
    use crate::find::{symbols_first::maps::maps, working_image::Working};
    use opencv::core::Mat;

    #[test]
    fn a_cards_contour_is_a_quadrangle_with_its_corners() {
        let card = card_at(200.0, 150.0, 0.3);
        let photo = photo((400, 300), &[FlatCard::at(card)]);
        let working = Working::new(&photo, 400.0);
        let found = contours(&maps(&working).unwrap(), 14.0).unwrap();
        let quads = quadrangles(&found, 400.0, &Params::default()).unwrap();
        let card = working.in_working(&card);
        assert!(
            quads
                .iter()
                .filter(|quad| {
                    card.0.iter().all(|corner| quad.0.iter().any(|p| p.distance(*corner) < 4.0))
                })
                .count()
                >= 2,
            "{quads:?}"
        );
        assert!(quads.iter().all(|quad| quad.signed_area() > 0.0 && quad.is_convex()));
    }

    #[test]
    fn a_map_without_a_quadrangle_gives_none() {
        // A disc, a triangle and a line.
        let mut pixels = vec![0u8; 400 * 300];
        for y in 0..300_i32 {
            for x in 0..400_i32 {
                let disc = (x - 80).pow(2) + (y - 80).pow(2) < 50 * 50;
                let triangle = (180..280).contains(&y) && (x - 250).abs() < (y - 180) / 2;
                let line = y == 20 && x > 200;
                if disc || triangle || line {
                    pixels[(y * 400 + x) as usize] = 255;
                }
            }
        }
        let pixels = Mat::new_rows_cols_with_data(300, 400, &pixels).unwrap().clone_pointee();
        let map = BinaryMap { pixels, name: "drawn" };
        let found = contours(&[map], 14.0).unwrap();
        assert_eq!(
            found.iter().map(|contour| contour.is_complete).collect::<Vec<_>>(),
            [true, true, false]
        );
        assert_eq!(quadrangles(&found, 400.0, &Params::default()).unwrap(), []);
    }
}
