//! From straightened cards to readings: what each card is, as probabilities.

pub mod classical;
pub mod fused;
pub mod fusion;
pub mod mirror;
pub mod neural;
pub mod reader;
pub mod table_facts;
