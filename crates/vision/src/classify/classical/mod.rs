//! Classifies cards without a network: shape by moments and masks, shading by inside against
//! outline, colour for the whole board together.

mod color;
#[cfg(test)]
mod drawn;
pub(crate) mod features;
mod ink;
pub(crate) mod model;
mod symbols;
pub(crate) mod template;
mod weights;

use super::reader::{Cards, FirstLook, Reader};
use crate::card::{CardImage, Reading};
use crate::probability::{logistic, softmax};
use crate::table::TableFacts;
use color::Hue;
use features::Features;
use model::{quadratic, scores_of_card, scores_of_hypotheses};
use setsight_game::cards::Edition;
use setsight_nets::engine::NetworkError;
use std::borrow::Borrow;
use template::Masks;

/// Probability that a card image without any symbol is a card: glare or a hand may hide the
/// symbols.
const CARD_WITHOUT_SYMBOLS: f32 = 0.02;
/// No property is ever certain: the models were not tested beyond this.
const LEAST_PROBABILITY: f32 = 1e-4;

/// The reader that needs no weights file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClassicalReader;

impl Reader for ClassicalReader {
    fn table_facts(
        &self,
        cards: &Cards,
        before: TableFacts,
    ) -> Result<(FirstLook, TableFacts), NetworkError> {
        // This reader cannot distinguish editions and assumes the likeliest.
        let (edition, _) = before.named_edition();
        let readings = self.readings(&cards.images, edition);
        Ok((FirstLook { readings, ..FirstLook::default() }, before.of_edition(edition)))
    }
}

impl ClassicalReader {
    /// One reading for each card of a photo, in the same order, using the masks of the edition.
    /// Never fails.
    pub(crate) fn readings<T: Borrow<CardImage>>(
        &self,
        cards: &[T],
        edition: Edition,
    ) -> Vec<Reading> {
        let masks = Masks::of_edition(edition);
        let features: Vec<Features> =
            cards.iter().map(|card| Features::measure(card.borrow(), masks)).collect();
        judge(&features)
    }
}

/// Classifies all cards of a photo. Cards without a symbol get uniform values and do not affect the
/// estimate of the light.
pub(crate) fn judge(cards: &[Features]) -> Vec<Reading> {
    let with_symbols = cards.iter().filter(|f| !f.symbols.is_empty());
    let hues: Vec<Hue> = with_symbols.map(|f| Hue { hue: f.hue, weight: is_card(f) }).collect();
    let mut colors = color::read_together(&hues).into_iter();
    cards
        .iter()
        .map(|f| {
            if f.symbols.is_empty() {
                return Reading { is_card: CARD_WITHOUT_SYMBOLS, ..Reading::UNKNOWN };
            }
            let shading = weights::SHADING.each_ref().map(|r| &r[..]);
            let values = [
                softmax(scores_of_hypotheses(
                    &weights::NUMBER,
                    &f.number.map(|row| quadratic(&row)),
                )),
                softmax(scores_of_card(&shading, &quadratic(&f.shading))),
                colors.next().expect("one for each card with symbols"),
                softmax(scores_of_hypotheses(&weights::SHAPE, &f.shape.map(Vec::from))),
            ];
            Reading { values: values.map(never_certain), is_card: is_card(f) }
        })
        .collect()
}

/// Probability that this is a card, from its own features alone.
fn is_card(features: &Features) -> f32 {
    let card = weights::CARD.each_ref().map(|r| &r[..]);
    let [other, card] = scores_of_card(&card, &quadratic(&features.card));
    logistic(card - other)
}

fn never_certain(values: [f32; 3]) -> [f32; 3] {
    let raised = values.map(|p| p.max(LEAST_PROBABILITY));
    let sum: f32 = raised.iter().sum();
    raised.map(|p| p / sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{CARD_LONG_PX, CARD_SHORT_PX};
    use image::{Rgb, RgbImage};
    use proptest::prelude::*;
    use setsight_game::cards::Card;

    fn readings(cards: &[CardImage]) -> Vec<Reading> {
        ClassicalReader.readings(cards, Edition::Classic)
    }

    const DAYLIGHT: [f32; 3] = [1.0, 1.0, 1.0];
    const LAMP: [f32; 3] = [1.0, 0.82, 0.55];

    #[test]
    fn reads_every_card_by_day_and_by_lamp() {
        for (light, step) in [(DAYLIGHT, 1), (LAMP, 4)] {
            let cards: Vec<Card> = Card::deck().step_by(step).collect();
            let images: Vec<CardImage> =
                cards.iter().map(|&card| drawn::draw(card, light, (0.0, 0.0))).collect();
            for (card, reading) in cards.into_iter().zip(readings(&images)) {
                assert_eq!(reading.best().0, card, "{reading:?}");
                assert!(reading.best().1 > 0.5 && reading.is_card > 0.5, "{card}: {reading:?}");
            }
        }
    }

    #[test]
    fn no_cards_no_readings() {
        assert!(readings(&[]).is_empty());
    }

    #[test]
    fn blank_paper_and_stripes_are_no_cards() {
        let (w, h) = (CARD_LONG_PX, CARD_SHORT_PX);
        let blank = RgbImage::from_pixel(w, h, Rgb([230, 230, 230]));
        let black = RgbImage::new(w, h);
        let bars =
            RgbImage::from_fn(
                w,
                h,
                |x, _| if x / 12 % 2 == 0 { Rgb([240; 3]) } else { Rgb([40; 3]) },
            );
        let images = [blank, black, bars].map(CardImage::from_crop);
        for reading in readings(&images) {
            assert!(reading.is_card < 0.3, "{reading:?}");
        }
    }

    #[test]
    fn a_mirrored_squiggle_is_no_squiggle() {
        let card: Card = "2fgs".parse().expect("a code");
        let mut image = drawn::draw(card, DAYLIGHT, (0.0, 0.0));
        image.pixels = image::imageops::flip_horizontal(&image.pixels);
        assert!(readings(&[image])[0].is_card < 0.5);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn a_shifted_card_reads_the_same(
            index in 0usize..81,
            dx in -9.0..9.0f32,
            dy in -7.0..7.0f32,
        ) {
            let card = Card::from_index(index);
            let reading = readings(&[drawn::draw(card, DAYLIGHT, (dx, dy))]).remove(0);
            prop_assert_eq!(reading.best().0, card, "{:?}", reading);
            for row in reading.values {
                prop_assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-4);
                prop_assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
            }
        }
    }
}
