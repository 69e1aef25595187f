//! Photos for tests: plain cards on a plain table, with exactly known corners.

use image::{Rgb, RgbImage};
use setsight_game::cards::outline::{symbol_centers, symbol_outline};
use setsight_game::cards::{Number, Shape};
use setsight_photo::Frame;
use setsight_photo::geometry::{Homography, Point, Quad};

/// The table's colour.
pub(crate) const TABLE: [u8; 3] = [60, 100, 70];
/// The cards' white.
pub(crate) const WHITE: [u8; 3] = [235, 233, 228];
/// A green ink.
pub(crate) const GREEN: [u8; 3] = [20, 130, 60];
/// A red ink.
pub(crate) const RED: [u8; 3] = [200, 40, 45];

/// A card with filled symbols.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlatCard {
    pub(crate) number: Number,
    pub(crate) shape: Shape,
    pub(crate) ink: [u8; 3],
    /// The corners, in pixels of the photo.
    pub(crate) corners: Quad,
}

impl FlatCard {
    /// A card with two green ovals.
    pub(crate) fn at(corners: Quad) -> Self {
        Self { number: Number::Two, shape: Shape::Oval, ink: GREEN, corners }
    }

    fn color_at(&self, card_from_image: &Homography, p: Point) -> Option<[u8; 3]> {
        let p = card_from_image.apply(p);
        if p.x.abs() > 0.5 || p.y.abs() > 0.5 {
            return None;
        }
        let outline = symbol_outline(self.shape);
        Some(if symbol_centers(self.number).iter().any(|x| is_inside(outline, (p.x - x, p.y))) {
            self.ink
        } else {
            WHITE
        })
    }
}

/// Draws a photo of cards; later ones cover earlier ones. Each pixel is the mean of 3 x 3 samples.
pub(crate) fn photo((width, height): (u32, u32), cards: &[FlatCard]) -> Frame {
    let placed: Vec<(&FlatCard, Homography)> = cards
        .iter()
        .map(|card| (card, Homography::between(&card.corners, &Quad::unit_card()).unwrap()))
        .collect();
    RgbImage::from_fn(width, height, |x, y| {
        let mut sum = [0u32; 3];
        for sample in 0..SAMPLES * SAMPLES {
            let p = Point::new(sample_at(x, sample % SAMPLES), sample_at(y, sample / SAMPLES));
            let top = placed.iter().rev().find_map(|(card, from)| card.color_at(from, p));
            let color = top.unwrap_or(TABLE);
            (0..3).for_each(|c| sum[c] += u32::from(color[c]));
        }
        Rgb(sum.map(|v| (v / (SAMPLES * SAMPLES)) as u8))
    })
}

const SAMPLES: u32 = 3;

fn sample_at(base: u32, part: u32) -> f64 {
    f64::from(base) + (f64::from(part) + 0.5) / f64::from(SAMPLES)
}

/// Whether a point lies inside a closed polygon, by the parity of the edges to its right.
fn is_inside(polygon: &[(f64, f64)], (x, y): (f64, f64)) -> bool {
    let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
    edges
        .filter(|(a, b)| (a.1 > y) != (b.1 > y) && x < a.0 + (y - a.1) * (b.0 - a.0) / (b.1 - a.1))
        .count()
        % 2
        == 1
}

/// A card 90 pixels long with its upper left corner at (x, y), turned clockwise by `angle` radians.
pub(crate) fn card_at(x: f64, y: f64, angle: f64) -> Quad {
    let (sin, cos) = angle.sin_cos();
    Quad::new(
        Quad::rectangle(90.0, 57.6)
            .0
            .map(|p| Point::new(x + cos * p.x - sin * p.y, y + sin * p.x + cos * p.y)),
    )
}
