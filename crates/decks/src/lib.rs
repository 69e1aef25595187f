//! Learns a deck from photos of its cards, without labels.
//!
//! A deck's own structure says what its cards are: four properties of three values, each
//! combination printed once. So the cards that the finder sees (`seen`) are measured as the reader of
//! taught decks measures them, and grouped all together (`group`, by `clusters`); a person may put some
//! right ([`Draft`]), and the groups become outlines, fills and inks (`print`, `fit`).
//!
//! An [`Inventory`] lists the cards of an existing deck that photos of it lack.

#![warn(unreachable_pub)]
#![allow(missing_docs, reason = "a name of the program's own crates need not be said twice")]

mod checks;
mod clusters;
mod draft;
mod fit;
mod group;
mod inventory;
mod print;

pub use checks::{DeckPhoto, LearnError, detect};
pub use draft::{Draft, DraftCard, Learnt, NameError, Note, Place, check_name, values_of};
pub use inventory::{Inventory, Spot, UnsureCard};
