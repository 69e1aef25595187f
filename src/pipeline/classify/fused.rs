//! Both readers together: their log probabilities weighed, by weights that validation data gave.

use super::Reader;
use super::classical::ClassicalReader;
use super::neural::NeuralReader;
use crate::model::reader;
use crate::pipeline::board;
use crate::pipeline::engine::{FUSION, Models, ModelsError, NetworkError};
use crate::pipeline::{CardImage, Reading};
use serde::{Deserialize, Serialize};

/// Length of a card's long side in the photo at which its context is nought, in pixels.
const USUAL_LONG_SIDE_PX: f32 = 110.0;
/// Numbers that say under which circumstances a card was seen, see [`context_of`].
pub const CONTEXTS: usize = 3;
/// Evidence beyond this says no more: log odds.
const MOST_LOG_ODDS: f32 = 12.0;

/// `fusion.json`: how the readers' evidence becomes one probability, and when it is enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fusion {
    /// Version of the program that fitted it.
    pub version: String,
    /// SHA-256 of the reading network that it was fitted with, in hexadecimal.
    pub reader_sha256: String,
    /// The finder whose scores it weighs.
    pub finder: String,
    /// For both readers together.
    pub fused: Joint,
    /// For the network alone: what the classical reader says has no weight.
    pub neural: Joint,
    /// How it was fitted and what that gave, for people.
    pub fitted: serde_json::Value,
}

/// Weights of the evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// For each property, in [`crate::cards::Property::ALL`] order.
    pub properties: [PropertyWeights; 4],
    /// For card-or-not.
    pub card: CardWeights,
    /// What the board makes of it.
    pub board: board::Calibration,
}

/// A property's log probabilities are multiplied by these: each the weights of the context (see
/// [`context_of`]), summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertyWeights {
    /// Of the classical reader.
    pub classical: [f32; CONTEXTS],
    /// Of the network's logits: the reciprocal of a temperature.
    pub neural: [f32; CONTEXTS],
}

/// Log odds of a card: a sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardWeights {
    /// Added to it all.
    pub bias: f32,
    /// Of the classical reader's log odds.
    pub classical: f32,
    /// Of the network's.
    pub neural: f32,
}

/// Under which circumstances a card was seen: 1; how small it is, 0 for usual and 1 for a third of
/// that; how coloured the light was, 1 for a warm lamp.
pub fn context_of(card: &CardImage) -> [f32; CONTEXTS] {
    let small = (USUAL_LONG_SIDE_PX / card.long_side_in_image_px.max(1.0)).ln();
    [1.0, small.clamp(-0.5, 1.2), (card.light_cast * 10.0).clamp(0.0, 2.0)]
}

impl Fusion {
    /// From a folder of models or the program itself.
    ///
    /// # Errors
    /// It is not there, or not of this form.
    pub fn load(models: &Models) -> Result<Self, ModelsError> {
        let bytes = models.read(FUSION)?;
        serde_json::from_slice(&bytes).map_err(|error| ModelsError::Json {
            file: models.name_of(FUSION),
            reason: error.to_string(),
        })
    }
}

impl Joint {
    /// One reading from what both say of a card.
    pub fn join(
        &self,
        classical: &Reading,
        logits: &[f32; reader::OUTPUTS],
        context: [f32; CONTEXTS],
    ) -> Reading {
        let values = std::array::from_fn(|p| {
            let weights = &self.properties[p];
            let of = |w: &[f32; CONTEXTS]| w.iter().zip(context).map(|(w, c)| w * c).sum::<f32>();
            // Never against what a reader says, whatever the circumstances.
            let (by_rule, by_net) = (of(&weights.classical).max(0.0), of(&weights.neural).max(0.0));
            let scores: [f32; 3] = std::array::from_fn(|v| {
                by_rule * log_of(classical.values[p][v]) + by_net * logits[3 * p + v]
            });
            softmax(scores)
        });
        let card = self.card.bias
            + self.card.classical * log_odds(classical.is_card)
            + self.card.neural * logits[reader::CARD].clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS);
        Reading { values, is_card: 1.0 / (1.0 + (-card).exp()) }
    }
}

/// Natural logarithm of a probability, not below e^-12.
pub fn log_of(probability: f32) -> f32 {
    probability.max((-MOST_LOG_ODDS).exp()).ln()
}

/// Log odds of a probability, -12 to 12.
pub fn log_odds(probability: f32) -> f32 {
    let odds = probability.clamp(1e-9, 1.0 - f32::EPSILON);
    (odds / (1.0 - odds)).ln().clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS)
}

fn softmax(scores: [f32; 3]) -> [f32; 3] {
    let most = scores.into_iter().fold(f32::MIN, f32::max);
    let odds = scores.map(|score| (score - most).exp());
    let sum: f32 = odds.iter().sum();
    odds.map(|odds| odds / sum)
}

/// Reads by measuring and by a network, and weighs what both say.
pub struct FusedReader {
    classical: Option<ClassicalReader>,
    neural: NeuralReader,
    joint: Joint,
}

impl FusedReader {
    /// Both readers.
    pub fn new(neural: NeuralReader, joint: Joint) -> Self {
        Self { classical: Some(ClassicalReader), neural, joint }
    }

    /// The network alone, calibrated.
    pub fn network_only(neural: NeuralReader, joint: Joint) -> Self {
        Self { classical: None, neural, joint }
    }
}

impl Reader for FusedReader {
    fn read(&self, cards: &[CardImage]) -> Result<Vec<Reading>, NetworkError> {
        let logits = self.neural.logits(cards)?;
        let classical = match self.classical {
            Some(reader) => reader.readings(cards),
            None => vec![Reading::UNKNOWN; cards.len()],
        };
        let all = cards.iter().zip(&classical).zip(&logits);
        Ok(all
            .map(|((card, classical), logits)| self.joint.join(classical, logits, context_of(card)))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::{Card, Property};

    fn joint(classical: f32, neural: f32) -> Joint {
        let weights =
            PropertyWeights { classical: [classical, 0.0, 0.0], neural: [neural, 0.0, 0.0] };
        Joint {
            properties: [weights; 4],
            card: CardWeights { bias: 0.0, classical, neural },
            board: board::Calibration::default(),
        }
    }

    fn reading(code: &str, certainty: f32) -> Reading {
        let card: Card = code.parse().unwrap();
        let values = Property::ALL.map(|property| {
            let mut triple = [(1.0 - certainty) / 2.0; 3];
            triple[card.value(property)] = certainty;
            triple
        });
        Reading { values, is_card: certainty }
    }

    fn logits(code: &str, strength: f32) -> [f32; reader::OUTPUTS] {
        let card: Card = code.parse().unwrap();
        let mut logits = [0.0; reader::OUTPUTS];
        for (p, property) in Property::ALL.into_iter().enumerate() {
            logits[3 * p + card.value(property)] = strength;
        }
        logits[reader::CARD] = strength;
        logits
    }

    const USUAL: [f32; CONTEXTS] = [1.0, 0.0, 0.0];

    #[test]
    fn without_weight_a_reader_is_not_heard() {
        let own = reading("2spd", 0.9);
        let alone = joint(1.0, 0.0).join(&own, &logits("1fgo", 9.0), USUAL);
        for (a, b) in own.values.iter().flatten().zip(alone.values.iter().flatten()) {
            assert!((a - b).abs() < 1e-5);
        }
        assert!((alone.is_card - 0.9).abs() < 1e-5);
        let other = joint(0.0, 1.0).join(&own, &logits("1fgo", 9.0), USUAL);
        assert_eq!(other.best().0.to_string(), "1fgo");
    }

    #[test]
    fn agreement_is_surer_and_dispute_less_sure_than_either() {
        let joint = joint(1.0, 1.0);
        let own = reading("2spd", 0.9);
        let same = joint.join(&own, &logits("2spd", 3.0), USUAL);
        assert!(same.best().1 > own.best().1 && same.is_card > 0.9);
        let other = joint.join(&own, &logits("2srd", 3.0), USUAL);
        assert!(other.values[2].iter().all(|p| *p < 0.6), "{other:?}");
        assert!(other.values[0][1] > 0.9);
    }

    #[test]
    fn circumstances_shift_the_weight() {
        let mut joint = joint(1.0, 1.0);
        joint.properties[1].classical = [1.0, -2.0, 0.0];
        let own = reading("1fgd", 0.99);
        let near = joint.join(&own, &logits("1sgd", 2.0), USUAL);
        let far = joint.join(&own, &logits("1sgd", 2.0), [1.0, 1.0, 0.0]);
        assert_eq!(near.best().0.to_string(), "1fgd");
        assert_eq!(far.best().0.to_string(), "1sgd");
    }

    #[test]
    fn certainty_stays_finite() {
        for p in [0.0, 1.0, f32::MIN_POSITIVE] {
            assert!(log_odds(p).is_finite() && log_of(p).is_finite());
        }
        let reading = joint(1.0, 1.0).join(&reading("1fgd", 1.0), &logits("3sps", 800.0), USUAL);
        assert!(reading.values.iter().flatten().all(|p| p.is_finite()), "{reading:?}");
    }
}
