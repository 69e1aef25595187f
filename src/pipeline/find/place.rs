//! From the network's rough outlines to exact corners.
//!
//! The network is off by a few hundredths of a card. What makes the corners exact: the table is one
//! plane on which all cards have one size (twelve rough cards show it better than one shows
//! itself); the symbols stand on the card's middle line at known places; and the border, where it
//! can be seen, is looked for in the working image near where all that puts it.

use super::FindError;
use super::decode::{Candidate, SymbolPeak, sigmoid};
use super::evidence;
use super::refine::{self, Judged, Photo, RefinerNetwork};
use crate::cards::outline::{SYMBOL_SPACING, symbol_centers};
use crate::cards::{Number, Shape};
use crate::geometry::{Homography, Point, Quad};
use crate::pipeline::InPlace;
use crate::pipeline::segment::corners::{self, Refined};
use crate::pipeline::segment::grouping::{Grouped, SymbolGroup};
use crate::pipeline::segment::maps::Working;
use crate::pipeline::segment::overlap;
use crate::pipeline::segment::plane::{CARD_ASPECT, Pose, SizeField, Table};

/// How outlines are made exact.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// How the sides are looked for. The network's outlines are less exact than those that
    /// symbols measured in the photo give, so it reaches further.
    pub corners: corners::Params,
    /// The same where the table is known better and the card was put in its place: what lies farther
    /// off is a neighbour's.
    pub corners_again: corners::Params,
    /// [`corners::Params::agreement`] before the table is fitted to the sides: decks differ in how
    /// large their symbols are, and the network is off, so that the table's unit is not exact yet.
    pub first_agreement: f64,
    /// How often the table is fitted to the sides that were seen, and sides are looked for again.
    pub rounds: usize,
    /// Mean distance of the corners, in short sides, from which a card does not lie on the table
    /// of the others: on a box, in a hand, or no card.
    pub elsewhere: f64,
    /// Fewest cards that show a table: fewer say too little about a tilt.
    pub fewest_on_table: usize,
    /// How badly the network's card and one of symbols measured in the photo may agree, in
    /// deviations of the network's error.
    pub agree: f64,
    /// Log odds that symbols need to be a card where the network sees none.
    pub group_alone: f64,
    /// Log odds that a place is right, by one look at it, from which no other is tried.
    pub right_enough: f64,
    /// The same by the mean of two looks.
    pub right_enough_both_ways: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            corners: corners::Params { reach: 0.15, ..corners::Params::default() },
            corners_again: corners::Params {
                reach: 0.05,
                expected_deviation: 0.02,
                ..corners::Params::default()
            },
            first_agreement: 0.08,
            rounds: 2,
            elsewhere: 0.30,
            fewest_on_table: 3,
            agree: 4.0,
            group_alone: 2.0,
            right_enough: 4.0,
            right_enough_both_ways: 2.5,
        }
    }
}

/// A card in its place. Coordinates in working pixels.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// What the network said.
    pub candidate: Candidate,
    /// What symbols measured in the photo said.
    pub group: Option<Grouping>,
    /// Where table and symbols put it.
    pub expected: Quad,
    /// Where its sides were found.
    pub refined: Refined,
    /// How it fits the table of the others, if they show one.
    pub on_table: Option<OnTable>,
    /// What the network that looks at one card at a time says of it in this place; `None` where that
    /// was not asked, as where all four sides were seen, the rim is even and nothing lies across it.
    pub in_place: Option<InPlace>,
}

/// The symbols measured on a card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grouping {
    /// How many.
    pub symbols: usize,
    /// Their shape.
    pub shape: Shape,
    /// Log odds of a card, by the symbols alone.
    pub score: f64,
    /// How well they agree with the network on where the card is: 0 wholly, see [`Params::agree`].
    pub cost: f64,
}

/// How a predicted card fits the table of the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnTable {
    /// Mean distance of its corners from the nearest card's, in short sides.
    pub misfit: f64,
    /// Natural logarithm of its size over that of a card there.
    pub log_size: f64,
}

/// Puts every candidate (in working pixels) in its place; also the table, if they show one.
/// `peaks` are the network's symbols, `groups` those measured in the photo; a group that no
/// candidate claims is a candidate of its own, whose heat `heat_at` tells.
///
/// # Errors
/// The working image cannot be read, or the network does not run.
pub fn place(
    working: &Working,
    candidates: &[Candidate],
    peaks: &[SymbolPeak],
    groups: &Grouped,
    heat_at: &dyn Fn(Point) -> f64,
    judge: Option<&dyn RefinerNetwork>,
    params: &Params,
) -> Result<(Vec<Placed>, Option<Table>), FindError> {
    let long_side_px = working.width.max(working.height) as f64;
    let matches = matched(candidates, &groups.cards, params);
    let mut claims: Vec<Claim> =
        candidates.iter().zip(&matches).map(|(c, m)| Claim { candidate: *c, group: *m }).collect();
    for (i, group) in groups.cards.iter().enumerate() {
        let claimed = matches.iter().flatten().any(|m| m.group == i);
        if !claimed && group.score > params.group_alone {
            let candidate = Candidate { quad: group.quad(), heat: heat_at(group.center) };
            let group = GroupMatch { group: i, shift: 0.0, cost: params.agree };
            claims.push(Claim { candidate, group: Some(group) });
        }
    }
    let first = table_of(&claims, groups, long_side_px, params);
    let tries = |claim| Tries { working, claim, groups, peaks, table: first.as_ref(), params };
    let mut best: Vec<Try> =
        claims.iter().map(|claim| tries(claim).best()).collect::<opencv::Result<_>>()?;
    if let Some(judge) = judge {
        let has_all_sides = |tried: &Try| tried.placed.refined.confirmed == [true; 4];
        let mut unclear: Vec<usize> =
            (0..best.len()).filter(|&i| !has_all_sides(&best[i])).collect();
        let photo = Photo::of(working)?;
        let quads: Vec<Quad> = unclear.iter().map(|&i| best[i].placed.refined.quad).collect();
        let mut said = refine::judged(&photo, &quads, judge)?.into_iter();
        let is_right = |said: Judged| said.right >= params.right_enough;
        unclear.retain(|_| !said.next().flatten().is_some_and(is_right));
        let quads: Vec<Quad> = unclear.iter().map(|&i| best[i].placed.refined.quad).collect();
        let mut said = refine::right_both_ways(&photo, &quads, judge)?.into_iter();
        let is_right = |right: f64| right >= params.right_enough_both_ways;
        unclear.retain(|_| !said.next().flatten().is_some_and(is_right));
        let quads: Vec<Quad> = best.iter().map(|tried| tried.placed.refined.quad).collect();
        let doubt = |&i: &usize| Doubt {
            tries: tries(&claims[i]),
            best: best[i].clone(),
            lies_open: !is_overlapped(i, &quads),
        };
        let doubts = unclear.iter().map(doubt).collect();
        let is_settled = |i: &usize| !unclear.contains(i);
        let taken = (0..best.len()).filter(is_settled).map(|i| quads[i]).collect();
        for (i, settled) in unclear.into_iter().zip(settled(&photo, judge, doubts, taken)?) {
            best[i] = settled;
        }
    }
    let is_clear: Vec<bool> = best.iter().map(Try::is_clear).collect();
    let mut placed: Vec<Placed> = best.into_iter().map(|tried| tried.placed).collect();
    let mut table = first;
    for _ in 0..params.rounds {
        let better = table.as_ref().and_then(|table| table.improved(&seen_quads(&placed)));
        let Some(better) = better else { break };
        for card in &mut placed {
            card.on_table = Some(fit_on(&better, &card.expected));
            if better.misfit(&card.refined.quad) < params.elsewhere {
                card.refined = card.refined.again(working, &better, &params.corners_again)?;
            }
        }
        table = Some(better);
    }
    if let Some(judge) = judge {
        let quads: Vec<Quad> = placed.iter().map(|card| card.refined.quad).collect();
        // A card on top of others is not told here from one under them whose cover ends at its own sides.
        let asked: Vec<usize> =
            (0..quads.len()).filter(|&i| !is_clear[i] || is_overlapped(i, &quads)).collect();
        let quads: Vec<Quad> = asked.iter().map(|&i| quads[i]).collect();
        let said = refine::in_place(&Photo::of(working)?, &quads, judge)?;
        for (i, in_place) in asked.into_iter().zip(said) {
            placed[i].in_place = in_place;
        }
    }
    Ok((placed, table))
}

/// Whether one of some outlines overlaps another.
fn is_overlapped(one: usize, quads: &[Quad]) -> bool {
    quads.iter().enumerate().any(|(k, other)| k != one && overlap(&quads[one], other))
}

#[derive(Clone, Copy, Debug)]
struct Claim {
    candidate: Candidate,
    group: Option<GroupMatch>,
}

/// The places that a card may have, and what the picture says of each.
struct Tries<'a> {
    working: &'a Working,
    claim: &'a Claim,
    groups: &'a Grouped,
    peaks: &'a [SymbolPeak],
    table: Option<&'a Table>,
    params: &'a Params,
}

/// One place, and how well the picture agrees: sides that are there and an even rim for it, the
/// distance from where the network puts it against it.
#[derive(Clone)]
struct Try {
    placed: Placed,
    /// Share of the rim that is even, 0 to 1.
    rim: f64,
    merit: f64,
}

impl Try {
    /// What the picture shows of it, in sides seen.
    fn seen(&self) -> f64 {
        self.placed.refined.sides_seen() as f64 + Tries::RIM * self.rim
    }

    /// Nothing speaks against it.
    fn is_clear(&self) -> bool {
        self.rim > 0.95 && self.placed.refined.confirmed == [true; 4]
    }
}

impl Tries<'_> {
    /// What a wholly even rim is worth, in sides seen: a place half off a card has none.
    const RIM: f64 = 4.0;
    /// What a unit of [`cost_of`] is worth, in sides seen.
    const COST: f64 = 0.4;
    /// What speaks against the network's own outline, as [`cost_of`] would say: measured symbols
    /// are more exact.
    const NETWORK_COST: f64 = 1.0;

    /// The place where its symbols and the network put it, or another that the picture shows better.
    fn best(&self) -> opencv::Result<Try> {
        let candidate = &self.claim.candidate;
        let Some(m) = self.claim.group else {
            let best = self.at(&candidate.quad, 0.0)?;
            return self.moved_about(best);
        };
        let group = &self.groups.cards[m.group];
        let mut best = self.at(&shifted(&group.quad(), m.shift), m.cost)?;
        if best.placed.refined.confirmed != [true; 4] {
            // In a heap it is not known which of the card's symbols are seen.
            for &shift in shifts(group) {
                let cost = cost_of(candidate, group, shift);
                if shift != m.shift && cost < self.params.agree + 1.5 {
                    let other = self.at(&shifted(&group.quad(), shift), cost)?;
                    if other.merit > best.merit {
                        best = other;
                    }
                }
            }
        }
        // One symbol alone says little of how its card lies, a squiggle least of all: the network
        // saw all of the card.
        if group.symbols.len() == 1 && !best.is_clear() {
            let mut other = self.on(&self.as_network_says(), Self::NETWORK_COST)?;
            if other.merit > best.merit {
                if let Some(group) = &mut other.placed.group {
                    group.cost = m.cost;
                }
                best = other;
            }
        }
        Ok(best)
    }

    /// Places from which to look for a card that did not become clear: where it was put, where its
    /// symbols would be others of a card's, and turned to either side; the same of the network's own
    /// outline. What lies open shows all its symbols, and is near where it was put.
    fn starts(&self, best: &Try, lies_open: bool) -> Vec<Quad> {
        const HALF: f64 = SYMBOL_SPACING / 2.0;
        /// In radians: of covered cards that are misplaced one in two is off by 4 to 30 degrees.
        const TURN: f64 = 15.0 * std::f64::consts::PI / 180.0;
        let bases = [best.placed.refined.quad, self.as_network_says()];
        if lies_open {
            return bases.to_vec();
        }
        let about = |base: Quad| {
            let moved = [0.0, -1.0, 1.0, -2.0, 2.0].map(|steps| shifted(&base, steps * HALF));
            moved.into_iter().chain([-TURN, TURN].map(|angle| turned(&base, angle)))
        };
        bases.into_iter().flat_map(about).collect()
    }

    /// The network's outline, laid on the table and moved to the symbols that it saw.
    fn as_network_says(&self) -> Quad {
        centred_on_symbols(&self.laid(&self.claim.candidate.quad), self.peaks)
    }

    /// On the table, if it seems to lie there.
    fn laid(&self, start: &Quad) -> Quad {
        match self.table {
            Some(table) if table.misfit(start) < self.params.elsewhere => {
                let seen = table.table_from_image.apply_quad(start);
                table.quad_in_image(&Pose::nearest(&seen))
            }
            _ => *start,
        }
    }

    /// The best of some places around one where hardly a side was seen.
    fn moved_about(&self, start: Try) -> opencv::Result<Try> {
        /// How far, in short sides: what the network may be off by, beyond the reach for sides.
        const STEP: f64 = 0.14;
        /// What such a step costs, as [`cost_of`] would say.
        const STEP_COST: f64 = 1.2;
        if start.placed.refined.sides_seen() > 2 || self.table.is_none() {
            return Ok(start);
        }
        let [a, b, c, d] = start.placed.expected.0;
        let along = (b - a + c - d) / 2.0 / CARD_ASPECT * STEP;
        let across = (c - b + d - a) / 2.0 * STEP;
        let mut best = start;
        let from = best.placed.expected;
        for (x, y) in
            [(1., 0.), (-1., 0.), (0., 1.), (0., -1.), (1., 1.), (1., -1.), (-1., 1.), (-1., -1.)]
        {
            let step: Point = along * x + across * y;
            let length = f64::hypot(x, y);
            let quad = Quad(from.0.map(|p| p + step));
            let other = self.on(&quad, STEP_COST * length)?;
            if other.merit > best.merit {
                best = other;
            }
        }
        Ok(best)
    }

    /// The card where it seems to be, laid on the table and, without measured symbols, moved to the
    /// network's.
    fn at(&self, start: &Quad, cost: f64) -> opencv::Result<Try> {
        let mut expected = self.laid(start);
        if self.claim.group.is_none() {
            expected = centred_on_symbols(&expected, self.peaks);
        }
        let mut tried = self.on(&expected, cost)?;
        tried.placed.on_table = self.table.map(|table| fit_on(table, start));
        Ok(tried)
    }

    fn on(&self, expected: &Quad, cost: f64) -> opencv::Result<Try> {
        let table = self.table.filter(|table| table.misfit(expected) < self.params.elsewhere);
        let first =
            corners::Params { agreement: self.params.first_agreement, ..self.params.corners };
        let refined = Refined::of(self.working, expected, table, &first)?;
        let sides = refined.sides_seen();
        let rim = evidence::even_rim(&refined.quad, self.working)?;
        let group = self.claim.group.map(|m| {
            let group = &self.groups.cards[m.group];
            let (symbols, shape) = (group.symbols.len(), group.shape);
            Grouping { symbols, shape, score: group.score, cost }
        });
        let placed = Placed {
            candidate: self.claim.candidate,
            group,
            expected: *expected,
            refined,
            on_table: self.table.map(|table| fit_on(table, expected)),
            in_place: None,
        };
        Ok(Try { placed, rim, merit: sides as f64 + Self::RIM * rim - Self::COST * cost })
    }
}

/// A card whose place is in doubt.
struct Doubt<'a> {
    tries: Tries<'a>,
    best: Try,
    /// No other card seems to lie across it.
    lies_open: bool,
}

/// The likeliest places of cards that are in doubt, given with what could be tried: a side that is seen
/// may be a neighbour's. All cards' places are judged at once: a network takes many for little more
/// than one. No two cards lie in one place, nor one in a place that is `taken`, unless it has no other.
fn settled(
    photo: &Photo,
    judge: &dyn RefinerNetwork,
    doubts: Vec<Doubt>,
    mut taken: Vec<Quad>,
) -> Result<Vec<Try>, FindError> {
    /// What a side that is seen is worth, in log odds of the network.
    const SEEN: f64 = 0.5;
    let starts =
        doubts.iter().map(|doubt| doubt.tries.starts(&doubt.best, doubt.lies_open)).collect();
    let mut close: Vec<(usize, Try)> = Vec::new();
    let likely = refine::likely_places(photo, starts, &taken, judge)?;
    for (card, (doubt, places)) in doubts.into_iter().zip(likely).enumerate() {
        // What cannot be looked at stays where it is.
        close.push((card, doubt.best));
        for place in places {
            close.push((card, doubt.tries.on(&place, 0.0)?));
        }
    }
    let quads: Vec<Quad> = close.iter().map(|(_, tried)| tried.placed.refined.quad).collect();
    let judged = refine::right_both_ways(photo, &quads, judge)?;
    let merit = |right: Option<f64>, tried: &Try| {
        right.map_or(f64::MIN, |right| right + SEEN * tried.seen())
    };
    let mut tried: Vec<(f64, usize, Try)> = close
        .into_iter()
        .zip(judged)
        .map(|((card, tried), right)| (merit(right, &tried), card, tried))
        .collect();
    tried.sort_by(|a, b| b.0.total_cmp(&a.0));
    let cards = tried.iter().map(|(_, card, _)| card + 1).max().unwrap_or(0);
    let mut settled: Vec<Option<Try>> = vec![None; cards];
    for (_, card, tried) in &tried {
        let quad = &tried.placed.refined.quad;
        let is_free = || !taken.iter().any(|other| refine::is_same_place(quad, other));
        if settled[*card].is_none() && is_free() {
            taken.push(*quad);
            settled[*card] = Some(tried.clone());
        }
    }
    for (_, card, tried) in tried {
        settled[card].get_or_insert(tried);
    }
    Ok(settled.into_iter().flatten().collect())
}

/// Which group of symbols a candidate's are, and how far along the card's axis (in long sides) the
/// card's centre is from the group's: in a heap some symbols are covered.
#[derive(Clone, Copy, Debug)]
struct GroupMatch {
    group: usize,
    shift: f64,
    cost: f64,
}

/// The group of each candidate, if it has one; the pairs that agree best first.
fn matched(
    candidates: &[Candidate],
    groups: &[SymbolGroup],
    params: &Params,
) -> Vec<Option<GroupMatch>> {
    let mut pairs: Vec<(usize, GroupMatch)> = Vec::new();
    for (c, candidate) in candidates.iter().enumerate() {
        for (g, group) in groups.iter().enumerate() {
            for &shift in shifts(group) {
                let cost = cost_of(candidate, group, shift);
                if cost < params.agree {
                    pairs.push((c, GroupMatch { group: g, shift, cost }));
                }
            }
        }
    }
    pairs.sort_by(|a, b| {
        a.1.cost.total_cmp(&b.1.cost).then((a.0, a.1.group).cmp(&(b.0, b.1.group)))
    });
    let mut of: Vec<Option<GroupMatch>> = vec![None; candidates.len()];
    for (c, pair) in pairs {
        let taken = of.iter().flatten().any(|m| m.group == pair.group);
        if of[c].is_none() && !taken {
            of[c] = Some(pair);
        }
    }
    of
}

/// How far along the card, in long sides, its centre may be from its seen symbols' middle.
fn shifts(group: &SymbolGroup) -> &'static [f64] {
    const HALF: f64 = SYMBOL_SPACING / 2.0;
    match group.symbols.len() {
        1 => &[0.0, -HALF, HALF, -2.0 * HALF, 2.0 * HALF],
        2 => &[0.0, -HALF, HALF],
        _ => &[0.0],
    }
}

/// How badly a candidate and a group of symbols agree on one card: in units of what the network
/// is usually off.
fn cost_of(candidate: &Candidate, group: &SymbolGroup, shift: f64) -> f64 {
    /// Deviation of the network's centre in short sides, and of its direction in radians.
    const CENTER: f64 = 0.09;
    const ANGLE: f64 = 0.35;
    /// A card whose symbols are all seen is likelier than one with some covered.
    const COVERED: f64 = 1.0;
    let (w, h) = (group.long_side, group.short_side);
    let det = w.cross(h);
    let in_card = |v: Point| Point::new(v.cross(h) / det * CARD_ASPECT, w.cross(v) / det);
    let off = in_card(candidate.quad.center() - group.center - w * shift);
    let [a, b, c, d] = candidate.quad.0;
    let along = in_card((b - a + c - d) / 2.0);
    let angle = along.y.abs().atan2(along.x.abs());
    off.norm() / CENTER + angle / ANGLE + if shift == 0.0 { 0.0 } else { COVERED }
}

/// The card moved along its long side, by a part of it.
fn shifted(quad: &Quad, shift: f64) -> Quad {
    if shift == 0.0 {
        return *quad;
    }
    let unit = unit_card();
    let moved = Quad(unit.0.map(|p| p + Point::new(shift, 0.0)));
    Homography::between(&unit, quad).map_or(*quad, |h| h.apply_quad(&moved))
}

/// The card turned in the picture about its middle, by an angle in radians.
fn turned(quad: &Quad, angle: f64) -> Quad {
    let (sin, cos) = angle.sin_cos();
    let center = quad.center();
    Quad(quad.0.map(|p| {
        let Point { x, y } = p - center;
        center + Point::new(x * cos - y * sin, x * sin + y * cos)
    }))
}

/// A card about the origin, its sides for units.
pub fn unit_card() -> Quad {
    Quad([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(|(x, y)| Point::new(x, y)))
}

/// The table that all claims show together, each counting as much as it is likely a card and
/// exact.
fn table_of(
    claims: &[Claim],
    groups: &Grouped,
    long_side_px: f64,
    params: &Params,
) -> Option<Table> {
    if claims.len() < params.fewest_on_table {
        return None;
    }
    let quad = |claim: &Claim| match claim.group {
        Some(m) => {
            let group = &groups.cards[m.group];
            let weight = if group.symbols.len() > 1 { 1.0 } else { 0.3 };
            (shifted(&group.quad(), m.shift), weight * sigmoid(claim.candidate.heat))
        }
        None => (claim.candidate.quad, 0.1 * sigmoid(claim.candidate.heat).powi(2)),
    };
    let quads: Vec<(Quad, f64)> = claims.iter().map(quad).collect();
    let with_symbols = claims.iter().filter(|c| c.group.is_some()).count();
    if let Some(table) = groups.table
        && with_symbols >= params.fewest_on_table
    {
        return table.improved(&quads);
    }
    let sizes: Vec<(Point, f64, f64)> =
        quads.iter().map(|(q, weight)| (q.center() / long_side_px, log_size(q), *weight)).collect();
    Table::fit(&quads, &SizeField::fit(&sizes), long_side_px)
}

/// Logarithm of the long side of a card of this area.
fn log_size(quad: &Quad) -> f64 {
    (quad.signed_area().abs() * CARD_ASPECT).max(1e-9).ln() / 2.0
}

fn fit_on(table: &Table, quad: &Quad) -> OnTable {
    let seen = table.table_from_image.apply_quad(quad);
    OnTable {
        misfit: table.misfit(quad).min(10.0),
        log_size: (log_size(&seen) - CARD_ASPECT.ln()).clamp(-3.0, 3.0),
    }
}

/// The cards of which most sides were seen, with weights: they show the table best.
fn seen_quads(placed: &[Placed]) -> Vec<(Quad, f64)> {
    let weight = |card: &Placed| {
        [0.02, 0.02, 0.1, 0.5, 1.0][card.refined.sides_seen()] * sigmoid(card.candidate.heat)
    };
    placed.iter().map(|card| (card.refined.quad, weight(card))).collect()
}

/// The card moved so that the symbols on it stand where a card's symbols stand.
///
/// The number is not known: of one, two and three that one counts which leaves the fewest symbols
/// unexplained and the fewest places empty (in a heap some are covered).
fn centred_on_symbols(quad: &Quad, symbols: &[SymbolPeak]) -> Quad {
    /// How far from its place a symbol may stand, in long and in short sides.
    const REACH: (f64, f64) = (0.10, 0.16);
    const UNEXPLAINED: f64 = 0.7;
    const EMPTY: f64 = 0.5;
    /// Precision of the predicted centre, in symbols: the mean of this many would weigh the same.
    const PREDICTION: f64 = 0.5;
    let unit = unit_card();
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
    let moved = Quad(unit.0.map(|p| p + best.1));
    image_from_card.apply_quad(&moved)
}
