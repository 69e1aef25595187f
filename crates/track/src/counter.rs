//! Counts what has happened in the game, as far as the camera could see it.

use crate::TrackedTable;
use setsight_game::cards::{Card, DECK_SIZE};
use setsight_game::sets::{Chance, is_set, three_more_from};
use std::collections::{BTreeMap, BTreeSet};

/// A card counts as seen after it has been sure for this long; shorter appearances are errors.
const SEEN_MS: f64 = 400.0;
/// The three cards of a set are taken within this time.
const TAKING_MS: f64 = 10_000.0;

/// Counts cards and sets of a game.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    /// Tracks on the table: the card, and the time since which it is sure.
    on_table: BTreeMap<u64, (Card, f64)>,
    counted: BTreeSet<Card>,
    /// Cards that disappeared recently, with the time.
    gone: Vec<(Card, f64)>,
    taken: Vec<[Card; 3]>,
    board: Vec<Card>,
    chance: Option<Chance>,
}

/// The count at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Different cards seen since the game began.
    pub distinct_cards: usize,
    /// Sets that were taken from the table.
    pub taken: Vec<[Card; 3]>,
    /// Number of cards not seen yet, that is, left in the deck.
    pub left: usize,
    /// The chance that the next three cards complete a set; `None` if fewer than three are left.
    pub chance: Option<Chance>,
}

impl Counter {
    /// Begins a new game.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Updates the count with the table at a given time.
    pub fn update(&mut self, table: &TrackedTable, time_ms: f64) {
        let mut now = BTreeMap::new();
        for (card, track) in table.cards().filter(|(card, _)| !card.unsure) {
            let code = card.card;
            let since = match self.on_table.get(&track.id) {
                Some(&(card, since)) if card == code => since,
                _ => time_ms,
            };
            now.insert(track.id, (code, since));
        }
        let ids: BTreeSet<u64> = table.tracks.iter().map(|card| card.id).collect();
        for (id, &(card, since)) in &self.on_table {
            let left_unseen = table.departed.contains(id);
            if !ids.contains(id) && !left_unseen && time_ms - since >= SEEN_MS {
                self.gone.push((card, time_ms));
            }
        }
        for &(card, since) in now.values() {
            if time_ms - since >= SEEN_MS {
                self.counted.insert(card);
                // The card was put back, so it was not taken.
                self.gone.retain(|gone| gone.0 != card);
                self.taken.retain(|set| !set.contains(&card));
            }
        }
        self.on_table = now;
        self.gone.retain(|gone| time_ms - gone.1 <= TAKING_MS);
        self.find_taken();
        let board: Vec<Card> = table.table.cards.iter().map(|card| card.card).collect();
        if board != self.board || self.chance.is_none() {
            let left = Card::deck().filter(|card| !self.counted.contains(card));
            self.chance = three_more_from(&board, left);
            self.board = board;
        }
    }

    fn find_taken(&mut self) {
        let n = self.gone.len();
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    let cards = [self.gone[i].0, self.gone[j].0, self.gone[k].0];
                    if is_set(cards[0], cards[1], cards[2]) {
                        self.taken.push(cards);
                        self.gone.retain(|gone| !cards.contains(&gone.0));
                        return self.find_taken();
                    }
                }
            }
        }
    }

    /// The current count.
    pub fn score(&self) -> Score {
        Score {
            distinct_cards: self.counted.len(),
            taken: self.taken.clone(),
            left: DECK_SIZE - self.counted.len(),
            chance: self.chance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_game::cards::parse_codes;

    fn table(codes: &str) -> TrackedTable {
        TrackedTable::sure(parse_codes(codes).unwrap())
    }

    #[test]
    fn a_set_that_leaves_is_taken_and_three_that_are_none_are_not() {
        let mut counter = Counter::default();
        for i in 0..20 {
            counter.update(&table("1fgd 2fgd 3fgd 1ord 2spo"), 100.0 * f64::from(i));
        }
        let score = counter.score();
        assert_eq!((score.distinct_cards, score.left, score.taken.len()), (5, 76, 0));
        assert!(score.chance.unwrap().value() > 0.3);
        counter.update(&table("2fgd 3fgd 1ord 2spo"), 2_000.0);
        counter.update(&table("3fgd 2spo"), 3_000.0);
        assert!(counter.score().taken.is_empty());
        counter.update(&table("2spo"), 4_000.0);
        assert_eq!(counter.score().taken.len(), 1);
        assert_eq!(counter.score().left, 76, "what was taken is not in the deck again");
        // One of the cards is put back.
        counter.update(&table("2spo 2fgd"), 5_000.0);
        counter.update(&table("2spo 2fgd"), 5_500.0);
        assert!(counter.score().taken.is_empty());
        counter.reset();
        assert_eq!(counter.score().distinct_cards, 0);
    }

    #[test]
    fn looking_aside_takes_nothing() {
        let mut counter = Counter::default();
        for i in 0..20 {
            counter.update(&table("1fgd 2fgd 3fgd 1ord 2spo"), 100.0 * f64::from(i));
        }
        let departed = parse_codes("1fgd 2fgd 3fgd").unwrap();
        let departed = departed.iter().map(|card| card.index() as u64).collect();
        counter.update(&TrackedTable { departed, ..table("1ord 2spo") }, 2_000.0);
        assert!(counter.score().taken.is_empty());
        assert_eq!((counter.score().distinct_cards, counter.score().left), (5, 76));
    }

    #[test]
    fn what_flickers_is_not_counted() {
        let mut counter = Counter::default();
        for i in 0..20 {
            let codes = if i % 3 == 0 { "1fgd 3srs" } else { "1fgd" };
            counter.update(&table(codes), 100.0 * f64::from(i));
        }
        assert_eq!(counter.score().distinct_cards, 1);
    }
}
