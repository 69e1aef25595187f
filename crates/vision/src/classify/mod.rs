//! Turns straightened cards into readings: the probabilities of each card's values.

pub mod classical;
mod colors;
pub mod fused;
pub mod fusion;
pub mod mirror;
pub mod neural;
pub mod reader;
pub mod screens;
pub mod table_facts;
