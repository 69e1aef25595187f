//! The stages from a photo to its sets, and their composition.
//!
//! [`read_photo`] reads a photo; a [`PhotoReader`] keeps the networks for many. A [`ReadingPlan`] chooses a
//! finder, a reader, a deck and weights, and builds a [`Pipeline`] of these stages:
//!
//! | stage | takes | gives |
//! |---|---|---|
//! | [`find`] | a frame | [`CardOutline`]s: where cards may lie |
//! | `rectify` | a frame and outlines | [`CardImage`]s: straight, balanced on their own white |
//! | [facts](table) | the cards' images | [`TableFacts`]: screen, edition, mirror, colours |
//! | [`classify`] | images and facts | [`Reading`]s: probabilities of each card's values |
//! | [`board`] | outlines and readings | each card of the deck at most once |
//! | sets | the sure cards | a [`TableReading`] |
//!
//! A [`Trace`] observes them. [`output`] draws and writes a result. The stages' modules also export the parts
//! that training and measuring need, and [`refiner`] the network that two stages share.

#![warn(unreachable_pub)]

pub mod batch;
pub mod board;
mod card;
pub mod classify;
mod compose;
mod copies;
pub mod find;
mod finder_and_reader;
mod grid;
mod layout;
mod overlap;
mod overlay;
mod plan;
mod planes;
mod probability;
mod probable;
mod reading;
mod record;
mod rectify;
pub mod refiner;
mod runs;
mod stage_pictures;
pub mod table;
mod table_reading;
mod trace;
mod warning;

pub use compose::{CardsRead, Pipeline, PipelineError, PipelineOutput};
pub use finder_and_reader::{FinderChoice, FinderError, ReaderChoice, Step};
pub use plan::{PlanError, ReadingPlan};
pub use reading::{PhotoReader, PhotoReading, ReadError, ReadErrorKind, ReadOptions, read_photo};
pub use table_reading::TableReading;
pub use trace::{StageTime, Trace};

// What a result is made of, and what passes between the stages.
pub use card::{CardImage, CardOutline, Guess, ReadCard, Reading};
pub use copies::sets_of;
pub use image;
pub use probable::ProbableSet;
pub use table::alike::Class;
pub use table::{Colors, Mirrored, TableFacts};
pub use warning::Warning;

/// A result as a picture, as JSON, CSV and text.
pub mod output {
    pub use crate::layout::rows;
    pub use crate::overlay::Style;
    pub use crate::record::{CSV_HEADER, Record, line_of};
    pub use crate::stage_pictures::PictureFolder;

    /// Drawing on a picture.
    pub mod overlay {
        pub use crate::overlay::{
            SET_COLORS, Style, draw, offset, outline, set_color, text_centred,
        };
    }
}
