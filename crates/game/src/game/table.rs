//! The table of a simulated game: places with cards, and a set chosen among them.

use super::rules::{ROWS, START_CARDS, listing_order};
use super::simulate::Policy;
#[cfg(target_arch = "x86_64")]
use crate::sets::wide;
use crate::sets::{Finder, Key, Set, gap_key};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;

/// The largest board has 21 cards: it always contains a set, so the layout shrinks.
const PLACES: usize = 21;

/// A table of 12, 15, 18 or 21 places. A card is a byte, which differs from form to form.
pub(super) trait Table {
    /// The byte of a card.
    fn byte(card: Key) -> u8;

    /// Lays the first cards of a game.
    fn lay(&mut self, cards: &[u8; START_CARDS]);

    /// The set that the policy takes from so many places, if there is one. Every form of the table
    /// chooses the same, with the same random numbers.
    fn choose(&mut self, places: usize, policy: Policy, rng: &mut Pcg64Mcg) -> Option<Set>;

    /// Puts cards on three places, or none.
    fn put(&mut self, places: [usize; 3], cards: Option<[u8; 3]>);

    /// Takes a set from so many places, more than 12; the cards behind move up.
    fn close(&mut self, places: usize, set: Set);
}

/// The table for any processor: the key of each place.
pub(super) struct Plain {
    places: [Key; PLACES],
    finder: Finder,
}

impl Default for Plain {
    fn default() -> Self {
        Self { places: std::array::from_fn(gap_key), finder: Finder::new() }
    }
}

impl Table for Plain {
    fn byte(card: Key) -> u8 {
        card
    }

    #[inline(always)]
    fn lay(&mut self, cards: &[u8; START_CARDS]) {
        self.places = std::array::from_fn(gap_key);
        self.places[..START_CARDS].copy_from_slice(cards);
    }

    #[inline(always)]
    fn choose(&mut self, places: usize, policy: Policy, rng: &mut Pcg64Mcg) -> Option<Set> {
        let table = &self.places;
        let sets = match places {
            12 => self.finder.find_keys::<12>(table.first_chunk().expect("21 places")),
            15 => self.finder.find_keys::<15>(table.first_chunk().expect("21 places")),
            18 => self.finder.find_keys::<18>(table.first_chunk().expect("21 places")),
            _ => self.finder.find_keys(table),
        };
        match policy {
            _ if sets.is_empty() => None,
            Policy::Random => Some(sets[rng.random_range(..sets.len())]),
            Policy::First => sets.iter().min().copied(),
            Policy::Listed => sets.iter().min_by_key(|set| listing_order(set)).copied(),
        }
    }

    #[inline(always)]
    fn put(&mut self, places: [usize; 3], cards: Option<[u8; 3]>) {
        let cards = cards.unwrap_or_else(|| places.map(gap_key));
        for (place, card) in places.into_iter().zip(cards) {
            self.places[place] = card;
        }
    }

    #[inline(always)]
    fn close(&mut self, places: usize, set: Set) {
        let [i, j, k] = set.0;
        self.places.copy_within(i + 1..j, i);
        self.places.copy_within(j + 1..k, j - 1);
        self.places.copy_within(k + 1..places, k - 2);
        (places - ROWS..places).for_each(|gap| self.places[gap] = gap_key(gap));
    }
}

/// The table for processors with AVX2: up to 15 places stay in a register.
#[cfg(target_arch = "x86_64")]
pub(super) struct InRegister {
    board: wide::Board,
    /// Boards of 18 and 21 places, which are rare.
    large: Plain,
}

/// Most places in the register.
#[cfg(target_arch = "x86_64")]
const IN_REGISTER: usize = 15;

#[cfg(target_arch = "x86_64")]
impl InRegister {
    pub fn new(simd: pulp::x86::V3) -> Self {
        Self { board: wide::Board::new(simd, [wide::GAP; 16]), large: Plain::default() }
    }
}

#[cfg(target_arch = "x86_64")]
impl Table for InRegister {
    fn byte(card: Key) -> u8 {
        wide::code_of_key(card)
    }

    #[inline(always)]
    fn lay(&mut self, cards: &[u8; START_CARDS]) {
        let codes = std::array::from_fn(|i| cards.get(i).copied().unwrap_or(wide::GAP));
        self.board = self.board.holding(codes);
    }

    #[inline(always)]
    fn choose(&mut self, places: usize, policy: Policy, rng: &mut Pcg64Mcg) -> Option<Set> {
        match policy {
            _ if places > IN_REGISTER => self.large.choose(places, policy, rng),
            Policy::Random => self.board.nth(places, |sets| rng.random_range(..sets)),
            Policy::First => self.board.first(places),
            Policy::Listed => self.board.listed(places),
        }
    }

    #[inline(always)]
    fn put(&mut self, places: [usize; 3], cards: Option<[u8; 3]>) {
        if places[2] < IN_REGISTER {
            self.board = self.board.with(places, cards.unwrap_or([wide::GAP; 3]));
            return;
        }
        if places[0] == IN_REGISTER {
            let codes = self.board.codes();
            self.large = Plain::default();
            for (place, &code) in codes[..IN_REGISTER].iter().enumerate() {
                self.large.places[place] = wide::key_of_code(code);
            }
        }
        self.large.put(places, cards.map(|codes| codes.map(wide::key_of_code)));
    }

    #[inline(always)]
    fn close(&mut self, places: usize, set: Set) {
        if places <= IN_REGISTER {
            self.board = self.board.without(set);
            return;
        }
        self.large.close(places, set);
        if places - ROWS == IN_REGISTER {
            let codes = std::array::from_fn(|place| match self.large.places.get(place) {
                Some(&key) if place < IN_REGISTER => wide::code_of_key(key),
                _ => wide::GAP,
            });
            self.board = self.board.holding(codes);
        }
    }
}
