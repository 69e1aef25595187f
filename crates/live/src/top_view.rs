//! Shows the table from straight above, with its cards parallel to the picture's sides.

use image::RgbImage;
use nalgebra::Matrix3;
use setsight_photo::{
    Frame,
    geometry::{Homography, Point, Quad, space},
    pixels::{Outside, View, warped},
};
use setsight_track::TrackedTable;
use setsight_vision::find::plane::{Pose, SizeField, TablePlane};

/// Fewest cards that determine the table's plane.
pub(crate) const FEWEST_CARDS: usize = 3;
/// Margin around the cards, in short sides of a card.
const MARGIN: f64 = 0.7;
/// Least length of the mean direction vector: cards in all directions have no common direction.
const IN_LINE: f64 = 0.5;

/// The map from pixels of the frame to pixels of the straightened picture, which has the same size
/// and shows all cards. `None` if too few cards are visible, or they do not determine a plane.
pub fn top_view_from_image(tracked: &TrackedTable) -> Option<Homography> {
    let (width, height) = tracked.table.size_px;
    let (width, height) = (f64::from(width), f64::from(height));
    let quads: Vec<(Quad<space::Working>, f64)> = tracked
        .cards()
        .filter(|(_, track)| !track.hidden)
        .map(|(card, _)| (card.corners_in_image.in_space(1.0), 1.0))
        .collect();
    if quads.len() < FEWEST_CARDS {
        return None;
    }
    let long_side = width.max(height);
    let sizes: Vec<_> =
        quads.iter().map(|(q, w)| (q.center() / long_side, q.long_side().ln(), *w)).collect();
    let table = TablePlane::fit(&quads, &SizeField::fit(&sizes), long_side)?;
    let on_table: Vec<Quad> =
        quads.iter().map(|(quad, _)| table.table_from_working.apply_quad(quad)).collect();
    let middle = quads.iter().fold(Point::default(), |sum, (q, _)| sum + q.center());
    let down = table.vector_on_table(middle / quads.len() as f64, Point::new(0.0, 1.0));
    let turn = turn(&on_table, down);
    let (sin, cos) = turn.sin_cos();
    let corners = on_table.iter().flat_map(|quad| quad.0);
    let (xs, ys): (Vec<f64>, Vec<f64>) =
        corners.map(|p| (cos * p.x - sin * p.y, sin * p.x + cos * p.y)).unzip();
    let ((left, right), (top, bottom)) = (span_with_margin(&xs), span_with_margin(&ys));
    let scale = (width / (right - left)).min(height / (bottom - top));
    let x = width / 2.0 - scale * (left + right) / 2.0;
    let y = height / 2.0 - scale * (top + bottom) / 2.0;
    let straight_from_table = Homography(Matrix3::new(
        scale * cos,
        -scale * sin,
        x, //
        scale * sin,
        scale * cos,
        y, //
        0.0,
        0.0,
        1.0,
    ));
    Some(straight_from_table.after(&table.table_from_working))
}

fn span_with_margin(values: &[f64]) -> (f64, f64) {
    let values = values.iter().copied();
    (values.clone().fold(f64::MAX, f64::min) - MARGIN, values.fold(f64::MIN, f64::max) + MARGIN)
}

/// The rotation of the table, in radians, that makes its cards parallel to the picture's sides and
/// keeps the lower side below.
fn turn(cards: &[Quad], down: Point) -> f64 {
    use std::f64::consts::{FRAC_PI_2, PI};
    let upright = FRAC_PI_2 - down.y.atan2(down.x);
    // Directions are equivalent modulo 90 degrees.
    let sum = cards
        .iter()
        .map(|card| 4.0 * Pose::nearest(card).angle)
        .fold((0.0, 0.0), |s, a| (s.0 + a.cos(), s.1 + a.sin()));
    if sum.0.hypot(sum.1) < IN_LINE * cards.len() as f64 {
        return upright;
    }
    let in_line = -sum.1.atan2(sum.0) / 4.0;
    // Of the four rotations, take the one nearest to upright.
    let off = (upright - in_line + PI).rem_euclid(2.0 * PI) - PI;
    in_line + FRAC_PI_2 * (off / FRAC_PI_2).round()
}

/// The straightened frame, dark grey where the frame ends. `None` if the map cannot be inverted, or
/// the frame has no pixel.
pub fn top_view_of(frame: &Frame, top_view_from_image: &Homography) -> Option<RgbImage> {
    let image_from_top_view = top_view_from_image.inverse()?;
    let outside = Outside::Color([24; 3]);
    Some(warped(View::from_image(frame)?, &image_from_top_view, frame.dimensions(), outside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;
    use setsight_game::cards::Card;

    /// Cards in rows, seen from the side and rotated.
    fn cards(count: usize) -> TrackedTable {
        let view = Quad::new([
            Point::new(420.0, 60.0),
            Point::new(900.0, 240.0),
            Point::new(700.0, 640.0),
            Point::new(80.0, 330.0),
        ]);
        let image_from_table = Homography::between(&Quad::rectangle(8.0, 4.4), &view).unwrap();
        let mut tracked = TrackedTable::sure(Card::deck().take(count));
        tracked.table.size_px = (960, 720);
        for (i, card) in tracked.table.cards.iter_mut().enumerate() {
            let (x, y) = (1.4 + 2.6 * (i % 3) as f64, 0.8 + 1.4 * (i / 3) as f64);
            let pose = Pose { center: Point::new(x, y), angle: 0.0 };
            card.corners_in_image = image_from_table.apply_quad(&pose.quad_on_table());
        }
        tracked
    }

    #[test]
    fn cards_from_the_side_become_equal_rectangles_in_line_with_the_picture() {
        let tracked = cards(9);
        let top_view = top_view_from_image(&tracked).unwrap();
        let read = tracked.table.cards.iter();
        let quads: Vec<Quad> =
            read.map(|card| top_view.apply_quad(&card.corners_in_image)).collect();
        let first = quads[0].long_side();
        for quad in &quads {
            assert!((quad.long_side() / quad.short_side() - 1.54).abs() < 0.02, "{quad:?}");
            assert!((quad.long_side() / first - 1.0).abs() < 0.02, "{quad:?}");
            let [a, b, ..] = quad.0;
            assert!((a.y - b.y).abs() < 0.02 * first, "{quad:?}");
            assert!(
                quad.0.iter().all(|p| (0.0..960.0).contains(&p.x) && (0.0..720.0).contains(&p.y))
            );
        }
        // Cards to the right of it and below it stay there.
        let [one, right, below] = [0, 1, 3].map(|i| quads[i].center());
        assert!(right.x > one.x + first && below.y > one.y + 0.5 * first, "{quads:?}");
        assert!(top_view_from_image(&cards(2)).is_none());
    }

    #[test]
    fn pixels_go_where_the_corners_go() {
        let tracked = cards(9);
        let top_view = top_view_from_image(&tracked).unwrap();
        let mut image = RgbImage::new(960, 720);
        let card = tracked.table.cards[4].corners_in_image;
        for (x, y, pixel) in image.enumerate_pixels_mut() {
            if card.contains(Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5)) {
                *pixel = Rgb([250; 3]);
            }
        }
        let view = top_view_of(&image, &top_view).unwrap();
        let quad: Quad = top_view.apply_quad(&card);
        let center = quad.center();
        let [inner, outer] = [0.9, 1.1].map(|part| quad.map(|p| center + (p - center) * part));
        for (x, y, pixel) in view.enumerate_pixels() {
            let at = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
            if inner.contains(at) {
                assert!(pixel.0[0] > 200, "{at:?}");
            } else if !outer.contains(at) {
                assert!(pixel.0[0] < 50, "{at:?}");
            }
        }
    }
}
