//! Reading without a network: symbols by shape, shading by inside against outline, colour by the
//! whole board together.

pub mod features;
mod ink;
pub mod model;
mod symbols;
mod template;
mod weights;

pub use symbols::Symbol;

use super::Reader;
use crate::pipeline::{CardImage, Reading};
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
        cards.iter().map(|card| judge(&Features::of(card))).collect()
    }
}

/// One card by itself.
fn judge(features: &Features) -> Reading {
    if features.symbols.is_empty() {
        return Reading { is_card: CARD_WITHOUT_SYMBOLS, ..Reading::UNKNOWN };
    }
    let number = scores_of_hypotheses(&weights::NUMBER, &[0.0; 3], &features.number);
    let shape = scores_of_hypotheses(&weights::SHAPE, &[0.0; 3], &features.shape);
    let shading =
        scores_of_card(&weights::SHADING.each_ref().map(|r| &r[..]), &quadratic(&features.shading));
    let color =
        scores_of_card(&weights::COLOR.each_ref().map(|r| &r[..]), &quadratic(&features.color));
    let [other, card] = [0, 1].map(|k| {
        let terms = quadratic(&features.card);
        let row = &weights::CARD[k];
        row[terms.len()] + row.iter().zip(&terms).map(|(w, t)| w * t).sum::<f32>()
    });
    Reading {
        values: [number, shading, color, shape].map(|scores| {
            let raised = softmax(scores).map(|p| p.max(LEAST_PROBABILITY));
            let sum: f32 = raised.iter().sum();
            raised.map(|p| p / sum)
        }),
        is_card: logistic(card - other),
    }
}
