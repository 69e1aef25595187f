//! Turns straightened cards into readings: the probabilities of each card's values.

pub(crate) mod classical;
pub mod fused;
pub(crate) mod fusion;
pub mod neural;
pub(crate) mod reader;
pub mod taught;
