//! Places of a board as numbers, and the pairs of places that the fast search goes through.

use crate::cards::DECK_SIZE;

/// Largest board that takes the fast way. A board of different cards without a set has 20 at
/// most, so an ordinary game never leaves it.
pub(super) const FAST_MAX: usize = 21;
/// Room for the sets of a board that takes the fast way: each set found is one of at most
/// 45 + 55 pairs.
pub(super) const FAST_SETS: usize = 128;

/// A place of a board as the finder wants it: below [`DECK_SIZE`] the card's index in the deck,
/// from there on an empty place.
pub(crate) type Key = u8;
/// Every key is below this power of two.
pub(super) const KEYS: usize = 128;
/// The key of an empty place; different for each place, so that no key comes twice.
#[inline(always)]
pub(crate) const fn gap_key(place: usize) -> Key {
    DECK_SIZE as Key + place as Key
}

/// More than the 100 pairs of [`FAST_MAX`] places.
pub(super) const PAIRS_MAX: usize = 128;

/// Two places of the same half, and which third ones to report with them.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) i: u8,
    /// Above `i`.
    pub(super) j: u8,
    /// Bit k: with a third card on place k this pair is the one to report the set. All of the
    /// other half, and of this half the places after `j`.
    pub(super) third_places: u32,
}

/// The pairs within the two halves of N places, in the order in which the search goes through
/// them.
pub(super) struct Pairs<const N: usize>;

impl<const N: usize> Pairs<N> {
    pub(super) const TABLE: [Pair; PAIRS_MAX] = {
        assert!(N <= FAST_MAX);
        let mut table = [Pair { i: 0, j: 0, third_places: 0 }; PAIRS_MAX];
        let (mut pair, mut half) = (0, 0);
        while half < 2 {
            let (start, end) = if half == 0 { (0, N / 2) } else { (N / 2, N) };
            let own = (1u32 << end) - (1u32 << start);
            let mut i = start;
            while i < end {
                let mut j = i + 1;
                while j < end {
                    let later = !0u32 << j << 1;
                    table[pair] = Pair { i: i as u8, j: j as u8, third_places: !own | later };
                    pair += 1;
                    j += 1;
                }
                i += 1;
            }
            half += 1;
        }
        table
    };
}
