//! Straightens the cards of a drawing: divided by a single white, and cut out around their symbols where these
//! are small, as in the large cells of a grid.
//!
//! The readers' training cards have symbols of half to four fifths of the card's height. A program draws all
//! cards with the same margins, so one scale fits the whole table.

use crate::card::{CARD_LONG_PX, CARD_SHORT_PX, CardImage, CardOutline};
use crate::classify::reader::Cards;
use crate::probability::median;
use crate::table::alike::Printed;
use setsight_photo::geometry::Quad;
use std::borrow::Cow;

/// A box in a straightened card, in parts of its sides: the first corner and the last.
type Extent = [[f64; 2]; 2];

impl Cards<'_> {
    /// The same cards as those of a drawing.
    pub fn of_drawing(mut self) -> Self {
        if let Some(outlines) = around_symbols(&self) {
            self.outlines = Cow::Owned(outlines);
        }
        self.images = self
            .outlines
            .iter()
            .map(|outline| CardImage::rectify_drawn(&self.frame, outline))
            .collect();
        self
    }
}

/// The outlines around the symbols; `None` where these are as large as usual.
fn around_symbols(cards: &Cards) -> Option<Vec<CardOutline>> {
    /// Below this part of the short side symbols are small.
    const SMALL: f64 = 0.55;
    /// How high symbols usually are, as a part of the short side, and how wide a row of three at most, as
    /// a part of the long one.
    const HEIGHT: f64 = 0.65;
    const WIDEST: f64 = 0.82;
    let extents: Vec<Option<Extent>> = cards.images.iter().map(extent).collect();
    let printed = || extents.iter().flatten();
    let high = median(printed().map(|[from, to]| to[1] - from[1]));
    if printed().count() == 0 || high > SMALL {
        return None;
    }
    let wide = printed().map(|[from, to]| to[0] - from[0]).fold(0.0, f64::max);
    let outlines = cards.outlines.iter().zip(&extents).map(|(outline, extent)| {
        let Some([from, to]) = extent else { return outline.clone() };
        let corners = outline.corners_in_image;
        let (long, short) = (corners.long_side().max(1.0), corners.short_side().max(1.0));
        let aspect = f64::from(CARD_LONG_PX) / f64::from(CARD_SHORT_PX);
        let height = (high * short / HEIGHT).max(wide * long / WIDEST / aspect);
        let size = [height * aspect / long, height / short].map(|part| part.min(1.0));
        let middle = [0, 1].map(|axis| {
            let half = size[axis] / 2.0;
            ((from[axis] + to[axis]) / 2.0).clamp(half, 1.0 - half)
        });
        let [a, b, _, d] = corners.0;
        let at = |x: f64, y: f64| {
            a.lerp(b, middle[0] + x * size[0] / 2.0) + a.lerp(d, middle[1] + y * size[1] / 2.0) - a
        };
        let corners = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
        CardOutline { corners_in_image: Quad::new(corners), ..outline.clone() }
    });
    Some(outlines.collect())
}

/// Where the symbols of a card are; `None` if there are none.
fn extent(image: &CardImage) -> Option<Extent> {
    let printed = Printed::detect(image)?;
    let size = [CARD_LONG_PX, CARD_SHORT_PX].map(f64::from);
    let mut extent = [[f64::MAX; 2], [0.0; 2]];
    for part in &printed.parts {
        let (from, size_px) = ([part.left, part.top], [part.width, part.height]);
        for axis in [0, 1] {
            extent[0][axis] = extent[0][axis].min(from[axis] as f64 / size[axis]);
            let end = (from[axis] + size_px[axis]) as f64 / size[axis];
            extent[1][axis] = extent[1][axis].max(end);
        }
    }
    Some(extent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};
    use setsight_photo::geometry::Point;

    const TINT: [u8; 3] = [200, 180, 250];

    /// Three cells of 240 x 240 pixels, each with a dark block of tint of this size.
    fn cells(width: u32, height: u32) -> (RgbImage, Vec<CardOutline>) {
        let mut frame = RgbImage::from_pixel(720, 240, Rgb([255; 3]));
        for cell in 0..3 {
            for (x, y) in (0..width).flat_map(|x| (0..height).map(move |y| (x, y))) {
                let (left, top) = (240 * cell + 120 - width / 2, 120 - height / 2);
                let is_rim = x < 4 || y < 4 || x + 4 >= width || y + 4 >= height;
                let color = if is_rim { [90, 40, 200] } else { TINT };
                frame.put_pixel(left + x, top + y, Rgb(color));
            }
        }
        (
            frame,
            (0..3)
                .map(|cell| {
                    let quad = Quad::rectangle(240.0, 240.0);
                    CardOutline::at(quad.map(|p| p + Point::new(240.0 * f64::from(cell), 0.0)))
                })
                .collect(),
        )
    }

    /// The sides to which a cell with a block of this size is cut.
    fn sizes(width: u32, height: u32) -> (f64, f64) {
        let (frame, outlines) = cells(width, height);
        let cards = Cards::straighten(&frame, &outlines).of_drawing();
        let quad = cards.outlines[1].corners_in_image;
        assert!(quad.center().distance(outlines[1].corners_in_image.center()) < 3.0);
        (quad.long_side().round(), quad.short_side().round())
    }

    #[test]
    fn small_symbols_are_cut_to_the_size_that_readers_know() {
        let (long, short) = sizes(40, 80);
        assert!(
            (110.0..136.0).contains(&short) && (long / short - 1.5).abs() < 0.05,
            "{long} {short}"
        );
        let (long, short) = sizes(150, 70);
        assert!((178.0..190.0).contains(&long), "a wide row is in view: {long} {short}");
        assert_eq!(sizes(80, 160), (240.0, 240.0), "as large as usual");
    }

    #[test]
    fn what_is_wider_than_a_symbol_keeps_its_tint() {
        let (frame, outlines) = cells(160, 160);
        let cards = Cards::straighten(&frame, &outlines);
        let middle = |cards: &Cards| cards.images[1].pixels.get_pixel(96, 64).0.map(i32::from);
        let target = TINT.map(|v| (f32::from(v) * crate::rectify::BALANCED_WHITE).round() as i32);
        let far = |of: [i32; 3]| (0..3).map(|c| (of[c] - target[c]).abs()).max().unwrap();
        assert!(far(middle(&cards)) > 10, "on a photo it is taken for light");
        assert!(far(middle(&cards.of_drawing())) <= 1);
    }
}
