//! Finds the cards of a photo by their symbols, and their corners by their borders.

pub mod components;
pub mod corners;
pub mod grouping;
pub mod maps;
pub mod plane;
pub mod shape;
pub mod symbols;

use super::{CardOutline, Frame};

/// How cards are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Long side of the working image in pixels.
    pub long_side_px: f64,
    /// What counts as a symbol.
    pub symbols: symbols::Params,
    /// What counts as a card's symbols.
    pub grouping: grouping::Params,
    /// How a card's sides are looked for.
    pub corners: corners::Params,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            long_side_px: 1000.0,
            symbols: Default::default(),
            grouping: Default::default(),
            corners: Default::default(),
        }
    }
}

/// Finds the cards of a photo.
///
/// # Errors
/// Those of OpenCV, such as no memory.
pub fn segment(frame: &Frame, params: &Params) -> opencv::Result<Vec<CardOutline>> {
    let working = maps::Working::new(frame, params.long_side_px)?;
    let symbols = symbols::find(&working, &params.symbols)?;
    let long = working.width.max(working.height) as f64;
    let grouped = grouping::group(symbols, long, &params.grouping);
    let mut outlines = Vec::with_capacity(grouped.cards.len());
    for card in &grouped.cards {
        let expected = card.quad();
        let sides = corners::find_sides(&working, &expected, &params.corners)?;
        let refined = corners::refine(&expected, &sides, grouped.table.as_ref(), &params.corners);
        outlines.push(CardOutline {
            corners_in_image: refined.quad.scaled(1.0 / working.scale).higher_corner_first(),
            score: card.score,
            symbols_seen: card.symbols.len(),
            shape_seen: Some(card.shape),
        });
    }
    Ok(outlines)
}
