//! Measures how outlines overlap. It cannot tell which of two cards lies on top.

use super::data::CardOutline;
use super::probability::logistic;
use setsight_photo::geometry::{Point, Quad};

/// For each outline, the sum of the shares that the others overlap, each weighted by its
/// probability of being a card, at most 1. A share is relative to the smaller of the two outlines.
/// `lying` holds outlines and probabilities.
pub(crate) fn shares(lying: &[(Quad, f32)]) -> Vec<f32> {
    let reach = |quad: &Quad| quad.long_side().max(quad.short_side());
    let share_of = |i: usize| {
        let (own, _) = &lying[i];
        let others = lying.iter().enumerate().filter(|(k, (quad, _))| {
            *k != i && quad.center().distance(own.center()) < reach(own) + reach(quad)
        });
        let part = |(quad, is_card): &(Quad, f32)| shared_area(own, quad) as f32 * is_card;
        others.map(|(_, other)| part(other)).sum::<f32>().min(1.0)
    };
    (0..lying.len()).map(share_of).collect()
}

/// Sets `shared` of each outline of a photo, using the finder's scores as probabilities.
pub(crate) fn tell_shared(outlines: &mut [CardOutline]) {
    let is_card = |outline: &CardOutline| logistic(outline.score as f32);
    let lying: Vec<(Quad, f32)> =
        outlines.iter().map(|outline| (outline.corners_in_image, is_card(outline))).collect();
    for (outline, shared) in outlines.iter_mut().zip(shares(&lying)) {
        outline.shared = shared;
    }
}

/// Common area of two convex quads, as a share of the smaller one's (Sutherland and Hodgman 1974).
pub fn shared_area(a: &Quad, b: &Quad) -> f64 {
    let smaller = a.signed_area().abs().min(b.signed_area().abs());
    if smaller <= 0.0 {
        return 0.0;
    }
    let sign = b.signed_area().signum();
    let mut polygon: Vec<Point> = a.0.to_vec();
    for i in 0..4 {
        let (from, to) = (b.0[i], b.0[(i + 1) % 4]);
        let side = |p: Point| (to - from).cross(p - from) * sign;
        let mut clipped = Vec::with_capacity(8);
        for (k, &p) in polygon.iter().enumerate() {
            let q = polygon[(k + 1) % polygon.len()];
            let (s, t) = (side(p), side(q));
            if s >= 0.0 {
                clipped.push(p);
            }
            if (s >= 0.0) != (t >= 0.0) {
                clipped.push(p.lerp(q, s / (s - t)));
            }
        }
        polygon = clipped;
        if polygon.is_empty() {
            return 0.0;
        }
    }
    let area: f64 =
        (0..polygon.len()).map(|i| polygon[i].cross(polygon[(i + 1) % polygon.len()])).sum::<f64>()
            / 2.0;
    area.abs() / smaller
}

/// Whether two cards overlap by more than an error of their outlines.
pub(crate) fn overlap<S: Copy>(a: &Quad<S>, b: &Quad<S>) -> bool {
    if a.center().distance(b.center()) > (a.long_side() + b.long_side()) / 2.0 * 1.3 {
        return false;
    }
    let inner = |quad: &Quad<S>| {
        let center = quad.center();
        quad.map(|corner| center.lerp(corner, 0.85))
    };
    let (a, b) = (inner(a), inner(b));
    let along_sides = |quad: &Quad<S>, other: &Quad<S>| {
        (0..4).any(|i| {
            let (from, to) = (quad.0[i], quad.0[(i + 1) % 4]);
            [0.0, 0.25, 0.5, 0.75].iter().any(|&t| other.contains(from.lerp(to, t)))
        })
    };
    along_sides(&a, &b) || along_sides(&b, &a)
}

/// Whether any other outline overlaps the given one.
pub(crate) fn is_overlapped<S: Copy>(one: usize, quads: &[Quad<S>]) -> bool {
    quads.iter().enumerate().any(|(k, other)| k != one && overlap(&quads[one], other))
}

/// Whether two outlines are of one card. Two cards in a heap may have nearly the same centre, but
/// then their directions differ.
pub fn is_same_place(one: &Quad, other: &Quad) -> bool {
    /// Largest mean distance of the corners, in short sides.
    const WITHIN: f64 = 0.3;
    let most = 4.0 * WITHIN * one.short_side();
    // A card looks the same after half a turn.
    [0, 2]
        .iter()
        .any(|turn| (0..4).map(|i| one.0[i].distance(other.0[(i + turn) % 4])).sum::<f64>() < most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_lies_apart_shares_nothing_and_what_is_hardly_a_card_little() {
        let card = Quad::rectangle(154.0, 100.0);
        let moved = |x: f64| Quad::new(card.0.map(|p| p + Point::new(x, 0.0)));
        let outline = |x, score| CardOutline { score, ..CardOutline::at(moved(x)) };
        let mut outlines = [outline(0.0, 20.0), outline(77.0, -20.0), outline(500.0, 20.0)];
        tell_shared(&mut outlines);
        let shared = outlines.map(|outline| outline.shared);
        assert!(
            shared[0] < 1e-6 && (shared[1] - 0.5).abs() < 1e-6 && shared[2] == 0.0,
            "{shared:?}"
        );
        assert_eq!(shares(&[(card, 1.0); 3]), [1.0; 3]);
    }

    #[test]
    fn shared_area_is_a_share_of_the_smaller() {
        let whole = Quad::rectangle(4.0, 2.0);
        let half = Quad::rectangle(2.0, 2.0);
        assert!((shared_area(&whole, &half) - 1.0).abs() < 1e-12);
        let beside = Quad::new(half.0.map(|p| p + Point::new(3.0, 0.0)));
        assert!((shared_area(&whole, &beside) - 0.5).abs() < 1e-12);
        let away = Quad::new(half.0.map(|p| p + Point::new(5.0, 0.0)));
        assert_eq!(shared_area(&whole, &away), 0.0);
    }

    #[test]
    fn overlap_is_more_than_a_shared_side() {
        let card = Quad::rectangle(154.0, 100.0);
        let moved = |x: f64, y: f64| Quad::new(card.0.map(|p| p + Point::new(x, y)));
        assert!(overlap(&card, &moved(60.0, 40.0)) && overlap(&card, &card));
        assert!(!overlap(&card, &moved(150.0, 0.0)) && !overlap(&card, &moved(0.0, 400.0)));
    }

    proptest! {
        #[test]
        fn shared_area_is_symmetric(x in -80.0..80.0f64, y in -50.0..50.0f64) {
            let a = Quad::rectangle(77.0, 50.0);
            let b = Quad::new(a.0.map(|p| p + Point::new(x, y)));
            prop_assert!((shared_area(&a, &b) - shared_area(&b, &a)).abs() < 1e-9);
        }
    }
}
