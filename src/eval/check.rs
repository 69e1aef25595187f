//! Whether labels can be trusted: what is wrong with them, what is doubtful, what is missing.
//!
//! [`plan`] reads the labels of folders and finds what is wrong with them by themselves;
//! [`Item::check`] looks at a picture, and [`Findings`] gathers all of it.

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

/// What is looked at in one go.
#[derive(Clone, Debug)]
pub enum Item {
    /// A labelled photo.
    Photo {
        /// Its file.
        path: PathBuf,
        /// Its labels.
        label: PhotoLabel,
    },
    /// Some labelled crops of one folder: their files and cards.
    Crops(Vec<(PathBuf, Card)>),
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The picture's file, or that of the labels.
    pub path: PathBuf,
    /// What, and what to do.
    pub reason: String,
}

/// What a doubt is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The reader is sure of another card than the label's.
    OtherCard,
    /// No card is found at a label.
    NoCard,
    /// A sure card has no label.
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

/// Where label and reader disagree.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// The picture's file.
    pub path: PathBuf,
    /// What it is about.
    pub kind: Kind,
    /// What the label says.
    pub labelled: Option<Card>,
    /// What the reader says, and how sure it is, 0 to 1.
    pub read: Option<(Card, f32)>,
    /// The centre in pixels of the upright photo; of a crop there is none.
    pub center_in_image: Option<Point>,
    /// In pictures, if they were asked for.
    pub(super) mistake: Option<Mistake>,
}

/// What came of an item.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// What is wrong with it.
    pub wrong: Vec<Wrong>,
    /// Where label and reader disagree.
    pub doubts: Vec<Doubt>,
    /// Labelled cards that the reader sees but is not sure of.
    pub unsure: usize,
    /// Pictures that could be read.
    seen: Vec<Picture>,
    /// How the labels of a photo bear out.
    board: Option<LabelledBoard>,
}

/// A picture by its content.
#[derive(Clone, Debug)]
struct Picture {
    path: PathBuf,
    sha256: String,
    labelled: BTreeSet<Card>,
}

/// A photo's labels and its sure readings.
#[derive(Clone, Debug)]
struct LabelledBoard {
    path: PathBuf,
    labelled: BTreeSet<Card>,
    /// What the reader is sure of, wherever it lies.
    sure: BTreeSet<Card>,
    /// Labels with the same card at their place, sure or not.
    agree: usize,
    /// Labels with another sure card at their place, or none.
    against: usize,
}

impl Item {
    /// Pictures in it.
    pub fn pictures(&self) -> usize {
        match self {
            Self::Photo { .. } => 1,
            Self::Crops(crops) => crops.len(),
        }
    }

    /// Looks at it. What cannot be read is among what is wrong.
    ///
    /// # Errors
    /// The pipeline does not run.
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
