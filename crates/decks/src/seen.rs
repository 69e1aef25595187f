//! The cards of one photo as far as a deck can be learnt from them.

use rayon::prelude::*;
use setsight_photo::Frame;
use setsight_photo::geometry::{Quad, median};
use setsight_vision::Trace;
use setsight_vision::classify::taught::Face;
use setsight_vision::classify::taught::Measured;
use setsight_vision::find::{CardFinder, FindError};
use setsight_vision::output::rows;

/// The cards of one photo as far as a deck can be learnt from them.
#[derive(Clone, Debug)]
pub struct SeenPhoto {
    pub(super) name: String,
    pub(super) cards: Vec<SeenCard>,
    /// Outlines of cards on which no row of symbols was seen.
    pub(super) unclear: usize,
}

#[derive(Clone, Debug)]
pub(super) struct SeenCard {
    pub row: usize,
    pub column: usize,
    pub corners_in_image: Quad,
    pub measured: Measured,
}

impl SeenPhoto {
    /// Whether it is too blurred to learn from.
    pub fn is_blurred(&self) -> bool {
        /// Two thirds of a millimetre, in pixels of a face. Stripes are lost by then.
        const MOST_BLUR_PX: f32 = 3.6;
        let blur_px = median(self.cards.iter().map(|card| card.measured.blur_px));
        blur_px.is_some_and(|blur_px| blur_px > MOST_BLUR_PX)
    }

    /// For each card its row and its place in the row, from 1, and its corners in the image.
    pub fn cards(&self) -> impl Iterator<Item = (usize, usize, Quad)> {
        self.cards.iter().map(|card| (card.row, card.column, card.corners_in_image))
    }
}

/// Finds the cards of one photo and measures them.
pub fn detect(name: &str, frame: &Frame, finder: &dyn CardFinder) -> Result<SeenPhoto, FindError> {
    /// Log odds that an outline is a card: from the first it is measured, from the second it is
    /// missed where nothing can be measured.
    const LEAST_SCORE: f64 = -1.0;
    const MISSED_SCORE: f64 = 2.0;
    let outlines = finder.find(frame, &mut Trace::default())?;
    let measured: Vec<_> = outlines
        .par_iter()
        .filter(|outline| outline.score > LEAST_SCORE)
        .map(|outline| {
            let face = Face::of(frame, &outline.corners_in_image);
            (outline, face.as_ref().and_then(Measured::of))
        })
        .collect();
    let unclear = measured.iter().filter(|(o, m)| m.is_none() && o.score > MISSED_SCORE).count();
    let clear: Vec<(Quad, Measured)> =
        measured.into_iter().filter_map(|(o, m)| Some((o.corners_in_image, m?))).collect();
    let quads: Vec<Quad> = clear.iter().map(|card| card.0).collect();
    let mut cards = Vec::new();
    for (row, places) in rows(&quads).into_iter().enumerate() {
        for (column, i) in places.into_iter().enumerate() {
            let (corners_in_image, measured) = clear[i].clone();
            cards.push(SeenCard { row: row + 1, column: column + 1, corners_in_image, measured });
        }
    }
    Ok(SeenPhoto { name: name.to_owned(), cards, unclear })
}
