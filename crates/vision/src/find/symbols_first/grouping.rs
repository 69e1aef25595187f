//! Groups symbols into cards: symbols placed like those of one card are one card.
//!
//! Everything is measured in the symbols' own whitened frames, so perspective has little effect.

use super::symbols::Symbol;
use crate::find::plane::{CARD_ASPECT, Pose, SizeField, TablePlane};
use crate::find::working::WorkingQuad;
use setsight_game::cards::Shape;
use setsight_game::cards::outline::SYMBOL_SPACING;
use setsight_photo::geometry::Point;

/// A card as its symbols determine it. Coordinates are in working pixels.
#[derive(Clone, Debug)]
pub(crate) struct SymbolGroup {
    /// One to three symbols, from one end of the card to the other.
    pub symbols: Vec<Symbol>,
    /// Centre of the card.
    pub center: Point,
    /// The card's long side as a vector.
    pub long_side: Point,
    /// The card's short side as a vector.
    pub short_side: Point,
    /// Log odds that this is a card, from the symbols' votes, shape and colours.
    pub score: f64,
    /// The card's corners on the table's plane, if it lies there.
    pub quad_on_table: Option<WorkingQuad>,
}

impl SymbolGroup {
    /// The card's corners: those on the table if it lies there, otherwise the parallelogram that
    /// its sides span.
    pub(crate) fn quad(&self) -> WorkingQuad {
        if let Some(quad) = self.quad_on_table {
            return quad;
        }
        let (w, h) = (self.long_side / 2.0, self.short_side / 2.0);
        let c = self.center;
        WorkingQuad::of([c - w - h, c + w - h, c + w + h, c - w + h])
    }
}

impl SymbolGroup {
    /// The card's white around its symbols, R, G, B, 0 to 255.
    pub(crate) fn white(&self) -> [f64; 3] {
        let n = self.symbols.len() as f64;
        [0, 1, 2].map(|c| self.symbols.iter().map(|s| s.colors.white[c]).sum::<f64>() / n)
    }

    /// Corrects the card with what holds on the table: one size, right angles.
    fn lie_on(&mut self, table: &TablePlane) {
        /// Misfit, in short sides, from which a card does not lie on the table.
        const ELSEWHERE: f64 = 0.30;
        let quad = self.quad();
        if table.misfit(&quad) > ELSEWHERE {
            return;
        }
        let seen = table.table_from_working.apply_quad(&quad);
        let mut pose = Pose::nearest(&seen);
        let on_table = |s: &Symbol| table.table_from_working.apply(s.frame.center);
        let (first, last) =
            (on_table(&self.symbols[0]), on_table(&self.symbols[self.symbols.len() - 1]));
        pose.center = first.lerp(last, 0.5);
        if self.symbols.len() > 1 {
            let along = last - first;
            pose.angle = along.y.atan2(along.x);
        }
        self.quad_on_table = Some(table.quad_in_working(&pose));
    }
}

/// Thresholds and weights of grouping. Qualities are log odds.
#[derive(Clone, Copy, Debug)]
pub struct Params {
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

/// The evidence of a symbol alone: the log odds that it is one.
///
/// The weights were set by hand, in proportion to how well each feature alone separates symbols
/// from chance shapes: votes and IoU do so best (area under the curve 0.98 each), contrast and the
/// evenness of the white around it less (0.91 and 0.90). Colour separates least and is not used.
pub(crate) fn quality(symbol: &Symbol) -> f64 {
    const VOTES_WEIGHT: f64 = 1.7;
    const IOU_WEIGHT: f64 = 12.0;
    /// IoU that counts neither for nor against; true symbols reach 0.95 and more.
    const NEUTRAL_IOU: f64 = 0.89;
    const SPREAD_WEIGHT: f64 = 4.0;
    /// Spread of the white on paper under uneven light, which costs nothing.
    const FREE_SPREAD: f64 = 0.12;
    const CONTRAST_WEIGHT: f64 = 2.0;
    /// Higher contrast adds no evidence.
    const FULL_CONTRAST: f64 = 0.5;
    /// Sum of the white's channels below which the picture is mostly noise.
    const DARK: f64 = 150.0;
    /// Contrast of noise alone.
    const NO_CONTRAST: f64 = 0.015;
    /// Number of votes that counts neither for nor against.
    const NEUTRAL_VOTES: f64 = 1.8;
    let votes = ((symbol.votes as f64 + 0.16) / (NEUTRAL_VOTES + 0.16)).ln();
    let look = &symbol.colors;
    let contrast = look.contrast();
    let mut q = VOTES_WEIGHT * votes + IOU_WEIGHT * (symbol.iou - NEUTRAL_IOU)
        - SPREAD_WEIGHT * (look.white_spread - FREE_SPREAD).max(0.0)
        + CONTRAST_WEIGHT * (contrast.min(FULL_CONTRAST) - FULL_CONTRAST / 2.0);
    if look.white.iter().sum::<f64>() < DARK {
        q -= 1.0;
    }
    // A rotated frame had more chances to match.
    if symbol.turn != 0.0 {
        q -= 0.6;
    }
    if contrast < NO_CONTRAST {
        q -= 4.0;
    }
    q
}

struct Weighed {
    symbol: Symbol,
    quality: f64,
    /// Rows of the map from image vectors to the whitened frame: the inverse of (minor, major),
    /// rotated.
    rows: [Point; 2],
}

impl Weighed {
    fn new(symbol: Symbol) -> Self {
        let quality = quality(&symbol);
        let x =
            symbol.frame.image_from_frame(Point::new(1.0, 0.0), symbol.turn) - symbol.frame.center;
        let y =
            symbol.frame.image_from_frame(Point::new(0.0, 1.0), symbol.turn) - symbol.frame.center;
        let det = x.cross(y);
        let rows = [Point::new(y.y, -y.x) / det, Point::new(-x.y, x.x) / det];
        Self { symbol, quality, rows }
    }
    fn center(&self) -> Point {
        self.symbol.frame.center
    }
    /// An image vector in this symbol's whitened frame.
    fn frame_from_image(&self, v: Point) -> Point {
        Point::new(self.rows[0].dot(v), self.rows[1].dot(v))
    }
    /// Long side of a card with the area that this symbol implies.
    fn card_long_px(&self) -> f64 {
        card_long_px(&self.symbol)
    }
}

/// Long side, in working pixels, of a card with the area that a symbol implies; it is less
/// sensitive to a wrong shear than either side alone.
pub(crate) fn card_long_px(symbol: &Symbol) -> f64 {
    (symbol.long_side.cross(symbol.short_side).abs() * CARD_ASPECT).sqrt()
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
/// The grouping runs three times: each pair in its own whitened frames; again without symbols whose
/// size differs from the table's; and, once the table's plane has been fitted, on that plane, where
/// every card has one size and right angles.
pub(crate) fn group(symbols: Vec<Symbol>, long_side_px: f64, params: &Params) -> Grouped {
    let mut weighed: Vec<Weighed> = symbols.into_iter().map(Weighed::new).collect();
    sort(&mut weighed);
    let field = size_field(&cards_of(&without_copies(&weighed, 0.0), None, params), long_side_px);
    if let Some(field) = &field {
        for w in &mut weighed {
            let expected = field.log_size(w.center() / long_side_px);
            let off = (card_long_px(&w.symbol).ln() - expected).abs();
            w.quality -= (off - params.free_size).max(0.0) * params.size_weight;
        }
        sort(&mut weighed);
    }
    let kept = without_copies(&weighed, params.weakest);
    let alone = cards_of(&kept, None, params);
    let Some(table) = field.and_then(|field| table_of(&alone, &field, long_side_px)) else {
        return Grouped { cards: alone, table: None };
    };
    let mut cards = cards_of(&kept, Some(&table), params);
    for card in &mut cards {
        card.lie_on(&table);
    }
    Grouped { cards, table: Some(table) }
}

/// The cards' weights in fitting the table. A card of one symbol gets its size and direction from
/// that symbol's shape alone, and a cloth may be full of similar dots: if there are several cards
/// with more symbols, they decide. A plaid may show such groups too, but its ground is not white:
/// beside cards it has little weight.
fn weights(cards: &[SymbolGroup]) -> impl Iterator<Item = f64> + '_ {
    let several = cards.iter().filter(|c| c.symbols.len() > 1).count();
    let single = if several >= 3 { 0.03 } else { 0.3 };
    // Coloured ground is dark in at least one channel.
    let whiteness = |c: &SymbolGroup| c.white().into_iter().fold(f64::MAX, f64::min).max(1.0);
    let sure = cards.iter().filter(|c| c.score > 3.0);
    let whitest = sure.map(whiteness).fold(1.0, f64::max);
    cards.iter().map(move |c| {
        // A likely card of several symbols scores 6 and more.
        let sure = (c.score / 6.0).clamp(0.1, 1.0).powi(2);
        let white = (whiteness(c) / whitest).min(1.0).powi(2);
        white * if c.symbols.len() > 1 { sure } else { single }
    })
}

/// Fits the size field, if there are cards to fit it to.
fn size_field(cards: &[SymbolGroup], long_side_px: f64) -> Option<SizeField> {
    let sizes: Vec<(Point, f64, f64)> = cards
        .iter()
        .zip(weights(cards))
        .filter(|(card, _)| card.score > 1.5)
        .map(|(card, weight)| {
            let size = (card.long_side.cross(card.short_side).abs() * CARD_ASPECT).sqrt();
            (card.center / long_side_px, size.ln(), weight)
        })
        .collect();
    (!sizes.is_empty()).then(|| SizeField::fit(&sizes))
}

fn table_of(cards: &[SymbolGroup], field: &SizeField, long_side_px: f64) -> Option<TablePlane> {
    let quads: Vec<(WorkingQuad, f64)> =
        cards.iter().map(SymbolGroup::quad).zip(weights(cards)).collect();
    TablePlane::fit(&quads, field, long_side_px)
}

fn cards_of(kept: &[&Weighed], table: Option<&TablePlane>, params: &Params) -> Vec<SymbolGroup> {
    let groups = join(kept, table, params);
    let mut cards: Vec<SymbolGroup> =
        groups.into_iter().filter_map(|g| card_of(&g, kept, params)).collect();
    cards.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut apart: Vec<SymbolGroup> = Vec::new();
    for card in cards {
        // A lone symbol inside a likelier card is one of that card's, detected twice.
        let within = apart.iter().any(|other| {
            let det = other.long_side.cross(other.short_side);
            let d = card.center - other.center;
            (d.cross(other.short_side) / det).abs() < 0.28
                && (other.long_side.cross(d) / det).abs() < 0.25
        });
        if card.symbols.len() > 1 || !within {
            apart.push(card);
        }
    }
    apart
}

fn sort(weighed: &mut [Weighed]) {
    weighed.sort_by(|a, b| b.quality.total_cmp(&a.quality));
}

/// Drops symbols that overlap a better one.
fn without_copies(weighed: &[Weighed], weakest: f64) -> Vec<&Weighed> {
    let mut kept: Vec<&Weighed> = Vec::new();
    for w in weighed.iter().filter(|w| w.quality >= weakest) {
        let covered = kept.iter().any(|k| {
            let d = w.center() - k.center();
            let (a, b) = (k.frame_from_image(d), w.frame_from_image(d));
            (a.x.abs() < 2.6 && a.y.abs() < 2.0) || (b.x.abs() < 2.0 && b.y.abs() < 1.9)
        });
        if !covered {
            kept.push(w);
        }
    }
    kept
}

/// Length of the card's long side in a shape's whitened frame; neighbours are [`SYMBOL_SPACING`] of
/// it apart.
fn long_side_in_frame(shape: Shape) -> f64 {
    super::shape::template(shape).long_side_in_frame.norm()
}

/// The cost of two symbols as neighbours on one card; `None` if they cannot be neighbours.
fn cost_of_pair(a: &Weighed, b: &Weighed) -> Option<f64> {
    let d = b.center() - a.center();
    if d.norm() > 0.7 * a.card_long_px() {
        return None;
    }
    // Eigenvalues of one covariance in the frame of the other: both 1 if they are equal.
    let (ratio_low, ratio_high) = relative_covariance(a, b);
    if ratio_low < 0.45 || ratio_high > 2.2 {
        return None;
    }
    let shape_change = ratio_low.ln().abs().max(ratio_high.ln().abs());
    let (wa, mut wb) = (a.frame_from_image(d), b.frame_from_image(d));
    let expected = SYMBOL_SPACING
        * (long_side_in_frame(a.symbol.shape) * long_side_in_frame(b.symbol.shape)).sqrt();
    let spacing = ((wa.norm() + wb.norm()) / 2.0 / expected).ln();
    if spacing.abs() > 0.32 {
        return None;
    }
    // The axes of the two frames may point in opposite directions.
    if wa.dot(wb) < 0.0 {
        wb = -wb;
    }
    let mean = wa + wb;
    let degrees_off = f64::atan2(mean.y.abs(), mean.x.abs()).to_degrees();
    if degrees_off > 38.0 {
        return None;
    }
    Some(spacing.abs() * 2.5 + shape_change + degrees_off / 30.0 + ink_difference(a, b)?)
}

/// The cost of two symbols as neighbours, by their places on the table; `None` if they cannot be.
fn cost_on_table(a: &Weighed, b: &Weighed, table: &TablePlane) -> Option<f64> {
    let at = |w: &Weighed| table.table_from_working.apply(w.center());
    let d = at(b) - at(a);
    let spacing = (d.norm() / (SYMBOL_SPACING * CARD_ASPECT)).ln();
    if spacing.abs() > 0.25 {
        return None;
    }
    let (mut degrees_off, mut size_off) = (0.0, 0.0);
    for w in [a, b] {
        let along = table.vector_on_table(w.center(), w.symbol.long_side);
        let across = table.vector_on_table(w.center(), w.symbol.short_side);
        let direction = along / CARD_ASPECT - across.perpendicular();
        let off = (direction.cross(d).abs()).atan2(direction.dot(d).abs()).to_degrees();
        if off > 30.0 {
            return None;
        }
        degrees_off += off / 2.0;
        size_off += (along.cross(across).abs() / CARD_ASPECT).ln().abs() / 2.0;
    }
    if size_off > 0.6 {
        return None;
    }
    Some(spacing.abs() * 4.0 + degrees_off / 20.0 + size_off + ink_difference(a, b)?)
}

/// The cost of differences in colour and shape; `None` if two symbols cannot be of one card.
fn ink_difference(a: &Weighed, b: &Weighed) -> Option<f64> {
    let (ia, ib) = (a.symbol.colors.ink, b.symbol.colors.ink);
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(&b).map(|(x, y)| x * y).sum::<f64>();
    let cosine = dot(ia, ib) / ((dot(ia, ia) * dot(ib, ib)).sqrt() + 1e-6);
    let contrast = a.symbol.colors.contrast().min(b.symbol.colors.contrast());
    if cosine < if contrast > 0.1 { 0.88 } else { 0.6 } {
        return None;
    }
    let differ = a.symbol.shape != b.symbol.shape;
    if differ {
        let as_other = |s: &Symbol, shape: Shape| s.all_iou.symbols[shape.index()];
        let best = as_other(&a.symbol, b.symbol.shape).max(as_other(&b.symbol, a.symbol.shape));
        if best < 0.8 {
            return None;
        }
    }
    Some((1.0 - cosine) * 4.0 + if differ { 0.4 } else { 0.0 })
}

fn relative_covariance(a: &Weighed, b: &Weighed) -> (f64, f64) {
    let (u, v) =
        (a.frame_from_image(b.symbol.frame.minor), a.frame_from_image(b.symbol.frame.major));
    // The covariance of b in a's frame is u u' + v v'.
    let xx = u.x * u.x + v.x * v.x;
    let xy = u.x * u.y + v.x * v.y;
    let yy = u.y * u.y + v.y * v.y;
    let (mean, root) = ((xx + yy) / 2.0, ((xx - yy) / 2.0).hypot(xy));
    (mean - root, mean + root)
}

/// Joins the pairs of lowest cost first, into groups of up to three symbols on a line.
fn join(symbols: &[&Weighed], table: Option<&TablePlane>, params: &Params) -> Vec<Vec<usize>> {
    let mut pairs = Vec::new();
    for i in 0..symbols.len() {
        for j in i + 1..symbols.len() {
            let (a, b) = (symbols[i], symbols[j]);
            let on_table = table.and_then(|table| cost_on_table(a, b, table));
            let cost = cost_of_pair(a, b).into_iter().chain(on_table).fold(f64::MAX, f64::min);
            if cost <= params.cost {
                pairs.push((cost, i, j));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut group_of: Vec<usize> = (0..symbols.len()).collect();
    let mut groups: Vec<Vec<usize>> = (0..symbols.len()).map(|i| vec![i]).collect();
    for (_, i, j) in pairs {
        let (a, b) = (group_of[i], group_of[j]);
        if a == b || groups[a].len() + groups[b].len() > 3 {
            continue;
        }
        let mut joined = groups[a].clone();
        joined.extend(&groups[b]);
        if joined.len() == 3 {
            let ordered = end_to_end(&joined, symbols);
            let [first, middle, last] = [0, 1, 2].map(|i| symbols[ordered[i]].center());
            if middle.distance(first.lerp(last, 0.5)) > 0.13 * first.distance(last) {
                continue;
            }
            joined = ordered;
        }
        for &k in &groups[b] {
            group_of[k] = a;
        }
        groups[a] = joined;
        groups[b] = Vec::new();
    }
    groups.retain(|g| !g.is_empty());
    groups
}

/// The members in order, from one end of their line to the other.
fn end_to_end(members: &[usize], symbols: &[&Weighed]) -> Vec<usize> {
    let mut ends = (members[0], members[0], 0.0);
    for &i in members {
        for &j in members {
            let d = symbols[i].center().distance(symbols[j].center());
            if d > ends.2 {
                ends = (i, j, d);
            }
        }
    }
    let mut ordered = members.to_vec();
    let start = symbols[ends.0].center();
    ordered.sort_by(|&a, &b| {
        symbols[a].center().distance(start).total_cmp(&symbols[b].center().distance(start))
    });
    ordered
}

fn card_of(members: &[usize], symbols: &[&Weighed], params: &Params) -> Option<SymbolGroup> {
    let ordered = end_to_end(members, symbols);
    let parts: Vec<&Weighed> = ordered.iter().map(|&i| symbols[i]).collect();
    let best = parts.iter().map(|w| w.quality).fold(f64::MIN, f64::max);
    let bar = if parts.len() == 1 { params.single } else { params.several };
    if best < bar {
        return None;
    }
    let score = parts.iter().map(|w| w.quality.max(-0.5)).sum();
    // The shape of most symbols; if tied, the shape of the best one.
    let shape = parts
        .iter()
        .max_by(|a, b| {
            let count =
                |w: &Weighed| parts.iter().filter(|p| p.symbol.shape == w.symbol.shape).count();
            count(a).cmp(&count(b)).then(a.quality.total_cmp(&b.quality))
        })?
        .symbol
        .shape;
    let (center, long_side, short_side) = if let [only] = parts[..] {
        (only.center(), only.symbol.long_side, only.symbol.short_side)
    } else {
        let (first, last) = (parts[0].center(), parts[parts.len() - 1].center());
        let long_side = (last - first) / ((parts.len() - 1) as f64 * SYMBOL_SPACING);
        let mut short_side = Point::default();
        for w in parts.iter().filter(|w| w.symbol.shape == shape) {
            let side = short_side_across(w, long_side);
            short_side = short_side + if side.dot(short_side) < 0.0 { -side } else { side };
        }
        let n = parts.iter().filter(|w| w.symbol.shape == shape).count();
        (first.lerp(last, 0.5), long_side, short_side / n as f64)
    };
    // For clockwise corners, the short side must point a quarter turn clockwise from the long one.
    let short_side = if long_side.cross(short_side) < 0.0 { -short_side } else { short_side };
    Some(SymbolGroup {
        symbols: parts.into_iter().map(|w| w.symbol.clone()).collect(),
        center,
        long_side,
        short_side,
        score,
        quad_on_table: None,
    })
}

/// The card's short side, given the direction of its long side: in the whitened frame the two keep
/// the template's angle, whatever the shear in the image.
fn short_side_across(w: &Weighed, long_side: Point) -> Point {
    let t = super::shape::template(w.symbol.shape);
    let along = w.frame_from_image(long_side);
    let angle =
        f64::atan2(along.y, along.x) - f64::atan2(t.long_side_in_frame.y, t.long_side_in_frame.x);
    let (sin, cos) = angle.sin_cos();
    let s = t.short_side_in_frame;
    let turned = Point::new(cos * s.x - sin * s.y, sin * s.x + cos * s.y);
    w.symbol.frame.image_from_frame(turned, w.symbol.turn) - w.symbol.frame.center
}

#[cfg(test)]
mod tests;
