//! Reading without a network: symbols by shape, shading by inside against outline, colour by the
//! whole board together.

mod color;
pub mod features;
mod ink;
pub mod model;
mod symbols;
mod template;
mod weights;

pub use symbols::Symbol;

use super::Reader;
use crate::pipeline::{CardImage, Reading};
use color::Hue;
use features::Features;
use model::{logistic, quadratic, scores_of_card, scores_of_hypotheses, softmax};

/// Probability that a card image without a single symbol is a card after all: glare or a hand over
/// it.
const CARD_WITHOUT_SYMBOLS: f32 = 0.02;
/// No property is ever certain: beyond this the models were not tested.
const LEAST_PROBABILITY: f32 = 1e-4;

/// The reader that needs no weights file.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClassicalReader;

impl Reader for ClassicalReader {
    fn read(&self, cards: &[CardImage]) -> Vec<Reading> {
        let features: Vec<Features> = cards.iter().map(Features::of).collect();
        judge(&features)
    }
}

/// All cards of a photo. Those without a symbol say nothing of themselves or of the others' light.
pub fn judge(cards: &[Features]) -> Vec<Reading> {
    let seen = |f: &&Features| !f.symbols.is_empty();
    let hues: Vec<Hue> =
        cards.iter().filter(seen).map(|f| Hue { hue: f.hue, weight: is_card(f) }).collect();
    let mut colors = color::read_together(&hues).into_iter();
    cards
        .iter()
        .map(|f| {
            if f.symbols.is_empty() {
                return Reading { is_card: CARD_WITHOUT_SYMBOLS, ..Reading::UNKNOWN };
            }
            let shading = weights::SHADING.each_ref().map(|r| &r[..]);
            let values = [
                softmax(scores_of_hypotheses(&weights::NUMBER, &f.number)),
                softmax(scores_of_card(&shading, &quadratic(&f.shading))),
                colors.next().expect("one for each card with symbols"),
                softmax(scores_of_hypotheses(&weights::SHAPE, &f.shape)),
            ];
            Reading { values: values.map(never_certain), is_card: is_card(f) }
        })
        .collect()
}

/// Probability that this is a card, by itself.
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
