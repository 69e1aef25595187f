//! How an invented app draws its deck and its cards, drawn once for a board. Lengths in pixels.

use super::super::draw::{Field, Outline, covered, half_extent, scaled};
use super::super::style::{Chosen, Color, Inside, Shadow, border, chosen, grey, hsl};
use super::outlines::{mask, outline, overlap};
use super::{Filling, FillingKind};
use setsight_game::cards::deck::FillKind;
use setsight_photo::geometry::{Point, grid_center};
use setsight_photo::print::dice::{Dice, Span};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const fn span(low: f64, high: f64) -> Span {
    Span::new(low, high)
}

/// A card's width by its height.
const ASPECTS: [(Span, f64); 5] = [
    (span(1.25, 1.75), 4.0),
    (span(0.57, 0.8), 2.5),
    (span(0.9, 1.1), 2.0),
    (span(1.75, 2.4), 1.0),
    (span(0.45, 0.57), 0.4),
];
/// Where one, two and three symbols are, in pitches along and across their row.
type Places = [&'static [(f64, f64)]; 3];
const PLACES: [(Places, f64); 8] = [
    ([&[(0.0, 0.0)], &[(-0.5, 0.0), (0.5, 0.0)], &[(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]], 6.0),
    ([&[(0.0, 0.0)], &[(-1.0, 0.0), (1.0, 0.0)], &[(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]], 1.2),
    ([&[(-1.0, 0.0)], &[(-1.0, 0.0), (0.0, 0.0)], &[(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]], 0.7),
    ([&[(0.0, 0.0)], &[(-0.5, -0.5), (0.5, 0.5)], &[(-1.0, -1.0), (0.0, 0.0), (1.0, 1.0)]], 0.7),
    ([&[(0.0, 0.0)], &[(-0.5, 0.0), (0.5, 0.0)], &[(-0.5, 0.5), (0.5, 0.5), (0.0, -0.5)]], 0.8),
    ([&[(0.0, 0.0)], &[(-0.5, -0.5), (0.5, 0.5)], &[(-1.0, 0.5), (0.0, -0.5), (1.0, 0.5)]], 0.4),
    ([&[(0.0, -0.5)], &[(-0.5, 0.5), (0.5, 0.5)], &[(0.0, -0.5), (-0.5, 0.5), (0.5, 0.5)]], 0.3),
    ([&[(0.0, 0.0)], &[(0.5, -0.5), (-0.5, 0.5)], &[(0.5, -0.5), (-0.5, -0.5), (-0.5, 0.5)]], 0.2),
];
/// Part of its place that a symbol takes, along and across the row; how far places are apart.
const PART: (Span, Span) = (span(0.55, 0.95), span(0.35, 0.9));
const PITCH: [(Span, f64); 3] =
    [(span(1.08, 1.45), 5.0), (span(1.0, 1.08), 1.0), (span(0.95, 1.0), 0.3)];
/// A symbol's longest side by its shortest.
const SLIM: f64 = 4.0;
const SMALL: (f64, Span) = (0.2, span(0.5, 0.9));
/// Symbols that are smaller the more there are.
const CROWDED: (f64, Span) = (0.05, span(0.72, 0.92));
/// Largest overlap of two outlines' masks.
const ALIKE: [(f64, f64); 3] = [(0.8, 3.0), (0.86, 2.0), (0.91, 1.0)];
/// Least distance of two inks, and of an ink from the card, in sRGB from 0 to 1.
const INKS_APART: [(f64, f64); 4] = [(0.24, 1.0), (0.33, 2.0), (0.47, 2.0), (0.62, 1.0)];
const INK_SHOWS: f64 = 0.42;
const LUMA_SHOWS: f64 = 0.1;
/// How far hues spread around one, in degrees; saturation and lightness.
const PALETTES: [((f64, Span, Span), f64); 6] = [
    ((180.0, span(0.55, 1.0), span(0.3, 0.65)), 4.0),
    ((180.0, span(0.2, 0.7), span(0.4, 0.85)), 1.5),
    ((180.0, span(0.4, 1.0), span(0.12, 0.5)), 1.2),
    ((180.0, span(0.0, 1.0), span(0.0, 1.0)), 2.0),
    ((25.0, span(0.3, 1.0), span(0.1, 0.9)), 0.6),
    ((180.0, span(0.0, 0.06), span(0.0, 1.0)), 0.25),
];
/// Period of a pattern in symbols, its inked part, and the strength of a tint.
const PERIOD: Span = span(0.09, 0.34);
const DUTY: Span = span(0.22, 0.6);
const TINT: Span = span(0.1, 0.65);
#[rustfmt::skip]
const FILLINGS: [(FillingKind, f64); 16] = {
    use FillingKind::*;
    [
        (Solid, 3.2), (Empty, 3.2), (Stripes, 3.4), (Tint, 2.0), (Dots, 1.0), (Crosshatch, 0.8),
        (Gradient, 0.8), (Half, 0.7), (Motif, 0.6), (Checks, 0.5), (Inset, 0.6), (Hole, 0.6),
        (Rings, 0.4), (Zigzag, 0.5), (Strokes, 0.3), (Noise, 0.4),
    ]
};
/// Width of an outline in symbols.
const STROKE: [(Span, f64); 3] =
    [(span(0.015, 0.05), 4.0), (span(0.05, 0.1), 4.0), (span(0.1, 0.18), 1.2)];
const THICKER: (f64, Span) = (0.06, span(1.6, 3.0));

/// A filling with its outline.
#[derive(Clone, Debug)]
pub(super) struct Texture {
    pub fact: Filling,
    pub inside: Inside,
    /// A tint below it.
    pub under: f64,
    /// Width of the outline; 0 for none.
    pub stroke: f64,
    /// Dashes around the symbol, and their part of it.
    pub dashes: Option<(f64, f64)>,
}

/// How an app draws.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// A card's width and height.
    pub size: Point,
    pub stock: Color,
    pub page: [Color; 2],
    pub dark: bool,
    pub radius: f64,
    pub border: Option<(Color, f64)>,
    /// A line within the card: its colour, how far it is from the border, and its width.
    pub frame: Option<(Color, f64, f64)>,
    pub shadow: Option<Shadow>,
    pub symbol_shadow: Option<Shadow>,
    pub fields: [Field; 3],
    pub inks: [Color; 3],
    /// The inks of outlines.
    pub edges: [Color; 3],
    pub textures: [Texture; 3],
    /// The part of an outline that is outside of the symbol.
    pub outer: f64,
    pub places: Places,
    /// The vectors from place to place along and across the row.
    pub pitch: (Point, Point),
    pub crowded: f64,
    pub chosen: Chosen,
    /// Height of a letter in the card's corner; 0 for none.
    pub letter: f64,
}

/// A card's width and height with this long side.
pub(super) fn card_size(long_px: f64, dice: &mut Dice) -> Point {
    let aspect = dice.pick(&ASPECTS);
    let aspect = dice.within(aspect);
    Point::new(long_px * aspect.min(1.0), long_px / aspect.max(1.0))
}

impl Look {
    pub(super) fn random(size: Point, dice: &mut Dice) -> Self {
        let (long, short) = (size.x.max(size.y), size.x.min(size.y));
        let stacked =
            (size.y > size.x) != dice.chance(if short > 0.85 * long { 0.5 } else { 0.22 });
        // Along the row, and across it.
        let (row, column) = if stacked { (size.y, size.x) } else { (size.x, size.y) };
        let places = dice.pick(&PLACES);
        let (last, side) = half_extent(places.iter().flat_map(|p| p.iter()));
        let smaller = if dice.chance(SMALL.0) { dice.within(SMALL.1) } else { 1.0 };
        let mut along = row / (2.0 * last + 1.0) * dice.within(PART.0) * smaller;
        let mut across = column / (2.0 * side + 1.0) * dice.within(PART.1) * smaller;
        if dice.chance(0.3) {
            across = across.min(along * dice.between(0.8, 1.25));
        }
        (along, across) = (along.min(SLIM * across), across.min(SLIM * along));
        let apart = dice.pick(&PITCH);
        let within = |extent: f64, room: f64, steps: f64, dice: &mut Dice| {
            (extent * dice.within(apart)).min(0.48 * (room - extent) / steps.max(0.1))
        };
        let (step, gap) = (within(along, row, last, dice), within(across, column, side, dice));
        let turned = |x: f64, y: f64| if stacked { Point::new(y, x) } else { Point::new(x, y) };
        let symbol = turned(along, across);
        let least = symbol.x.min(symbol.y);
        let symbol_shadow = dice.chance(0.1).then(|| shadow(0.25 * least, dice));
        let stroke = dice.pick(&STROKE);
        let stroke = (least * dice.within(stroke)).max(0.8);
        let outer = dice.pick(&[(0.5, 3.0), (0.0, 1.5), (1.0, 0.4)]);
        let thrown = symbol_shadow.map_or(0.0, |s| s.soft + s.offset.0.abs().max(s.offset.1.abs()));
        let reach = 1.5 + outer * (3.0 * stroke).min(0.25 * least) + thrown;
        let fields = outlines(symbol, reach, dice);
        let thinnest = fields.iter().map(Field::depth).fold(f64::MAX, f64::min);
        let textures =
            textures(&fields[0], least.min(4.0 * thinnest), stroke, 0.45 * thinnest, dice);
        let (page, stock) = grounds(dice);
        let dark = page[0].iter().sum::<f64>() < 1.2;
        let inks = inks(stock, dice);
        let edges = edges(&inks, stock, dice);
        let flat = page == [stock; 2];
        let border = border(dark, 1.0 / short, dice).map(|(color, wide)| (color, wide * short));
        let chosen = chosen(1.0 / short, dice);
        Self {
            size,
            stock,
            page,
            dark,
            radius: if dice.chance(0.85) { short * dice.between(0.0, 0.2) } else { 0.0 },
            border: border.filter(|_| !flat || dice.chance(0.6)),
            frame: dice.chance(0.14).then(|| {
                let (off, wide) =
                    (dice.between(0.02, 0.08) * short, dice.between(0.01, 0.04) * short);
                (any_color(dice), off, wide.max(1.0))
            }),
            shadow: (!flat && dice.chance(0.4)).then(|| shadow(0.15 * short, dice)),
            symbol_shadow,
            fields,
            inks,
            edges,
            textures,
            outer,
            places,
            pitch: (turned(step, 0.0), turned(0.0, gap)),
            crowded: if dice.chance(CROWDED.0) { dice.within(CROWDED.1) } else { 1.0 },
            chosen,
            letter: if dice.chance(0.06) { 0.16 * short } else { 0.0 },
        }
    }

    /// The centres of a card's symbols from its middle, and their size.
    pub(super) fn symbols(&self, number: usize) -> (impl Iterator<Item = Point>, f64) {
        let (along, across) = self.pitch;
        let places = self.places[number].iter().map(move |p| along * p.0 + across * p.1);
        (places, self.crowded.powi(number as i32))
    }
}

fn shadow(size: f64, dice: &mut Dice) -> Shadow {
    Shadow {
        offset: (dice.between(-0.2, 0.4) * size, dice.between(0.0, 0.5) * size),
        soft: dice.between(0.1, 1.0) * size,
        depth: dice.between(0.15, 0.65),
    }
}

/// Three outlines that differ; `reach` is how far their fields reach beyond them.
fn outlines(symbol: Point, reach: f64, dice: &mut Dice) -> [Field; 3] {
    /// Least depth of an outline in the symbol's short side.
    const LEAST_DEPTH: f64 = 0.13;
    /// After so many tries outlines may be more alike, and slimmer.
    const TRIES: u32 = 40;
    let alike = dice.pick(&ALIKE);
    let is_stretched = dice.chance(0.5);
    let has_sizes = dice.chance(0.25);
    let least = symbol.x.min(symbol.y);
    let mut found: Vec<(Outline, [u8; 256])> = vec![];
    for attempt in 1.. {
        if found.len() == 3 {
            break;
        }
        let eased = f64::from(attempt.max(TRIES)) / f64::from(TRIES);
        let Outline { points, round } = outline(dice);
        let extent = half_extent(&points);
        let scale = (symbol.x / extent.0).min(symbol.y / extent.1);
        let (mut x, mut y) = (symbol.x, symbol.y);
        if !is_stretched {
            (x, y) = (extent.0 * scale, extent.1 * scale);
        }
        if has_sizes {
            let size = dice.between(0.82, 1.0);
            (x, y) = (size * x, size * y);
        }
        let points = scaled(&points, x, y);
        let outline = Outline { points, round: 0.5 * round * x.min(y) };
        let half = 0.5 * x.max(y);
        let coarse = Field::new(&outline.points, outline.round, 0.1 * half, half / 12.0);
        let mask = mask(&coarse, 1.06 * half);
        let differs = found.iter().all(|(_, other)| overlap(&mask, other) < alike * eased);
        if differs && coarse.depth() * eased >= LEAST_DEPTH * least {
            found.push((outline, mask));
        }
    }
    let step = ((symbol.x + 2.0 * reach) * (symbol.y + 2.0 * reach) / 4500.0).sqrt().max(0.5);
    [0, 1, 2].map(|k: usize| {
        let (Outline { points, round }, _) = &found[k];
        Field::new(points, *round, reach, step)
    })
}

/// Three fillings that differ, for a symbol of this size with outlines this wide and at most that wide.
fn textures(field: &Field, size: f64, stroke: f64, widest: f64, dice: &mut Dice) -> [Texture; 3] {
    let outlined = dice.pick(&[(1.0, 5.0), (0.0, 2.0), (0.5, 2.0)]);
    let twice = dice.chance(0.15);
    let mut found: Vec<(Texture, f64, f64)> = vec![];
    for attempt in 1.. {
        if found.len() == 3 {
            break;
        }
        // After so many tries fillings may be more alike.
        let eased = f64::from(attempt.max(100)) / 100.0;
        let kind = dice.pick(&FILLINGS);
        let turn =
            dice.pick(&[(0.0, 2.0), (FRAC_PI_2, 2.0), (FRAC_PI_4, 1.0), (3.0 * FRAC_PI_4, 1.0)]);
        let turn = if dice.chance(0.2) { dice.between(0.0, PI) } else { turn };
        let pitch = (size * dice.within(PERIOD)).max(2.0);
        let inside = inside(kind, (pitch, turn), size, dice);
        let is_pattern =
            matches!(inside, Inside::Pattern { .. } | Inside::Zigzag { .. } | Inside::Motif { .. });
        let under = if is_pattern && dice.chance(0.12) { dice.between(0.1, 0.4) } else { 0.0 };
        let coverage = mean(field, &inside).max(under);
        let fact = Filling { kind, coverage };
        let is_even = matches!(kind, FillingKind::Solid | FillingKind::Empty | FillingKind::Tint);
        let pitch = if is_even { 0.0 } else { pitch };
        let turn = if twice && !is_even { turn } else { 0.0 };
        if found
            .iter()
            .any(|(other, p, t)| clash((&fact, pitch, turn), (&other.fact, *p, *t), twice, eased))
        {
            continue;
        }
        let bold = if dice.chance(THICKER.0) { dice.within(THICKER.1) } else { 1.0 };
        let needs = kind == FillingKind::Empty || coverage < 0.3 && dice.chance(0.9);
        let edged = needs || kind != FillingKind::Hole && dice.chance(outlined);
        let dashes = (edged && kind != FillingKind::Solid && dice.chance(0.05))
            .then(|| (8.0 + 2.0 * dice.below(9) as f64, dice.between(0.5, 0.75)));
        let stroke = if edged { (stroke * bold).min(widest.max(0.8)) } else { 0.0 };
        found.push((Texture { fact, inside, under, stroke, dashes }, pitch, turn));
    }
    [0, 1, 2].map(|k| found[k].0.clone())
}

/// Whether two fillings, each with its pitch and its turn, could be taken for each other.
fn clash(a: (&Filling, f64, f64), b: (&Filling, f64, f64), twice: bool, eased: f64) -> bool {
    /// Below it a pattern is seen as a tint.
    const FINE_PX: f64 = 3.0;
    let apart = (a.0.coverage - b.0.coverage).abs();
    let is_plain = |f: &Filling| matches!(f.kind, FillingKind::Solid | FillingKind::Empty);
    let least = match (a.1 < FINE_PX, b.1 < FINE_PX) {
        (true, true) => 0.24,
        _ if is_plain(a.0) || is_plain(b.0) => 0.16,
        _ => 0.0,
    };
    let alike = a.0.kind == b.0.kind && !(twice && (apart > 0.25 || (a.2 - b.2).sin().abs() > 0.6));
    alike || apart * eased < least
}

/// The mean of a filling over a symbol.
fn mean(field: &Field, inside: &Inside) -> f64 {
    const STEPS: usize = 40;
    let (x, y) = field.extent();
    let inked = (0..STEPS * STEPS).filter_map(|k| {
        let p = grid_center(k, STEPS);
        let place = ((2.0 * p.x - 1.0) * x, (2.0 * p.y - 1.0) * y);
        covered(field, inside, (0.0, 0.0), place, (1e-6, 0.5))
    });
    let (sum, count) = inked.fold((0.0, 0.0), |(sum, count), c| (sum + c.1, count + 1.0));
    sum / f64::max(count, 1.0)
}

fn inside(kind: FillingKind, (pitch, turn): (f64, f64), size: f64, dice: &mut Dice) -> Inside {
    let duty = dice.within(DUTY);
    let flip = dice.chance(0.5);
    let ramp = |low: f64, high: f64, reach: f64| {
        let (from, to) = if flip { (low, high) } else { (high, low) };
        Inside::Gradient { turn, from, to, reach }
    };
    match kind {
        FillingKind::Solid => Inside::Full,
        FillingKind::Empty => Inside::Nothing,
        FillingKind::Tint => Inside::Tint(dice.within(TINT)),
        FillingKind::Stripes => Inside::pattern(FillKind::Stripes, pitch, duty, turn),
        FillingKind::Dots => Inside::pattern(FillKind::Dots, pitch, duty, turn),
        FillingKind::Crosshatch => Inside::pattern(FillKind::Crosshatch, pitch, duty, turn),
        FillingKind::Checks => Inside::pattern(FillKind::Checks, pitch, 0.5, turn),
        FillingKind::Strokes => Inside::pattern(FillKind::Strokes, pitch, duty, turn),
        FillingKind::Gradient => ramp(dice.between(0.0, 0.3), dice.between(0.75, 1.0), 0.5 * size),
        FillingKind::Half => {
            ramp(if dice.chance(0.3) { dice.between(0.1, 0.4) } else { 0.0 }, 1.0, 0.6)
        }
        FillingKind::Inset => Inside::Inset { factor: dice.between(0.4, 0.68), blank: false },
        FillingKind::Hole => Inside::Inset { factor: dice.between(0.4, 0.68), blank: true },
        FillingKind::Rings => Inside::Rings { pitch: pitch.max(0.14 * size), duty: duty.max(0.35) },
        FillingKind::Zigzag => Inside::Zigzag { pitch, duty, turn, bend: dice.between(0.4, 1.0) },
        FillingKind::Motif => Inside::Motif {
            pitch: 1.2 * pitch,
            radius: 1.2 * pitch * dice.between(0.28, 0.45),
            power: dice.pick(&[(0.6, 1.0), (1.0, 1.0), (2.0, 0.6), (6.0, 1.0)]),
            turn,
        },
        FillingKind::Noise => {
            Inside::Noise { seed: dice.bits(), pitch: pitch * dice.between(0.6, 1.3) }
        }
    }
}

fn distance(a: Color, b: Color) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn luma([r, g, b]: Color) -> f64 {
    0.3 * r + 0.59 * g + 0.11 * b
}

/// Three inks that are seen on the stock and differ.
fn inks(stock: Color, dice: &mut Dice) -> [Color; 3] {
    let mut apart = dice.pick(&INKS_APART);
    let (spread, saturation, lightness) = dice.pick(&PALETTES);
    let hue = dice.between(0.0, 360.0);
    let plain = if dice.chance(0.3) { 0.2 } else { 0.0 };
    let mut found: Vec<Color> = vec![];
    for attempt in 1.. {
        let ink = if dice.chance(plain) {
            grey(dice.pick(&[(0.0, 2.0), (0.12, 1.0), (0.5, 1.0), (1.0, 1.0)]))
        } else {
            hsl(
                hue + dice.between(-spread, spread),
                dice.within(saturation),
                dice.within(lightness),
            )
        };
        let shows =
            distance(ink, stock) > INK_SHOWS && (luma(ink) - luma(stock)).abs() > LUMA_SHOWS;
        if shows && found.iter().all(|&other| distance(ink, other) > apart) {
            found.push(ink);
        }
        if let [a, b, c] = found[..] {
            return [a, b, c];
        }
        if attempt % 50 == 0 {
            found.clear();
            apart *= 0.9;
        }
    }
    unreachable!("the least distance shrinks until three inks are found")
}

/// The inks of outlines: mostly the same, sometimes darker or all one.
fn edges(inks: &[Color; 3], stock: Color, dice: &mut Dice) -> [Color; 3] {
    match dice.below(20) {
        0 => inks.map(|ink| ink.map(|v| 0.5 * v)),
        1 => [if stock.iter().sum::<f64>() > 1.5 { grey(0.05) } else { grey(0.95) }; 3],
        _ => *inks,
    }
}

fn any_color(dice: &mut Dice) -> Color {
    match dice.below(3) {
        0 => grey(dice.unit()),
        1 => hsl(dice.between(0.0, 360.0), dice.between(0.1, 1.0), dice.between(0.1, 0.9)),
        _ => hsl(dice.between(0.0, 360.0), dice.between(0.0, 0.4), dice.between(0.6, 1.0)),
    }
}

/// The page, at its top and its bottom, and the cards.
fn grounds(dice: &mut Dice) -> ([Color; 2], Color) {
    let hue = dice.between(0.0, 360.0);
    let stock = match dice.below(100) {
        0..=54 => grey(1.0),
        55..=69 => hsl(hue, dice.between(0.0, 0.8), dice.between(0.85, 0.98)),
        70..=86 => hsl(hue, dice.between(0.0, 0.3), dice.between(0.0, 0.25)),
        87..=91 => grey(0.0),
        _ => hsl(hue, dice.between(0.0, 0.7), dice.between(0.25, 0.85)),
    };
    if dice.chance(0.14) {
        return ([stock; 2], stock);
    }
    let page = match dice.below(10) {
        0 | 1 => grey(1.0),
        2 | 3 => grey(dice.unit()),
        4 => hsl(dice.between(0.0, 360.0), dice.between(0.0, 0.3), dice.between(0.03, 0.2)),
        _ => any_color(dice),
    };
    let other = if dice.chance(0.2) { dice.between(0.6, 1.3) } else { 1.0 };
    ([page, page.map(|v| (v * other).min(1.0))], stock)
}
