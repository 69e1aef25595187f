//! From the network's maps to cards, and how well they fit a drawn table: what a run tells of
//! itself while it trains.

use super::target::{SeenCard, Wanted};
use crate::geometry::{Point, Quad};
use crate::model::finder;

/// A card that the network claims.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// How sure it is, 0 to 1.
    pub score: f64,
    /// Its corners in pixels of the network's input, clockwise, the first edge a long side.
    pub corners: Quad,
}

/// Two claims nearer than this part of a card's short side are of one card.
const ONE_CARD: f64 = 0.42;

/// Reads the maps `[12, rows, columns]` of one picture: peaks of the card plane above `threshold`,
/// the surest first, none within a surer one's reach.
pub fn decode(maps: &[f32], (columns, rows): (usize, usize), threshold: f64) -> Vec<Claim> {
    let cells = columns * rows;
    let plane = |p: usize, cell: usize| f64::from(maps[p * cells + cell]);
    let least = (threshold / (1.0 - threshold)).ln();
    let mut claims = Vec::new();
    for y in 0..rows {
        for x in 0..columns {
            let logit = plane(finder::CARD, y * columns + x);
            if logit <= least {
                continue;
            }
            let beaten = (y.saturating_sub(1)..(y + 2).min(rows)).any(|j| {
                (x.saturating_sub(1)..(x + 2).min(columns))
                    .any(|i| plane(finder::CARD, j * columns + i) > logit)
            });
            if !beaten {
                let shape = |p: usize| plane(p, y * columns + x);
                let corners = corners(Point::new(x as f64 + 0.5, y as f64 + 0.5), shape);
                claims.push(Claim { score: 1.0 / (1.0 + (-logit).exp()), corners });
            }
        }
    }
    claims.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Claim> = Vec::new();
    for claim in claims {
        let center = claim.corners.center();
        let same = |other: &Claim| {
            other.corners.center().distance(center) < ONE_CARD * other.corners.short_side()
        };
        if !kept.iter().any(same) {
            kept.push(claim);
        }
    }
    kept
}

fn corners(cell: Point, shape: impl Fn(usize) -> f64) -> Quad {
    let pair = |p: usize| Point::new(shape(p), shape(p + 1));
    let axis = |p: usize| leading(shape(p), shape(p + 1), shape(p + 2));
    let (m, e) = (cell + pair(finder::OFFSET), pair(finder::BILINEAR));
    let (a, mut b) = (axis(finder::LONG_AXIS), axis(finder::SHORT_AXIS));
    if a.cross(b) < 0.0 {
        b = -b;
    }
    let corners = [m - a - b + e, m + a - b - e, m + a + b + e, m - a + b - e];
    Quad(corners.map(|p| p * finder::STRIDE_PX as f64))
}

/// The leading eigenvector of the symmetric matrix (xx, xy; xy, yy), as long as its eigenvalue.
fn leading(xx: f64, yy: f64, xy: f64) -> Point {
    let length = (xx + yy) / 2.0 + ((xx - yy) / 2.0).hypot(xy);
    let angle = (2.0 * xy).atan2(xx - yy) / 2.0;
    Point::new(angle.cos(), angle.sin()) * length
}

/// How the claims of some pictures fit the cards that lay there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Pictures.
    pub scenes: usize,
    /// Cards to be found.
    pub cards: usize,
    /// Of these, found.
    pub found: usize,
    /// Claims where no card lies, not even one that need not be found.
    pub false_claims: usize,
    /// For each card found: mean distance of its corners, by its long side.
    pub corner_errors: Vec<f64>,
}

/// A claim belongs to a card whose centre is nearer than this part of the card's long side.
const NEAR: f64 = 0.35;

impl Tally {
    /// Adds a picture of `size_px` (width, height): each claim to the nearest card, each card once.
    pub fn add(&mut self, claims: &[Claim], cards: &[SeenCard], size_px: (usize, usize)) {
        let asked: Vec<Wanted> = cards.iter().map(|card| card.wanted(size_px)).collect();
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (i, card) in cards.iter().enumerate() {
            for (j, claim) in claims.iter().enumerate() {
                let apart = card.corners.center().distance(claim.corners.center())
                    / card.corners.long_side();
                if apart < NEAR && asked[i] != Wanted::Nothing {
                    pairs.push((apart, i, j));
                }
            }
        }
        // Cards that must be found have the first choice.
        let rank = |i: usize| asked[i] != Wanted::Found;
        pairs.sort_by(|a, b| (rank(a.1), a.0).partial_cmp(&(rank(b.1), b.0)).expect("no NaN"));
        let (mut card_of, mut claim_of) = (vec![None; claims.len()], vec![None; cards.len()]);
        for (_, i, j) in pairs {
            if card_of[j].is_none() && claim_of[i].is_none() {
                card_of[j] = Some(i);
                claim_of[i] = Some(j);
            }
        }
        self.scenes += 1;
        self.false_claims += card_of.iter().filter(|card| card.is_none()).count();
        for (i, card) in cards.iter().enumerate().filter(|(i, _)| asked[*i] == Wanted::Found) {
            self.cards += 1;
            if let Some(j) = claim_of[i] {
                self.found += 1;
                let error = corner_error(&claims[j].corners, &card.corners);
                self.corner_errors.push(error / card.corners.long_side());
            }
        }
    }

    /// Part of the cards that was found, 0 to 1.
    pub fn found_share(&self) -> f64 {
        self.found as f64 / self.cards.max(1) as f64
    }

    /// False claims for each picture.
    pub fn false_per_scene(&self) -> f64 {
        self.false_claims as f64 / self.scenes.max(1) as f64
    }

    /// What validation tells: the share of cards that was found, of claims that were right, of
    /// the cards found those whose corners are off by less than a twentieth of the long side.
    pub fn figures(&self) -> Vec<(String, f64)> {
        let claims = self.found + self.false_claims;
        let near = self.corner_errors.iter().filter(|error| **error < 0.05).count();
        vec![
            ("found".into(), self.found_share()),
            ("right".into(), self.found as f64 / claims.max(1) as f64),
            ("corners".into(), near as f64 / self.found.max(1) as f64),
        ]
    }

    /// Median of the corner errors, 0 without any.
    pub fn median_corner_error(&self) -> f64 {
        let mut errors = self.corner_errors.clone();
        errors.sort_by(f64::total_cmp);
        errors.get(errors.len() / 2).copied().unwrap_or_default()
    }
}

/// Mean distance of corners, in pixels, whichever corner comes first and whichever way round.
fn corner_error(a: &Quad, b: &Quad) -> f64 {
    let mean = |at: &dyn Fn(usize) -> usize| {
        (0..4).map(|i| a.0[at(i)].distance(b.0[i])).sum::<f64>() / 4.0
    };
    (0..4)
        .flat_map(|turn| [mean(&|i| (i + turn) % 4), mean(&|i| (7 + turn - i) % 4)])
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> Quad {
        let half = Point::new(30.0, 20.0);
        Quad(Quad::rectangle(60.0, 40.0).0.map(|p| p - half + Point::new(x, y)))
    }

    #[test]
    fn claims_are_told_apart_from_cards() {
        let card = |x, y| SeenCard {
            corners: at(x, y),
            in_view: 1.0,
            symbols: vec![(Point::new(x, y), 1.0)],
        };
        let claim = |x, y| Claim { score: 0.9, corners: at(x, y) };
        let mut tally = Tally::default();
        // Found a little off, missed, cut by the border and claimed all the same, out of nothing.
        let cards = [card(60.0, 60.0), card(200.0, 60.0), card(-4.0, 200.0)];
        let claims = [claim(63.0, 64.0), claim(0.0, 200.0), claim(200.0, 200.0)];
        tally.add(&claims, &cards, (320, 256));
        assert_eq!((tally.cards, tally.found, tally.false_claims), (2, 1, 1));
        assert!((tally.median_corner_error() - 5.0 / 60.0).abs() < 1e-9);
        assert_eq!((tally.found_share(), tally.false_per_scene()), (0.5, 1.0));
    }

    #[test]
    fn the_nearer_of_two_claims_on_one_card_is_dropped_as_the_same() {
        let size = (20, 16);
        let mut maps = vec![0.0; 12 * 320];
        maps[..320].fill(-8.0);
        for (cell, logit) in [(8 * 20 + 10, 3.0), (8 * 20 + 12, 2.0)] {
            maps[cell] = logit;
            maps[finder::LONG_AXIS * 320 + cell] = 7.0;
            maps[(finder::SHORT_AXIS + 1) * 320 + cell] = 4.5;
        }
        let found = decode(&maps, size, 0.4);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].corners.center(), Point::new(42.0, 34.0));
        assert!((found[0].corners.long_side() - 56.0).abs() < 1e-6);
        assert!(decode(&maps, size, 0.99).is_empty());
    }
}
