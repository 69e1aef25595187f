//! Converts labels from other programs' formats.
//!
//! [`find()`] reads the labels, [`find::Found::settle`] checks them against the pictures and converts
//! them, and [`Converted::write`] writes them to a folder. Nothing is written until all checks have
//! passed.

mod document;
mod draft;
mod find;
mod folders;
mod json;
mod label_studio;
mod settle;
mod table;
mod write;
mod xml;
mod yolo;

pub use document::Format;
pub use find::{FindError, find};
pub use settle::{Converted, SettleError};
