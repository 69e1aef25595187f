//! Fits the weights of the learned finder's features on drawn tables and prints them as Rust
//! source.
//!
//!     cargo run --release --example fit-finder -- [MODELS_DIR [TABLES]] > crates/vision/src/find/learned/weights.rs
//!
//! Draws tables as in training and of every kind of `setsight render`, with seeds that no training
//! and no suite uses, and finds their cards with the networks in MODELS_DIR (or the shipped ones).
//! Then fits the weight of each feature by logistic regression. Every other table is held out
//! first, with figures on stderr; the printed weights are fitted on all tables. A card with some
//! but less than half of its symbols in view is ignored. The run is seeded: the same network gives
//! the same weights.

use rayon::prelude::*;
use setsight_nets::engine::Models;
use setsight_photo::geometry::Quad;
use setsight_scenes::{Kind, Scene};
use setsight_train::newton::{self, Choice};
use setsight_vision::find::Learned;
use setsight_vision::find::learned::evidence::{FEATURES, NAMES, Weights, log_odds};
use setsight_vision::{learned, shared_refiner};
use std::path::PathBuf;

/// A seed that neither training nor a suite uses.
const SEED: u64 = 881_007;
/// Default number of tables.
const TABLES: u64 = 1200;
/// Ridge penalty: keeps the weights of rare features near zero.
const RIDGE: f64 = 2.0;

#[derive(Clone)]
struct Example {
    features: [f64; FEATURES],
    is_card: bool,
    held_out: bool,
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let models = arguments.next().map_or(Models::Shipped, |dir| Models::Folder(PathBuf::from(dir)));
    let tables = match arguments.next() {
        Some(text) => text.to_string_lossy().parse()?,
        None => TABLES,
    };
    let finder = learned(&models, shared_refiner(&models)?)?;
    let _ = opencv::core::set_num_threads(1);
    let examples: Vec<Example> = (0..tables)
        .into_par_iter()
        .map(|i| examples_of(&table(i)?, i % 2 == 1, &finder))
        .collect::<anyhow::Result<Vec<Vec<Example>>>>()?
        .concat();

    let half = fit(examples.iter().filter(|e| !e.held_out));
    report("held-out half", &half, examples.iter().filter(|e| e.held_out));
    let weights = fit(examples.iter());
    report("all", &weights, examples.iter());
    for (k, name) in NAMES.iter().enumerate() {
        let mean = |is_card: bool| {
            let of = examples.iter().filter(|e| e.is_card == is_card);
            let n = of.clone().count().max(1) as f64;
            of.map(|e| e.features[k]).sum::<f64>() / n
        };
        eprintln!(
            "{name:>10}: cards {:6.2}, others {:6.2}, weight {:6.2}",
            mean(true),
            mean(false),
            weights[k]
        );
    }
    println!("//! Constants printed by `tools/fit_finder.rs`; do not edit.\n");
    println!("use super::evidence::Weights;\n");
    println!("/// The weights in the order of [`super::evidence::NAMES`], then the constant.");
    println!("#[rustfmt::skip]");
    println!("pub const WEIGHTS: Weights = [");
    for (weight, name) in weights.iter().zip(NAMES.iter().chain(&["constant"])) {
        println!("    {weight:.4}, // {name}");
    }
    println!("];");
    Ok(())
}

/// Two tables in three are drawn as in the finder's training, but larger; the third is of one of
/// the kinds in turn.
fn table(i: u64) -> anyhow::Result<Scene> {
    if i % 3 < 2 {
        return Ok(setsight_scenes::scenes::finder(SEED, i, (1024, 768))?);
    }
    let kind = Kind::FITTED_ON[(i / 3) as usize % Kind::FITTED_ON.len()];
    let mut scene = setsight_scenes::render(&setsight_scenes::Params::of(kind), SEED, i)?;
    scene.image = scene.through_jpeg()?;
    Ok(scene)
}

fn examples_of(scene: &Scene, held_out: bool, finder: &Learned) -> anyhow::Result<Vec<Example>> {
    let frame = scene.image.clone();
    let Some(seen) = finder.detect(&frame)? else { return Ok(Vec::new()) };
    let quads: Vec<Quad> =
        seen.placed.iter().map(|card| seen.working.in_image(&card.refined.quad)).collect();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (i, card) in scene.cards.iter().enumerate() {
        let truth = &card.corners_in_image;
        for (j, quad) in quads.iter().enumerate() {
            let off = truth.center().distance(quad.center()) / truth.long_side();
            if off < setsight_photo::labels::MATCH_RADIUS {
                pairs.push((off, i, j));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut card_of: Vec<Option<usize>> = vec![None; quads.len()];
    for (_, i, j) in pairs {
        if card_of[j].is_none() && !card_of.contains(&Some(i)) {
            card_of[j] = Some(i);
        }
    }
    let example = |(features, card): (&[f64; FEATURES], &Option<usize>)| {
        let in_view = card.map_or(0.0, |i| scene.cards[i].symbols_in_view);
        let doubtful = in_view > 0.05 && in_view < 0.5;
        (!doubtful).then_some(Example { features: *features, is_card: in_view >= 0.5, held_out })
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
    std::array::from_fn(|k| weights[k])
}

fn report<'a>(name: &str, weights: &Weights, examples: impl Iterator<Item = &'a Example>) {
    let (mut cards, mut others, mut left, mut taken, mut loss) = (0, 0, 0, 0, 0.0);
    for example in examples {
        let score = log_odds(&example.features, weights);
        let p = 1.0 / (1.0 + (-score).exp());
        if example.is_card {
            cards += 1;
            left += usize::from(score < 0.0);
            loss -= p.max(1e-12).ln();
        } else {
            others += 1;
            taken += usize::from(score > 0.0);
            loss -= (1.0 - p).max(1e-12).ln();
        }
    }
    eprintln!(
        "{name}: {cards} cards of which {left} are left out, {others} others of which {taken} are \
         taken, {:.4} nats an example",
        loss / f64::from((cards + others).max(1) as u32)
    );
}
