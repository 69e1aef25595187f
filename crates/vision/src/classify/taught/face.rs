//! One card straightened at twice the size that the networks see, as shares of its own stock's
//! light.

use image::RgbImage;
use nalgebra::{SMatrix, SVector};
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM};
use setsight_photo::Frame;
use setsight_photo::geometry::Quad;
use setsight_photo::pixels::straightened;
use setsight_photo::print::color::linear_from_srgb;
use std::sync::LazyLock;

/// Columns and rows of a face: a fill's pitch of a millimetre is four pixels.
pub const WIDTH: usize = 384;
/// Rows of a [`Face`].
pub const HEIGHT: usize = 256;
/// Pixels of a face in a millimetre of the card, the mean of both directions.
pub(super) const PX_PER_MM: f32 =
    0.5 * (WIDTH as f32 / CARD_LONG_MM as f32 + HEIGHT as f32 / CARD_SHORT_MM as f32);
/// What is nearer to the border may be table, a cut edge or a round corner.
const MARGIN_PX: usize = 12;

/// A card's face.
#[derive(Clone, Debug)]
pub struct Face {
    /// Linear light as a share of the stock's beside it, R, G, B, row by row: 1 is blank.
    pub light: Vec<[f32; 3]>,
    /// Share of the light that the print absorbs, 0 to 1: the root mean square over the
    /// channels.
    pub ink: Vec<f32>,
}

/// Linear light of an 8-bit sRGB value.
fn linear(value: u8) -> f32 {
    static TABLE: LazyLock<[f32; 256]> =
        LazyLock::new(|| std::array::from_fn(|v| linear_from_srgb(v as f64 / 255.0) as f32));
    TABLE[usize::from(value)]
}

impl Face {
    /// The card within `quad`, its first edge on top; `None` where it cannot be straightened or has
    /// no stock.
    pub fn straighten(frame: &Frame, quad: &Quad) -> Option<Self> {
        let size = (WIDTH as u32, HEIGHT as u32);
        let picture = straightened(frame.as_raw(), frame.dimensions(), quad, size)?;
        Self::of_picture(&picture)
    }

    /// A picture of [`WIDTH`] x [`HEIGHT`] that is the card.
    pub(crate) fn of_picture(picture: &RgbImage) -> Option<Self> {
        let light: Vec<[f32; 3]> = picture.pixels().map(|pixel| pixel.0.map(linear)).collect();
        Self::of_light(light)
    }

    /// Linear light, [`WIDTH`] x [`HEIGHT`].
    pub(crate) fn of_light(mut light: Vec<[f32; 3]>) -> Option<Self> {
        let stock = Stock::estimate(&light)?;
        for (i, light) in light.iter_mut().enumerate() {
            let white = stock.at(i % WIDTH, i / WIDTH);
            for (value, white) in light.iter_mut().zip(white) {
                *value = (*value / white.max(1e-4)).clamp(0.0, 1.3);
            }
        }
        let ink = light.iter().map(taken).collect();
        Some(Self { light, ink })
    }
}

/// Share of the light that is missing, see [`Face::ink`].
fn taken(light: &[f32; 3]) -> f32 {
    let sum: f32 = light.iter().map(|v| (1.0 - v).max(0.0).powi(2)).sum();
    (sum / 3.0).sqrt()
}

/// Whether a pixel is far enough from the card's border.
pub(super) fn within_margin(x: usize, y: usize) -> bool {
    (MARGIN_PX..WIDTH - MARGIN_PX).contains(&x) && (MARGIN_PX..HEIGHT - MARGIN_PX).contains(&y)
}

/// The light on blank stock, a quadratic surface for each channel: light falls unevenly, but
/// smoothly.
struct Stock([SVector<f64, 6>; 3]);

impl Stock {
    fn estimate(light: &[[f32; 3]]) -> Option<Self> {
        /// Every so many columns and rows are as good as all.
        const STEP: usize = 3;
        /// Of each channel, of the bright pixels that are taken for stock at first, and how far
        /// below them stock may lie, and how far off the surface in later rounds.
        const PERCENTILE: f64 = 0.8;
        const BELOW: f32 = 0.55;
        const OFF: [f32; 3] = [0.25, 0.12, 0.09];
        let places: Vec<usize> = (0..WIDTH * HEIGHT)
            .filter(|i| {
                let (x, y) = (i % WIDTH, i / WIDTH);
                x % STEP == 0 && y % STEP == 0 && within_margin(x, y)
            })
            .collect();
        let bright: [f32; 3] = std::array::from_fn(|c| {
            let mut values: Vec<f32> = places.iter().map(|&i| light[i][c]).collect();
            let rank = (values.len() as f64 * PERCENTILE) as usize;
            *values.select_nth_unstable_by(rank, f32::total_cmp).1
        });
        if bright.iter().any(|v| *v < 2e-3) {
            return None;
        }
        let blank = places
            .iter()
            .copied()
            .filter(|&i| light[i].iter().zip(bright).all(|(v, white)| *v > BELOW * white));
        let mut stock = Self::fit(light, &blank.collect::<Vec<_>>())?;
        for off in OFF {
            let blank = places.iter().copied().filter(|&i| stock.is_near(i, &light[i], off));
            stock = Self::fit(light, &blank.collect::<Vec<_>>())?;
        }
        Some(stock)
    }

    /// Whether the light at a pixel is off the surface by less than this share of it.
    fn is_near(&self, i: usize, light: &[f32; 3], off: f32) -> bool {
        let white = self.at(i % WIDTH, i / WIDTH);
        light.iter().zip(white).all(|(v, white)| (v / white.max(1e-4) - 1.0).abs() < off)
    }

    fn fit(light: &[[f32; 3]], blank: &[usize]) -> Option<Self> {
        /// A card is blank for the most part.
        const LEAST: usize = 600;
        if blank.len() < LEAST {
            return None;
        }
        let mut normal = SMatrix::<f64, 6, 6>::zeros();
        let mut right = [SVector::<f64, 6>::zeros(); 3];
        for &i in blank {
            let row = Self::row(i % WIDTH, i / WIDTH);
            normal += row * row.transpose();
            for (right, value) in right.iter_mut().zip(light[i]) {
                *right += row * f64::from(value);
            }
        }
        let inverse = normal.try_inverse()?;
        Some(Self(right.map(|right| inverse * right)))
    }

    fn row(x: usize, y: usize) -> SVector<f64, 6> {
        let (u, v) = (x as f64 / WIDTH as f64 - 0.5, y as f64 / HEIGHT as f64 - 0.5);
        SVector::from([1.0, u, v, u * u, u * v, v * v])
    }

    fn at(&self, x: usize, y: usize) -> [f32; 3] {
        let row = Self::row(x, y);
        self.0.map(|channel| channel.dot(&row) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uneven_coloured_light_is_divided_out() {
        let mut light = Vec::new();
        for y in 0..HEIGHT {
            for x in 0..WIDTH {
                let lamp = 0.8 - 0.3 * x as f32 / WIDTH as f32 - 0.1 * y as f32 / HEIGHT as f32;
                let inked = (120..200).contains(&x) && (60..200).contains(&y);
                let share = if inked { [0.1, 0.5, 0.2] } else { [1.0; 3] };
                light.push([0, 1, 2].map(|c| share[c] * lamp * [1.0, 0.8, 0.5][c]));
            }
        }
        let face = Face::of_light(light).unwrap();
        for (share, expected) in face.light[130 * WIDTH + 160].into_iter().zip([0.1, 0.5, 0.2]) {
            assert!((share - expected).abs() < 0.01, "{share}");
        }
        assert!(face.light[40 * WIDTH + 300].iter().all(|share| (share - 1.0).abs() < 0.01));
        assert!(face.ink[40 * WIDTH + 300] < 0.02 && face.ink[130 * WIDTH + 160] > 0.6);
    }

    #[test]
    fn what_is_dark_all_over_is_no_card() {
        assert!(Face::of_light(vec![[0.0; 3]; WIDTH * HEIGHT]).is_none());
    }
}
