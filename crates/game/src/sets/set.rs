//! The definition of a set.

use crate::cards::{Card, Property};

/// Three places of a board that hold a set, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Set(pub [usize; 3]);

/// The one card that makes a set with two others; for two equal cards, that card again.
pub fn completing(a: Card, b: Card) -> Card {
    let digit = |p: Property| (6 - a.value(p) - b.value(p)) % 3;
    Card::from_index(
        Property::ALL.into_iter().fold(0, |index, property| index * 3 + digit(property)),
    )
}

/// Whether three cards are a set: three different cards that are all equal or all different in
/// every property.
pub fn is_set(a: Card, b: Card, c: Card) -> bool {
    a != b && completing(a, b) == c
}
