//! Crops cut from drawn tables, as reading would cut them.

use super::key;
use super::miss::{anywhere, beside, holds, outline};
use super::sample::{Group, Sample};
use crate::geometry::Quad;
use crate::pipeline::{CardOutline, Frame, rectify};
use crate::render::{DrawnCard, scenes};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Changes whenever other crops come from the same seed.
pub const VERSION: u32 = 1;
/// Scenes drawn side by side before their crops are counted.
const CHUNK: usize = 64;
/// Seeds of tables to learn from lie below.
const SEEDS: u64 = scenes::HELD_BACK;
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
        let until = from + (cards / 10).clamp(2, CHUNK) as u64;
        let scenes: Vec<[Vec<Sample>; 2]> = (from..until)
            .into_par_iter()
            .map(|index| {
                let crops = of_scene(seed, index);
                done(count.fetch_add(crops[0].len(), Ordering::Relaxed) + crops[0].len());
                crops
            })
            .collect();
        from = until;
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
    let Ok(scene) = scenes::reader(seed % SEEDS, index) else { return [vec![], vec![]] };
    let (width, height) = (f64::from(scene.image.width()), f64::from(scene.image.height()));
    let frame = Frame { image: scene.image };
    let cut = |quad: Quad| {
        let outline =
            CardOutline { corners_in_image: quad, score: 0.0, symbols_seen: 0, shape_seen: None };
        rectify::rectify(&frame, &outline)
    };
    let cards: Vec<Quad> = scene.cards.iter().map(|card| card.corners_in_image).collect();
    let found: Vec<Sample> = scene
        .cards
        .iter()
        .filter(|card| can_be_named(card))
        .map(|card| Sample::of(&cut(outline(&card.corners_in_image, &mut rng)), Some(card.card)))
        .collect();
    let mut others = Vec::new();
    let wanted = (OTHERS * cards.len().max(4) as f64).ceil() as usize;
    for _ in 0..20 * wanted {
        if others.len() == wanted {
            break;
        }
        let place = rng.random::<f64>();
        let quad = if place < 0.35 && !scene.others.is_empty() {
            outline(&scene.others[rng.random_range(0..scene.others.len())], &mut rng)
        } else if cards.is_empty() || place < 0.5 {
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

/// Whether enough of a card's symbols is in view to say which card it is.
fn can_be_named(card: &DrawnCard) -> bool {
    let best = card.symbols_seen.iter().copied().fold(0.0, f64::max);
    card.symbols_in_view > 0.48 && best > 0.6
}
