//! The classical features of one card.

use super::ink::{COARSE_HEIGHT, COARSE_WIDTH, HEIGHT, InkMap, WIDTH};
use super::symbols::{self, Symbol};
use super::template::{Masks, Template, apply};
use crate::card::CardImage;

/// All features of one card.
#[derive(Clone, Debug)]
pub struct Features {
    /// The symbols found, from left to right, at most three.
    pub symbols: Vec<Symbol>,
    /// For each number of symbols, how badly it explains the card; see `number_features`.
    pub number: [[f32; NUMBER_FEATURES]; 3],
    /// For each shape, how well it explains the symbols; see `shape_features`.
    pub shape: [[f32; SHAPE_FEATURES]; 3],
    /// The print inside the symbols compared with their outline; see `Print::shading`.
    pub shading: [f32; SHADING_FEATURES],
    /// The ink's hue: angle in radians and logarithm of its length. See [`hue_of`].
    pub hue: [f32; 2],
    /// Features that distinguish a card from something else; see `card_features`.
    pub card: [f32; CARD_FEATURES],
}

/// Length of one row of [`Features::number`].
pub(crate) const NUMBER_FEATURES: usize = 8;
/// Length of one row of [`Features::shape`].
pub(crate) const SHAPE_FEATURES: usize = 3;
/// Length of [`Features::shading`].
pub(crate) const SHADING_FEATURES: usize = 8;
/// Length of [`Features::card`].
pub(crate) const CARD_FEATURES: usize = 10;

impl Features {
    /// Measures one card against a deck's masks.
    pub fn measure(card: &CardImage, masks: &Masks) -> Self {
        let map = InkMap::new(card);
        let symbols = symbols::find(&map, masks);
        let columns = Columns::new(&map, &symbols);
        let number =
            std::array::from_fn(|n| number_features(n + 1, &symbols, &columns, masks.spacing_px));
        let shape = std::array::from_fn(|k| shape_features(k, &symbols));
        let prints: Vec<Print> =
            symbols.iter().map(|s| Print::measure(&map, s, &masks.templates[s.shape()])).collect();
        let print = Print::mean(&prints);
        let detail = (card.long_side_in_image_px / WIDTH as f32).clamp(0.2, 2.0).ln();
        Self {
            number,
            shape,
            shading: print.shading(detail),
            hue: hue_of(print.across),
            card: card_features(&symbols, &prints, &number, &columns, masks),
            symbols,
        }
    }
}

/// Mean ink of each column of the coarse map, over the height of the symbols, 0 to 1.
struct Columns {
    ink: [f32; COARSE_WIDTH],
    /// Mean ink of the symbols' own columns.
    level: f32,
}

/// A column with less mean ink than this is blank stock.
const BLANK: f32 = 0.05;
/// Half the width in which a symbol's ink is searched for, as a share of the card's long side.
const HALF_SLOT: f32 = 0.095;

impl Columns {
    fn new(map: &InkMap<'_>, symbols: &[Symbol]) -> Self {
        let middle = if symbols.is_empty() {
            HEIGHT as f32 / 2.0
        } else {
            symbols.iter().map(|s| s.center[1]).sum::<f32>() / symbols.len() as f32
        };
        let from = ((middle - 0.28 * HEIGHT as f32) / 2.0).max(0.0) as usize;
        let to = (((middle + 0.28 * HEIGHT as f32) / 2.0) as usize).min(COARSE_HEIGHT);
        let mut ink = [0.0; COARSE_WIDTH];
        for row in map.coarse.chunks_exact(COARSE_WIDTH).take(to).skip(from) {
            for (sum, &v) in ink.iter_mut().zip(row) {
                *sum += f32::from(v) / 255.0;
            }
        }
        ink = ink.map(|sum| sum / (to - from) as f32);
        let mut columns = Self { ink, level: 0.05 };
        let ink: f32 = symbols.iter().map(|s| columns.slot(s.center[0])).sum();
        columns.level = (ink / symbols.len().max(1) as f32).max(0.01);
        columns
    }

    /// Blank share of the card's width between two positions, which are in pixels of the card
    /// image.
    fn blank(&self, from: f32, to: f32) -> f32 {
        self.counted(from, to, |ink| ink < BLANK)
    }

    /// Inked share of the card's width between two positions.
    fn inked(&self, from: f32, to: f32) -> f32 {
        self.counted(from, to, |ink| ink >= BLANK)
    }

    fn counted(&self, from: f32, to: f32, counts: impl Fn(f32) -> bool) -> f32 {
        let (from, to) = (column_at(from), column_at(to));
        let columns = self.ink.get(from..to).unwrap_or_default();
        columns.iter().filter(|&&ink| counts(ink)).count() as f32 / COARSE_WIDTH as f32
    }

    /// Mean ink around a position on the middle line, in pixels of the card image; 0 off the card.
    fn slot(&self, x: f32) -> f32 {
        let (from, to) = (x - HALF_SLOT * WIDTH as f32, x + HALF_SLOT * WIDTH as f32);
        let from = (from / 2.0).max(0.0) as usize;
        let to = ((to / 2.0).max(0.0) as usize).min(COARSE_WIDTH);
        if from >= to {
            return 0.0;
        }
        self.ink[from..to].iter().sum::<f32>() / (to - from) as f32
    }
}

fn column_at(x: f32) -> usize {
    ((x / 2.0).max(0.0) as usize).min(COARSE_WIDTH)
}

/// The features of one number: symbols missing, symbols too many, offset of the row from the card's
/// middle, unevenness of its spacing, blank stock where a symbol is missing, ink beside the row,
/// blank stock beyond the card's ends, ink between the ends and the row.
fn number_features(
    n: usize,
    symbols: &[Symbol],
    columns: &Columns,
    spacing: f32,
) -> [f32; NUMBER_FEATURES] {
    let place = |k: usize| WIDTH as f32 / 2.0 + (k as f32 - (n - 1) as f32 / 2.0) * spacing;
    // The found symbols occupy places of the row; the shift of the whole row is free.
    let mut best = [1.0; NUMBER_FEATURES];
    let mut best_cost = f32::MAX;
    let steps: Vec<usize> = symbols
        .iter()
        .map(|s| ((s.center[0] - symbols[0].center[0]) / spacing).round() as usize)
        .collect();
    for first in 0..n {
        let taken: Vec<(usize, f32)> = steps
            .iter()
            .zip(symbols)
            .filter(|&(&step, _)| first + step < n)
            .map(|(&step, s)| (first + step, s.center[0] - place(first + step)))
            .collect();
        // Two symbols on one place are no row of this number.
        if taken.is_empty() || taken.len() > n {
            continue;
        }
        let shift = taken.iter().map(|t| t.1).sum::<f32>() / taken.len() as f32;
        let uneven = taken.iter().map(|t| (t.1 - shift).abs()).sum::<f32>() / taken.len() as f32;
        let missing = n - taken.len();
        let extra = symbols.len() - taken.len();
        let empty: Vec<f32> = (0..n)
            .filter(|k| taken.iter().all(|t| t.0 != *k))
            .map(|k| (columns.slot(place(k) + shift) / columns.level).min(1.5))
            .collect();
        let bare = empty.iter().map(|v| (1.0 - v).max(0.0)).sum::<f32>();
        // The places just outside the row must be empty.
        let outside = [place(0) - spacing, place(n - 1) + spacing]
            .map(|x| (columns.slot(x + shift) / columns.level).min(1.5))
            .iter()
            .sum::<f32>();
        // This row implies where the card ends: measure stock beyond the ends and ink between ends
        // and row.
        let (left, right) = (shift, WIDTH as f32 + shift);
        let stock_beyond = columns.blank(0.0, left) + columns.blank(right, WIDTH as f32);
        let reach = HALF_SLOT * WIDTH as f32;
        let margin = columns.inked(left, place(0) + shift - reach)
            + columns.inked(place(n - 1) + shift + reach, right);
        let row = [
            missing as f32,
            extra as f32,
            (shift / (0.1 * WIDTH as f32)).abs().min(3.0),
            (uneven / (0.05 * WIDTH as f32)).min(3.0),
            bare,
            outside,
            (10.0 * stock_beyond).min(3.0),
            (10.0 * margin).min(3.0),
        ];
        let cost = row.iter().sum();
        if cost < best_cost {
            (best, best_cost) = (row, cost);
        }
    }
    best
}

/// The features of one shape: mean IoU with the symbols, and the logarithm of 1 - IoU, at the best
/// level and averaged over the levels.
fn shape_features(k: usize, symbols: &[Symbol]) -> [f32; SHAPE_FEATURES] {
    if symbols.is_empty() {
        return [0.0; SHAPE_FEATURES];
    }
    [
        mean_of(symbols, |s| s.overlap[k]),
        mean_of(symbols, |s| log_miss(s.overlap[k])),
        mean_of(symbols, |s| log_miss(s.mean_overlap[k])),
    ]
}

fn mean_of(symbols: &[Symbol], value: impl Fn(&Symbol) -> f32) -> f32 {
    symbols.iter().map(value).sum::<f32>() / symbols.len() as f32
}

fn log_miss(v: f32) -> f32 {
    (1.0 - v).max(0.01).ln()
}

/// Offsets across the outline at which the print is sampled, in pixels of the card image; positive
/// is outwards.
const OFFSETS: [f32; 13] = [-8.0, -6.5, -5.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.5, 6.5];
/// Indices of the offsets where the outline itself may lie.
const OUTLINE: std::ops::Range<usize> = 2..10;
/// Indices of the offsets that lie on the stock.
const STOCK: std::ops::Range<usize> = 11..13;
/// Size of a symbol's inside relative to the symbol.
const INSIDE: f32 = 0.70;
/// Size of a symbol's core, which no blur of the outline reaches.
const CORE: f32 = 0.35;
/// Half the length of the line on which stripes are measured, in pixels.
const STRIPE_REACH: usize = 24;

/// The print of one symbol as missing light, relative to the stock beside it: R, G, B, 0 to 1 each.
#[derive(Clone, Copy, Debug, Default)]
struct Print {
    /// Mean over the outline of the darkest sample across it.
    outline: [f32; 3],
    /// Mean over the outline of the sum across it.
    across: [f32; 3],
    /// Mean over the inside.
    inside: [f32; 3],
    /// Mean over the core.
    core: [f32; 3],
    /// Mean over the rim just inside the outline.
    rim: [f32; 3],
    /// Roughness along the symbol, across its stripes, as missing light summed over the channels.
    stripes: f32,
    /// Coefficient of variation of the outline's strength along the outline.
    patchy: f32,
    /// Standard deviation of the stock beside the outline.
    stock: f32,
}

fn add(a: &mut [f32; 3], b: [f32; 3]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
}
fn sum(v: [f32; 3]) -> f32 {
    v[0] + v[1] + v[2]
}

impl Print {
    fn measure(map: &InkMap<'_>, symbol: &Symbol, template: &Template) -> Self {
        let m = template.image_from_template(symbol.covariance);
        let ratio = |p: [f32; 2]| {
            let [dx, dy] = apply(m, p);
            map.ratio(symbol.center[0] + dx, symbol.center[1] + dy)
        };
        // Measure the stock first: everything else is relative to it.
        let mut white = [0.0; 3];
        let mut white_squares = 0.0;
        let mut count = 0.0;
        let mut rays: Vec<[[f32; 3]; OFFSETS.len()]> = Vec::with_capacity(template.edge.len());
        for (p, n) in template.edge.iter().zip(&template.normal) {
            let ray = OFFSETS.map(|t| ratio([p[0] + t * n[0], p[1] + t * n[1]]));
            for v in &ray[STOCK] {
                add(&mut white, *v);
                white_squares += sum(*v).powi(2);
                count += 1.0;
            }
            rays.push(ray);
        }
        let white = white.map(|v| (v / count).max(0.2));
        let missing = |v: [f32; 3]| -> [f32; 3] { std::array::from_fn(|c| 1.0 - v[c] / white[c]) };

        let mut print = Self {
            stock: (white_squares / count - sum(white).powi(2)).max(0.0).sqrt() / 3.0,
            ..Self::default()
        };
        let mut strengths = Vec::with_capacity(rays.len());
        for ray in &rays {
            let darkest = ray[OUTLINE]
                .iter()
                .map(|v| missing(*v))
                .max_by(|a, b| sum(*a).total_cmp(&sum(*b)))
                .expect("the range is not empty");
            strengths.push(sum(darkest));
            add(&mut print.outline, darkest);
            for v in &ray[1..11] {
                add(&mut print.across, missing(*v));
            }
            add(&mut print.rim, missing(ray[0]));
            add(&mut print.rim, missing(ray[1]));
        }
        let n = rays.len() as f32;
        print.outline = print.outline.map(|v| v / n);
        print.across = print.across.map(|v| v / (10.0 * n));
        print.rim = print.rim.map(|v| v / (2.0 * n));
        let mean = sum(print.outline).max(0.05);
        print.patchy =
            (strengths.iter().map(|s| (s - mean).powi(2)).sum::<f32>() / n).sqrt() / mean;

        let mut n = 0.0;
        for p in template.inside.iter().step_by(2) {
            let inside = missing(ratio([p[0] * INSIDE, p[1] * INSIDE]));
            add(&mut print.inside, inside);
            add(&mut print.core, missing(ratio([p[0] * CORE, p[1] * CORE])));
            n += 1.0;
        }
        print.inside = print.inside.map(|v| v / n);
        print.core = print.core.map(|v| v / n);

        // The line down the middle, averaged over nine pixels across: stripes are coherent over
        // that width, noise is not.
        let values: Vec<f32> = (0..2 * STRIPE_REACH)
            .map(|i| {
                let y = i as f32 - STRIPE_REACH as f32 + 0.5;
                let across = (-2i32..=2).map(|j| sum(missing(ratio([2.0 * j as f32, y]))));
                across.sum::<f32>() / 5.0
            })
            .collect();
        print.stripes = values.windows(5).map(|w| (w[2] - (w[0] + w[4]) / 2.0).abs()).sum::<f32>()
            / (values.len() - 4) as f32;
        print
    }

    fn mean(prints: &[Self]) -> Self {
        let n = prints.len().max(1) as f32;
        let vector = |f: fn(&Self) -> [f32; 3]| {
            let mut total = [0.0; 3];
            prints.iter().for_each(|print| add(&mut total, f(print)));
            total.map(|v| v / n)
        };
        let scalar = |f: fn(&Self) -> f32| prints.iter().map(f).sum::<f32>() / n;
        Self {
            outline: vector(|p| p.outline),
            across: vector(|p| p.across),
            inside: vector(|p| p.inside),
            core: vector(|p| p.core),
            rim: vector(|p| p.rim),
            stripes: scalar(|p| p.stripes),
            patchy: scalar(|p| p.patchy),
            stock: scalar(|p| p.stock),
        }
    }

    /// Inside over outline (mean, core and rim), stripes over outline, light absorbed by the
    /// outline and by the inside (logarithms), patchiness, detail.
    fn shading(&self, detail: f32) -> [f32; SHADING_FEATURES] {
        let outline = sum(self.outline).max(0.05);
        // Project on the outline's own colour, so that a colour cast of the stock does not count.
        let along = |v: [f32; 3]| {
            let squares: f32 = self.outline.iter().map(|o| o * o).sum();
            v.iter().zip(&self.outline).map(|(a, b)| a * b).sum::<f32>() / squares.max(1e-3)
        };
        let inside = along(self.inside);
        [
            inside.clamp(-0.3, 1.4),
            along(self.core).clamp(-0.3, 1.4),
            along(self.rim).clamp(-0.3, 1.4),
            (self.stripes / outline).min(0.3),
            outline.ln(),
            (inside * outline).max(0.05).ln(),
            self.patchy.min(1.0),
            detail,
        ]
    }
}

/// The hue of an ink, from the light it absorbs: the angle in radians and the logarithm of the
/// length of a vector. Its components are missing green minus red and missing blue minus green, as
/// shares of all missing light.
///
/// Camera, light and blur change the length, but hardly the angle (three sources of crops: red at
/// -1 to 6 degrees, green at 146 to 149, purple at -97 to -59).
///
/// `missing` is summed across the whole outline, because photos store colour at half resolution:
/// the colour of a thin line spreads beside it.
pub(crate) fn hue_of(missing: [f32; 3]) -> [f32; 2] {
    let total = sum(missing).max(0.03);
    let (a, b) = ((missing[1] - missing[0]) / total, (missing[2] - missing[1]) / total);
    [b.atan2(a), a.hypot(b).clamp(1e-3, 2.0).ln()]
}

/// Features that distinguish a card from something else: IoU and votes of its symbols, their offset from
/// the middle and from the expected size, how well the best number fits, how similar the symbols'
/// inks are, contrast, roughness of the stock, ink beside the symbols.
fn card_features(
    symbols: &[Symbol],
    prints: &[Print],
    number: &[[f32; NUMBER_FEATURES]; 3],
    columns: &Columns,
    masks: &Masks,
) -> [f32; CARD_FEATURES] {
    if symbols.is_empty() {
        return [0.0; CARD_FEATURES];
    }
    let n = symbols.len() as f32;
    let overlap = mean_of(symbols, |s| (1.0 - s.overlap[s.shape()]).max(0.01).ln());
    let votes = mean_of(symbols, |s| s.votes as f32);
    let off_middle = mean_of(symbols, |s| (s.center[1] / HEIGHT as f32 - 0.5).abs());
    let size = mean_of(symbols, |s| {
        let expected = masks.templates[s.shape()].covariance;
        let x = (s.covariance[0][0] / expected[0][0]).ln() / 2.0;
        let y = (s.covariance[1][1] / expected[1][1]).ln() / 2.0;
        x.abs() + y.abs()
    });
    let lean = mean_of(symbols, |s| {
        let expected = masks.templates[s.shape()].covariance;
        (lean(s.covariance) - lean(expected)).abs()
    });
    let row = number.iter().map(|row| row.iter().sum::<f32>()).fold(f32::MAX, f32::min);
    let print = Print::mean(prints);
    let strength = sum(print.outline).max(0.05);
    let unlike = prints
        .iter()
        .map(|p| p.outline.iter().zip(&print.outline).map(|(a, b)| (a - b).abs()).sum::<f32>())
        .sum::<f32>()
        / (n * strength);
    let ink: f32 = columns.ink.iter().sum();
    let slots: f32 =
        symbols.iter().map(|s| columns.slot(s.center[0]) * HALF_SLOT * WIDTH as f32).sum();
    let outside = ((ink - slots) / ink.max(0.1)).clamp(0.0, 1.0);
    [overlap, votes, off_middle, size, lean, row, unlike, strength.ln(), print.stock, outside]
}

fn lean(c: [[f32; 2]; 2]) -> f32 {
    c[0][1] / (c[0][0] * c[1][1]).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::template::Matrix2;
    use super::*;

    fn symbol_at(x: f32) -> Symbol {
        let overlap = [0.9; 4];
        let covariance = Matrix2::default();
        Symbol { center: [x, 64.0], covariance, overlap, mean_overlap: overlap, votes: 3 }
    }

    #[test]
    fn symbols_on_one_place_are_no_row_of_a_smaller_number() {
        let columns = Columns { ink: [0.5; COARSE_WIDTH], level: 0.5 };
        let same_place = [95.0, 97.0].map(symbol_at);
        assert_eq!(number_features(1, &same_place, &columns, 50.0), [1.0; NUMBER_FEATURES]);
        let apart = [71.0, 121.0].map(symbol_at);
        assert_eq!(
            number_features(2, &apart, &columns, 50.0)[..2],
            [0.0; 2],
            "none missing or extra"
        );
    }
}
