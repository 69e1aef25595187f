//! The confidence threshold for claiming a card.

use super::examples::Source;

/// Maximum share of claims that may be wrong.
pub const MOST_WRONG: f64 = 1e-3;
/// The same on copies of screens. An app draws all cards in one taste, so that mistakes come by whole
/// tables, and few apps draw as oddly as some of the drawn tables.
pub const MOST_WRONG_ON_SCREENS: f64 = 5e-3;
/// Confidence level of the reported upper bound.
pub(super) const SURE_OF_IT: f64 = 0.95;

/// A card as scored by a fit that did not see its table.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoredCard {
    /// Index of its source.
    pub source: usize,
    /// The board's confidence, 0 to 1.
    pub confidence: f32,
    /// Whether the code is right; always false where no card lies.
    pub right: bool,
    /// Weight of the card. Drawn tables and photographed crops weigh the same in total, however
    /// many there are of either.
    pub weight: f64,
}

/// Sets the weight of each card.
pub(super) fn weigh(scored: &mut [ScoredCard], sources: &[Source]) {
    for drawn in [true, false] {
        let of_kind = |card: &ScoredCard| sources[card.source].has_outlines == drawn;
        let weight = 1.0 / scored.iter().filter(|card| of_kind(card)).count().max(1) as f64;
        scored.iter_mut().filter(|card| of_kind(card)).for_each(|card| card.weight = weight);
    }
}

/// The least threshold at which at most `most_wrong` of the claims are wrong, with half a wrong
/// claim added for the finite sample. Also returns the number of claims at that threshold and the
/// number of wrong ones.
pub(super) fn choose_limit(sorted: &[ScoredCard], most_wrong: f64) -> (f32, usize, usize) {
    // Two outlines that claim one card with equal confidence (0.5 each) must stay below.
    const LEAST: f32 = 0.6;
    let mut best = None;
    let (mut wrong, mut wrong_weight, mut weight) = (0, 0.0, 0.0);
    for (i, card) in sorted.iter().enumerate() {
        if card.confidence < LEAST {
            break;
        }
        weight += card.weight;
        if !card.right {
            wrong += 1;
            wrong_weight += card.weight;
        }
        let ends = sorted.get(i + 1).is_none_or(|next| next.confidence < card.confidence);
        let half_a_claim = 0.5 * weight / (i + 1) as f64;
        if ends && wrong_weight + half_a_claim <= most_wrong * weight {
            best = Some((card.confidence, i + 1, wrong));
        }
    }
    // Too few claims to show anything: claim only the surest cards.
    best.unwrap_or((0.999, 0, 0))
}

/// The least threshold from `limit` up at which the number of wrong claims is at most
/// [`MOST_WRONG`] of the claims plus one.
pub(super) fn raised_limit(sorted: &[ScoredCard], limit: f32) -> f32 {
    let mut claims = sorted.iter().take_while(|card| card.confidence >= limit).count();
    let mut wrong = sorted[..claims].iter().filter(|card| !card.right).count();
    let mut raised = limit;
    while wrong as f64 > MOST_WRONG * claims as f64 + 1.0 {
        // Move just above the least confident wrong claim.
        let Some(last) = sorted[..claims].iter().rposition(|card| !card.right) else { break };
        raised = sorted[last].confidence.next_up();
        claims = sorted[..last].iter().take_while(|card| card.confidence >= raised).count();
        wrong = sorted[..claims].iter().filter(|card| !card.right).count();
    }
    raised
}

/// The upper bound of the share of wrong claims, given `wrong` of `claims`, at confidence
/// [`SURE_OF_IT`]: the bound of Clopper and Pearson (1934), in the Poisson approximation for small
/// shares.
pub(super) fn most_wrong(wrong: usize, claims: usize) -> f64 {
    let at_most = |mean: f64| {
        let mut term = (-mean).exp();
        let mut sum = term;
        for k in 1..=wrong {
            term *= mean / k as f64;
            sum += term;
        }
        sum
    };
    let (mut low, mut high) = (0.0, 10.0 + 3.0 * wrong as f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at_most(middle) > 1.0 - SURE_OF_IT {
            low = middle;
        } else {
            high = middle;
        }
    }
    (high / claims.max(1) as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_rises_only_above_what_is_wrong_too_often() {
        let scored =
            |confidence: f32, right: bool| ScoredCard { source: 0, confidence, right, weight: 1.0 };
        let mut cards: Vec<ScoredCard> =
            (0..500).map(|i| scored(0.999 - 1e-5 * i as f32, true)).collect();
        cards.push(scored(0.97, false));
        assert_eq!(raised_limit(&cards, 0.94), 0.94, "one in 500 may be chance");
        cards.push(scored(0.96, false));
        cards.push(scored(0.955, true));
        let raised = raised_limit(&cards, 0.94);
        assert!(raised > 0.96 && raised <= 0.97, "{raised}");
        assert_eq!(raised_limit(&[], 0.9), 0.9);
    }
}
