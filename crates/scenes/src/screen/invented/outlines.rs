//! Outlines of symbols without end: a few ways to make one, each with rows of ranges.

use super::super::draw::{Field, Outline, signed_power};
use crate::distractors::annotations::silhouette;
use setsight_game::cards::outline::closed_spline;
use setsight_photo::print::dice::Dice;
use setsight_photo::print::ink::coverage;
use std::f64::consts::{FRAC_PI_4, PI, TAU};

/// How to make an outline; pairs of numbers are ranges.
enum Recipe {
    /// Straight sides between this many tips and dents; a dent of 1 lies on the line from tip to tip.
    Star((usize, usize), Range),
    /// A radius with this many lobes, dents of this depth, and how sharp they are.
    Rose((usize, usize), Range, Range),
    /// A radius of this many random waves, this large, and weaker by a power the finer they are.
    Blob((usize, usize), Range, Range),
    /// A superellipse of this exponent: a star with hollow sides, a diamond, an ellipse, a box.
    Power(Range),
    /// Sums of sines across and of cosines down, by their order from 1.
    Curve(&'static [Range], &'static [Range]),
    /// One of this many characters from the first.
    Glyph(u32, usize),
    /// A band around a line from top to bottom: half its width along the line, which runs from -1 to
    /// 1 (from 0 if both halves are alike); how round its ends are (0 cuts them); how much the line
    /// waves, leans and is bent.
    Band(&'static [(f64, Range)], [Range; 4]),
}
use Recipe::{Band, Blob, Curve, Glyph, Power, Rose, Star};

type Range = (f64, f64);
const NO: Range = (0.0, 0.0);
const TIP: Range = (0.01, 0.01);
const EVEN: &[(f64, Range)] = &[(0.0, (0.6, 0.6)), (1.0, (0.6, 0.6))];
const LEAF: &[(f64, Range)] =
    &[(0.0, (0.4, 0.8)), (0.4, (0.35, 0.6)), (0.75, (0.15, 0.35)), (1.0, TIP)];

/// Every way with its ranges, and how often it is taken.
#[rustfmt::skip]
static RECIPES: [(Recipe, f64); 35] = [
    // Polygons, stars, flowers, blobs, boxes and ellipses.
    (Star((3, 8), (1.0, 1.0)), 3.0),
    (Star((3, 9), (0.3, 0.8)), 2.0),
    (Star((6, 16), (0.7, 0.95)), 0.6),
    (Rose((2, 2), (0.25, 0.7), (0.5, 1.6)), 0.7),
    (Rose((3, 8), (0.15, 0.6), (0.5, 2.5)), 2.0),
    (Blob((3, 7), (0.1, 0.7), (0.6, 1.5)), 3.0),
    (Power((0.55, 0.9)), 0.8),
    (Power((1.0, 1.0)), 1.6),
    (Power((1.9, 2.1)), 2.2),
    (Power((2.5, 6.0)), 1.2),
    (Power((60.0, 60.0)), 1.6),
    // Hearts, spades, and whatever else two mirrored halves make.
    (Curve(&[(12.0, 12.0), NO, (-5.0, -2.5)], &[(11.0, 15.0), (-6.5, -4.0), (-2.5, -1.0), (-1.5, -0.5)]), 1.4),
    (Curve(&[(1.0, 1.0), (-0.3, 0.3), (-0.4, 0.2)], &[(1.1, 1.1), (-0.5, 0.5), (-0.25, 0.25), (-0.15, 0.15)]), 1.6),
    // Letters, digits, signs, Greek and Cyrillic, arrows, corners.
    (Glyph(0x41, 26), 1.6),
    (Glyph(0x30, 10), 0.7),
    (Glyph(0x21, 15), 0.5),
    (Glyph(0x391, 0x80), 0.8),
    (Glyph(0x21e6, 4), 0.5),
    (Glyph(0x2599, 7), 0.5),
    // Waves, flags, parallelograms, bent bands, crescents, leaves.
    (Band(EVEN, [(2.5, 9.0), (0.3, 1.2), NO, NO]), 2.0),
    (Band(EVEN, [NO, (0.15, 0.8), NO, NO]), 1.0),
    (Band(EVEN, [NO, NO, (0.2, 0.8), NO]), 0.8),
    (Band(EVEN, [(0.0, 6.0), NO, NO, (1.0, 2.6)]), 0.8),
    (Band(LEAF, [NO, NO, NO, (1.2, 2.7)]), 1.0),
    (Band(LEAF, [NO, (0.0, 0.5), (-0.3, 0.3), NO]), 1.0),
    // Drops, hourglasses, triangles, boats, half discs, arrows, crosses, an I, a T, any turned thing.
    (Band(&[(-1.0, TIP), (-0.3, (0.25, 0.45)), (0.15, (0.5, 0.7)), (0.5, (0.6, 0.75)), (0.8, (0.4, 0.5)), (1.0, TIP)], [NO, NO, NO, (-0.5, 0.5)]), 1.0),
    (Band(&[(0.0, (0.1, 0.5)), (1.0, (0.6, 1.0))], [NO; 4]), 1.0),
    (Band(&[(-1.0, NO), (1.0, (0.6, 1.2))], [NO, NO, (-0.5, 0.5), NO]), 1.4),
    (Band(&[(-1.0, (0.3, 0.7)), (1.0, (0.8, 1.2))], [NO; 4]), 0.8),
    (Band(&[(-1.0, (2.0, 2.0)), (-0.6, (1.96, 1.96)), (0.0, (1.73, 1.73)), (0.5, (1.32, 1.32)), (0.8, (0.87, 0.87)), (1.0, TIP)], [NO; 4]), 0.8),
    (Band(&[(-1.0, TIP), (-0.1, (0.8, 1.2)), (0.0, (0.3, 0.5)), (1.0, (0.2, 0.5))], [NO; 4]), 1.0),
    (Band(&[(0.0, (0.8, 1.1)), (0.36, (0.8, 1.1)), (0.37, (0.25, 0.45)), (1.0, (0.25, 0.45))], [NO; 4]), 1.2),
    (Band(&[(0.0, (0.25, 0.4)), (0.45, (0.25, 0.4)), (0.46, (0.7, 1.0)), (1.0, (0.7, 1.0))], [NO; 4]), 0.6),
    (Band(&[(-1.0, (0.7, 1.1)), (-0.4, (0.7, 1.1)), (-0.39, (0.25, 0.45)), (1.0, (0.25, 0.45))], [NO; 4]), 0.6),
    (Band(&[(-1.0, (0.05, 0.9)), (-0.5, (0.2, 0.9)), (0.0, (0.2, 0.9)), (0.5, (0.2, 0.9)), (1.0, (0.05, 0.9))], [(0.0, 6.0), (-0.2, 0.2), NO, NO]), 1.5),
];

/// Most points of an outline: distances to all of them are measured.
const MOST_POINTS: usize = 72;

/// A random outline around the origin, as large as fits a square of side 2.
pub(super) fn outline(dice: &mut Dice) -> Outline {
    loop {
        let row = dice.pick(&RECIPES.each_ref().map(|row| (&row.0, row.1)));
        let is_glyph = matches!(row, Glyph(..));
        let Some(mut points) = points(row, dice) else { continue };
        if points.len() < 30 && !is_glyph && dice.chance(0.15) {
            points = closed_spline(&points);
        }
        if points.len() > MOST_POINTS {
            points = (0..MOST_POINTS).map(|k| points[k * points.len() / MOST_POINTS]).collect();
        }
        let quarters =
            if dice.chance(if is_glyph { 0.1 } else { 0.4 }) { dice.below(4) } else { 0 };
        let any = dice.between(-0.6, 0.6);
        let odd = dice.pick(&[(0.0, 0.9), (FRAC_PI_4, 0.06), (any, 0.04)]);
        let (sin, cos) = (quarters as f64 * 0.5 * PI + odd).sin_cos();
        let hand = if !is_glyph && dice.chance(0.5) { -1.0 } else { 1.0 };
        points
            .iter_mut()
            .for_each(|p| *p = (hand * (p.0 * cos - p.1 * sin), p.0 * sin + p.1 * cos));
        // The thin lines of letters are thickened, and the corners of other outlines may be round.
        let round = match is_glyph {
            true => dice.between(0.08, 0.2),
            false if dice.chance(0.25) => dice.between(0.04, 0.3),
            false => 0.0,
        };
        return Outline { points: centred(&points), round };
    }
}

fn centred(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let ends = |value: fn(&(f64, f64)) -> f64| {
        let values = points.iter().map(value);
        values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)))
    };
    let (x, y) = (ends(|p| p.0), ends(|p| p.1));
    let half = 0.5 * (x.1 - x.0).max(y.1 - y.0).max(1e-9);
    let middle = (0.5 * (x.0 + x.1), 0.5 * (y.0 + y.1));
    points.iter().map(|p| ((p.0 - middle.0) / half, (p.1 - middle.1) / half)).collect()
}

fn points(recipe: &Recipe, dice: &mut Dice) -> Option<Vec<(f64, f64)>> {
    let mut within = |(low, high): Range| dice.between(low, high);
    let counted =
        |(low, high): (usize, usize), part: f64| low + (part * (high - low + 1) as f64) as usize;
    let unit = (0.0, 1.0);
    Some(match *recipe {
        Star(tips, dent) => {
            let tips = counted(tips, within(unit));
            let dent = within(dent) * (PI / tips as f64).cos();
            ring(2 * tips, |k, _| if k % 2 == 0 { 1.0 } else { dent })
        }
        Rose(lobes, depth, sharp) => {
            let lobes = counted(lobes, within(unit)) as f64;
            let (depth, sharp) = (within(depth), within(sharp));
            ring(MOST_POINTS, |_, t| 1.0 - depth * (0.5 - 0.5 * (lobes * t).cos()).powf(sharp))
        }
        Blob(waves, size, fall) => {
            let (count, size, fall) = (counted(waves, within(unit)), within(size), within(fall));
            let waves: Vec<[f64; 3]> = (1..=count)
                .map(|k| {
                    [k as f64, size * within(unit) / (k as f64).powf(fall), within((0.0, TAU))]
                })
                .collect();
            ring(MOST_POINTS, |_, t| {
                let waves = waves.iter().map(|[k, size, phase]| size * (k * t + phase).cos());
                (1.0 + waves.sum::<f64>()).max(0.2)
            })
        }
        Power(exponent) => {
            let (part, slim) = (2.0 / within(exponent), within((0.45, 1.6)).min(1.0));
            (0..MOST_POINTS)
                .map(|k| (TAU * (k as f64 + 0.5) / MOST_POINTS as f64).sin_cos())
                .map(|(s, c)| (slim * signed_power(c, part), signed_power(s, part)))
                .collect()
        }
        Curve(across, down) => {
            let across: Vec<f64> = across.iter().map(|&range| within(range)).collect();
            let down: Vec<f64> = down.iter().map(|&range| within(range)).collect();
            (0..MOST_POINTS)
                .map(|k| TAU * k as f64 / MOST_POINTS as f64)
                .map(|t| (harmonics(&across, f64::sin, t), -harmonics(&down, f64::cos, t)))
                .collect()
        }
        Glyph(first, count) => silhouette(char::from_u32(first + dice.below(count) as u32)?)?,
        Band(halves, bends) => band(halves, bends.map(within), dice),
    })
}

/// Points around the centre, at a `radius` for each number and angle.
fn ring(count: usize, radius: impl Fn(usize, f64) -> f64) -> Vec<(f64, f64)> {
    (0..count)
        .map(|k| (k, TAU * k as f64 / count as f64))
        .map(|(k, t)| (radius(k, t) * t.sin(), -radius(k, t) * t.cos()))
        .collect()
}

fn harmonics(sizes: &[f64], wave: fn(f64) -> f64, t: f64) -> f64 {
    (1..).zip(sizes).map(|(k, size)| size * wave(f64::from(k) * t)).sum()
}

fn interpolated(nodes: &[(f64, f64)], s: f64) -> f64 {
    let k = nodes.iter().skip(1).position(|node| node.0 >= s).unwrap_or(nodes.len() - 2);
    let ((a, low), (b, high)) = (nodes[k], nodes[k + 1]);
    low + (high - low) * ((s - a) / (b - a)).clamp(0.0, 1.0)
}

fn bent(x: f64, s: f64, bend: f64) -> (f64, f64) {
    if bend == 0.0 {
        return (x, s);
    }
    // What is bent further is slimmer, or it would cross itself.
    let (radius, (sin, cos)) = (1.0 / bend + x / (1.0 + 0.8 * bend.abs()), (bend * s).sin_cos());
    (radius * cos, radius * sin)
}

fn band(
    halves: &[(f64, Range)],
    [ends, curl, lean, bend]: [f64; 4],
    dice: &mut Dice,
) -> Vec<(f64, f64)> {
    const STEPS: usize = 28;
    let is_mirrored = halves[0].0 == 0.0;
    // Neighbours of the same range are mostly one straight piece.
    let part = dice.unit();
    let mut nodes: Vec<(f64, f64)> = vec![];
    for (k, &(at, (low, high))) in halves.iter().enumerate() {
        let is_same = k > 0 && halves[k - 1].1 == (low, high) && part < 0.8;
        nodes.push((at, if is_same { nodes[k - 1].1 } else { dice.between(low, high) }));
    }
    let waves = dice.between(0.8, 2.2);
    let place = |s: f64, side: f64| {
        let round = if ends > 1.0 { (1.0 - s.abs().powf(ends)).max(0.0).sqrt() } else { 1.0 };
        let half = interpolated(&nodes, if is_mirrored { s.abs() } else { s });
        bent(curl * (PI * waves * s).sin() + lean * s + side * half * round, s, bend)
    };
    let is_plain = ends <= 1.0 && curl == 0.0 && bend == 0.0;
    let even = (0..=STEPS).map(|k| 2.0 * k as f64 / STEPS as f64 - 1.0);
    let ends = nodes.iter().flat_map(|node| [node.0, if is_mirrored { -node.0 } else { node.0 }]);
    let mut along: Vec<f64> = ends.chain(even.filter(|_| !is_plain)).collect();
    along.sort_by(f64::total_cmp);
    along.dedup();
    let left = along.iter().map(|&s| place(s, -1.0));
    left.chain(along.iter().rev().map(|&s| place(s, 1.0))).collect()
}

/// The outline as 16 rows of 16 pixels, 255 inside, in a square with this half side.
pub(super) fn mask(field: &Field, half: f64) -> [u8; 256] {
    let step = half / 8.0;
    std::array::from_fn(|k| {
        let [x, y] = [k % 16, k / 16].map(|k| (k as f64 + 0.5) * step - half);
        let covered = field.at(x, y).map_or(0.0, |d| coverage(d, step));
        (255.0 * covered).round() as u8
    })
}

/// How much two masks overlap, 0 to 1.
pub(super) fn overlap(a: &[u8; 256], b: &[u8; 256]) -> f64 {
    let sum = |pick: fn(u8, u8) -> u8| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(pick(*a, *b))).sum()
    };
    sum(u8::min) / sum(u8::max).max(1.0)
}
