//! Turns straightened cards into readings: the probabilities of each card's values.

pub(crate) mod alike;
pub(crate) mod classical;
pub(crate) mod drawing;
pub(crate) mod fused;
pub(crate) mod fusion;
pub(crate) mod neural;
pub(crate) mod reader;
pub(crate) mod taught;
