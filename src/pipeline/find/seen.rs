//! How cards are looked for, and what is seen on the way.

use super::decode::SymbolPeak;
use super::network::Maps;
use super::placer::Placed;
use super::shrink::Look;
use super::{evidence, place, weights};
use crate::pipeline::segment::maps::Working;

/// How cards are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Long side of the photo in the first look, in pixels.
    pub long_side_px: f64,
    /// Long side that a card should have in a look: the middle of what the network was trained on.
    pub card_px: f64,
    /// Lengths of the median card with which the first look is content.
    pub content_px: (f64, f64),
    /// How many looks may be taken; more than one only where the first sees nothing likely,
    /// or cards of another length than `content_px`.
    pub looks: usize,
    /// Shortest and longest long side of the second look.
    pub second_look_px: (f64, f64),
    /// Long sides for the second look when the first saw nothing: small cards, or one that fills
    /// the photo. As many as looks are left.
    pub blind_looks_px: [f64; 2],
    /// Log odds, as the network gives them, below which a peak is not looked at.
    pub least_heat: f64,
    /// The same of a symbol.
    pub least_symbol_heat: f64,
    /// Two centres closer than this, in short sides, are one card.
    pub apart: f64,
    /// Log odds, all evidence weighed, below which a candidate is dropped. The reader has its say
    /// later, so what is more likely no card than a card may pass.
    pub least_score: f64,
    /// Weights of the evidence.
    pub weights: evidence::Weights,
    /// How outlines are made exact.
    pub place: place::Params,
    /// Long side of the working image, in which the sides are looked for.
    pub working_px: f64,
    /// Shortest median card in the working image; smaller ones get a larger working image.
    pub smallest_working_card_px: f64,
    /// Longest side of the working image.
    pub largest_working_px: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            long_side_px: 320.0,
            card_px: 52.0,
            content_px: (34.0, 68.0),
            looks: 3,
            second_look_px: (128.0, 704.0),
            blind_looks_px: [640.0, 128.0],
            least_heat: -2.0,
            least_symbol_heat: -1.0,
            apart: 0.42,
            least_score: -2.0,
            weights: weights::WEIGHTS,
            place: place::Params::default(),
            working_px: 800.0,
            smallest_working_card_px: 75.0,
            largest_working_px: 1600.0,
        }
    }
}

/// Everything that was seen on the way.
#[derive(Debug)]
pub struct Seen {
    /// The photo in which sides were looked for.
    pub working: Working,
    /// The look that counted.
    pub look: Look,
    /// What the network said to it.
    pub maps: Maps,
    /// Symbols in working pixels.
    pub symbols: Vec<SymbolPeak>,
    /// The candidates in their places.
    pub placed: Vec<Placed>,
    /// What speaks for each.
    pub signs: Vec<[f64; evidence::SIGNS]>,
}
