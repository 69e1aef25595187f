//! `fusion.json`: how the outputs' evidence becomes one probability, and when it is enough.

use crate::model::Kind;
use crate::pipeline::board;
use crate::pipeline::engine::{FUSION, Models, ModelsError, file_of, sha256};
use serde::{Deserialize, Serialize};

/// The weights of the evidence for each finder, whose outlines and scores are its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fusion {
    /// Version of the program that fitted it.
    pub version: String,
    /// SHA-256 of the reading network that it was fitted with, in hexadecimal.
    pub reader_sha256: String,
    /// The same of the network that looks at cards with their surroundings, if there was one.
    pub refiner_sha256: Option<String>,
    /// For the learned finder.
    pub learned: Joint,
    /// For the classical finder.
    pub classical: Joint,
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

/// What a property's log probabilities (features) and logits (networks) are multiplied by before they
/// are added up; each at least 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertyWeights {
    /// Of the reader network where it leaves no doubt: the reciprocal of a temperature.
    pub clear: f32,
    /// Where it leaves a doubt and the refiner leaves none.
    pub context: ClassifierWeights,
    /// Where that leaves a doubt too.
    pub doubtful: ClassifierWeights,
    /// Where it leaves a doubt and there is no context crop: a card cut out already, or a folder of
    /// models without a refiner.
    pub without_context: ClassifierWeights,
}

/// The weight of each classifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassifierWeights {
    /// Of the reader network.
    pub reader: f32,
    /// Of the refiner network, on the context crop.
    pub refiner: f32,
    /// Of the classical features.
    pub features: f32,
}

/// Log odds of a card: the sum of these, each times what it is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardWeights {
    /// Added to it all.
    pub bias: f32,
    /// Of the reader network's log odds, -12 to 12.
    pub reader: f32,
    /// Of the outline's score, -8 to 8.
    pub score: f32,
    /// Added where there was a context crop.
    pub context: f32,
    /// Of the refiner's log odds that the outline is right, -8 to 8.
    pub right: f32,
    /// Of the least lead of its logits, 0 to 8: of what is no card it names none clearly.
    pub lead: f32,
    /// Of the part that other outlines share, 0 to 1, where there was a context crop.
    pub shared: f32,
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

    /// The networks beside it that are not those it was fitted with, by file name: how sure it is of what
    /// they say was never looked at.
    ///
    /// # Errors
    /// A network that is there cannot be read.
    pub fn not_fitted_with(&self, models: &Models) -> Result<Vec<&'static str>, ModelsError> {
        let known = [
            (file_of(Kind::Reader), Some(&self.reader_sha256)),
            (file_of(Kind::Refiner), self.refiner_sha256.as_ref()),
        ];
        let mut others = Vec::new();
        for (file, fitted_with) in known {
            if models.has(file) && fitted_with != Some(&sha256(&models.read(file)?)) {
                others.push(file);
            }
        }
        Ok(others)
    }
}
