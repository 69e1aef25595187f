//! Turns straightened cards into readings: the probabilities of each card's values.

pub mod classical;
pub mod fused;
pub mod fusion;
pub mod neural;
pub mod reader;
pub mod taught;
