//! Outlines that miss a card by an error, and outlines that hold none.

use rand::RngExt;
use rand_pcg::Pcg64;
use setsight_game::cards::outline::SYMBOL_SPACING;
use setsight_photo::geometry::{Point, Quad};

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

/// Scales a quadrilateral about its centre and shifts it by fractions of its sides.
fn corners_of(quad: &Quad, scale: (f64, f64), shift: (f64, f64)) -> Quad {
    let c = &quad.0;
    let middle = (c[0] + c[1] + c[2] + c[3]) / 4.0;
    let (along, across) = axes(quad);
    let bend = (c[0] - c[1] + c[2] - c[3]) / 4.0;
    let at = |u: f64, v: f64| {
        let (u, v) = (u * scale.0, v * scale.1);
        middle + along * (u / 2.0 + shift.0) + across * (v / 2.0 + shift.1) + bend * (u * v)
    };
    Quad::new([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)])
}

/// An outline near a card that holds no whole card: over a part of it, half off it, across it, or
/// far too large.
pub(crate) fn beside(quad: &Quad, rng: &mut Pcg64) -> Quad {
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
pub(crate) fn anywhere(width: f64, height: f64, rng: &mut Pcg64) -> Quad {
    let long = rng.random_range(0.1..0.4) * width.min(height) * 1.2;
    let short = long / rng.random_range(1.2..2.0);
    let (sin, cos) = rng.random_range(0.0..std::f64::consts::TAU).sin_cos();
    let middle = Point::new(rng.random_range(0.0..width), rng.random_range(0.0..height));
    let at = |u: f64, v: f64| {
        middle
            + Point::new(u * long * cos - v * short * sin, u * long * sin + v * short * cos) / 2.0
    };
    Quad::new([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)])
}

/// Whether an outline holds a card after all: with nearly the same centre, size and orientation.
pub(crate) fn holds(outline: &Quad, card: &Quad) -> bool {
    let near = outline.center().distance(card.center()) < 0.33 * card.short_side();
    let size = (outline.signed_area() / card.signed_area()).abs();
    let (mine, theirs) = (axes(outline).0, axes(card).0);
    let turned = (mine.cross(theirs) / (mine.norm() * theirs.norm()).max(1e-9)).abs();
    near && (0.6..1.6).contains(&size) && turned < 0.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

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
                let miss = |turn: usize| {
                    (0..4).map(|i| quad.0[i].distance(card.0[(i + turn) % 4])).fold(0.0, f64::max)
                };
                miss(0).min(miss(2)) / card.long_side()
            })
            .collect();
        misses.sort_by(f64::total_cmp);
        assert!(misses[250] < 0.03 && misses[499] < 0.2, "{} {}", misses[250], misses[499]);
    }

    #[test]
    fn outlines_beside_a_card_do_not_hold_it() {
        let (mut rng, card) = (Pcg64::seed_from_u64(2), card());
        for _ in 0..500 {
            let quad = beside(&card, &mut rng);
            assert!(!holds(&quad, &card), "{quad:?}");
        }
    }
}
