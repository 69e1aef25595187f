//! Ranks of measured values, and the logistic function.

use nalgebra::RealField;

/// The median of measured values, of an even number the upper of the middle two; `None` of none.
pub fn median<T: Copy + Into<f64>>(values: impl IntoIterator<Item = T>) -> Option<T> {
    rank(values, 0.5)
}

/// The value above this part of the others, 0 to 1; `None` of none.
pub fn rank<T: Copy + Into<f64>>(values: impl IntoIterator<Item = T>, part: f64) -> Option<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    let at = (part * values.len().checked_sub(1)? as f64).round() as usize;
    Some(*values.select_nth_unstable_by(at, |&a, &b| a.into().total_cmp(&b.into())).1)
}

/// 1 / (1 + e^-x): the probability for log odds.
#[inline]
pub fn sigmoid<T: RealField>(x: T) -> T {
    T::one() / (T::one() + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_a_value() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4u8, 1, 3, 2]), Some(3));
        assert_eq!(median::<f32>([]), None);
    }

    #[test]
    fn log_odds_become_a_probability() {
        assert_eq!((sigmoid(0.0f32), sigmoid(0.0f64)), (0.5, 0.5));
        for x in [-90.0, -3.7, 0.3, 12.0, 800.0f64] {
            assert_eq!(sigmoid(x), 1.0 / (1.0 + (-x).exp()));
            assert_eq!(sigmoid(x as f32), 1.0 / (1.0 + (-x as f32).exp()));
        }
    }
}
