//! What the readings of one card over time say together.

use super::grey::Grey;
use crate::cards::Property;
use crate::geometry::Quad;
use crate::pipeline::Reading;
use crate::pipeline::probability::logistic;
use std::sync::Arc;

/// How much of what was known stays when a new reading comes: about seven readings count.
const KEPT: f32 = 0.86;
/// A reading's weight. Readings of one card share most of their mistakes (its light, its print), so
/// two are worth less than two witnesses.
const WEIGHT: f32 = 0.7;
/// Readings of the same picture after which it is taken for a still.
const STILL: u32 = 2;
/// No single reading rules a value out.
const LEAST: f32 = 0.004;

/// Summed logarithms of probabilities, with forgetting.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// In [`Property::ALL`] order, each triple with maximum 0.
    logs: [[f32; 3]; 4],
    /// Log odds of being a card: their mean, not their sum. What looks like a card and is none, a
    /// patterned cloth, looks like one in every frame.
    card: f32,
    /// Sum of the readings' weights that still count.
    weight: f32,
    /// The picture that was read last, of those that counted.
    of: Option<Arc<Grey>>,
    /// Readings of the same picture in a row.
    again: u32,
    /// Whether its one reading was made to count in full.
    full: bool,
}

/// Mean difference of two pictures of a card, in grey levels of the small picture, up to which the
/// second says nothing new, and from which it counts in full. Sensors' noise leaves about a third of a
/// level of them; a film of a still leaves what its codec does.
const NEW_LEVELS: (f64, f64) = (0.05, 0.25);

impl Default for Evidence {
    fn default() -> Self {
        let logs = [[0.0; 3]; 4];
        Self { logs, card: 0.0, weight: 0.0, of: None, again: 0, full: false }
    }
}

impl Evidence {
    /// Adds what was read of a picture at a quad, in pixels of its frame; `quality`, 0 to 1, is how
    /// well it could be read. The same pixels are one witness, however often they are asked: what
    /// they are mistaken in, they would be more and more sure of.
    pub fn add(&mut self, reading: &Reading, quality: f32, picture: &Arc<Grey>, quad: &Quad) {
        let changed = |before: &Arc<Grey>| -> Option<f64> {
            // The same place in both: an outline that moved by parts of a pixel makes nothing new.
            Some(picture.thumbnail(quad)?.difference(&before.thumbnail(quad)?))
        };
        let (same, new) = NEW_LEVELS;
        let levels = self.of.as_ref().map_or(new, |before| changed(before).unwrap_or(new));
        let newness = ((levels - same) / (new - same)).clamp(0.0, 1.0) as f32;
        if newness == 0.0 {
            self.again += 1;
            if self.is_of_a_still() && self.weight <= 1.0 && !self.full {
                // It is what one photo says, in full.
                self.full = true;
                self.logs.iter_mut().flatten().for_each(|log| *log /= WEIGHT);
            }
            return;
        }
        self.again = 0;
        self.of = Some(Arc::clone(picture));
        self.add_new(reading, quality * newness);
    }

    /// Whether the picture does not change: no other reading is to be had.
    pub fn is_of_a_still(&self) -> bool {
        self.again >= STILL
    }

    fn add_new(&mut self, reading: &Reading, quality: f32) {
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
        // The next reading counts, though the picture may be as it was before.
        (self.of, self.again, self.full) = (None, 0, false);
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
        let mut evidence = Evidence::default();
        for _ in 0..3 {
            evidence.add_new(&Reading { is_card: 0.1, ..Reading::UNKNOWN }, 1.0);
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
