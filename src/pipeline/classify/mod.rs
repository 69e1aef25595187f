//! From straightened cards to readings: what each card is, as probabilities.

pub mod classical;
pub mod fused;
pub mod ink;
mod neural;
pub mod stripes;

pub use fused::{FusedReader, Fusion, Joints};
pub use neural::{CardNetwork, NeuralReader, doubts, input_of, reading_of};

use super::engine::NetworkError;
use super::{CardImage, InPlace, Reading};

/// Something that reads cards.
pub trait Reader: Send + Sync {
    /// One reading for each card, in the same order. The cards are those of one photo, under one
    /// light, so that a reader may judge them together. Of those that leave it in doubt it may ask
    /// `closer` what a look at them in place says.
    ///
    /// # Errors
    /// A network that does not run; a reader without one never fails.
    fn read(&self, cards: &[CardImage], closer: &Closer) -> Result<Vec<Reading>, NetworkError>;
}

/// Looks where they lie at the cards of some indices: for each, in turn, what that says.
pub type Closer<'a> = dyn Fn(&[usize]) -> Result<Vec<Option<InPlace>>, NetworkError> + 'a;

/// Where there is no photo to look at, nothing is said.
///
/// # Errors
/// None.
pub fn no_closer(cards: &[usize]) -> Result<Vec<Option<InPlace>>, NetworkError> {
    Ok(vec![None; cards.len()])
}
