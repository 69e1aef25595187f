//! Checks labels: what is wrong, what is doubtful, what is missing.
//!
//! [`plan`] reads the labels of folders and finds errors in the labels themselves; [`Item::check`]
//! checks them against the pictures, and [`Findings`] collects the results.

mod crops;
mod findings;
mod labels;
mod photo;
mod report;

use super::Mistake;
use crate::cards::Card;
use crate::dataset::PhotoLabel;
use crate::geometry::Point;
use crate::pipeline::{Pipeline, PipelineError};
use std::collections::BTreeSet;
use std::path::PathBuf;

pub use findings::{FEW, Findings};
pub use labels::{Plan, plan};
pub use report::CheckReport;

/// A unit of checking.
#[derive(Clone, Debug)]
pub enum Item {
    /// A labelled photo.
    Photo {
        /// The photo's file.
        path: PathBuf,
        /// Its labels.
        label: PhotoLabel,
    },
    /// Some labelled crops of one folder: their files and cards.
    Crops(Vec<(PathBuf, Card)>),
}

/// An error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The picture's file, or the file of its labels.
    pub path: PathBuf,
    /// What is wrong, and how to correct it.
    pub reason: String,
}

/// The kind of a doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The reader claims another card than the label.
    OtherCard,
    /// No card is found at the label.
    NoCard,
    /// A claimed card has no label.
    NoLabel,
}

impl Kind {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::OtherCard => "other_card",
            Self::NoCard => "no_card",
            Self::NoLabel => "no_label",
        }
    }
}

/// A disagreement between label and reader.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// The picture's file.
    pub path: PathBuf,
    /// Its kind.
    pub kind: Kind,
    /// The label's code.
    pub labelled: Option<Card>,
    /// The reader's code and its confidence, 0 to 1.
    pub read: Option<(Card, f32)>,
    /// The centre in pixels of the upright photo; `None` for a crop.
    pub center_in_image: Option<Point>,
    /// Pictures of it, if they were requested.
    pub(super) mistake: Option<Mistake>,
}

/// The result of checking an item.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Errors.
    pub wrong: Vec<Wrong>,
    /// Disagreements between label and reader.
    pub doubts: Vec<Doubt>,
    /// Labelled cards that the reader finds but does not claim.
    pub unsure: usize,
    /// The pictures that could be read.
    seen: Vec<Picture>,
    /// The labels and readings of a photo.
    board: Option<LabelledBoard>,
}

/// A picture, identified by its content.
#[derive(Clone, Debug)]
struct Picture {
    path: PathBuf,
    sha256: String,
    labelled: BTreeSet<Card>,
}

/// A photo's labels compared with its readings.
#[derive(Clone, Debug)]
struct LabelledBoard {
    path: PathBuf,
    labelled: BTreeSet<Card>,
    /// All claimed cards, wherever they lie.
    sure: BTreeSet<Card>,
    /// Number of labels with the same card at their place, sure or not.
    agree: usize,
    /// Number of labels with another claimed card, or none, at their place.
    against: usize,
}

impl Item {
    /// Number of pictures in it.
    pub fn pictures(&self) -> usize {
        match self {
            Self::Photo { .. } => 1,
            Self::Crops(crops) => crops.len(),
        }
    }

    /// Checks the item. Files that cannot be read are reported as errors.
    ///
    /// # Errors
    /// The pipeline cannot be run.
    pub fn check(
        &self,
        pipeline: &Pipeline,
        with_pictures: bool,
    ) -> Result<Checked, PipelineError> {
        match self {
            Self::Photo { path, label } => photo::check(pipeline, path, label, with_pictures),
            Self::Crops(crops) => crops::check(pipeline, crops, with_pictures),
        }
    }
}
