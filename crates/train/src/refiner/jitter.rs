//! Outlines with random errors as large as a finder's.

use rand::RngExt;
use rand_pcg::Pcg64;
use setsight_game::cards::outline::SYMBOL_SPACING;
use setsight_nets::refiner::OUTLINE_PX;
use setsight_photo::geometry::{Homography, Point, Quad};
use setsight_vision::refiner::outline_in_short_sides;

/// Increased whenever the same seed gives other errors.
pub(crate) const VERSION: u32 = 2;

/// Standard deviations of an outline's error. Lengths are relative to the short side of a card of
/// the same area seen from above.
struct Spread {
    /// Shift of its centre, in x and in y.
    center: f64,
    /// Each entry of the linear map that rotates, stretches and shears it.
    linear: f64,
    /// Shift of each corner by itself, in x and in y.
    corner: f64,
}

/// The error left where the card's sides were found.
const FINE: Spread = Spread { center: 0.02, linear: 0.015, corner: 0.01 };
/// The error of the finder's network.
const USUAL: Spread = Spread { center: 0.08, linear: 0.07, corner: 0.03 };
/// The network's error in a heap, or for a card seen at a flat angle.
const WIDE: Spread = Spread { center: 0.18, linear: 0.14, corner: 0.06 };

/// Standard deviation of the rotation of some outlines, in radians.
const TURN: f64 = 0.25;

/// A card's outline with a random error; `None` if it has no area. The error is the same in all
/// directions of the picture, not of the card: a finder that works on the whole picture errs as
/// much along a foreshortened side as along the other.
pub(crate) fn outline(truth: &Quad, rng: &mut Pcg64) -> Option<Quad> {
    let (spread, is_shifted) = match rng.random_range(0..10) {
        0..3 => (FINE, false),
        // The symbols were found but assigned to wrong places in the row.
        3..5 => (FINE, true),
        5..8 => (USUAL, false),
        _ => (WIDE, false),
    };
    // A card with little of its sides in view may be detected at the wrong angle.
    let turn = if rng.random_range(0..10) == 0 { TURN * normal(rng) } else { 0.0 };
    let steps = if is_shifted { [-2.0, -1.0, 1.0, 2.0][rng.random_range(0..4)] } else { 0.0 };
    let own = outline_in_short_sides();
    let shift = Point::new(steps * SYMBOL_SPACING / 2.0 * OUTLINE_PX.0 / OUTLINE_PX.1, 0.0);
    let shifted =
        Homography::between(&own, truth)?.apply_quad(&Quad::new(own.0.map(|p| p + shift)));
    off_by(&spread, turn, &shifted, rng)
}

/// An outline with a very small error; `None` if it has no area.
pub(crate) fn nearly(outline: &Quad, rng: &mut Pcg64) -> Option<Quad> {
    off_by(&FINE, 0.0, outline, rng)
}

fn off_by(spread: &Spread, turn: f64, truth: &Quad, rng: &mut Pcg64) -> Option<Quad> {
    let (sin, cos) = turn.sin_cos();
    let unit_px = (truth.signed_area().abs() * OUTLINE_PX.1 / OUTLINE_PX.0).sqrt();
    let mut two = |deviation: f64| Point::new(normal(rng), normal(rng)) * deviation;
    let middle = truth.0.iter().fold(Point::default(), |sum, p| sum + *p / 4.0);
    let center = middle + two(spread.center * unit_px);
    let (along, down) = (two(spread.linear), two(spread.linear));
    let corners = truth.0.map(|p| {
        let from = p - middle;
        let from = Point::new(from.x * cos - from.y * sin, from.x * sin + from.y * cos);
        center + from + along * from.x + down * from.y + two(spread.corner * unit_px)
    });
    let quad = Quad::new(corners);
    (quad.is_convex() && quad.signed_area() > 1.0).then_some(quad)
}

/// A normally distributed number by Box and Muller (1958), clipped at three standard deviations.
pub(crate) fn normal(rng: &mut Pcg64) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    (radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()).clamp(-3.0, 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn outlines_are_off_and_still_of_the_card() {
        let card = Quad::new(
            [(30.0, 20.0), (120.0, 30.0), (115.0, 90.0), (25.0, 80.0)]
                .map(|(x, y)| Point::new(x, y)),
        );
        let mut rng = Pcg64::seed_from_u64(7);
        let mut off: Vec<f64> = Vec::new();
        let mut turned = 0;
        let angle_of = |quad: &Quad| {
            let [a, b, c, d] = quad.0;
            let along = b - a + c - d;
            along.y.atan2(along.x)
        };
        for _ in 0..500 {
            let rough = outline(&card, &mut rng).unwrap();
            turned += u32::from((angle_of(&rough) - angle_of(&card)).abs() > 0.25);
            off.push(rough.center().distance(card.center()) / card.short_side());
        }
        off.sort_by(f64::total_cmp);
        assert!(off[100] < 0.06 && off[250] > 0.06 && (0.3..0.9).contains(&off[480]), "{off:?}");
        assert!((8..60).contains(&turned), "{turned}");
        let again = outline(&card, &mut Pcg64::seed_from_u64(3));
        assert_eq!(again, outline(&card, &mut Pcg64::seed_from_u64(3)));
    }
}
