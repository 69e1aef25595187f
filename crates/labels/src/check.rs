//! Checks labels: what is wrong, what is doubtful, what is missing.
//!
//! [`plan`] reads the labels of folders and finds errors in the labels themselves; [`Item::check`]
//! checks them against the pictures, and [`Findings`] collects the results.

mod findings;
mod item;
mod labels;

use crate::mistakes::{self, Mistake};
use crate::{Verdict, compare, crops};
use item::{LabelledBoard, Picture, Wrong};
use setsight_game::cards::Card;
use setsight_nets::engine::sha256;
use setsight_photo::labels::{CardLabel, PhotoLabel, load_crop};
use setsight_photo::source::{self, MemoryBudget};
use setsight_vision::{Pipeline, PipelineError, ReadCard, Trace};
use std::path::{Path, PathBuf};

pub use findings::{FEW, Findings};
pub use item::{Checked, Doubt, Item, Kind};
pub use labels::plan;

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
        checked.seen.push(Picture { path: path.to_path_buf(), sha256, labelled });
    }
    let stored = (loaded.stored_width, loaded.stored_height);
    if stored != (label.width, label.height) {
        checked.wrong.push(wrong(format!(
            "is {}x{} pixels as stored, but its labels are of {}x{}; label the file as it is",
            stored.0, stored.1, label.width, label.height
        )));
        return Ok(checked);
    }
    let labels: Vec<CardLabel> = label.cards_in(&loaded);
    let output = pipeline.read(&loaded.frame, &mut Trace::default())?;
    let cards = &output.table.cards;
    let matched = compare(&labels, cards);
    let sure = |card: &&ReadCard| !card.unsure;
    let mut board = LabelledBoard {
        path: path.to_path_buf(),
        labelled: labels.iter().map(|label| label.code).collect(),
        sure: cards.iter().filter(sure).map(|card| card.card).collect(),
        agree: 0,
        against: 0,
    };
    let mut doubt = |kind, labelled: Option<&CardLabel>, read: Option<&ReadCard>| {
        let center = labelled.map(|label| label.center);
        checked.doubts.push(Doubt {
            path: path.to_path_buf(),
            kind,
            labelled: labelled.map(|label| label.code),
            read: read.map(|card| (card.card, card.confidence)),
            center_in_image: center.or(read.map(|card| card.corners_in_image.center())),
            mistake: None,
        });
    };
    for (i, label) in labels.iter().enumerate() {
        let reading = matched.reading_of_label[i].map(|j| &cards[j]);
        let same = |card: Card| card == label.code;
        board.agree += usize::from(reading.is_some_and(|reading| same(reading.card)));
        match matched.verdict(i, &labels, cards) {
            Verdict::Right => {}
            Verdict::Unsure => checked.unsure += 1,
            verdict => {
                board.against += 1;
                let kind = if verdict == Verdict::Wrong { Kind::OtherCard } else { Kind::NoCard };
                doubt(kind, Some(label), reading);
            }
        }
    }
    for &j in matched.false_cards.iter().filter(|&&j| !cards[j].unsure) {
        doubt(Kind::NoLabel, None, Some(&cards[j]));
    }
    if with_pictures && !checked.doubts.is_empty() {
        let is_doubt = |mistake: &Mistake| match mistake.verdict {
            None => mistake.read.is_some_and(|(_, _, unsure)| !unsure),
            Some(verdict) => verdict != Verdict::Unsure,
        };
        let all = mistakes::of_photo(&loaded.frame, &labels, &output, &matched);
        // Both lists have the labels first and then the readings without a label.
        for (doubt, mistake) in checked.doubts.iter_mut().zip(all.into_iter().filter(is_doubt)) {
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
            checked.seen.push(Picture { path, sha256, labelled: [*card].into() });
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
            let (outline, image, said) = &together.crops[i];
            let read = read.map(|(card, confidence)| (card, confidence, false));
            mistakes::of_crop(&together.frame, outline, image, said, *labelled, read)
        });
        checked.doubts.push(Doubt {
            path: path.clone(),
            kind: if read.is_some() { Kind::OtherCard } else { Kind::NoCard },
            labelled: Some(*labelled),
            read,
            center_in_image: None,
            mistake,
        });
    }
    Ok(checked)
}
