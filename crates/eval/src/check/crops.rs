//! Reads labelled crops together on one table.

use super::item::{Checked, Doubt, Kind, Picture, Wrong};
use crate::mistakes;
use image::{Rgb, RgbImage, imageops};
use setsight_game::cards::Card;
use setsight_nets::engine::sha256;
use setsight_photo::Frame;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::load_crop;
use setsight_photo::source;
use setsight_vision::board::Board;
use setsight_vision::classify::mirror;
use setsight_vision::classify::reader::Cards;
use setsight_vision::{CardImage, CardOutline, Pipeline, PipelineError, rectify};
use std::path::PathBuf;

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

/// Reads crops together, but settles each on a board of its own, because a set of crops may hold a
/// card many times.
pub fn check(
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
    let (frame, outlines) = lay(&pictures);
    let images: Vec<CardImage> =
        outlines.iter().map(|outline| rectify::rectify(&frame, outline)).collect();
    let cards = Cards { frame: &frame, outlines: &outlines, images: &images };
    let (readings, facts) = mirror::read(&*pipeline.reader, &cards, pipeline.facts.clone())?;
    let (_, known) = facts.named_edition();
    for (i, (path, labelled)) in labels.into_iter().enumerate() {
        let (outline, reading) = (&outlines[i..=i], &readings[i..=i]);
        let board = Board::settle(outline, reading, known, &pipeline.board);
        let read = match board.cards.first() {
            Some(card) if card.unsure => {
                checked.unsure += 1;
                continue;
            }
            Some(card) if card.card == *labelled => continue,
            Some(card) => Some((card.card, card.confidence)),
            None => None,
        };
        let mistake = with_pictures.then(|| {
            mistakes::of_crop(&frame, &outlines[i], &images[i], &readings[i], *labelled, read)
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
