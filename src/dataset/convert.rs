//! Labels as other programs write them become ours.
//!
//! [`find`] reads what is said, [`Found::settle`] looks at the pictures and makes labels of it,
//! [`Converted::write`] puts them into a folder. Nothing is written before all of it is known to be
//! right.

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
