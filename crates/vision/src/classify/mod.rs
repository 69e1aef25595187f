//! Turns straightened cards into readings: the probabilities of each card's values.

pub(crate) mod classical;
mod closer;
pub mod fused;
pub mod fusion;
pub mod neural;
pub(crate) mod reader;
pub mod screens;
pub mod taught;

pub use classical::{features::Features, model::quadratic, template::Masks};
pub use reader::Cards;
