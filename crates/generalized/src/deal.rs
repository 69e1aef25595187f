//! Uniform dealing from a seed, in two ways that never hold the deck in memory.
//!
//! Both deal every order of the deck with the same probability; they differ in the state that they
//! keep.

use super::rules::{Card, Rules};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Deals a deck, card by card.
pub trait Dealer {
    /// The next card; `None` when the deck is used up.
    fn draw(&mut self) -> Option<Card>;

    /// Draws up to `count` cards, appends them to `cards`, and returns their number.
    fn deal(&mut self, count: usize, cards: &mut Vec<Card>) -> usize {
        let before = cards.len();
        for _ in 0..count {
            match self.draw() {
                Some(card) => cards.push(card),
                None => break,
            }
        }
        cards.len() - before
    }

    /// A new deck, shuffled by `seed`.
    fn shuffle(&mut self, seed: u64);
}

/// Draws a random card, and repeats while it was dealt already.
///
/// Stores the dealt cards. Fast while most of the deck remains; a whole deck of D cards takes about
/// D ln D draws.
pub struct Rejection {
    random: Pcg64Mcg,
    dealt: CardSet,
    left: u64,
    deck: u64,
}

impl Rejection {
    /// A full deck, shuffled by `seed`.
    pub fn new(rules: &Rules, seed: u64) -> Self {
        Self {
            random: Pcg64Mcg::seed_from_u64(seed),
            dealt: CardSet::new(rules.deck()),
            left: rules.deck(),
            deck: rules.deck(),
        }
    }
}

impl Dealer for Rejection {
    #[inline]
    fn draw(&mut self) -> Option<Card> {
        self.left = self.left.checked_sub(1)?;
        loop {
            let card = self.random.random_range(0..self.deck);
            if self.dealt.insert(card) {
                return Some(Card(card));
            }
        }
    }

    fn shuffle(&mut self, seed: u64) {
        self.random = Pcg64Mcg::seed_from_u64(seed);
        self.dealt.clear();
        self.left = self.deck;
    }
}

/// The Fisher-Yates shuffle, one step per card: the i-th card is swapped with a random one from i
/// on. Only places with a moved card are stored, so memory grows with the cards dealt and not with
/// the deck, and the last card costs no more than the first.
pub struct FisherYates {
    random: Pcg64Mcg,
    moved: HashMap<u64, u64, BuildHasherDefault<CardHasher>>,
    next: u64,
    deck: u64,
}

impl FisherYates {
    /// A full deck, shuffled by `seed`.
    pub fn new(rules: &Rules, seed: u64) -> Self {
        Self {
            random: Pcg64Mcg::seed_from_u64(seed),
            moved: HashMap::default(),
            next: 0,
            deck: rules.deck(),
        }
    }
}

impl Dealer for FisherYates {
    #[inline]
    fn draw(&mut self) -> Option<Card> {
        if self.next == self.deck {
            return None;
        }
        let here = self.next;
        self.next += 1;
        let chosen = self.random.random_range(here..self.deck);
        // This place's entry is removed, because no later step reads an earlier place.
        let card_here = self.moved.remove(&here).unwrap_or(here);
        if chosen == here {
            return Some(Card(card_here));
        }
        Some(Card(self.moved.insert(chosen, card_here).unwrap_or(chosen)))
    }

    fn shuffle(&mut self, seed: u64) {
        self.random = Pcg64Mcg::seed_from_u64(seed);
        self.moved.clear();
        self.next = 0;
    }
}

/// A set of cards of one deck: a bit per card for small decks, a hash set for others.
pub(super) enum CardSet {
    Bits(Vec<u64>),
    Hash(HashSet<u64, BuildHasherDefault<CardHasher>>),
}

/// Maximum size of a deck stored as bits (512 KiB).
const BITS_UP_TO: u64 = 1 << 22;

impl CardSet {
    /// An empty set for cards below `deck`.
    pub fn new(deck: u64) -> Self {
        if deck <= BITS_UP_TO {
            Self::Bits(vec![0; deck.div_ceil(64) as usize])
        } else {
            Self::Hash(HashSet::default())
        }
    }

    /// Inserts a card; returns false if it was in the set already.
    #[inline]
    pub fn insert(&mut self, card: u64) -> bool {
        match self {
            Self::Bits(words) => {
                let word = &mut words[(card >> 6) as usize];
                let bit = 1 << (card & 63);
                let new = *word & bit == 0;
                *word |= bit;
                new
            }
            Self::Hash(set) => set.insert(card),
        }
    }

    /// Removes a card.
    #[inline]
    pub fn remove(&mut self, card: u64) {
        match self {
            Self::Bits(words) => words[(card >> 6) as usize] &= !(1 << (card & 63)),
            Self::Hash(set) => {
                set.remove(&card);
            }
        }
    }

    /// Whether the set contains the card.
    #[inline]
    pub fn contains(&self, card: u64) -> bool {
        match self {
            Self::Bits(words) => words[(card >> 6) as usize] >> (card & 63) & 1 == 1,
            Self::Hash(set) => set.contains(&card),
        }
    }

    /// Removes all cards.
    #[inline]
    pub fn clear(&mut self) {
        match self {
            Self::Bits(words) => words.fill(0),
            Self::Hash(set) => set.clear(),
        }
    }

    /// Memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Bits(words) => words.len() * 8,
            Self::Hash(set) => set.capacity() * 9,
        }
    }
}

/// Hash of a card: Knuth's multiplicative hash, folded so that both ends of the product count.
/// Cards come from the program's own dealer, so nobody can choose colliding ones; the standard hash
/// costs several times as much.
#[derive(Default)]
pub(super) struct CardHasher(u64);

impl Hasher for CardHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, card: u64) {
        // Modulo 2^128: only the halves are mixed.
        let product =
            u128::from(card ^ self.0).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dealers(rules: &Rules, seed: u64) -> [Box<dyn Dealer>; 2] {
        [Box::new(Rejection::new(rules, seed)), Box::new(FisherYates::new(rules, seed))]
    }

    fn rest(dealer: &mut dyn Dealer) -> Vec<u64> {
        std::iter::from_fn(|| dealer.draw()).map(|card| card.0).collect()
    }

    #[test]
    fn each_card_of_the_deck_is_dealt_once() {
        for (v, p) in [(1, 5), (2, 1), (3, 4), (4, 5), (7, 3)] {
            let rules = Rules::new(v, p, 1).unwrap();
            for mut dealer in dealers(&rules, 11) {
                let mut cards = rest(&mut *dealer);
                assert!(v <= 2 || !cards.is_sorted(), "shuffled");
                cards.sort_unstable();
                assert!(cards.iter().copied().eq(0..rules.deck()));
                assert_eq!(dealer.draw(), None);
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_deal_again_and_another_seed_another() {
        let rules = Rules::new(3, 4, 1).unwrap();
        for (mut a, mut b) in dealers(&rules, 5).into_iter().zip(dealers(&rules, 6)) {
            let deal = rest(&mut *a);
            assert_ne!(deal, rest(&mut *b));
            b.shuffle(5);
            assert_eq!(deal, rest(&mut *b));
        }
    }

    #[test]
    fn a_deck_of_astronomic_size_is_dealt_from() {
        let rules = Rules::new(3, 40, 1).unwrap();
        for mut dealer in dealers(&rules, 1) {
            let cards: HashSet<u64> = (0..1000).map(|_| dealer.draw().unwrap().0).collect();
            assert_eq!(cards.len(), 1000);
            assert!(cards.iter().any(|&c| c > rules.deck() / 2));
        }
    }

    #[test]
    fn all_orders_of_a_tiny_deck_come_equally_often() {
        // 3 cards, 6 orders, 60,000 deals: 10,000 each, standard error 91.
        let rules = Rules::new(3, 1, 1).unwrap();
        for mut dealer in dealers(&rules, 0) {
            let mut times: HashMap<Vec<u64>, u32> = HashMap::new();
            for seed in 0..60_000 {
                dealer.shuffle(seed);
                *times.entry(rest(&mut *dealer)).or_default() += 1;
            }
            assert_eq!(times.len(), 6);
            assert!(times.values().all(|&n| n.abs_diff(10_000) < 5 * 91), "{times:?}");
        }
    }

    #[test]
    fn both_kinds_of_card_set_keep_what_is_put_in() {
        for deck in [100, BITS_UP_TO + 1] {
            let mut set = CardSet::new(deck);
            assert!(set.insert(99) && !set.insert(99) && set.contains(99) && !set.contains(98));
            set.remove(99);
            assert!(!set.contains(99) && set.insert(99));
            set.clear();
            assert!(!set.contains(99));
        }
    }
}
