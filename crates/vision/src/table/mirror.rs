//! Decides whether a picture is mirrored, as webcams and front cameras store it. The whole photo
//! has one answer, and every squiggle on the table contributes to it.
//!
//! A squiggle has a handedness; a mirrored one is read clearly as an oval. Diamonds and ovals are
//! symmetric. So if squiggles are missing, the cards are read once more in the flipped picture, and
//! the reading with squiggles is used.

use super::{AssessedTable, TableFacts};
use crate::card::{CardOutline, Reading};
use crate::classify::reader::{Cards, Reader};
use image::metadata::Orientation;
use setsight_game::cards::Shape;
use setsight_nets::engine::NetworkError;
use setsight_photo::Frame;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::source::turn_upright;
use std::borrow::Cow;

/// Looks at the cards of a photo as it is or mirrored, depending on its squiggles, unless that is already
/// settled.
pub(super) fn choose_mirror<'a>(
    reader: &dyn Reader,
    cards: Cards<'a>,
    before: TableFacts,
) -> Result<AssessedTable<'a>, NetworkError> {
    let settled = before.mirror_is_settled();
    if settled == Some(true) {
        return AssessedTable::assess(reader, flipped(&cards), before);
    }
    let mut as_is = AssessedTable::assess(reader, cards, before.clone())?;
    if settled == Some(false) || !lacks_squiggles(&as_is.look.readings) {
        as_is.facts.mirrored += log_odds_mirrored(&as_is.look.readings, None);
        return Ok(as_is);
    }
    let mut flipped = AssessedTable::assess(reader, flipped(&as_is.cards), before)?;
    let added = log_odds_mirrored(&as_is.look.readings, Some(&flipped.look.readings));
    let before = as_is.facts.mirrored;
    as_is.facts.mirrored = before + added;
    if as_is.facts.mirror_is_settled().is_none() {
        // The first look leaves it open, so each card is read both ways.
        let read = |table: &AssessedTable| {
            reader.card_readings(&table.cards, table.look.clone(), &table.facts)
        };
        as_is.facts.mirrored = before + log_odds_mirrored(&read(&as_is)?, Some(&read(&flipped)?));
    }
    flipped.facts.mirrored = as_is.facts.mirrored;
    Ok(if as_is.facts.is_mirrored() { flipped } else { as_is })
}

/// The cards in the mirrored picture; the order stays.
fn flipped<'a>(cards: &Cards) -> Cards<'a> {
    let width = f64::from(cards.frame.width());
    let outlines = cards
        .outlines
        .iter()
        .map(|outline| {
            let corners_in_image = in_a_mirror(&outline.corners_in_image, width);
            CardOutline { corners_in_image, ..*outline }
        })
        .collect();
    Cards::new(Cow::Owned(turned_back(&cards.frame)), outlines)
}

/// The photo mirrored left to right.
pub fn turned_back(frame: &Frame) -> Frame {
    turn_upright(frame.clone(), Orientation::FlipHorizontal)
}

/// The corners of a card in the mirrored photo; `width_px` is the photo's width in pixels. The
/// order is clockwise again, with the same long side first.
pub fn in_a_mirror(quad: &Quad, width_px: f64) -> Quad {
    let p = quad.0.map(|p| Point::new(width_px - p.x, p.y));
    Quad::new([p[1], p[0], p[3], p[2]]).higher_corner_first()
}

/// Probability that this is a card with squiggles.
fn squiggle(reading: &Reading) -> f32 {
    reading.is_card * reading.values[3][Shape::Squiggle.index()]
}

/// Whether a table shows so few squiggles that it may be mirrored. A third of the deck has
/// squiggles; of twelve cards that are not mirrored, fewer than one in nine is a squiggle once in
/// twenty times.
fn lacks_squiggles(readings: &[Reading]) -> bool {
    let cards: f32 = readings.iter().map(|reading| reading.is_card).sum();
    let squiggles: f32 = readings.iter().map(squiggle).sum();
    cards > 0.0 && squiggles < (cards / 9.0).max(0.5)
}

/// Log odds that the picture is mirrored, from the readings as it is and flipped. Without flipped
/// readings, it assumes that no squiggle would be read. The squiggles count as independent
/// evidence.
fn log_odds_mirrored(as_is: &[Reading], flipped: Option<&[Reading]>) -> f32 {
    /// Probability of reading a squiggle where there is none.
    const MISTAKEN: f32 = 0.02;
    let log_odds = as_is.iter().enumerate().map(|(i, as_is)| {
        let flipped = flipped.map_or(0.0, |flipped| squiggle(&flipped[i]));
        ((flipped + MISTAKEN) / (squiggle(as_is) + MISTAKEN)).ln()
    });
    log_odds.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::CardImage;
    use crate::classify::reader::FirstLook;
    use image::{Rgb, RgbImage};
    use setsight_game::cards::Property;

    /// Reads a squiggle if the card's left half is brighter than its right, an oval if the right
    /// half is brighter, and otherwise a diamond.
    struct Handed;
    impl Reader for Handed {
        fn table_facts(
            &self,
            cards: &Cards,
            f: TableFacts,
        ) -> Result<(FirstLook, TableFacts), NetworkError> {
            let readings = cards.images.iter().map(handed_reading).collect();
            Ok((FirstLook { readings, ..FirstLook::default() }, f))
        }
    }

    fn handed_reading(card: &CardImage) -> Reading {
        let middle = card.pixels.width() / 2;
        let pixels = card.pixels.enumerate_pixels();
        let signed = pixels.map(|(x, _, p)| i64::from(p.0[0]) * if x < middle { 1 } else { -1 });
        let shape = match signed.sum::<i64>() {
            d if d > 100_000 => Shape::Squiggle,
            d if d < -100_000 => Shape::Oval,
            _ => Shape::Diamond,
        };
        let mut reading = Reading { is_card: 0.99, ..Reading::UNKNOWN };
        let values = std::array::from_fn(|v| if v == shape.index() { 0.98 } else { 0.01 });
        reading.values[Property::Shape as usize] = values;
        reading
    }

    /// A row of cards, each white with a dark bar: on the left (L), on the right (R), or none (-).
    fn shapes(ends: &str, before: TableFacts) -> (Vec<usize>, bool) {
        let mut frame = RgbImage::from_pixel(100 * ends.len() as u32, 80, Rgb([40, 90, 50]));
        for (i, end) in ends.chars().enumerate() {
            for y in 10..70 {
                for x in 0..90 {
                    let dark = match end {
                        'L' => (10..25).contains(&x),
                        'R' => (65..80).contains(&x),
                        _ => false,
                    };
                    let level = if dark { 60 } else { 230 };
                    frame.put_pixel(100 * i as u32 + x, y, Rgb([level; 3]));
                }
            }
        }
        let outlines: Vec<CardOutline> = (0..ends.len())
            .map(|i| {
                let at = Point::new(100.0 * i as f64, 10.0);
                CardOutline::at(Quad::rectangle(90.0, 60.0).map(|p| p + at))
            })
            .collect();
        let cards = Cards::straighten(&frame, &outlines);
        let AssessedTable { look: FirstLook { readings, .. }, facts, .. } =
            choose_mirror(&Handed, cards, before).unwrap();
        (
            readings
                .iter()
                .map(|reading| {
                    let shape = reading.values[3];
                    (0..3).max_by(|&a, &b| shape[a].total_cmp(&shape[b])).unwrap()
                })
                .collect(),
            facts.is_mirrored(),
        )
    }

    #[test]
    fn squiggles_show_a_mirror() {
        let [diamond, oval, squiggle] = Shape::ALL.map(Shape::index);
        let auto = TableFacts::default;
        let plain = shapes("RRL-", auto());
        assert_eq!(plain, (vec![squiggle, squiggle, oval, diamond], false));
        let mirror = shapes("LLL-", auto());
        assert_eq!(mirror, (vec![squiggle, squiggle, squiggle, diamond], true));
        // Without squiggles, the usual orientation is assumed.
        assert_eq!(shapes("---", auto()), (vec![diamond; 3], false));
        assert_eq!(shapes("", auto()), (Vec::new(), false));
        // A requested orientation is kept, whatever the cards show.
        assert_eq!(shapes("RR", auto().with_mirrored(true)), (vec![oval; 2], true));
        assert_eq!(shapes("LL", auto().with_mirrored(false)), (vec![oval; 2], false));
    }
}
