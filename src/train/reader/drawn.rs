//! Crops cut from drawn tables, as reading would cut them.

use super::key;
use super::miss::{anywhere, beside, holds, outline};
use super::sample::{Group, Sample};
use crate::geometry::Quad;
use crate::pipeline::{CardOutline, Frame, rectify};
use crate::render::{self, Kind, Params, Scene};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Scenes drawn side by side before their crops are counted.
const CHUNK: u64 = 64;
/// Crops without a card for each with one.
const OTHERS: f64 = 0.4;

/// Cuts at least `cards` crops from tables of a seed; fewer when `stop` becomes true. Tells `done`
/// how many it has. Cards come first, then what is no card.
pub fn crops(
    cards: usize,
    seed: u64,
    name: &str,
    stop: &AtomicBool,
    done: &(dyn Fn(usize) + Sync),
) -> [Group; 2] {
    let group = |name: String| Group { name, is_drawn: true, samples: Vec::new() };
    let mut out = [group(name.to_owned()), group(format!("{name}, no cards"))];
    let count = AtomicUsize::new(0);
    let mut from = 0;
    while out[0].samples.len() < cards && !stop.load(Ordering::Relaxed) {
        let scenes: Vec<[Vec<Sample>; 2]> = (from..from + CHUNK)
            .into_par_iter()
            .map(|index| {
                let crops = of_scene(seed, index);
                done(count.fetch_add(crops[0].len(), Ordering::Relaxed) + crops[0].len());
                crops
            })
            .collect();
        from += CHUNK;
        for scene in scenes {
            for (group, samples) in out.iter_mut().zip(scene) {
                group.samples.extend(samples);
            }
        }
    }
    out[0].samples.truncate(cards);
    out
}

/// The crops of one table: its cards, and what is none.
fn of_scene(seed: u64, index: u64) -> [Vec<Sample>; 2] {
    let mut rng = Pcg64::seed_from_u64(key(seed, index));
    let Some(scene) = scene(seed, index, &mut rng) else { return [vec![], vec![]] };
    let Ok(image) = scene.through_jpeg() else { return [vec![], vec![]] };
    let (width, height) = (f64::from(image.width()), f64::from(image.height()));
    let frame = Frame { image };
    let cut = |quad: Quad| {
        let outline =
            CardOutline { corners_in_image: quad, score: 0.0, symbols_seen: 0, shape_seen: None };
        rectify::rectify(&frame, &outline)
    };
    let cards: Vec<Quad> = scene.cards.iter().map(|card| card.corners_in_image).collect();
    let found: Vec<Sample> = scene
        .cards
        .iter()
        .map(|card| Sample::of(&cut(outline(&card.corners_in_image, &mut rng)), Some(card.card)))
        .collect();
    let mut others = Vec::new();
    let wanted = (OTHERS * cards.len().max(4) as f64).ceil() as usize;
    for _ in 0..20 * wanted {
        if others.len() == wanted {
            break;
        }
        let quad = if cards.is_empty() || rng.random_bool(0.3) {
            anywhere(width, height, &mut rng)
        } else {
            beside(&cards[rng.random_range(0..cards.len())], &mut rng)
        };
        if !cards.iter().any(|card| holds(&quad, card)) {
            others.push(Sample::of(&cut(quad), None));
        }
    }
    [found, others]
}

/// One table: mostly of all kinds together, often with one difficulty alone.
fn scene(seed: u64, index: u64, rng: &mut Pcg64) -> Option<Scene> {
    let kind = if rng.random_bool(0.6) {
        Kind::Mixed
    } else {
        Kind::ALL[rng.random_range(0..Kind::ALL.len())]
    };
    let mut params = Params::of(kind);
    params.cards = (4, 16);
    params.variety = 1.0;
    let width = rng.random_range(380..900);
    params.size_px = (width, width * 3 / 4);
    if kind == Kind::Small {
        params.size_px = (400, 300);
    }
    render::render(&params, seed, index).ok()
}
