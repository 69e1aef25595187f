//! Decides in which direction the symbols of a drawn table's cards follow each other. Decks print them along
//! the long side; programs draw cards of any width, with symbols beside each other or stacked. All cards of a
//! table are drawn alike, so those with several symbols decide for the rest.

use crate::card::{CARD_LONG_PX, CARD_SHORT_PX, CardImage, CardOutline};
use crate::classify::reader::Cards;
use crate::find::panels::is_drawing;
use crate::table::alike::Printed;
use setsight_photo::geometry::Quad;

impl Cards<'_> {
    /// The same cards, turned by a quarter where their symbols follow each other across the long side: the
    /// first edge of each outline then runs along the symbols, and may be the shorter one.
    pub(crate) fn along_their_symbols(self) -> Self {
        if !is_drawing(&self.frame) {
            return self;
        }
        let cards = self.in_one_direction();
        if are_stacked(&cards) { cards.turned(|_| true) } else { cards }
    }

    /// The same cards, those turned by a quarter that are nearly square and begin with another side than most: a
    /// panel begins with its upper side, a detection with the side that seems longer.
    fn in_one_direction(self) -> Self {
        /// From this ratio of the sides up, the longer side is no matter of chance.
        const SQUARE: f64 = 0.8;
        let is_level = |outline: &CardOutline| {
            let [a, b, ..] = outline.corners_in_image.0;
            (b - a).x.abs() >= (b - a).y.abs()
        };
        let level = self.outlines.iter().filter(|outline| is_level(outline)).count();
        let most_are_level = 2 * level >= self.outlines.len();
        let differs = |outline: &CardOutline| {
            let quad = &outline.corners_in_image;
            is_level(outline) != most_are_level && quad.short_side() > SQUARE * quad.long_side()
        };
        if self.outlines.iter().any(differs) { self.turned(differs) } else { self }
    }

    /// With some cards turned by a quarter.
    fn turned(self, is_turned: impl Fn(&CardOutline) -> bool) -> Self {
        let outlines = self.outlines.iter().map(|outline| {
            if !is_turned(outline) {
                return outline.clone();
            }
            let [a, b, c, d] = outline.corners_in_image.0;
            let corners_in_image = Quad::from_corners([b, c, d, a]).higher_corner_first();
            CardOutline { corners_in_image, ..*outline }
        });
        Self::new(self.frame, outlines.collect())
    }
}

/// Whether symbols follow each other across the long side, by a majority of the cards that show it.
fn are_stacked(cards: &Cards) -> bool {
    /// Fewer cards may be read wrongly.
    const LEAST_CARDS: usize = 2;
    let directions = cards.images.iter().zip(&*cards.outlines).filter_map(|(image, outline)| {
        let quad = &outline.corners_in_image;
        is_stacked(image, quad.short_side() / quad.long_side().max(1.0))
    });
    let (stacked, in_a_row): (Vec<bool>, Vec<bool>) = directions.partition(|stacked| *stacked);
    stacked.len() >= LEAST_CARDS && stacked.len() > 2 * in_a_row.len()
}

/// Whether the symbols of one card follow each other across its long side; `None` where that is not clear.
/// `aspect` is the short side in long sides.
fn is_stacked(image: &CardImage, aspect: f64) -> Option<bool> {
    /// By how much more the symbols must differ in one direction than in the other.
    const RATIO: f64 = 2.0;
    let parts = Printed::detect(image)?.parts;
    if let [part] = &parts[..] {
        let width = part.width as f64 / f64::from(CARD_LONG_PX);
        let height = part.height as f64 / f64::from(CARD_SHORT_PX);
        return is_lying(width, height);
    }
    let spread = |centre: &dyn Fn(usize) -> f64| {
        let centres = (0..parts.len()).map(centre);
        let ends = centres.fold((f64::MAX, f64::MIN), |(min, max), v| (min.min(v), max.max(v)));
        ends.1 - ends.0
    };
    let along = spread(&|i| parts[i].left as f64 + parts[i].width as f64 / 2.0);
    let across = spread(&|i| parts[i].top as f64 + parts[i].height as f64 / 2.0);
    let along = along / f64::from(CARD_LONG_PX);
    let across = across / f64::from(CARD_SHORT_PX) * aspect;
    (along.max(across) > RATIO * along.min(across)).then_some(across > along)
}

/// Whether a symbol alone lies along the long side, by its extents in parts of the card's sides: symbols are
/// long in the direction in which they do not follow each other. Several that touch are neither.
fn is_lying(width: f64, height: f64) -> Option<bool> {
    /// Least length of a symbol, and most width.
    const LENGTH: f64 = 0.45;
    const WIDTH: f64 = 0.36;
    match (width > LENGTH && height < WIDTH, height > LENGTH && width < WIDTH) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};
    use setsight_photo::geometry::Point;

    /// Six cells of 120 x 100 pixels; in each of the cards `counts` so many bars, beside or above each other.
    fn first_edges(counts: [u32; 6], stacked: bool) -> Vec<(f64, f64)> {
        let mut frame = RgbImage::from_pixel(720, 100, Rgb([250; 3]));
        for (card, count) in (0..).zip(counts) {
            for (bar, at) in (0..count).flat_map(|bar| (0..600).map(move |at| (bar, at))) {
                let offset = 50 + 30 * bar - 15 * (count - 1);
                let (x, y) = match stacked {
                    true => (30 + at % 60, offset - 5 + at / 60),
                    false => (10 + offset - 5 + at % 10, 20 + at / 10),
                };
                frame.put_pixel(120 * card + x, y, Rgb([20, 120, 60]));
            }
        }
        let outlines: Vec<CardOutline> = (0..6)
            .map(|card| {
                let corner = Point::new(120.0 * f64::from(card), 0.0);
                CardOutline::at(Quad::rectangle(120.0, 100.0).map(|p| p + corner))
            })
            .collect();
        let cards = Cards::straighten(&frame, &outlines).along_their_symbols();
        let edge = |outline: &CardOutline| {
            let [a, b, ..] = outline.corners_in_image.0;
            ((b - a).x.abs(), (b - a).y.abs())
        };
        cards.outlines.iter().map(edge).collect()
    }

    #[test]
    fn the_cards_of_a_table_are_turned_together_along_their_symbols() {
        let (lying, turned) = (vec![(120.0, 0.0); 6], vec![(0.0, 100.0); 6]);
        assert_eq!(first_edges([1, 2, 3, 1, 2, 3], false), lying);
        assert_eq!(first_edges([1, 2, 3, 1, 2, 3], true), turned);
        assert_eq!(first_edges([1; 6], true), turned, "symbols alone lie");
        assert_eq!(first_edges([1; 6], false), lying, "symbols alone stand");
        assert_eq!(first_edges([0, 0, 0, 0, 2, 0], true), lying, "one card is too little evidence");
    }
}
