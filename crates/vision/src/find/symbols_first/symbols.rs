//! Detects symbols: regions of the binary maps that resemble a symbol in their moment frame.

use super::components::Components;
use super::maps::BinaryMap;
use super::shape::{Mask, MomentFrame, TemplateIou, template};
use crate::find::working::Working;
use setsight_game::cards::Shape;
use setsight_game::cards::outline::symbol_outline;
use setsight_photo::geometry::Point;

/// A detected symbol. Coordinates are in working pixels.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    /// Its moment frame.
    pub frame: MomentFrame,
    /// Rotation of the frame, in radians, at which the region matches best; it compensates the
    /// shear.
    pub turn: f64,
    /// The shape that matches best.
    pub shape: Shape,
    /// IoU with that shape, 0 to 1.
    pub iou: f64,
    /// IoU with all shapes.
    pub all_iou: TemplateIou,
    /// Number of maps that show it.
    pub votes: usize,
    /// Its size in each map, relative to `frame`: outer edges, holes and blur change it.
    sizes: Vec<f64>,
    /// The card's long side that this symbol implies.
    pub long_side: Point,
    /// The card's short side that this symbol implies.
    pub short_side: Point,
    /// Its colours.
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
pub(crate) struct InkColors {
    /// White of the card around the symbol, R, G, B, 0 to 255.
    pub white: [f64; 3],
    /// Spread of that white: the difference of two quantiles of its lightness, relative to the
    /// mean.
    pub white_spread: f64,
    /// Ink of the outline: 1 - intensity / white, R, G, B.
    pub ink: [f64; 3],
}

impl InkColors {
    /// The strongest ink of the three channels, 0 to 1.
    pub(crate) fn contrast(&self) -> f64 {
        self.ink.into_iter().fold(f64::MIN, f64::max)
    }
}

/// Thresholds for symbols.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Shortest bounding box (longer side), in working pixels; smaller masks are unreliable.
    pub smallest_px: f64,
    /// Longest bounding box as a share of the working image's long side; a single card may fill the
    /// photo.
    pub largest: f64,
    /// IoU from which a region is a symbol: true symbols reach 0.95 to 0.98, other regions at most
    /// 0.82.
    pub iou: f64,
    /// IoU below which other rotations of the frame are tried.
    pub turn_below: f64,
    /// IoU that a rotated frame must reach; it is higher because more attempts give more false
    /// matches.
    pub turned_iou: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { smallest_px: 14.0, largest: 0.30, iou: 0.84, turn_below: 0.90, turned_iou: 0.87 }
    }
}

/// Collects detections of symbols, map by map.
pub(crate) struct SymbolSearch {
    params: Params,
    largest_px: f64,
    seen: Vec<Sighting>,
}

impl SymbolSearch {
    /// For the maps of one working image.
    pub(crate) fn new(working: &Working, params: &Params) -> Self {
        let largest_px = params.largest * working.width.max(working.height) as f64;
        Self { params: *params, largest_px, seen: Vec::new() }
    }

    /// Adds the detections of one map.
    pub(crate) fn add(&mut self, map: &BinaryMap<'_>, components: &Components) {
        collect(map, components, self.largest_px, &self.params, &mut self.seen);
    }

    /// Every symbol once, with its colours.
    ///
    /// # Errors
    /// OpenCV cannot read the working image.
    pub(crate) fn finish(self, working: &Working) -> opencv::Result<Vec<Symbol>> {
        let mut symbols = merge(self.seen);
        let rgb = working.rgb.as_raw();
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

/// The detection of a symbol in one map.
struct Sighting {
    frame: MomentFrame,
    turn: f64,
    shape: Shape,
    iou: f64,
    all_iou: TemplateIou,
    is_hole: bool,
}

/// Rotations of the moment frame that are tried on a sheared symbol, in radians.
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
    // Either no rotation can match, or the region is a rectangle that some rotation would make a
    // rhombus.
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

/// Merges detections of one symbol; the best one gives the geometry. Holes are preferred, because
/// the width of the line does not affect them.
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

/// Samples a ring outside the outline (the card's white) and a band inside it (the ink). `None` if
/// too little of the ring is in the picture.
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
        // The gap to the next symbol is 1.8 deviations wide: sample less than half of it.
        ring.extend([0.6, 0.75, 0.9].iter().filter_map(|d| at(p + outwards * (d * thickness))));
        // The region may be the hole inside the stroke or the stroke's outer edge; the darkest
        // point across it is on the stroke.
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
    // Use the middle half, to exclude gaps in the outline and a neighbour's ink.
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

/// The quantile of `values` at the fraction `q`.
fn quantile(values: &mut [f64], q: f64) -> f64 {
    let i = ((values.len() - 1) as f64 * q).round() as usize;
    *values.select_nth_unstable_by(i, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::drawn::{FlatCard, GREEN, RED, WHITE, card_at, photo};
    use crate::find::symbols_first::maps::for_each_map;
    use setsight_game::cards::Number;
    use setsight_photo::Frame;
    use setsight_photo::geometry::Quad;

    fn symbols_of(frame: &Frame) -> Vec<Symbol> {
        let long_side_px = f64::from(frame.width().max(frame.height()));
        let working = Working::new(frame, long_side_px);
        let mut search = SymbolSearch::new(&working, &Params::default());
        let mut components = Components::default();
        for_each_map(&working, |map| {
            components.label(map.pixels, map.width);
            search.add(map, &components);
            Ok(())
        })
        .unwrap();
        search.finish(&working).unwrap()
    }

    /// The symbols that many maps show. Of several at one place, which grouping would join, it
    /// keeps the best.
    fn clear(frame: &Frame) -> Vec<Symbol> {
        let mut symbols: Vec<Symbol> = Vec::new();
        for symbol in symbols_of(frame).into_iter().filter(|s| s.votes >= 3 && s.iou > 0.9) {
            let here = |s: &Symbol| s.frame.center.distance(symbol.frame.center) < 3.0;
            match symbols.iter_mut().find(|s| here(s)) {
                Some(other) if other.iou < symbol.iou => *other = symbol,
                Some(_) => {}
                None => symbols.push(symbol),
            }
        }
        symbols.sort_by(|a, b| a.frame.center.x.total_cmp(&b.frame.center.x));
        symbols
    }

    #[test]
    fn each_shape_is_found_where_it_lies_and_shows_how_its_card_lies() {
        for shape in Shape::ALL {
            for angle in [0.0, 0.4, -0.9] {
                let corners = card_at(180.0, 140.0, angle);
                let card = FlatCard { number: Number::One, shape, ink: RED, corners };
                let found = clear(&photo((400, 320), &[card]));
                let [symbol] = &found[..] else { panic!("{shape} {angle}: {found:?}") };
                assert_eq!(symbol.shape, shape);
                assert!(symbol.frame.center.distance(corners.center()) < 1.0, "{shape} {angle}");
                // The direction has no sign: a card looks the same after half a turn.
                let (long, short) = (corners.0[1] - corners.0[0], corners.0[3] - corners.0[0]);
                let off = |found: Point, true_side: Point| {
                    found.cross(true_side).abs() / true_side.dot(true_side)
                };
                assert!(off(symbol.long_side, long) < 0.12, "{shape} {angle}: {symbol:?}");
                assert!((symbol.long_side.norm() / 90.0 - 1.0).abs() < 0.3, "{shape} {angle}");
                assert!((symbol.short_side.norm() / short.norm() - 1.0).abs() < 0.3, "{shape}");
            }
        }
    }

    #[test]
    fn the_three_symbols_of_a_card_are_three_places_with_its_colours() {
        let corners = card_at(150.0, 120.0, 0.3);
        let card = FlatCard { number: Number::Three, shape: Shape::Oval, ink: GREEN, corners };
        let found = clear(&photo((400, 300), &[card]));
        assert_eq!(found.len(), 3);
        for symbol in &found {
            let near = |a: [f64; 3], b: [f64; 3], by: f64| {
                a.iter().zip(b).all(|(a, b)| (a - b).abs() < by)
            };
            let ink = [0, 1, 2].map(|c| 1.0 - f64::from(GREEN[c]) / f64::from(WHITE[c]));
            assert!(near(symbol.colors.white, WHITE.map(f64::from), 6.0), "{:?}", symbol.colors);
            assert!(near(symbol.colors.ink, ink, 0.1), "{:?}", symbol.colors);
            assert!(symbol.colors.white_spread < 0.05);
        }
    }

    #[test]
    fn a_sheared_symbol_is_still_its_shape() {
        let corners = Quad::new(
            [(120.0, 90.0), (210.0, 110.0), (245.0, 165.0), (155.0, 145.0)]
                .map(|(x, y)| Point::new(x, y)),
        );
        let card = FlatCard { number: Number::One, shape: Shape::Diamond, ink: RED, corners };
        let found = clear(&photo((400, 300), &[card]));
        assert_eq!(found.iter().map(|s| s.shape).collect::<Vec<_>>(), [Shape::Diamond]);
    }

    #[test]
    fn a_rectangle_is_no_symbol() {
        // A dark label on white paper, with a symbol's proportions.
        let mut frame = photo((400, 300), &[]);
        for (x, y, pixel) in frame.enumerate_pixels_mut() {
            let inside = |(left, top, right, bottom): (u32, u32, u32, u32)| {
                (left..right).contains(&x) && (top..bottom).contains(&y)
            };
            pixel.0 = if inside((170, 110, 220, 195)) {
                RED
            } else if inside((100, 60, 290, 250)) {
                WHITE
            } else {
                pixel.0
            };
        }
        assert_eq!(clear(&frame).len(), 0);
    }
}
