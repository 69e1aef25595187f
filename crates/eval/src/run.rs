//! Reads labelled photos and crops and evaluates the result.

use super::figures::{PhotoOutcome, TableLabel};
use super::{evaluation::Reliability, figures::Figures, html::small_jpeg};
use serde::{Deserialize, Serialize};
use setsight_game::cards::{Deck, Edition};
use setsight_labels::mistakes::{self, Mistake};
use setsight_labels::{LabelledCrop, LabelledPhoto, Match, Verdict, compare, crops};
use setsight_photo::labels::{CardLabel, LabelledBy, PhotoLabel, load_crop};
use setsight_photo::{
    geometry::Point,
    source::{MemoryBudget, Photo},
};
use setsight_vision::{Pipeline, TableFacts, TableReading, Trace};
use std::{borrow::Cow, path::PathBuf};

/// The result for one labelled photo and one reader. As JSON it is without pictures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PhotoResult {
    /// The figures of this photo alone.
    pub figures: Figures,
    /// CPU time of each stage in ms.
    pub stage_cpu_ms: Vec<(Cow<'static, str>, f64)>,
    /// Calibration of its confidences.
    pub reliability: Reliability,
    pub probable_sets: Reliability,
    /// Its outcome, card by card.
    pub outcome: PhotoOutcome,
    /// Every mistake with pictures, if pictures were requested.
    #[serde(skip)]
    pub mistakes: Vec<Mistake>,
    /// The stages' pictures by name, as JPEG, if there are mistakes and pictures were requested.
    #[serde(skip)]
    pub stages: Vec<(String, Vec<u8>)>,
}

/// The results for some pictures.
#[derive(Default)]
pub struct Evaluated {
    /// Each picture with one result per pipeline; a crop as a photo of one card.
    pub results: Vec<(LabelledPhoto, Vec<PhotoResult>)>,
    /// Those that cannot be read, with the reason.
    pub failed: Vec<(PathBuf, String)>,
}

/// What is read together.
#[derive(Clone, Debug)]
pub enum Item {
    Photo(LabelledPhoto),
    Crops(Vec<LabelledCrop>),
}

impl Item {
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
    let results = pipelines
        .iter()
        .map(|pipeline| judge(pipeline, photo, &loaded, &loading, with_pictures))
        .collect();
    budget.done_with(loaded.frame);
    results
}

fn judge(
    pipeline: &Pipeline,
    photo: &LabelledPhoto,
    loaded: &Photo,
    loading: &Trace,
    with_pictures: bool,
) -> anyhow::Result<PhotoResult> {
    let label = &photo.label;
    let mut trace = Trace::default();
    let (loaded, output) = pipeline.read_scaled(Cow::Borrowed(loaded), &mut trace)?;
    let labels: Vec<CardLabel> = label.cards_in(&loaded);
    let table = &output.table;
    // A deck that is neither a known one nor the one that was read has no name here.
    let is_named = Deck::named(&label.deck).is_some() || table.facts.deck_name() == label.deck;
    let truth = if is_named { &label.deck } else { Edition::Unknown.name() };
    let truth = TableLabel { deck: truth.to_owned(), mirrored: label.mirrored };
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
                stages.push((stage.to_owned(), small_jpeg(picture)));
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
        outcome: PhotoOutcome::new(
            (&photo.source, &label.file),
            (truth, table_of(&table.facts)),
            &labels,
            &table.cards,
            &matched,
        ),
        mistakes,
        stages,
    })
}

fn table_of(facts: &TableFacts) -> TableLabel {
    TableLabel { deck: facts.deck_name().to_owned(), mirrored: facts.is_mirrored() }
}

/// Reads labelled crops with each pipeline and compares them with their labels.
fn evaluate_crops(
    pipelines: &[Pipeline],
    labelled: &[LabelledCrop],
    with_pictures: bool,
) -> anyhow::Result<Evaluated> {
    let mut evaluated = Evaluated::default();
    let mut pictures = Vec::new();
    for crop in labelled {
        match load_crop(&crop.path) {
            Ok(picture) => {
                pictures.push(picture);
                evaluated.results.push((as_photo(crop), Vec::new()));
            }
            Err(error) => evaluated.failed.push((crop.path.clone(), error.to_string())),
        }
    }
    if pictures.is_empty() {
        return Ok(evaluated);
    }
    for pipeline in pipelines {
        let read = crops::read(pipeline, &pictures)?;
        for (i, (photo, results)) in evaluated.results.iter_mut().enumerate() {
            results.push(result_of(&read, i, photo, with_pictures));
        }
    }
    Ok(evaluated)
}

fn as_photo(crop: &LabelledCrop) -> LabelledPhoto {
    let card = CardLabel {
        code: crop.label.code,
        center: Point::default(),
        corners: None,
        labelled_by: LabelledBy::Person,
    };
    let label = PhotoLabel {
        file: crop.label.file.clone(),
        width: 0,
        height: 0,
        tags: Vec::new(),
        deck: TableLabel::default().deck,
        mirrored: false,
        cards: vec![card],
    };
    LabelledPhoto { path: crop.path.clone(), label, source: crop.source.clone() }
}

fn result_of(
    read: &crops::ReadCrops,
    i: usize,
    photo: &LabelledPhoto,
    with_pictures: bool,
) -> PhotoResult {
    let (outline, image, reading) = &read.crops[i];
    let quad = outline.corners_in_image;
    let label =
        CardLabel { center: quad.center(), corners: Some(quad), ..photo.label.cards[0].clone() };
    let (labels, cards) = ([label], read.cards[i].clone().into_iter().collect::<Vec<_>>());
    let matched: Match = compare(&labels, &cards);
    let mistake = matched.verdict(0, &labels, &cards);
    let mistakes = if with_pictures && mistake != Verdict::Right {
        let read_as = cards.first().map(|card| (card.card, card.confidence, card.unsure));
        let labelled = labels[0].code;
        vec![mistakes::of_crop(&read.frame, outline, image, reading, labelled, read_as)]
    } else {
        Vec::new()
    };
    // The edition is not labelled, so none is taken for another.
    let found = table_of(&read.facts);
    PhotoResult {
        reliability: Reliability::of_photo(&labels, &cards, &matched),
        probable_sets: Reliability::default(),
        outcome: PhotoOutcome::new(
            (&photo.source, &photo.label.file),
            (found.clone(), found),
            &labels,
            &cards,
            &matched,
        ),
        figures: Figures::of_crop(
            &labels,
            &TableReading::new(cards, read.frame.dimensions()),
            &matched,
        ),
        stage_cpu_ms: Vec::new(),
        mistakes,
        stages: Vec::new(),
    }
}
