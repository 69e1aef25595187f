//! The finder's search of 12 places on processors with AVX2: all pairs at once.
//!
//! A card is a byte, with two bits for each property's value, counted from 1 (an empty place is 0).
//! The completing value of two different values is their exclusive or; of two equal values it is
//! the value itself. The 30 pairs are in the 32 bytes of a vector, and their completing cards are
//! compared with each card of the board in turn.

use super::keys::{FAST_SETS, KEYS, Key, PAIRS_MAX, Pair, Pairs};
use super::set::Set;
use crate::cards::{Card, DECK_SIZE, Property};
use pulp::x86::V3;
use std::arch::x86_64::__m256i;

/// Number of places on the board.
pub(super) const PLACES: usize = 12;
/// Number of pairs within the halves of the board.
const PAIRS: usize = 30;
/// Number of sets that are always written, whether they exist or not. Most boards have no more, and
/// a fixed number of iterations costs less than a mispredicted branch.
const BLIND: usize = 4;

type Bytes = [u8; 32];

/// The byte of a card.
#[inline(always)]
pub(super) fn code(card: Card) -> u8 {
    // The top byte of the product gathers the values; the lower sums stay below 256.
    let values = u32::from_le_bytes(Property::ALL.map(|p| card.value(p) as u8));
    (values.wrapping_mul(64 << 24 | 16 << 16 | 4 << 8 | 1) >> 24) as u8 + 0x55
}

/// The byte of an empty place.
pub(super) const GAP: u8 = 0;

/// The byte for each key.
static CODES: [u8; KEYS] = {
    let mut codes = [GAP; KEYS];
    let mut key = 0;
    while key < DECK_SIZE {
        codes[key] = 0x55 + (key / 27 * 64 + key / 9 % 3 * 16 + key / 3 % 3 * 4 + key % 3) as u8;
        key += 1;
    }
    codes
};

#[inline(always)]
pub(super) fn code_of_key(key: Key) -> u8 {
    CODES[usize::from(key) % KEYS]
}

/// Constants of each pair, one byte each.
struct Lanes {
    first: Bytes,
    second: Bytes,
    /// Lower bound: a third card at a place (counted from 1) above this makes a set to report.
    above: Bytes,
    /// Upper bound: so does one at a place below this, except 0, which means none.
    below: Bytes,
}

static LANES: Lanes = {
    let table: [Pair; PAIRS_MAX] = Pairs::<PLACES>::TABLE;
    let mut lanes =
        Lanes { first: [0; 32], second: [0; 32], above: [i8::MAX as u8; 32], below: [0; 32] };
    let mut i = 0;
    while i < PAIRS {
        lanes.first[i] = table[i].i;
        lanes.second[i] = table[i].j;
        lanes.above[i] = table[i].j + 1;
        if table[i].i >= PLACES as u8 / 2 {
            lanes.below[i] = PLACES as u8 / 2 + 1;
        }
        i += 1;
    }
    lanes
};

/// Rotations of 16 bytes, two per vector: by 1 and 5, 2 and 6, 3 and 7, 4 and 8. Together they
/// compare every two bytes.
static TURNS: [Bytes; 4] = {
    let mut turns = [[0; 32]; 4];
    let mut i = 0;
    while i < 4 * 32 {
        let (turn, byte) = (i / 32, i % 32);
        turns[turn][byte] = ((byte + turn + 1 + byte / 16 * 4) % 16) as u8;
        i += 1;
    }
    turns
};

/// Writes the sets of a board, given as one byte per place, to the beginning of `found`, and
/// returns their number; `None` if a card occurs twice.
#[inline(always)]
pub(super) fn search(
    simd: V3,
    code: impl Fn(usize) -> u8,
    found: &mut [Set; FAST_SETS],
) -> Option<usize> {
    simd.vectorize(Search { simd, code, found })
}

struct Search<'a, F> {
    simd: V3,
    code: F,
    found: &'a mut [Set; FAST_SETS],
}

impl<F: Fn(usize) -> u8> pulp::NullaryFnOnce for Search<'_, F> {
    type Output = Option<usize>;

    #[inline(always)]
    fn call(self) -> Option<usize> {
        let V3 { avx, avx2, .. } = self.simd;
        let load = |bytes: Bytes| -> __m256i { pulp::cast(bytes) };
        let zero = avx._mm256_setzero_si256();

        // Assembled in registers, because reading back single bytes written to memory would stall.
        let mut halves = [0u64; 2];
        for i in 0..PLACES {
            halves[i / 8] |= u64::from((self.code)(i)) << (i % 8 * 8);
        }
        let board: __m256i = pulp::cast([halves, halves]);

        let mut twice = zero;
        for turn in TURNS {
            let turned = avx2._mm256_shuffle_epi8(board, load(turn));
            twice = avx2._mm256_or_si256(twice, avx2._mm256_cmpeq_epi8(board, turned));
        }
        let twice = avx2._mm256_andnot_si256(avx2._mm256_cmpeq_epi8(board, zero), twice);
        if avx2._mm256_movemask_epi8(twice) != 0 {
            return None;
        }

        let first = avx2._mm256_shuffle_epi8(board, load(LANES.first));
        let second = avx2._mm256_shuffle_epi8(board, load(LANES.second));
        let xor = avx2._mm256_xor_si256(first, second);
        // Sets the low bit of each differing value, then both its bits.
        let differs = avx2._mm256_and_si256(
            avx2._mm256_or_si256(xor, avx2._mm256_srli_epi16::<1>(xor)),
            avx._mm256_set1_epi8(0x55),
        );
        let differs = avx2._mm256_or_si256(differs, avx2._mm256_add_epi8(differs, differs));
        let third = avx2._mm256_or_si256(xor, avx2._mm256_andnot_si256(differs, first));

        // The third card's place, counted from 1, or 0.
        let mut place = zero;
        for k in 0..PLACES as i8 {
            let card = avx2._mm256_shuffle_epi8(board, avx._mm256_set1_epi8(k));
            let equal = avx2._mm256_cmpeq_epi8(third, card);
            let here = avx2._mm256_and_si256(equal, avx._mm256_set1_epi8(k + 1));
            place = avx2._mm256_or_si256(place, here);
        }
        // A pair with a gap finds one of its own places or another gap; both are outside these
        // bounds.
        let above = avx2._mm256_cmpgt_epi8(place, load(LANES.above));
        let below = avx2._mm256_and_si256(
            avx2._mm256_cmpgt_epi8(place, zero),
            avx2._mm256_cmpgt_epi8(load(LANES.below), place),
        );
        let gap = avx2._mm256_cmpeq_epi8(first, zero);
        let hit = avx2._mm256_andnot_si256(gap, avx2._mm256_or_si256(above, below));
        let mut hits = avx2._mm256_movemask_epi8(hit) as u32;
        let n = hits.count_ones() as usize;

        let place: Bytes = pulp::cast(place);
        let mut write = |n: usize, hits: &mut u32| {
            // From the last pair to the first, as in the scalar search, so that the order is the
            // same everywhere.
            let pair = 31 ^ (hits.leading_zeros() as usize % 32);
            *hits &= !(1 << pair);
            let [i, j] = [LANES.first[pair], LANES.second[pair]].map(usize::from);
            let k = usize::from(place[pair]).wrapping_sub(1);
            self.found[n % FAST_SETS] = Set([i.min(k), i.max(j.min(k)), j.max(k)]);
        };
        (0..BLIND).for_each(|n| write(n, &mut hits));
        let mut written = BLIND;
        while hits != 0 {
            write(written, &mut hits);
            written += 1;
        }
        Some(n)
    }
}
