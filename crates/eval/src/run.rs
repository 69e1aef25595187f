//! Reads one labelled photo and evaluates the result.

use super::crops::{self, Evaluated, evaluate_crops};
use super::dataset::{LabelledCrop, LabelledPhoto};
use super::figures::Figures;
use super::matching::{Match, compare};
use super::mistakes;
use super::outcome::{PhotoOutcome, TableLabel};
use super::reliability::Reliability;
use serde::{Deserialize, Serialize};
use setsight_game::cards::{Deck, Edition};
use setsight_photo::labels::CardLabel;
use setsight_photo::source::MemoryBudget;
use setsight_vision::{Pipeline, Trace};
use std::borrow::Cow;

/// The result for one labelled photo and one reader. As JSON it is without pictures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PhotoResult {
    /// The figures of this photo alone.
    pub figures: Figures,
    /// CPU time of each stage in ms.
    pub stage_cpu_ms: Vec<(Cow<'static, str>, f64)>,
    /// Calibration of its confidences.
    pub reliability: Reliability,
    /// Calibration of the probable sets.
    pub probable_sets: Reliability,
    /// Its outcome, card by card.
    pub outcome: PhotoOutcome,
    /// Every mistake with pictures, if pictures were requested.
    #[serde(skip)]
    pub mistakes: Vec<mistakes::Mistake>,
    /// The stages' pictures by name, as JPEG, if there are mistakes and pictures were requested.
    #[serde(skip)]
    pub stages: Vec<(String, Vec<u8>)>,
}

/// What is read together.
#[derive(Clone, Debug)]
pub enum Item {
    /// A photo.
    Photo(LabelledPhoto),
    /// Some crops.
    Crops(Vec<LabelledCrop>),
}

impl Item {
    /// Number of pictures in it.
    pub fn pictures(&self) -> usize {
        match self {
            Self::Photo(_) => 1,
            Self::Crops(crops) => crops.len(),
        }
    }

    /// The file of its first picture.
    pub fn path(&self) -> &std::path::Path {
        match self {
            Self::Photo(photo) => &photo.path,
            Self::Crops(crops) => crops.first().map_or("".as_ref(), |crop| &crop.path),
        }
    }
}

/// Divides photos and crops into what is read together.
pub fn plan(photos: Vec<LabelledPhoto>, crops: &[LabelledCrop]) -> Vec<Item> {
    let crops = crops::together(crops).into_iter().map(Item::Crops);
    photos.into_iter().map(Item::Photo).chain(crops).collect()
}

/// Reads labelled pictures with each pipeline and compares them with their labels.
pub fn evaluate(
    pipelines: &[Pipeline],
    item: &Item,
    budget: &MemoryBudget,
    with_pictures: bool,
) -> anyhow::Result<Evaluated> {
    match item {
        Item::Crops(crops) => evaluate_crops(pipelines, crops, with_pictures),
        Item::Photo(photo) => {
            let results = evaluate_photo(pipelines, photo, budget, with_pictures)?;
            Ok(Evaluated { results: vec![(photo.clone(), results)], failed: Vec::new() })
        }
    }
}

/// Reads a labelled photo, when there is room for it, with each pipeline and compares it with its
/// labels; one result per pipeline.
pub fn evaluate_photo(
    pipelines: &[Pipeline],
    photo: &LabelledPhoto,
    budget: &MemoryBudget,
    with_pictures: bool,
) -> anyhow::Result<Vec<PhotoResult>> {
    let mut loading = Trace::default();
    // Each of a report's pictures of a stage is drawn on a copy.
    let copies = u64::from(with_pictures);
    let (loaded, _reservation) = loading.stage("load", |_| budget.load(&photo.path, copies))?;
    let (stored, label) = ((loaded.stored_width, loaded.stored_height), &photo.label);
    if stored != (label.width, label.height) {
        anyhow::bail!(
            "is {}x{} pixels as stored, but its labels are of {}x{}; label the file as it is",
            stored.0,
            stored.1,
            label.width,
            label.height
        );
    }
    let labels: Vec<CardLabel> = label.cards_in(&loaded);
    let judge = |pipeline: &Pipeline| -> anyhow::Result<PhotoResult> {
        let mut trace = Trace::default();
        let output = pipeline.read(&loaded.frame, &mut trace)?;
        let table = &output.table;
        // A deck that is neither a known one nor the one that was read has no name here.
        let is_named = Deck::named(&label.deck).is_some() || table.facts.deck_name() == label.deck;
        let truth = if is_named { &label.deck } else { Edition::Unknown.name() };
        let named = |deck: &str, mirrored| TableLabel { deck: deck.to_owned(), mirrored };
        let found = named(table.facts.deck_name(), table.facts.is_mirrored());
        let matched: Match = compare(&labels, &table.cards);
        let mistakes = if with_pictures {
            mistakes::of_photo(&loaded.frame, &labels, &output, &matched)
        } else {
            Vec::new()
        };
        let mut stages = Vec::new();
        // The stages' pictures take time, so only photos with mistakes get them.
        if !mistakes.is_empty() {
            let mut keep = Trace::default().on_picture(|stage, picture| {
                // The other pictures show the photo itself already.
                if stage != "load" {
                    stages.push((stage.to_owned(), mistakes::small_jpeg(picture)));
                }
                Ok(())
            });
            pipeline.read(&loaded.frame, &mut keep)?;
        }
        let times = loading.times.iter().chain(&trace.times);
        Ok(PhotoResult {
            figures: Figures::of_photo(&labels, table, &matched),
            stage_cpu_ms: times.map(|time| (time.stage.into(), time.cpu_ms)).collect(),
            reliability: Reliability::of_photo(&labels, &table.cards, &matched),
            probable_sets: Reliability::of_probable_sets(&labels, table, &matched),
            outcome: PhotoOutcome::of(
                (&photo.source, &label.file),
                (named(truth, label.mirrored), found),
                &labels,
                &table.cards,
                &matched,
            ),
            mistakes,
            stages,
        })
    };
    let results = pipelines.iter().map(judge).collect();
    budget.done_with(loaded.frame);
    results
}
