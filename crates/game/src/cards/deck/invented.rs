//! Random decks that no edition prints, to train and to measure the detection of unknown decks.

use super::{Deck, Fill, FillKind, Ink, NamedFill, Sides, Symbol};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::TAU;

/// A seeded random generator, the same on every machine.
struct Chance(Pcg64);

impl Chance {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }

    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    /// Three different indices below `n`.
    fn three_of(&mut self, n: usize) -> [usize; 3] {
        let mut places: Vec<usize> = (0..n).collect();
        std::array::from_fn(|_| places.remove(self.below(places.len())))
    }
}

/// A shape with coordinates from -1 to 1, y down, and the range of its aspect ratio (width by
/// height on the card).
struct Plan {
    name: &'static str,
    sides: Sides,
    points: Vec<(f64, f64)>,
    aspect: (f64, f64),
}

/// Number of shapes in the catalogue.
const SHAPES: usize = 22;

fn polar(count: usize, radius: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
    (0..count)
        .map(|i| {
            let angle = TAU * i as f64 / count as f64;
            (-angle.sin() * radius(i), -angle.cos() * radius(i))
        })
        .collect()
}

fn star(points: usize, inner: f64) -> Vec<(f64, f64)> {
    polar(2 * points, |i| if i % 2 == 0 { 1.0 } else { inner })
}

/// The shape at an index of the catalogue. No two look alike.
#[expect(clippy::too_many_lines, reason = "a catalogue with an arm for each shape")]
fn plan(place: usize, chance: &mut Chance) -> Plan {
    use Sides::{Curved, Straight};
    let (name, sides, points, aspect) = match place {
        0 => ("star", Straight, star(5, chance.between(0.38, 0.5)), (0.6, 1.0)),
        1 => ("spark", Straight, star(4, chance.between(0.25, 0.4)), (0.5, 1.0)),
        2 => ("burst", Straight, star(8, chance.between(0.6, 0.75)), (0.6, 1.0)),
        3 => {
            let points = (0..60).map(|i| {
                let t = TAU * f64::from(i) / 60.0;
                let (s, c) = (t.sin(), t.cos());
                let y = 13.0 * c - 5.0 * (2.0 * t).cos() - 2.0 * (3.0 * t).cos() - (4.0 * t).cos();
                (-s * s * s, -(y + 2.5) / 14.5)
            });
            // Straight sides follow the cleft and the tip, which the spline would round off.
            ("heart", Straight, points.collect(), (0.6, 1.0))
        }
        4 => {
            let (a, b) = (chance.between(0.28, 0.4), chance.between(0.28, 0.4));
            ("cross", Straight, cross(a, b), (0.5, 0.9))
        }
        5 => {
            let half = chance.between(0.35, 0.5);
            let wave = |t: f64| (1.0 - half) * (TAU * t).sin();
            let down = (0..=30).map(|i| f64::from(i) / 30.0);
            let left = down.clone().map(|t| (wave(t) - half, 2.0 * t - 1.0));
            let right = down.rev().map(|t| (wave(t) + half, 2.0 * t - 1.0));
            ("wave", Straight, left.chain(right).collect(), (0.4, 0.6))
        }
        6 => ("letter L", Straight, letter_l(chance.between(0.35, 0.5)), (0.5, 0.8)),
        7 => {
            let a = chance.between(0.25, 0.35);
            let b = 0.7 * a;
            let points = vec![
                (-1.0, -1.0),
                (-1.0, b - 1.0),
                (-a, b - 1.0),
                (-a, 1.0),
                (a, 1.0),
                (a, b - 1.0),
                (1.0, b - 1.0),
                (1.0, -1.0),
            ];
            ("letter T", Straight, points, (0.5, 0.8))
        }
        8 => {
            let a = chance.between(0.3, 0.45);
            let b = chance.between(0.12, 0.22);
            let points = vec![
                (-1.0, -1.0),
                (-1.0, 1.0),
                (-a, 1.0),
                (-a, b),
                (a, b),
                (a, 1.0),
                (1.0, 1.0),
                (1.0, -1.0),
                (a, -1.0),
                (a, -b),
                (-a, -b),
                (-a, -1.0),
            ];
            ("letter H", Straight, points, (0.5, 0.8))
        }
        9 => {
            let depth = chance.between(0.35, 0.6);
            let outer = (0..=24).map(|i| TAU * (0.25 + f64::from(i) / 48.0));
            let left = outer.clone().map(|t| (t.cos() * 2.0 + 1.0, -t.sin()));
            let inner = outer.rev().skip(1).map(move |t| (t.cos() * 2.0 * depth + 1.0, -t.sin()));
            let mut points: Vec<_> = left.chain(inner).collect();
            points.pop();
            ("moon", Straight, points, (0.45, 0.6))
        }
        10 => ("triangle", Straight, vec![(0.0, -1.0), (-1.0, 1.0), (1.0, 1.0)], (0.5, 0.9)),
        11 => ("pentagon", Straight, polar(5, |_| 1.0), (0.6, 1.0)),
        12 => ("hexagon", Straight, polar(6, |_| 1.0), (0.55, 0.9)),
        13 => {
            // A drop: round at the bottom, pointed at the top.
            let mut points = vec![(0.0, -1.0)];
            points.extend((0..=28).map(|i| {
                let angle = 0.62 * TAU * (f64::from(i) / 28.0 - 0.5);
                (0.62 * angle.sin(), 0.38 + 0.62 * angle.cos())
            }));
            ("drop", Straight, points, (0.5, 0.8))
        }
        14 => {
            let (shaft, head) = (chance.between(0.25, 0.42), chance.between(-0.25, 0.1));
            let points = vec![
                (0.0, -1.0),
                (-1.0, head),
                (-shaft, head),
                (-shaft, 1.0),
                (shaft, 1.0),
                (shaft, head),
                (1.0, head),
            ];
            ("arrow", Straight, points, (0.5, 0.8))
        }
        15 => {
            // A ring with a gap, because an outline cannot have a hole.
            let thick = chance.between(0.35, 0.5);
            let gap = chance.between(0.06, 0.12);
            let turn = |i: i32| TAU * (gap + (1.0 - 2.0 * gap) * f64::from(i) / 40.0);
            let outer = (0..=40).map(turn).map(|t| (-t.sin(), -t.cos()));
            let inner = (0..=40).rev().map(turn);
            let inner = inner.map(|t| (-t.sin() * (1.0 - thick), -t.cos() * (1.0 - thick)));
            ("open ring", Straight, outer.chain(inner).collect(), (0.55, 1.0))
        }
        16 => ("circle", Curved, polar(48, |_| 1.0), (0.9, 1.1)),
        17 => {
            let waist = chance.between(0.15, 0.35);
            let points = vec![
                (-1.0, -1.0),
                (-waist, 0.0),
                (-1.0, 1.0),
                (1.0, 1.0),
                (waist, 0.0),
                (1.0, -1.0),
            ];
            ("hourglass", Straight, points, (0.5, 0.8))
        }
        18 => {
            let points = vec![
                (0.35, -1.0),
                (-0.9, 0.15),
                (-0.1, 0.15),
                (-0.35, 1.0),
                (0.9, -0.2),
                (0.1, -0.2),
            ];
            ("bolt", Straight, points, (0.5, 0.7))
        }
        19 => {
            let roof = chance.between(-0.35, 0.0);
            let points = vec![(0.0, -1.0), (-1.0, roof), (-1.0, 1.0), (1.0, 1.0), (1.0, roof)];
            ("house", Straight, points, (0.5, 0.9))
        }
        20 => {
            let leaf = chance.between(0.18, 0.3);
            let clover = polar(64, |i| {
                let angle = TAU * i as f64 / 64.0;
                1.0 - leaf + leaf * (4.0 * angle).cos()
            });
            ("clover", Curved, clover, (0.6, 1.0))
        }
        _ => {
            let bend = chance.between(0.4, 0.7);
            let points = vec![
                (-1.0, -1.0),
                (-1.0, bend - 1.0),
                (0.0, 1.0),
                (1.0, bend - 1.0),
                (1.0, -1.0),
                (0.0, 1.0 - bend),
            ];
            ("chevron", Straight, points, (0.5, 0.8))
        }
    };
    Plan { name, sides, points, aspect }
}

/// The corners of a cross that fills the square from -1 to 1: its upright bar is `2 * a` wide, its
/// level one `2 * b` high.
fn cross(a: f64, b: f64) -> Vec<(f64, f64)> {
    vec![
        (-a, -1.0),
        (-a, -b),
        (-1.0, -b),
        (-1.0, b),
        (-a, b),
        (-a, 1.0),
        (a, 1.0),
        (a, b),
        (1.0, b),
        (1.0, -b),
        (a, -b),
        (a, -1.0),
    ]
}

fn letter_l(width: f64) -> Vec<(f64, f64)> {
    let foot = 1.0 - 0.9 * width;
    vec![
        (-1.0, -1.0),
        (-1.0, 1.0),
        (1.0, 1.0),
        (1.0, foot),
        (2.0 * width - 1.0, foot),
        (2.0 * width - 1.0, -1.0),
    ]
}

/// Names of colours, and what inks of these names look like, in sRGB; the first three are the classic
/// ones.
pub const COLORS: [(&str, [u8; 3]); 14] = [
    ("green", [22, 140, 66]),
    ("purple", [84, 40, 126]),
    ("red", [226, 48, 38]),
    ("blue", [28, 78, 200]),
    ("orange", [240, 130, 20]),
    ("black", [26, 26, 28]),
    ("teal", [0, 150, 160]),
    ("brown", [112, 66, 30]),
    ("pink", [235, 90, 170]),
    ("yellow", [228, 190, 10]),
    ("grey", [128, 130, 134]),
    ("sky blue", [90, 176, 236]),
    ("dark red", [150, 24, 40]),
    ("light green", [120, 200, 80]),
];

/// Those from which inks are drawn. A change of their number changes what a seed draws.
const INKS: &[(&str, [u8; 3])] = COLORS.split_at(12).0;

/// Minimum distance between two inks of a deck in sRGB.
const INKS_APART: f64 = 95.0;

/// Groups of fills: two from different groups can be distinguished from afar, two from one group
/// cannot.
const FILLS: [&[FillKind]; 6] = [
    &[FillKind::Solid],
    &[FillKind::None],
    &[FillKind::Stripes, FillKind::Bars, FillKind::Crosshatch],
    &[FillKind::Dots, FillKind::Strokes],
    &[FillKind::Checks],
    &[FillKind::Gradient],
];

impl Deck {
    /// A random deck from a seed: three shapes, three fills and three inks that are clearly
    /// different; never the three inks of the classic deck, and no shape of a known edition.
    pub fn invented(seed: u64) -> Self {
        let chance = &mut Chance(Pcg64::seed_from_u64(seed ^ 0x0064_6563_6b73));
        let symbol_spacing = chance.between(0.225, 0.3);
        let half_x = (0.41 * symbol_spacing).min(0.112) * chance.between(0.88, 1.0);
        let shapes =
            chance.three_of(SHAPES).map(|place| symbol(plan(place, chance), half_x, chance));
        let outline_mm = chance.between(0.8, 2.0);
        let fills = chance.three_of(FILLS.len()).map(|place| {
            let kind = FILLS[place][chance.below(FILLS[place].len())];
            let coarse = if kind == FillKind::Checks { 1.6 } else { 1.0 };
            let (pitch_mm, duty) = match kind {
                FillKind::Solid => (1.0, 1.0),
                FillKind::None => (1.0, 0.0),
                FillKind::Checks => (coarse * chance.between(1.4, 2.6), 0.5),
                _ => (chance.between(1.1, 2.4), chance.between(0.3, 0.55)),
            };
            NamedFill {
                name: kind.name().to_owned(),
                text: kind.name().chars().next().unwrap_or('?'),
                fill: Fill { kind, outline_mm, pitch_mm, duty },
            }
        });
        Self {
            name: format!("invented-{seed}"),
            title: "a deck that nobody prints".to_owned(),
            symbol_size: 1.0,
            symbol_spacing,
            shapes,
            fills,
            inks: inks(chance),
        }
    }
}

/// A card's long and short side in millimetres.
const CARD_MM: (f64, f64) = (super::CARD_LONG_MM, super::CARD_SHORT_MM);

fn symbol(plan: Plan, half_x: f64, chance: &mut Chance) -> Symbol {
    let (low, high) = plan.aspect;
    let half_y = (half_x * CARD_MM.0 / CARD_MM.1 / chance.between(low, high)).min(0.345);
    // Centres the shape, because not every shape is drawn around its own centre.
    let bounds = |axis: fn(&(f64, f64)) -> f64| {
        let values = plan.points.iter().map(axis);
        let low = values.clone().fold(f64::INFINITY, f64::min);
        (low, values.fold(f64::NEG_INFINITY, f64::max))
    };
    let (x, y) = (bounds(|p| p.0), bounds(|p| p.1));
    let into =
        |v: f64, (low, high): (f64, f64), half: f64| ((v - low) / (high - low) * 2.0 - 1.0) * half;
    let points = plan.points.iter().map(|&(u, v)| (into(u, x, half_x), into(v, y, half_y)));
    let first = plan.name.chars().next_back().unwrap_or('?');
    Symbol::new(plan.name.to_owned(), [first, first], plan.sides, points.collect(), None)
}

fn inks(chance: &mut Chance) -> [Ink; 3] {
    loop {
        let places = chance.three_of(INKS.len());
        let [a, b, c] = places;
        let classic = places.iter().all(|place| *place < 3);
        if classic || [(a, b), (b, c), (a, c)].iter().any(|&(a, b)| ink_distance(a, b) < INKS_APART)
        {
            continue;
        }
        return places.map(|place| {
            let (name, srgb) = INKS[place];
            let printing = srgb.map(|v| {
                (f64::from(v) + chance.between(-14.0, 14.0)).round().clamp(0.0, 245.0) as u8
            });
            Ink { name: name.to_owned(), printings: vec![printing] }
        });
    }
}

/// The distance of two inks of the catalogue in sRGB.
fn ink_distance(a: usize, b: usize) -> f64 {
    let channels = INKS[a].1.into_iter().zip(INKS[b].1);
    channels.map(|(u, v)| f64::from(u.abs_diff(v)).powi(2)).sum::<f64>().sqrt()
}
