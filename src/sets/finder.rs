//! All sets of a board, fast.
//!
//! Through each pair of cards passes exactly one set, so it is enough to look up the completing
//! card of some pairs: split the board's places into two halves, then any three places have two
//! in the same half, and the pairs within the halves find every set. For 12 places these are 30
//! pairs instead of 66 (the fewest possible, by Mantel's theorem).

use super::Set;
use crate::cards::{Card, DECK_SIZE, Property};

/// Boards up to this size take the fast way; a board of different cards without a set has 20 at
/// most, so that ordinary games never leave it.
const FAST_MAX: usize = 21;

/// A place of a board as the finder wants it.
///
/// The low 11 bits hold the card's values as digits of base 5, so that the digits of two cards
/// add without a carry and the sum tells the completing card; the bits from 16 on hold the card's
/// index in the deck.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key(u32);

/// What each property's value is multiplied with to make a [`Key`], in [`Property::ALL`] order.
const WEIGHTS: [u32; 4] = [125 | 27 << 16, 25 | 9 << 16, 5 | 3 << 16, 1 | 1 << 16];
/// Above every sum of two cards' digits.
const GAP_DIGITS: u32 = 625;
/// Mask of the low bits of a sum of two keys: two gaps make 1,250.
const SUM_MASK: u32 = 2047;
/// Index under which gaps are entered; no pair asks for it.
const GAP_INDEX: u32 = DECK_SIZE as u32;
/// Index of a card that is never on the board: what completes a pair with a gap in it.
const NOBODY: u8 = 127;

/// Index of the card that completes two cards, by the sum of their digits.
static COMPLETING: [u8; SUM_MASK as usize + 1] = {
    let mut table = [NOBODY; SUM_MASK as usize + 1];
    let mut sum = 0;
    while sum < GAP_DIGITS as usize {
        let mut index = 0;
        let mut place = 125;
        while place > 0 {
            // The three values of a set add up to a multiple of 3 in every property.
            index = index * 3 + (6 - sum / place % 5) % 3;
            place /= 5;
        }
        table[sum] = index as u8;
        sum += 1;
    }
    table
};

impl Key {
    /// An empty place: part of no set.
    pub(crate) const GAP: Self = Self(GAP_DIGITS | GAP_INDEX << 16);

    #[inline]
    const fn index(self) -> usize {
        (self.0 >> 16) as usize
    }

    /// Index of the card that completes two cards, or [`NOBODY`]'s.
    #[inline]
    fn completing(self, other: Self) -> usize {
        COMPLETING[((self.0 + other.0) & SUM_MASK) as usize] as usize
    }
}

impl From<Card> for Key {
    #[inline]
    fn from(card: Card) -> Self {
        let weight = |p: Property| card.value(p) as u32 * WEIGHTS[p as usize];
        Self(Property::ALL.into_iter().map(weight).sum())
    }
}

impl Key {
    #[inline]
    fn of_place(place: impl Into<Option<Card>>) -> Self {
        place.into().map_or(Self::GAP, Self::from)
    }
}

/// Calls `found` with each set of a board, in no particular order; the three places ascend.
///
/// A place is a [`Card`] or an `Option<Card>`, an empty place being part of no set. A card may
/// stand on several places; each choice of places is a set of its own, and a set needs three
/// different cards.
#[inline]
pub fn for_each_set<P>(board: &[P], mut found: impl FnMut(Set))
where
    P: Copy + Into<Option<Card>>,
{
    let mut found = |i: usize, j: usize, k: usize| found(Set([i, j, k]));
    match board.len() {
        0..=12 => search(&padded::<12, P>(board), &mut found),
        13..=15 => search(&padded::<15, P>(board), &mut found),
        16..=18 => search(&padded::<18, P>(board), &mut found),
        19..=FAST_MAX => search(&padded::<FAST_MAX, P>(board), &mut found),
        _ => search_any(&board.iter().map(|&p| Key::of_place(p)).collect::<Vec<_>>(), &mut found),
    }
}

#[inline]
fn padded<const N: usize, P>(board: &[P]) -> [Key; N]
where
    P: Copy + Into<Option<Card>>,
{
    let mut keys = [Key::GAP; N];
    for (key, &place) in keys.iter_mut().zip(board) {
        *key = Key::of_place(place);
    }
    keys
}

/// The pairs within the two halves of N places, in the order in which [`search`] goes through
/// them, and beside each pair the places where the third card makes a set that no earlier pair
/// has found: all of the other half, and the later ones of this half.
struct Pairs<const N: usize>;

impl<const N: usize> Pairs<N> {
    const HALVES: [(usize, usize); 2] = [(0, N / 2), (N / 2, N)];

    const fn third_places(half: usize, j: usize) -> u32 {
        let (start, end) = Self::HALVES[half];
        let all = (1u32 << N) - 1;
        let own = (1u32 << end) - (1u32 << start);
        (all & !own) | (own & !((2u32 << j) - 1))
    }

    const TABLE: [[(u8, u8); 64]; 2] = {
        let mut table = [[(0, 0); 64]; 2];
        let mut half = 0;
        while half < 2 {
            let (start, end) = Self::HALVES[half];
            let (mut pair, mut i) = (0, start);
            while i < end {
                let mut j = i + 1;
                while j < end {
                    table[half][pair] = (i as u8, j as u8);
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

/// The search over a fixed number of places, 21 at most: no pair is a branch, hits are collected
/// as bits and taken apart afterwards.
#[inline(always)]
pub(crate) fn search<const N: usize>(
    board: &[Key; N],
    found: &mut impl FnMut(usize, usize, usize),
) {
    const { assert!(N <= FAST_MAX, "a half's pairs must fit into 64 bits") };
    // Bit i of entry c: card c lies on place i.
    let mut places_of = [0u32; 128];
    for (i, key) in board.iter().enumerate() {
        places_of[key.index() & 127] |= 1 << i;
    }
    for half in 0..2 {
        let (start, end) = Pairs::<N>::HALVES[half];
        let (mut hits, mut pair) = (0u64, 0);
        for i in start..end {
            for j in i + 1..end {
                let third = board[i].completing(board[j]) & 127;
                let hit = places_of[third] & Pairs::<N>::third_places(half, j) != 0;
                hits |= u64::from(hit) << pair;
                pair += 1;
            }
        }
        while hits != 0 {
            let (i, j) = Pairs::<N>::TABLE[half][hits.trailing_zeros() as usize];
            let (i, j) = (usize::from(i), usize::from(j));
            hits &= hits - 1;
            if board[i] == board[j] {
                continue;
            }
            let third = board[i].completing(board[j]) & 127;
            let mut places = places_of[third] & Pairs::<N>::third_places(half, j);
            while places != 0 {
                let k = places.trailing_zeros() as usize;
                places &= places - 1;
                if k < i { found(k, i, j) } else { found(i, j, k) }
            }
        }
    }
}

/// The plain search, for boards of any size.
fn search_any(board: &[Key], found: &mut impl FnMut(usize, usize, usize)) {
    let mut places_of = vec![Vec::new(); 128];
    for (i, key) in board.iter().enumerate() {
        places_of[key.index()].push(i);
    }
    for (i, &a) in board.iter().enumerate() {
        for (j, &b) in board.iter().enumerate().skip(i + 1) {
            if a != b {
                let places = &places_of[a.completing(b)];
                let later = places.partition_point(|&k| k <= j);
                places[later..].iter().for_each(|&k| found(i, j, k));
            }
        }
    }
}
