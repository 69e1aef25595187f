//! Probabilities, log odds and logits; ranks.

use setsight_photo::numeric;
pub(crate) use setsight_photo::numeric::{sigmoid, sigmoid as logistic};

/// Log odds of a probability, which is clamped to 1e-6 from 0 and 1: the result lies within 14.
pub(crate) fn log_odds(probability: f32) -> f32 {
    let p = f64::from(probability).clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln() as f32
}

/// Probabilities from logits.
pub(crate) fn softmax<const N: usize>(logits: [f32; N]) -> [f32; N] {
    let most = logits.into_iter().fold(f32::MIN, f32::max);
    let odds = logits.map(|logit| (logit - most).exp());
    let sum: f32 = odds.iter().sum();
    odds.map(|odds| odds / sum)
}

/// The middle one of some values, of an even number the upper of the two; 0 of none.
pub(crate) fn median<T: Into<f64> + Copy>(values: impl Iterator<Item = T>) -> f64 {
    rank(values.map(Into::into), 0.5)
}

/// The value above this part of the others, 0 to 1; 0 of none.
pub(crate) fn rank<T: Into<f64> + Copy + Default>(values: impl Iterator<Item = T>, part: f64) -> T {
    numeric::rank(values, part).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_odds_and_probabilities_are_inverse() {
        for p in [0.0, 1e-3, 0.5, 0.97, 1.0] {
            assert!((logistic(log_odds(p)) - p).abs() < 2e-6, "{p}");
        }
    }

    #[test]
    fn softmax_stays_finite() {
        assert_eq!(softmax([500.0, 0.0, -800.0]), [1.0, 0.0, 0.0]);
        let [a, b] = softmax([0.0, 3f32.ln()]);
        assert!((a - 0.25).abs() < 1e-6 && (b - 0.75).abs() < 1e-6);
    }
}
