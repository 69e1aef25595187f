//! Tables for training: whole tables for the finder, and tables for the reader, whose cards are
//! cropped by the same stages that read photos.
//!
//! All randomness is in `finder_params` and `reader_params`: they draw ranges from a seed of their
//! own, then [`render`] draws the table. No cards are removed from these tables; cards that can
//! hardly be seen are labelled too, with their visible fraction.
//!
//! Seeds from [`HELD_BACK`] up are reserved for evaluation suites.

use super::params::{CastParams, DeckChoice, Kind, Params, all_materials};
use super::{RenderError, Scene, render};
use super::{background::Material, table::Layout};
use setsight_game::cards::Deck;
use setsight_photo::print::dice::{Dice, Purpose, Span};

/// Seeds from here up are reserved for evaluation: no training uses them.
pub const HELD_BACK: u64 = 1 << 32;

/// Scene number `index` of a series for the finder, `size_px` wide and high, after its JPEG.
///
/// # Errors
/// The size is out of range.
pub fn finder(seed: u64, index: u64, size_px: (u32, u32)) -> Result<Scene, RenderError> {
    finder_but(seed, index, size_px, |_| ())
}

/// The same with changed ranges.
fn finder_but(
    seed: u64,
    index: u64,
    size_px: (u32, u32),
    change: impl FnOnce(&mut Params),
) -> Result<Scene, RenderError> {
    let mut dice = Dice::new(seed, index, Purpose::Ranges);
    let mut params = finder_params(&mut dice, size_px);
    change(&mut params);
    compressed(render(&params, seed, index)?, dice.chance(0.4))
}

/// Scene number `index` of a series for the refiner, after its JPEG. Like the finder's, but no
/// table is empty, and on seven tables in ten cards cover one another, because the refiner is
/// seldom run on cards that lie by themselves.
///
/// # Errors
/// The size is out of range.
pub fn refiner(seed: u64, index: u64, size_px: (u32, u32)) -> Result<Scene, RenderError> {
    /// Fewer cards would give little to learn from.
    const FEWEST: usize = 6;
    finder_but(seed, index, size_px, |params| {
        params.layouts = vec![
            (Layout::Grid, 1.0),
            (Layout::Touching, 1.0),
            (Layout::Scatter, 1.0),
            (Layout::Overlap, 2.0),
            (Layout::Heap, 4.0),
            (Layout::Fan, 1.5),
        ];
        if params.cards.1 < FEWEST {
            params.cards = (FEWEST, FEWEST);
        }
    })
}

/// Scene number `index` of a series for the reader, after its JPEG: cards 40 to 220 pixels long in
/// a picture of suitable size.
///
/// # Errors
/// None that a caller could cause.
pub fn reader(seed: u64, index: u64) -> Result<Scene, RenderError> {
    reader_but(seed, index, |_| ())
}

/// The same with changed ranges.
///
/// # Errors
/// The changed ranges are invalid.
pub fn reader_but(
    seed: u64,
    index: u64,
    change: impl FnOnce(&mut Params),
) -> Result<Scene, RenderError> {
    let mut dice = Dice::new(seed, index, Purpose::Ranges);
    let mut params = reader_params(&mut dice);
    change(&mut params);
    compressed(render(&params, seed, index)?, dice.chance(0.8))
}

/// Scene number `index` of a series for the second reader, after its JPEG: two of three tables in bad
/// light or by a bad camera, with changed ranges.
///
/// # Errors
/// The changed ranges are invalid.
pub fn in_bad_light(
    seed: u64,
    index: u64,
    change: impl FnOnce(&mut Params),
) -> Result<Scene, RenderError> {
    let mut dice = Dice::new(seed, index, Purpose::Ranges);
    let mut params = reader_params(&mut dice);
    worsen(&mut params, &mut dice);
    change(&mut params);
    compressed(render(&params, seed, index)?, dice.chance(0.9))
}

/// Applies one of several disturbances of colours or visibility.
fn worsen(p: &mut Params, dice: &mut Dice) {
    match dice.below(9) {
        // A lamp, or a camera without an infrared filter, that brings red and green together.
        0 | 1 => {
            p.cast.violet = 1.0;
            p.cast.gain = one(dice, 0.0, 0.2).low;
            p.cast.cross_talk = one(dice, 0.0, 0.08).low;
            worsen_as_webcam(p, dice);
        }
        2 => worsen_as_webcam(p, dice),
        // A flash, or too much light: the stock clips, and the balance goes by what is left.
        3 => {
            p.exposure = one(dice, 1.1, 2.4);
            p.cast.gain = 0.2;
        }
        4 => {
            p.exposure = one(dice, 0.06, 0.3);
            p.noise = one(dice, 0.015, 0.06);
        }
        5 => {
            p.motion = one(dice, 0.01, 0.06);
            p.defocus = one(dice, 0.0, 0.02);
        }
        _ => {}
    }
    if dice.chance(0.25) {
        p.cast.gain = p.cast.gain.max(0.15);
        p.cast.two_lamps = 0.3;
        p.balance = one(dice, 0.1, 0.8);
    }
}

fn worsen_as_webcam(p: &mut Params, dice: &mut Dice) {
    p.chroma_px = one(dice, 1.2, 4.0);
    p.noise = one(dice, 0.008, 0.05);
    p.sharpen = one(dice, 0.0, 2.2);
    p.jpeg = Span::new(30.0, 75.0);
}

/// Scene number `index` of a series for the reader of screens, after its JPEG if it was saved as one:
/// a table as an app shows it, with cards 26 to 300 pixels long, copied and not photographed.
///
/// # Errors
/// None that a caller could cause.
pub fn screen(seed: u64, index: u64) -> Result<Scene, RenderError> {
    screen_but(seed, index, |_| ())
}

/// The same with changed ranges.
///
/// # Errors
/// The changed ranges are invalid.
pub fn screen_but(
    seed: u64,
    index: u64,
    change: impl FnOnce(&mut Params),
) -> Result<Scene, RenderError> {
    let mut dice = Dice::new(seed, index, Purpose::Ranges);
    let mut params = Params::for_kind(Kind::Screen);
    on_screen(&mut params, &mut dice);
    change(&mut params);
    let scene = render(&params, seed, index)?;
    let lossy = scene.jpeg_quality < 100;
    compressed(scene, lossy)
}

/// Ranges of one table on a screen.
fn on_screen(p: &mut Params, dice: &mut Dice) {
    let long =
        if dice.chance(0.12) { dice.between(26.0, 50.0) } else { 50.0 * 6f64.powf(dice.unit()) };
    p.photographed = 0.0;
    // Large cards are few, which keeps the picture small.
    let most = if long > 170.0 { 9 } else { 21 };
    p.cards = dice.pick(&[((12, 12), 3.0), ((3, 9), 2.0), ((13, 21), 1.0)]);
    p.cards = (p.cards.0.min(most), p.cards.1.min(most));
    let count = f64::from(p.cards.1 as u32);
    let pixels = count * long * long * dice.between(0.9, 1.6);
    let width = (pixels * dice.between(0.5, 2.0)).sqrt();
    p.size_px = [width, pixels / width].map(|side| side.clamp(160.0, 1_600.0) as u32).into();
    p.long_side_px = Some(Span::only(long));
    p.fill = Span::new(0.8, 1.2);
    p.aim_off = dice.pick(&[(0.0, 8.0), (0.06, 1.0)]);
    p.strange = 0.25;
    // One card that fills the picture, with its border in view or just outside.
    if dice.chance(0.05) {
        let width = dice.between(200.0, 700.0);
        p.cards = (1, 1);
        p.long_side_px = None;
        p.size_px = [width, width / dice.between(1.1, 1.8)].map(|side| side as u32).into();
        p.aim_off = 0.0;
    }
    // Games on screens draw the symbols of today's deck, or others.
    p.decks = vec![(DeckChoice::Known(Deck::classic()), 0.92), (DeckChoice::Invented, 0.08)];
}

/// The scene as decoded from its JPEG, if `lossy`.
fn compressed(mut scene: Scene, lossy: bool) -> Result<Scene, RenderError> {
    if lossy && let Ok(image) = scene.through_jpeg() {
        scene.image = image;
    }
    Ok(scene)
}

/// A span of a single random value.
fn one(dice: &mut Dice, low: f64, high: f64) -> Span {
    Span::only(dice.between(low, high))
}

/// One of two ranges, the first with probability `p`.
fn either(dice: &mut Dice, p: f64, usual: (f64, f64), rare: (f64, f64)) -> Span {
    let (low, high) = if dice.chance(p) { usual } else { rare };
    one(dice, low, high)
}

/// Realistic lighting, lens and sensor; usual values are more frequent than extremes.
fn conditions(p: &mut Params, dice: &mut Dice) {
    p.variety = dice.between(0.3, 1.4);
    p.curl_mm = either(dice, 0.8, (-0.5, 1.5), (-2.5, 4.5));
    p.white_table = Span::new(0.8, 1.12);
    p.focal = Span::new(0.75, 1.7);
    p.distortion = Span::new(-0.05, 0.05);
    p.kelvin = Span::new(2_300.0, 9_000.0);
    p.balance = either(dice, 0.7, (0.7, 1.0), (0.25, 0.7));
    p.exposure = match dice.below(10) {
        0 => one(dice, 0.1, 0.35),
        1 | 2 => one(dice, 1.05, 1.9),
        3..=5 => one(dice, 0.35, 1.1),
        _ => one(dice, 0.65, 1.05),
    };
    p.falloff = Span::new(0.02, 0.9);
    p.vignette = Span::new(0.0, 0.4);
    p.card_shadow = Span::new(0.02, 0.8);
    p.cast_shadow = 0.3;
    p.cast_depth = Span::new(0.2, 0.8);
    p.glare = 0.3;
    p.glare_strength = Span::new(0.2, 2.4);
    p.saturation = Span::new(0.5, 1.4);
    p.sharpen = either(dice, 0.7, (0.0, 0.6), (0.6, 1.6));
    p.noise = either(dice, 0.75, (0.001, 0.015), (0.015, 0.045));
    p.mosaic = 0.2;
    p.jpeg = Span::new(35.0, 95.0);
    p.keep_all = true;
    // Three printed decks have outlines of 1.5 to 2.3 mm, and stripes with an inked fraction of
    // 0.22 to 0.35.
    p.outline_mm = Some(Span::new(1.1, 2.5));
    p.duty = Some(Span::new(0.18, 0.46));
    p.wear = either(dice, 0.5, (0.0, 0.0), (0.0, 1.0));
    p.tint = dice.pick(&[(0.015, 2.0), (0.05, 1.0)]);
    p.haze = either(dice, 0.7, (0.0, 0.0), (0.0, 0.06));
}

/// Conditions of other people's photos: other decks, casts, marks, printed signs. Drawn last, so
/// that the table's other ranges do not depend on it. No table is mirrored, because mirrored photos
/// are mirrored back before they are read.
fn elsewhere(p: &mut Params, dice: &mut Dice) {
    p.decks = vec![
        (DeckChoice::Known(Deck::classic()), 0.68),
        (DeckChoice::Known(Deck::rectangles()), 0.22),
        (DeckChoice::Invented, 0.1),
    ];
    // Rare, because a reader that had not trained on violet and two-lamp tables read them just as
    // well.
    p.cast = CastParams {
        gain: dice.pick(&[(0.0, 5.0), (0.05, 3.0), (0.1, 1.0)]),
        cross_talk: dice.pick(&[(0.0, 8.0), (0.02, 2.0)]),
        violet: 0.02,
        two_lamps: 0.03,
        fringe: either(dice, 0.7, (0.0, 0.0), (0.0, 0.004)),
    };
    p.annotations = dice.pick(&[((0, 0), 9.0), ((1, 4), 1.0), ((3, 10), 0.5)]);
    p.flyers = dice.pick(&[((0, 0), 8.0), ((1, 3), 1.5), ((2, 6), 0.5)]);
}

/// All materials, including those that resemble cards.
fn every_material() -> Vec<(Material, f64)> {
    let mut materials = all_materials();
    materials.extend([(Material::Printed, 1.0), (Material::Tiles, 0.6)]);
    materials
}

/// Ranges of one table for the finder.
fn finder_params(dice: &mut Dice, size_px: (u32, u32)) -> Params {
    let mut p = Params::for_kind(Kind::Mixed);
    p.size_px = size_px;
    conditions(&mut p, dice);
    p.materials = if dice.chance(0.3) { vec![(Material::White, 1.0)] } else { every_material() };
    // Empty tables provide negative examples.
    let bare = dice.chance(0.1);
    let count = match dice.below(20) {
        _ if bare => 0,
        0..=8 => 12,
        9 => 15,
        10 => 9,
        11 => 1 + dice.below(3),
        _ => 2 + dice.below(24),
    };
    p.cards = (count, count);
    p.layouts = vec![
        (Layout::Grid, 4.0),
        (Layout::Touching, 1.0),
        (Layout::Scatter, 1.6),
        (Layout::Overlap, 1.0),
        (Layout::Heap, 1.6),
        (Layout::Fan, 0.8),
    ];
    p.symbols_in_view = dice.pick(&[(0.5, 2.0), (0.2, 1.0), (0.0, 1.0)]);
    p.distractors =
        if bare { (4, 12) } else { dice.pick(&[((0, 0), 3.0), ((1, 4), 4.0), ((3, 10), 2.0)]) };
    p.dappled = 0.4;
    p.stack = 0.2;
    p.decoys_under = 0.25;
    p.false_friends = dice.pick(&[(0.0, 1.0), (0.6, 3.0), (1.0, 1.0)]);
    p.covers = dice.pick(&[((0, 0), 8.0), ((1, 2), 2.0)]);
    p.coarse_table = dice.chance(0.6);
    let width = f64::from(size_px.0.max(size_px.1));
    // The finder scales a photo so that the median card is about a sixth of the picture's width.
    let long = (0.185 * width * (0.36 * dice.normal()).exp()).clamp(0.07 * width, 0.32 * width);
    p.long_side_px = Some(Span::only(long));
    p.fill = either(dice, 0.6, (0.8, 1.1), (1.1, 2.4));
    p.aim_off = dice.pick(&[(0.0, 2.0), (0.06, 1.0), (0.16, 1.0)]);
    p.tilt = Span::only((0.42 * dice.normal()).abs().min(1.0));
    p.roll = if dice.chance(0.5) {
        let quarter = dice.below(4) as f64 * std::f64::consts::FRAC_PI_2;
        Span::only(quarter + 0.12 * dice.normal())
    } else {
        p.roll
    };
    p.defocus = either(dice, 0.75, (0.0, 0.006), (0.006, 0.03));
    p.motion = either(dice, 0.8, (0.0, 0.0), (0.0, 0.05));
    p
}

/// Ranges of one table for the reader.
fn reader_params(dice: &mut Dice) -> Params {
    let mut p = Params::for_kind(Kind::Mixed);
    conditions(&mut p, dice);
    // Small cards are the hard ones, so the sizes are uniform on a logarithmic scale.
    let long = 40.0 * 5.5f64.powf(dice.unit());
    let width = (5.2 * long).clamp(224.0, 880.0);
    p.size_px = if dice.chance(0.7) {
        (width as u32, (0.75 * width) as u32)
    } else {
        ((0.75 * width) as u32, width as u32)
    };
    p.cards = dice.pick(&[((12, 12), 3.0), ((3, 9), 2.0), ((13, 21), 1.0)]);
    p.layouts = vec![
        (Layout::Grid, 4.0),
        (Layout::Touching, 1.0),
        (Layout::Scatter, 2.0),
        (Layout::Overlap, 1.0),
        (Layout::Heap, 1.0),
    ];
    p.symbols_in_view = dice.pick(&[(0.5, 2.0), (0.3, 1.0)]);
    p.distractors = dice.pick(&[((0, 0), 1.0), ((1, 3), 2.0), ((3, 7), 1.0)]);
    p.decoys_under = 0.15;
    p.false_friends = 0.7;
    p.covers = dice.pick(&[((0, 0), 6.0), ((1, 2), 1.0)]);
    p.materials = every_material();
    p.long_side_px = Some(Span::only(long));
    p.fill = Span::new(0.8, 1.3);
    p.tilt = Span::only((0.4 * dice.normal()).abs().min(1.0));
    p.defocus = either(dice, 0.7, (0.0, 0.006), (0.006, 0.022));
    p.motion = either(dice, 0.75, (0.0, 0.004), (0.004, 0.04));
    p.chroma_px = either(dice, 0.7, (0.5, 1.2), (1.2, 3.0));
    elsewhere(&mut p, dice);
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_repeat_and_report_what_is_in_view() {
        let (mut cards, mut cut, mut covered, mut bare, mut lookalikes) = (0, 0, 0, 0, 0);
        for index in 0..60 {
            let scene = finder(3, index, (320, 256)).unwrap();
            assert_eq!(scene.image.dimensions(), (320, 256));
            if index < 5 {
                let again = finder(3, index, (320, 256)).unwrap();
                assert_eq!(scene.image, again.image);
                assert_eq!(scene.cards, again.cards);
            }
            bare += usize::from(scene.cards.is_empty());
            lookalikes += scene.lookalikes.len();
            for card in &scene.cards {
                cards += 1;
                assert!((0.0..=1.0).contains(&card.area_in_view));
                assert_eq!(card.symbol_visibility.len(), card.symbols_in_image.len());
                let inside = card
                    .corners_in_image
                    .0
                    .iter()
                    .all(|p| p.x >= 0.0 && p.y >= 0.0 && p.x < 320.0 && p.y < 256.0);
                if !inside {
                    cut += 1;
                } else if card.area_in_view < 0.9 {
                    covered += 1;
                    assert!(card.symbols_in_view <= 1.0);
                }
            }
        }
        assert!(cards > 400 && cut > 20 && covered > 40, "{cards} {cut} {covered}");
        assert!(bare >= 2 && lookalikes >= 20, "{bare} {lookalikes}");
    }

    #[test]
    fn most_cards_for_the_refiner_are_covered() {
        type Draw = fn(u64, u64, (u32, u32)) -> Result<Scene, RenderError>;
        let scenes: [Draw; 2] = [refiner, finder];
        let [(refiner, cards), (finder, _)] = scenes.map(|scene| {
            let scenes = (0..30).map(|index| scene(5, index, (320, 256)).unwrap());
            let cards: Vec<_> = scenes.flat_map(|scene| scene.cards).collect();
            let covered = cards.iter().filter(|card| card.area_in_view < 0.95).count();
            (covered as f64 / cards.len() as f64, cards.len())
        });
        assert!(
            refiner > 0.5 && refiner > finder + 0.1 && cards > 250,
            "{refiner} {finder} {cards}"
        );
    }

    #[test]
    fn cards_for_the_reader_have_the_sizes_it_meets() {
        let mut sides = Vec::new();
        for index in 0..12 {
            let scene = reader(8, index).unwrap();
            for card in &scene.cards {
                sides.push(card.corners_in_image.long_side());
            }
        }
        sides.sort_by(f64::total_cmp);
        let (low, high) = (sides[sides.len() / 20], sides[sides.len() * 19 / 20]);
        assert!(low > 20.0 && low < 80.0 && high > 110.0 && high < 260.0, "{low} {high}");
    }

    #[test]
    fn other_decks_and_marks_come_in_their_shares() {
        let mut counts = [0; 4];
        const SCENES: u64 = 150;
        for index in 0..SCENES {
            let scene = reader(11, index).unwrap();
            counts[scene.deck.edition().index()] += 1;
            counts[3] += usize::from(scene.tags.iter().any(|tag| tag == "drawn_on"));
        }
        for (count, share) in counts.into_iter().zip([0.68, 0.22, 0.1, 0.14]) {
            let found = count as f64 / SCENES as f64;
            assert!((found - share).abs() < 0.12, "{counts:?}");
        }
        assert!(counts[2] > 4 && counts[3] > 6, "{counts:?}");
    }
}
