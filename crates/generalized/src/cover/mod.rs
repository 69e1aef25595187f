//! The fastest solver: it processes one new card at a time, with an exact cover for each.
//!
//! All its forms share an invariant: no set consists only of cards that are already *checked*. So
//! only sets with the next unchecked card c matter. If there is one, the game removes it; otherwise
//! c becomes checked too.
//!
//! * [`Exact`] is for any number of values.
//! * [`Three`]: two cards determine the third, which is looked up.
//! * [`Four`]: values are two bits; the fourth card is the exclusive or of three.

mod exact;
mod four;
mod narrow;
mod table;

use crate::deal::CardSet;
use crate::rules::{Card, Rules};
use crate::solver::{Budget, Solver, Stop};

pub use exact::Exact;
pub use four::Four;

/// The solver for these rules: the special forms for three and four values.
pub fn solver(rules: &Rules) -> Box<dyn Solver> {
    solver_on(rules, 1)
}

/// The same on so many threads, of which the special forms use one.
pub fn solver_on(rules: &Rules, threads: usize) -> Box<dyn Solver> {
    match rules.values() {
        3 if Three::fits(rules) => Box::new(Three::new(rules)),
        4 => Box::new(Four::new(rules)),
        _ => Box::new(Exact::on_threads(rules, threads)),
    }
}

/// Maximum size of a deck (3^10) with a table of its cards' bit pairs.
const TABLE_UP_TO: u64 = 59_049;

/// Maximum number of properties whose bit pairs fit a word, with room to count the combinations.
const MOST_PROPERTIES: usize = 31;

/// The lower bit of each pair.
const LOW: u64 = 0x5555_5555_5555_5555;

/// `cover` for three values. Each card is stored with two bits per value, so that a few operations
/// on whole words give the third card in all properties at once, and a set of bits holds the
/// checked cards.
pub struct Three {
    rules: Rules,
    /// Bit pairs of each card of a small deck.
    table: Vec<u32>,
    /// Unchecked cards; the last one comes first.
    waiting: Vec<Card>,
    /// Checked cards and their bit pairs.
    checked: Vec<(u64, Card)>,
    checked_set: CardSet,
}

impl Three {
    /// Whether this form supports these rules: three values, at most 31 properties.
    pub const fn fits(rules: &Rules) -> bool {
        rules.values() == 3 && rules.properties() <= MOST_PROPERTIES
    }

    /// An empty board.
    ///
    /// # Panics
    /// If the rules do not [fit](Self::fits).
    pub fn new(rules: &Rules) -> Self {
        assert!(Self::fits(rules), "Three is for three values and at most 31 properties");
        let small = if rules.deck() <= TABLE_UP_TO { rules.deck() } else { 0 };
        Self {
            rules: *rules,
            table: (0..small).map(|i| spread(rules, Card(i)) as u32).collect(),
            waiting: Vec::new(),
            checked: Vec::new(),
            checked_set: CardSet::new(1 << (2 * rules.properties())),
        }
    }

    #[inline]
    fn pairs(&self, card: Card) -> u64 {
        match self.table.get(card.0 as usize) {
            Some(&pairs) => u64::from(pairs),
            None => spread(&self.rules, card),
        }
    }
}

/// The values of a card as pairs of bits.
fn spread(rules: &Rules, card: Card) -> u64 {
    rules.values_of(card).fold(0, |pairs, value| pairs << 2 | u64::from(value))
}

/// The card that makes a set with two others, all as bit pairs. Where they agree, it has the same
/// value; elsewhere the third value, which is the exclusive or of both and 3 (0^1^3 = 2, 0^2^3 = 1,
/// 1^2^3 = 0).
#[inline]
const fn third(a: u64, b: u64) -> u64 {
    let x = a ^ b;
    let differing = ((x | x >> 1) & LOW) * 3;
    x ^ differing ^ (a & !differing)
}

impl Solver for Three {
    fn clear(&mut self) {
        self.waiting.clear();
        for (pairs, _) in self.checked.drain(..) {
            self.checked_set.remove(pairs);
        }
    }

    fn drawn(&mut self, cards: &[Card]) {
        self.waiting.extend_from_slice(cards);
    }

    fn removed(&mut self, set: &[Card]) {
        for &card in set {
            if let Some(place) = self.waiting.iter().rposition(|&c| c == card) {
                self.waiting.swap_remove(place);
            } else if let Some(place) = self.checked.iter().position(|&(_, c)| c == card) {
                self.checked_set.remove(self.checked.swap_remove(place).0);
            }
        }
    }

    fn find(&mut self, budget: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop> {
        set.clear();
        while let Some(&card) = self.waiting.last() {
            let c = self.pairs(card);
            // The third card cannot be `other` again, because then it would be c as well.
            let mut checked = self.checked.iter();
            let pair = checked.find(|(other, _)| self.checked_set.contains(third(c, *other)));
            if let Some(&(a, other)) = pair {
                let wanted = third(c, a);
                set.extend([card, other]);
                set.extend(self.checked.iter().filter(|&&(p, _)| p == wanted).map(|&(_, c)| c));
                return Ok(true);
            }
            self.waiting.pop();
            self.checked.push((c, card));
            self.checked_set.insert(c);
            if self.checked.len().is_multiple_of(1024) {
                budget.time()?;
            }
        }
        Ok(false)
    }

    fn bytes(&self) -> Option<usize> {
        Some(
            self.checked_set.bytes()
                + self.table.len() * 4
                + self.waiting.capacity() * size_of::<Card>()
                + self.checked.capacity() * size_of::<(u64, Card)>(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_card_is_the_one_of_the_rules() {
        let rules = Rules::new(3, 4, 1).unwrap();
        for a in 0..81 {
            for b in (0..81).filter(|&b| b != a) {
                let wanted = third(spread(&rules, Card(a)), spread(&rules, Card(b)));
                let cards: Vec<u64> =
                    (0..81).filter(|&c| spread(&rules, Card(c)) == wanted).collect();
                assert!(cards.len() == 1 && rules.is_set(&[a, b, cards[0]].map(Card)));
            }
        }
    }
}
