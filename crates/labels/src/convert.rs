//! Converts labels from other programs' formats, and exports labels to them.
//!
//! [`find()`] reads the labels, [`find::Found::convert`] checks them against the pictures and converts
//! them, and [`Converted::write`] writes them to a folder; [`export()`] goes the other way. Nothing is
//! written until all checks have passed.

mod converted;
mod document;
mod draft;
mod error;
mod export;
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
pub use export::{Exported, Target, export};
pub use find::find;
