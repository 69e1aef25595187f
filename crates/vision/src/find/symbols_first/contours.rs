//! Finds cards whose symbols cannot be read, in glare or under a hand, by their contours: those of
//! each binary map (Suzuki and Abe 1985), approximated by polygons (Douglas and Peucker 1973), of
//! which convex quadrangles are kept. On the table that the other cards determine, those of a card's
//! size count.
//!
//! The reader decides whether such a region is a card, or else a card's back or a phone.

use super::maps::BinaryMap;
use super::opencv_versions as polygons;
use crate::find::plane::{CARD_ASPECT, TablePlane};
use crate::find::working::{Working, WorkingQuad};
use opencv::core::{Mat, Point as CvPoint, Vector};
use opencv::imgproc;
use setsight_photo::geometry::Point;

/// Thresholds for a card's contour.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Shortest bounding box (longer side), in working pixels.
    pub smallest_px: f64,
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
        Self { smallest_px: 36.0, tolerance: 0.02, filled: 0.9, misfit: 0.13, votes: 2 }
    }
}

/// Collects quadrangles, map by map.
#[derive(Debug)]
pub(crate) struct ContourSearch {
    params: Params,
    largest_px: f64,
    /// The quadrangles of all maps, clockwise on the screen.
    pub quads: Vec<WorkingQuad>,
}

impl ContourSearch {
    /// A search in the maps of one working image.
    pub(crate) fn new(working: &Working, params: &Params) -> Self {
        // A single card may fill the photo.
        let largest_px = 0.9 * working.width.max(working.height) as f64;
        Self { params: *params, largest_px, quads: Vec::new() }
    }

    /// Collects the quadrangles of one map: outer contours of what is dark, and those of its holes,
    /// which are what is light.
    ///
    /// # Errors
    /// OpenCV failed, for instance for lack of memory.
    pub(crate) fn add(&mut self, map: &BinaryMap<'_>) -> opencv::Result<()> {
        let (rows, columns) = ((map.pixels.len() / map.width) as i32, map.width as i32);
        let pixels = Mat::new_rows_cols_with_data(rows, columns, map.pixels)?;
        let mut contours = Vector::<Vector<CvPoint>>::new();
        let (mode, method) = (imgproc::RETR_LIST, imgproc::CHAIN_APPROX_SIMPLE);
        imgproc::find_contours(&pixels, &mut contours, mode, method, CvPoint::new(0, 0))?;
        for contour in &contours {
            if let Some(quad) = self.quadrangle(&contour, map.step)? {
                self.quads.push(quad);
            }
        }
        Ok(())
    }

    fn quadrangle(
        &self,
        contour: &Vector<CvPoint>,
        step: f64,
    ) -> opencv::Result<Option<WorkingQuad>> {
        let bounds = polygons::bounding_rect(contour)?;
        let (w, h) = (f64::from(bounds.width) * step, f64::from(bounds.height) * step);
        if w.max(h) < self.params.smallest_px
            || w.max(h) > self.largest_px
            || w.min(h) < 0.25 * self.params.smallest_px
        {
            return Ok(None);
        }
        let mut polygon = Vector::<CvPoint>::new();
        let tolerance = self.params.tolerance * polygons::arc_length(contour, true)?;
        polygons::approx_poly_dp(contour, &mut polygon, tolerance, true)?;
        if polygon.len() != 4 || !polygons::is_contour_convex(&polygon)? {
            return Ok(None);
        }
        let area = polygons::contour_area(&polygon, false)?;
        if polygons::contour_area(contour, false)? < self.params.filled * area {
            return Ok(None);
        }
        let mut corners = [Point::default(); 4];
        for (corner, p) in corners.iter_mut().zip(&polygon) {
            // OpenCV names pixels, here the middle of one has a half.
            *corner = Point::new(f64::from(p.x) + 0.5, f64::from(p.y) + 0.5) * step;
        }
        let quad = WorkingQuad::of(corners);
        let [a, b, c, d] = corners;
        Ok(Some(if quad.signed_area() < 0.0 { WorkingQuad::of([a, d, c, b]) } else { quad }))
    }

    /// The quadrangles that have a card's size on the table, each once, with corners in a card's
    /// order.
    pub(crate) fn cards_on(&self, table: &TablePlane) -> Vec<WorkingQuad> {
        let mut fitting: Vec<(f64, WorkingQuad)> = self
            .quads
            .iter()
            .filter_map(|&quad| {
                let mut turned = quad;
                turned.0.rotate_left(1);
                [quad, turned]
                    .into_iter()
                    .map(|q| (table.misfit(&q), q))
                    .min_by(|a, b| a.0.total_cmp(&b.0))
                    .filter(|(misfit, _)| *misfit < self.params.misfit)
            })
            .collect();
        fitting.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut cards: Vec<(WorkingQuad, usize)> = Vec::new();
        for (_, quad) in fitting {
            let near = |other: &WorkingQuad| {
                other.center().distance(quad.center()) < 0.4 * other.long_side() / CARD_ASPECT
            };
            match cards.iter_mut().find(|(other, _)| near(other)) {
                Some((_, votes)) => *votes += 1,
                None => cards.push((quad, 1)),
            }
        }
        cards.retain(|(_, votes)| *votes >= self.params.votes);
        cards.into_iter().map(|(quad, _)| quad).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::drawn::{FlatCard, card_at, photo};
    use crate::find::symbols_first::maps::for_each_map;

    #[test]
    fn a_cards_contour_is_a_quadrangle_with_its_corners() {
        let card = card_at(200.0, 150.0, 0.3);
        let photo = photo((400, 300), &[FlatCard::at(card)]);
        let working = Working::new(&photo, 400.0);
        let mut search = ContourSearch::new(&working, &Params::default());
        for_each_map(&working, |map| search.add(map)).unwrap();
        let card = working.in_working(&card);
        let near = |quad: &&WorkingQuad| {
            let nearest = |corner: &Point| {
                quad.0.iter().map(|other| other.distance(*corner)).fold(f64::MAX, f64::min)
            };
            card.0.iter().all(|corner| nearest(corner) < 4.0)
        };
        assert!(search.quads.iter().filter(near).count() >= 2, "{:?}", search.quads);
        assert!(search.quads.iter().all(|quad| quad.signed_area() > 0.0 && quad.is_convex()));
    }

    #[test]
    fn a_map_without_a_quadrangle_gives_none() {
        let photo = photo((400, 300), &[]);
        let working = Working::new(&photo, 400.0);
        let mut search = ContourSearch::new(&working, &Params::default());
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
        let kind = crate::find::symbols_first::maps::MapKind::Ink;
        search.add(&BinaryMap { pixels: &pixels, width: 400, step: 1.0, kind }).unwrap();
        assert_eq!(search.quads, []);
    }
}
