//! Precision and recall of the network's claims on drawn tables, reported while a run trains.

use super::target::{SeenCard, Wanted};
use setsight_photo::geometry::Quad;
use setsight_vision::find::Candidate;

/// Counts of claims and cards over some pictures.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Number of pictures.
    pub scenes: usize,
    /// Number of cards that must be found.
    pub cards: usize,
    /// Number of those that were found.
    pub found: usize,
    /// Number of claims where no card lies, not even an optional one.
    pub false_claims: usize,
    /// For each card found: mean distance of its corners, divided by its long side.
    pub corner_errors: Vec<f64>,
}

/// A claim belongs to a card if their centres are closer than this fraction of the card's long
/// side.
const NEAR: f64 = 0.35;

impl Tally {
    /// Adds a picture of `size_px` (width, height). Each claim is matched to the nearest card, and
    /// each card at most once.
    pub(crate) fn add(
        &mut self,
        claims: &[Candidate],
        cards: &[SeenCard],
        size_px: (usize, usize),
    ) {
        let asked: Vec<Wanted> = cards.iter().map(|card| card.wanted(size_px)).collect();
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (i, card) in cards.iter().enumerate() {
            for (j, claim) in claims.iter().enumerate() {
                let apart =
                    card.corners.center().distance(claim.quad.center()) / card.corners.long_side();
                if apart < NEAR && asked[i] != Wanted::Nothing {
                    pairs.push((apart, i, j));
                }
            }
        }
        // Cards that must be found are matched first.
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
                let error = corner_error(&claims[j].quad, &card.corners);
                self.corner_errors.push(error / card.corners.long_side());
            }
        }
    }

    /// Share of the cards that were found, 0 to 1.
    pub(crate) fn found_share(&self) -> f64 {
        self.found as f64 / self.cards.max(1) as f64
    }

    /// Validation figures: the share of cards found, the share of claims that are right, and the
    /// share of found cards whose corners are off by less than a twentieth of the long side.
    pub(crate) fn figures(&self) -> Vec<(String, f64)> {
        let claims = self.found + self.false_claims;
        let near = self.corner_errors.iter().filter(|error| **error < 0.05).count();
        vec![
            ("found".into(), self.found_share()),
            ("right".into(), self.found as f64 / claims.max(1) as f64),
            ("corners".into(), near as f64 / self.found.max(1) as f64),
        ]
    }
}

/// Mean distance of the corners in pixels, minimised over the starting corner and the direction.
fn corner_error<A, B>(a: &Quad<A>, b: &Quad<B>) -> f64 {
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
    use setsight_photo::geometry::Point;

    fn at(x: f64, y: f64) -> Quad {
        let half = Point::new(30.0, 20.0);
        Quad::new(Quad::rectangle(60.0, 40.0).0.map(|p| p - half + Point::new(x, y)))
    }

    #[test]
    fn claims_are_told_apart_from_cards() {
        let card = |x, y| SeenCard::whole(at(x, y));
        let claim = |x, y| Candidate { heat: 2.0, quad: at(x, y).in_space(1.0) };
        let mut tally = Tally::default();
        // One card is found slightly off, one missed, one cut by the border and claimed; one claim
        // is false.
        let cards = [card(60.0, 60.0), card(200.0, 60.0), card(-4.0, 200.0)];
        let claims = [claim(63.0, 64.0), claim(0.0, 200.0), claim(200.0, 200.0)];
        tally.add(&claims, &cards, (320, 256));
        assert_eq!((tally.cards, tally.found, tally.false_claims), (2, 1, 1));
        assert_eq!((tally.found_share(), tally.false_claims), (0.5, 1));
    }
}
