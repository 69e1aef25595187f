//! Crops of drawn tables, cut as inference cuts them: along a finder's outlines, along outlines with random
//! errors, along misplaced ones and along ones without a card.
//!
//! A cache file holds them, so several trainings draw them once: 8 bytes of magic, the length of a JSON header
//! (8 bytes, little endian), the header, then each crop: one byte for its label (see [`Label::to_byte`]) and its
//! pixels.

use super::key;
use super::sample::{BYTES, Group, Label, Sample};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use setsight_files::whole_file::WholeFile;
use setsight_game::cards::outline::SYMBOL_SPACING;
use setsight_photo::geometry::{Point, Quad};
use setsight_scenes::{DrawnCard, scenes};
use setsight_vision::find::{CardFinder, FindError};
use setsight_vision::{CardImage, CardOutline, Trace};
use std::io::{self, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{fs::File, path::Path};

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
        Tables::InBadLight => scenes::in_bad_light(seed % SEEDS, index, |_| ()),
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
        let label =
            if card.of_deck { Label::for_card(edition, card.card) } else { Label::OfUnknownDeck };
        named.push(Sample::from_image(&cut(quad), label));
    }
    let mut negatives: Vec<Sample> = found
        .iter()
        .filter(|quad| !cards.iter().any(|card| holds(quad, card)))
        .map(|quad| Sample::from_image(&cut(either_way(*quad, &mut rng)), Label::NoCard))
        .collect();
    let wanted = negatives.len().max((OTHERS * cards.len().max(4) as f64).ceil() as usize);
    for _ in 0..20 * wanted {
        if negatives.len() == wanted {
            break;
        }
        let place = rng.random::<f64>();
        let quad = if place < 0.35 && !scene.lookalikes.is_empty() {
            outline(&scene.lookalikes[rng.random_range(0..scene.lookalikes.len())], &mut rng)
        } else if cards.is_empty() || place < 0.5 {
            anywhere(width, height, &mut rng)
        } else {
            near_miss(&cards[rng.random_range(0..cards.len())], &mut rng)
        };
        if !cards.iter().any(|card| holds(&quad, card)) {
            negatives.push(Sample::from_image(&cut(quad), Label::NoCard));
        }
    }
    Ok([named, negatives])
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
    let best = card.symbol_visibility.iter().copied().fold(0.0, f64::max);
    card.symbols_in_view > 0.48 && best > 0.6
}

/// The largest error as a fraction of the card's sides: mostly small, sometimes as large as a poor
/// border gives.
fn size(rng: &mut Pcg64) -> f64 {
    match rng.random_range(0..20) {
        0..13 => rng.random_range(0.0..0.03),
        13..19 => rng.random_range(0.02..0.06),
        _ => rng.random_range(0.04..0.085),
    }
}

/// A card's outline with a finder's error: a small shift, scale and distortion, starting at either
/// long side.
pub(crate) fn outline(quad: &Quad, rng: &mut Pcg64) -> Quad {
    let size = size(rng);
    // Symbols are occasionally assigned to wrong places in the row.
    let slots = if rng.random_bool(0.04) { if rng.random() { 0.5 } else { -0.5 } } else { 0.0 };
    let mut symmetric = |part: f64| rng.random_range(-1.0..1.0) * size * part;
    let (long, short) = (1.0 + symmetric(1.0), 1.0 + symmetric(1.0));
    let shift = (symmetric(0.7) + slots * SYMBOL_SPACING, symmetric(0.7));
    let mut corners = corners_of(quad, (long, short), shift);
    let (along, across) = axes(quad);
    for corner in &mut corners.0 {
        *corner = *corner + along * symmetric(0.6) + across * symmetric(0.6);
    }
    if rng.random() {
        corners.0.rotate_left(2);
    }
    corners
}

/// The long and the short side as vectors.
fn axes(quad: &Quad) -> (Point, Point) {
    let c = &quad.0;
    ((c[1] - c[0] + c[2] - c[3]) / 2.0, (c[3] - c[0] + c[2] - c[1]) / 2.0)
}

/// The sides on which a card's corners lie.
const SIGNS: [(f64, f64); 4] = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];

/// Scales a quadrilateral about its centre and shifts it by fractions of its sides.
fn corners_of(quad: &Quad, scale: (f64, f64), shift: (f64, f64)) -> Quad {
    let c = &quad.0;
    let middle = (c[0] + c[1] + c[2] + c[3]) / 4.0;
    let (along, across) = axes(quad);
    let bend = (c[0] - c[1] + c[2] - c[3]) / 4.0;
    Quad::new(SIGNS.map(|(u, v)| {
        let (u, v) = (u * scale.0, v * scale.1);
        middle + along * (u / 2.0 + shift.0) + across * (v / 2.0 + shift.1) + bend * (u * v)
    }))
}

/// An outline near a card that holds no whole card: over a part of it, half off it, across it, or
/// far too large.
pub(crate) fn near_miss(quad: &Quad, rng: &mut Pcg64) -> Quad {
    let mut either = |low: f64, high: f64| {
        let far = rng.random_range(low..high);
        if rng.random() { far } else { -far }
    };
    let place = (either(0.0, 0.3), either(0.0, 0.3));
    let off = (either(0.4, 0.9), either(0.45, 0.9));
    let slip = (either(0.0, 0.35), either(0.0, 0.35));
    let mut made = match rng.random_range(0..12) {
        0..3 => {
            let part = rng.random_range(0.2..0.6);
            let narrow = rng.random_range(0.7..1.4);
            corners_of(quad, (part * narrow, part / narrow), place)
        }
        3..5 => corners_of(quad, (1.0, 1.0), (off.0, slip.1)),
        5..7 => corners_of(quad, (1.0, 1.0), (slip.0, off.1)),
        // A tight outline of one symbol, whose border is a quadrilateral too.
        7 => corners_of(quad, (0.26, 0.76), (0.285 * f64::from(rng.random_range(-1..=1)), 0.0)),
        8 => {
            let scale = rng.random_range(0.5..1.1);
            let mut across = corners_of(quad, (scale, scale), (place.0 / 3.0, place.1 / 3.0));
            across.0.rotate_left(1);
            across
        }
        9 => {
            // Two cards side by side as one outline, or one outline that lacks the far half.
            let wide = if rng.random() { (1.0, 2.1) } else { (0.55, 1.0) };
            corners_of(quad, wide, (if wide.0 < 1.0 { 0.22 } else { 0.0 }, 0.5 * (wide.1 - 1.0)))
        }
        _ => {
            let scale = rng.random_range(1.6..2.6);
            corners_of(quad, (scale, scale), (place.0, place.1))
        }
    };
    if rng.random() {
        made.0.rotate_left(2);
    }
    made
}

/// An outline of a card's shape anywhere in a picture.
fn anywhere(width: f64, height: f64, rng: &mut Pcg64) -> Quad {
    let long = rng.random_range(0.1..0.4) * width.min(height) * 1.2;
    let short = long / rng.random_range(1.2..2.0);
    let (sin, cos) = rng.random_range(0.0..std::f64::consts::TAU).sin_cos();
    let middle = Point::new(rng.random_range(0.0..width), rng.random_range(0.0..height));
    Quad::new(SIGNS.map(|(u, v)| {
        middle
            + Point::new(u * long * cos - v * short * sin, u * long * sin + v * short * cos) / 2.0
    }))
}

/// Whether an outline holds a card after all: with nearly the same centre, size and orientation.
pub(crate) fn holds(outline: &Quad, card: &Quad) -> bool {
    let near = outline.center().distance(card.center()) < 0.33 * card.short_side();
    let size = (outline.signed_area() / card.signed_area()).abs();
    let (mine, theirs) = (axes(outline).0, axes(card).0);
    let turned = (mine.cross(theirs) / (mine.norm() * theirs.norm()).max(1e-9)).abs();
    near && (0.6..1.6).contains(&size) && turned < 0.5
}

const MAGIC: &[u8; 8] = b"SETSCRP2";

#[derive(Serialize, Deserialize)]
struct Header {
    /// How the crops were made: a file with another recipe is not used.
    recipe: serde_json::Value,
    /// Names and sizes of the groups.
    groups: Vec<(String, usize)>,
}

/// Writes groups of drawn crops, completely or not at all.
pub fn write(path: &Path, recipe: &serde_json::Value, groups: &[Group]) -> io::Result<()> {
    let sizes = groups.iter().map(|group| (group.name.clone(), group.samples.len())).collect();
    let header = Header { recipe: recipe.clone(), groups: sizes };
    let header = serde_json::to_vec(&header).expect("plain data");
    let mut file = WholeFile::create(path)?;
    file.write_all(MAGIC)?;
    file.write_all(&(header.len() as u64).to_le_bytes())?;
    file.write_all(&header)?;
    for sample in groups.iter().flat_map(|group| &group.samples) {
        file.write_all(&[sample.label.to_byte()])?;
        file.write_all(&sample.pixels)?;
    }
    file.finish()
}

/// The crops in a file; `None` if there is no such file or it was made by another recipe.
pub fn read(path: &Path, recipe: &serde_json::Value) -> io::Result<Option<Vec<Group>>> {
    let broken = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(metadata) if !metadata.is_file() => return Err(broken("it is no ordinary file")),
        _ => {}
    }
    let file = File::open(path)?;
    let mut file = BufReader::new(file);
    let mut start = [0; 16];
    file.read_exact(&mut start)?;
    let (magic, length) = start.split_at(8);
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
    if magic != MAGIC || length > 1 << 20 {
        return Err(broken("it holds no drawn crops"));
    }
    let mut header = vec![0; length as usize];
    file.read_exact(&mut header)?;
    let header: Header =
        serde_json::from_slice(&header).map_err(|_| broken("its header is broken"))?;
    if header.recipe != *recipe {
        return Ok(None);
    }
    let mut groups = Vec::new();
    for (name, size) in header.groups {
        let mut samples = Vec::new();
        for _ in 0..size {
            let mut byte = [0];
            file.read_exact(&mut byte)?;
            let label = Label::from_byte(byte[0])
                .ok_or_else(|| broken("it names a card that there is not"))?;
            let mut pixels = vec![0; BYTES].into_boxed_slice();
            file.read_exact(&mut pixels)?;
            samples.push(Sample { pixels, label });
        }
        groups.push(Group { name, is_drawn: true, teaches_color: true, samples });
    }
    Ok(Some(groups))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use serde_json::json;
    use setsight_game::cards::{Card, Edition};

    fn card() -> Quad {
        Quad::new([(10.0, 10.0), (100.0, 14.0), (96.0, 70.0), (8.0, 66.0)].map(Point::from_pair))
    }

    trait FromPair {
        fn from_pair(pair: (f64, f64)) -> Point;
    }
    impl FromPair for Point {
        fn from_pair((x, y): (f64, f64)) -> Point {
            Point::new(x, y)
        }
    }

    #[test]
    fn outlines_miss_by_little_and_hold_the_card() {
        let (mut rng, card) = (Pcg64::seed_from_u64(1), card());
        let mut misses: Vec<f64> = (0..500)
            .map(|_| {
                let quad = outline(&card, &mut rng);
                assert!(holds(&quad, &card) && quad.signed_area() > 0.0);
                quad.corner_error(&card) / card.long_side()
            })
            .collect();
        misses.sort_by(f64::total_cmp);
        assert!(misses[250] < 0.03 && misses[499] < 0.2, "{} {}", misses[250], misses[499]);
    }

    #[test]
    fn near_misses_do_not_contain_the_card() {
        let (mut rng, card) = (Pcg64::seed_from_u64(2), card());
        for _ in 0..500 {
            let quad = near_miss(&card, &mut rng);
            assert!(!holds(&quad, &card), "{quad:?}");
        }
    }

    #[test]
    fn cached_crops_match_their_recipe() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("drawn.bin");
        let pixels = |v: u8| vec![v; BYTES].into_boxed_slice();
        let samples = vec![
            Sample {
                pixels: pixels(7),
                label: Label::for_card(Edition::Rectangles, Card::from_index(80)),
            },
            Sample { pixels: pixels(9), label: Label::NoCard },
        ];
        let groups = [Group { name: "drawn".into(), is_drawn: true, teaches_color: true, samples }];
        let recipe = json!({"seed": 1});
        assert!(read(&path, &recipe).unwrap().is_none());
        write(&path, &recipe, &groups).unwrap();
        let kept = read(&path, &recipe).unwrap().unwrap();
        assert_eq!(kept[0].samples, groups[0].samples);
        assert!(read(&path, &json!({"seed": 2})).unwrap().is_none());
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(read(&path, &recipe).is_err());
    }
}
