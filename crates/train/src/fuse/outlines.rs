//! Fits the weights of the learned finder's features: how likely an outline is a card.

use super::collect::CollectError;
use crate::newton::{self, Choice};
use rayon::prelude::*;
use serde::Serialize;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::nearest;
use setsight_scenes::{Kind, Params, Scene, render, scenes};
use setsight_vision::find::evidence::{FEATURES, NAMES, Weights, log_odds};
use setsight_vision::{PipelineError, find::Learned};

/// Ridge penalty: keeps the weights of rare features near zero.
const RIDGE: f64 = 2.0;
/// A card with less of its symbols in view is ignored, unless hardly any are: then it is no card.
const IN_VIEW: (f64, f64) = (0.05, 0.5);

/// How a fit to half of the tables judges the other half.
#[derive(Clone, Debug, Serialize)]
pub struct OutlinesReport {
    /// The features, in the order of the weights.
    pub features: Vec<&'static str>,
    /// Outlines of cards, and how many of them get log odds below 0.
    pub cards: [usize; 2],
    /// Other outlines, and how many of them get log odds above 0.
    pub others: [usize; 2],
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
    let of_table = |i: u64| {
        let examples = examples_of(&table(seed, i)?, i % 2 == 1, finder)?;
        done();
        Ok(examples)
    };
    let examples: Vec<Example> = (0..tables)
        .into_par_iter()
        .map(of_table)
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
    let scene = render(&Params::of(kind), seed, i)?;
    Ok(Scene { image: scene.through_jpeg()?, ..scene })
}

fn examples_of(
    scene: &Scene,
    held_out: bool,
    finder: &Learned,
) -> Result<Vec<Example>, CollectError> {
    let Some(seen) = finder.detect(&scene.image).map_err(PipelineError::from)? else {
        return Ok(Vec::new());
    };
    let quads: Vec<Quad> = seen
        .laid
        .cards
        .iter()
        .map(|card| seen.found.working.in_image(&card.refined.quad))
        .collect();
    let centers: Vec<Point> = quads.iter().map(Quad::center).collect();
    let cards: Vec<Point> = scene.cards.iter().map(|card| card.corners_in_image.center()).collect();
    let long_side = |i: usize, _| scene.cards[i].corners_in_image.long_side();
    let mut card_of: Vec<Option<usize>> = vec![None; quads.len()];
    for (card, outline) in nearest(&cards, &centers, long_side).into_iter().enumerate() {
        if let Some(outline) = outline {
            card_of[outline] = Some(card);
        }
    }
    let example = |(features, card): (&[f64; FEATURES], &Option<usize>)| {
        let in_view = card.map_or(0.0, |i| scene.cards[i].symbols_in_view);
        let (none, enough) = IN_VIEW;
        let is_doubtful = in_view > none && in_view < enough;
        let is_card = in_view >= enough;
        (!is_doubtful).then_some(Example { features: *features, is_card, held_out })
    };
    Ok(seen.features.iter().zip(&card_of).filter_map(example).collect())
}

fn fit<'a>(examples: impl Iterator<Item = &'a Example>) -> Weights {
    let choice = |example: &Example| {
        let features = example.features.iter().copied().chain([1.0]).collect();
        Choice::yes_or_no(features, example.is_card, 1.0)
    };
    let choices: Vec<Choice> = examples.map(choice).collect();
    let weights = newton::fit(&choices, &[0.0; FEATURES + 1], RIDGE);
    // Further digits would be noise.
    std::array::from_fn(|k| (weights[k] * 1e4).round() / 1e4)
}

/// Probability from log odds.
fn sigmoid(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

fn report<'a>(weights: &Weights, examples: impl Iterator<Item = &'a Example>) -> OutlinesReport {
    let ([mut cards, mut others], mut loss) = ([[0; 2]; 2], 0.0);
    for example in examples {
        let score = log_odds(&example.features, weights);
        let (counted, is_wrong, likelihood) = match example.is_card {
            true => (&mut cards, score < 0.0, sigmoid(score)),
            false => (&mut others, score > 0.0, sigmoid(-score)),
        };
        counted[0] += 1;
        counted[1] += usize::from(is_wrong);
        loss -= likelihood.max(1e-12).ln();
    }
    let n = (cards[0] + others[0]).max(1) as f64;
    OutlinesReport { features: NAMES.to_vec(), cards, others, unlikelihood: loss / n }
}
