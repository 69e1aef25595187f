//! Combines the readings of one card over time.

use crate::grey::Grey;
use setsight_game::cards::Property;
use setsight_photo::geometry::Quad;
use setsight_photo::numeric::sigmoid;
use setsight_vision::Reading;
use std::sync::Arc;

/// Share of the earlier evidence that is kept at each new reading; about seven readings count.
const KEPT: f32 = 0.86;
/// Readings of an unchanged picture after which it is taken for a still.
const STILL: u32 = 2;
/// Lower bound of a probability, so that no single reading rules a value out.
const LEAST: f32 = 0.004;

/// What two readings of one card by one camera in one light have in common: the correlation of
/// their errors, in [`Property::ALL`] order. The lamp, the focus and the angle err in the same way
/// again, so that however many readings there are, they count as at most `1 / shared` independent
/// ones.
pub(crate) type SharedError = [f32; 4];

/// Number of independent readings that count as much as `readings` (a weight, not only whole
/// numbers) whose errors have this correlation.
fn independent(readings: f32, shared: f32) -> f32 {
    readings / (1.0 + (readings - 1.0).max(0.0) * shared)
}

/// Sums of log probabilities, with exponential forgetting.
#[derive(Clone, Debug)]
pub struct Evidence {
    shared: SharedError,
    /// Sums over the readings, by weight, in [`Property::ALL`] order, each triple with maximum 0.
    logs: [[f32; 3]; 4],
    /// Mean, not sum, of the log odds of being a card: a patterned cloth that resembles a card does
    /// so in every frame.
    card: f32,
    /// Sum of the weights of the readings that still count.
    weight: f32,
    /// The picture of the last reading that counted.
    of: Option<Arc<Grey>>,
    /// Number of readings of the same picture in a row.
    again: u32,
}

/// Range of the mean difference between two pictures of a card, in grey levels of the small
/// picture: at the lower end the second picture adds nothing, from the upper end on it counts in
/// full. Sensor noise leaves about a third of a level; a film of a still picture leaves what its
/// codec changes.
const NEW_LEVELS: (f64, f64) = (0.05, 0.25);

impl Evidence {
    /// None yet.
    pub fn new(shared: SharedError) -> Self {
        let logs = [[0.0; 3]; 4];
        Self { shared, logs, card: 0.0, weight: 0.0, of: None, again: 0 }
    }

    /// Adds a reading of the card at `quad`, in pixels of the picture's frame. `quality`, 0 to 1,
    /// is the reading's weight by focus. Unchanged pixels add nothing, however often they are read:
    /// repeating the same error would only raise its probability.
    pub fn add(&mut self, reading: &Reading, quality: f32, picture: &Arc<Grey>, quad: &Quad) {
        let (same, new) = NEW_LEVELS;
        // Compare the same place in both: an outline that moves by less than a pixel adds nothing.
        let levels = self
            .of
            .as_ref()
            .and_then(|before| Some(picture.thumbnail(quad)?.difference(&before.thumbnail(quad)?)));
        let levels = levels.unwrap_or(new);
        let newness = ((levels - same) / (new - same)).clamp(0.0, 1.0) as f32;
        if newness == 0.0 {
            self.again += 1;
            return;
        }
        self.again = 0;
        self.of = Some(Arc::clone(picture));
        self.add_new(reading, quality * newness);
    }

    /// Whether the picture does not change, so that no other reading will come.
    pub fn is_of_a_still(&self) -> bool {
        self.again >= STILL
    }

    fn add_new(&mut self, reading: &Reading, quality: f32) {
        let quality = quality.clamp(0.0, 1.0);
        // A bad picture also makes the evidence forget less.
        let kept = 1.0 - (1.0 - KEPT) * quality;
        for (logs, values) in self.logs.iter_mut().zip(&reading.values) {
            for (log, &p) in logs.iter_mut().zip(values) {
                *log = kept * *log + quality * p.max(LEAST).ln();
            }
            let best = logs.iter().copied().fold(f32::MIN, f32::max);
            logs.iter_mut().for_each(|log| *log -= best);
        }
        let p = reading.is_card.clamp(LEAST, 1.0 - LEAST);
        let before = kept * self.weight;
        self.weight = before + quality;
        if self.weight > 0.0 {
            self.card = (before * self.card + quality * (p / (1.0 - p)).ln()) / self.weight;
        }
    }

    /// Reduces the weight of all evidence: the card may be another one.
    pub fn doubt(&mut self, kept: f32) {
        self.logs.iter_mut().flatten().for_each(|log| *log *= kept);
        self.weight *= kept;
        // The next reading counts, even if the picture is the same as before.
        (self.of, self.again) = (None, 0);
    }

    /// The combined reading.
    pub fn reading(&self) -> Reading {
        let mut values = [[1.0 / 3.0; 3]; 4];
        for ((values, logs), shared) in values.iter_mut().zip(&self.logs).zip(self.shared) {
            // The mean of the readings, as often as they count.
            let times = independent(self.weight, shared) / self.weight.max(f32::EPSILON);
            let parts = logs.map(|log| (times * log).exp());
            let sum: f32 = parts.iter().sum();
            *values = parts.map(|p| p / sum);
        }
        debug_assert_eq!(values.len(), Property::ALL.len());
        Reading { values, is_card: sigmoid(self.card) }
    }

    /// Number of good readings that still count.
    pub fn weight(&self) -> f32 {
        self.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use setsight_game::cards::Card;

    fn reading(card: Card, certainty: f32) -> Reading {
        let mut values = [[(1.0 - certainty) / 2.0; 3]; 4];
        for (row, property) in values.iter_mut().zip(Property::ALL) {
            row[card.value(property)] = certainty;
        }
        Reading { values, is_card: 0.97 }
    }

    #[test]
    fn one_blurred_reading_changes_nothing_and_many_clear_ones_do() {
        let (a, b) = (Card::from_index(4), Card::from_index(70));
        let mut evidence = Evidence::new([0.2; 4]);
        for _ in 0..4 {
            evidence.add_new(&reading(a, 0.9), 1.0);
        }
        assert!(evidence.reading().probability(a) > 0.98);
        evidence.add_new(&reading(b, 0.95), 0.2);
        assert_eq!(evidence.reading().best().0, a);
        for _ in 0..9 {
            evidence.add_new(&reading(b, 0.95), 1.0);
        }
        assert_eq!(evidence.reading().best().0, b);
    }

    #[test]
    fn what_is_no_card_stays_none() {
        let mut evidence = Evidence::new([0.2; 4]);
        for _ in 0..3 {
            evidence.add_new(&Reading { is_card: 0.1, ..Reading::UNKNOWN }, 1.0);
        }
        assert!((evidence.reading().is_card - 0.1).abs() < 1e-3);
    }

    #[test]
    fn repetition_adds_no_more_than_the_shared_error_lets_it() {
        let mut evidence = Evidence::new([0.5; 4]);
        let card = Card::from_index(33);
        for _ in 0..100 {
            evidence.add_new(&reading(card, 0.6), 1.0);
        }
        // At most two independent readings: 0.6 and 0.2, squared.
        let most = 0.36 / (0.36 + 2.0 * 0.04);
        for triple in evidence.reading().values {
            let best = triple.into_iter().fold(0.0, f32::max);
            assert!(best > 0.75 && best < most, "{triple:?}");
        }
        assert_eq!(independent(1.0, 0.5), 1.0);
        assert_eq!(independent(0.5, 0.5), 0.5, "a blurred one counts for less");
    }

    proptest! {
        #[test]
        fn weak_readings_that_agree_add_up(index in 0usize..81, certainty in 0.45f32..0.9) {
            let card = Card::from_index(index);
            let mut evidence = Evidence::new([0.2; 4]);
            let mut last = 0.0;
            for _ in 0..4 {
                evidence.add_new(&reading(card, certainty), 1.0);
                let p = evidence.reading().probability(card);
                prop_assert!(p > last);
                last = p;
            }
            for triple in evidence.reading().values {
                prop_assert!((triple.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            }
        }
    }
}
