//! Calibration: whether confidence matches accuracy.
//!
//! Readings are binned by 1 - confidence on a logarithmic scale. What matters is whether one claim
//! in a hundred or one in a thousand is wrong; with equal bins from 0 to 1, the last bin would hold
//! both.

use super::figures::set_at;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use setsight_labels::Match;
use setsight_photo::labels::CardLabel;
use setsight_vision::{ReadCard, TableReading};

/// Upper ends of the bins of 1 - confidence, the most confident last.
const OPEN_UP_TO: [f64; 10] = [1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

/// Readings with similar confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Number of readings.
    pub readings: usize,
    /// Number of readings whose best guess is right.
    pub right: usize,
    /// Sum of 1 - confidence: the expected number of errors.
    pub expected_wrong: f64,
}

impl Bin {
    /// Number of errors.
    pub(crate) fn wrong(&self) -> usize {
        self.readings - self.right
    }

    /// The 95 % confidence interval of the share of errors (Wilson's interval, 1927).
    pub(crate) fn wrong_between(&self) -> (f64, f64) {
        const Z: f64 = 1.96;
        let n = self.readings.max(1) as f64;
        let p = self.wrong() as f64 / n;
        let center = p + Z * Z / (2.0 * n);
        let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        (((center - spread) / scale).max(0.0), ((center + spread) / scale).min(1.0))
    }
}

/// All readings by bin. Unsure readings count with their best guess, false cards as wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// By 1 - confidence, the least confident first.
    pub bins: [Bin; OPEN_UP_TO.len()],
}

impl Reliability {
    /// The readings of one photo.
    pub(crate) fn of_photo(labels: &[CardLabel], readings: &[ReadCard], matched: &Match) -> Self {
        let mut all = Self::default();
        for (label, reading) in labels.iter().zip(&matched.reading_of_label) {
            if let Some(reading) = reading.map(|j| &readings[j]) {
                all.count(reading.confidence, reading.card == label.code);
            }
        }
        for &j in &matched.false_cards {
            all.count(readings[j].confidence, false);
        }
        all
    }

    /// The probable sets of one photo.
    pub(crate) fn of_probable_sets(
        labels: &[CardLabel],
        table: &TableReading,
        matched: &Match,
    ) -> Self {
        let mut all = Self::default();
        for set in &table.probable_sets {
            all.count(set.confidence, set_at(set.cards, labels, matched).is_some());
        }
        all
    }

    /// Counts one reading.
    pub(crate) fn count(&mut self, confidence: f32, right: bool) {
        let open = (1.0 - f64::from(confidence)).clamp(0.0, 1.0);
        let bin = OPEN_UP_TO.iter().rposition(|&end| open <= end).unwrap_or(0);
        let bin = &mut self.bins[bin];
        bin.readings += 1;
        bin.right += usize::from(right);
        bin.expected_wrong += open;
    }

    /// Adds the readings of other photos.
    pub(crate) fn add(&mut self, other: &Self) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.readings += more.readings;
            bin.right += more.right;
            bin.expected_wrong += more.expected_wrong;
        }
    }

    /// The bins that are not empty: lower and upper end of 1 - confidence, and the bin.
    pub(crate) fn filled(&self) -> impl Iterator<Item = (f64, f64, &Bin)> {
        self.bins
            .iter()
            .enumerate()
            .filter(|(_, bin)| bin.readings > 0)
            .map(|(i, bin)| (OPEN_UP_TO.get(i + 1).copied().unwrap_or(0.0), OPEN_UP_TO[i], bin))
    }

    /// Expected calibration error: the mean over all readings of the distance between their bin's
    /// mean confidence and its accuracy (Naeini, Cooper and Hauskrecht 2015, with the bins above).
    pub(crate) fn calibration_error(&self) -> f64 {
        let total: usize = self.bins.iter().map(|bin| bin.readings).sum();
        let off = self.bins.iter().map(|bin| (bin.wrong() as f64 - bin.expected_wrong).abs());
        off.sum::<f64>() / total.max(1) as f64
    }

    /// As JSON, without empty bins.
    pub(crate) fn to_json(&self) -> Value {
        let round = |v: f64| (v * 1e5).round() / 1e5;
        let bins: Vec<Value> = self
            .filled()
            .map(|(low, high, bin)| {
                json!({
                    "confidence_from": round(1.0 - high),
                    "confidence_to": round(1.0 - low),
                    "readings": bin.readings,
                    "right": bin.right,
                    "mean_confidence": round(1.0 - bin.expected_wrong / bin.readings as f64),
                    "right_share": round(bin.right as f64 / bin.readings as f64),
                })
            })
            .collect();
        json!({"expected_calibration_error": round(self.calibration_error()), "bins": bins})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn honest_confidence_has_no_error_and_boasting_has() {
        let mut honest = Reliability::default();
        let mut boasting = Reliability::default();
        for i in 0..100 {
            honest.count(0.9, i % 10 != 0);
            boasting.count(0.9995, i % 10 != 0);
        }
        assert!(honest.calibration_error() < 1e-6, "{}", honest.calibration_error());
        assert!((boasting.calibration_error() - 0.0995).abs() < 1e-6);
        let bins: Vec<_> = honest.filled().collect();
        assert_eq!(bins.len(), 1);
        assert_eq!((bins[0].2.readings, bins[0].2.right), (100, 90));
        let (low, high) = bins[0].2.wrong_between();
        assert!(low > 0.04 && low < 0.1 && high > 0.1 && high < 0.18, "{low} {high}");
        assert_eq!(boasting.filled().next().unwrap().1, 0.001);
        let mut both = honest.clone();
        both.add(&boasting);
        assert_eq!(both.filled().map(|(_, _, bin)| bin.readings).sum::<usize>(), 200);
    }

    #[test]
    fn every_confidence_has_a_bin() {
        let mut all = Reliability::default();
        for confidence in [0.0, 0.3, 0.5, 0.999, 1.0, f32::NAN, -1.0, 2.0] {
            all.count(confidence, true);
        }
        assert_eq!(all.bins.iter().map(|bin| bin.readings).sum::<usize>(), 8);
    }
}
