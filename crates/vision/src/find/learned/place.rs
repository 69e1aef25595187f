//! Turns the network's rough outlines into exact corners.
//!
//! The network is off by a few hundredths of a card. Three sources make the corners exact. The
//! table is one plane on which all cards have the same size; a dozen rough outlines determine it
//! better than one outline its own card. The symbols lie on the card's middle line at known places.
//! And the border, where it is visible, is searched for in the working image near the place that
//! the other two predict.
//!
//! A side that was found may be a neighbour's: a card of three symbols that is partly covered can
//! pass for a card of one symbol. The refiner judges which of the possible places of a covered card
//! is right, and its corrected corners lead to better ones.

use super::candidates::{Candidate, SymbolPeak};
use crate::{
    find::{
        FindError,
        plane::{SizeField, TablePlane, log_size},
        sides::{self, Refined, even_rim},
        working_image::{Working, WorkingQuad},
    },
    overlap::is_overlapped,
    probability::sigmoid,
    refiner::{self, Answer, RefinerNetwork},
};
use setsight_game::cards::{
    Number,
    outline::{SYMBOL_SPACING, symbol_centers},
};
use setsight_photo::Frame;
use setsight_photo::geometry::{Homography, Point, Quad, space};

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
    /// Fewest cards that determine a table; fewer leave the tilt too uncertain.
    pub fewest_on_table: usize,
    /// Share of the likely cards' sides that must be found for the table to be accepted: on a wrong
    /// table, the sides are not where it predicts them.
    pub enough_sides: f64,
    /// Most cards for which other places are searched; each costs as much as reading a table, and boxes on a
    /// screen may overlap without end.
    pub most_searched: usize,
}

impl Default for Params {
    fn default() -> Self {
        // What lies farther off the other cards' table lies on a box, is held in a hand, or is no card.
        let on_table = sides::Params { elsewhere: 0.30, ..Default::default() };
        Self {
            // Decks differ in the size of their symbols, and the network is inexact, so the table's
            // unit is uncertain at first: sides may deviate from it by more than later.
            sides: sides::Params { reach: 0.15, agreement: 0.08, ..on_table },
            sides_again: sides::Params { reach: 0.05, expected_deviation: 0.02, ..on_table },
            rounds: 2,
            fewest_on_table: 3,
            enough_sides: 0.75,
            most_searched: 12,
        }
    }
}

/// A candidate with fitted corners, in working pixels.
#[derive(Clone, Copy, Debug)]
pub struct FittedCard {
    /// The network's prediction.
    pub candidate: Candidate<space::Working>,
    /// The outline that table and symbols predict.
    pub expected: WorkingQuad,
    /// The outline with the sides found.
    pub refined: Refined,
}

/// Cards and the table fitted to them.
#[derive(Debug)]
pub struct FittedTable {
    /// The table, if there are cards enough.
    pub table: Option<TablePlane>,
    /// The candidates, in their order.
    pub cards: Vec<FittedCard>,
}

/// The evidence to which corners are fitted.
pub(crate) struct PoseFitter<'a> {
    /// The photo, for the refiner's crops.
    pub frame: &'a Frame,
    /// The working image in which sides are searched for.
    pub working: &'a Working,
    /// The network's symbols, in working pixels.
    pub symbols: &'a [SymbolPeak],
    pub params: &'a Params,
}

impl PoseFitter<'_> {
    /// Fits the corners of all candidates, in working pixels.
    ///
    /// The first table is fitted to the candidates. If too few sides are found where it predicts them,
    /// the refiner names each card's corners, and a second table is fitted to those; it replaces the
    /// first if more sides are found. Next, other places are tried for covered cards. Last, the table
    /// is fitted to the sides found, which determine it best.
    pub(crate) fn fit(
        &self,
        candidates: &[Candidate<space::Working>],
        refiner: Option<&dyn RefinerNetwork>,
    ) -> Result<FittedTable, FindError> {
        let mut fitted = self.fit_table(candidates);
        if let Some(refiner) = refiner {
            let share = fitted.sides_of_likely();
            if share < self.params.enough_sides {
                let second = self.fit_table(&self.corrected(candidates, refiner)?);
                if second.sides_of_likely() > share {
                    fitted = second;
                }
            }
            if self.params.most_searched > 0 {
                self.search_covered(&mut fitted, refiner)?;
            }
        }
        fitted.refit(self.working, self.params);
        Ok(fitted)
    }

    /// Fits a table to the candidates, and each card to the table, its symbols and its sides.
    fn fit_table(&self, candidates: &[Candidate<space::Working>]) -> FittedTable {
        let long_side_px = self.working.width.max(self.working.height) as f64;
        let table = table_of(candidates, long_side_px, self.params);
        let cards = candidates.iter().map(|candidate| {
            let predicted = self.predict(&candidate.quad, table.as_ref());
            self.fit_card(*candidate, predicted, table.as_ref())
        });
        FittedTable { cards: cards.collect(), table }
    }

    /// The predicted outline of a card whose rough outline is given: laid on the table, if it is
    /// close to it, and moved to the symbols that the network detected.
    fn predict(&self, outline: &WorkingQuad, table: Option<&TablePlane>) -> WorkingQuad {
        let on_table = table.and_then(|t| t.card_near(outline, self.params.sides.elsewhere));
        centred_on_symbols(&on_table.unwrap_or(*outline), self.symbols)
    }

    /// Searches for the card's sides near the expected outline.
    fn fit_card(
        &self,
        candidate: Candidate<space::Working>,
        expected: WorkingQuad,
        table: Option<&TablePlane>,
    ) -> FittedCard {
        let refined = Refined::locate(self.working, &expected, table, &self.params.sides);
        FittedCard { candidate, expected, refined }
    }

    /// The candidates with the corners that the refiner names.
    fn corrected(
        &self,
        candidates: &[Candidate<space::Working>],
        refiner: &dyn RefinerNetwork,
    ) -> Result<Vec<Candidate<space::Working>>, FindError> {
        /// A second step helps: the first correction shows the card straighter.
        const STEPS: usize = 2;
        let mut quads: Vec<Quad> =
            candidates.iter().map(|candidate| self.working.in_image(&candidate.quad)).collect();
        for _ in 0..STEPS {
            let answers = refiner::classify(self.frame, &quads, refiner)?;
            for (quad, answer) in quads.iter_mut().zip(answers) {
                if let Some(corrected) = answer.and_then(|answer| answer.corrected) {
                    *quad = corrected;
                }
            }
        }
        let corrected = candidates.iter().zip(quads).map(|(candidate, quad)| Candidate {
            quad: self.working.in_working(&quad),
            ..*candidate
        });
        Ok(corrected.collect())
    }

    /// Moves each doubtful card to its likeliest place. A card is doubtful if another card covers it,
    /// not all its sides were found, and the refiner does not confirm its place. All places are judged
    /// in one batch, which costs little more than one place. Each place is given to one card only, and
    /// to none if a card without doubt lies there, unless a card has no other place.
    fn search_covered(
        &self,
        fitted: &mut FittedTable,
        network: &dyn RefinerNetwork,
    ) -> Result<(), FindError> {
        let FittedTable { cards, table } = fitted;
        let in_image = |card: &FittedCard| self.working.in_image(&card.refined.quad);
        let current: Vec<Quad> = cards.iter().map(in_image).collect();
        let doubtful = self.doubtful(cards, &current, network)?;
        let mut taken: Vec<Quad> =
            (0..current.len()).filter(|i| !doubtful.contains(i)).map(|i| current[i]).collect();
        let starts =
            doubtful.iter().map(|&i| self.search_starts(&cards[i], table.as_ref())).collect();
        let likely = likely_places(self.frame, starts, &taken, network)?;

        let mut tried: Vec<(usize, FittedCard)> = Vec::new();
        for (&i, places) in doubtful.iter().zip(likely) {
            // A card without a context crop stays where it is.
            tried.push((i, cards[i]));
            for place in places {
                let place = self.working.in_working(&place);
                tried.push((i, self.fit_card(cards[i].candidate, place, table.as_ref())));
            }
        }
        let places: Vec<Quad> = tried.iter().map(|(_, card)| in_image(card)).collect();
        let judged = refiner::classify_augmented(self.frame, &places, network)?;
        let merits = judged.iter().zip(&tried).map(|(answer, (_, card))| {
            answer.map_or(f64::MIN, |a| f64::from(a.right) + visible_evidence(card, self.working))
        });
        let mut order: Vec<(f64, usize)> = merits.zip(0..).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut unplaced = doubtful;
        for must_be_free in [true, false] {
            for &(_, k) in &order {
                let (i, card) = &tried[k];
                if let Some(at) = unplaced.iter().position(|card| card == i)
                    && (!must_be_free || !taken.iter().any(|other| places[k].is_same_place(other)))
                {
                    unplaced.swap_remove(at);
                    taken.push(places[k]);
                    cards[*i] = *card;
                }
            }
        }
        Ok(())
    }

    /// The covered cards whose places the refiner does not confirm, the likeliest first.
    fn doubtful(
        &self,
        cards: &[FittedCard],
        in_image: &[Quad],
        network: &dyn RefinerNetwork,
    ) -> Result<Vec<usize>, FindError> {
        /// Log odds that a place is right from which no other is tried, by one crop and with test-time
        /// augmentation.
        const RIGHT_ENOUGH: f32 = 4.0;
        const RIGHT_ENOUGH_BOTH_ENDS: f32 = 2.5;
        let quads: Vec<WorkingQuad> = cards.iter().map(|card| card.refined.quad).collect();
        let covered: Vec<usize> = (0..cards.len())
            .filter(|&i| cards[i].refined.confirmed != [true; 4] && is_overlapped(i, &quads))
            .collect();
        let places = |which: &[usize]| which.iter().map(|&i| in_image[i]).collect::<Vec<Quad>>();
        let answers = refiner::classify(self.frame, &places(&covered), network)?;
        // Test-time augmentation runs only where a single crop leaves a doubt.
        let (mut doubtful, answers): (Vec<usize>, Vec<Option<Answer>>) = covered
            .into_iter()
            .zip(answers)
            .filter(|(_, answer)| answer.is_none_or(|answer| answer.right < RIGHT_ENOUGH))
            .unzip();
        let answers = refiner::augmented(self.frame, &places(&doubtful), &answers, network)?;
        let mut answers = answers.into_iter();
        doubtful.retain(|_| {
            !answers.next().flatten().is_some_and(|a| a.right >= RIGHT_ENOUGH_BOTH_ENDS)
        });
        // The rest stay where they are.
        doubtful.truncate(self.params.most_searched);
        Ok(doubtful)
    }

    /// Start places of the search for a covered card, in pixels of the photo: the fitted outline, moved
    /// so that its symbols would be different ones of the card, and turned to either side; and the same for
    /// the network's own outline.
    fn search_starts(&self, card: &FittedCard, table: Option<&TablePlane>) -> Vec<Quad> {
        const HALF: f64 = SYMBOL_SPACING / 2.0;
        /// In radians. Of misplaced covered cards, one in two is off by 4 to 30 degrees.
        const TURN: f64 = 15.0 * std::f64::consts::PI / 180.0;
        let bases = [card.refined.quad, self.predict(&card.candidate.quad, table)];
        let places = bases.into_iter().flat_map(|base| {
            let moved = [0.0, -1.0, 1.0, -2.0, 2.0].map(|steps| shifted(&base, steps * HALF));
            moved.into_iter().chain([-TURN, TURN].map(|angle| turned(&base, angle)))
        });
        places.map(|quad| self.working.in_image(&quad)).collect()
    }
}

impl FittedTable {
    /// Share of the likely cards' sides that were found, 0 to 1; 1 if there are no likely cards.
    fn sides_of_likely(&self) -> f64 {
        let likely = self.cards.iter().filter(|card| card.candidate.heat > 0.0);
        let (count, found) = likely
            .fold((0, 0), |(count, found), card| (count + 4, found + card.refined.sides_found()));
        if count == 0 { 1.0 } else { found as f64 / count as f64 }
    }

    /// Fits the table to the sides found, and searches for sides again where it predicts them.
    fn refit(&mut self, working: &Working, params: &Params) {
        /// Weight of a card, by the number of its sides that were found.
        const WEIGHTS: [f64; 5] = [0.02, 0.02, 0.1, 0.5, 1.0];
        let weight =
            |card: &FittedCard| WEIGHTS[card.refined.sides_found()] * sigmoid(card.candidate.heat);
        for _ in 0..params.rounds {
            let quads: Vec<(WorkingQuad, f64)> =
                self.cards.iter().map(|card| (card.refined.quad, weight(card))).collect();
            let better = self.table.as_ref().and_then(|table| table.improved(&quads));
            let Some(better) = better else { break };
            for card in &mut self.cards {
                card.refined = card.refined.again(working, &better, &params.sides_again);
            }
            self.table = Some(better);
        }
    }
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

/// Moves the card so that the symbols on it coincide with a card's places.
///
/// The number of symbols is unknown: of one, two and three, it takes the one that leaves the fewest
/// symbols unexplained and the fewest places empty (in a heap, some symbols are covered).
fn centred_on_symbols(quad: &WorkingQuad, symbols: &[SymbolPeak]) -> WorkingQuad {
    /// Largest distance of a symbol from its place, in long and in short sides.
    const REACH: (f64, f64) = (0.10, 0.16);
    const UNEXPLAINED: f64 = 0.7;
    const EMPTY: f64 = 0.5;
    /// Weight of the predicted centre, as a number of symbols whose mean would weigh the same.
    const PREDICTION: f64 = 0.5;
    let unit = Quad::unit_card();
    let Some(image_from_card) = Homography::between(&unit, quad) else { return *quad };
    let Some(card_from_image) = image_from_card.inverse() else { return *quad };
    let reach_px = 0.5 * quad.long_side().max(quad.short_side());
    let inside: Vec<Point> = symbols
        .iter()
        .filter(|s| s.heat > 0.0 && s.center.distance(quad.center()) < reach_px)
        .map(|s| card_from_image.apply(s.center))
        .filter(|p| p.x.abs() < 0.42 && p.y.abs() < 0.22)
        .collect();
    let mut best = (f64::MIN, Point::default());
    for number in Number::ALL {
        let places = symbol_centers(number);
        let (mut shift, mut matched) = (Point::default(), 0.0);
        for &p in &inside {
            let nearest =
                places.iter().copied().min_by(|a, b| (p.x - a).abs().total_cmp(&(p.x - b).abs()));
            if let Some(x) = nearest
                && (p.x - x).abs() < REACH.0
                && p.y.abs() < REACH.1
            {
                matched += 1.0;
                shift = shift + Point::new(p.x - x, p.y);
            }
        }
        let score = matched
            - UNEXPLAINED * (inside.len() as f64 - matched)
            - EMPTY * (places.len() as f64 - matched).abs();
        if score > best.0 {
            best = (score, shift / (matched + PREDICTION));
        }
    }
    let moved = Quad::new(unit.0.map(|p| p + best.1));
    image_from_card.apply_quad(&moved)
}

/// The visible evidence for a place, on the scale of the refiner's log odds: sides found, and an
/// even rim, which a place half off a card lacks.
fn visible_evidence(card: &FittedCard, working: &Working) -> f64 {
    const SIDE: f64 = 0.5;
    const RIM: f64 = 2.0;
    SIDE * card.refined.sides_found() as f64 + RIM * even_rim(&card.refined.quad, working)
}

/// The likeliest places of each card, by the refiner: of the start places and of the corrected
/// places that the refiner leads to, step by step. Places in `taken`, where other cards lie, are
/// excluded, because a covered card's start places lead to the cards on top of it.
fn likely_places(
    frame: &Frame,
    starts: Vec<Vec<Quad>>,
    taken: &[Quad],
    network: &dyn RefinerNetwork,
) -> Result<Vec<Vec<Quad>>, FindError> {
    /// Number of each card's likeliest places that each step continues from.
    const GOES_ON: [usize; 3] = [6, 4, 0];
    /// Number of places returned for each card.
    const WANTED: usize = 4;
    let mut judged: Vec<Vec<(Quad, f32)>> = vec![Vec::new(); starts.len()];
    let mut next = starts;
    for goes_on in GOES_ON {
        next.iter_mut().for_each(|places| {
            places.retain(|place| !taken.iter().any(|other| place.is_same_place(other)))
        });
        let mut answers = refiner::classify(frame, &next.concat(), network)?.into_iter();
        for (judged, places) in judged.iter_mut().zip(&mut next) {
            let answers = answers.by_ref().take(places.len());
            let mut now: Vec<_> = places
                .drain(..)
                .zip(answers)
                .filter_map(|(place, answer)| Some((place, answer?)))
                .collect();
            now.sort_by(|a, b| b.1.right.total_cmp(&a.1.right));
            *places = some_apart(now.iter().filter_map(|(_, answer)| answer.corrected), goes_on);
            judged.extend(now.into_iter().map(|(place, answer)| (place, answer.right)));
        }
    }
    let likeliest = judged.into_iter().map(|mut places| {
        places.sort_by(|a, b| b.1.total_cmp(&a.1));
        some_apart(places.into_iter().map(|(place, _)| place), WANTED)
    });
    Ok(likeliest.collect())
}

/// The first `most` places, without those nearly equal to an earlier one.
fn some_apart(places: impl Iterator<Item = Quad>, most: usize) -> Vec<Quad> {
    /// Distance of a corner, in short sides: at nearer places, the same sides would be found.
    const APART: f64 = 0.04;
    let mut kept: Vec<Quad> = Vec::with_capacity(most);
    for place in places {
        let apart = APART * place.short_side();
        let is_near = kept
            .iter()
            .any(|earlier| place.0.iter().zip(&earlier.0).all(|(a, b)| a.distance(*b) < apart));
        if kept.len() < most && !is_near {
            kept.push(place);
        }
    }
    kept
}

/// The card moved along its long side, by a share of that side.
fn shifted(quad: &WorkingQuad, shift: f64) -> WorkingQuad {
    let unit = Quad::unit_card();
    let moved = Quad::new(unit.0.map(|p| p + Point::new(shift, 0.0)));
    Homography::between(&unit, quad).map_or(*quad, |h| h.apply_quad(&moved))
}

/// The card turned about its centre in the picture, by an angle in radians.
fn turned(quad: &WorkingQuad, angle: f64) -> WorkingQuad {
    let (sin, cos) = angle.sin_cos();
    let center = quad.center();
    WorkingQuad::from_corners(quad.0.map(|p| {
        let Point { x, y } = p - center;
        center + Point::new(x * cos - y * sin, x * sin + y * cos)
    }))
}

#[cfg(test)]
mod tests;
