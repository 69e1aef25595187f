//! The learned finder: a network detects cards; their borders and the table's plane give the
//! corners.
//!
//! The photo is shrunk to a long side of 320 pixels ([`shrink`]). A network detects cards
//! and symbols ([`decode`]). Each card's corners are fitted to the table's plane and
//! to its borders ([`place`]); for covered cards, other positions are tried ([`search`]). A
//! logistic regression on the features ([`evidence`]) gives each outline its log odds.

pub(crate) mod decode;
pub(crate) mod detections;
pub mod evidence;
pub(crate) mod pictures;
pub(crate) mod place;
pub(crate) mod placer;
pub(crate) mod search;
pub(crate) mod shrink;

use super::{CardFinder, FindError, panels::panels, working::Working};
use crate::{
    classify::fusion::Fusion, data::CardOutline, overlap::tell_shared, refiner::RefinerNetwork,
    trace::Trace,
};
use decode::{Candidate, FinderNetwork, Maps};
pub(crate) use detections::Detections;
pub use detections::Params;
use setsight_nets::Kind;
use setsight_nets::engine::{Models, ModelsError};
use setsight_photo::Frame;
use setsight_photo::geometry::{Point, Quad, space};
use shrink::ScaledPhoto;
use std::sync::Arc;

/// The finder that uses networks.
pub struct Learned {
    /// The detector.
    pub network: Box<dyn FinderNetwork>,
    /// Corrects and scores outlines; without it, the borders alone decide.
    pub refiner: Option<Arc<dyn RefinerNetwork>>,
    /// Sizes and thresholds.
    pub params: Params,
    /// Weights of an outline's features.
    pub weights: evidence::Weights,
}

impl Learned {
    /// With the default parameters.
    pub fn new(
        network: Box<dyn FinderNetwork>,
        refiner: Option<Arc<dyn RefinerNetwork>>,
        weights: evidence::Weights,
    ) -> Self {
        Self { network, refiner, params: Params::default(), weights }
    }

    /// Loads its network and weights. `refiner` is the network that it shares with the reader.
    ///
    /// # Errors
    /// The finder network is missing, or it or the weights are broken.
    pub fn load(
        models: &Models,
        refiner: Option<Arc<dyn RefinerNetwork>>,
    ) -> Result<Self, ModelsError> {
        let network = Box::new(models.network(Kind::Finder)?);
        Ok(Self::new(network, refiner, Fusion::outline_weights(models)?))
    }

    /// Detects cards and keeps all intermediate results. `None` for a photo too small to hold a
    /// card.
    ///
    /// # Errors
    /// See [`FindError`].
    pub fn detect(&self, frame: &Frame) -> Result<Option<Detections>, FindError> {
        detect(frame, &*self.network, self.refiner.as_deref(), &self.params)
    }
}

impl CardFinder for Learned {
    fn name(&self) -> &'static str {
        "learned"
    }

    fn find(&self, frame: &Frame, trace: &mut Trace<'_>) -> Result<Vec<CardOutline>, FindError> {
        let Some(seen) = self.detect(frame)? else { return Ok(Vec::new()) };
        trace.picture("heat", || pictures::heat(&seen))?;
        trace.picture("places", || pictures::places(frame, &seen, &self.weights))?;
        let outlines = outlines(&seen, &self.params, &self.weights);
        Ok(with_panels(outlines, &panels(frame)))
    }
}

fn detect(
    frame: &Frame,
    network: &dyn FinderNetwork,
    refiner: Option<&dyn RefinerNetwork>,
    params: &Params,
) -> Result<Option<Detections>, FindError> {
    const SMALLEST_PX: u32 = 16;
    if frame.width().min(frame.height()) < SMALLEST_PX {
        return Ok(None);
    }
    let mut working = Working::new(frame, params.working_px);
    let (scaled, maps, cards) = best_pass(&working, network, params)?;
    let mut symbols = decode::symbols(&maps, params.least_symbol_heat);

    // Borders need a median card that is large enough.
    let median_px = median_long_side(&cards).map(|px| px * scaled.working_per_input.x);
    let mut per_input = scaled.working_per_input;
    if let Some(px) = median_px
        && px < params.smallest_working_card_px
    {
        let wanted = params.working_px * params.smallest_working_card_px * 1.3 / px;
        let before = (working.width as f64, working.height as f64);
        working = Working::new(frame, wanted.min(params.largest_working_px));
        per_input.x *= working.width as f64 / before.0;
        per_input.y *= working.height as f64 / before.1;
    }
    let scaled = ScaledPhoto { working_per_input: per_input, ..scaled };
    let in_working = |card: &Candidate| Candidate {
        quad: Quad::of(card.quad.0.map(|p| scaled.working_from_input(p))),
        heat: card.heat,
    };
    let cards: Vec<Candidate<space::Working>> = cards.iter().map(in_working).collect();
    for symbol in &mut symbols {
        symbol.center = scaled.working_from_input(symbol.center);
    }
    let placed = place::place(frame, &working, &cards, &symbols, refiner, &params.place)?;
    let features = evidence::features(&maps, &scaled, &symbols, &placed);
    Ok(Some(Detections { working, scaled, maps, symbols, placed, features }))
}

/// The candidates whose log odds reach the threshold, the likeliest first.
pub(crate) fn outlines(
    seen: &Detections,
    params: &Params,
    weights: &evidence::Weights,
) -> Vec<CardOutline> {
    let mut outlines: Vec<CardOutline> = seen
        .placed
        .iter()
        .zip(&seen.features)
        .map(|(card, features)| CardOutline {
            score: evidence::log_odds(features, weights),
            ..CardOutline::at(seen.working.in_image(&card.refined.quad).higher_corner_first())
        })
        .filter(|outline| outline.score >= params.least_score)
        .collect();
    outlines.sort_by(|a, b| b.score.total_cmp(&a.score));
    tell_shared(&mut outlines);
    outlines
}

/// With the panels of a drawing in the place of what was detected on them.
fn with_panels(mut outlines: Vec<CardOutline>, panels: &[Quad]) -> Vec<CardOutline> {
    /// Part of the smaller one that an outline and the panel that it means have in common.
    const SAME: f64 = 0.5;
    /// Log odds that a panel is a card: the reader must find ink on it.
    const PANEL_SCORE: f64 = 2.0;
    // A drawing shows most of its cards so; a few in a photo are chance.
    let likely = outlines.iter().filter(|outline| outline.score > 0.0).count();
    if panels.is_empty() || 2 * panels.len() < likely {
        return outlines;
    }
    for panel in panels {
        let is_on = |outline: &CardOutline| outline.corners_in_image.shared_area(panel) >= SAME;
        let best = outlines.iter().filter(|outline| is_on(outline)).map(|outline| outline.score);
        let score = best.fold(PANEL_SCORE, f64::max);
        outlines.retain(|outline| !is_on(outline));
        outlines.push(CardOutline { score, ..CardOutline::at(panel.higher_corner_first()) });
    }
    outlines.sort_by(|a, b| b.score.total_cmp(&a.score));
    tell_shared(&mut outlines);
    outlines
}

/// The usual pass, or the one at another scale that shows most cards if that shows none.
fn best_pass(
    working: &Working,
    network: &dyn FinderNetwork,
    params: &Params,
) -> Result<(ScaledPhoto, Maps, Vec<Candidate>), FindError> {
    // Enlarged further, a photo shows nothing more, and the pass costs as much as one of a large photo.
    const MOST_ENLARGED: f64 = 2.0;
    let enlarged_px = working.width.max(working.height) as f64 / working.scale * MOST_ENLARGED;
    let likely = |cards: &[Candidate]| cards.iter().filter(|c| c.heat > 0.0).count();
    let take = |long_side_px: f64| -> Result<(ScaledPhoto, Maps, Vec<Candidate>), FindError> {
        let scaled = ScaledPhoto::new(working, long_side_px);
        let maps = network.maps(&scaled.input)?;
        let inside = |c: &Candidate| {
            let Point { x, y } = c.quad.center();
            x < scaled.size.0 as f64 && y < scaled.size.1 as f64
        };
        let mut cards = decode::cards(&maps, params.least_heat, params.apart);
        cards.retain(inside);
        // The likeliest come first.
        cards.truncate(worth_a_look(likely(&cards)));
        Ok((scaled, maps, cards))
    };
    let mut best = take(params.long_side_px)?;
    if likely(&best.2) == 0 {
        let others = params.blind_passes_px.into_iter();
        for long_side_px in others.filter(|&px| px < params.long_side_px.max(enlarged_px)) {
            let next = take(long_side_px)?;
            if likely(&next.2) > likely(&best.2) {
                best = next;
            }
        }
    }
    Ok(best)
}

/// How many candidates are looked at where so many are likely. Each costs as much as a card, and a
/// picture without cards, such as a page of text, has unlikely ones without end; a table has fewer
/// than likely ones, and most of those in a heap.
const fn worth_a_look(likely: usize) -> usize {
    /// As many as lie on a table, for those on which none is likely.
    const UNLIKELY: usize = 12;
    /// More than a deck and what it is laid on.
    const MOST: usize = 120;
    let some = UNLIKELY + 2 * likely;
    if some < MOST { some } else { MOST }
}

/// Long side of the median likely card, in pixels of the input.
fn median_long_side(cards: &[Candidate]) -> Option<f64> {
    let mut sizes: Vec<f64> = cards
        .iter()
        .filter(|c| c.heat > -0.4)
        .map(|c| c.quad.long_side().max(c.quad.short_side()))
        .collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied()
}

#[cfg(test)]
mod tests;
