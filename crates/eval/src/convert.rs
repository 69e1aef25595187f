//! Converts labels from other programs' formats.
//!
//! [`find()`] reads the labels, [`find::Found::settle`] checks them against the pictures and converts
//! them, and [`Converted::write`] writes them to a folder. Nothing is written until all checks have
//! passed.

mod centres;
mod coco;
mod draft;
mod find;
mod folders;
mod settle;
mod write;
mod yolo;

pub use find::{Format, find};
pub use settle::{Converted, SettleError};
