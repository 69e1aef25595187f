//! Crops of drawn tables, cut as inference cuts them: along a finder's outlines, and along outlines
//! with random errors.

use super::{
    key,
    misdetections::{anywhere, beside, holds, outline},
    sample::{Group, Label, Sample},
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use setsight_photo::geometry::Quad;
use setsight_scenes::{DrawnCard, scenes};
use setsight_vision::find::{CardFinder, FindError};
use setsight_vision::{CardImage, CardOutline, Trace};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Changed whenever the same seed gives other crops.
pub const VERSION: u32 = 6;
/// Scenes drawn in parallel before their crops are counted.
const CHUNK: usize = 64;
/// Upper bound of the seeds of training tables.
const SEEDS: u64 = scenes::HELD_BACK;
/// Number of crops without a card per crop with one.
const OTHERS: f64 = 0.4;
/// Share of the cards cut along the finder's outline, if it found one.
const AS_FOUND: f64 = 0.6;

/// Which tables are drawn.
#[derive(Clone, Debug)]
pub enum Tables {
    /// Photos of tables with cards of many decks.
    Photographed,
    /// Tables as games on a screen draw them.
    OnScreen,
    /// Photos of tables in bad light and by bad cameras.
    InBadLight,
}

/// Cuts at least `cards` crops from the tables of a seed; fewer when `stop` becomes true. Calls
/// `done` with the number so far. Crops of cards come first, then crops without a card.
pub fn crops(
    cards: usize,
    (seed, tables): (u64, &Tables),
    name: &str,
    finder: &dyn CardFinder,
    stop: &AtomicBool,
    done: &(dyn Fn(usize) + Sync),
) -> Result<[Group; 2], FindError> {
    let group =
        |name: String| Group { name, is_drawn: true, teaches_color: true, samples: Vec::new() };
    let mut out = [group(name.to_owned()), group(format!("{name}, no cards"))];
    let count = AtomicUsize::new(0);
    let mut from = 0;
    while out[0].samples.len() < cards && !stop.load(Ordering::Relaxed) {
        let until = from + (cards / 10).clamp(2, CHUNK) as u64;
        let scenes: Vec<[Vec<Sample>; 2]> = (from..until)
            .into_par_iter()
            .map(|index| {
                let crops = of_scene(seed, index, tables, finder)?;
                done(count.fetch_add(crops[0].len(), Ordering::Relaxed) + crops[0].len());
                Ok(crops)
            })
            .collect::<Result<_, FindError>>()?;
        from = until;
        for scene in scenes {
            for (group, samples) in out.iter_mut().zip(scene) {
                group.samples.extend(samples);
            }
        }
    }
    out[0].samples.truncate(cards);
    Ok(out)
}

/// The crops of one table: its cards, and crops without a card.
fn of_scene(
    seed: u64,
    index: u64,
    tables: &Tables,
    finder: &dyn CardFinder,
) -> Result<[Vec<Sample>; 2], FindError> {
    let mut rng = Pcg64::seed_from_u64(key(seed, index));
    let scene = match tables {
        Tables::Photographed => scenes::reader(seed % SEEDS, index),
        Tables::OnScreen => scenes::screen(seed % SEEDS, index),
        Tables::InBadLight => scenes::in_bad_light(seed % SEEDS, index),
    };
    let Ok(scene) = scene else { return Ok([vec![], vec![]]) };
    let (width, height) = (f64::from(scene.image.width()), f64::from(scene.image.height()));
    let edition = scene.deck.edition();
    let frame = &scene.image;
    let found: Vec<Quad> = finder
        .find(frame, &mut Trace::default())?
        .into_iter()
        .map(|outline| outline.corners_in_image)
        .collect();
    let straighten = match tables {
        Tables::OnScreen => CardImage::rectify_drawn,
        _ => CardImage::rectify,
    };
    let cut = |quad: Quad| straighten(frame, &CardOutline::at(quad));
    let cards: Vec<Quad> = scene.cards.iter().map(|card| card.corners_in_image).collect();
    let mut named = Vec::new();
    for card in scene.cards.iter().filter(|card| can_be_named(card)) {
        let quad = &card.corners_in_image;
        let as_found = rng.random_bool(AS_FOUND);
        let quad = match nearest_holding(&found, quad) {
            Some(found) if as_found => either_way(found, &mut rng),
            _ => outline(quad, &mut rng),
        };
        let label = if card.of_deck { Label::of(edition, card.card) } else { Label::OfUnknownDeck };
        named.push(Sample::of(&cut(quad), label));
    }
    let mut others: Vec<Sample> = found
        .iter()
        .filter(|quad| !cards.iter().any(|card| holds(quad, card)))
        .map(|quad| Sample::of(&cut(either_way(*quad, &mut rng)), Label::NoCard))
        .collect();
    let wanted = others.len().max((OTHERS * cards.len().max(4) as f64).ceil() as usize);
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
            others.push(Sample::of(&cut(quad), Label::NoCard));
        }
    }
    Ok([named, others])
}

/// Among the outlines that hold a card, the one whose centre is nearest to the card's.
fn nearest_holding(found: &[Quad], card: &Quad) -> Option<Quad> {
    let far = |quad: &Quad| quad.center().distance(card.center());
    let holding = found.iter().filter(|quad| holds(quad, card));
    holding.min_by(|a, b| far(a).total_cmp(&far(b))).copied()
}

/// Starts at either long side, at random.
fn either_way(mut quad: Quad, rng: &mut Pcg64) -> Quad {
    if rng.random() {
        quad.0.rotate_left(2);
    }
    quad
}

/// Whether enough of a card's symbols is in view to identify it.
fn can_be_named(card: &DrawnCard) -> bool {
    let best = card.symbols_seen.iter().copied().fold(0.0, f64::max);
    card.symbols_in_view > 0.48 && best > 0.6
}
