//! The finder's target maps for a drawn table, and the loss weight of each cell.

use setsight_game::cards::Card;
use setsight_nets::finder;
use setsight_photo::geometry::{Point, Quad};

/// A card on a drawn table, in pixels of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenCard {
    /// Which card.
    pub card: Card,
    /// Its corners, clockwise, the first edge a long side of the card.
    pub corners: Quad,
    /// Fraction of it that is in the picture and not covered, 0 to 1.
    pub in_view: f64,
    /// The centre of each of its symbols, and the fraction of the symbol that is in view; empty
    /// where they are unknown, which leaves the network free to find any on the card.
    pub symbols: Vec<(Point, f64)>,
}

/// The desired output of the network for a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// It must be found.
    Found,
    /// Either answer is right, because too little of it is in view.
    Either,
    /// So little of it is in view that it counts as absent.
    Nothing,
}

/// Minimum fraction in view of a card that must be found.
pub(crate) const LEAST_IN_VIEW: f64 = 0.35;
/// Minimum fraction in view of such a card if none of its symbols is in view.
const LEAST_WITHOUT_SYMBOL: f64 = 0.6;
/// A card with a smaller fraction in view counts as absent.
const HARDLY_THERE: f64 = 0.12;
/// Smallest long and short side of a card that the network can find.
const LEAST_SIDES_PX: (f64, f64) = (15.0, 7.0);

/// Minimum fraction in view of a symbol for it to count.
const SYMBOL_IN_VIEW: f64 = 0.5;

impl SeenCard {
    /// A card fully in view, with one symbol.
    #[cfg(test)]
    pub(crate) fn uncovered(corners: Quad) -> Self {
        let symbols = vec![(corners.center(), 1.0)];
        Self { card: Card::from_index(0), corners, in_view: 1.0, symbols }
    }

    /// The target for this card in a picture of `size_px` (width, height).
    pub(crate) fn wanted(&self, size_px: (usize, usize)) -> Wanted {
        let center = self.corners.center();
        let inside = center.x >= 0.0
            && center.y >= 0.0
            && center.x < size_px.0 as f64
            && center.y < size_px.1 as f64;
        let large = self.corners.long_side() >= LEAST_SIDES_PX.0
            && self.corners.short_side() >= LEAST_SIDES_PX.1;
        let recognisable =
            self.symbols_in_view().next().is_some() || self.in_view > LEAST_WITHOUT_SYMBOL;
        if inside && large && recognisable && self.in_view >= LEAST_IN_VIEW {
            Wanted::Found
        } else if self.in_view > HARDLY_THERE {
            Wanted::Either
        } else {
            Wanted::Nothing
        }
    }

    fn symbols_in_view(&self) -> impl Iterator<Item = Point> + '_ {
        self.symbols
            .iter()
            .filter(|(_, in_view)| *in_view >= SYMBOL_IN_VIEW)
            .map(|(center, _)| *center)
    }
}

/// The maps of one picture; each is `[cells]`, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    /// Columns and rows.
    pub size: (usize, usize),
    /// 1 in the cells with a peak: centres of cards, centres of symbols.
    pub peak: [Vec<f32>; 2],
    /// Weight of a false peak in each cell, 0 to 1: lower next to a true peak, 0 where either
    /// answer is right.
    pub quiet: [Vec<f32>; 2],
    /// The ten values of a box, plane by plane.
    pub shape: Vec<f32>,
    /// Weight of the box values: the inverse of half the card's long side, 0 where there is no box.
    pub shape_weight: Vec<f32>,
}

/// Planes of the output that describe a box.
pub(crate) const SHAPE_PLANES: usize = finder::OUTPUTS - finder::OFFSET;

impl Target {
    /// The target maps of a picture of `size_px` (width, height).
    pub(crate) fn for_cards(cards: &[SeenCard], size_px: (usize, usize)) -> Self {
        let size = (size_px.0 / finder::STRIDE_PX, size_px.1 / finder::STRIDE_PX);
        let cells = size.0 * size.1;
        let mut heat = [vec![0.0; cells], vec![0.0; cells]];
        let mut heed = [vec![1.0; cells], vec![1.0; cells]];
        let mut target = Self {
            size,
            peak: [vec![0.0; cells], vec![0.0; cells]],
            quiet: [Vec::new(), Vec::new()],
            shape: vec![0.0; SHAPE_PLANES * cells],
            shape_weight: vec![0.0; cells],
        };
        let mut nearest = vec![f64::INFINITY; cells];
        for card in cards {
            let (long, short) = (card.corners.long_side(), card.corners.short_side());
            for symbol in card.symbols_in_view() {
                let spread = (SYMBOL_SPREAD * long / STRIDE).max(0.7);
                target.put_peak(1, &mut heat[1], cells_from_pixels(symbol), spread);
            }
            let center = cells_from_pixels(card.corners.center());
            if card.symbols.is_empty() {
                let on_card = card.corners.map(cells_from_pixels);
                for_cells(size, center, long / STRIDE, |cell, x, y| {
                    if on_card.contains(Point::new(x, y)) {
                        heed[finder::SYMBOL][cell] = 0.0;
                    }
                });
            }
            match card.wanted(size_px) {
                Wanted::Nothing => {}
                Wanted::Either => {
                    let radius = EITHER_RADIUS * long / STRIDE + 1.0;
                    for_cells(size, center, radius, |cell, x, y| {
                        if (x - center.x).hypot(y - center.y) < radius {
                            heed[finder::CARD][cell] = 0.0;
                        }
                    });
                }
                Wanted::Found => {
                    let area = long * short * 1.25;
                    let spread = (CARD_SPREAD * area.sqrt() / STRIDE).max(0.8);
                    target.put_peak(0, &mut heat[0], center, spread);
                    target.put_shape(&card.corners, center, &mut nearest);
                }
            }
        }
        for (kind, heat) in heat.iter().enumerate() {
            let cells = heat.iter().zip(&target.peak[kind]).zip(&heed[kind]);
            let quiet = cells.map(|((h, peak), heed)| (1.0f32 - h).powi(4) * (1.0 - peak) * heed);
            target.quiet[kind] = quiet.collect();
        }
        target
    }

    fn put_peak(&mut self, kind: usize, heat: &mut [f32], center: Point, spread: f64) {
        let (x, y) = self.cell(center);
        let (x, y) = (x as f64, y as f64);
        for_cells(self.size, Point::new(x, y), 4.0 * spread, |cell, i, j| {
            let square = (i - x).powi(2) + (j - y).powi(2);
            let value = (-square / (2.0 * spread * spread)).exp() as f32;
            heat[cell] = heat[cell].max(value);
            if square == 0.0 {
                self.peak[kind][cell] = 1.0;
            }
        });
    }

    fn put_shape(&mut self, corners: &Quad, center: Point, nearest: &mut [f64]) {
        let [c0, c1, c2, c3] = corners.0.map(|p| p / STRIDE);
        let mean = (c0 + c1 + c2 + c3) / 4.0;
        let long = (c1 + c2 - c0 - c3) / 4.0;
        let short = (c2 + c3 - c0 - c1) / 4.0;
        let bilinear = (c0 - c1 + c2 - c3) / 4.0;
        let [[a, b, c], [d, e, f]] =
            [long, short].map(|v| [v.x * v.x, v.y * v.y, v.x * v.y].map(|p| p / v.norm()));
        let (x, y) = self.cell(center);
        let cells = self.size.0 * self.size.1;
        for_cells(self.size, Point::new(x as f64, y as f64), 1.0, |cell, i, j| {
            let square = (i - center.x).powi(2) + (j - center.y).powi(2);
            if square >= nearest[cell] {
                return;
            }
            nearest[cell] = square;
            let offset = mean - Point::new(i + 0.5, j + 0.5);
            let values = [offset.x, offset.y, a, b, c, d, e, f, bilinear.x, bilinear.y];
            for (plane, value) in values.into_iter().enumerate() {
                self.shape[plane * cells + cell] = value as f32;
            }
            self.shape_weight[cell] = (1.0 / long.norm()) as f32;
        });
    }

    /// The cell that contains a point, which is given in cells from the first cell's centre.
    fn cell(&self, p: Point) -> (usize, usize) {
        [(p.x, self.size.0), (p.y, self.size.1)]
            .map(|(v, n)| v.round().clamp(0.0, (n - 1) as f64) as usize)
            .into()
    }
}

const STRIDE: f64 = finder::STRIDE_PX as f64;
/// Standard deviation of a card's peak relative to the root of its area, and of a symbol's peak
/// relative to the card's long side.
const CARD_SPREAD: f64 = 0.085;
const SYMBOL_SPREAD: f64 = 0.045;
/// Radius of the ignored area around an optional card, relative to its long side.
const EITHER_RADIUS: f64 = 0.15;

/// Converts pixels to cells, 0 at the first cell's centre.
fn cells_from_pixels(p: Point) -> Point {
    p / STRIDE - Point::new(0.5, 0.5)
}

/// Every cell within `reach` of a point in x and in y: its index and its position.
fn for_cells(
    size: (usize, usize),
    center: Point,
    reach: f64,
    mut each: impl FnMut(usize, f64, f64),
) {
    let [columns, rows] = [(center.x, size.0), (center.y, size.1)].map(|(c, n)| {
        let low = (c - reach).ceil().max(0.0) as usize;
        let high = (c + reach).floor() + 1.0;
        low..(high.max(0.0) as usize).min(n)
    });
    for y in rows {
        for x in columns.clone() {
            each(y * size.0 + x, x as f64, y as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use setsight_vision::find::{Maps, cards};

    fn card(center: Point, angle: f64, long: f64, bend: f64) -> SeenCard {
        let a = Point::new(angle.cos(), angle.sin()) * (long / 2.0);
        let b = a.perpendicular() * 0.64;
        let e = Point::new(bend, -bend);
        let corners =
            [center - a - b + e, center + a - b - e, center + a + b + e, center - a + b - e];
        SeenCard::uncovered(Quad::new(corners))
    }

    /// The output that matches the target exactly.
    fn perfect(target: &Target) -> Maps {
        let peaks = target.peak.iter().flatten().map(|p| 16.0 * p - 8.0);
        let values = peaks.chain(target.shape.iter().copied()).collect();
        Maps { values, rows: target.size.1, columns: target.size.0 }
    }

    proptest! {
        #[test]
        fn a_card_is_read_back_from_its_target(
            x in 60.0..260.0f64, y in 60.0..196.0f64, angle in -3.1..3.1f64,
            long in 24.0..80.0f64, bend in -2.0..2.0f64,
        ) {
            let card = card(Point::new(x, y), angle, long, bend);
            let target = Target::for_cards(std::slice::from_ref(&card), (320, 256));
            let found = cards(&perfect(&target), 0.0, 0.42);
            prop_assert_eq!(found.len(), 1);
            prop_assert!(found[0].quad.corner_error(&card.corners) < 1e-3, "{:?}", found[0]);
        }
    }

    #[test]
    fn cards_that_are_cut_or_covered_are_asked_for_only_with_enough_in_view() {
        let uncovered = card(Point::new(150.0, 120.0), 0.3, 60.0, 0.0);
        let part = |in_view, symbol| SeenCard {
            in_view,
            symbols: vec![(Point::new(150.0, 120.0), symbol)],
            ..uncovered.clone()
        };
        let tiny = card(Point::new(150.0, 120.0), 0.3, 12.0, 0.0);
        let cut = card(Point::new(-1.0, 120.0), 0.0, 60.0, 0.0);
        for (card, asked) in [
            (uncovered.clone(), Wanted::Found),
            (part(0.4, 0.6), Wanted::Found),
            (part(0.4, 0.2), Wanted::Either),
            (part(0.7, 0.0), Wanted::Found),
            (part(0.3, 0.9), Wanted::Either),
            (part(0.05, 0.9), Wanted::Nothing),
            (tiny, Wanted::Either),
            (cut, Wanted::Either),
        ] {
            assert_eq!(card.wanted((320, 256)), asked, "{card:?}");
        }
    }

    #[test]
    fn nothing_is_asked_where_either_answer_will_do() {
        let covered = SeenCard { in_view: 0.2, ..card(Point::new(90.0, 60.0), 0.3, 60.0, 0.0) };
        let uncovered = card(Point::new(200.0, 120.0), 0.3, 60.0, 0.0);
        let target = Target::for_cards(&[covered, uncovered], (320, 256));
        assert_eq!(target.peak[0].iter().sum::<f32>(), 1.0);
        assert_eq!(target.quiet[0][15 * 80 + 22], 0.0);
        assert_eq!(target.quiet[0][0], 1.0);
    }

    #[test]
    fn any_symbol_will_do_on_a_card_whose_symbols_are_unknown() {
        let recognisable = card(Point::new(200.0, 120.0), 0.3, 60.0, 0.0);
        let unknown =
            SeenCard { symbols: Vec::new(), ..card(Point::new(90.0, 60.0), 0.3, 60.0, 0.0) };
        let target = Target::for_cards(&[recognisable, unknown], (320, 256));
        assert_eq!(target.peak[finder::CARD].iter().sum::<f32>(), 2.0);
        assert_eq!(target.peak[finder::SYMBOL].iter().sum::<f32>(), 1.0);
        let quiet_at = |x: usize, y: usize| target.quiet[finder::SYMBOL][y / 4 * 80 + x / 4];
        assert_eq!((quiet_at(90, 60), quiet_at(100, 62)), (0.0, 0.0), "on the card");
        assert_eq!(
            (quiet_at(90, 100), quiet_at(220, 128)),
            (1.0, 1.0),
            "beside it, and on the other"
        );
    }

    #[test]
    fn an_empty_table_asks_for_silence() {
        let target = Target::for_cards(&[], (64, 48));
        assert_eq!(target.size, (16, 12));
        assert!(target.quiet.iter().flatten().all(|q| *q == 1.0));
        assert!(target.shape_weight.iter().all(|w| *w == 0.0));
    }
}
