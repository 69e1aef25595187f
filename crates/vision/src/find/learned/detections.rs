//! The parameters of the learned finder, and its intermediate results.

use super::{
    decode::{Maps, SymbolPeak},
    evidence, place,
    placer::Placed,
    shrink::ScaledPhoto,
};
use crate::find::working::Working;

/// Sizes and thresholds of the learned finder.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Long side of the photo in the usual pass, in pixels.
    pub long_side_px: f64,
    /// Long sides of the photo, in pixels, in further passes if the first detects nothing: one for
    /// small cards, one for a card that fills the photo.
    pub blind_passes_px: [f64; 2],
    /// Threshold of the network's log odds for a card's peak.
    pub least_heat: f64,
    /// Threshold of the network's log odds for a symbol's peak.
    pub least_symbol_heat: f64,
    /// Non-maximum suppression: two centres closer than this, in short sides, are one card.
    pub apart: f64,
    /// Threshold of a candidate's log odds given all features. It is below 0 because the reader
    /// judges each card again.
    pub least_score: f64,
    /// Parameters of fitting corners.
    pub place: place::Params,
    /// Long side of the working image, in which borders are fitted, in pixels.
    pub working_px: f64,
    /// Shortest median card in the working image, in pixels; for shorter cards the image is
    /// enlarged.
    pub smallest_working_card_px: f64,
    /// Longest side of the working image, in pixels.
    pub largest_working_px: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            long_side_px: 320.0,
            blind_passes_px: [640.0, 128.0],
            least_heat: -2.0,
            least_symbol_heat: -1.0,
            apart: 0.42,
            least_score: -2.0,
            place: place::Params::default(),
            working_px: 800.0,
            smallest_working_card_px: 75.0,
            largest_working_px: 1600.0,
        }
    }
}

/// All intermediate results of one photo.
#[derive(Debug)]
pub struct Detections {
    /// The working image, in which borders were fitted.
    pub working: Working,
    /// The pass that was chosen.
    pub scaled: ScaledPhoto,
    /// The network's output for it.
    pub maps: Maps,
    /// Symbols in working pixels.
    pub symbols: Vec<SymbolPeak>,
    /// The candidates with their fitted corners.
    pub placed: Vec<Placed>,
    /// The features of each candidate.
    pub features: Vec<[f64; evidence::FEATURES]>,
}
