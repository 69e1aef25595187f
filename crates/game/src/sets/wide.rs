//! Boards of up to 15 places on processors with AVX2: all pairs at once.
//!
//! A card is a byte, with two bits for each property's value, counted from 1 (an empty place is 0).
//! The completing value of two different values is their exclusive or; of two equal values it is
//! the value itself. Each pair is a byte of one vector (30 pairs of 12 places) or of two (49 of
//! 15), and their completing cards are compared with each card of the board in turn.

use super::explain::Set;
use super::finder::{FAST_SETS, KEYS, Key, PAIRS_MAX, Pair, Pairs};
use crate::cards::{Card, DECK_SIZE, Property};
use pulp::x86::V3;
use std::arch::x86_64::{__m128i, __m256i};

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
pub(crate) const GAP: u8 = 0;

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
pub(crate) fn code_of_key(key: Key) -> u8 {
    CODES[usize::from(key) % KEYS]
}

/// The key of a card's byte.
pub(crate) fn key_of_code(code: u8) -> Key {
    let values = [6, 4, 2, 0].map(|shift| (code - 0x55) >> shift & 3);
    values.into_iter().fold(0, |key, value| 3 * key + value)
}

/// Constants of the pairs of a board, one byte each, in V vectors.
struct Lanes<const V: usize> {
    first: [Bytes; V],
    second: [Bytes; V],
    /// Lower bound: a third card at a place (counted from 1) above this makes a set to report.
    above: [Bytes; V],
    /// Upper bound: so does one at a place below this, except 0, which means none.
    below: [Bytes; V],
}

const fn lanes<const N: usize, const V: usize>() -> Lanes<V> {
    let table: [Pair; PAIRS_MAX] = Pairs::<N>::TABLE;
    let pairs = N / 2 * (N / 2 - 1) / 2 + N.div_ceil(2) * (N.div_ceil(2) - 1) / 2;
    assert!(pairs <= 32 * V);
    let mut lanes = Lanes {
        first: [[0; 32]; V],
        second: [[0; 32]; V],
        above: [[i8::MAX as u8; 32]; V],
        below: [[0; 32]; V],
    };
    let mut pair = 0;
    while pair < pairs {
        let (vector, lane) = (pair / 32, pair % 32);
        lanes.first[vector][lane] = table[pair].i;
        lanes.second[vector][lane] = table[pair].j;
        lanes.above[vector][lane] = table[pair].j + 1;
        if table[pair].i >= N as u8 / 2 {
            lanes.below[vector][lane] = N as u8 / 2 + 1;
        }
        pair += 1;
    }
    lanes
}

static LANES_12: Lanes<1> = lanes::<12, 1>();
static LANES_15: Lanes<2> = lanes::<15, 2>();

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

#[inline(always)]
fn load(bytes: Bytes) -> __m256i {
    pulp::cast(bytes)
}

/// The sets of a board: those pairs whose third card is on it.
struct Hits<'a, const V: usize> {
    simd: V3,
    lanes: &'a Lanes<V>,
    /// For each pair the place of the third card, counted from 1, or 0.
    place: [__m256i; V],
    /// All bits of the pairs that report a set.
    hit: [__m256i; V],
}

impl<'a, const V: usize> Hits<'a, V> {
    /// The sets of the first N places; `board` holds them twice.
    #[inline(always)]
    fn new<const N: usize>(simd: V3, board: __m256i, lanes: &'a Lanes<V>) -> Self {
        let V3 { avx, avx2, .. } = simd;
        let zero = avx._mm256_setzero_si256();
        let (mut places, mut hits) = ([zero; V], [zero; V]);
        for v in 0..V {
            let first = avx2._mm256_shuffle_epi8(board, load(lanes.first[v]));
            let second = avx2._mm256_shuffle_epi8(board, load(lanes.second[v]));
            let xor = avx2._mm256_xor_si256(first, second);
            // Sets the low bit of each differing value, then both its bits.
            let differs = avx2._mm256_and_si256(
                avx2._mm256_or_si256(xor, avx2._mm256_srli_epi16::<1>(xor)),
                avx._mm256_set1_epi8(0x55),
            );
            let differs = avx2._mm256_or_si256(differs, avx2._mm256_add_epi8(differs, differs));
            let third = avx2._mm256_or_si256(xor, avx2._mm256_andnot_si256(differs, first));

            let mut place = zero;
            for k in 0..N as i8 {
                let card = avx2._mm256_shuffle_epi8(board, avx._mm256_set1_epi8(k));
                let equal = avx2._mm256_cmpeq_epi8(third, card);
                let here = avx2._mm256_and_si256(equal, avx._mm256_set1_epi8(k + 1));
                place = avx2._mm256_or_si256(place, here);
            }
            // A pair with a gap finds one of its own places or another gap; both are outside these
            // bounds.
            let above = avx2._mm256_cmpgt_epi8(place, load(lanes.above[v]));
            let below = avx2._mm256_and_si256(
                avx2._mm256_cmpgt_epi8(place, zero),
                avx2._mm256_cmpgt_epi8(load(lanes.below[v]), place),
            );
            let gap = avx2._mm256_cmpeq_epi8(first, zero);
            hits[v] = avx2._mm256_andnot_si256(gap, avx2._mm256_or_si256(above, below));
            places[v] = place;
        }
        Self { simd, lanes, place: places, hit: hits }
    }

    /// A bit for each pair that reports a set.
    #[inline(always)]
    fn bits(&self) -> u64 {
        let mut bits = 0;
        for v in 0..V {
            let word = self.simd.avx2._mm256_movemask_epi8(self.hit[v]) as u32;
            bits |= u64::from(word) << (32 * v);
        }
        bits
    }

    #[inline(always)]
    fn set(&self, places: &[Bytes; V], pair: usize) -> Set {
        let (v, lane) = (pair / 32 % V, pair % 32);
        let [i, j] = [&self.lanes.first, &self.lanes.second].map(|of| usize::from(of[v][lane]));
        let k = usize::from(places[v][lane]).wrapping_sub(1);
        Set([i.min(k), i.max(j.min(k)), j.max(k)])
    }

    /// The three places of the set with the least key, if there is a set. `key` takes the ascending
    /// places of each pair's set, below 16, and gives the upper and the lower byte of its key.
    #[inline(always)]
    fn least(
        &self,
        key: impl Fn([__m256i; 3]) -> [__m256i; 2],
        set: impl Fn(usize) -> Set,
    ) -> Option<Set> {
        let V3 { sse2, sse4_1, avx, avx2, .. } = self.simd;
        let ones = avx._mm256_set1_epi8(-1);
        let mut least = ones;
        for v in 0..V {
            let [i, j] = [self.lanes.first[v], self.lanes.second[v]].map(load);
            let k = avx2._mm256_add_epi8(self.place[v], ones);
            let [low, high] = [avx2._mm256_min_epu8(i, k), avx2._mm256_max_epu8(j, k)];
            let middle = avx2._mm256_max_epu8(i, avx2._mm256_min_epu8(j, k));
            let none = avx2._mm256_andnot_si256(self.hit[v], ones);
            let [upper, lower] =
                key([low, middle, high]).map(|byte| avx2._mm256_or_si256(byte, none));
            least = avx2._mm256_min_epu16(least, avx2._mm256_unpacklo_epi8(lower, upper));
            least = avx2._mm256_min_epu16(least, avx2._mm256_unpackhi_epi8(lower, upper));
        }
        let halves = [avx._mm256_castsi256_si128(least), avx2._mm256_extracti128_si256::<1>(least)];
        let least = sse4_1._mm_minpos_epu16(sse4_1._mm_min_epu16(halves[0], halves[1]));
        let least = sse2._mm_cvtsi128_si32(least) as usize & 0xffff;
        (least != 0xffff).then(|| set(least))
    }
}

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
        let zero = avx._mm256_setzero_si256();

        // Assembled in registers, because reading back single bytes written to memory would stall.
        let mut halves = [0u64; 2];
        for i in 0..12 {
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

        let sets = Hits::new::<12>(self.simd, board, &LANES_12);
        let mut hits = sets.bits() as u32;
        let n = hits.count_ones() as usize;
        let places = sets.place.map(pulp::cast);
        let mut write = |n: usize, hits: &mut u32| {
            // From the last pair to the first, as in the scalar search, so that the order is the
            // same everywhere.
            let pair = 31 ^ (hits.leading_zeros() as usize % 32);
            *hits &= !(1 << pair);
            self.found[n % FAST_SETS] = sets.set(&places, pair);
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

/// A board of at most 15 different cards, which stays in a register from one search to the next.
#[derive(Clone, Copy)]
pub(crate) struct Board {
    simd: V3,
    /// The byte of each place.
    codes: __m128i,
}

impl Board {
    pub fn new(simd: V3, codes: [u8; 16]) -> Self {
        Self { simd, codes: pulp::cast(codes) }
    }

    /// Another board.
    #[inline(always)]
    #[must_use]
    pub fn holding(self, codes: [u8; 16]) -> Self {
        Self { codes: pulp::cast(codes), ..self }
    }

    /// The byte of each place; the last one is no place.
    pub fn codes(self) -> [u8; 16] {
        pulp::cast(self.codes)
    }

    #[inline(always)]
    fn hits<const N: usize, const V: usize>(self, lanes: &Lanes<V>) -> Hits<'_, V> {
        Hits::new::<N>(self.simd, self.simd.avx2._mm256_broadcastsi128_si256(self.codes), lanes)
    }

    /// The set with the lowest first place; of those, with the lowest second one.
    #[inline(always)]
    pub fn first(self, places: usize) -> Option<Set> {
        let key = |[low, middle, high]: [__m256i; 3]| {
            let avx2 = self.simd.avx2;
            [low, avx2._mm256_or_si256(avx2._mm256_slli_epi16::<4>(middle), high)]
        };
        let set = |key: usize| Set([key >> 8, key >> 4 & 15, key & 15]);
        match places {
            12 => self.hits::<12, 1>(&LANES_12).least(key, set),
            _ => self.hits::<15, 2>(&LANES_15).least(key, set),
        }
    }

    /// The first set in the contest's order: by the sum of the places, then by the lowest, then by
    /// the second.
    #[inline(always)]
    pub fn listed(self, places: usize) -> Option<Set> {
        let key = |[low, middle, high]: [__m256i; 3]| {
            let avx2 = self.simd.avx2;
            let sum = avx2._mm256_add_epi8(avx2._mm256_add_epi8(low, middle), high);
            [sum, avx2._mm256_or_si256(avx2._mm256_slli_epi16::<4>(low), middle)]
        };
        let set = |key: usize| {
            let [low, middle] = [key >> 4 & 15, key & 15];
            Set([low, middle, (key >> 8) - low - middle])
        };
        match places {
            12 => self.hits::<12, 1>(&LANES_12).least(key, set),
            _ => self.hits::<15, 2>(&LANES_15).least(key, set),
        }
    }

    /// The set that `pick` chooses, given their number. They are counted in the
    /// finder's order.
    #[inline(always)]
    pub fn nth(self, places: usize, pick: impl FnOnce(usize) -> usize) -> Option<Set> {
        match places {
            12 => nth(&self.hits::<12, 1>(&LANES_12), pick),
            _ => nth(&self.hits::<15, 2>(&LANES_15), pick),
        }
    }

    /// Puts cards on three places.
    #[inline(always)]
    #[must_use]
    pub fn with(self, places: [usize; 3], codes: [u8; 3]) -> Self {
        let sse2 = self.simd.sse2;
        let (mut kept, mut put) = (self.codes, sse2._mm_setzero_si128());
        for (place, code) in places.into_iter().zip(codes) {
            let here = sse2._mm_cmpeq_epi8(self.numbers(), sse2._mm_set1_epi8(place as i8));
            kept = sse2._mm_andnot_si128(here, kept);
            put = sse2._mm_or_si128(put, sse2._mm_and_si128(here, sse2._mm_set1_epi8(code as i8)));
        }
        Self { codes: sse2._mm_or_si128(kept, put), ..self }
    }

    /// Takes the cards of a set from a board of 15; those behind them move up.
    #[inline(always)]
    #[must_use]
    pub fn without(self, set: Set) -> Self {
        let V3 { sse2, ssse3, .. } = self.simd;
        let mut from = self.numbers();
        for (taken, place) in set.0.into_iter().enumerate() {
            let last = sse2._mm_set1_epi8(place as i8 - 1 - taken as i8);
            from = sse2._mm_sub_epi8(from, sse2._mm_cmpgt_epi8(self.numbers(), last));
        }
        let moved = ssse3._mm_shuffle_epi8(self.codes, from);
        let occupied = sse2._mm_cmpgt_epi8(sse2._mm_set1_epi8(12), self.numbers());
        Self { codes: sse2._mm_and_si128(moved, occupied), ..self }
    }

    /// 0 to 15.
    #[inline(always)]
    fn numbers(self) -> __m128i {
        pulp::cast(std::array::from_fn::<u8, 16, _>(|i| i as u8))
    }
}

#[inline(always)]
fn nth<const V: usize>(sets: &Hits<'_, V>, pick: impl FnOnce(usize) -> usize) -> Option<Set> {
    let mut hits = sets.bits();
    if hits == 0 {
        return None;
    }
    let chosen = pick(hits.count_ones() as usize);
    let mut pairs = [0; BLIND];
    let mut next = || {
        let pair = 63 ^ (hits.leading_zeros() as usize % 64);
        hits &= !(1 << pair);
        pair
    };
    pairs.fill_with(&mut next);
    let pair = match pairs.get(chosen) {
        Some(&pair) => pair,
        None => (pairs.len()..=chosen).map(|_| next()).last().expect("one is left"),
    };
    Some(sets.set(&sets.place.map(pulp::cast), pair))
}
