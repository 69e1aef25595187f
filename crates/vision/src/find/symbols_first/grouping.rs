//! Groups symbols into cards: symbols placed like those of one card are one card.
//!
//! Everything is measured in the symbols' own whitened frames, so perspective has little effect.

use super::{shape::template, symbols::Symbol};
use crate::find::plane::{CARD_ASPECT, SizeField, TablePlane};
use crate::find::working_image::WorkingQuad;
use setsight_game::cards::outline::SYMBOL_SPACING;
use setsight_photo::geometry::Point;

/// A card as its symbols determine it. Coordinates are in working pixels.
#[derive(Clone, Debug)]
pub(crate) struct SymbolGroup {
    /// Number of its symbols that were found: one to three.
    pub count: usize,
    /// Corners, clockwise on the screen; the first side is a long one.
    pub quad: WorkingQuad,
    /// The card's white around its symbols, R, G, B, 0 to 255.
    pub white: [f64; 3],
    /// Log odds that this is a card, from the symbols' votes, shape and colours.
    pub score: f64,
}

/// Thresholds and weights of grouping. Qualities are log odds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Params {
    /// Quality below which a symbol is ignored.
    pub weakest: f64,
    /// Least quality of a card's only symbol.
    pub single: f64,
    /// Least quality of the best of several symbols.
    pub several: f64,
    /// Largest cost at which two symbols are joined.
    pub cost: f64,
    /// Deviation of a symbol's log size from the table's that costs nothing.
    pub free_size: f64,
    /// Quality lost per unit of additional deviation.
    pub size_weight: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            weakest: -2.0,
            single: 1.0,
            several: -0.4,
            cost: 1.9,
            free_size: 0.18,
            size_weight: 6.0,
        }
    }
}

/// The cards of a photo and the table they lie on.
#[derive(Debug, Default)]
pub(crate) struct Grouped {
    /// The likeliest first.
    pub cards: Vec<SymbolGroup>,
    /// The table's plane, if enough cards lie on one.
    pub table: Option<TablePlane>,
}

/// Groups symbols into cards. `long_side_px` is the working image's long side.
///
/// The grouping runs twice: the first cards give the size of a card at each place of the table, and
/// symbols of another size then count less.
pub(crate) fn group(mut symbols: Vec<Symbol>, long_side_px: f64, params: &Params) -> Grouped {
    let cards = cards_of(&mut symbols, params);
    let Some(field) = size_field(&cards, long_side_px) else {
        return Grouped { cards, table: None };
    };
    for symbol in &mut symbols {
        let expected = field.log_size(symbol.frame.center / long_side_px);
        let off = (symbol.card_long_px().ln() - expected).abs();
        symbol.quality -= (off - params.free_size).max(0.0) * params.size_weight;
    }
    let cards = cards_of(&mut symbols, params);
    let quads: Vec<_> = cards.iter().map(|card| (card.quad, weight(card))).collect();
    let table = TablePlane::fit(&quads, &field, long_side_px);
    Grouped { cards, table }
}

/// A card's weight in fitting the table. A card of one symbol gets its size and direction from that
/// symbol's shape alone, and a cloth may be full of similar dots.
fn weight(card: &SymbolGroup) -> f64 {
    // A likely card of several symbols scores 6 and more.
    if card.count == 1 { 0.3 } else { (card.score / 6.0).clamp(0.1, 1.0).powi(2) }
}

/// Fits the size field, if there are cards to fit it to.
fn size_field(cards: &[SymbolGroup], long_side_px: f64) -> Option<SizeField> {
    let sizes: Vec<(Point, f64, f64)> = cards
        .iter()
        .filter(|card| card.score > 1.5)
        .map(|card| {
            let size = (card.quad.signed_area() * CARD_ASPECT).sqrt();
            (card.quad.center() / long_side_px, size.ln(), weight(card))
        })
        .collect();
    (!sizes.is_empty()).then(|| SizeField::fit(&sizes))
}

/// Cards of those symbols, the likeliest first.
fn cards_of(symbols: &mut [Symbol], params: &Params) -> Vec<SymbolGroup> {
    symbols.sort_by(|a, b| b.quality.total_cmp(&a.quality));
    let mut kept: Vec<&Symbol> = Vec::new();
    for symbol in symbols.iter().filter(|s| s.quality >= params.weakest) {
        // Those that overlap a better one are left out.
        if !kept.iter().any(|other| {
            let d = symbol.frame.center - other.frame.center;
            let (a, b) = (other.template_from_image(d), symbol.template_from_image(d));
            (a.x.abs() < 2.6 && a.y.abs() < 2.0) || (b.x.abs() < 2.0 && b.y.abs() < 1.9)
        }) {
            kept.push(symbol);
        }
    }
    let mut cards: Vec<SymbolGroup> =
        join(&kept, params).iter().filter_map(|group| card_of(group, params)).collect();
    cards.sort_by(|a, b| b.score.total_cmp(&a.score));
    cards
}

/// The cost of two symbols as neighbours on one card; `None` if they cannot be neighbours.
fn cost(a: &Symbol, b: &Symbol) -> Option<f64> {
    let d = b.frame.center - a.frame.center;
    if a.shape != b.shape || d.norm() > 0.7 * a.card_long_px() {
        return None;
    }
    let (from_a, from_b) = (a.template_from_image(d), b.template_from_image(d));
    let expected = SYMBOL_SPACING * template(a.shape).long_side_in_frame.norm();
    let spacing = ((from_a.norm() + from_b.norm()) / 2.0 / expected).ln();
    if spacing.abs() > 0.32 {
        return None;
    }
    // The axes of the two frames may point in opposite directions.
    let mean = from_a + if from_a.dot(from_b) < 0.0 { -from_b } else { from_b };
    let degrees_off = f64::atan2(mean.y.abs(), mean.x.abs()).to_degrees();
    if degrees_off > 38.0 {
        return None;
    }
    let size = (a.frame.area / b.frame.area).ln().abs() / 2.0;
    Some(spacing.abs() * 2.5 + size + degrees_off / 30.0 + ink_difference(a, b)?)
}

/// The cost of a difference in colour; `None` if two symbols cannot be of one card.
fn ink_difference(a: &Symbol, b: &Symbol) -> Option<f64> {
    let (ia, ib) = (a.colors.ink, b.colors.ink);
    let cosine = dot(ia, ib) / ((dot(ia, ia) * dot(ib, ib)).sqrt() + 1e-6);
    let contrast = a.colors.contrast().min(b.colors.contrast());
    (cosine >= if contrast > 0.1 { 0.88 } else { 0.6 }).then_some((1.0 - cosine) * 4.0)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(&b).map(|(x, y)| x * y).sum::<f64>()
}

/// Joins the pairs of lowest cost first, into groups of up to three symbols on a line, each from one
/// end to the other.
fn join<'a>(symbols: &[&'a Symbol], params: &Params) -> Vec<Vec<&'a Symbol>> {
    let mut pairs = Vec::new();
    for (i, a) in symbols.iter().enumerate() {
        for (j, b) in symbols.iter().enumerate().skip(i + 1) {
            pairs.extend(cost(a, b).filter(|cost| *cost <= params.cost).map(|cost| (cost, i, j)));
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut group_of: Vec<usize> = (0..symbols.len()).collect();
    let mut groups: Vec<Vec<usize>> = group_of.iter().map(|&i| vec![i]).collect();
    for (_, i, j) in pairs {
        let (a, b) = (group_of[i], group_of[j]);
        if a == b || groups[a].len() + groups[b].len() > 3 {
            continue;
        }
        let center = |i: usize| symbols[i].frame.center;
        let mut joined = [&groups[a][..], &groups[b][..]].concat();
        if joined.len() == 3 {
            // The pair of the largest distance are the ends.
            let distance =
                |k: usize| center(joined[(k + 1) % 3]).distance(center(joined[(k + 2) % 3]));
            let middle = (0..3).max_by(|&k, &l| distance(k).total_cmp(&distance(l))).unwrap_or(1);
            joined.swap(1, middle);
            let [first, middle, last] = [0, 1, 2].map(|k| center(joined[k]));
            if middle.distance(first.lerp(last, 0.5)) > 0.13 * first.distance(last) {
                continue;
            }
        }
        for &k in &groups[b] {
            group_of[k] = a;
        }
        groups[a] = joined;
        groups[b] = Vec::new();
    }
    groups.retain(|group| !group.is_empty());
    groups.iter().map(|group| group.iter().map(|&i| symbols[i]).collect()).collect()
}

fn card_of(symbols: &[&Symbol], params: &Params) -> Option<SymbolGroup> {
    let best = symbols.iter().map(|s| s.quality).fold(f64::MIN, f64::max);
    if best < if symbols.len() == 1 { params.single } else { params.several } {
        return None;
    }
    let (first, last) = (symbols[0], symbols[symbols.len() - 1]);
    let n = symbols.len() as f64;
    let long_side = if symbols.len() == 1 {
        first.long_side
    } else {
        (last.frame.center - first.frame.center) / ((n - 1.0) * SYMBOL_SPACING)
    };
    let mut short_side = Point::default();
    for side in symbols.iter().map(|symbol| symbol.short_side / n) {
        short_side = short_side + if side.dot(short_side) < 0.0 { -side } else { side };
    }
    // For clockwise corners, the short side must point a quarter turn clockwise from the long one.
    let sign = long_side.cross(short_side).signum();
    let (w, h) = (long_side / 2.0, short_side * (sign / 2.0));
    let c = first.frame.center.lerp(last.frame.center, 0.5);
    Some(SymbolGroup {
        count: symbols.len(),
        quad: WorkingQuad::from_corners([c - w - h, c + w - h, c + w + h, c - w + h]),
        white: [0, 1, 2].map(|i| symbols.iter().map(|s| s.colors.white[i]).sum::<f64>() / n),
        score: symbols.iter().map(|s| s.quality.max(-0.5)).sum(),
    })
}

#[cfg(test)]
mod tests;
