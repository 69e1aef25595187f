//! The small fits beside the fusion: the confidence threshold for claiming a card, the weights of the learned
//! finder's features (how likely an outline is a card), and those that distinguish a copy of a screen from a photo.

use super::collect::{CollectError, Source};
use crate::optimiser::{self, Choice};
use rayon::prelude::*;
use serde::Serialize;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::nearest;
use setsight_photo::numeric::sigmoid;
use setsight_scenes::{Kind, Params, Scene, render, scenes};
use setsight_vision::classify::screens::{self, is_likely};
use setsight_vision::find::evidence::{FEATURES, NAMES, Weights, log_odds};
use setsight_vision::{PipelineError, find::Learned};

/// Maximum share of claims that may be wrong.
pub const MOST_WRONG: f64 = 1e-3;
/// The same on copies of screens. An app draws all cards in one style, so mistakes come by whole
/// tables, and few apps draw as oddly as some of the drawn tables.
pub const MOST_WRONG_ON_SCREENS: f64 = 5e-3;
/// Confidence level of the reported upper bound.
const SURE_OF_IT: f64 = 0.95;

/// A card as scored by a fit that did not see its table.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoredCard {
    /// Index of its source.
    pub source: usize,
    /// The board's confidence, 0 to 1.
    pub confidence: f32,
    /// Whether the code is right; always false where no card lies.
    pub right: bool,
    /// Weight of the card. Drawn tables and photographed crops weigh the same in total, however
    /// many there are of either.
    pub weight: f64,
}

/// Sets the weight of each card.
pub(super) fn weigh(scored: &mut [ScoredCard], sources: &[Source]) {
    for drawn in [true, false] {
        let of_kind = |card: &ScoredCard| sources[card.source].has_outlines == drawn;
        let weight = 1.0 / scored.iter().filter(|card| of_kind(card)).count().max(1) as f64;
        scored.iter_mut().filter(|card| of_kind(card)).for_each(|card| card.weight = weight);
    }
}

/// The least threshold at which at most `most_wrong` of the claims are wrong, with half a wrong
/// claim added for the finite sample. Also returns the number of claims at that threshold and the
/// number of wrong ones.
pub(super) fn choose_limit(sorted: &[ScoredCard], most_wrong: f64) -> (f32, usize, usize) {
    // Two outlines that claim one card with equal confidence (0.5 each) must stay below.
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
        if ends && wrong_weight + half_a_claim <= most_wrong * weight {
            best = Some((card.confidence, i + 1, wrong));
        }
    }
    // Too few claims to show anything: claim only the surest cards.
    best.unwrap_or((0.999, 0, 0))
}

/// The least threshold from `limit` up at which the number of wrong claims is at most
/// [`MOST_WRONG`] of the claims plus one.
pub(super) fn raised_limit(sorted: &[ScoredCard], limit: f32) -> f32 {
    let mut claims = sorted.iter().take_while(|card| card.confidence >= limit).count();
    let mut wrong = sorted[..claims].iter().filter(|card| !card.right).count();
    let mut raised = limit;
    while wrong as f64 > MOST_WRONG * claims as f64 + 1.0 {
        // Move just above the least confident wrong claim.
        let Some(last) = sorted[..claims].iter().rposition(|card| !card.right) else { break };
        raised = sorted[last].confidence.next_up();
        claims = sorted[..last].iter().take_while(|card| card.confidence >= raised).count();
        wrong = sorted[..claims].iter().filter(|card| !card.right).count();
    }
    raised
}

/// The upper bound of the share of wrong claims, given `wrong` of `claims`, at confidence
/// [`SURE_OF_IT`]: the bound of Clopper and Pearson (1934), in the Poisson approximation for small
/// shares.
pub(super) fn most_wrong(wrong: usize, claims: usize) -> f64 {
    let (mut low, mut high) = (0.0, 10.0 + 3.0 * wrong as f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if poisson_at_most(wrong, middle) > 1.0 - SURE_OF_IT {
            low = middle;
        } else {
            high = middle;
        }
    }
    (high / claims.max(1) as f64).min(1.0)
}

/// Probability of at most `count` events under a Poisson distribution.
fn poisson_at_most(count: usize, mean: f64) -> f64 {
    let mut term = (-mean).exp();
    let mut sum = term;
    for k in 1..=count {
        term *= mean / k as f64;
        sum += term;
    }
    sum
}

/// Ridge penalty: keeps the weights of rare features near zero.
const RIDGE: f64 = 2.0;
/// A card with less of its symbols in view is ignored, unless hardly any are: then it is no card.
const IN_VIEW: (f64, f64) = (0.05, 0.5);

/// Results of a fit to half of the tables on the other half.
#[derive(Clone, Debug, Serialize)]
pub struct OutlinesReport {
    /// The features, in the order of the weights.
    pub features: Vec<&'static str>,
    /// Outlines of cards, and how many of them get log odds below 0.
    pub cards: [usize; 2],
    /// Other outlines, and how many of them get log odds above 0.
    #[serde(rename = "others")]
    pub other_outlines: [usize; 2],
    /// Mean negative log likelihood, in nats.
    pub unlikelihood: f64,
}

#[derive(Clone)]
struct Example {
    features: [f64; FEATURES],
    is_card: bool,
    held_out: bool,
}

/// Draws tables as in training and of every kind, finds their cards and fits the weights by logistic
/// regression. The report is of a fit to every other table.
pub fn fit_outlines(
    finder: &Learned,
    tables: u64,
    seed: u64,
    done: &(dyn Fn() + Sync),
) -> Result<(Weights, OutlinesReport), CollectError> {
    let examples: Vec<Example> = (0..tables)
        .into_par_iter()
        .map(|i| {
            let examples = examples_of(&table(seed, i)?, i % 2 == 1, finder)?;
            done();
            Ok(examples)
        })
        .collect::<Result<Vec<Vec<Example>>, CollectError>>()?
        .concat();
    let half = fit(examples.iter().filter(|example| !example.held_out));
    let report = report(&half, examples.iter().filter(|example| example.held_out));
    Ok((fit(examples.iter()), report))
}

/// Two tables in three are drawn as in the finder's training, but larger; the third is of one of
/// the kinds in turn.
fn table(seed: u64, i: u64) -> Result<Scene, CollectError> {
    if i % 3 < 2 {
        return Ok(scenes::finder(seed, i, (1024, 768))?);
    }
    let kind = Kind::FITTED_ON[(i / 3) as usize % Kind::FITTED_ON.len()];
    let scene = render(&Params::for_kind(kind), seed, i)?;
    Ok(Scene { image: scene.through_jpeg()?, ..scene })
}

fn examples_of(
    scene: &Scene,
    held_out: bool,
    finder: &Learned,
) -> Result<Vec<Example>, CollectError> {
    let Some(detections) = finder.detect(&scene.image).map_err(PipelineError::from)? else {
        return Ok(Vec::new());
    };
    let quads: Vec<Quad> = detections
        .fitted
        .cards
        .iter()
        .map(|card| detections.found.working.in_image(&card.refined.quad))
        .collect();
    let centers: Vec<Point> = quads.iter().map(Quad::center).collect();
    let cards: Vec<Point> = scene.cards.iter().map(|card| card.corners_in_image.center()).collect();
    let mut card_of: Vec<Option<usize>> = vec![None; quads.len()];
    for (card, outline) in
        nearest(&cards, &centers, |i: usize, _| scene.cards[i].corners_in_image.long_side())
            .into_iter()
            .enumerate()
    {
        if let Some(outline) = outline {
            card_of[outline] = Some(card);
        }
    }
    let examples = detections.features.iter().zip(&card_of).filter_map(|(features, card)| {
        let in_view = card.map_or(0.0, |i| scene.cards[i].symbols_in_view);
        let (none, enough) = IN_VIEW;
        let is_doubtful = in_view > none && in_view < enough;
        let is_card = in_view >= enough;
        (!is_doubtful).then_some(Example { features: *features, is_card, held_out })
    });
    Ok(examples.collect())
}

fn fit<'a>(examples: impl Iterator<Item = &'a Example>) -> Weights {
    let choices: Vec<Choice> = examples
        .map(|example| {
            let features = example.features.iter().copied().chain([1.0]).collect();
            Choice::yes_or_no(features, example.is_card, 1.0)
        })
        .collect();
    let weights = optimiser::fit(&choices, &[0.0; FEATURES + 1], RIDGE);
    // Further digits would be noise.
    std::array::from_fn(|k| (weights[k] * 1e4).round() / 1e4)
}

fn report<'a>(weights: &Weights, examples: impl Iterator<Item = &'a Example>) -> OutlinesReport {
    let ([mut cards, mut other_outlines], mut loss) = ([[0; 2]; 2], 0.0);
    for example in examples {
        let score = log_odds(&example.features, weights);
        let (counted, is_wrong, likelihood) = match example.is_card {
            true => (&mut cards, score < 0.0, sigmoid(score)),
            false => (&mut other_outlines, score > 0.0, sigmoid(-score)),
        };
        counted[0] += 1;
        counted[1] += usize::from(is_wrong);
        loss -= likelihood.max(1e-12).ln();
    }
    let n = (cards[0] + other_outlines[0]).max(1) as f64;
    OutlinesReport { features: NAMES.to_vec(), cards, other_outlines, unlikelihood: loss / n }
}

/// Ridge penalty, in tables.
const SCREEN_RIDGE: f64 = 1.0;

/// Results of a fit to every other table on the others.
#[derive(Clone, Debug, Serialize)]
pub struct ScreenReport {
    /// The features, in the order of the weights.
    pub features: [&'static str; screens::FEATURES],
    /// Copies of screens, and how many of them are taken for photos.
    pub screens: [usize; 2],
    /// Photos, and how many of them are taken for copies of screens.
    pub photos: [usize; 2],
}

/// Fits the weights by logistic regression on drawn photos and drawn screens.
pub fn fit_is_screen(
    photos: &[Source],
    drawn_screens: &Source,
) -> (screens::Weights, ScreenReport) {
    let photos = photos.iter().flat_map(|source| screen_examples(source, false));
    let all: Vec<_> = photos.chain(screen_examples(drawn_screens, true)).collect();
    let [mut screens, mut photographed] = [[0; 2]; 2];
    let half = fit_screens(all.iter().filter(|(i, ..)| i % 2 == 0));
    for (_, features, yes) in all.iter().filter(|(i, ..)| i % 2 == 1) {
        let counted = if *yes { &mut screens } else { &mut photographed };
        counted[0] += 1;
        counted[1] += usize::from(is_likely(features, &half) != *yes);
    }
    let report = ScreenReport { features: screens::NAMES, screens, photos: photographed };
    (fit_screens(all.iter()), report)
}

/// A table's index in its source, its features, and whether it is a copy of a screen.
type ScreenExample = (usize, [f32; screens::FEATURES], bool);

fn screen_examples(source: &Source, yes: bool) -> impl Iterator<Item = ScreenExample> {
    let tables = source.tables.iter().filter_map(|table| table.is_screen);
    tables.enumerate().map(move |(i, features)| (i, features, yes))
}

fn fit_screens<'a>(examples: impl Iterator<Item = &'a ScreenExample>) -> screens::Weights {
    let choices: Vec<Choice> = examples
        .map(|(_, features, yes)| Choice::yes_or_no(features.map(f64::from).to_vec(), *yes, 1.0))
        .collect();
    let weights = optimiser::fit(&choices, &[0.0; screens::FEATURES], SCREEN_RIDGE);
    std::array::from_fn(|k| ((weights[k] * 1e4).round() / 1e4) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_rises_only_above_what_is_wrong_too_often() {
        let scored =
            |confidence: f32, right: bool| ScoredCard { source: 0, confidence, right, weight: 1.0 };
        let mut cards: Vec<ScoredCard> =
            (0..500).map(|i| scored(0.999 - 1e-5 * i as f32, true)).collect();
        cards.push(scored(0.97, false));
        assert_eq!(raised_limit(&cards, 0.94), 0.94, "one in 500 may be chance");
        cards.push(scored(0.96, false));
        cards.push(scored(0.955, true));
        let raised = raised_limit(&cards, 0.94);
        assert!(raised > 0.96 && raised <= 0.97, "{raised}");
        assert_eq!(raised_limit(&[], 0.9), 0.9);
    }
}
