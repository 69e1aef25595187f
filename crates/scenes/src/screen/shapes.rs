//! Outlines of symbols as apps draw them, and the distance to them.

use setsight_game::cards::{Deck, Shape};
use setsight_photo::print::dice::Dice;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Signed distance to a symbol's outline, negative inside, on a grid around its centre.
/// Lengths are in card short sides.
#[derive(Clone, Debug)]
pub(super) struct Field {
    step: f64,
    reach: (f64, f64),
    columns: usize,
    values: Vec<f32>,
}

impl Field {
    /// `margin` is how far the field reaches beyond the outline, and `step` the distance of its
    /// nodes. Corners are rounded by `round`.
    pub(super) fn new(outline: &[(f64, f64)], round: f64, margin: f64, step: f64) -> Self {
        let most = |value: fn(&(f64, f64)) -> f64| {
            outline.iter().map(|p| value(p).abs()).fold(0.0, f64::max)
        };
        let (wide, high) = (most(|p| p.0), most(|p| p.1));
        let shrunk: Vec<(f64, f64)> = outline
            .iter()
            .map(|&(x, y)| (x * (1.0 - round / wide), y * (1.0 - round / high)))
            .collect();
        let reach = (wide + margin + step, high + margin + step);
        let columns = (2.0 * reach.0 / step) as usize + 2;
        let rows = (2.0 * reach.1 / step) as usize + 2;
        let value = |k: usize| {
            let (i, j) = (k % columns, k / columns);
            let at = (i as f64 * step - reach.0, j as f64 * step - reach.1);
            (distance(&shrunk, at) - round) as f32
        };
        Self { step, reach, columns, values: (0..columns * rows).map(value).collect() }
    }

    /// Distance from a place relative to the symbol's centre; `None` far from it.
    pub(super) fn at(&self, x: f64, y: f64) -> Option<f64> {
        let (u, v) = ((x + self.reach.0) / self.step, (y + self.reach.1) / self.step);
        let rows = self.values.len() / self.columns;
        if !(u >= 0.0 && v >= 0.0 && u < (self.columns - 1) as f64 && v < (rows - 1) as f64) {
            return None;
        }
        let (i, j) = (u as usize, v as usize);
        let (fu, fv) = (u - i as f64, v - j as f64);
        let at = |i: usize, j: usize| f64::from(self.values[j * self.columns + i]);
        let (top, bottom) = (
            at(i, j) + (at(i + 1, j) - at(i, j)) * fu,
            at(i, j + 1) + (at(i + 1, j + 1) - at(i, j + 1)) * fu,
        );
        Some(top + (bottom - top) * fv)
    }
}

/// Signed distance to a closed polygon, negative inside.
fn distance(polygon: &[(f64, f64)], (x, y): (f64, f64)) -> f64 {
    let (mut nearest, mut inside) = (f64::INFINITY, false);
    let mut a = polygon[polygon.len() - 1];
    for &b in polygon {
        let (ex, ey) = (b.0 - a.0, b.1 - a.1);
        let t =
            (((x - a.0) * ex + (y - a.1) * ey) / (ex * ex + ey * ey).max(1e-12)).clamp(0.0, 1.0);
        let (dx, dy) = (x - a.0 - t * ex, y - a.1 - t * ey);
        nearest = nearest.min(dx * dx + dy * dy);
        if (a.1 > y) != (b.1 > y) && x < a.0 + (y - a.1) * ex / ey {
            inside = !inside;
        }
        a = b;
    }
    if inside { -nearest.sqrt() } else { nearest.sqrt() }
}

/// A symbol of an app: its outline about its centre, in card short sides, and the radius by which
/// its corners are rounded.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub points: Vec<(f64, f64)>,
    pub round: f64,
}

/// The three outlines of an app, `wide` and `high`. Decks other than the classic one keep their own.
pub(super) fn outlines(deck: &Deck, wide: f64, high: f64, dice: &mut Dice) -> [Outline; 3] {
    Shape::ALL.map(|shape| {
        // A symbol is rarely exactly as large as another.
        let mut wide = wide * dice.between(0.92, 1.06);
        let high = high * dice.between(0.94, 1.03);
        let own = || deck.outline(shape).to_vec();
        let (points, round) = match shape {
            _ if !deck.is_classic() => (own(), 0.0),
            Shape::Diamond => diamond(dice),
            Shape::Oval => (oval(wide / high, dice), 0.0),
            Shape::Squiggle => {
                let measured = dice.chance(0.3);
                let mut points = if measured { own() } else { squiggle(dice) };
                // An artist who draws by heart gets the curl wrong now and then.
                if dice.chance(0.2) {
                    points.iter_mut().for_each(|p| p.0 = -p.0);
                }
                // In some apps the band is as wide as the other symbols, and its curls reach between
                // its neighbours.
                if !measured && dice.chance(0.5) {
                    let half_bands = points.iter().map(|p| p.0.abs()).fold(1.0, f64::max);
                    wide *= dice.between(1.0, half_bands.min(1.6));
                }
                (points, 0.0)
            }
        };
        Outline { points: scaled(&points, wide, high), round: round * wide }
    })
}

/// Scaled about the centre to this width and height.
fn scaled(points: &[(f64, f64)], wide: f64, high: f64) -> Vec<(f64, f64)> {
    let most =
        |value: fn(&(f64, f64)) -> f64| points.iter().map(|p| value(p).abs()).fold(1e-9, f64::max);
    let (x, y) = (0.5 * wide / most(|p| p.0), 0.5 * high / most(|p| p.1));
    points.iter().map(|p| (p.0 * x, p.1 * y)).collect()
}

/// A diamond, and the radius of its corners in widths.
fn diamond(dice: &mut Dice) -> (Vec<(f64, f64)>, f64) {
    let round = dice.pick(&[(0.0, 3.0), (0.04, 1.0), (0.1, 1.0), (0.16, 0.6)]);
    // Sides that bend slightly in or out.
    let bend = if dice.chance(0.75) { 1.0 } else { dice.between(0.88, 1.15) };
    let quarter = |i: usize| {
        let t = FRAC_PI_2 * i as f64 / 8.0;
        (t.cos().powf(2.0 / bend), t.sin().powf(2.0 / bend))
    };
    let corner = |i: usize| match i / 8 {
        0 => quarter(i % 8),
        1 => (-quarter(8 - i % 8).0, quarter(8 - i % 8).1),
        2 => (-quarter(i % 8).0, -quarter(i % 8).1),
        _ => (quarter(8 - i % 8).0, -quarter(8 - i % 8).1),
    };
    ((0..32).map(corner).collect(), round)
}

/// An oval in a square of side 2: a stadium, an ellipse, or something in between. `aspect` is its
/// width by its height.
fn oval(aspect: f64, dice: &mut Dice) -> Vec<(f64, f64)> {
    const STEPS: usize = 48;
    let kind = dice.below(10);
    // Height of the round ends: a half-circle in a stadium, less in a rounded box.
    let end = (aspect * dice.pick(&[(1.0, 3.0), (0.75, 1.0), (1.4, 0.7)])).min(1.0);
    let power = dice.between(2.1, 3.2);
    (0..STEPS)
        .map(|i| {
            let (sin, cos) = (TAU * (i as f64 + 0.5) / STEPS as f64).sin_cos();
            match kind {
                0..=5 => (cos, (1.0 - end) * sin.signum() + end * sin),
                6..=8 => (cos, sin),
                _ => {
                    let part = |v: f64| v.signum() * v.abs().powf(2.0 / power);
                    (part(cos), part(sin))
                }
            }
        })
        .collect()
}

/// A squiggle: a band along a wave, of the classic handedness.
fn squiggle(dice: &mut Dice) -> Vec<(f64, f64)> {
    const STEPS: usize = 36;
    // In half-widths of the band, from thick and almost straight to thin and curly.
    let curl = dice.between(0.3, 1.25);
    let waves = dice.between(0.9, 1.45);
    let ends = dice.between(2.5, 9.0);
    let waist = dice.between(-0.15, 0.25);
    let lean = dice.between(-0.15, 0.2);
    // A flag in the wind: the band is cut straight across.
    let is_flag = dice.chance(0.2);
    let middle = |s: f64| -curl * (PI * waves * s).sin() + lean * s;
    let half = |s: f64| {
        if is_flag {
            return 1.0;
        }
        let neck = 1.0 - waist * (1.0 - s * s);
        neck * (1.0 - s.abs().powf(ends)).max(0.0).sqrt()
    };
    // Denser toward the ends, where the outline turns.
    let along = |i: usize| (PI * (i as f64 / STEPS as f64 - 0.5)).sin();
    let left = (0..=STEPS).map(|i| (middle(along(i)) - half(along(i)), along(i)));
    let right = (1..STEPS).rev().map(|i| (middle(along(i)) + half(along(i)), along(i)));
    left.chain(right).collect()
}
