//! Four values: a value is two bits, and the fourth card the exclusive or of three.

use crate::general::deal::CardSet;
use crate::general::rules::{Card, Rules};
use crate::general::solver::{Budget, Solver, Stop};

/// The lower bit of each pair.
const LOW: u64 = 0x5555_5555_5555_5555;

/// Properties up to which the groups of a card have a table of their own (2^12 groups).
const TABLE_UP_TO: usize = 12;

/// `cover` for four values. The index of a card is its values as bit pairs already.
///
/// Four values with exclusive or 0 are all alike, all different, or two pairs. Seen from one card c
/// (every card taken as its exclusive or with c), a set is c, a, b and a ^ b where a, b and a ^ b
/// differ from 0 in the same properties, their *support*: that excludes the two pairs. So only
/// cards of equal support are paired, and their exclusive or is looked up.
pub struct Four {
    properties: usize,
    /// Unchecked cards; the last comes first.
    waiting: Vec<Card>,
    checked: Vec<Card>,
    known: CardSet,
    /// Checked cards seen from the current card, sorted by support.
    groups: Vec<u64>,
    /// Where each support's group ends in `groups`, one entry for each support.
    ends: Vec<u32>,
}

impl Four {
    /// An empty board.
    ///
    /// # Panics
    /// If the rules are not of four values.
    pub fn new(rules: &Rules) -> Self {
        assert_eq!(rules.values(), 4, "Four is for four values");
        Self {
            properties: rules.properties(),
            waiting: Vec::new(),
            checked: Vec::new(),
            known: CardSet::new(rules.deck()),
            groups: Vec::new(),
            ends: vec![0; 1 << rules.properties().min(TABLE_UP_TO)],
        }
    }

    /// Two checked cards, seen from c, that make a set with it and a fourth checked card.
    fn pair(&mut self, c: u64) -> Option<(u64, u64)> {
        self.group_by_support(c);
        let mut rest = &self.groups[..];
        while let Some(&first) = rest.first() {
            let support = support(first);
            let size = rest.iter().take_while(|&&x| self::support(x) == support).count();
            let (group, others) = rest.split_at(size);
            rest = others;
            // Of the three others of a set, one has value 1 (seen from c) in the lowest property
            // of the support, one value 2: each set is met once.
            let lowest = support.trailing_zeros();
            let ones = group.iter().filter(|&&x| x >> lowest & 3 == 1);
            for &a in ones {
                for &b in group {
                    if b >> lowest & 3 == 2
                        && self::support(a ^ b) == support
                        && self.known.contains(c ^ a ^ b)
                    {
                        return Some((a, b));
                    }
                }
            }
        }
        None
    }

    /// Fills `groups`: a counting sort where supports are few, a sort where they are many.
    fn group_by_support(&mut self, c: u64) {
        self.groups.clear();
        if self.properties > TABLE_UP_TO {
            self.groups.extend(self.checked.iter().map(|card| card.0 ^ c));
            self.groups.sort_unstable_by_key(|&x| support(x));
            return;
        }
        self.ends.fill(0);
        for card in &self.checked {
            self.ends[packed_support(card.0 ^ c)] += 1;
        }
        let mut sum = 0;
        for end in &mut self.ends {
            // From here on the start of the group; filling the group moves it to its end.
            sum += std::mem::replace(end, sum);
        }
        self.groups.resize(self.checked.len(), 0);
        for card in &self.checked {
            let x = card.0 ^ c;
            let place = &mut self.ends[packed_support(x)];
            self.groups[*place as usize] = x;
            *place += 1;
        }
    }
}

/// A bit (the lower of its pair) for each property in which a card seen from c differs from c.
#[inline]
const fn support(x: u64) -> u64 {
    (x | x >> 1) & LOW
}

/// The same with the bits moved together; for up to 12 properties.
#[inline]
const fn packed_support(x: u64) -> usize {
    // Every second bit, moved together by the steps of a Morton code.
    let x = support(x) as u32;
    let x = (x | x >> 1) & 0x3333_3333;
    let x = (x | x >> 2) & 0x0F0F_0F0F;
    let x = (x | x >> 4) & 0x00FF_00FF;
    ((x | x >> 8) & 0xFFF) as usize
}

impl Solver for Four {
    fn clear(&mut self) {
        self.waiting.clear();
        for card in self.checked.drain(..) {
            self.known.remove(card.0);
        }
    }

    fn drawn(&mut self, cards: &[Card]) {
        self.waiting.extend_from_slice(cards);
    }

    fn removed(&mut self, set: &[Card]) {
        for &card in set {
            if let Some(place) = self.waiting.iter().rposition(|&c| c == card) {
                self.waiting.swap_remove(place);
            } else if let Some(place) = self.checked.iter().position(|&c| c == card) {
                self.checked.swap_remove(place);
                self.known.remove(card.0);
            }
        }
    }

    fn find(&mut self, budget: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop> {
        set.clear();
        while let Some(&card) = self.waiting.last() {
            if let Some((a, b)) = self.pair(card.0) {
                set.extend([card, Card(card.0 ^ a), Card(card.0 ^ b), Card(card.0 ^ a ^ b)]);
                return Ok(true);
            }
            self.waiting.pop();
            self.checked.push(card);
            self.known.insert(card.0);
            if self.checked.len().is_multiple_of(128) {
                budget.time()?;
            }
        }
        Ok(false)
    }

    fn bytes(&self) -> Option<usize> {
        let lists = self.waiting.capacity() + self.checked.capacity() + self.groups.capacity();
        Some(lists * 8 + self.ends.len() * 4 + self.known.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supports_are_packed_without_loss() {
        for pattern in 0..1u64 << TABLE_UP_TO {
            let spread = (0..TABLE_UP_TO).fold(0, |x, i| x | (pattern >> i & 1) << (2 * i));
            for x in [spread, spread << 1, spread * 3] {
                assert_eq!(packed_support(x) as u64, pattern);
            }
        }
    }
}
