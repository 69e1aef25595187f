//! Measures how outlines overlap, but not which of two cards lies on top.

use super::{card::CardOutline, probability::logistic};
use setsight_photo::geometry::Quad;

/// For each outline, the sum of the shares that the other outlines overlap, each weighted by its
/// probability of being a card, at most 1. A share is relative to the smaller of the two outlines.
/// `lying` holds outlines and probabilities.
pub(crate) fn shares(lying: &[(Quad, f32)]) -> Vec<f32> {
    let shares = lying.iter().enumerate().map(|(i, (outline, _))| {
        let near = lying.iter().enumerate().filter(|(k, (quad, _))| {
            *k != i && quad.center().distance(outline.center()) < reach(outline) + reach(quad)
        });
        let parts = near.map(|(_, (quad, is_card))| outline.shared_area(quad) as f32 * is_card);
        parts.sum::<f32>().min(1.0)
    });
    shares.collect()
}

fn reach(quad: &Quad) -> f64 {
    quad.long_side().max(quad.short_side())
}

/// Sets `shared` of each outline of a photo, using the finder's scores as probabilities.
pub(crate) fn mark_shared(outlines: &mut [CardOutline]) {
    let lying: Vec<(Quad, f32)> = outlines
        .iter()
        .map(|outline| (outline.corners_in_image, logistic(outline.score as f32)))
        .collect();
    for (outline, shared) in outlines.iter_mut().zip(shares(&lying)) {
        outline.shared = shared;
    }
}

/// Whether two cards overlap by more than an error of their outlines.
pub(crate) fn overlap<S: Copy>(a: &Quad<S>, b: &Quad<S>) -> bool {
    if a.center().distance(b.center()) > (a.long_side() + b.long_side()) / 2.0 * 1.3 {
        return false;
    }
    let [a, b] = [a, b].map(|quad| {
        let center = quad.center();
        quad.map(|corner| center.lerp(corner, 0.85))
    });
    has_side_in(&a, &b) || has_side_in(&b, &a)
}

fn has_side_in<S: Copy>(quad: &Quad<S>, other: &Quad<S>) -> bool {
    (0..4).any(|i| {
        let (from, to) = (quad.0[i], quad.0[(i + 1) % 4]);
        [0.0, 0.25, 0.5, 0.75].iter().any(|&t| other.contains(from.lerp(to, t)))
    })
}

/// Whether any other outline overlaps the given one.
pub(crate) fn is_overlapped<S: Copy>(one: usize, quads: &[Quad<S>]) -> bool {
    quads.iter().enumerate().any(|(k, other)| k != one && overlap(&quads[one], other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::geometry::Point;

    #[test]
    fn what_lies_apart_shares_nothing_and_what_is_hardly_a_card_little() {
        let card = Quad::rectangle(154.0, 100.0);
        let mut outlines = [(0.0, 20.0), (77.0, -20.0), (500.0, 20.0)].map(|(x, score)| {
            let moved = Quad::new(card.0.map(|p| p + Point::new(x, 0.0)));
            CardOutline { score, ..CardOutline::at(moved) }
        });
        mark_shared(&mut outlines);
        let shared = outlines.map(|outline| outline.shared);
        assert!(
            shared[0] < 1e-6 && (shared[1] - 0.5).abs() < 1e-6 && shared[2] == 0.0,
            "{shared:?}"
        );
        assert_eq!(shares(&[(card, 1.0); 3]), [1.0; 3]);
    }

    #[test]
    fn overlap_is_more_than_a_shared_side() {
        let card = Quad::rectangle(154.0, 100.0);
        let moved = |x: f64, y: f64| Quad::new(card.0.map(|p| p + Point::new(x, y)));
        assert!(overlap(&card, &moved(60.0, 40.0)) && overlap(&card, &card));
        assert!(!overlap(&card, &moved(150.0, 0.0)) && !overlap(&card, &moved(0.0, 400.0)));
    }
}
