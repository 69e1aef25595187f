//! setsight reads a table of SET cards from a photo, finds the sets, and draws them.
//!
//! ```
//! let photo = setsight::read_photo("datasets/samples/2-fifteen-on-felt.jpg")?;
//! println!("{} cards, {} sets", photo.table.cards.len(), photo.table.sets.len());
//! photo.draw().save(std::env::temp_dir().join("setsight-doc-sets.png"))?;
//! # assert_eq!(photo.table.cards.len(), 15);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | read a photo | [`read_photo`] |
//! | read many photos, or read otherwise than by default | [`PhotoReader`], [`ReadOptions`] |
//! | use what was read, draw it, write it as JSON | [`TableReading`] |
//! | follow the cards before a camera | [`TableTracker`] |
//! | work with cards that are given as codes | [`cards`] |
//! | find sets, give a hint, explain why three cards are no set | [`sets`] |
//! | play the game, once or a million times | [`game`] |
//! | play with other numbers of values and properties | [`general`] |
//!
//! Each is shown by a program in `examples/`. The rest of the project is a program, `setsight`; what is not
//! named on this page may change at any time.
//!
//! # Features
//!
//! A program that reads photos needs `vision` alone, and OpenCV to build:
//!
//! ```toml
//! setsight = { version = "0.1", default-features = false, features = ["vision"] }
//! ```
//!
//! Without any feature there are [`cards`], [`sets`], [`game`] and [`general`], in Rust alone. The default
//! features are those of the program: a window, charts, exports, and the SMT solvers.

#![deny(missing_docs)]
// Pages of what is private are for those who read the sources: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
// Only the build with everything uses everything; there the compiler tells what nothing uses.
#![cfg_attr(not(feature = "program"), allow(dead_code, unused_imports))]

pub mod cards;
pub mod game;
pub mod general;
pub mod sets;

#[cfg(feature = "vision")]
mod reading;

#[cfg(feature = "vision")]
pub use geometry::{Point, Quad};
#[cfg(feature = "vision")]
pub use image;
#[cfg(feature = "vision")]
pub use pipeline::engine::EngineChoice;
#[cfg(feature = "vision")]
pub use pipeline::track::{CardTrack, TrackedTable};
#[cfg(feature = "vision")]
pub use pipeline::{FinderChoice, Mirrored, ReadCard, ReaderChoice, Reading, TableReading};
#[cfg(feature = "vision")]
pub use reading::{
    PhotoReader, PhotoReading, ReadError, ReadErrorKind, ReadOptions, TableTracker, read_photo,
};

mod cli;
#[doc(hidden)]
pub mod internals;
mod json;
#[cfg(feature = "program")]
mod plot;
mod printable;

#[cfg(feature = "program")]
mod app;
#[cfg(feature = "vision")]
mod avi;
#[cfg(feature = "vision")]
mod dataset;
#[cfg(feature = "vision")]
mod deck_learning;
#[cfg(feature = "vision")]
mod eval;
#[cfg(feature = "program")]
mod export;
#[cfg(feature = "program")]
mod fuzzing;
#[cfg(feature = "vision")]
mod geometry;
#[cfg(feature = "vision")]
mod html;
#[cfg(feature = "vision")]
mod live;
#[cfg(feature = "vision")]
mod model;
#[cfg(feature = "program")]
mod own;
#[cfg(feature = "vision")]
mod pipeline;
#[cfg(feature = "vision")]
mod plan;
#[cfg(feature = "vision")]
mod render;
#[cfg(feature = "vision")]
mod small_file;
#[cfg(feature = "program")]
mod train;
mod whole_file;
