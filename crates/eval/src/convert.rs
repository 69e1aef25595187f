//! Converts labels from other programs' formats.
//!
//! [`find()`] reads the labels, [`find::Found::settle`] checks them against the pictures and converts
//! them, and [`Converted::write`] writes them to a folder. Nothing is written until all checks have
//! passed. [`read_words`] adds a user's own words to those that classes may have.

mod account;
mod classes;
mod coco;
mod createml;
mod cvat;
mod document;
mod dota;
mod draft;
mod find;
mod folders;
mod kitti;
mod label_studio;
mod labelme;
mod names;
mod numbers;
mod outline;
mod pictures;
mod places;
mod settle;
mod table;
mod texts;
mod via;
mod voc;
mod words;
mod write;
mod yolo;

pub use find::{Format, find};
pub use settle::{Converted, SettleError};
pub use words::{WordsError, read_words};
