//! What the other cards of a photo tell of one: prints of one filling lie together, and so do those of one outline, in
//! whatever light and by whatever lens.
//!
//! The second reader places each card among prints so that cards alike lie together, in units of their deviation
//! (linear discriminant analysis, Fisher 1936, Rao 1948). The mean place of the cards that are clearly of a value is
//! what that value looks like on this table, and the distance from it tells of each card that is not clear.
//!
//! Inks are left to the readers: in light that makes them hard to tell those that are clear are often wrong, too, and
//! would have their say of the others.

use super::alike::LIKENESS;
use crate::data::Reading;
use crate::probability::softmax;
use serde::{Deserialize, Serialize};
use setsight_game::cards::Property;

/// Dimensions of the places by filling, then by outline.
pub const DIMENSIONS: [usize; 2] = [LIKENESS[0], LIKENESS[2]];
/// A card's place among prints.
pub type Place = [f32; DIMENSIONS[0] + DIMENSIONS[1]];
/// The properties of which company tells.
pub const PROPERTIES: [Property; 2] = [Property::Shading, Property::Shape];
/// Minus half the squared distance from the cards that are clearly of a value, or 0 if there are none; and whether
/// there are none.
pub type Told = [[f32; 2]; 3];

/// How much company counts, for each of [`PROPERTIES`]: the weights of what is [`Told`] of a value beside its log
/// probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Company(pub [[f32; 2]; 2]);

/// A card's place, from what the second reader tells beside its logits and the likeness of drawings.
pub(crate) fn place(more: &[f32]) -> Option<Place> {
    more.get(LIKENESS.iter().sum()..)?.try_into().ok()
}

/// What company tells of each card's value of a property; `None` where there is no card to compare it with.
pub fn told(property: usize, readings: &[Reading], places: &[Place]) -> Vec<Option<Told>> {
    /// Probability from which a card is clearly of a value.
    const CLEAR: f32 = 0.9;
    let from: usize = DIMENSIONS[..property].iter().sum();
    let of = |i: usize| &places[i][from..from + DIMENSIONS[property]];
    let is_of = |i: usize, value: usize| {
        readings[i].is_card > 0.5
            && readings[i].values[PROPERTIES[property] as usize][value] > CLEAR
    };
    let told = |i: usize| {
        let of_value = |value: usize| {
            let (mut sum, mut count) = (vec![0.0; DIMENSIONS[property]], 0.0);
            for other in (0..places.len()).filter(|&other| other != i && is_of(other, value)) {
                count += 1.0;
                sum.iter_mut().zip(of(other)).for_each(|(sum, v)| *sum += v);
            }
            if count == 0.0 {
                return [0.0, 1.0];
            }
            let square: f32 =
                sum.iter().zip(of(i)).map(|(sum, own)| (own - sum / count).powi(2)).sum();
            // The mean of few is uncertain itself.
            [-0.5 * square / (1.0 + 1.0 / count), 0.0]
        };
        let told = [0, 1, 2].map(of_value);
        told.iter().any(|[_, is_absent]| *is_absent == 0.0).then_some(told)
    };
    (0..places.len()).map(told).collect()
}

impl Company {
    /// Adds what company tells of each card.
    pub(crate) fn join(&self, readings: &mut [Reading], places: &[Place]) {
        let before = readings.to_vec();
        for (k, (property, weights)) in PROPERTIES.into_iter().zip(self.0).enumerate() {
            for (reading, told) in readings.iter_mut().zip(told(k, &before, places)) {
                let (Some(told), own) = (told, &mut reading.values[property as usize]) else {
                    continue;
                };
                let weigh = |v: usize| {
                    own[v].max(1e-9).ln() + weights[0] * told[v][0] + weights[1] * told[v][1]
                };
                *own = softmax([0, 1, 2].map(weigh));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_that_is_not_clear_is_as_those_beside_which_it_lies() {
        let reading = |values: [f32; 3]| Reading {
            values: [[1.0 / 3.0; 3], values, [1.0 / 3.0; 3], [1.0 / 3.0; 3]],
            is_card: 1.0,
        };
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
}
