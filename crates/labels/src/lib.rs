//! Labelled photos and crops: found, converted from other forms, matched with what is read, and checked.

#![warn(unreachable_pub)]
#![allow(missing_docs, reason = "a name of the program's own crates need not be said twice")]

pub mod check;
pub mod convert;
pub mod crops;
mod dataset;
mod matching;
pub mod mistakes;

pub use dataset::{
    Dataset, LabelledCrop, LabelledPhoto, checked_photos, find_labelled, find_photos,
};
pub use matching::{Match, Verdict, compare};
