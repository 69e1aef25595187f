//! All sets of a board, fast.
//!
//! Through each pair of cards passes exactly one set, so it is enough to look up the completing
//! card of some pairs: split the board's places into two halves, then any three places have two
//! in the same half, and the pairs within the halves find every set. For 12 places these are 30
//! pairs instead of 66 (the fewest possible, by Mantel's theorem). No pair is a branch: hits are
//! collected as bits and taken apart afterwards.

use super::explain::{Set, completing};
#[cfg(target_arch = "x86_64")]
use super::wide;
use crate::cards::{Card, DECK_SIZE, Property};
use std::cell::RefCell;

/// Largest board for the fast search. A board of different cards without a set has at most 20, so
/// ordinary games never exceed it.
const FAST_MAX: usize = 21;
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
            let same_half = (1u32 << end) - (1u32 << start);
            let mut i = start;
            while i < end {
                let mut j = i + 1;
                while j < end {
                    let later = !0u32 << j << 1;
                    table[pair] = Pair { i: i as u8, j: j as u8, third_places: !same_half | later };
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

/// The completing key of a pair with an empty place; never on a board.
const NOBODY: Key = KEYS as Key - 1;

/// The key of the card that completes two others.
static COMPLETING: [[Key; KEYS]; KEYS] = {
    let mut table = [[NOBODY; KEYS]; KEYS];
    let mut a = 0;
    while a < DECK_SIZE {
        let mut b = 0;
        while b < DECK_SIZE {
            let (mut index, mut place) = (0, 1);
            while place < DECK_SIZE {
                // The three values of a set sum to a multiple of 3 in every property.
                index += (6 - a / place % 3 - b / place % 3) % 3 * place;
                place *= 3;
            }
            table[a][b] = index as Key;
            b += 1;
        }
        a += 1;
    }
    table
};

/// Same as [`Card::index`], but with one multiplication: the top byte of the product is the
/// weighted sum of the four values, and the lower sums stay below 256.
#[inline(always)]
fn key(card: Card) -> Key {
    let values = u32::from_le_bytes(Property::ALL.map(|p| card.value(p) as u8));
    (values.wrapping_mul(27 << 24 | 9 << 16 | 3 << 8 | 1) >> 24) as Key
}

/// Finds all sets of a board; reuses its tables and its result buffer between boards.
#[derive(Clone, Debug)]
pub struct Finder {
    /// 1 for each key on the board; all 0 between searches.
    present: [u8; 256],
    /// The place of each key that is present.
    place_of: [u8; KEYS],
    /// At least [`FAST_SETS`] long; the result is at the beginning.
    found: Vec<Set>,
    /// Proof that the processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    simd: Option<pulp::x86::V3>,
}

impl Default for Finder {
    fn default() -> Self {
        Self::new()
    }
}

impl Finder {
    /// A finder for many boards.
    pub fn new() -> Self {
        Self {
            present: [0; 256],
            place_of: [0; KEYS],
            found: vec![Set([0; 3]); FAST_SETS],
            #[cfg(target_arch = "x86_64")]
            simd: pulp::x86::V3::try_new(),
        }
    }

    /// All sets of a board, in a fixed order; the three places of each ascend.
    ///
    /// A place is a [`Card`] or an `Option<Card>`; an empty place is part of no set. A card may
    /// occupy several places. Each choice of places is a set of its own, and a set needs three
    /// different cards.
    #[inline]
    pub fn find<P: Copy + Into<Option<Card>>>(&mut self, board: &[P]) -> &[Set] {
        let n = match board.len() {
            0..=12 => self.search_12(board),
            13..=15 => self.search(&keys::<15, P>(board)),
            16..=18 => self.search(&keys::<18, P>(board)),
            19..=FAST_MAX => self.search(&keys::<FAST_MAX, P>(board)),
            _ => None,
        };
        match n {
            Some(n) => &self.found[..n],
            None => self.search_any(board),
        }
    }

    /// The sets of a board of keys.
    #[inline(always)]
    pub fn find_keys<const N: usize>(&mut self, board: &[Key; N]) -> &[Set] {
        let n = match board.first_chunk() {
            Some(twelve) if N == 12 => self.search_12_keys(twelve),
            _ => self.search(board),
        };
        &self.found[..n.expect("no card twice")]
    }

    /// The fast search for the usual board, with SIMD if the processor has it.
    #[inline(always)]
    fn search_12<P: Copy + Into<Option<Card>>>(&mut self, board: &[P]) -> Option<usize> {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = self.simd {
            let room = self.found.first_chunk_mut().expect("made so");
            // A constant length lets the compiler unroll the loop over the places.
            return if let Some(full) = board.first_chunk::<12>() {
                wide::search(simd, |i| full[i].into().map_or(wide::GAP, wide::code), room)
            } else {
                let code = |i| match board.get(i).copied().and_then(P::into) {
                    Some(card) => wide::code(card),
                    None => wide::GAP,
                };
                wide::search(simd, code, room)
            };
        }
        self.search(&keys::<12, P>(board))
    }

    /// The same for keys.
    #[inline(always)]
    fn search_12_keys(&mut self, board: &[Key; 12]) -> Option<usize> {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = self.simd {
            let room = self.found.first_chunk_mut().expect("made so");
            return wide::search(simd, |i| wide::code_of_key(board[i]), room);
        }
        self.search(board)
    }

    /// The fast search; `None` if a card occurs twice. Returns the number of sets.
    #[inline(always)]
    fn search<const N: usize>(&mut self, board: &[Key; N]) -> Option<usize> {
        let halves = const { [(0, N / 2), (N / 2, N)] };
        let Self { present, place_of, found, .. } = self;
        // The masks prove to the compiler that keys are in range, here and below, so it omits
        // bounds checks.
        let keys: [usize; N] = board.map(|key| usize::from(key) % KEYS);
        let mut twice = 0;
        for (place, &key) in keys.iter().enumerate() {
            twice |= present[key];
            present[key] = 1;
            place_of[key] = place as u8;
        }
        let mut hits = [0u64; 2];
        for (hits, (start, end)) in hits.iter_mut().zip(halves) {
            for i in start..end {
                for j in i + 1..end {
                    let third = COMPLETING[keys[i]][keys[j]];
                    *hits = *hits << 1 | u64::from(present[usize::from(third)]);
                }
            }
        }
        for key in keys {
            present[key] = 0;
        }
        if twice != 0 {
            return None;
        }

        // If the hits of both halves fit into one word, there is only one loop to mispredict.
        let pairs = halves.map(|(start, end)| (end - start) * (end - start - 1) / 2);
        let words =
            if pairs[0] + pairs[1] <= 64 { [0, hits[0] << pairs[1] | hits[1]] } else { hits };
        let room: &mut [Set; FAST_SETS] = found.first_chunk_mut().expect("made so");
        let mut n = 0;
        for (mut word, pairs_so_far) in words.into_iter().zip([pairs[0], pairs[0] + pairs[1]]) {
            while word != 0 {
                let pair = pairs_so_far - 1 - word.trailing_zeros() as usize;
                word &= word - 1;
                let Pair { i, j, third_places } = Pairs::<N>::TABLE[pair % PAIRS_MAX];
                let [a, b] = [i, j].map(|place| usize::from(board[usize::from(place) % N]) % KEYS);
                let k = place_of[usize::from(COMPLETING[a][b]) % KEYS];
                let [i, j, k] = [i, j, k].map(usize::from);
                room[n % FAST_SETS] = Set([i.min(k), if k < i { i } else { j }, j.max(k)]);
                // Always written, but counted only if no other pair reports the same set.
                n += (third_places >> k & 1) as usize;
            }
        }
        Some(n)
    }

    /// The general search, for boards of any size with repeated cards.
    #[cold]
    fn search_any<P: Copy + Into<Option<Card>>>(&mut self, board: &[P]) -> &[Set] {
        let mut places_of = vec![Vec::new(); DECK_SIZE];
        let cards: Vec<(usize, Card)> =
            board.iter().enumerate().filter_map(|(i, &place)| Some((i, place.into()?))).collect();
        for &(i, card) in &cards {
            places_of[card.index()].push(i);
        }
        let mut n = 0;
        for (at, &(i, a)) in cards.iter().enumerate() {
            for &(j, b) in cards[at + 1..].iter().filter(|&&(_, b)| a != b) {
                let places = &places_of[completing(a, b).index()];
                for &k in places.iter().filter(|&&k| k > j) {
                    if n == self.found.len() {
                        self.found.push(Set([0; 3]));
                    }
                    self.found[n] = Set([i, j, k]);
                    n += 1;
                }
            }
        }
        &self.found[..n]
    }
}

/// All sets of a board, as places in ascending order. The board may hold a card more than once; a
/// set needs three different cards. For many boards, or boards with empty places, use [`Finder`].
pub fn find_all(board: &[Card]) -> Vec<Set> {
    thread_local! {
        static FINDER: RefCell<Finder> = RefCell::new(Finder::new());
    }
    let mut found = FINDER.with_borrow_mut(|finder| finder.find(board).to_vec());
    found.sort_unstable();
    found
}

#[inline(always)]
fn keys<const N: usize, P: Copy + Into<Option<Card>>>(board: &[P]) -> [Key; N] {
    std::array::from_fn(|i| {
        let card: Option<Card> = board.get(i).and_then(|&place| place.into());
        card.map_or(gap_key(i), key)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares both searches on a machine with SIMD.
        #[test]
        fn both_ways_for_twelve_places_agree(places in prop::array::uniform12(0..2 * DECK_SIZE)) {
            let mut board = [0; 12];
            for (i, place) in places.into_iter().enumerate() {
                // Repeats and gaps occur often.
                board[i] = if place < DECK_SIZE { place as Key / 2 } else { gap_key(i) };
            }
            let mut finder = Finder::new();
            // The order is the same too, so that a random choice among the sets is the same
            // everywhere.
            let answer = |finder: &Finder, n: Option<usize>| n.map(|n| finder.found[..n].to_vec());
            let n = finder.search(&board);
            let plain = answer(&finder, n);
            let n = finder.search_12_keys(&board);
            prop_assert_eq!(answer(&finder, n), plain.clone());
            let n = finder.search_12(&board.map(|key| {
                let index = usize::from(key);
                (index < DECK_SIZE).then(|| Card::from_index(index))
            }));
            prop_assert_eq!(answer(&finder, n), plain);
        }
    }

    #[test]
    fn keys_are_indices() {
        assert!(Card::deck().all(|card| usize::from(key(card)) == card.index()));
    }

    #[test]
    fn every_three_places_belong_to_one_pair_of_them() {
        let table = Pairs::<15>::TABLE;
        for a in 0..15u8 {
            for b in a + 1..15 {
                for c in b + 1..15 {
                    let reports = |i, j, k: u8| {
                        let mut pairs = table[..49].iter().filter(|p| (p.i, p.j) == (i, j));
                        pairs.any(|p| p.third_places >> k & 1 == 1)
                    };
                    let count = [reports(a, b, c), reports(a, c, b), reports(b, c, a)];
                    assert_eq!(count.into_iter().filter(|&r| r).count(), 1, "{a} {b} {c}");
                }
            }
        }
    }
}
