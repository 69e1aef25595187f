//! The stages from a photo to its sets, and the one place that composes them.

pub mod batch;
pub mod board;
mod choice;
pub mod classify;
mod compose;
pub mod data;
pub mod find;
pub mod layout;
pub mod opencv_versions;
pub mod overlap;
pub mod overlay;
pub mod plan;
mod planes;
pub mod probability;
mod probable;
mod reading;
pub mod record;
pub mod rectify;
pub mod refiner;
pub mod stage_pictures;
pub mod table;
mod table_reading;
mod trace;
mod warning;

pub use choice::{FinderChoice, ReaderChoice, Step, learned, shared_refiner};
pub use compose::{CardsRead, Pipeline, PipelineError, PipelineOutput};
pub use data::*;
pub use probable::ProbableSet;
pub use table::{Colors, Mirrored, TableFacts};
pub use table_reading::TableReading;
pub use trace::{StageTime, Trace};
pub use warning::Warning;

pub use image;
pub use plan::ReadingPlan;
pub use reading::{PhotoReader, PhotoReading, ReadError, ReadErrorKind, ReadOptions, read_photo};

/// What training, measuring and other crates of the project need of the stages' insides.
pub mod parts {
    pub use crate::classify::taught;
}
