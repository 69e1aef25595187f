//! Labelled crops, read together on one table.

use image::{Rgb, RgbImage, imageops};
use setsight_photo::Frame;
use setsight_photo::geometry::{Point, Quad};
use setsight_vision::{
    CardImage, CardOutline, CardsRead, Pipeline, PipelineError, ReadCard, Reading, TableFacts,
    Trace, board::Board,
};

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
pub fn together<T: Clone>(crops: &[T]) -> Vec<Vec<T>> {
    let groups = crops.len().div_ceil(TOGETHER);
    (0..groups).map(|first| crops.iter().skip(first).step_by(groups).cloned().collect()).collect()
}

/// Crops on a table, as they were read.
pub struct ReadCrops {
    pub frame: Frame,
    /// Where each crop lies, its image and what the reader said of it.
    pub crops: Vec<(CardOutline, CardImage, Reading)>,
    /// The card of each; `None` where there is none.
    pub cards: Vec<Option<ReadCard>>,
    /// What all show together.
    pub facts: TableFacts,
}

/// Reads crops together, but assigns each on a separate board, because a set of crops may hold a
/// card many times.
pub fn read(pipeline: &Pipeline, crops: &[RgbImage]) -> Result<ReadCrops, PipelineError> {
    let (frame, outlines) = lay(crops);
    let before = pipeline.facts.clone();
    let CardsRead { readings, images, facts, .. } =
        pipeline.read_cards(&frame, &outlines, before, &mut Trace::default())?;
    let (_, edition) = facts.named_edition();
    let cards = (0..outlines.len()).map(|i| {
        let (outline, reading) = (&outlines[i..=i], &readings[i..=i]);
        let board = Board::assign(outline, reading, edition, &pipeline.board);
        let card = board.cards.first()?;
        let corners = outlines[i].corners_in_image;
        Some(ReadCard::new(corners, card.card, card.confidence, card.unsure))
    });
    let cards = cards.collect();
    let crops = outlines.into_iter().zip(images).zip(readings);
    let crops = crops.map(|((outline, image), reading)| (outline, image, reading)).collect();
    Ok(ReadCrops { frame, crops, cards, facts })
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
