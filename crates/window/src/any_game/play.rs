//! The game as people play it: cards are chosen on the board until the sets asked for are found.

use crate::{
    any_game::{
        board,
        steps::{Game, LIMIT, property},
    },
    shared::{look::Mark, verdict::good_color, words::t},
};
use eframe::egui::{RichText, Ui};
use setsight_generalized::deal::{Dealer, Rejection};
use setsight_generalized::{Budget, Card, Kind, Rules, RulesError};

pub(crate) struct Play {
    pub(crate) game: Game,
    pub(crate) rules: Rules,
    dealer: Rejection,
    /// The cards in their places; a taken one leaves a hole where none is left to fill it.
    pub(crate) board: Vec<Option<Card>>,
    chosen: Vec<Card>,
    hinted: Vec<Card>,
    sets: u64,
    /// What was said to the last move.
    announcement: Option<Announcement>,
    /// When the first card was chosen, and when the game was over, in seconds.
    began: Option<f64>,
    ended: Option<f64>,
}

enum Announcement {
    /// Chosen cards were a set.
    Set,
    /// They were none, because of these properties.
    NoSet(Vec<usize>),
    /// There was no set, so this many cards came.
    More(usize),
    /// There is a set, though the player said that there is none.
    ThereIsOne,
}

impl Play {
    pub(crate) fn new(game: Game) -> Result<Self, RulesError> {
        let rules = game.rules()?;
        let mut play = Self {
            dealer: game.dealer(&rules),
            game,
            rules,
            board: Vec::new(),
            chosen: Vec::new(),
            hinted: Vec::new(),
            sets: 0,
            announcement: None,
            began: None,
            ended: None,
        };
        play.draw(rules.first_board());
        Ok(play)
    }

    fn draw(&mut self, count: usize) -> usize {
        let mut cards = Vec::new();
        self.dealer.deal(count, &mut cards);
        board::fill(&mut self.board, &cards);
        cards.len()
    }

    /// A set of the board. Of boards that no solver is quick enough for nothing is known.
    fn set(&self) -> Option<Vec<Card>> {
        let mut solver = Kind::Cover.solver(&self.rules).ok()?;
        let cards: Vec<Card> = self.board.iter().flatten().copied().collect();
        solver.drawn(&cards);
        let mut set = Vec::new();
        solver.find(&Budget::new(LIMIT, usize::MAX), &mut set).ok()?.then_some(set)
    }

    /// Chooses a card, or gives it back; the last one of v is judged.
    pub(crate) fn choose(&mut self, card: Card, now: f64) {
        if self.ended.is_some() {
            return;
        }
        self.began.get_or_insert(now);
        self.announcement = None;
        if let Some(place) = self.chosen.iter().position(|&chosen| chosen == card) {
            self.chosen.remove(place);
            return;
        }
        self.chosen.push(card);
        if self.chosen.len() < self.rules.values() {
            return;
        }
        let chosen = std::mem::take(&mut self.chosen);
        if !self.rules.is_set(&chosen) {
            self.announcement = Some(Announcement::NoSet(wrong(&self.rules, &chosen)));
            return;
        }
        self.sets += 1;
        self.announcement = Some(Announcement::Set);
        self.hinted.clear();
        let taken = |place: &&mut Option<Card>| place.is_some_and(|card| chosen.contains(&card));
        self.board.iter_mut().filter(taken).for_each(|place| *place = None);
        let drawn = self.draw(self.rules.values());
        if self.sets == self.rules.sets() || (drawn == 0 && self.set().is_none()) {
            self.ended = Some(now);
        }
    }

    /// The player says that no set lies here.
    fn say_none(&mut self, now: f64) {
        self.began.get_or_insert(now);
        self.chosen.clear();
        if self.set().is_some() {
            self.announcement = Some(Announcement::ThereIsOne);
            return;
        }
        match self.draw(self.rules.values()) {
            0 => self.ended = Some(now),
            drawn => self.announcement = Some(Announcement::More(drawn)),
        }
    }

    /// Shows one card more of a set.
    fn hint(&mut self) {
        let Some(set) = self.set() else {
            self.announcement = Some(Announcement::More(self.draw(self.rules.values())));
            return;
        };
        let next = set.iter().find(|card| !self.hinted.contains(card));
        self.hinted.extend(next);
    }

    /// How a card of the board is to be drawn.
    pub(crate) fn mark(&self, card: Card) -> Option<Mark> {
        if self.chosen.contains(&card) {
            return Some(Mark::Chosen);
        }
        self.hinted.contains(&card).then_some(Mark::Hinted)
    }

    /// What is said of the game, and its buttons.
    pub(crate) fn ui(&mut self, ui: &mut Ui, now: f64) {
        let (sets, wanted) = (self.sets, self.rules.sets());
        ui.heading(t!("any-sets-of", n = sets, all = wanted));
        if let Some(began) = self.began {
            let seconds = (self.ended.unwrap_or(now) - began).max(0.0) as u64;
            ui.weak(t!("any-clock", time = format!("{}:{:02}", seconds / 60, seconds % 60)));
        }
        if self.ended.is_some() {
            let over = if sets == wanted { t!("any-all-found") } else { t!("any-deck-out") };
            ui.label(RichText::new(over).size(18.0).color(good_color(ui)));
            return;
        }
        match &self.announcement {
            None => {
                ui.label(t!("any-choose", n = self.rules.values()));
            }
            Some(Announcement::Set) => {
                ui.label(RichText::new(t!("a-set")).size(18.0).color(good_color(ui)));
            }
            Some(Announcement::NoSet(wrong)) => {
                ui.label(t!("any-not-a-set"));
                for &at in wrong {
                    let words = t!("any-neither", property = property(at));
                    ui.colored_label(ui.visuals().error_fg_color, words);
                }
            }
            Some(Announcement::More(drawn)) => {
                ui.label(t!("any-more-cards", n = *drawn));
            }
            Some(Announcement::ThereIsOne) => {
                ui.label(t!("any-there-is-one"));
            }
        }
        ui.horizontal_wrapped(|ui| {
            if ui.button(t!("any-hint")).clicked() {
                self.hint();
            }
            if ui.button(t!("any-say-none")).clicked() {
                self.say_none(now);
            }
        });
    }

    /// Whether its clock runs.
    pub(crate) fn is_running(&self) -> bool {
        self.began.is_some() && self.ended.is_none()
    }
}

/// The properties in which cards are neither all alike nor all different.
fn wrong(rules: &Rules, cards: &[Card]) -> Vec<usize> {
    let rows: Vec<Vec<u8>> = cards.iter().map(|&card| rules.values_of(card).collect()).collect();
    let is_wrong = |&at: &usize| {
        let mut column: Vec<u8> = rows.iter().map(|row| row[at]).collect();
        column.sort_unstable();
        column.dedup();
        column.len() != 1 && column.len() != cards.len()
    };
    (0..rules.properties()).filter(is_wrong).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(sets: u64) -> Play {
        let game = Game { values: 3, properties: 3, sets, seed: 2 };
        let mut play = Play::new(game).unwrap();
        for _ in 0..100 {
            match play.set() {
                _ if play.ended.is_some() => break,
                Some(set) => set.iter().for_each(|&card| play.choose(card, 5.0)),
                None => play.say_none(5.0),
            }
        }
        assert!(play.ended.is_some());
        play
    }

    #[test]
    fn a_game_is_played_to_its_end() {
        assert_eq!(played(2).sets, 2);
        // All nine sets of three are almost never found.
        let whole = played(9);
        assert!((5..=9).contains(&whole.sets));
        let left = whole.board.iter().flatten().count() as u64;
        assert_eq!(left, 27 - 3 * whole.sets);
    }

    #[test]
    fn what_is_no_set_is_told_by_its_properties() {
        let game = Game { values: 3, properties: 3, sets: 1, seed: 2 };
        let mut play = Play::new(game).unwrap();
        play.board = [0, 1, 3, 9].map(|card| Some(Card(card))).to_vec();
        [0, 1, 3].into_iter().for_each(|card| play.choose(Card(card), 0.0));
        assert!(matches!(&play.announcement, Some(Announcement::NoSet(wrong)) if wrong == &[1, 2]));
        assert_eq!((play.sets, play.board.len(), play.chosen.len()), (0, 4, 0));
        // A card that is chosen twice is given back.
        play.choose(Card(0), 0.0);
        play.choose(Card(0), 0.0);
        assert!(play.chosen.is_empty());
        play.hint();
        assert!(matches!(play.announcement, Some(Announcement::More(3))));
    }

    #[test]
    fn who_says_that_there_is_none_is_held_to_it() {
        let game = Game { values: 3, properties: 3, sets: 1, seed: 2 };
        let mut play = Play::new(game).unwrap();
        play.board = [0, 1, 2].map(|card| Some(Card(card))).to_vec();
        play.say_none(0.0);
        assert!(
            matches!(play.announcement, Some(Announcement::ThereIsOne)) && play.board.len() == 3
        );
        play.hint();
        play.hint();
        assert_eq!(play.hinted.len(), 2);
    }
}
