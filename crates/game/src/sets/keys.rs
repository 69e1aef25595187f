//! The places of a board as numbers, and the pairs of places for the fast search.

use crate::cards::DECK_SIZE;

/// Largest board for the fast search. A board of different cards without a set has at most 20, so
/// ordinary games never exceed it.
pub(super) const FAST_MAX: usize = 21;
/// Capacity for the sets of the fast search: at most 45 + 55 pairs can each find one.
pub(super) const FAST_SETS: usize = 128;

/// A place of a board: below [`DECK_SIZE`] the card's index in the deck, from there on an empty
/// place.
pub type Key = u8;
/// Every key is below this power of two.
pub(super) const KEYS: usize = 128;
/// The key of an empty place; each place has its own, so that no key repeats.
#[inline(always)]
pub const fn gap_key(place: usize) -> Key {
    DECK_SIZE as Key + place as Key
}

/// More than the 100 pairs of [`FAST_MAX`] places.
pub(super) const PAIRS_MAX: usize = 128;

/// Two places of the same half, and the third places for which this pair reports the set.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) i: u8,
    /// Above `i`.
    pub(super) j: u8,
    /// Bit k: with the third card at place k, this pair reports the set. Set for all places of the
    /// other half, and for the places of this half after `j`.
    pub(super) third_places: u32,
}

/// The pairs within the two halves of N places, in search order.
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
