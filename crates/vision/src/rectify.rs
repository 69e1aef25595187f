//! Straightens a card and balances its colours on the card's own white.
//!
//! The stock of a card is the only object of known colour in a photo. Light is seldom even across
//! it, so the white is not one colour but a smooth field: a grey closing across the card, wider
//! than a symbol, then blurred. Dividing by this field (`balance`) removes the light's colour, its
//! gradient and most of a shadow in one step.

mod balance;

use super::card::{CARD_LONG_PX, CARD_SHORT_PX, CardImage, CardOutline};
use image::{Rgb, RgbImage};
use setsight_photo::{Frame, geometry::Quad, pixels::straightened};
use std::ops::RangeInclusive;

/// Value of the card's own white after balancing, as a share of 255. It is below 1 so that paper
/// grain and glare brighter than the stock are not clipped.
pub(crate) const BALANCED_WHITE: f32 = 0.9;

/// The percentile of each channel that is used as the card's overall white: symbols cover up to a
/// third of a card, and the brightest tenth may be glare or the edge of a bright table.
const WHITE_PERCENTILE: f64 = 0.85;

impl CardImage {
    /// Straightens one card.
    ///
    /// Pixels outside the photo repeat its border. A quad with three collinear corners, or far outside
    /// the photo, gives a black card.
    pub fn rectify(frame: &Frame, outline: &CardOutline) -> Self {
        Self::straighten(frame, outline, balance::balance)
    }

    /// The same for a drawing, on which no light falls: its white is one colour. Symbols that touch are wider than
    /// what the white field reaches over, and it would pale their fillings.
    pub fn rectify_drawn(frame: &Frame, outline: &CardOutline) -> Self {
        Self::straighten(frame, outline, balance::evenly)
    }

    fn straighten(
        frame: &Frame,
        outline: &CardOutline,
        balance: fn(&mut RgbImage, [f32; 3]),
    ) -> Self {
        let quad = &outline.corners_in_image;
        let mut pixels =
            straightened(frame.as_raw(), frame.dimensions(), quad, (CARD_LONG_PX, CARD_SHORT_PX))
                .unwrap_or_else(|| RgbImage::new(CARD_LONG_PX, CARD_SHORT_PX));
        if is_dark(&pixels) {
            pixels.pixels_mut().for_each(|pixel| *pixel = light_of(*pixel));
        }
        let white_in_image = white_of(&pixels);
        balance(&mut pixels, white_in_image);
        Self {
            pixels,
            white_in_image,
            light_cast: cast_of(white_in_image),
            long_side_in_image_px: quad.long_side() as f32,
        }
    }

    /// Takes a picture that is a straight card already, such as a labelled crop.
    pub fn from_crop(crop: RgbImage) -> Self {
        let (width, height) = (f64::from(crop.width()), f64::from(crop.height()));
        let corners = Quad::rectangle(width, height).as_card();
        Self::rectify(&crop, &CardOutline::at(corners))
    }
}

/// Whether the stock is dark and the ink is brighter, as games on a screen may draw cards. A shadow or
/// a dim lamp darkens the stock, too, but then the ink is darker still.
fn is_dark(pixels: &RgbImage) -> bool {
    /// Brightest channel above which no stock is dark, 0 to 255.
    const DARK: usize = 120;
    /// Least difference between such a stock and its ink.
    const CONTRAST: usize = 60;
    /// By how much more the bright end of the card must differ from the stock than the dark end.
    const RATIO: usize = 3;
    /// Around the symbols, most is stock; a table may reach into the outermost rows.
    const RING_PX: RangeInclusive<u32> = 8..=15;
    let blank = levels(pixels, RING_PX);
    let across = levels(pixels, RING_PX.end() + 1..=u32::MAX);
    // The outlines of a single open symbol are a twentieth of the part with symbols, thin ones a fortieth.
    let (stock, dark, bright) = (rank(&blank, 0.5), rank(&across, 0.015), rank(&across, 0.985));
    let more = bright.saturating_sub(stock);
    stock < DARK && more > CONTRAST && more > RATIO * stock.saturating_sub(dark)
}

/// Histogram of the brightest channel of a card's pixels at such distances from its sides; some are as good as all.
fn levels(pixels: &RgbImage, from_side_px: RangeInclusive<u32>) -> [u32; 256] {
    const STEP: usize = 3;
    let to_side = |x: u32, y: u32| x.min(y).min(CARD_LONG_PX - 1 - x).min(CARD_SHORT_PX - 1 - y);
    let mut levels = [0u32; 256];
    for (y, row) in pixels.enumerate_rows().step_by(STEP) {
        let inside = row.step_by(STEP).filter(|(x, ..)| from_side_px.contains(&to_side(*x, y)));
        inside
            .for_each(|(.., pixel)| levels[usize::from(*pixel.0.iter().max().unwrap_or(&0))] += 1);
    }
    levels
}

/// The level that this share of the histogram does not exceed.
pub(crate) fn rank(levels: &[u32; 256], share: f64) -> usize {
    let limit = (f64::from(levels.iter().sum::<u32>()) * share) as u32;
    let mut total = 0;
    let level = levels.iter().position(|&count| {
        total += count;
        total > limit
    });
    level.unwrap_or(255)
}

/// The same hue and saturation at the opposite lightness: a dark stock becomes white.
fn light_of(Rgb([r, g, b]): Rgb<u8>) -> Rgb<u8> {
    // The sum of the largest and the smallest channel is twice the lightness.
    let ends = u16::from(r.max(g).max(b)) + u16::from(r.min(g).min(b));
    Rgb([r, g, b].map(|v| (255 + u16::from(v) - ends) as u8))
}

/// Percentile [`WHITE_PERCENTILE`] of each channel, at least 1.
fn white_of(pixels: &RgbImage) -> [f32; 3] {
    /// Every second pixel of every second row gives nearly the same percentile as all.
    const STEP: usize = 2;
    let mut histogram = [[0u32; 256]; 3];
    for row in pixels.as_raw().chunks_exact(3 * CARD_LONG_PX as usize).step_by(STEP) {
        for pixel in row.chunks_exact(3).step_by(STEP) {
            for (counts, &v) in histogram.iter_mut().zip(pixel) {
                counts[usize::from(v)] += 1;
            }
        }
    }
    histogram.map(|counts| rank(&counts, WHITE_PERCENTILE).max(1) as f32)
}

/// Length of the white's chromaticity vector: each channel's share minus a third.
fn cast_of(white: [f32; 3]) -> f32 {
    let sum: f32 = white.iter().sum();
    white.iter().map(|v| (v / sum - 1.0 / 3.0).powi(2)).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::geometry::Point;

    fn outline(quad: Quad) -> CardOutline {
        CardOutline::at(quad)
    }

    /// A card whose middle has a dark left third, in a photo under coloured light with a gradient.
    fn lit(x: f32, y: f32, at: (f32, f32)) -> [f32; 3] {
        let light = [250.0, 210.0, 150.0].map(|v: f32| v * (1.0 - 0.3 * x / 400.0));
        let (u, v) = ((x - at.0) / 192.0, (y - at.1) / 128.0);
        let ink = (0.2..0.4).contains(&u) && (0.2..0.8).contains(&v);
        if ink { light.map(|v| 0.3 * v) } else { light }
    }

    #[test]
    fn a_dark_card_becomes_a_light_one_of_the_same_hues() {
        let dark = card([24, 22, 30], [80, 240, 60]);
        let (stock, ink) = (dark[(20, 20)].0, dark[(96, 64)].0);
        assert!(stock.iter().all(|&v| v > 200), "{stock:?}");
        assert!(ink[1] > ink[0] + 60 && ink[1] > ink[2] + 60, "{ink:?}");
        // A dim lamp leaves the ink darker than the stock.
        let dim = card([70, 66, 60], [20, 44, 18]);
        assert!(dim[(20, 20)].0[0] > 200 && dim[(96, 64)].0[0] < 120);
    }

    fn card(stock: [u8; 3], ink: [u8; 3]) -> RgbImage {
        let mut picture = RgbImage::from_pixel(192, 128, Rgb(stock));
        for (x, y) in (70..120).flat_map(|x| (30..98).map(move |y| (x, y))) {
            picture.put_pixel(x, y, Rgb(ink));
        }
        CardImage::from_crop(picture).pixels
    }

    #[test]
    fn white_becomes_the_balanced_white_under_any_light() {
        let photo = RgbImage::from_fn(400, 300, |x, y| {
            Rgb(lit(x as f32, y as f32, (100.0, 80.0)).map(|v| v as u8))
        });
        let quad = Quad::new(Quad::rectangle(192.0, 128.0).0.map(|p| p + Point::new(100.0, 80.0)));
        let card = CardImage::rectify(&photo, &outline(quad));
        let white = (255.0 * BALANCED_WHITE) as i32;
        for (x, y) in [(10, 10), (96, 5), (180, 120), (120, 64), (20, 110)] {
            for v in card.pixels.get_pixel(x, y).0 {
                assert!((i32::from(v) - white).abs() <= 6, "{x},{y}: {v}");
            }
        }
        for v in card.pixels.get_pixel(57, 64).0 {
            assert!((i32::from(v) - white * 3 / 10).abs() <= 8, "ink: {v}");
        }
        assert!(card.white_in_image[0] > card.white_in_image[2]);
        assert!((0.05..0.15).contains(&card.light_cast), "{}", card.light_cast);
        assert!((card.long_side_in_image_px - 192.0).abs() < 1e-3);
    }

    #[test]
    fn the_first_edge_comes_to_the_top_and_large_cards_are_averaged() {
        // A card of four times the size, standing upright: its first edge is on the left and points
        // upwards.
        let photo = RgbImage::from_fn(700, 900, |x, y| {
            let near_first = x < 200;
            let grain = if (x + y) % 2 == 0 { 30 } else { 0 };
            if near_first && y > 700 { Rgb([60 + grain; 3]) } else { Rgb([200 + grain; 3]) }
        });
        let corners = [(100.0, 800.0), (100.0, 32.0), (612.0, 32.0), (612.0, 800.0)]
            .map(|(x, y)| Point::new(x, y));
        let card = CardImage::rectify(&photo, &outline(Quad::new(corners)));
        let at = |x, y| card.pixels.get_pixel(x, y).0[0];
        assert!(at(5, 5) < 100, "the dark corner is the first: {}", at(5, 5));
        assert!(at(185, 5) > 215 && at(185, 120) > 215 && at(5, 120) > 215);
        assert!(at(150, 60).abs_diff(at(151, 60)) <= 2, "the grain is averaged away");
    }

    #[test]
    fn impossible_outlines_give_a_black_card() {
        let frame = RgbImage::from_pixel(64, 48, Rgb([200; 3]));
        let far = Quad::new(Quad::rectangle(30.0, 20.0).0.map(|p| p + Point::new(500.0, 0.0)));
        let line = Quad::new([0.0, 10.0, 20.0, 30.0].map(|v| Point::new(v, v)));
        let nowhere = Quad::new([Point::new(f64::NAN, 0.0); 4]);
        for quad in [far, line, nowhere] {
            let card = CardImage::rectify(&frame, &outline(quad));
            assert!(card.pixels.pixels().all(|p| p.0 == [0; 3]), "{quad:?}");
        }
        let empty = RgbImage::new(0, 0);
        let card = CardImage::rectify(&empty, &outline(Quad::rectangle(3.0, 2.0)));
        assert_eq!(card.pixels.dimensions(), (CARD_LONG_PX, CARD_SHORT_PX));
    }
}
