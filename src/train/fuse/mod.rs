//! Fits how the readers' evidence is joined, and when it is enough to claim a card.
//!
//! Four convex fits in a row, each by Newton's method: the weights of both readers for each
//! property (a softmax over log probabilities), card-or-not by itself (a logistic model) and beside
//! what else lies there, and the confidence
//! in what the board makes of it. Each half of the data is then judged by a fit to the other, which
//! gives the limit below which a card is unsure.

mod collect;
mod newton;
mod report;

pub use collect::{CollectError, Source, Table, crops, drawn};
pub use report::{PropertyReport, Report, SourceReport};

use crate::cards::{Card, Property};
use crate::model::reader;
use crate::pipeline::board::{Board, BoardCard, Calibration, Params};
use crate::pipeline::classify::fused::{
    CONTEXTS, CardWeights, Circumstances, Joint, PropertyWeights, log_odds, log_odds_right, log_of,
};
use crate::pipeline::{CardOutline, Reading};
use newton::{Choice, fit};
use rayon::prelude::*;

/// How much of the claimed cards may be wrong.
pub const MOST_WRONG: f64 = 1e-3;
/// How sure the bound that is told with it is.
pub const SURE_OF_IT: f64 = 0.95;
/// The prior's strength: that of so much weight of samples.
const PRIOR_STRENGTH: f64 = 1.0;

/// What both readers say of one outline, and what it is.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Where it lies.
    pub outline: CardOutline,
    /// What the classical reader says.
    pub classical: Reading,
    /// What the network says.
    pub logits: [f32; reader::OUTPUTS],
    /// How it was seen, on its table.
    pub seen: Circumstances,
    /// What lies there.
    pub truth: Truth,
}

/// What lies under an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// A card that can be seen.
    Card(Card),
    /// A card of which little can be seen: its code counts, whether it is found does not.
    Hidden(Card),
    /// None.
    Nothing,
}

impl Truth {
    fn card(self) -> Option<Card> {
        match self {
            Self::Card(card) | Self::Hidden(card) => Some(card),
            Self::Nothing => None,
        }
    }
}

/// Which readers are heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The classical one and the network.
    Both,
    /// The network alone.
    Network,
}

/// Gives crops, which nobody had to find, the score that a card's outline usually has.
pub fn score_crops_as_usual(sources: &mut [Source]) {
    let mut scores: Vec<f64> = sources
        .iter()
        .filter(|source| source.has_outlines)
        .flat_map(|source| &source.tables)
        .flat_map(|table| &table.seen)
        .filter(|seen| matches!(seen.truth, Truth::Card(_)))
        .map(|seen| seen.outline.score)
        .collect();
    scores.sort_by(f64::total_cmp);
    let usual = scores.get(scores.len() / 2).copied().unwrap_or(0.0);
    let crops = sources.iter_mut().filter(|source| !source.has_outlines);
    for seen in crops.flat_map(|source| &mut source.tables).flat_map(|table| &mut table.seen) {
        seen.outline.score = usual;
    }
}

/// Fits on tables, and tells what that gave.
///
/// Confidences are judged crosswise: a fit to either half of the tables says how sure it is of the
/// other half's cards, so that all of them choose the limit and none is judged by a fit that saw it.
/// The weights that are given are those of a fit to all.
pub fn fit_joint(sources: &[Source], heard: Heard) -> (Joint, Report) {
    let halves = [(Part::Even, Part::Odd), (Part::Odd, Part::Even)];
    let mut told: Vec<Told> = halves
        .into_par_iter()
        .flat_map_iter(|(fitted, judged)| {
            let joint = fit_part(sources, heard, fitted).joint;
            told(sources, &joint, judged)
        })
        .collect();
    weigh(&mut told, sources);
    told.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let (limit, claims, wrong) = choose_limit(&told);
    let Fit { mut joint, temperatures, cooled } = fit_part(sources, heard, Part::All);
    joint.board.least_confidence = limit;
    let report = report::report(sources, &joint, temperatures, cooled, (claims, wrong), &told);
    (joint, report)
}

/// Which tables take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Of each two groups of four (see [`drawn`]: tables come in fours of different kinds) the first.
    Even,
    /// The second.
    Odd,
    /// All.
    All,
}

impl Part {
    fn has(self, table: usize) -> bool {
        let is_even = (table / 4).is_multiple_of(2);
        match self {
            Self::Even => is_even,
            Self::Odd => !is_even,
            Self::All => true,
        }
    }

    fn of(self, source: &Source) -> impl Iterator<Item = &Table> {
        let tables = source.tables.iter().enumerate();
        tables.filter(move |(i, _)| self.has(*i)).map(|(_, table)| table)
    }
}

/// What a fit to some tables gave.
struct Fit {
    /// Its limit is still nought.
    joint: Joint,
    /// For each source, by how much a fit without it was too sure of it.
    temperatures: Vec<(String, f64)>,
    /// What all log probabilities were divided by for that.
    cooled: f64,
}

fn fit_part(sources: &[Source], heard: Heard, part: Part) -> Fit {
    let mut properties = fit_properties(sources, heard, part, None);
    // A source that took no part in a fit shows how much too sure that fit is.
    let temperatures: Vec<(String, f64)> = sources
        .iter()
        .enumerate()
        .filter(|_| sources.len() > 1)
        .map(|(held_out, source)| {
            let without = fit_properties(sources, heard, part, Some(held_out));
            (source.name.clone(), temperature(source, part, without))
        })
        .collect();
    let mean_log =
        temperatures.iter().map(|(_, t)| t.ln()).sum::<f64>() / temperatures.len().max(1) as f64;
    // Never surer than the fit itself.
    let cooled = mean_log.exp().max(1.0);
    for weights in &mut properties.alone {
        let all = weights.classical.iter_mut().chain(&mut weights.neural);
        let all = all.chain(&mut weights.in_place);
        all.chain(weights.values.as_flattened_mut()).for_each(|weight| *weight /= cooled as f32);
    }
    properties.color_of_table.iter_mut().for_each(|weight| *weight /= cooled as f32);
    let (card, score) = fit_card(sources, heard, part);
    let board = Calibration { score, least_confidence: 0.0, ..Calibration::default() };
    let mut joint = properties.joint(card, board);
    joint.board = fit_presence(sources, &joint, part);
    joint.board = fit_confidence(sources, &joint, part);
    Fit { joint, temperatures, cooled }
}

/// So that a source of many cards does not drown the others: its cards together weigh as the root
/// of their number, times ten.
fn weight_of(cards: usize) -> f64 {
    10.0 / (cards.max(1) as f64).sqrt()
}

/// The numbers that a property's weights multiply, for each of its three values.
fn property_features(seen: &Seen, p: usize, heard: Heard) -> Vec<Vec<f64>> {
    (0..3)
        .map(|v| {
            let by_rule = match heard {
                Heard::Both => log_of(seen.classical.values[p][v]),
                Heard::Network => 0.0,
            };
            let by_net = seen.logits[3 * p + v];
            let in_place = seen.seen.in_place[3 * p + v];
            let context = &seen.seen.context;
            let mut features: Vec<f64> = context
                .iter()
                .map(|c| by_rule * c)
                .chain(context.iter().map(|c| by_net * c))
                .chain(context.iter().map(|c| in_place * c))
                .map(f64::from)
                .collect();
            for value in 0..3 {
                let own = if value == v { 1.0 } else { 0.0 };
                features.extend(context.iter().map(|c| f64::from(c * own)));
            }
            if Property::ALL[p] == Property::Color {
                features.extend(context.iter().map(|c| f64::from(c * seen.seen.color[v])));
            }
            features
        })
        .collect()
}

/// Weights of a single card's readings, and those of what its table tells of them.
#[derive(Clone, Copy, Debug)]
struct Properties {
    alone: [PropertyWeights; 4],
    color_of_table: [f32; CONTEXTS],
    stripes_lost: f32,
}

impl Properties {
    fn joint(self, card: CardWeights, board: Calibration) -> Joint {
        let Self { alone, color_of_table, stripes_lost } = self;
        Joint { properties: alone, color_of_table, stripes_lost, card, board }
    }
}

fn fit_properties(
    sources: &[Source],
    heard: Heard,
    part: Part,
    held_out: Option<usize>,
) -> Properties {
    let taught = |i: usize| held_out != Some(i);
    let mut color_of_table = [0.0; CONTEXTS];
    let alone = std::array::from_fn(|p| {
        let property = Property::ALL[p];
        let mut choices = Vec::new();
        for (i, source) in sources.iter().enumerate() {
            if !taught(i) {
                continue;
            }
            let (cards, weight) = weighed_cards(source, part);
            choices.extend(cards.into_iter().map(|(seen, card)| Choice {
                features: property_features(seen, p, heard),
                truth: card.value(property),
                weight,
            }));
        }
        // Whatever the circumstances, as long as nothing is known of them.
        let families = if property == Property::Color { 7 } else { 6 };
        let mut prior = vec![0.0; families * CONTEXTS];
        (prior[0], prior[CONTEXTS]) = match heard {
            Heard::Both => (0.5, 0.5),
            Heard::Network => (0.0, 1.0),
        };
        let w = fit(&choices, &prior, PRIOR_STRENGTH);
        let part = |family: usize| std::array::from_fn(|i| w[family * CONTEXTS + i] as f32);
        if property == Property::Color {
            color_of_table = part(6);
        }
        let values = std::array::from_fn(|v| part(3 + v));
        PropertyWeights { classical: part(0), neural: part(1), in_place: part(2), values }
    });
    let mut properties = Properties { alone, color_of_table, stripes_lost: 0.0 };
    let teaching = sources.iter().enumerate().filter(|(i, _)| taught(*i));
    properties.stripes_lost =
        fit_stripes_lost(teaching.map(|(_, source)| weighed_cards(source, part)), properties);
    properties
}

/// The cards of a source that can be read, and the weight of each.
fn weighed_cards(source: &Source, part: Part) -> (Vec<(&Seen, Card)>, f64) {
    let cards: Vec<(&Seen, Card)> = part
        .of(source)
        .flat_map(|table| &table.seen)
        .filter_map(|seen| Some((seen, seen.truth.card()?)))
        .collect();
    let weight = weight_of(cards.len());
    (cards, weight)
}

/// How often stripes are lost where white is clipped: what makes the cards' shadings likeliest.
fn fit_stripes_lost<'a>(
    cards: impl Iterator<Item = (Vec<(&'a Seen, Card)>, f64)>,
    properties: Properties,
) -> f32 {
    /// Steps from never to [`MOST`].
    const STEPS: u16 = 50;
    /// More often than not stripes are seen, or nobody would be asked.
    const MOST: f32 = 0.5;
    let shading = Property::Shading;
    let joint = properties.joint(CardWeights::default(), Calibration::default());
    // Elsewhere it makes no difference.
    let clipped: Vec<(&Seen, usize, f64)> = cards
        .flat_map(|(cards, weight)| {
            let clipped = cards.into_iter().filter(|(seen, _)| seen.seen.context[3] > 0.0);
            clipped.map(move |(seen, card)| (seen, card.value(shading), weight))
        })
        .collect();
    let log_likelihood = |stripes_lost: f32| -> f64 {
        let joint = Joint { stripes_lost, ..joint.clone() };
        let of_card = |(seen, value, weight): &(&Seen, usize, f64)| {
            let reading = joint.join(&seen.classical, &seen.logits, &seen.seen);
            weight * f64::from(log_of(reading.values[shading as usize][*value]))
        };
        clipped.iter().map(of_card).sum()
    };
    let tried = (0..=STEPS).map(|step| MOST * f32::from(step) / f32::from(STEPS));
    let likeliest = tried.map(|often| (log_likelihood(often), often));
    // The first of those that are alike: without clipped cards, never.
    likeliest.reduce(|best, next| if next.0 > best.0 { next } else { best }).map_or(0.0, |b| b.1)
}

/// By how much the log probabilities of a source are too large, 0.25 to 4.
fn temperature(source: &Source, part: Part, properties: Properties) -> f64 {
    let joint = properties.joint(CardWeights::default(), Calibration::default());
    let mut choices = Vec::new();
    for seen in part.of(source).flat_map(|table| &table.seen) {
        let Some(card) = seen.truth.card() else { continue };
        let reading = joint.join(&seen.classical, &seen.logits, &seen.seen);
        for (p, property) in Property::ALL.into_iter().enumerate() {
            let features = reading.values[p].iter().map(|v| vec![f64::from(log_of(*v))]).collect();
            choices.push(Choice { features, truth: card.value(property), weight: 1.0 });
        }
    }
    if choices.is_empty() {
        return 1.0;
    }
    1.0 / fit(&choices, &[1.0], 20.0)[0].clamp(0.25, 4.0)
}

/// A logistic model as a choice between no (0) and yes (1).
fn yes_or_no(features: impl IntoIterator<Item = f32>, yes: bool, weight: f64) -> Choice {
    let features: Vec<f64> = features.into_iter().map(f64::from).collect();
    Choice { features: vec![vec![0.0; features.len()], features], truth: usize::from(yes), weight }
}

/// Weights of card-or-not, and that of the outline's own score.
fn fit_card(sources: &[Source], heard: Heard, part: Part) -> (CardWeights, f32) {
    let mut choices = Vec::new();
    for source in sources {
        let seen: Vec<&Seen> = part
            .of(source)
            .flat_map(|table| &table.seen)
            .filter(|seen| !matches!(seen.truth, Truth::Hidden(_)))
            .collect();
        let weight = weight_of(seen.len());
        choices.extend(seen.into_iter().map(|seen| {
            let score = seen.outline.score.clamp(-8.0, 8.0) as f32;
            let by_rule = match heard {
                Heard::Both => log_odds(seen.classical.is_card),
                Heard::Network => 0.0,
            };
            let by_net = seen.logits[reader::CARD].clamp(-12.0, 12.0);
            let context = &seen.seen.context;
            let weighed = [1.0, by_rule, by_net].into_iter();
            let features = weighed.flat_map(|said| context.iter().map(move |c| c * said));
            let features = features.chain([log_odds_right(context), score]);
            yes_or_no(features, seen.truth != Truth::Nothing, weight)
        }));
    }
    let mut prior = [0.0; 3 * CONTEXTS + 2];
    (prior[CONTEXTS], prior[2 * CONTEXTS]) = match heard {
        Heard::Both => (0.3, 0.5),
        Heard::Network => (0.0, 0.8),
    };
    prior[3 * CONTEXTS + 1] = 0.2;
    let w = fit(&choices, &prior, PRIOR_STRENGTH);
    let part = |family: usize| std::array::from_fn(|i| w[family * CONTEXTS + i] as f32);
    let [right, score] = [0, 1].map(|i| w[3 * CONTEXTS + i] as f32);
    (CardWeights { bias: part(0), classical: part(1), neural: part(2), right }, score)
}

/// Outlines and joint readings of a table.
fn read(table: &Table, joint: &Joint) -> (Vec<CardOutline>, Vec<Reading>) {
    let read = |seen: &Seen| joint.join(&seen.classical, &seen.logits, &seen.seen);
    table.seen.iter().map(|seen| (seen.outline.clone(), read(seen))).unzip()
}

fn truth_of(table: &Table, outline: &CardOutline) -> Truth {
    let of = |seen: &&Seen| seen.outline == *outline;
    table.seen.iter().find(of).map_or(Truth::Nothing, |seen| seen.truth)
}

/// What card-or-not is worth beside what lies on or under an outline: crops lie by themselves, so
/// that only tables tell.
fn fit_presence(sources: &[Source], joint: &Joint, part: Part) -> Calibration {
    let params = Params { calibration: joint.board, ..Params::default() };
    let tables = sources.iter().filter(|source| source.has_outlines).flat_map(|s| part.of(s));
    let claims = tables.flat_map(|table| {
        let (outlines, readings) = read(table, joint);
        let claims = Board::claims(outlines, readings, &params);
        claims.into_iter().map(|claim| (truth_of(table, &claim.outline), claim))
    });
    let choices: Vec<Choice> = claims
        .filter(|(truth, _)| !matches!(truth, Truth::Hidden(_)))
        .map(|(truth, claim)| {
            yes_or_no([1.0, claim.log_odds, claim.covered], truth != Truth::Nothing, 1.0)
        })
        .collect();
    let w = fit(&choices, &[0.0, 1.0, 0.0], PRIOR_STRENGTH);
    let [card_bias, card_own, card_covered] = std::array::from_fn(|i| w[i] as f32);
    Calibration { card_bias, card_own, card_covered, ..joint.board }
}

/// What the board makes of a table, each card with what lies there.
pub(crate) fn settled(table: &Table, joint: &Joint) -> Vec<(BoardCard, Truth)> {
    let (outlines, readings) = read(table, joint);
    let params = Params { calibration: joint.board, ..Params::default() };
    let cards = Board::settle(outlines, readings, &params).cards.into_iter();
    cards
        .map(|card| {
            let truth = truth_of(table, &card.outline);
            (card, truth)
        })
        .collect()
}

fn fit_confidence(sources: &[Source], joint: &Joint, part: Part) -> Calibration {
    let (mut kept, mut right) = (Vec::new(), Vec::new());
    for source in sources {
        let cards: Vec<(BoardCard, Truth)> =
            part.of(source).flat_map(|table| settled(table, joint)).collect();
        let weight = weight_of(cards.iter().filter(|(_, truth)| truth.card().is_some()).count());
        for (BoardCard { evidence, card, .. }, truth) in cards {
            if !matches!(truth, Truth::Hidden(_)) {
                let features = Calibration::kept_features(&evidence);
                kept.push(yes_or_no(features, truth != Truth::Nothing, weight));
            }
            if let Some(truth) = truth.card() {
                right.push(yes_or_no(Calibration::features(&evidence), card == truth, weight));
            }
        }
    }
    let w = fit(&kept, &[0.0, 1.0, 0.0, 0.0], PRIOR_STRENGTH);
    let [kept_bias, kept_own, kept_covered, kept_posterior] = std::array::from_fn(|i| w[i] as f32);
    let w = fit(&right, &[0.0, 1.0, 0.0, 0.0, 0.0], PRIOR_STRENGTH);
    let [bias, posterior, covered, covered_posterior, small] = std::array::from_fn(|i| w[i] as f32);
    Calibration {
        kept_bias,
        kept_own,
        kept_covered,
        kept_posterior,
        bias,
        posterior,
        covered,
        covered_posterior,
        small,
        ..joint.board
    }
}

/// A card as a fit judges it that did not see its table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// Which of the sources it is from.
    source: usize,
    confidence: f32,
    /// Whether the code is right; where no card lies none is.
    right: bool,
    /// Drawn tables and photographed crops count the same, however many there are of either.
    weight: f64,
}

fn told(sources: &[Source], joint: &Joint, part: Part) -> Vec<Told> {
    let tables = sources.iter().enumerate().flat_map(|(i, s)| part.of(s).map(move |t| (i, t)));
    let cards =
        tables.flat_map(|(i, table)| settled(table, joint).into_iter().map(move |c| (i, c)));
    cards
        .map(|(source, (card, truth))| Told {
            source,
            confidence: card.confidence,
            right: truth.card() == Some(card.card),
            weight: 0.0,
        })
        .collect()
}

fn weigh(told: &mut [Told], sources: &[Source]) {
    for drawn in [true, false] {
        let of_kind = |card: &Told| sources[card.source].has_outlines == drawn;
        let weight = 1.0 / told.iter().filter(|card| of_kind(card)).count().max(1) as f64;
        told.iter_mut().filter(|card| of_kind(card)).for_each(|card| card.weight = weight);
    }
}

/// The least limit at which [`MOST_WRONG`] of the claims are wrong, half a wrong claim added to
/// those counted for what a finite number cannot show; how many claims that leaves, and how many
/// of them are wrong.
fn choose_limit(sorted: &[Told]) -> (f32, usize, usize) {
    // Two outlines with equal claims to one card must stay below.
    const LEAST: f32 = 0.6;
    let mut best = None;
    let (mut wrong, mut wrong_weight, mut weight) = (0, 0.0, 0.0);
    for (i, card) in sorted.iter().enumerate() {
        if card.confidence < LEAST {
            break;
        }
        weight += card.weight;
        if !card.right {
            wrong += 1;
            wrong_weight += card.weight;
        }
        let ends = sorted.get(i + 1).is_none_or(|next| next.confidence < card.confidence);
        let half_a_claim = 0.5 * weight / (i + 1) as f64;
        if ends && wrong_weight + half_a_claim <= MOST_WRONG * weight {
            best = Some((card.confidence, i + 1, wrong));
        }
    }
    // Too few claims to show anything: then only what is as sure as can be.
    best.unwrap_or((0.999, 0, 0))
}

/// The largest share of wrong ones that `wrong` of `claims` still allow with [`SURE_OF_IT`]: the
/// upper bound of Clopper and Pearson (1934), by the Poisson distribution that theirs becomes for
/// small shares.
pub fn most_wrong(wrong: usize, claims: usize) -> f64 {
    let at_most = |mean: f64| {
        let mut term = (-mean).exp();
        let mut sum = term;
        for k in 1..=wrong {
            term *= mean / k as f64;
            sum += term;
        }
        sum
    };
    let (mut low, mut high) = (0.0, 10.0 + 3.0 * wrong as f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at_most(middle) > 1.0 - SURE_OF_IT {
            low = middle;
        } else {
            high = middle;
        }
    }
    (high / claims.max(1) as f64).min(1.0)
}

#[cfg(test)]
mod tests;
