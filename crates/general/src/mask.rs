//! One-hot masks: a bit for each (property, value), property after property.

use super::rules::{Card, Rules};

/// `W` words hold v*p bits; bit `property * v + value` is set if the card has that value.
pub(super) type Mask<const W: usize> = [u64; W];

/// Number of words needed for a card.
pub(super) const fn words(rules: &Rules) -> usize {
    (rules.values() * rules.properties()).div_ceil(64)
}

/// A solver with masks of the size that these rules need.
macro_rules! sized {
    ($rules:expr, $solver:ident) => {
        match $crate::mask::words($rules) {
            1 => Box::new($solver::<1>::new($rules)),
            2 => Box::new($solver::<2>::new($rules)),
            3..=4 => Box::new($solver::<4>::new($rules)),
            // The maximum is 255 values with 8 properties: 2,040 bits.
            _ => Box::new($solver::<32>::new($rules)),
        }
    };
}
pub(super) use sized;

/// The mask of a card.
pub(super) fn of_card<const W: usize>(rules: &Rules, card: Card) -> Mask<W> {
    let mut mask = [0; W];
    for (property, value) in rules.values_of(card).enumerate() {
        let bit = property * rules.values() + usize::from(value);
        mask[bit / 64] |= 1 << (bit % 64);
    }
    mask
}

/// Whether a bit is set.
#[inline]
pub(super) const fn has<const W: usize>(mask: &Mask<W>, bit: usize) -> bool {
    mask[bit / 64] >> (bit % 64) & 1 == 1
}

/// Bitwise and.
#[inline]
pub(super) fn and<const W: usize>(a: &Mask<W>, b: &Mask<W>) -> Mask<W> {
    std::array::from_fn(|i| a[i] & b[i])
}

/// Bitwise or.
#[inline]
pub(super) fn or<const W: usize>(a: &Mask<W>, b: &Mask<W>) -> Mask<W> {
    std::array::from_fn(|i| a[i] | b[i])
}
