//! Finds the cards of a photo by their symbols, and their corners by their borders.

pub mod borders;
pub mod components;
pub mod corners;
pub mod grouping;
pub mod maps;
pub mod plane;
pub mod shape;
pub mod symbols;

use super::{CardOutline, Frame};
use crate::geometry::Quad;

/// How cards are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Long side of the working image in pixels.
    pub long_side_px: f64,
    /// What counts as a symbol.
    pub symbols: symbols::Params,
    /// What counts as a card's symbols.
    pub grouping: grouping::Params,
    /// What counts as the border of a card whose symbols cannot be read.
    pub borders: borders::Params,
    /// How a card's sides are looked for.
    pub corners: corners::Params,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            long_side_px: 1000.0,
            symbols: Default::default(),
            grouping: Default::default(),
            borders: Default::default(),
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
    let mut symbol_search = symbols::SymbolSearch::new(&working, &params.symbols);
    let mut border_search = borders::BorderSearch::new(&working, &params.borders);
    let mut components = components::Components::default();
    maps::for_each_map(&working, |map| {
        components.label(map.pixels, map.width);
        symbol_search.look(map, &components);
        border_search.look(map, &components);
    })?;
    let symbols = symbol_search.finish(&working)?;
    let long = working.width.max(working.height) as f64;
    let grouped = grouping::group(symbols, long, &params.grouping);
    let mut table = grouped.table;
    let mut refined = Vec::with_capacity(grouped.cards.len());
    for card in &grouped.cards {
        refined.push(corners::Refined::of(
            &working,
            &card.quad(),
            table.as_ref(),
            &params.corners,
        )?);
    }
    // The sides that were seen show the table better than the symbols did; then look again where
    // a side was not seen.
    if let Some(first) = table
        && let Some(better) = first.improved(&sure_quads(&refined))
    {
        for card in &mut refined {
            *card = card.again(&working, &better, &params.corners)?;
        }
        table = Some(better);
    }
    let mut outlines: Vec<CardOutline> = grouped
        .cards
        .iter()
        .zip(&refined)
        .map(|(card, refined)| CardOutline {
            corners_in_image: refined.quad,
            score: card.score,
            symbols_seen: card.symbols.len(),
            shape_seen: Some(card.shape),
        })
        .collect();
    if let Some(table) = &table {
        for quad in border_search.cards_on(table) {
            let taken = |o: &CardOutline| {
                let reach = 0.5 * o.corners_in_image.short_side();
                o.corners_in_image.center().distance(quad.center()) < reach
            };
            if outlines.iter().any(taken) {
                continue;
            }
            let refined = corners::Refined::of(&working, &quad, Some(table), &params.corners)?;
            if refined.confirmed.iter().filter(|&&ok| ok).count() >= 3 {
                outlines.push(CardOutline {
                    corners_in_image: refined.quad,
                    score: BORDER_ONLY_SCORE,
                    symbols_seen: 0,
                    shape_seen: None,
                });
            }
        }
    }
    tracing::debug!(cards = outlines.len(), table = table.is_some(), "segmented");
    for outline in &mut outlines {
        outline.corners_in_image =
            outline.corners_in_image.scaled(1.0 / working.scale).higher_corner_first();
    }
    Ok(outlines)
}

/// Log odds of a border without a readable symbol: more often a card in glare than something else
/// of a card's very size, but the reader must see ink in it.
const BORDER_ONLY_SCORE: f64 = 0.5;

/// Corners of the cards whose sides were nearly all seen, with weights.
fn sure_quads(cards: &[corners::Refined]) -> Vec<(Quad, f64)> {
    cards
        .iter()
        .filter_map(|card| match card.confirmed.iter().filter(|&&ok| ok).count() {
            4 => Some((card.quad, 1.0)),
            3 => Some((card.quad, 0.5)),
            2 => Some((card.quad, 0.1)),
            _ => None,
        })
        .collect()
}
