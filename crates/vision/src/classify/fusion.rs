//! `fusion.json`: the weights that combine the outputs into probabilities, and the threshold.

use crate::board;
use crate::find::learned::evidence;
use crate::table::company::Company;
use serde::{Deserialize, Serialize};
use setsight_nets::Kind;
use setsight_nets::engine::{FUSION, Models, ModelsError, SECOND_READER, file_of, sha256};

/// The weights of the evidence for each finder; the finders' outlines and scores differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fusion {
    /// Version of the program that fitted the weights.
    pub version: String,
    /// SHA-256 of the reader network that the weights were fitted with, in hexadecimal.
    pub reader_sha256: String,
    /// SHA-256 of the refiner that they were fitted with, if there was one.
    pub refiner_sha256: Option<String>,
    /// SHA-256 of the second reader that they were fitted with, if there was one.
    #[serde(default)]
    pub second_sha256: Option<String>,
    /// SHA-256 of the finder network that they were fitted with, if there was one.
    #[serde(default)]
    pub finder_sha256: Option<String>,
    /// The weights of an outline's features with the learned finder, in the order of
    /// [`evidence::NAMES`], then the constant; the shipped ones if missing.
    #[serde(default)]
    pub outlines: Option<evidence::Weights>,
    /// Weights of the evidence from a photo's other cards; none if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<Company>,
    /// For the learned finder.
    pub learned: EvidenceWeights,
    /// For the classical finder.
    pub classical: EvidenceWeights,
    /// How the weights were fitted, and the results; for people.
    pub fitted: serde_json::Value,
}

/// Weights of the evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceWeights {
    /// For each property, in [`setsight_game::cards::Property::ALL`] order.
    pub properties: [PropertyWeights; 4],
    /// For whether the outline is a card.
    pub card: CardWeights,
    /// The board's calibration.
    pub board: board::Calibration,
}

/// The factors of a property's log probabilities (features) and logits (networks) before they are
/// summed; each is at least 0. Files of version 0.1.0 may hold the weights of a step that is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PropertyWeights {
    /// If the reader network leaves no doubt.
    pub clear: ClassifierWeights,
    /// If the reader network leaves a doubt and the refiner leaves none.
    pub context: ClassifierWeights,
    /// If both leave a doubt.
    pub doubtful: ClassifierWeights,
    /// If the reader network leaves a doubt and there is no context crop: the card was already cut
    /// out, or the folder of models has no refiner.
    pub without_context: ClassifierWeights,
}

/// The weight of each classifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassifierWeights {
    /// For the reader network.
    pub reader: f32,
    /// For the refiner, on the context crop.
    pub refiner: f32,
    /// For the classical features.
    pub features: f32,
    /// For the second reader.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub second: f32,
}

fn is_zero(weight: &f32) -> bool {
    *weight == 0.0
}

/// Number of classifiers.
pub const CLASSIFIERS: usize = 4;

impl ClassifierWeights {
    /// For the reader network, the refiner, the features and the second reader.
    pub fn in_order(&self) -> [f32; CLASSIFIERS] {
        let Self { reader, refiner, features, second } = *self;
        [reader, refiner, features, second]
    }

    /// From the same order.
    pub fn from_order([reader, refiner, features, second]: [f32; CLASSIFIERS]) -> Self {
        Self { reader, refiner, features, second }
    }
}

/// The log odds of a card are the sum of these weights, each times its quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardWeights {
    /// The constant term.
    pub bias: f32,
    /// For the reader network's log odds, clamped to -12 to 12.
    pub reader: f32,
    /// For the outline's score, clamped to -8 to 8.
    pub score: f32,
    /// Added if there was a context crop.
    pub context: f32,
    /// For the refiner's log odds that the outline is right, clamped to -8 to 8.
    pub right: f32,
    /// For the least lead of the refiner's logits, clamped to 0 to 8: on something else than a
    /// card, no value leads clearly.
    pub lead: f32,
    /// For the part that other outlines share, 0 to 1, if there was a context crop.
    pub shared: f32,
}

impl CardWeights {
    /// The constant term, then the rest as declared.
    pub fn in_order(&self) -> [f32; 7] {
        let Self { bias, reader, score, context, right, lead, shared } = *self;
        [bias, reader, score, context, right, lead, shared]
    }
}

impl Fusion {
    /// Loads the weights from a folder of models or from the program itself.
    ///
    /// # Errors
    /// The file is missing or does not have this form, or a number is out of range.
    pub fn load(models: &Models) -> Result<Self, ModelsError> {
        let json = |reason| ModelsError::Json { file: models.name_of(FUSION), reason };
        let fusion: Self = serde_json::from_slice(&models.read(FUSION)?)
            .map_err(|error| json(error.to_string()))?;
        fusion.check().map_err(json)?;
        Ok(fusion)
    }

    /// The weights of an outline's features for the learned finder with these networks.
    ///
    /// # Errors
    /// See [`Fusion::load`].
    pub fn outline_weights(models: &Models) -> Result<evidence::Weights, ModelsError> {
        let weights = if models.has(FUSION) { Self::load(models)?.outlines } else { None };
        match weights {
            Some(weights) => Ok(weights),
            None => Self::load(&Models::Shipped)?.outlines.ok_or_else(|| ModelsError::Json {
                file: Models::Shipped.name_of(FUSION),
                reason: "it has no `outlines`".to_owned(),
            }),
        }
    }

    fn check(&self) -> Result<(), String> {
        self.learned.check()?;
        self.classical.check()?;
        in_range(&serde_json::json!([self.outlines, self.company]))
    }

    /// The file names of the networks that differ from those the weights were fitted with. For them
    /// the confidence was never calibrated.
    ///
    /// # Errors
    /// A network's file cannot be read.
    pub fn not_fitted_with(&self, models: &Models) -> Result<Vec<&'static str>, ModelsError> {
        let networks = [
            (file_of(Kind::Reader), Some(&self.reader_sha256)),
            (file_of(Kind::Refiner), self.refiner_sha256.as_ref()),
            (file_of(Kind::Finder), self.finder_sha256.as_ref()),
        ];
        let mut different = Vec::new();
        for (file, fitted_with) in networks {
            if models.has(file) && fitted_with != Some(&sha256(&models.read(file)?)) {
                different.push(file);
            }
        }
        // Where a folder has none, the shipped one is read with.
        let second = self.second_sha256.as_ref().zip(models.or_shipped(SECOND_READER));
        if let Some((fitted_with, models)) = second
            && *fitted_with != sha256(&models.read(SECOND_READER)?)
        {
            different.push(SECOND_READER);
        }
        Ok(different)
    }
}

impl EvidenceWeights {
    /// With a weight of 1e30 every card would be sure, and with infinities the confidence would be
    /// no number.
    pub(crate) fn check(&self) -> Result<(), String> {
        let limit = self.board.least_confidence;
        if !(0.0..=1.0).contains(&limit) {
            return Err(format!("least_confidence is {limit}; expected 0 to 1"));
        }
        in_range(&serde_json::json!(self))
    }
}

/// Whether all numbers within a value are weights that a fit may give.
pub(crate) fn in_range(weights: &serde_json::Value) -> Result<(), String> {
    match beyond(weights) {
        Some(number) => Err(format!("a weight is {number}; expected -{MOST} to {MOST}")),
        None => Ok(()),
    }
}

/// Largest size of a weight. Fitted ones are below 10.
const MOST: f64 = 1000.0;

/// A number within a value that is larger than [`MOST`], or not finite: infinities and NaN are
/// null in JSON.
fn beyond(value: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    match value {
        Value::Number(number) if number.as_f64().is_none_or(|n| n.abs() > MOST) => {
            Some(number.to_string())
        }
        Value::Array(all) => all.iter().find_map(beyond),
        Value::Object(members) => members.values().find_map(beyond),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn load_with(pointer: &str, value: f64) -> Result<(), String> {
        let shipped = Models::Shipped.read(FUSION).unwrap();
        let mut fusion: serde_json::Value = serde_json::from_slice(&shipped).unwrap();
        *fusion.pointer_mut(pointer).unwrap() = value.into();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FUSION), fusion.to_string()).unwrap();
        let loaded = Fusion::load(&Models::Folder(folder.path().to_owned()));
        loaded.map(|_| ()).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_that_would_make_everything_sure_are_refused() {
        assert_eq!(load_with("/learned/card/bias", 1.5), Ok(()));
        for (pointer, value) in [
            ("/learned/card/bias", 1e38),
            ("/classical/properties/2/clear", -1e9),
            ("/outlines/3", 1e300),
            ("/learned/board/least_confidence", -0.1),
        ] {
            let error = load_with(pointer, value).unwrap_err();
            assert!(error.contains("fusion.json") && error.contains("expected"), "{error}");
        }
    }

    #[test]
    fn weights_of_a_step_that_is_gone_are_passed_over() {
        let weights = PropertyWeights::default();
        let mut file = serde_json::json!(weights);
        file["drawing"] = serde_json::json!({"others": 0.76, "value": 2.83});
        assert_eq!(serde_json::from_value::<PropertyWeights>(file).unwrap(), weights);
    }
}
