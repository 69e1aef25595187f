//! What the readings of one card over time say together.

use crate::cards::Property;
use crate::pipeline::Reading;
use crate::pipeline::probability::logistic;

/// How much of what was known stays when a new reading comes: about seven readings count.
const KEPT: f32 = 0.86;
/// A reading's weight. Readings of one card share most of their mistakes (its light, its print), so
/// two are worth less than two witnesses.
const WEIGHT: f32 = 0.7;
/// No single reading rules a value out.
const LEAST: f32 = 0.004;

/// Summed logarithms of probabilities, with forgetting.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// In [`Property::ALL`] order, each triple with maximum 0.
    logs: [[f32; 3]; 4],
    /// Log odds of being a card: their mean, not their sum. What looks like a card and is none, a
    /// patterned cloth, looks like one in every frame.
    card: f32,
    /// Sum of the readings' weights that still count.
    weight: f32,
}

impl Default for Evidence {
    fn default() -> Self {
        Self { logs: [[0.0; 3]; 4], card: 0.0, weight: 0.0 }
    }
}

impl Evidence {
    /// Adds a reading; `quality`, 0 to 1, is how well its picture could be read.
    pub fn add(&mut self, reading: &Reading, quality: f32) {
        let weight = WEIGHT * quality.clamp(0.0, 1.0);
        // A bad picture also makes forget less.
        let kept = 1.0 - (1.0 - KEPT) * quality.clamp(0.0, 1.0);
        for (logs, values) in self.logs.iter_mut().zip(&reading.values) {
            for (log, &p) in logs.iter_mut().zip(values) {
                *log = kept * *log + weight * p.max(LEAST).ln();
            }
            let best = logs.iter().copied().fold(f32::MIN, f32::max);
            logs.iter_mut().for_each(|log| *log -= best);
        }
        let p = reading.is_card.clamp(LEAST, 1.0 - LEAST);
        let known = kept * self.weight;
        self.weight = known + quality;
        if self.weight > 0.0 {
            self.card = (known * self.card + quality * (p / (1.0 - p)).ln()) / self.weight;
        }
    }

    /// Makes all that is known count for less: the card may be another one.
    pub fn doubt(&mut self, kept: f32) {
        self.logs.iter_mut().flatten().for_each(|log| *log *= kept);
        self.weight *= kept;
    }

    /// What all readings say together.
    pub fn reading(&self) -> Reading {
        let mut values = [[1.0 / 3.0; 3]; 4];
        for (values, logs) in values.iter_mut().zip(&self.logs) {
            let parts = logs.map(f32::exp);
            let sum: f32 = parts.iter().sum();
            *values = parts.map(|p| p / sum);
        }
        debug_assert_eq!(values.len(), Property::ALL.len());
        Reading { values, is_card: logistic(self.card) }
    }

    /// How many good readings still count.
    pub fn weight(&self) -> f32 {
        self.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Card;
    use proptest::prelude::*;

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
        let mut evidence = Evidence::default();
        for _ in 0..4 {
            evidence.add(&reading(a, 0.9), 1.0);
        }
        assert!(evidence.reading().probability(a) > 0.98);
        evidence.add(&reading(b, 0.95), 0.2);
        assert_eq!(evidence.reading().best().0, a);
        for _ in 0..9 {
            evidence.add(&reading(b, 0.95), 1.0);
        }
        assert_eq!(evidence.reading().best().0, b);
    }

    #[test]
    fn what_is_no_card_stays_none() {
        let mut evidence = Evidence::default();
        for _ in 0..3 {
            evidence.add(&Reading { is_card: 0.1, ..Reading::UNKNOWN }, 1.0);
        }
        assert!((evidence.reading().is_card - 0.1).abs() < 1e-3);
    }

    proptest! {
        #[test]
        fn weak_readings_that_agree_add_up(index in 0usize..81, certainty in 0.45f32..0.9) {
            let card = Card::from_index(index);
            let mut evidence = Evidence::default();
            let mut last = 0.0;
            for _ in 0..4 {
                evidence.add(&reading(card, certainty), 1.0);
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
