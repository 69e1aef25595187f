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
//! A program that reads photos needs `vision` alone, in Rust alone:
//!
//! ```toml
//! setsight = { version = "0.1", default-features = false, features = ["vision"] }
//! ```
//!
//! Without any feature there are [`cards`], [`sets`], [`game`] and [`general`], in Rust alone. The default
//! features are those of the program: a window, charts, exports, and the SMT solvers.

pub use setsight_game::{cards, game, sets};
pub use setsight_generalized as general;

#[cfg(feature = "vision")]
mod photos {
    pub use image;
    pub use setsight_nets::engine::EngineChoice;
    pub use setsight_photo::geometry::{Point, Quad};
    pub use setsight_track::{CardTrack, TableTracker, TrackedTable};
    pub use setsight_vision::{
        FinderChoice, Mirrored, PhotoReader, PhotoReading, ReadCard, ReadError, ReadErrorKind,
        ReadOptions, ReaderChoice, Reading, TableReading, read_photo,
    };

    /// The programs of the page for beginners are compiled, and run where they can be.
    #[cfg(doctest)]
    #[doc = include_str!("../docs/start/rust.md")]
    struct StartPage;
}
#[cfg(feature = "vision")]
pub use photos::*;
