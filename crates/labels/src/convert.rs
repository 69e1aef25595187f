//! Converts labels from other programs' formats.
//!
//! [`find()`] reads the labels, [`find::Found::convert`] checks them against the pictures and converts
//! them, and [`Converted::write`] writes them to a folder. Nothing is written until all checks have
//! passed.

mod converted;
mod document;
mod draft;
mod error;
mod find;
mod folders;
mod json;
mod label_studio;
mod table;
mod write;
mod xml;
mod yolo;

pub use converted::Converted;
pub use document::Format;
pub use error::ConvertError;
pub use find::find;
