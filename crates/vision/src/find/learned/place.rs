//! Turns the network's rough outlines into exact corners.
//!
//! The network is off by a few hundredths of a card. Three sources make the corners exact. The
//! table is one plane on which all cards have the same size; a dozen rough outlines determine it
//! better than one outline its own card. The symbols lie on the card's middle line at known places.
//! And the border, where it is visible, is searched for in the working image near the place that
//! the other two predict.

use super::{
    decode::{Candidate, SymbolPeak},
    placer::{Placed, Placer, fit_on, log_size},
    search,
};
use crate::{
    find::{
        FindError,
        plane::{SizeField, TablePlane},
        sides::{self, even_rim},
        working::{Working, WorkingQuad},
    },
    probability::sigmoid,
    refiner::{self, RefinerNetwork},
};
use setsight_photo::Frame;
use setsight_photo::geometry::{Point, Quad, space};

/// Parameters of fitting corners.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Parameters for finding sides. The network's outlines are less exact than those of the
    /// classical finder, which are measured on symbols in the photo, so this search reaches
    /// further.
    pub sides: sides::Params,
    /// Parameters for finding sides again, on a table that has been refitted: a side farther off is
    /// a neighbour's.
    pub sides_again: sides::Params,
    /// How often the table is fitted to the sides found, and sides are searched for again.
    pub rounds: usize,
    /// Mean distance of the corners, in short sides, from which a card does not lie on the table of
    /// the others: it lies on a box, is held in a hand, or is no card.
    pub elsewhere: f64,
    /// Fewest cards that determine a table; fewer leave the tilt too uncertain.
    pub fewest_on_table: usize,
    /// Share of the likely cards' sides that must be found for the table to be accepted: on a wrong
    /// table, the sides are not where it predicts them.
    pub enough_sides: f64,
    /// Parameters of the search for other places of covered cards; `None` skips the search.
    pub search: Option<search::Params>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            // Decks differ in the size of their symbols, and the network is inexact, so the table's
            // unit is uncertain at first: sides may deviate from it by more than later.
            sides: sides::Params { reach: 0.15, agreement: 0.08, ..Default::default() },
            sides_again: sides::Params {
                reach: 0.05,
                expected_deviation: 0.02,
                ..Default::default()
            },
            rounds: 2,
            elsewhere: 0.30,
            fewest_on_table: 3,
            enough_sides: 0.75,
            search: Some(search::Params::default()),
        }
    }
}

/// Fits the corners of all candidates (in working pixels); `peaks` are the network's symbols.
///
/// The first table is fitted to the candidates. If too few sides are found where it predicts them,
/// the refiner names each card's corners, and a second table is fitted to those; it replaces the
/// first if more sides are found. Next, other places are tried for covered cards. Last, the table
/// is fitted to the sides found, which determine it best.
pub(crate) fn place(
    frame: &Frame,
    working: &Working,
    candidates: &[Candidate<space::Working>],
    peaks: &[SymbolPeak],
    refiner: Option<&dyn RefinerNetwork>,
    params: &Params,
) -> Result<Vec<Placed>, FindError> {
    let mut laid = laid(working, candidates, peaks, params);
    if let Some(refiner) = refiner {
        let seen = sides_of_likely(&laid.cards);
        if seen < params.enough_sides {
            let corrected = corrected(frame, working, candidates, refiner)?;
            let other = self::laid(working, &corrected, peaks, params);
            if sides_of_likely(&other.cards) > seen {
                laid = other;
            }
        }
        if let Some(search) = &params.search {
            let table = laid.table.as_ref();
            let placer =
                Placer { working, table, peaks, sides: &params.sides, elsewhere: params.elsewhere };
            search::settle_covered(frame, &placer, &mut laid.cards, refiner, search)?;
        }
    }
    let Laid { mut table, mut cards } = laid;
    for _ in 0..params.rounds {
        let better = table.as_ref().and_then(|table| table.improved(&seen_quads(&cards)));
        let Some(better) = better else { break };
        for card in &mut cards {
            if better.misfit(&card.refined.quad) < params.elsewhere {
                card.refined = card.refined.again(working, &better, &params.sides_again);
            }
        }
        table = Some(better);
    }
    for card in &mut cards {
        card.rim = even_rim(&card.refined.quad, working);
        card.on_table = table.map(|table| fit_on(&table, &card.candidate.quad));
    }
    Ok(cards)
}

/// Cards and the table fitted to them.
struct Laid {
    table: Option<TablePlane>,
    cards: Vec<Placed>,
}

fn laid(
    working: &Working,
    candidates: &[Candidate<space::Working>],
    peaks: &[SymbolPeak],
    params: &Params,
) -> Laid {
    let long_side_px = working.width.max(working.height) as f64;
    let table = table_of(candidates, long_side_px, params);
    let sides = &params.sides;
    let placer =
        Placer { working, table: table.as_ref(), peaks, sides, elsewhere: params.elsewhere };
    let cards = candidates
        .iter()
        .map(|candidate| placer.put(candidate, &placer.expected(&candidate.quad)))
        .collect();
    Laid { table, cards }
}

/// Share of the likely cards' sides that were found, 0 to 1; 1 if there are no likely cards.
fn sides_of_likely(cards: &[Placed]) -> f64 {
    let likely = cards.iter().filter(|card| card.candidate.heat > 0.0);
    let (count, seen) =
        likely.fold((0, 0), |(count, seen), card| (count + 4, seen + card.refined.sides_seen()));
    if count == 0 { 1.0 } else { seen as f64 / count as f64 }
}

/// The candidates with the corners that the refiner names.
fn corrected(
    frame: &Frame,
    working: &Working,
    candidates: &[Candidate<space::Working>],
    refiner: &dyn RefinerNetwork,
) -> Result<Vec<Candidate<space::Working>>, FindError> {
    /// A second step helps: the first correction shows the card straighter.
    const STEPS: usize = 2;
    let mut quads: Vec<Quad> =
        candidates.iter().map(|candidate| working.in_image(&candidate.quad)).collect();
    for _ in 0..STEPS {
        let answers = refiner::classify(frame, &quads, refiner)?;
        for (quad, answer) in quads.iter_mut().zip(answers) {
            if let Some(corrected) = answer.and_then(|answer| answer.corrected) {
                *quad = corrected;
            }
        }
    }
    let with = |(candidate, quad): (&Candidate<space::Working>, Quad)| Candidate {
        quad: working.in_working(&quad),
        ..*candidate
    };
    Ok(candidates.iter().zip(quads).map(with).collect())
}

/// The table fitted to all candidates, each weighted by its probability of being a card.
fn table_of(
    candidates: &[Candidate<space::Working>],
    long_side_px: f64,
    params: &Params,
) -> Option<TablePlane> {
    if candidates.len() < params.fewest_on_table {
        return None;
    }
    let quads: Vec<(WorkingQuad, f64)> =
        candidates.iter().map(|c| (c.quad, 0.1 * sigmoid(c.heat).powi(2))).collect();
    let sizes: Vec<(Point, f64, f64)> =
        quads.iter().map(|(q, weight)| (q.center() / long_side_px, log_size(q), *weight)).collect();
    TablePlane::fit(&quads, &SizeField::fit(&sizes), long_side_px)
}

/// The cards with weights by the number of sides found: they determine the table best.
fn seen_quads(placed: &[Placed]) -> Vec<(WorkingQuad, f64)> {
    let weight = |card: &Placed| {
        [0.02, 0.02, 0.1, 0.5, 1.0][card.refined.sides_seen()] * sigmoid(card.candidate.heat)
    };
    placed.iter().map(|card| (card.refined.quad, weight(card))).collect()
}

#[cfg(test)]
mod tests;
