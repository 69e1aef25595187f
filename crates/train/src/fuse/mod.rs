//! Fits the weights that fuse the classifiers' outputs, and the threshold for claiming a card.
//!
//! Three convex fits in a row, each by Newton's method: the weights of the outputs for each
//! property (a softmax over logits), the card-or-not model, and the confidence in the board's
//! result (two logistic models). A fit to each half of the data then scores the other half, and
//! those confidences set the threshold below which a card is unsure.

mod collect;
mod likeness;
mod report;
mod threshold;

pub use collect::{Drawn, Networks, Source, crops, drawn};
pub(crate) use collect::{Example, ExampleTable, Truth, ask};
pub use likeness::{fit_likeness, fit_places, prints, prints_on_photos};
pub(crate) use report::Report;
pub use threshold::{MOST_WRONG, MOST_WRONG_ON_SCREENS, fit_is_screen, fit_outlines};

use crate::optimiser::{Choice, fit};
use rayon::prelude::*;
use setsight_game::cards::{Card, Property};
use setsight_vision::{
    CardOutline, Reading,
    board::{Board, BoardCard, Calibration, Params},
    classify::{
        fused::{CardFeatures, ClassifierOutputs, Escalation, property_outputs},
        fusion::{CLASSIFIERS, CardWeights, ClassifierWeights, EvidenceWeights, PropertyWeights},
    },
    table::company::{self, Company},
};
use threshold::{ScoredCard, choose_limit, raised_limit, weigh};

/// The prior of the weights.
#[derive(Clone, Copy)]
struct Prior {
    properties: [PropertyWeights; 4],
    card: CardWeights,
    board: Calibration,
    /// Weight of the prior, in samples.
    strength: f64,
}

impl Prior {
    /// A weak prior, under which a network is right about as often as its log odds say.
    fn vague(sources: &[Source]) -> Self {
        let tables = sources.iter().flat_map(|source| &source.tables);
        let mut outputs = tables.flat_map(|table| &table.examples).map(|example| &example.outputs);
        let second = if outputs.any(|outputs| outputs.second.is_some()) { 0.2 } else { 0.0 };
        let weights = PropertyWeights {
            clear: ClassifierWeights::from_order([1.0, 0.0, 0.0, second]),
            context: ClassifierWeights::from_order([0.5, 0.5, 0.0, second]),
            doubtful: ClassifierWeights::from_order([0.5, 0.5, 0.1, second]),
            without_context: ClassifierWeights::from_order([0.7, 0.0, 0.3, 0.0]),
        };
        let card = CardWeights { reader: 0.5, score: 0.5, right: 0.3, ..CardWeights::default() };
        let board = Calibration { least_confidence: 0.0, ..Calibration::default() };
        Self { properties: [weights; 4], card, board, strength: 1.0 }
    }

    /// A prior centred on an earlier fit, strong enough that a few tables change it little.
    fn near(base: &EvidenceWeights) -> Self {
        let EvidenceWeights { properties, card, board } = *base;
        Self { properties, card, board, strength: 20.0 }
    }
}

/// Tables for a single purpose each; the threshold must not be fitted on them.
pub struct AuxiliaryTables {
    /// Photos with stacks of cards: whether an outline is a card. They would cost a twelfth of the claims.
    pub with_stacks: Source,
    /// Photos in bad light: the weight of each classifier.
    pub in_bad_light: Source,
}

/// Gives crops, which the finder never scored, the median score of found cards.
pub fn score_crops_as_usual(sources: &mut [Source]) {
    let mut scores: Vec<f64> = sources
        .iter()
        .filter(|source| source.has_outlines)
        .flat_map(|source| &source.tables)
        .flat_map(|table| &table.examples)
        .filter(|example| matches!(example.truth, Truth::Card(_)))
        .map(|example| example.outline.score)
        .collect();
    scores.sort_by(f64::total_cmp);
    let usual = scores.get(scores.len() / 2).copied().unwrap_or(0.0);
    let crops = sources.iter_mut().filter(|source| !source.has_outlines);
    for example in crops.flat_map(|source| &mut source.tables).flat_map(|table| &mut table.examples)
    {
        example.outline.score = usual;
    }
}

/// Fits on tables and reports the result.
///
/// The threshold is cross-validated: a fit to either half of the tables scores the other half's
/// cards, so that all cards help to choose the threshold and none is scored by a fit to its own
/// table. At most a share `most_wrong` of the claims may be wrong. The returned weights come from a
/// fit to all tables.
pub fn fit_joint(
    sources: &[Source],
    auxiliary: Option<&AuxiliaryTables>,
    most_wrong: f64,
) -> (EvidenceWeights, Report) {
    let prior = Prior::vague(sources);
    let halves = [(Part::Even, Part::Odd), (Part::Odd, Part::Even)];
    let mut scored: Vec<ScoredCard> = halves
        .into_par_iter()
        .flat_map_iter(|(fitted, judged)| {
            let joint = fit_part(sources, auxiliary, fitted, &prior).joint;
            scored(sources, &joint, judged)
        })
        .collect();
    weigh(&mut scored, sources);
    scored.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let (limit, claims, wrong) = choose_limit(&scored, most_wrong);
    let Fit { mut joint, temperatures, cooled } = fit_part(sources, auxiliary, Part::All, &prior);
    joint.board.least_confidence = limit;
    let report = report::report(sources, &joint, temperatures, cooled, (claims, wrong), &scored);
    (joint, report)
}

/// Adjusts an earlier fit for a network that was trained further since that fit. The threshold
/// stays, unless more of the claims on these tables are wrong than [`threshold::MOST_WRONG`] of them plus one
/// card; then it rises until that no longer holds.
pub(crate) fn fit_near(sources: &[Source], base: &EvidenceWeights) -> EvidenceWeights {
    let prior = Prior::near(base);
    let joint = EvidenceWeights {
        properties: fit_properties(sources, None, Part::All, None, &prior),
        card: fit_card(sources, None, Part::All, &prior),
        ..*base
    };
    let mut joint =
        EvidenceWeights { board: fit_confidence(sources, &joint, Part::All, &prior), ..joint };
    let mut scored = scored(sources, &joint, Part::All);
    scored.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    joint.board.least_confidence = raised_limit(&scored, base.board.least_confidence);
    joint
}

/// Which tables a fit uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The first of every two groups of four tables ([`drawn`] makes tables in fours of different
    /// kinds).
    Even,
    /// The second of every two groups of four.
    Odd,
    /// All tables.
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

    fn tables_of(self, source: &Source) -> impl Iterator<Item = &ExampleTable> {
        let tables = source.tables.iter().enumerate();
        tables.filter(move |(i, _)| self.has(*i)).map(|(_, table)| table)
    }
}

/// The result of a fit to some tables.
struct Fit {
    /// The fusion; its threshold is still zero.
    joint: EvidenceWeights,
    /// Per source, the temperature at which a fit without that source is calibrated on it.
    temperatures: Vec<(String, f64)>,
    /// The temperature by which all log probabilities were divided.
    cooled: f64,
}

fn fit_part(
    sources: &[Source],
    auxiliary: Option<&AuxiliaryTables>,
    part: Part,
    prior: &Prior,
) -> Fit {
    let bad_light = auxiliary.map(|auxiliary| &auxiliary.in_bad_light);
    let mut properties = fit_properties(sources, bad_light, part, None, prior);
    // A held-out source shows how overconfident the fit is.
    let temperatures: Vec<(String, f64)> = sources
        .iter()
        .enumerate()
        .filter(|_| sources.len() > 1)
        .map(|(held_out, source)| {
            let without = fit_properties(sources, bad_light, part, Some(held_out), prior);
            (source.name.clone(), temperature(source, part, without))
        })
        .collect();
    let mean_log =
        temperatures.iter().map(|(_, t)| t.ln()).sum::<f64>() / temperatures.len().max(1) as f64;
    // Cooling never sharpens a fit.
    let cooled = mean_log.exp().max(1.0);
    for PropertyWeights { clear, context, doubtful, without_context } in &mut properties {
        for weights in [clear, context, doubtful, without_context] {
            *weights = ClassifierWeights::from_order(weights.in_order().map(|w| w / cooled as f32));
        }
    }
    let card = fit_card(sources, auxiliary.map(|auxiliary| &auxiliary.with_stacks), part, prior);
    let board = Calibration { least_confidence: 0.0, ..Calibration::default() };
    let mut joint = EvidenceWeights { properties, card, board };
    joint.board = fit_confidence(sources, &joint, part, prior);
    Fit { joint, temperatures, cooled }
}

/// Weight of one card in a source of `cards`. All cards of a source together weigh ten times the
/// root of their number, so that a large source does not drown the others.
fn weight_of(cards: usize) -> f64 {
    10.0 / (cards.max(1) as f64).sqrt()
}

/// The weights of the classifiers. Where photos in bad light teach, too, they are the mean of a fit with these and one
/// without: in bad light the second reader would count alone for colour, and good light would pay for it.
fn fit_properties(
    sources: &[Source],
    in_bad_light: Option<&Source>,
    part: Part,
    held_out: Option<usize>,
    prior: &Prior,
) -> [PropertyWeights; 4] {
    let usual = fit_on(sources, None, part, held_out, prior);
    let Some(in_bad_light) = in_bad_light else { return usual };
    let both = fit_on(sources, Some(in_bad_light), part, held_out, prior);
    std::array::from_fn(|p| {
        let (a, b) = (&usual[p], &both[p]);
        PropertyWeights {
            clear: mean_weights(a.clear, b.clear),
            context: mean_weights(a.context, b.context),
            doubtful: mean_weights(a.doubtful, b.doubtful),
            without_context: mean_weights(a.without_context, b.without_context),
        }
    })
}

fn mean_weights(a: ClassifierWeights, b: ClassifierWeights) -> ClassifierWeights {
    let (a, b) = (a.in_order(), b.in_order());
    ClassifierWeights::from_order(std::array::from_fn(|w| (a[w] + b[w]) / 2.0))
}

fn fit_on(
    sources: &[Source],
    in_bad_light: Option<&Source>,
    part: Part,
    held_out: Option<usize>,
    prior: &Prior,
) -> [PropertyWeights; 4] {
    let taught = sources.iter().enumerate().filter(|(i, _)| held_out != Some(*i));
    let taught: Vec<(Vec<(&Example, Card)>, f64)> = taught
        .map(|(_, source)| source)
        .chain(in_bad_light)
        .map(|source| weighed_cards(source, part))
        .collect();
    std::array::from_fn(|p| {
        let fitted = |before, counts: &dyn Fn(&ClassifierOutputs) -> bool| {
            fit_classifiers(&taught, p, before, prior.strength, counts)
        };
        let before = &prior.properties[p];
        PropertyWeights {
            clear: fitted(before.clear, &|outputs| outputs.escalation.is_none()),
            context: fitted(before.context, &|outputs| {
                is_escalated(outputs, |e| e.features.is_none())
            }),
            doubtful: fitted(before.doubtful, &|outputs| {
                is_escalated(outputs, |e| e.context.is_some() && e.features.is_some())
            }),
            without_context: fitted(before.without_context, &|outputs| {
                is_escalated(outputs, |e| e.features.is_some())
            }),
        }
    })
}

/// The weights of the classifiers for property `p`, on those cards whose outputs count.
fn fit_classifiers(
    taught: &[(Vec<(&Example, Card)>, f64)],
    p: usize,
    before: ClassifierWeights,
    strength: f64,
    counts: &dyn Fn(&ClassifierOutputs) -> bool,
) -> ClassifierWeights {
    let prior = before.in_order().map(f64::from);
    // A classifier with no weight in the prior is left out.
    let weighted: Vec<usize> = (0..CLASSIFIERS).filter(|&w| prior[w] > 0.0).collect();
    let cards = taught.iter().flat_map(|(cards, weight)| cards.iter().map(move |c| (c, *weight)));
    let choices: Vec<Choice> = cards
        .filter(|((example, _), _)| counts(&example.outputs))
        .map(|((example, card), weight)| {
            let features = property_outputs(&example.outputs, p)
                .map(|logits| weighted.iter().map(|&w| f64::from(logits[w])).collect());
            Choice { features: features.into(), truth: card.value(Property::ALL[p]), weight }
        })
        .collect();
    let prior: Vec<f64> = weighted.iter().map(|&w| prior[w]).collect();
    let mut weights = [0.0; CLASSIFIERS];
    // No classifier gets a negative weight.
    for (w, weight) in weighted.iter().zip(fit(&choices, &prior, strength)) {
        weights[*w] = weight.max(0.0) as f32;
    }
    ClassifierWeights::from_order(weights)
}

fn is_escalated(outputs: &ClassifierOutputs, counts: fn(&Escalation) -> bool) -> bool {
    outputs.escalation.as_ref().is_some_and(counts)
}

/// Weights of the other cards of a photo, next to a card's own reading, from photos in good and in bad light.
pub fn fit_company(sources: &[Source], joint: &EvidenceWeights) -> Company {
    /// What the log probabilities are multiplied with here, so that the prior holds their weight: in good light
    /// they are as sure as they are right, and the drawn bad light is worse than most.
    const HELD: f64 = 1e-3;
    let mut choices = [Vec::new(), Vec::new()];
    for (source, table) in sources.iter().flat_map(|s| s.tables.iter().map(move |t| (s, t))) {
        let readings: Vec<_> = table
            .examples
            .iter()
            .map(|example| joint.reading(&example.outputs, &example.outline))
            .collect();
        let places =
            table.examples.iter().map(|example| example.outputs.place).collect::<Option<Vec<_>>>();
        let Some(places) = places else { continue };
        for (k, property) in company::PROPERTIES.into_iter().enumerate() {
            let support = company::evidence(k, &readings, &places);
            for ((example, reading), support) in table.examples.iter().zip(&readings).zip(support) {
                let (Truth::Card(card), Some(support)) = (example.truth, support) else { continue };
                let (features, truth) = (
                    [0, 1, 2]
                        .map(|v| {
                            let log =
                                f64::from(reading.values[property as usize][v].max(1e-9).ln());
                            vec![
                                HELD * log,
                                f64::from(support[v].log_likelihood),
                                f64::from(support[v].is_absent),
                            ]
                        })
                        .into(),
                    card.value(property),
                );
                // A large source does not drown the other.
                let examples = source.tables.iter().map(|t| t.examples.len()).sum();
                choices[k].push(Choice { features, truth, weight: weight_of(examples) });
            }
        }
    }
    Company(choices.map(|choices| {
        let fitted = fit(&choices, &[1.0 / HELD, 0.05, 0.0], 1.0);
        [fitted[1], fitted[2]].map(|weight| weight.max(0.0) as f32)
    }))
}

/// The cards of a source with a known code, and the weight of each.
fn weighed_cards(source: &Source, part: Part) -> (Vec<(&Example, Card)>, f64) {
    let cards: Vec<(&Example, Card)> = part
        .tables_of(source)
        .flat_map(|table| &table.examples)
        .filter_map(|example| Some((example, example.truth.card()?)))
        .collect();
    let weight = weight_of(cards.len());
    (cards, weight)
}

/// The temperature of a source, clamped to 0.25 to 4: the factor by which its log probabilities are
/// too large.
fn temperature(source: &Source, part: Part, properties: [PropertyWeights; 4]) -> f64 {
    let (card, board) = (CardWeights::default(), Calibration::default());
    let joint = EvidenceWeights { properties, card, board };
    let mut choices = Vec::new();
    for example in part.tables_of(source).flat_map(|table| &table.examples) {
        let Some(card) = example.truth.card() else { continue };
        let reading = joint.reading(&example.outputs, &example.outline);
        for (p, property) in Property::ALL.into_iter().enumerate() {
            let features =
                reading.values[p].iter().map(|v| vec![f64::from(v.max(1e-6).ln())]).collect();
            choices.push(Choice { features, truth: card.value(property), weight: 1.0 });
        }
    }
    if choices.is_empty() {
        return 1.0;
    }
    1.0 / fit(&choices, &[1.0], 20.0)[0].clamp(0.25, 4.0)
}

/// A logistic model as a choice between no (0) and yes (1).
fn yes_or_no(features: &[f32], yes: bool, weight: f64) -> Choice {
    Choice::yes_or_no(features.iter().map(|v| f64::from(*v)).collect(), yes, weight)
}

/// The weights of the card-or-not model. Only tables count: crops have no finder score and no
/// surroundings.
fn fit_card(
    sources: &[Source],
    with_stacks: Option<&Source>,
    part: Part,
    prior: &Prior,
) -> CardWeights {
    let CardWeights { bias, reader, score, context, right, lead, shared } = prior.card;
    let before = [bias, reader, score, context, right, lead, shared].map(f64::from);
    let found = sources.iter().filter(|source| source.has_outlines);
    let tables = found.chain(with_stacks).flat_map(|source| part.tables_of(source));
    let choices: Vec<Choice> = tables
        .flat_map(|table| &table.examples)
        .filter(|example| !matches!(example.truth, Truth::Hidden(_)))
        .map(|example| {
            let features = CardFeatures::new(&example.outputs, &example.outline).in_order();
            yes_or_no(&features, example.truth != Truth::Nothing, 1.0)
        })
        .collect();
    let w = fit(&choices, &before, prior.strength);
    let [bias, reader, score, context, right, lead, shared] = std::array::from_fn(|i| w[i] as f32);
    CardWeights { bias, reader, score, context, right, lead, shared }
}

/// The board's cards for a table, each with the truth under its outline.
pub(crate) fn assigned_cards(
    table: &ExampleTable,
    joint: &EvidenceWeights,
) -> Vec<(BoardCard, Truth)> {
    let (outlines, readings): (Vec<CardOutline>, Vec<Reading>) = table
        .examples
        .iter()
        .map(|example| (example.outline.clone(), joint.reading(&example.outputs, &example.outline)))
        .unzip();
    let params = Params { calibration: joint.board, ..Params::default() };
    let cards = Board::assign(&outlines, &readings, 1.0, &params).cards.into_iter();
    cards
        .map(|card| (table.examples[card.outline].truth, card))
        .map(|(truth, card)| (card, truth))
        .collect()
}

fn fit_confidence(
    sources: &[Source],
    joint: &EvidenceWeights,
    part: Part,
    prior: &Prior,
) -> Calibration {
    let Calibration { bias, posterior, covered, .. } = prior.board;
    let before = [bias, posterior, covered].map(f64::from);
    let mut right = Vec::new();
    for source in sources {
        let cards: Vec<(BoardCard, Truth)> =
            part.tables_of(source).flat_map(|table| assigned_cards(table, joint)).collect();
        let weight = weight_of(cards.iter().filter(|(_, truth)| truth.card().is_some()).count());
        for (BoardCard { evidence, card, .. }, truth) in cards {
            if let Some(truth) = truth.card() {
                right.push(yes_or_no(&evidence.features(), card == truth, weight));
            }
        }
    }
    let w = fit(&right, &before, prior.strength);
    let [bias, posterior, covered] = std::array::from_fn(|i| w[i] as f32);
    Calibration { bias, posterior, covered, ..joint.board }
}

fn scored(sources: &[Source], joint: &EvidenceWeights, part: Part) -> Vec<ScoredCard> {
    let tables =
        sources.iter().enumerate().flat_map(|(i, s)| part.tables_of(s).map(move |t| (i, t)));
    let cards =
        tables.flat_map(|(i, table)| assigned_cards(table, joint).into_iter().map(move |c| (i, c)));
    cards
        .map(|(source, (card, truth))| ScoredCard {
            source,
            confidence: card.confidence,
            right: truth.card() == Some(card.card),
            weight: 0.0,
        })
        .collect()
}

#[cfg(test)]
mod tests;
