//! Evidence from the other cards of a photo: prints of one filling, or of one outline, lie together in any light
//! and through any lens.
//!
//! The second reader embeds each card, with similar cards close together, in units of their deviation (linear
//! discriminant analysis, Fisher 1936, Rao 1948). The mean of the cards that are clearly of a value represents
//! that value on this table, and the distance from it is evidence for each card that is not clear.
//!
//! Inks are left to the readers: in light that makes them hard to distinguish the clear ones are often wrong, too,
//! and would mislead the rest.

use super::alike::LIKENESS;
use crate::card::Reading;
use crate::probability::softmax;
use serde::{Deserialize, Serialize};
use setsight_game::cards::Property;

/// Dimensions of the places by filling, then by outline.
pub const DIMENSIONS: [usize; 2] = [LIKENESS[0], LIKENESS[2]];
/// A card's place among prints.
pub type Place = [f32; DIMENSIONS[0] + DIMENSIONS[1]];
/// The properties for which neighbours are evidence.
pub const PROPERTIES: [Property; 2] = [Property::Shading, Property::Shape];

/// Evidence from the cards that are clearly of a value, for another card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueEvidence {
    /// Minus half the squared distance from these cards; 0 if there are none.
    pub log_likelihood: f32,
    /// 1 if there are none, else 0.
    pub is_absent: f32,
}

/// How much company counts, for each of [`PROPERTIES`]: the weights of a [`ValueEvidence`] beside the value's log
/// probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Company(pub [[f32; 2]; 2]);

/// A card's place, from the second reader's embedding: it follows the likeness of drawings.
pub(crate) fn place(embedding: &[f32]) -> Option<Place> {
    embedding.get(LIKENESS.iter().sum()..)?.try_into().ok()
}

/// The evidence of a photo's other cards for each card's values of a property; `None` where there is no card to
/// compare it with.
pub fn evidence(
    property: usize,
    readings: &[Reading],
    places: &[Place],
) -> Vec<Option<[ValueEvidence; 3]>> {
    let from: usize = DIMENSIONS[..property].iter().sum();
    let places: Vec<&[f32]> =
        places.iter().map(|place| &place[from..from + DIMENSIONS[property]]).collect();
    (0..places.len())
        .map(|card| {
            let values = [0, 1, 2].map(|value| {
                let clear = (0..places.len())
                    .filter(|&other| other != card && is_clear(&readings[other], property, value));
                value_evidence(places[card], clear.map(|other| places[other]))
            });
            values.iter().any(|value| value.is_absent == 0.0).then_some(values)
        })
        .collect()
}

fn is_clear(reading: &Reading, property: usize, value: usize) -> bool {
    /// Probability from which a card is clearly of a value.
    const CLEAR: f32 = 0.9;
    reading.is_card > 0.5 && reading.values[PROPERTIES[property] as usize][value] > CLEAR
}

fn value_evidence<'a>(place: &[f32], clear: impl Iterator<Item = &'a [f32]>) -> ValueEvidence {
    let (mut sum, mut count) = (vec![0.0; place.len()], 0.0);
    for other in clear {
        count += 1.0;
        sum.iter_mut().zip(other).for_each(|(sum, v)| *sum += v);
    }
    if count == 0.0 {
        return ValueEvidence { log_likelihood: 0.0, is_absent: 1.0 };
    }
    let square: f32 = sum.iter().zip(place).map(|(sum, v)| (v - sum / count).powi(2)).sum();
    // The mean of few is uncertain itself.
    ValueEvidence { log_likelihood: -0.5 * square / (1.0 + 1.0 / count), is_absent: 0.0 }
}

impl Company {
    /// Weighs the evidence of the other cards for each card.
    pub(crate) fn join(&self, readings: &mut [Reading], places: &[Place]) {
        let before = readings.to_vec();
        for (k, (property, weights)) in PROPERTIES.into_iter().zip(self.0).enumerate() {
            for (reading, evidence) in readings.iter_mut().zip(evidence(k, &before, places)) {
                let Some(evidence) = evidence else { continue };
                let values = &mut reading.values[property as usize];
                *values = softmax(std::array::from_fn(|v| {
                    values[v].max(1e-9).ln()
                        + weights[0] * evidence[v].log_likelihood
                        + weights[1] * evidence[v].is_absent
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_that_is_not_clear_is_as_those_near_its_place() {
        let at = |x: f32| std::array::from_fn(|d| if d == 0 { x } else { 0.0 });
        let clear = [[0.98, 0.01, 0.01], [0.01, 0.98, 0.01]].map(reading);
        let near = |x: f32, doubt: [f32; 3]| {
            let mut all = [&clear[..], &[reading(doubt)]].concat();
            Company([[0.1, 1.0], [0.1, 1.0]]).join(&mut all, &[at(0.0), at(10.0), at(x)]);
            all.pop().unwrap().values[1]
        };
        let doubt = [0.49, 0.49, 0.02];
        assert!(near(1.0, doubt)[0] > 0.8 && near(9.0, doubt)[1] > 0.8);
        let between = near(5.0, doubt);
        assert!((between[0] - between[1]).abs() < 1e-4, "{between:?}");
        // What no other card shows may be what it is.
        assert!(near(40.0, [0.4, 0.2, 0.4])[2] > 0.9);
        // Alone it stays what it was.
        let mut alone = [reading(doubt)];
        Company([[0.1, 1.0]; 2]).join(&mut alone, &[at(3.0)]);
        assert_eq!(alone[0].values[1], doubt);
    }

    fn reading(values: [f32; 3]) -> Reading {
        Reading { values: [[1.0 / 3.0; 3], values, [1.0 / 3.0; 3], [1.0 / 3.0; 3]], is_card: 1.0 }
    }
}
