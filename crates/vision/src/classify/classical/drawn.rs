//! Draws small cards for this module's tests.

use crate::card::{CARD_LONG_PX, CARD_SHORT_PX, CardImage};
use image::{Rgb, RgbImage};
use setsight_game::cards::outline::{symbol_centers, symbol_outline};
use setsight_game::cards::{Card, Color, Shading};

/// A card as printed, under a light (R, G, B as shares of full white), shifted by some pixels.
pub(crate) fn draw(card: Card, light: [f32; 3], shift: (f32, f32)) -> CardImage {
    let (width, height) = (CARD_LONG_PX as f32, CARD_SHORT_PX as f32);
    let ink = match card.color {
        Color::Green => [0.10, 0.62, 0.33],
        Color::Purple => [0.36, 0.20, 0.55],
        Color::Red => [0.90, 0.18, 0.20],
    };
    let outline: Vec<(f32, f32)> = symbol_outline(card.shape)
        .iter()
        .map(|&(x, y)| (x as f32 * width, y as f32 * height))
        .collect();
    let image = RgbImage::from_fn(CARD_LONG_PX, CARD_SHORT_PX, |x, y| {
        let mut share = 0.0;
        for (i, j) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
            share += cover(card, &outline, (x as f32 + i - shift.0, y as f32 + j - shift.1)) / 4.0;
        }
        Rgb(std::array::from_fn(|c| (240.0 * light[c] * (1.0 + share * (ink[c] - 1.0))) as u8))
    });
    CardImage::from_crop(image)
}

/// Whether a point of an unshifted card is inked, as 0 or 1.
fn cover(card: Card, outline: &[(f32, f32)], (x, y): (f32, f32)) -> f32 {
    let (width, height) = (CARD_LONG_PX as f32, CARD_SHORT_PX as f32);
    for &center in symbol_centers(card.number) {
        let (dx, dy) = (x - (0.5 + center as f32) * width, y - 0.5 * height);
        if dx.abs() > 24.0 || dy.abs() > 46.0 {
            continue;
        }
        let (inside, distance) = inside_and_distance(outline, dx, dy);
        if inside {
            let stripe = dy.rem_euclid(4.5) < 1.2;
            let printed = match card.shading {
                Shading::Filled => true,
                Shading::Open => distance < 2.6,
                Shading::Striped => distance < 2.6 || stripe,
            };
            return f32::from(u8::from(printed));
        }
    }
    0.0
}

/// Whether a point is inside (even-odd rule), and its distance to the nearest side.
fn inside_and_distance(polygon: &[(f32, f32)], x: f32, y: f32) -> (bool, f32) {
    let (mut inside, mut nearest) = (false, f32::MAX);
    for (i, &(ax, ay)) in polygon.iter().enumerate() {
        let (bx, by) = polygon[(i + 1) % polygon.len()];
        if (ay > y) != (by > y) && x < ax + (bx - ax) * (y - ay) / (by - ay) {
            inside = !inside;
        }
        let (ux, uy) = (bx - ax, by - ay);
        let t = (((x - ax) * ux + (y - ay) * uy) / (ux * ux + uy * uy)).clamp(0.0, 1.0);
        nearest = nearest.min((x - ax - t * ux).hypot(y - ay - t * uy));
    }
    (inside, nearest)
}
