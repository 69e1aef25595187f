//! Whether a picture is a copy of a screen, such as a screenshot of a game, and the network that
//! reads it then.
//!
//! Games on a screen draw the middle filling as a tint, dots or a gradient, and inks may be pastel. One
//! network for photos and screens was worse at both. Drawings differ from photos: all cards are upright and on
//! the same white, and areas of one colour have no noise.

use crate::classify::fusion::{EvidenceWeights, in_range};
use crate::classify::neural::NeuralReader;
use crate::classify::reader::Cards;
use crate::find::panels::{alike_within, is_drawing};
use crate::probability::median;
use crate::table::alike::MeasuredLikeness;
use serde::{Deserialize, Serialize};
use setsight_nets::Kind;
use setsight_nets::engine::{Models, ModelsError, Network, SCREEN_READER, SCREENS, sha256};
use std::f64::consts::FRAC_PI_2;

/// Number of features of a picture, with the constant.
pub const FEATURES: usize = 5;
/// The names of the features, in the order of [`Weights`].
pub const NAMES: [&str; FEATURES] = ["constant", "one colour", "one white", "clipped", "upright"];
/// The weights of the features; their sum is the log odds that the picture is a copy of a screen.
pub type Weights = [f32; FEATURES];

/// The reader of copies of screens.
pub(crate) struct Screens {
    /// The network.
    pub network: NeuralReader,
    /// How its outputs are weighed.
    pub evidence: EvidenceWeights,
    /// What distinguishes a screen from a photo.
    pub weights: Weights,
    /// Weights of the measurements beside the network's likeness.
    pub likeness: Option<MeasuredLikeness>,
}

impl Screens {
    /// From a folder of models, or from the program if that has none; `None` if neither
    /// reads screens.
    pub(crate) fn load(models: &Models) -> Result<Option<Self>, ModelsError> {
        let Some(models) = [models, &Models::Shipped]
            .into_iter()
            .find(|models| models.has(SCREEN_READER) || models.has(SCREENS))
        else {
            return Ok(None);
        };
        let weights = ScreenWeights::load(models)?;
        let bytes = models.read(SCREEN_READER)?;
        if weights.reader_sha256 != sha256(&bytes) {
            let reason = format!("it was fitted with another {SCREEN_READER}; fit it to this one");
            return Err(ModelsError::Json { file: models.name_of(SCREENS), reason });
        }
        let ScreenWeights { is_screen: weights, evidence, likeness, .. } = weights;
        let network = Network::load(&bytes, &models.name_of(SCREEN_READER), Kind::Reader)?;
        let network = NeuralReader::with_network(Box::new(network));
        Ok(Some(Self { network, evidence, weights, likeness }))
    }
}

/// The content of `screens.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScreenWeights {
    /// Version of the program that fitted the weights.
    pub version: String,
    /// SHA-256 of the network that the weights were fitted with, in hexadecimal.
    pub reader_sha256: String,
    /// What distinguishes a screen from a photo.
    pub is_screen: Weights,
    /// How the network's outputs are weighed; with the learned finder.
    pub evidence: EvidenceWeights,
    /// Weights of the measurements beside the network's likeness, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likeness: Option<MeasuredLikeness>,
    /// How the weights were fitted, and the results; for people.
    pub fitted: serde_json::Value,
}

impl ScreenWeights {
    /// Loads the weights from a folder of models or from the program itself.
    pub(crate) fn load(models: &Models) -> Result<Self, ModelsError> {
        let json = |reason| ModelsError::Json { file: models.name_of(SCREENS), reason };
        let weights: Self = serde_json::from_slice(&models.read(SCREENS)?)
            .map_err(|error| json(error.to_string()))?;
        weights.evidence.check().map_err(json)?;
        in_range(&serde_json::json!([weights.is_screen.to_vec(), weights.likeness]))
            .map_err(json)?;
        Ok(weights)
    }
}

/// Log odds above which a picture is a copy of a screen. A photo that is taken for one is read by a
/// network that never saw a photo; a screen that is taken for a photo is read with doubts.
const LEAST_LOG_ODDS: f32 = 1.0;
/// Fewer cards do not show whether they are alike.
const LEAST_CARDS: usize = 3;

/// Whether the picture is a copy of a screen; with few cards the picture alone decides, or the answer `before`.
pub(crate) fn is_screen(cards: &Cards, weights: &Weights, before: bool) -> bool {
    features(cards).map_or_else(
        || before || is_drawing(&cards.frame),
        |features| is_likely(&features, weights),
    )
}

/// Whether features are those of a copy of a screen.
pub fn is_likely(features: &[f32; FEATURES], weights: &Weights) -> bool {
    features.iter().zip(weights).map(|(f, w)| f * w).sum::<f32>() > LEAST_LOG_ODDS
}

/// The features of a picture. The share of neighbouring pixels of one colour counts by its log odds, differences of
/// whites and angles by their logarithms: they are errors of the corners on a screen, and many times that on a table.
/// Sizes of cards add nothing.
pub fn features(cards: &Cards) -> Option<[f32; FEATURES]> {
    /// The precision to which angles are known, in radians.
    const PRECISION: f64 = 0.002;
    /// From here up an overexposed channel is the same everywhere, on a table, too.
    const CLIPPED: f64 = 252.0;
    /// Added to both shares, of one colour and not: no picture is all of one.
    const LEAST_SHARE: f32 = 0.02;
    if cards.outlines.len() < LEAST_CARDS {
        return None;
    }
    let whites = [0, 1, 2].map(|c| median(cards.images.iter().map(|i| i.white_in_image[c])));
    let off_white = cards.images.iter().map(|image| {
        let both = image.white_in_image.iter().zip(whites).filter(|(_, white)| *white < CLIPPED);
        both.map(|(&level, white)| (f64::from(level) - white).abs()).fold(0.0, f64::max)
    });
    let is_clipped = whites.iter().all(|white| *white >= CLIPPED);
    let angle = cards.outlines.iter().map(|outline| {
        let [a, b, ..] = outline.corners_in_image.0;
        let turned = (b - a).y.atan2((b - a).x).rem_euclid(FRAC_PI_2);
        turned.min(FRAC_PI_2 - turned)
    });
    let same = alike_within(&cards.frame, 0);
    Some([
        1.0,
        ((same + LEAST_SHARE) / (1.0 - same + LEAST_SHARE)).ln(),
        median(off_white).ln_1p() as f32,
        f32::from(u8::from(is_clipped)),
        (median(angle) + PRECISION).ln() as f32,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CardOutline;
    use setsight_scenes::{Scene, scenes};

    /// Whether a table is taken for a screen, by its true outlines, and `before` for one with few.
    fn is_taken_for_screen(scene: &Scene, most_cards: usize, before: bool) -> bool {
        let weights = ScreenWeights::load(&Models::Shipped).unwrap().is_screen;
        let quads = scene.cards.iter().map(|card| card.corners_in_image).take(most_cards);
        let outlines: Vec<CardOutline> = quads.map(CardOutline::at).collect();
        is_screen(&Cards::straighten(&scene.image, &outlines), &weights, before)
    }

    #[test]
    fn copies_of_screens_are_distinguished_from_photos() {
        const SEED: u64 = scenes::HELD_BACK + 55;
        let count = |draw: &dyn Fn(u64) -> Scene| {
            let scenes = (0..30).map(draw).filter(|scene| scene.cards.len() >= LEAST_CARDS);
            scenes.filter(|scene| is_taken_for_screen(scene, usize::MAX, false)).count()
        };
        let screens = count(&|i| scenes::screen(SEED, i).unwrap());
        let photos = count(&|i| scenes::reader(SEED, i).unwrap());
        assert!(screens >= 24 && photos == 0, "{screens} screens, {photos} photos");
    }

    #[test]
    fn few_cards_leave_it_as_it_was_unless_the_picture_is_drawn() {
        let screen = scenes::screen(scenes::HELD_BACK + 55, 1).unwrap();
        let photo = scenes::reader(scenes::HELD_BACK + 55, 1).unwrap();
        for before in [false, true] {
            assert_eq!(is_taken_for_screen(&photo, LEAST_CARDS - 1, before), before);
            assert!(is_taken_for_screen(&screen, LEAST_CARDS - 1, before));
        }
    }

    #[test]
    fn weights_out_of_range_are_refused() {
        let mut json =
            serde_json::to_value(ScreenWeights::load(&Models::Shipped).unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        json["is_screen"][1] = 1e30.into();
        std::fs::write(folder.path().join(SCREENS), json.to_string()).unwrap();
        let error = ScreenWeights::load(&Models::Folder(folder.path().to_owned())).unwrap_err();
        assert!(error.to_string().contains("expected -1000 to 1000"), "{error}");
    }
}
