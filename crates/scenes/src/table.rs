//! The layout of the cards on the table.

use setsight_game::cards::Card;
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::print::card::{Print, symbol_probes};
use setsight_photo::print::dice::Dice;
use std::f64::consts::{FRAC_PI_2, PI};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Rows and columns with a gap.
    Grid,
    /// Anywhere and at any angle, without touching.
    Scatter,
    /// Rows and columns without a gap.
    Touching,
    /// Some cards cover a part of others.
    Overlap,
    /// Thrown on one another.
    Heap,
    /// Rows in which each card lies on a part of the one before.
    Fan,
}

/// A card on the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lying {
    pub card: Card,
    /// Its centre, in millimetres of the table.
    pub center: Point,
    /// Unit vector along its long side.
    pub along: Point,
    /// Height of its ends above its middle; negative if the middle is higher.
    pub curl_mm: f64,
}

impl Lying {
    /// From table coordinates to card coordinates: millimetres from its centre, with the long side
    /// along x.
    pub fn card_from_table(&self, p: Point) -> Point {
        let off = p - self.center;
        Point::new(off.dot(self.along), self.along.cross(off))
    }

    /// From card coordinates to table coordinates.
    pub fn table_from_card(&self, x: f64, y: f64) -> Point {
        self.center + self.along * x + self.along.perpendicular() * y
    }

    /// Its corners on the table, as if flat.
    pub fn corners(&self) -> Quad {
        let (a, b) = (CARD_LONG_MM / 2.0, CARD_SHORT_MM / 2.0);
        Quad::new([(-a, -b), (a, -b), (a, b), (-a, b)].map(|(x, y)| self.table_from_card(x, y)))
    }

    /// Whether it covers a place of the table.
    pub fn covers(&self, p: Point) -> bool {
        let q = self.card_from_table(p);
        q.x.abs() <= CARD_LONG_MM / 2.0 && q.y.abs() <= CARD_SHORT_MM / 2.0
    }
}

/// Radius of a card's circumscribed circle.
const REACH_MM: f64 = 53.0;

/// Whether two cards are closer than `margin_mm` (separating axes).
fn touch(a: &Lying, b: &Lying, margin_mm: f64) -> bool {
    if a.center.distance(b.center) > 2.0 * REACH_MM + margin_mm {
        return false;
    }
    let extent = |card: &Lying, axis: Point| {
        CARD_LONG_MM / 2.0 * card.along.dot(axis).abs()
            + CARD_SHORT_MM / 2.0 * card.along.perpendicular().dot(axis).abs()
    };
    [a.along, a.along.perpendicular(), b.along, b.along.perpendicular()].into_iter().all(|axis| {
        let apart = (a.center - b.center).dot(axis).abs();
        apart < extent(a, axis) + extent(b, axis) + margin_mm
    })
}

/// Fraction of a card's symbols that the cards above it leave uncovered.
pub(super) fn symbols_uncovered(card: &Lying, above: &[Lying], print: &Print) -> f64 {
    let near: Vec<&Lying> =
        above.iter().filter(|o| o.center.distance(card.center) < 2.0 * REACH_MM).collect();
    if near.is_empty() {
        return 1.0;
    }
    let probes = symbol_probes(card.card, print);
    let visible = probes.iter().filter(|&&(x, y)| {
        let p = card.table_from_card(x, y);
        !near.iter().any(|o| o.covers(p))
    });
    visible.count() as f64 / probes.len() as f64
}

/// Lays `cards`, the lowest first, in a space of aspect ratio `aspect` (width by height). At least
/// a fraction `symbols_in_view` of each card's symbols stays uncovered.
pub(super) fn lay(
    layout: Layout,
    cards: &[Card],
    aspect: f64,
    print: &Print,
    symbols_in_view: f64,
    dice: &mut Dice,
) -> Vec<Lying> {
    match layout {
        Layout::Grid => grid(cards, aspect, dice.between(3.0, 28.0), dice),
        Layout::Touching => grid(cards, aspect, dice.between(-0.4, 0.4), dice),
        Layout::Scatter => thrown(cards, aspect, 115.0, dice, |new, lying| {
            !lying.iter().any(|o| touch(o, new, 4.0))
        }),
        Layout::Overlap => {
            let apart = dice.between(42.0, 58.0);
            thrown(cards, aspect, 82.0, dice, |new, lying| {
                fits_above(new, lying, apart, symbols_in_view, print)
            })
        }
        Layout::Heap => {
            let apart = dice.between(20.0, 36.0);
            thrown(cards, aspect, 52.0, dice, |new, lying| {
                fits_above(new, lying, apart, symbols_in_view, print)
            })
        }
        Layout::Fan => fan(cards, dice),
    }
}

/// Rows of three to eight cards; each row rotates slightly along its length.
fn fan(cards: &[Card], dice: &mut Dice) -> Vec<Lying> {
    let upright = dice.chance(0.6);
    let step_mm = dice.between(20.0, 52.0);
    let row_mm = dice.between(80.0, 120.0);
    let mut lying = Vec::with_capacity(cards.len());
    let mut row = 0.0;
    while lying.len() < cards.len() {
        let n = (3 + dice.below(6)).min(cards.len() - lying.len());
        let (start, turn) = (dice.between(-0.3, 0.3), 0.06 * dice.normal());
        for k in 0..n {
            let angle = if upright { FRAC_PI_2 } else { 0.0 }
                + start
                + turn * k as f64
                + 0.05 * dice.normal();
            lying.push(Lying {
                card: cards[lying.len()],
                center: Point::new(
                    (k as f64 - (n as f64 - 1.0) / 2.0) * step_mm + 3.0 * dice.normal(),
                    row * row_mm + 3.0 * dice.normal(),
                ),
                along: Point::new(angle.cos(), angle.sin()),
                curl_mm: 0.0,
            });
        }
        row += 1.0;
    }
    lying
}

/// Whether a card on top leaves enough of the others uncovered.
fn fits_above(new: &Lying, lying: &[Lying], apart_mm: f64, least: f64, print: &Print) -> bool {
    if lying.iter().any(|o| o.center.distance(new.center) < apart_mm) {
        return false;
    }
    lying.iter().enumerate().all(|(i, below)| {
        if !touch(below, new, 0.0) {
            return true;
        }
        let mut above = lying[i + 1..].to_vec();
        above.push(*new);
        symbols_uncovered(below, &above, print) >= least
    })
}

fn grid(cards: &[Card], aspect: f64, gap_mm: f64, dice: &mut Dice) -> Vec<Lying> {
    let n = cards.len();
    if n == 0 {
        return Vec::new();
    }
    let upright = dice.chance(0.6);
    let (w, h) =
        if upright { (CARD_SHORT_MM, CARD_LONG_MM) } else { (CARD_LONG_MM, CARD_SHORT_MM) };
    let (gap_x, gap_y) =
        (gap_mm, if gap_mm > 1.0 { gap_mm * dice.between(0.6, 1.5) } else { gap_mm });
    let misfit = |columns: usize| {
        let rows = n.div_ceil(columns);
        let shape = (columns as f64 * (w + gap_x)) / (rows as f64 * (h + gap_y));
        (shape / aspect).ln().abs() + 0.15 * (rows * columns - n) as f64
    };
    let columns = (1..=n).min_by(|&a, &b| misfit(a).total_cmp(&misfit(b))).unwrap_or(1);
    let rows = n.div_ceil(columns);
    // Neat or hasty placement; touching cards are neat.
    let hasty = if gap_mm > 1.0 { dice.between(0.1, 1.0) } else { 0.06 };
    let shift = (0.25 * gap_mm.max(0.5)).min(4.0) * hasty;
    cards
        .iter()
        .enumerate()
        .map(|(i, &card)| {
            let (row, column) = (i / columns, i % columns);
            let half_turn = if dice.chance(0.5) { PI } else { 0.0 };
            let limit = (gap_mm.max(0.2) / CARD_LONG_MM).min(0.12);
            let angle = if upright { FRAC_PI_2 } else { 0.0 }
                + half_turn
                + (0.07 * hasty * dice.normal()).clamp(-limit, limit);
            Lying {
                card,
                center: Point::new(
                    (column as f64 - (columns as f64 - 1.0) / 2.0) * (w + gap_x)
                        + shift * dice.normal().clamp(-2.0, 2.0),
                    (row as f64 - (rows as f64 - 1.0) / 2.0) * (h + gap_y)
                        + shift * dice.normal().clamp(-2.0, 2.0),
                ),
                along: Point::new(angle.cos(), angle.sin()),
                curl_mm: 0.0,
            }
        })
        .collect()
}

/// Cards anywhere in a space that grows if they do not fit.
fn thrown(
    cards: &[Card],
    aspect: f64,
    pitch_mm: f64,
    dice: &mut Dice,
    fits: impl Fn(&Lying, &[Lying]) -> bool,
) -> Vec<Lying> {
    let mut half = pitch_mm * (cards.len() as f64).sqrt() / 2.0;
    let mut lying: Vec<Lying> = Vec::with_capacity(cards.len());
    for &card in cards {
        let mut tries = 0;
        loop {
            let angle = dice.between(0.0, 2.0 * PI);
            let new = Lying {
                card,
                center: Point::new(
                    half * aspect.sqrt() * dice.between(-1.0, 1.0),
                    half / aspect.sqrt() * dice.between(-1.0, 1.0),
                ),
                along: Point::new(angle.cos(), angle.sin()),
                curl_mm: 0.0,
            };
            if fits(&new, &lying) {
                lying.push(new);
                break;
            }
            tries += 1;
            if tries % 25 == 0 {
                half *= 1.04;
            }
        }
    }
    lying
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use setsight_photo::print::dice::Purpose;

    fn layouts() -> impl Strategy<Value = Layout> {
        prop::sample::select(vec![
            Layout::Grid,
            Layout::Scatter,
            Layout::Touching,
            Layout::Overlap,
            Layout::Heap,
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn every_card_is_laid_and_keeps_its_symbols_in_view(
            layout in layouts(), n in 0usize..22, seed: u64, aspect in 0.5..2.0f64,
        ) {
            let cards: Vec<Card> = Card::deck().take(n).collect();
            let print = Print::default();
            let mut dice = Dice::new(seed, 0, Purpose::Layout);
            let lying = lay(layout, &cards, aspect, &print, 0.5, &mut dice);
            prop_assert_eq!(lying.len(), n);
            for (i, card) in lying.iter().enumerate() {
                prop_assert!(symbols_uncovered(card, &lying[i + 1..], &print) >= 0.5);
                if matches!(layout, Layout::Scatter) {
                    prop_assert!(!lying[i + 1..].iter().any(|o| touch(card, o, 3.9)));
                }
                let p = card.table_from_card(3.0, -7.0);
                prop_assert!(card.card_from_table(p).distance(Point::new(3.0, -7.0)) < 1e-9);
            }
        }
    }

    #[test]
    fn a_covered_card_shows_nothing() {
        let card = Lying {
            card: Card::from_index(0),
            center: Point::default(),
            along: Point::new(1.0, 0.0),
            curl_mm: 0.0,
        };
        assert_eq!(symbols_uncovered(&card, &[card], &Print::default()), 0.0);
        let neighbour = Lying { center: Point::new(95.0, 0.0), ..card };
        assert_eq!(symbols_uncovered(&card, &[neighbour], &Print::default()), 1.0);
        assert!(touch(&card, &card, 0.0) && !touch(&card, &neighbour, 5.0));
    }
}
