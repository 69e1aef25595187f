//! Cards as they are printed, in linear light: for drawn tables, and to compare a learnt deck with.

pub mod card;
pub mod color;
pub mod dice;
pub mod ink;
