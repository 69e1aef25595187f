//! The rules, step by step.

use super::deal::Deal;
use crate::cards::Card;
use crate::sets::{Finder, Set};

/// Rows of the layout; cards are laid down the columns.
pub const ROWS: usize = 3;
/// Cards laid out at the start; with more, the layout is compacted after a set is removed.
pub const START_CARDS: usize = 12;

/// The name of a place: its row as a letter and its column as a number, A1 to C4 for the first
/// twelve.
pub fn place_name(place: usize) -> String {
    let row = char::from(b'A' + (place % ROWS) as u8);
    format!("{row}{}", place / ROWS + 1)
}

/// The next step of a game. After each step, the [`Game`] shows the resulting table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The first cards are on the table.
    Dealt,
    /// The sets of the table, in [`listing_order`]; at least one.
    Found(Vec<Set>),
    /// The table holds no set.
    NoSet,
    /// The first listed set was removed; its places are empty now.
    Removed(Set),
    /// The cards have moved up to fill the gaps.
    Compacted,
    /// New cards are on these places.
    Added(Vec<usize>),
    /// No cards are left to deal.
    NoCards,
    /// The last step.
    Over,
}

/// The sort key of sets: the sum of the places, then the lowest place, then the second.
pub fn listing_order(set: &Set) -> (usize, usize, usize) {
    let [i, j, k] = set.0;
    (i + j + k, i, j)
}

/// A game in progress: an iterator over its [`Step`]s.
#[derive(Clone, Debug)]
pub struct Game {
    places: Vec<Option<Card>>,
    /// Cards not dealt yet, the next card last.
    stock: Vec<Card>,
    removed: Vec<Card>,
    next: Next,
    finder: Finder,
}

#[derive(Clone, Copy, Debug)]
enum Next {
    Deal,
    Search,
    Remove(Set),
    Refill,
    Grow,
    End,
    Nothing,
}

impl Game {
    /// A game that has not started.
    pub fn new(deal: &Deal) -> Self {
        let stock = deal.cards().iter().rev().copied().collect();
        Self {
            places: Vec::new(),
            stock,
            removed: Vec::new(),
            next: Next::Deal,
            finder: Finder::new(),
        }
    }

    /// The places of the table, column by column: place i is in row i % [`ROWS`].
    pub fn places(&self) -> &[Option<Card>] {
        &self.places
    }

    /// The places of each row, as indices into [`Self::places`].
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = usize>> {
        let places = self.places.len();
        (0..ROWS).map(move |row| (row..places).step_by(ROWS))
    }

    /// Number of cards not dealt yet.
    pub fn stock(&self) -> usize {
        self.stock.len()
    }

    /// The cards of the sets taken so far, in order.
    pub fn removed(&self) -> &[Card] {
        &self.removed
    }

    fn search(&mut self) -> Step {
        let mut sets = self.finder.find(&self.places).to_vec();
        sets.sort_unstable_by_key(listing_order);
        match sets.first() {
            Some(&first) => {
                self.next = Next::Remove(first);
                Step::Found(sets)
            }
            None => {
                self.next = Next::Grow;
                Step::NoSet
            }
        }
    }

    fn remove(&mut self, set: Set) -> Step {
        for place in set.0 {
            self.removed.extend(self.places[place].take());
        }
        self.next = Next::Refill;
        Step::Removed(set)
    }

    /// Puts new cards on these places, as far as the stock allows.
    fn add(&mut self, places: impl Iterator<Item = usize>) -> Step {
        let mut added = Vec::new();
        for place in places {
            let Some(card) = self.stock.pop() else { break };
            if place == self.places.len() {
                self.places.push(None);
            }
            self.places[place] = Some(card);
            added.push(place);
        }
        self.next = Next::Search;
        Step::Added(added)
    }
}

impl Iterator for Game {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        Some(match self.next {
            Next::Deal => {
                self.add(0..START_CARDS);
                Step::Dealt
            }
            Next::Search => self.search(),
            Next::Remove(set) => self.remove(set),
            Next::Refill if self.places.len() > START_CARDS => {
                self.places.retain(Option::is_some);
                self.next = Next::Search;
                Step::Compacted
            }
            Next::Refill if self.stock.is_empty() => self.search(),
            Next::Refill => {
                let gaps: Vec<usize> =
                    (0..self.places.len()).filter(|&i| self.places[i].is_none()).collect();
                self.add(gaps.into_iter())
            }
            Next::Grow if self.stock.is_empty() => {
                self.next = Next::End;
                Step::NoCards
            }
            Next::Grow => {
                let end = self.places.len();
                self.add(end..end + ROWS)
            }
            Next::End => {
                self.next = Next::Nothing;
                Step::Over
            }
            Next::Nothing => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cards::DECK_SIZE,
        game::{MAX_CARDS, MIN_CARDS},
        sets::{find_all, is_set},
    };
    use proptest::prelude::*;

    fn deal() -> impl Strategy<Value = Deal> {
        // Sometimes only a few different cards, to test games with many repeats and without sets.
        (1..=DECK_SIZE, MIN_CARDS..=MAX_CARDS).prop_flat_map(|(kinds, count)| {
            let card = (0..kinds).prop_map(Card::from_index);
            prop::collection::vec(card, count).prop_map(|cards| Deal::new(cards).unwrap())
        })
    }

    fn sorted(cards: impl Iterator<Item = Card>) -> Vec<Card> {
        let mut cards: Vec<Card> = cards.collect();
        cards.sort();
        cards
    }

    proptest! {
        #[test]
        fn no_card_comes_from_nowhere_or_is_lost(deal in deal()) {
            let all = sorted(deal.cards().iter().copied());
            let mut game = Game::new(&deal);
            while let Some(step) = game.next() {
                let table = game.places.iter().flatten();
                let now = table.chain(&game.stock).chain(&game.removed).copied();
                prop_assert_eq!(&sorted(now), &all, "after {:?}", step);
                if let Step::Added(places) = &step {
                    prop_assert!((1..=3).contains(&places.len()));
                }
                if game.stock() > 0 && !matches!(step, Step::Removed(_)) {
                    prop_assert!(game.places.iter().all(Option::is_some), "a gap after {:?}", step);
                }
            }
        }

        #[test]
        fn a_game_ends_with_no_set_and_nothing_to_deal(deal in deal()) {
            let mut game = Game::new(&deal);
            let mut steps = Vec::new();
            for step in game.by_ref() {
                if let Step::Found(sets) = &step {
                    prop_assert!(sets.is_sorted_by_key(listing_order));
                }
                steps.push(step);
            }
            prop_assert!(steps.ends_with(&[Step::NoSet, Step::NoCards, Step::Over]));
            prop_assert_eq!(game.stock(), 0);
            let left: Vec<Card> = game.places.iter().flatten().copied().collect();
            prop_assert_eq!(find_all(&left), []);
            for set in game.removed.chunks(3) {
                prop_assert!(is_set(set[0], set[1], set[2]));
            }
        }

        #[test]
        fn taking_the_steps_back_gives_the_deal(deal in deal()) {
            // Reconstructs the table before each step from the table after it: a step contains
            // enough information.
            let mut game = Game::new(&deal);
            let mut tables = vec![Vec::new()];
            let mut steps = Vec::new();
            while let Some(step) = game.next() {
                tables.push(game.places.clone());
                steps.push(step);
            }
            let (mut removed, mut stock) = (game.removed.clone(), Vec::new());
            let mut table = game.places.clone();
            for (step, before) in steps.iter().zip(&tables).rev() {
                match step {
                    Step::Dealt => {
                        stock.extend(table.drain(..).rev().flatten());
                    }
                    Step::Added(places) => {
                        for &place in places.iter().rev() {
                            stock.extend(table[place].take());
                        }
                        table.truncate(before.len());
                    }
                    Step::Removed(set) => {
                        for place in set.0.into_iter().rev() {
                            table[place] = removed.pop();
                        }
                    }
                    Step::Compacted => {
                        for gap in (0..before.len()).filter(|&i| before[i].is_none()) {
                            table.insert(gap, None);
                        }
                    }
                    _ => {}
                }
                prop_assert_eq!(&table, before);
            }
            stock.reverse();
            prop_assert_eq!(stock, deal.cards());
        }
    }

    #[test]
    fn places_are_named_down_the_columns() {
        assert_eq!([0, 1, 2, 3, 11, 12].map(place_name), ["A1", "B1", "C1", "A2", "C4", "A5"]);
    }

    #[test]
    fn the_last_cards_may_be_fewer_than_three() {
        // 13 cards, all but the last equal: there is no set, so one card makes a column of its own.
        let mut cards = vec![Card::from_index(0); 12];
        cards.push(Card::from_index(1));
        let steps: Vec<Step> = Game::new(&Deal::new(cards).unwrap()).collect();
        let expected = [
            Step::Dealt,
            Step::NoSet,
            Step::Added(vec![12]),
            Step::NoSet,
            Step::NoCards,
            Step::Over,
        ];
        assert_eq!(steps, expected);
    }
}
