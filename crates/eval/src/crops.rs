//! Labelled crops: read together on one table, and evaluated one by one.

use super::dataset::{LabelledCrop, LabelledPhoto};
use super::figures::Figures;
use super::matching::{Match, compare};
use super::mistakes;
use super::outcome::{PhotoOutcome, TableLabel};
use super::reliability::Reliability;
use super::run::PhotoResult;
use image::{Rgb, RgbImage, imageops};
use setsight_photo::Frame;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::{CardLabel, PhotoLabel, SaidBy, load_crop};
use setsight_vision::parts::board::Board;
use setsight_vision::{
    CardImage, CardOutline, CardsRead, Pipeline, PipelineError, ReadCard, Reading, TableReading,
    Trace,
};
use std::path::PathBuf;

/// Number of crops read together: as many as a table has cards, enough to detect their edition and
/// whether they are mirrored.
const TOGETHER: usize = 12;
/// Long side of a crop on its table, in pixels: as large as a rectified card.
const LONG_PX: u32 = 192;
/// Table between crops, in pixels: enough for a context crop.
const GAP_PX: u32 = 64;
/// Number of crops per row.
const COLUMNS: u32 = 4;
/// Green felt, R, G, B.
const TABLE: Rgb<u8> = Rgb([40, 80, 50]);
/// The finder's log odds for a clear card, because the crops certainly are cards.
const CLEAR: f64 = 6.0;

/// Divides crops into those that are read together. They are often sorted by card, so each group is
/// picked from the whole list.
pub(super) fn together<T: Clone>(crops: &[T]) -> Vec<Vec<T>> {
    let groups = crops.len().div_ceil(TOGETHER);
    let group = |first: usize| crops.iter().skip(first).step_by(groups).cloned().collect();
    (0..groups).map(group).collect()
}

/// Crops on a table, as they were read.
pub(super) struct ReadCrops {
    /// The table.
    pub frame: Frame,
    /// Where each crop lies, its image and what the reader said of it.
    pub crops: Vec<(CardOutline, CardImage, Reading)>,
    /// The card of each; `None` where there is none.
    pub cards: Vec<Option<ReadCard>>,
    /// The table that was detected.
    pub found: TableLabel,
}

/// Reads crops together, but settles each on a board of its own, because a set of crops may hold a
/// card many times.
pub(super) fn read(pipeline: &Pipeline, crops: &[RgbImage]) -> Result<ReadCrops, PipelineError> {
    let (frame, outlines) = lay(crops);
    let before = pipeline.facts.clone();
    let CardsRead { readings, images, facts, .. } =
        pipeline.read_cards(&frame, &outlines, before, &mut Trace::default())?;
    let (_, known) = facts.named_edition();
    let card = |i: usize| {
        let (outline, reading) = (&outlines[i..=i], &readings[i..=i]);
        let board = Board::settle(outline, reading, known, &pipeline.board);
        let card = board.cards.first()?;
        let corners = outlines[i].corners_in_image;
        Some(ReadCard::new(corners, card.card, card.confidence, card.unsure))
    };
    let cards = (0..outlines.len()).map(card).collect();
    let found = TableLabel { deck: facts.deck_name().to_owned(), mirrored: facts.is_mirrored() };
    let crops = outlines.into_iter().zip(images).zip(readings);
    let crops = crops.map(|((outline, image), reading)| (outline, image, reading)).collect();
    Ok(ReadCrops { frame, crops, cards, found })
}

/// The results for some pictures.
#[derive(Default)]
pub struct Evaluated {
    /// Each picture with one result per pipeline; a crop as a photo of one card.
    pub results: Vec<(LabelledPhoto, Vec<PhotoResult>)>,
    /// Those that cannot be read, with the reason.
    pub failed: Vec<(PathBuf, String)>,
}

/// Reads labelled crops with each pipeline and compares them with their labels.
pub fn evaluate_crops(
    pipelines: &[Pipeline],
    crops: &[LabelledCrop],
    with_pictures: bool,
) -> anyhow::Result<Evaluated> {
    let mut evaluated = Evaluated::default();
    let mut pictures = Vec::new();
    for crop in crops {
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
        let read = read(pipeline, &pictures)?;
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
        said_by: SaidBy::Person,
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
    read: &ReadCrops,
    i: usize,
    photo: &LabelledPhoto,
    with_pictures: bool,
) -> PhotoResult {
    let (outline, image, said) = &read.crops[i];
    let quad = outline.corners_in_image;
    let label =
        CardLabel { center: quad.center(), corners: Some(quad), ..photo.label.cards[0].clone() };
    let (labels, cards) = ([label], read.cards[i].clone().into_iter().collect::<Vec<_>>());
    let matched: Match = compare(&labels, &cards);
    let mistake = matched.verdict(0, &labels, &cards);
    let mistakes = if with_pictures && mistake != super::Verdict::Right {
        let read_as = cards.first().map(|card| (card.card, card.confidence, card.unsure));
        let labelled = labels[0].code;
        vec![mistakes::of_crop(&read.frame, outline, image, said, labelled, read_as)]
    } else {
        Vec::new()
    };
    // The edition is not labelled, so none is taken for another.
    let tables = (read.found.clone(), read.found.clone());
    PhotoResult {
        reliability: Reliability::of_photo(&labels, &cards, &matched),
        probable_sets: Reliability::default(),
        outcome: PhotoOutcome::of(
            (&photo.source, &photo.label.file),
            tables,
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

/// Lays the crops in rows on a table.
fn lay(crops: &[RgbImage]) -> (Frame, Vec<CardOutline>) {
    let scaled: Vec<RgbImage> = crops
        .iter()
        .map(|crop| {
            let height = (LONG_PX * crop.height()).div_ceil(crop.width()).clamp(1, LONG_PX);
            imageops::resize(crop, LONG_PX, height, imageops::FilterType::Triangle)
        })
        .collect();
    let cell = LONG_PX + GAP_PX;
    let rows = (crops.len() as u32).div_ceil(COLUMNS);
    let mut image = RgbImage::from_pixel(COLUMNS * cell + GAP_PX, rows * cell + GAP_PX, TABLE);
    let mut outlines = Vec::new();
    for (i, crop) in (0..).zip(&scaled) {
        let (left, top) = (GAP_PX + i % COLUMNS * cell, GAP_PX + i / COLUMNS * cell);
        imageops::replace(&mut image, crop, left.into(), top.into());
        let corner = Point::new(left.into(), top.into());
        let quad = Quad::rectangle(crop.width().into(), crop.height().into());
        let corners = Quad::new(quad.0.map(|p| p + corner));
        outlines.push(CardOutline { score: CLEAR, ..CardOutline::at(corners) });
    }
    (image, outlines)
}
