//! The card game SET as data and rules.
//!
//! | to | use |
//! |---|---|
//! | name cards, read and write their codes, hold a deck | [`cards`] |
//! | find sets, give a hint, explain why three cards are no set | [`sets`] |
//! | play the game, once or a million times | [`game`] |
//! | write what all JSON output has in common | [`json`] |

pub mod cards;
pub mod game;
pub mod json;
pub mod sets;
