//! Four values: a value is two bits, and the fourth card is the exclusive or of the other three.

use crate::{
    deal::CardSet,
    rules::{Card, Rules},
    solver::{Budget, Solver, Stop},
};

/// `cover` for four values. A card's index consists of its values as bit pairs.
///
/// Checked cards are in blocks of 64 with a row of bits for each (property, value). Given the new
/// card c and a checked card a, a card b can be in a set with both if it agrees with them in the
/// properties where a and c agree, and differs from both in the others: a few operations on the
/// rows of a block. Then c, a and b are all equal or all different in every property, and the
/// fourth card, their exclusive or, is looked up.
pub struct Four {
    properties: usize,
    /// Unchecked cards; the last one comes first.
    waiting: Vec<Card>,
    /// The checked card at each place; valid if its bit in `taken` is set.
    places: Vec<u64>,
    /// Bits of the places that hold a card, one word per block.
    taken: Vec<u64>,
    /// Rows of each block: `rows[block * p + property][value]`, the lowest bit pair first.
    rows: Vec<[u64; 4]>,
    /// The checked cards as a set, for the look-up.
    checked: CardSet,
}

impl Four {
    /// An empty board.
    ///
    /// # Panics
    /// If the rules do not have four values.
    pub fn new(rules: &Rules) -> Self {
        assert_eq!(rules.values(), 4, "Four is for four values");
        Self {
            properties: rules.properties(),
            waiting: Vec::new(),
            places: Vec::new(),
            taken: Vec::new(),
            rows: Vec::new(),
            checked: CardSet::new(rules.deck()),
        }
    }

    /// Two checked cards that make a set with c and a third checked card.
    fn pair(&self, c: u64) -> Option<(u64, u64)> {
        // The loops over properties are short, so they are unrolled for common decks.
        match self.properties {
            3 => self.pair_of(c, 3),
            4 => self.pair_of(c, 4),
            5 => self.pair_of(c, 5),
            6 => self.pair_of(c, 6),
            p => self.pair_of(c, p),
        }
    }

    #[inline(always)]
    fn pair_of(&self, c: u64, p: usize) -> Option<(u64, u64)> {
        for (block, rows) in self.rows.chunks_exact(p).enumerate() {
            // Of the three other cards of a set, one has the value c ^ 1 and one c ^ 2 in the first
            // property that differs. Choosing those as a and b finds each set once.
            let mut agreeing = self.taken[block];
            for (first, row) in rows.iter().enumerate() {
                let value = (c >> (2 * first) & 3) as usize;
                let mut rest = agreeing & row[value ^ 1];
                while rest != 0 {
                    let a = self.places[block * 64 + rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                    if let Some(b) = self.third(c, a, first, p) {
                        return Some((a, b));
                    }
                }
                agreeing &= row[value];
                if agreeing == 0 {
                    break;
                }
            }
        }
        None
    }

    /// A checked card that makes a set with c, a and a fourth card, and that has the value c ^ 2 in
    /// the property `first`, where c and a differ.
    #[inline(always)]
    fn third(&self, c: u64, a: u64, first: usize, p: usize) -> Option<u64> {
        let value = (c >> (2 * first) & 3) as usize;
        for (block, rows) in self.rows.chunks_exact(p).enumerate() {
            let mut fitting = rows[first][value ^ 2];
            let (mut c_rest, mut a_rest) = (c, a);
            for row in rows {
                let (of_c, of_a) = ((c_rest & 3) as usize, (a_rest & 3) as usize);
                // If they agree, the common row; if they differ, neither row.
                let differ = if of_c == of_a { 0 } else { !0 };
                fitting &= (row[of_c] | row[of_a]) ^ differ;
                c_rest >>= 2;
                a_rest >>= 2;
            }
            while fitting != 0 {
                let b = self.places[block * 64 + fitting.trailing_zeros() as usize];
                fitting &= fitting - 1;
                if self.checked.contains(c ^ a ^ b) {
                    return Some(b);
                }
            }
        }
        None
    }

    fn add(&mut self, card: u64) {
        let free = self.taken.iter().position(|&word| word != !0);
        let block = free.unwrap_or_else(|| {
            self.taken.push(0);
            self.places.resize(self.taken.len() * 64, 0);
            self.rows.resize(self.taken.len() * self.properties, [0; 4]);
            self.taken.len() - 1
        });
        let bit = (!self.taken[block]).trailing_zeros();
        self.taken[block] |= 1 << bit;
        self.places[block * 64 + bit as usize] = card;
        let mut rest = card;
        for row in &mut self.rows[block * self.properties..][..self.properties] {
            row[(rest & 3) as usize] |= 1 << bit;
            rest >>= 2;
        }
        self.checked.insert(card);
    }

    /// Removes a checked card, if it is there.
    fn remove(&mut self, card: u64) {
        let place = (0..self.places.len())
            .find(|&i| self.places[i] == card && self.taken[i / 64] >> (i % 64) & 1 == 1);
        let Some(place) = place else { return };
        let (block, bit) = (place / 64, 1 << (place % 64));
        self.taken[block] &= !bit;
        let mut rest = card;
        for row in &mut self.rows[block * self.properties..][..self.properties] {
            row[(rest & 3) as usize] &= !bit;
            rest >>= 2;
        }
        self.checked.remove(card);
    }
}

impl Solver for Four {
    fn clear(&mut self) {
        self.waiting.clear();
        for (block, taken) in self.taken.iter_mut().enumerate() {
            while *taken != 0 {
                self.checked.remove(self.places[block * 64 + taken.trailing_zeros() as usize]);
                *taken &= *taken - 1;
            }
        }
        self.rows.fill([0; 4]);
    }

    fn drawn(&mut self, cards: &[Card]) {
        self.waiting.extend_from_slice(cards);
    }

    fn removed(&mut self, set: &[Card]) {
        for &card in set {
            if let Some(place) = self.waiting.iter().rposition(|&c| c == card) {
                self.waiting.swap_remove(place);
            } else {
                self.remove(card.0);
            }
        }
    }

    fn find(&mut self, budget: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop> {
        set.clear();
        let mut steps = 0u32;
        while let Some(&Card(c)) = self.waiting.last() {
            if let Some((a, b)) = self.pair(c) {
                set.extend([c, a, b, c ^ a ^ b].map(Card));
                return Ok(true);
            }
            self.waiting.pop();
            self.add(c);
            steps += 1;
            if steps.is_multiple_of(128) {
                budget.time()?;
            }
        }
        Ok(false)
    }

    fn bytes(&self) -> Option<usize> {
        let words = self.waiting.capacity() + self.places.capacity() + self.taken.capacity();
        Some(words * 8 + self.rows.capacity() * size_of::<[u64; 4]>() + self.checked.bytes())
    }
}
