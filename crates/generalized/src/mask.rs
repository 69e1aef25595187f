//! One-hot masks: a bit for each (property, value), property after property.

use super::rules::{Card, Rules};

/// `W` words hold v*p bits; bit `property * v + value` is set if the card has that value.
pub(super) type Mask<const W: usize> = [u64; W];

/// Number of words needed for a card.
pub(super) const fn words(rules: &Rules) -> usize {
    (rules.values() * rules.properties()).div_ceil(64)
}

/// What is generic over the size of masks, with the size that these rules need: `sized!(rules, W =>
/// Dynamic::<W>::new(rules))`.
macro_rules! sized {
    ($rules:expr, $words:ident => $made:expr) => {
        match $crate::mask::words($rules) {
            1 => {
                const $words: usize = 1;
                $made
            }
            2 => {
                const $words: usize = 2;
                $made
            }
            3..=4 => {
                const $words: usize = 4;
                $made
            }
            // The maximum is 255 values with 8 properties: 2,040 bits.
            _ => {
                const $words: usize = 32;
                $made
            }
        }
    };
}
pub(super) use sized;

pub(super) fn of_card<const W: usize>(rules: &Rules, card: Card) -> Mask<W> {
    let mut mask = [0; W];
    for (property, value) in rules.values_of(card).enumerate() {
        let bit = property * rules.values() + usize::from(value);
        mask[bit / 64] |= 1 << (bit % 64);
    }
    mask
}

#[inline]
pub(super) const fn has<const W: usize>(mask: &Mask<W>, bit: usize) -> bool {
    mask[bit / 64] >> (bit % 64) & 1 == 1
}

#[inline]
pub(super) fn and<const W: usize>(a: &Mask<W>, b: &Mask<W>) -> Mask<W> {
    std::array::from_fn(|i| a[i] & b[i])
}

#[inline]
pub(super) fn or<const W: usize>(a: &Mask<W>, b: &Mask<W>) -> Mask<W> {
    std::array::from_fn(|i| a[i] | b[i])
}

/// The only card that completes v - 1 cards with this union of their values and these shared ones.
pub(super) fn missing_card<const W: usize>(
    rules: &Rules,
    union: &Mask<W>,
    alike: &Mask<W>,
) -> Card {
    let v = rules.values();
    rules.card((0..rules.properties()).map(|property| {
        let value = |mask, wanted| (0..v).find(|value| has(mask, property * v + value) == wanted);
        // v - 1 different values leave out exactly one.
        value(alike, true).or_else(|| value(union, false)).unwrap_or_default() as u8
    }))
}
