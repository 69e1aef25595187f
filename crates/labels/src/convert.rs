//! Converts labels from other programs' formats.
//!
//! [`find()`] reads the labels, [`find::Found::settle`] checks them against the pictures and converts
//! them, and [`Converted::write`] writes them to a folder. Nothing is written until all checks have
//! passed.

mod coco;
mod cvat;
mod document;
mod draft;
mod find;
mod folders;
mod label_studio;
mod labelme;
mod outline;
mod settle;
mod table;
mod voc;
mod write;
mod yolo;

pub use document::Format;
pub use find::{FindError, find};
pub use settle::{Converted, SettleError};
