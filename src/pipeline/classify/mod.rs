//! From straightened cards to readings: what each card is, as probabilities.

pub mod classical;
pub mod fused;
pub mod ink;
mod neural;
pub mod stripes;

pub use fused::{FusedReader, Fusion, Joints};
pub use neural::{CardNetwork, NeuralReader, input_of, reading_of};

use super::engine::NetworkError;
use super::{CardImage, Reading};

/// Something that reads cards.
pub trait Reader: Send + Sync {
    /// One reading for each card, in the same order. The cards are those of one photo, under one
    /// light, so that a reader may judge them together.
    ///
    /// # Errors
    /// A network that does not run; a reader without one never fails.
    fn read(&self, cards: &[CardImage]) -> Result<Vec<Reading>, NetworkError>;
}
