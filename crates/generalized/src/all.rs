//! All sets of a board, each once.

use super::{
    mask::{self, Mask},
    rules::{Card, Rules},
    solver::{Budget, Stop},
};
use std::collections::HashMap;

/// Tells `see` each set of a board, its cards in the board's order, until it answers false. The cards
/// must be different. Returns the number of sets passed on.
///
/// A partial set is extended only by cards after it, and by the one that it lacks where that is one.
///
/// # Errors
/// The budget is spent.
pub fn sets_of_board(
    rules: &Rules,
    board: &[Card],
    budget: &Budget,
    see: &mut dyn FnMut(&[Card]) -> bool,
) -> Result<u64, Stop> {
    let mut visitor = Visitor { see, count: 0, more: true };
    if rules.values() <= 2 {
        // Any card or pair is a set, and may have more properties than a mask has room for.
        for (i, a) in board.iter().enumerate() {
            budget.time()?;
            if rules.values() == 1 {
                visitor.set(&[*a]);
            } else {
                board[i + 1..].iter().take_while(|b| visitor.set(&[*a, **b])).for_each(drop);
            }
            if !visitor.more {
                break;
            }
        }
        return Ok(visitor.count);
    }
    mask::sized!(rules, W => Board::<W>::new(rules, board).pairs(budget, &mut visitor))?;
    Ok(visitor.count)
}

/// Who is told, and how much.
struct Visitor<'a> {
    see: &'a mut dyn FnMut(&[Card]) -> bool,
    count: u64,
    more: bool,
}

impl Visitor<'_> {
    fn set(&mut self, set: &[Card]) -> bool {
        self.count += 1;
        self.more = (self.see)(set);
        self.more
    }
}

struct Board<const W: usize> {
    rules: Rules,
    cards: Vec<(Card, Mask<W>)>,
    places: HashMap<Card, usize>,
}

impl<const W: usize> Board<W> {
    fn new(rules: &Rules, board: &[Card]) -> Self {
        Self {
            rules: *rules,
            cards: board.iter().map(|&card| (card, mask::of_card(rules, card))).collect(),
            places: board.iter().enumerate().map(|(place, &card)| (card, place)).collect(),
        }
    }

    /// The sets through each pair of first cards.
    fn pairs(&self, budget: &Budget, visitor: &mut Visitor) -> Result<(), Stop> {
        let all: Vec<usize> = (0..self.cards.len()).collect();
        for (i, (_, a)) in self.cards.iter().enumerate() {
            budget.time()?;
            for (j, (_, b)) in self.cards.iter().enumerate().skip(i + 1) {
                let (union, alike) = (mask::or(a, b), mask::and(a, b));
                self.grow(&mut vec![i, j], (&union, &alike), &all[j + 1..], visitor, budget)?;
                if !visitor.more {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The sets with the cards at `places` and others of `after`.
    fn grow(
        &self,
        places: &mut Vec<usize>,
        (union, alike): (&Mask<W>, &Mask<W>),
        after: &[usize],
        visitor: &mut Visitor,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let last = places[places.len() - 1];
        if places.len() + 1 == self.rules.values() {
            let missing = mask::missing_card(&self.rules, union, alike);
            if let Some(&place) = self.places.get(&missing)
                && place > last
            {
                let set = places.iter().chain([&place]).map(|&place| self.cards[place].0);
                visitor.set(&set.collect::<Vec<Card>>());
            }
            return Ok(());
        }
        let fitting = after.iter().copied();
        let fitting: Vec<usize> =
            fitting.filter(|&i| mask::and(union, &self.cards[i].1) == *alike).collect();
        budget.time()?;
        for (i, &place) in fitting.iter().enumerate() {
            if fitting.len() - i + places.len() < self.rules.values() || !visitor.more {
                break;
            }
            places.push(place);
            let union = mask::or(union, &self.cards[place].1);
            self.grow(places, (&union, alike), &fitting[i + 1..], visitor, budget)?;
            places.pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deal::{Dealer, FisherYates};

    fn all(rules: &Rules, board: &[Card]) -> Vec<Vec<Card>> {
        let mut sets = Vec::new();
        let count = sets_of_board(rules, board, &Budget::unlimited(), &mut |set: &[Card]| {
            sets.push(set.to_vec());
            true
        })
        .unwrap();
        assert_eq!(count, sets.len() as u64);
        sets
    }

    #[test]
    fn full_decks_hold_the_sets_of_the_formula() {
        for (v, p) in
            [(1, 3), (2, 1), (2, 4), (3, 1), (3, 4), (3, 5), (4, 2), (4, 3), (5, 2), (6, 2), (7, 1)]
        {
            let rules = Rules::new(v, p, 1).unwrap();
            let deck: Vec<Card> = (0..rules.deck()).map(Card).collect();
            let sets = all(&rules, &deck);
            assert!(sets.iter().all(|set| rules.is_set(set)), "({v}, {p})");
            assert_eq!(Some(sets.len() as u128), rules.sets_of_deck(), "({v}, {p})");
        }
    }

    /// Against all combinations, on boards of decks too large to hold whole.
    #[test]
    fn a_board_holds_what_brute_force_finds() {
        for (v, p, size) in [(3, 6, 40), (4, 3, 20), (5, 3, 20), (6, 2, 20), (2, 60, 9)] {
            let rules = Rules::new(v, p, 1).unwrap();
            let mut found = 0;
            for seed in 0..10 {
                let mut board = Vec::new();
                FisherYates::new(&rules, seed).deal(size, &mut board);
                let mut expected = Vec::new();
                combinations(&board, rules.values(), &mut Vec::new(), &mut |cards| {
                    if rules.is_set(cards) {
                        expected.push(cards.to_vec());
                    }
                });
                assert_eq!(all(&rules, &board), expected, "({v}, {p}) {seed}");
                found += expected.len();
            }
            assert!(found > 5, "({v}, {p}): {found}");
        }
    }

    fn combinations(
        cards: &[Card],
        count: usize,
        chosen: &mut Vec<Card>,
        see: &mut impl FnMut(&[Card]),
    ) {
        if count == 0 {
            return see(chosen);
        }
        for (i, &card) in cards.iter().enumerate() {
            chosen.push(card);
            combinations(&cards[i + 1..], count - 1, chosen, see);
            chosen.pop();
        }
    }

    #[test]
    fn the_listing_stops_when_asked_to() {
        for (v, p) in [(1, 1), (2, 4), (3, 4), (5, 2)] {
            let rules = Rules::new(v, p, 1).unwrap();
            let deck: Vec<Card> = (0..rules.deck()).map(Card).collect();
            let enough = sets_of_board(&rules, &deck, &Budget::unlimited(), &mut |_| false);
            assert_eq!(enough, Ok(1), "({v}, {p})");
        }
    }
}
