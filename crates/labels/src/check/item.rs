//! What is checked, and what comes of it.

use crate::mistakes::Mistake;
use setsight_game::cards::Card;
use setsight_photo::{geometry::Point, labels::PhotoLabel};
use std::{collections::BTreeSet, fmt, path::PathBuf};

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
    pub(crate) fn name(self) -> &'static str {
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
    pub mistake: Option<Mistake>,
}

/// As a sentence, without the file.
impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = |card: Option<Card>| card.map_or_else(String::new, |card| card.to_string());
        let at = self
            .center_in_image
            .map_or_else(String::new, |p| format!(" at ({:.0}, {:.0})", p.x, p.y));
        let (labelled, read) = (code(self.labelled), code(self.read.map(|(card, _)| card)));
        let sure = self.read.map_or(0.0, |(_, sure)| sure);
        match self.kind {
            Kind::OtherCard => write!(f, "labelled {labelled}{at}, read {read} ({sure:.2})"),
            Kind::NoCard => write!(f, "labelled {labelled}{at}, no card found there"),
            Kind::NoLabel => write!(f, "{read} found{at} ({sure:.2}), not labelled"),
        }
    }
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
    pub(super) seen: Vec<Picture>,
    /// The labels and readings of a photo.
    pub(super) board: Option<LabelledBoard>,
}

/// A picture, identified by its content.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) path: PathBuf,
    pub(super) sha256: String,
    pub(super) labelled: BTreeSet<Card>,
}

/// A photo's labels compared with its readings.
#[derive(Clone, Debug)]
pub(super) struct LabelledBoard {
    pub(super) path: PathBuf,
    pub(super) labelled: BTreeSet<Card>,
    /// All claimed cards, wherever they lie.
    pub(super) sure: BTreeSet<Card>,
    /// Number of labels with the same card at their place, sure or not.
    pub(super) agree: usize,
    /// Number of labels with another claimed card, or none, at their place.
    pub(super) against: usize,
}

impl Item {
    /// Number of pictures in it.
    pub fn pictures(&self) -> usize {
        match self {
            Self::Photo { .. } => 1,
            Self::Crops(crops) => crops.len(),
        }
    }
}
