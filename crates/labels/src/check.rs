//! Checks labels: what is wrong, what is doubtful, what is missing.
//!
//! [`plan`] reads the labels of folders and finds errors in the labels themselves; [`Item::check`]
//! checks them against the pictures, and [`Findings`] collects the results.

mod findings;

use crate::crops::{self, together};
use crate::mistakes::{self, Mistake};
use crate::{Verdict, compare};
use setsight_game::cards::Card;
use setsight_nets::engine::sha256;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::{
    CROP_LABELS, CardLabel, CropLine, DatasetError, LabelFile, PHOTO_LABELS, PhotoLabel,
    has_labels, labelled_folders, labelled_twice, leads_outside, load_crop, read_crop_lines,
};
use setsight_photo::source::{self, MemoryBudget};
use setsight_vision::{Pipeline, PipelineError, ReadCard, Trace};
use std::path::{Path, PathBuf};
use std::{borrow::Cow, collections::BTreeSet, fmt};

pub use findings::{FEW, Findings};

/// A unit of checking.
#[derive(Clone, Debug)]
pub enum Item {
    Photo {
        /// The photo's file.
        path: PathBuf,
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

impl Doubt {
    fn new(path: &Path, kind: Kind, labelled: Option<Card>, read: Option<(Card, f32)>) -> Self {
        let path = path.to_path_buf();
        Self { path, kind, labelled, read, center_in_image: None, mistake: None }
    }
}

/// The labelled centre, otherwise that of the reading.
fn place_of(labelled: Option<&CardLabel>, read: Option<&ReadCard>) -> Option<Point> {
    let read = read.map(|card| card.corners_in_image.center());
    labelled.map(|label| label.center).or(read)
}

/// As a sentence, without the file.
impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self
            .center_in_image
            .map_or_else(String::new, |p| format!(" at ({:.0}, {:.0})", p.x, p.y));
        let [labelled, read] = [self.labelled, self.read.map(|(card, _)| card)]
            .map(|card| card.map_or_else(String::new, |card| card.to_string()));
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
    pub wrong: Vec<Wrong>,
    /// Disagreements between label and reader.
    pub doubts: Vec<Doubt>,
    /// Labelled cards that the reader finds but does not claim.
    pub unsure: usize,
    /// The pictures that could be read.
    pub(super) pictures: Vec<Picture>,
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
    pub fn pictures(&self) -> usize {
        match self {
            Self::Photo { .. } => 1,
            Self::Crops(crops) => crops.len(),
        }
    }
}

impl Item {
    /// Checks the item, a photo when there is room for it. Files that cannot be read are reported as errors.
    pub fn check(
        &self,
        pipeline: &Pipeline,
        budget: &MemoryBudget,
        with_pictures: bool,
    ) -> Result<Checked, PipelineError> {
        match self {
            Self::Photo { path, label } => {
                check_photo(pipeline, path, label, budget, with_pictures)
            }
            Self::Crops(crops) => check_crops(pipeline, crops, with_pictures),
        }
    }
}

/// Reads a photo.
fn check_photo(
    pipeline: &Pipeline,
    path: &Path,
    label: &PhotoLabel,
    budget: &MemoryBudget,
    with_pictures: bool,
) -> Result<Checked, PipelineError> {
    let mut checked = Checked::default();
    let wrong = |reason| Wrong { path: path.to_path_buf(), reason };
    let (loaded, _reservation) = match budget.load(path, u64::from(with_pictures)) {
        Ok(loaded) => loaded,
        Err(error) => {
            checked.wrong.push(wrong(error.to_string()));
            return Ok(checked);
        }
    };
    let labelled = label.cards.iter().map(|card| card.code).collect();
    if let Ok(bytes) = source::bytes_of(path) {
        let sha256 = sha256(&bytes);
        checked.pictures.push(Picture { path: path.to_path_buf(), sha256, labelled });
    }
    let stored = (loaded.stored_width, loaded.stored_height);
    if stored != (label.width, label.height) {
        checked.wrong.push(wrong(format!(
            "is {}x{} pixels as stored, but its labels are of {}x{}; label the file as it is",
            stored.0, stored.1, label.width, label.height
        )));
        return Ok(checked);
    }
    let (loaded, output) = pipeline.read_scaled(Cow::Owned(loaded), &mut Trace::default())?;
    let labels: Vec<CardLabel> = label.cards_in(&loaded);
    let cards = &output.table.cards;
    let matched = compare(&labels, cards);
    let mut board = LabelledBoard {
        path: path.to_path_buf(),
        labelled: labels.iter().map(|label| label.code).collect(),
        sure: cards.iter().filter(|card| !card.unsure).map(|card| card.card).collect(),
        agree: 0,
        against: 0,
    };
    let doubt = |kind, labelled: Option<&CardLabel>, read: Option<&ReadCard>| Doubt {
        center_in_image: place_of(labelled, read).map(loaded.file_from_picture()),
        ..Doubt::new(path, kind, labelled.map(|l| l.code), read.map(|r| (r.card, r.confidence)))
    };
    for (i, label) in labels.iter().enumerate() {
        let reading = matched.reading_of_label[i].map(|j| &cards[j]);
        board.agree += usize::from(reading.is_some_and(|reading| reading.card == label.code));
        match matched.verdict(i, &labels, cards) {
            Verdict::Right => {}
            Verdict::Unsure => checked.unsure += 1,
            verdict => {
                board.against += 1;
                let kind = if verdict == Verdict::Wrong { Kind::OtherCard } else { Kind::NoCard };
                checked.doubts.push(doubt(kind, Some(label), reading));
            }
        }
    }
    for &j in matched.false_cards.iter().filter(|&&j| !cards[j].unsure) {
        checked.doubts.push(doubt(Kind::NoLabel, None, Some(&cards[j])));
    }
    if with_pictures && !checked.doubts.is_empty() {
        let all = mistakes::of_photo(&loaded.frame, &labels, &output, &matched);
        // Both lists have the labels first and then the readings without a label.
        for (doubt, mistake) in
            checked.doubts.iter_mut().zip(all.into_iter().filter(|mistake| match mistake.verdict {
                None => mistake.read.is_some_and(|(_, _, unsure)| !unsure),
                Some(verdict) => verdict != Verdict::Unsure,
            }))
        {
            doubt.mistake = Some(mistake);
        }
    }
    checked.board = Some(board);
    Ok(checked)
}

/// Checks crops that are read together.
fn check_crops(
    pipeline: &Pipeline,
    crops: &[(PathBuf, Card)],
    with_pictures: bool,
) -> Result<Checked, PipelineError> {
    let mut checked = Checked::default();
    let mut pictures = Vec::new();
    let mut labels: Vec<&(PathBuf, Card)> = Vec::new();
    for label in crops {
        let (path, card) = label;
        match load_crop(path) {
            Ok(picture) => {
                pictures.push(picture);
                labels.push(label);
            }
            Err(error) => {
                let reason = error.to_string();
                checked.wrong.push(Wrong { path: path.clone(), reason });
                continue;
            }
        }
        if let Ok(bytes) = source::bytes_of(path) {
            let (path, sha256) = (path.clone(), sha256(&bytes));
            checked.pictures.push(Picture { path, sha256, labelled: [*card].into() });
        }
    }
    if pictures.is_empty() {
        return Ok(checked);
    }
    let together = crops::read(pipeline, &pictures)?;
    for (i, (path, labelled)) in labels.into_iter().enumerate() {
        let read = match &together.cards[i] {
            Some(card) if card.unsure => {
                checked.unsure += 1;
                continue;
            }
            Some(card) if card.card == *labelled => continue,
            Some(card) => Some((card.card, card.confidence)),
            None => None,
        };
        let mistake = with_pictures.then(|| {
            let (outline, image, reading) = &together.crops[i];
            let read = read.map(|(card, confidence)| (card, confidence, false));
            mistakes::of_crop(&together.frame, outline, image, reading, *labelled, read)
        });
        let kind = if read.is_some() { Kind::OtherCard } else { Kind::NoCard };
        checked.doubts.push(Doubt { mistake, ..Doubt::new(path, kind, Some(*labelled), read) });
    }
    Ok(checked)
}

/// The items to check, and the errors found so far.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Folders with labels.
    pub folders: Vec<PathBuf>,
    /// Photos with unconfirmed labels, which are not checked.
    pub unchecked: Vec<PathBuf>,
    pub items: Vec<Item>,
    /// Pictures outside the folder of their labels.
    pub outside: Vec<PathBuf>,
    /// Errors in the labels themselves.
    pub wrong: Vec<Wrong>,
}

/// Reads the labels of each folder, or of its direct subfolders.
pub fn plan(folders: &[PathBuf]) -> Result<Plan, DatasetError> {
    let mut plan = Plan::default();
    for folder in folders {
        for folder in labelled(folder)? {
            if has_labels(&folder, PHOTO_LABELS) {
                plan.add_photos(&folder);
            }
            if has_labels(&folder, CROP_LABELS) {
                plan.add_crops(&folder);
            }
            plan.folders.push(folder);
        }
    }
    Ok(plan)
}

fn labelled(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let folders = labelled_folders(folder, &[CROP_LABELS, PHOTO_LABELS])?;
    if folders.is_empty() {
        return Err(DatasetError::NoLabels(folder.to_path_buf()));
    }
    Ok(folders)
}

impl Plan {
    fn wrong(&mut self, path: &Path, reason: String) {
        self.wrong.push(Wrong { path: path.to_path_buf(), reason });
    }

    fn add_photos(&mut self, folder: &Path) {
        let labels = folder.join(PHOTO_LABELS);
        let file = match LabelFile::read(folder) {
            Ok(file) => file,
            Err(error) => return self.wrong(&labels, unreadable(&error)),
        };
        let mut files = BTreeSet::new();
        for label in file.each_photo() {
            let label = match label {
                Ok(label) => label,
                Err(why) => {
                    self.wrong(&labels, why);
                    continue;
                }
            };
            let path = folder.join(&label.file);
            if !files.insert(label.file.clone()) {
                self.wrong(&path, "is labelled twice; take one of its labels out".to_owned());
                continue;
            }
            if let Some((code, first, second)) = label.twice() {
                self.wrong(&path, labelled_twice(code, first, second));
            }
            for why in out_of_place(&label) {
                self.wrong(&path, why);
            }
            if !path.is_file() {
                let reason = "is labelled but not there; put it there or take its labels out";
                self.wrong(&path, reason.to_owned());
                continue;
            }
            if leads_outside(&label.file) {
                self.outside.push(path.clone());
            }
            if label.is_checked() {
                self.items.push(Item::Photo { path, label });
            } else {
                self.unchecked.push(path);
            }
        }
    }

    fn add_crops(&mut self, folder: &Path) {
        let labels = folder.join(CROP_LABELS);
        let lines = match read_crop_lines(folder) {
            Ok(lines) => lines,
            Err(error) => return self.wrong(&labels, unreadable(&error)),
        };
        let mut files = BTreeSet::new();
        let mut crops: Vec<(PathBuf, Card)> = Vec::new();
        for line in lines {
            let (line, label) = match line {
                CropLine::Label { line, label } => (line, label),
                CropLine::BadCode { line, file, error } => {
                    self.wrong(&labels, format!("line {line}: {file}: {error}"));
                    continue;
                }
                CropLine::Malformed { reason, .. } => {
                    self.wrong(&labels, reason);
                    continue;
                }
            };
            let path = folder.join(&label.file);
            if files.contains(&label.file) {
                self.wrong(&labels, format!("line {line}: {} is labelled twice", label.file));
                continue;
            }
            if !path.is_file() {
                let reason = "is labelled but not there; put it there or take its labels out";
                self.wrong(&path, reason.to_owned());
            } else {
                if leads_outside(&label.file) {
                    self.outside.push(path.clone());
                }
                crops.push((path, label.code));
            }
            files.insert(label.file);
        }
        self.items.extend(together(&crops).into_iter().map(Item::Crops));
    }
}

/// Why a file of labels cannot be read, without its name.
fn unreadable(error: &DatasetError) -> String {
    match error {
        DatasetError::Unreadable { source, .. } => format!("cannot be read: {source}"),
        DatasetError::NotJson { reason, .. } => format!("is not JSON: {reason}"),
        DatasetError::NoPhotos(_) => "holds no list \"photos\"".to_owned(),
        DatasetError::Malformed { reason, .. } => reason.clone(),
        other => other.to_string(),
    }
}

/// Cards whose coordinates are impossible.
fn out_of_place(label: &PhotoLabel) -> Vec<String> {
    let (width, height) = (f64::from(label.width), f64::from(label.height));
    let mut wrong = Vec::new();
    for (i, card) in label.cards.iter().enumerate() {
        let (name, Point { x, y }) = (format!("card {} ({})", i + 1, card.code), card.center);
        if !((0.0..=width).contains(&x) && (0.0..=height).contains(&y)) {
            wrong.push(format!(
                "the centre of {name}, ({x:.0}, {y:.0}), lies outside of the picture \
                 ({width}x{height} pixels as stored)"
            ));
        } else if let Some(quad) = card.corners
            && !around(quad.0, card.center)
        {
            wrong.push(format!(
                "the corners of {name} are not around its centre, ({x:.0}, {y:.0}); correct them, or \
                 write null for them"
            ));
        }
    }
    wrong
}

/// Whether a point lies inside four corners, which may be in any order.
fn around(corners: [Point; 4], center: Point) -> bool {
    let quad = Quad::from_unordered(corners);
    quad.signed_area().abs() >= 1.0 && quad.contains(center)
}
