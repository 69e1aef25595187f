//! From straightened cards to readings: what each card is, as probabilities.

pub mod classical;

use super::{CardImage, Reading};

/// Something that reads cards.
pub trait Reader: Send + Sync {
    /// One reading for each card, in the same order. The cards are those of one photo, under one
    /// light, so that a reader may judge them together.
    fn read(&self, cards: &[CardImage]) -> Vec<Reading>;
}
