//! The symbols of a photo: regions of the binary maps that look like one in their moment frame.

use super::components::Components;
use super::maps::{BinaryMap, Working};
use super::shape::{Mask, MomentFrame, TemplateIou, template};
use crate::cards::Shape;
use crate::cards::outline::symbol_outline;
use crate::geometry::Point;
use opencv::prelude::*;

/// A place that looks like a symbol. Coordinates in working pixels.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its moment frame.
    pub frame: MomentFrame,
    /// How far the frame had to be turned, in radians, to look like the symbol: the shear.
    pub turn: f64,
    /// What it looks like.
    pub shape: Shape,
    /// IoU with that shape, 0 to 1.
    pub iou: f64,
    /// IoU with all shapes.
    pub all_iou: TemplateIou,
    /// In how many maps it was seen.
    pub votes: usize,
    /// Its size in each of them, relative to `frame`: outer edges, holes and blur differ.
    sizes: Vec<f64>,
    /// The card's long side as this symbol implies it.
    pub long_side: Point,
    /// The card's short side as this symbol implies it.
    pub short_side: Point,
    /// What its colours say.
    pub colors: InkColors,
}

impl Symbol {
    fn take_median_size(&mut self) {
        let size = quantile(&mut self.sizes, 0.5);
        self.frame.minor = self.frame.minor * size;
        self.frame.major = self.frame.major * size;
        self.frame.area *= size * size;
        self.long_side = self.long_side * size;
        self.short_side = self.short_side * size;
    }
}

/// Colours in and around a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InkColors {
    /// White of the card around the symbol, 0 to 255, R, G, B.
    pub white: [f64; 3],
    /// Spread of that white: difference of upper and lower levels over the mean, 0 and up.
    pub white_spread: f64,
    /// Ink of the outline: 1 - I / white, R, G, B.
    pub ink: [f64; 3],
}

impl InkColors {
    /// The strongest of the three inks, 0 to 1.
    pub fn contrast(&self) -> f64 {
        self.ink.into_iter().fold(f64::MIN, f64::max)
    }
}

/// What counts as a symbol.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Shortest bounding box (longer side) in working pixels: below, the mask is guesswork.
    pub smallest_px: f64,
    /// Longest bounding box as a fraction of the working long side: a lone card fills the photo.
    pub largest: f64,
    /// IoU from which a region is a symbol: true ones have 0.95 to 0.98, others at most 0.82.
    pub iou: f64,
    /// Below this iou other turns of the frame are tried.
    pub turn_below: f64,
    /// IoU that a turned frame must reach: more ways to look are more ways to be fooled.
    pub turned_iou: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { smallest_px: 14.0, largest: 0.30, iou: 0.84, turn_below: 0.90, turned_iou: 0.87 }
    }
}

/// Gathers sightings of symbols, map by map.
pub struct SymbolSearch {
    params: Params,
    largest_px: f64,
    seen: Vec<Sighting>,
}

impl SymbolSearch {
    /// For maps of one working image.
    pub fn new(working: &Working, params: &Params) -> Self {
        let largest_px = params.largest * working.width.max(working.height) as f64;
        Self { params: *params, largest_px, seen: Vec::new() }
    }

    /// Adds the sightings of one map.
    pub fn add(&mut self, map: &BinaryMap<'_>, components: &Components) {
        collect(map, components, self.largest_px, &self.params, &mut self.seen);
    }

    /// Every symbol once, with its colours.
    ///
    /// # Errors
    /// Those of OpenCV, when the working image cannot be read.
    pub fn finish(self, working: &Working) -> opencv::Result<Vec<Symbol>> {
        let mut symbols = merge(self.seen);
        let rgb = working.rgb.data_bytes()?;
        symbols.retain_mut(|s| match ink_colors(s, rgb, working.width, working.height) {
            Some(colors) => {
                s.colors = colors;
                true
            }
            None => false,
        });
        Ok(symbols)
    }
}

/// One sighting in one map.
struct Sighting {
    frame: MomentFrame,
    turn: f64,
    shape: Shape,
    iou: f64,
    all_iou: TemplateIou,
    is_hole: bool,
}

/// Turns of the moment frame that are tried on a sheared symbol, in radians.
const TURNS: [f64; 6] = [-0.6, -0.4, -0.2, 0.2, 0.4, 0.6];

fn collect(
    map: &BinaryMap<'_>,
    components: &Components,
    largest_px: f64,
    params: &Params,
    seen: &mut Vec<Sighting>,
) {
    for component in &components.all {
        let [left, top, right, bottom] = component.bounds;
        let (w, h) = (f64::from(right - left) * map.step, f64::from(bottom - top) * map.step);
        let long = w.max(h);
        let area = component.filled.area * map.step * map.step;
        if long < params.smallest_px
            || long > largest_px
            || w.min(h) < 0.35 * params.smallest_px
            || area < 0.3 * params.smallest_px * params.smallest_px
            || left == 0
            || top == 0
            || right as usize == map.width
            || bottom as usize * map.width == map.pixels.len()
        {
            continue;
        }
        let Some(frame) = MomentFrame::new(&component.filled) else { continue };
        let elongation = frame.elongation();
        if !(0.80..1.1).contains(&frame.compactness()) || !(1.15..5.2).contains(&elongation) {
            continue;
        }
        let look_at = |turn: f64| {
            let inside = |x, y| components.filled_contains(component, x, y);
            TemplateIou::of(&Mask::sample(&frame, turn, inside))
        };
        let Some((turn, shape, all_iou)) = best_turn(&look_at, elongation, params) else {
            continue;
        };
        let iou = all_iou.symbols[shape.index()];
        seen.push(Sighting {
            frame: scaled(&frame, map.step),
            turn,
            shape,
            iou,
            all_iou,
            is_hole: component.is_hole,
        });
    }
}

fn best_turn(
    look_at: &impl Fn(f64) -> TemplateIou,
    elongation: f64,
    params: &Params,
) -> Option<(f64, Shape, TemplateIou)> {
    let straight = look_at(0.0);
    let as_symbol = straight.symbol();
    if let Some((shape, iou)) = as_symbol
        && iou >= params.turn_below
    {
        return (1.3..4.6).contains(&elongation).then_some((0.0, shape, straight));
    }
    // Hopeless, or a rectangle that some turn would make a rhombus.
    if straight.best_symbol().1 < 0.70 || (straight.rectangle > 0.90 && elongation < 2.1) {
        return None;
    }
    let mut best = as_symbol.map(|(shape, iou)| (iou, 0.0, shape, straight));
    for turn in TURNS {
        let turned = look_at(turn);
        if let Some((shape, iou)) = turned.symbol() {
            // A smaller shear is likelier than a larger one.
            let score = iou - 0.05 * turn.abs();
            if score > params.turned_iou
                && best.as_ref().is_none_or(|b| score > b.0 + if b.1 == 0.0 { 0.01 } else { 0.0 })
            {
                best = Some((score, turn, shape, turned));
            }
        }
    }
    let (_, turn, shape, iou) = best?;
    (iou.symbols[shape.index()] >= params.iou && (turn != 0.0 || (1.3..4.6).contains(&elongation)))
        .then_some((turn, shape, iou))
}

fn scaled(frame: &MomentFrame, step: f64) -> MomentFrame {
    MomentFrame {
        center: frame.center * step,
        minor: frame.minor * step,
        major: frame.major * step,
        area: frame.area * step * step,
    }
}

/// Joins sightings of one symbol; the best stands for all. Holes first: they are free of the pen.
fn merge(mut seen: Vec<Sighting>) -> Vec<Symbol> {
    const CELL_PX: f64 = 40.0;
    let rank = |s: &Sighting| s.iou + if s.is_hole { 0.0 } else { -0.03 };
    seen.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut cells: std::collections::BTreeMap<(i64, i64), Vec<usize>> = Default::default();
    for s in seen {
        let cell = ((s.frame.center.x / CELL_PX) as i64, (s.frame.center.y / CELL_PX) as i64);
        let near = (-1..=1)
            .flat_map(|i| (-1..=1).map(move |j| (i, j)))
            .filter_map(|(i, j)| cells.get(&(cell.0 + i, cell.1 + j)))
            .flatten()
            .copied();
        let alike = near.into_iter().find(|&i| {
            let other = &symbols[i].frame;
            let ratio_long = s.frame.major.norm() / other.major.norm();
            let ratio_short = s.frame.minor.norm() / other.minor.norm();
            other.center.distance(s.frame.center) < 0.5 * other.minor.norm() + 1.5
                && (0.6..1.67).contains(&ratio_long)
                && (0.55..1.8).contains(&ratio_short)
        });
        if let Some(i) = alike {
            let size = (s.frame.area / symbols[i].frame.area).sqrt();
            symbols[i].votes += 1;
            symbols[i].sizes.push(size);
            continue;
        }
        let t = template(s.shape);
        let side = |p: Point| s.frame.image_from_frame(p, s.turn) - s.frame.center;
        cells.entry(cell).or_default().push(symbols.len());
        symbols.push(Symbol {
            long_side: side(t.long_side_in_frame),
            short_side: side(t.short_side_in_frame),
            frame: s.frame,
            turn: s.turn,
            shape: s.shape,
            iou: s.iou,
            all_iou: s.all_iou,
            votes: 1,
            sizes: vec![1.0],
            colors: InkColors::default(),
        });
    }
    for symbol in &mut symbols {
        symbol.take_median_size();
    }
    symbols
}

/// Samples a ring outside the outline (the card's white) and a band inside it (the ink). `None`
/// when too little of the ring is in view.
fn ink_colors(symbol: &Symbol, rgb: &[u8], width: usize, height: usize) -> Option<InkColors> {
    let at = |p: Point| -> Option<[f64; 3]> {
        let (x, y) = (p.x.floor(), p.y.floor());
        if x < 0.0 || y < 0.0 || x >= width as f64 || y >= height as f64 {
            return None;
        }
        let i = 3 * (y as usize * width + x as usize);
        Some([rgb[i], rgb[i + 1], rgb[i + 2]].map(f64::from))
    };
    let outline: Vec<Point> = symbol_outline(symbol.shape)
        .iter()
        .map(|&(x, y)| symbol.long_side * x + symbol.short_side * y)
        .collect();
    let thickness = symbol.frame.minor.norm();
    let n = outline.len();
    let mut ring = Vec::with_capacity(3 * n);
    let mut strokes = Vec::with_capacity(n);
    for i in 0..n {
        let along = outline[(i + 1) % n] - outline[(i + n - 1) % n];
        let mut outwards = along.perpendicular() / along.norm().max(1e-9);
        if outwards.dot(outline[i]) < 0.0 {
            outwards = -outwards;
        }
        let p = symbol.frame.center + outline[i];
        // The gap to the next symbol is 1.8 deviations wide: stay within half of it.
        ring.extend([0.6, 0.75, 0.9].iter().filter_map(|d| at(p + outwards * (d * thickness))));
        // The region may be the hole within the pen's stroke or the stroke's outer edge: the
        // darkest point across it is on the stroke.
        let across = [-0.4, -0.27, -0.13, 0.0, 0.13, 0.27, 0.4];
        let darkest = across
            .iter()
            .filter_map(|d| at(p + outwards * (d * thickness)))
            .min_by(|a, b| lowest(a).total_cmp(&lowest(b)));
        strokes.extend(darkest);
    }
    if ring.len() < n || 3 * strokes.len() < 2 * n {
        return None;
    }
    let channel = |samples: &[[f64; 3]], c: usize, q: f64| {
        let mut v: Vec<f64> = samples.iter().map(|s| s[c]).collect();
        quantile(&mut v, q)
    };
    let white = [0, 1, 2].map(|c| channel(&ring, c, 0.70));
    let mut lightness: Vec<f64> = ring.iter().map(lowest).collect();
    let spread = quantile(&mut lightness, 0.85) - quantile(&mut lightness, 0.25);
    let mean_white = white.iter().sum::<f64>() / 3.0;
    // The middle half: neither gaps in the outline nor a neighbour's ink.
    strokes.sort_by(|a, b| lowest(a).total_cmp(&lowest(b)));
    let middle = &strokes[strokes.len() / 4..strokes.len() * 3 / 4];
    let ink = [0, 1, 2].map(|c| {
        middle.iter().map(|s| 1.0 - s[c] / white[c].max(8.0)).sum::<f64>() / middle.len() as f64
    });
    Some(InkColors { white, white_spread: spread / mean_white.max(20.0), ink })
}

fn lowest(rgb: &[f64; 3]) -> f64 {
    rgb[0].min(rgb[1]).min(rgb[2])
}

/// The value below which a fraction `q` of `values` lies.
fn quantile(values: &mut [f64], q: f64) -> f64 {
    let i = ((values.len() - 1) as f64 * q).round() as usize;
    *values.select_nth_unstable_by(i, f64::total_cmp).1
}
