//! How clearly a picture shows a card. Of two cards with the same posterior, the one in the worse
//! picture is more often wrong: what the classifiers were sure of there, they were sure of in
//! pictures that they had not learned from.

use crate::data::{CARD_LONG_PX, CARD_SHORT_PX, CardImage};
use crate::rectify::BALANCED_WHITE;

/// What describes a card's picture, whatever is printed on the card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// How much darker than the stock the ink is in the channel in which that shows most, 0 to 1.
    /// Haze, glare and overexposure lower it.
    pub contrast: f32,
    /// Chroma of the ink: see [`Conditions::ink`], 0 (grey) to 1.
    pub chroma: f32,
    /// Share of the channels, 0 to 1, in which the stock is clipped, so that its colour is unknown.
    pub clipped: f32,
    /// The ink's colour, whatever the brightness: differences of the absorption in the three
    /// channels, red against the others and green against blue, relative to the largest one.
    pub ink: [f32; 2],
}

/// The value of the stock in a balanced picture.
const STOCK: f32 = 255.0 * BALANCED_WHITE;
/// White from which a channel counts as clipped, 0 to 255.
const CLIPPED: f32 = 250.0;
/// The part of the card, in pixels of its picture, in which symbols lie: left, top, right, bottom.
const BAND: [u32; 4] =
    [CARD_LONG_PX / 16, CARD_SHORT_PX / 5, CARD_LONG_PX * 15 / 16, CARD_SHORT_PX * 4 / 5];
const BAND_WIDTH: usize = (BAND[2] - BAND[0]) as usize;
/// Every third row is looked at.
const ROW_STEP: usize = 3;

impl Conditions {
    /// Number of [features](Self::features).
    pub const FEATURES: usize = 2;

    /// Where nothing is known: it leaves a calibration as it is.
    pub const UNKNOWN: Self = Self { contrast: 0.0, chroma: 0.0, clipped: 0.0, ink: [0.0; 2] };

    /// The values that the weights of a calibration multiply. The card's size, the sharpness
    /// and contrast of its ink, the cast of the light, how even the drawing is and whether two networks
    /// disagree were tried beside them and told nothing more about cards that were kept aside.
    pub fn features(&self) -> [f32; Self::FEATURES] {
        [self.chroma, self.clipped]
    }

    /// Measures a card's picture.
    pub(crate) fn of(card: &CardImage) -> Self {
        let clipped = card.white_in_image.iter().filter(|&&white| white >= CLIPPED).count();
        let known = Self { clipped: clipped as f32 / 3.0, ..Self::UNKNOWN };
        let darkest = darkest_channel(card);
        let (mut levels, n) = ([0u32; 256], darkest.len() as u32);
        darkest.iter().for_each(|&value| levels[usize::from(value)] += 1);
        // Open symbols cover a fiftieth of this part of a card with a single one.
        let dark = rank(&levels, n / 50);
        let depth = STOCK - dark as f32;
        if depth < 1.0 {
            return known;
        }
        let ink = ink_of(card, &darkest, STOCK - 0.5 * depth);
        Self { contrast: depth / STOCK, chroma: ink[0].hypot(ink[1]).min(1.0), ink, ..known }
    }
}

/// The looked-at pixels of the part with symbols, row by row, each pixel's darkest channel.
fn darkest_channel(card: &CardImage) -> Vec<u8> {
    let mut darkest = Vec::with_capacity(BAND_WIDTH * CARD_SHORT_PX as usize / ROW_STEP);
    for row in rows(card) {
        darkest.extend(row.chunks_exact(3).map(|p| p[0].min(p[1]).min(p[2])));
    }
    darkest
}

/// The looked-at rows of the part with symbols, R, G, B.
fn rows(card: &CardImage) -> impl Iterator<Item = &[u8]> {
    let [left, top, right, bottom] = BAND.map(|v| v as usize);
    let whole = card.pixels.as_raw().chunks_exact(3 * CARD_LONG_PX as usize);
    whole.take(bottom).skip(top).step_by(ROW_STEP).map(move |row| &row[3 * left..3 * right])
}

/// The least value at or below which this many are.
fn rank(histogram: &[u32; 256], count: u32) -> usize {
    let mut seen = 0;
    let value = histogram.iter().position(|&n| {
        seen += n;
        seen > count
    });
    value.unwrap_or(255)
}

/// The mean colour of the pixels whose darkest channel is below `limit`, see [`Conditions::ink`].
fn ink_of(card: &CardImage, darkest: &[u8], limit: f32) -> [f32; 2] {
    let (mut sum, mut n) = ([0u32; 3], 0u32);
    for (row, darkest) in rows(card).zip(darkest.chunks_exact(BAND_WIDTH)) {
        for (pixel, &darkest) in row.chunks_exact(3).zip(darkest) {
            if f32::from(darkest) < limit {
                n += 1;
                sum.iter_mut().zip(pixel).for_each(|(sum, &v)| *sum += u32::from(v));
            }
        }
    }
    let [r, g, b] = sum.map(|sum| 1.0 - sum as f32 / (n.max(1) as f32 * STOCK));
    let most = r.max(g).max(b).max(1e-3);
    [(r - 0.5 * (g + b)) / most, 0.866 * (g - b) / most]
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    /// A card with a symbol of this ink.
    fn card(ink: [u8; 3]) -> CardImage {
        let mut pixels =
            RgbImage::from_pixel(CARD_LONG_PX, CARD_SHORT_PX, Rgb([STOCK.round() as u8; 3]));
        for (x, y) in (76..116).flat_map(|x| (30..98).map(move |y| (x, y))) {
            pixels.put_pixel(x, y, Rgb(ink));
        }
        CardImage {
            pixels,
            white_in_image: [200.0, 255.0, 252.0],
            light_cast: 0.02,
            long_side_in_image_px: 50.0,
        }
    }

    #[test]
    fn the_picture_is_described_and_not_the_card() {
        let red = card([210, 40, 50]).conditions();
        assert!((red.clipped - 2.0 / 3.0).abs() < 1e-6, "{red:?}");
        assert!(red.contrast > 0.8 && red.chroma > 0.7, "{red:?}");
        let grey = card([90, 90, 90]).conditions();
        assert!(grey.chroma < 0.02 && grey.contrast > 0.5, "{grey:?}");
        let (green, purple) = (card([40, 160, 80]).conditions(), card([110, 50, 140]).conditions());
        let apart =
            |a: &Conditions, b: &Conditions| (a.ink[0] - b.ink[0]).hypot(a.ink[1] - b.ink[1]);
        for (a, b) in [(&red, &green), (&red, &purple), (&green, &purple)] {
            assert!(apart(a, b) > 0.4, "{a:?} {b:?}");
        }
        let mut blank = card([0; 3]);
        blank.pixels = RgbImage::from_pixel(CARD_LONG_PX, CARD_SHORT_PX, Rgb([240; 3]));
        assert!(blank.conditions().features().iter().all(|v| v.is_finite()));
        assert_eq!(blank.conditions().contrast, 0.0);
    }
}
