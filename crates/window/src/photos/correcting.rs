//! What of a photo's cards is being corrected, and what keys ask for.

use crate::photos::correct::{Change, Refusal};
use crate::shared::keys::{Action, Direction};
use crate::shared::table::Table;
use eframe::egui::{Event, Ui};
use setsight_game::cards::{Card, Color, Shading};
use setsight_photo::geometry::Point;
use setsight_vision::Guess;
use std::time::Duration;

/// Letters of a code that are longer ago than this begin a new one.
const TYPING_PAUSE: Duration = Duration::from_secs(3);
/// How far a key moves a corner, in pixels of the photo.
const NUDGE_PX: f64 = 1.0;
/// So many guesses are shown of a card, its best one among them.
const MOST_GUESSES: usize = 6;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Correcting {
    /// The card in hand.
    pub(crate) selected: Option<usize>,
    /// The corner of it that keys move.
    pub(crate) corner: usize,
    /// The next click says where a missed card lies.
    pub(crate) adding: bool,
    /// The frame in which the panel was scrolled to what it says of the card.
    pub(crate) revealed: Option<u64>,
    /// Which of the card's guesses is looked at, while they are open.
    pub(crate) guess: Option<usize>,
    /// The letters typed so far, and when the last one came.
    pub(crate) typed: String,
    typed_at: f64,
    /// What stands in the way of the last change.
    pub(crate) clash: Option<(Change, Refusal)>,
    /// This card is to take the keyboard's focus.
    pub(crate) focus: Option<usize>,
}

/// A change that is wanted, and whether it only goes on with the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Edit {
    Change(Change),
    /// This change, and on to the next card that is unsure.
    Accept(Change),
    /// The same drag goes on.
    Amend(Change),
    /// It has ended.
    Settle,
    /// Back to what the reader found.
    StartOver,
    /// Take back.
    Undo,
    /// Make again.
    Redo,
}

impl Correcting {
    /// After the table has changed.
    pub(crate) fn fit(&mut self, table: &Table) {
        self.selected = self.selected.filter(|&i| i < table.cards.len());
    }

    /// Takes a card of a table in hand. Where guesses are as likely they are open.
    pub(crate) fn select(&mut self, card: Option<usize>, table: &Table) {
        if self.selected != card {
            let is_tied = card.is_some_and(|card| table.likeliest(card).len() > 1);
            let guess = is_tied.then_some(0);
            *self = Self { selected: card, adding: self.adding, guess, ..Self::default() };
        }
    }

    /// Whether no card is in hand, and none is being added.
    pub(crate) fn is_idle(&self) -> bool {
        self.selected.is_none() && !self.adding
    }

    /// What the card in hand is taken for when it is accepted: the guess that is looked at, else the
    /// best one.
    pub(crate) fn accepted(&self, table: &Table) -> Option<Edit> {
        let card = self.selected?;
        let looked_at = self.guess.and_then(|at| guesses(table, card).get(at).copied());
        Some(accept(table, card, looked_at))
    }

    /// Opens the guesses of the card in hand, or looks at the next one; round and round.
    pub(crate) fn next_guess(&mut self, table: &Table) {
        let count = self.selected.map_or(0, |card| guesses(table, card).len());
        if count > 1 {
            self.guess = Some(self.guess.map_or(1, |at| (at + 1) % count));
        }
    }

    /// What a key asks for.
    pub(crate) fn act(&mut self, action: Action, table: &Table) -> Option<Edit> {
        match action {
            Action::Card(direction) => {
                let next = next_card(table, self.selected, direction);
                self.select(next, table);
                self.focus = next;
            }
            Action::Check => self.select(table.next_to_check(self.selected), table),
            Action::Guesses => self.next_guess(table),
            Action::AllRight => return Some(Edit::Change(Change::AllRight)),
            Action::StartOver => return Some(Edit::StartOver),
            Action::Clear if self.guess.take().is_some() => {}
            Action::Clear => {
                self.adding = false;
                self.select(None, table);
            }
            Action::AddCard => self.adding = !self.adding,
            Action::Undo => return Some(Edit::Undo),
            Action::Redo => return Some(Edit::Redo),
            Action::NextCorner => self.corner = (self.corner + 1) % 4,
            Action::Confirm if self.selected.is_none() => {
                self.select(table.next_to_check(None), table);
            }
            Action::Confirm => return self.accepted(table),
            Action::Strike => return Some(Edit::Change(Change::Strike(self.selected?))),
            Action::Corner(direction) => return self.nudge(table, direction),
            _ => {}
        }
        None
    }

    fn nudge(&self, table: &Table, direction: Direction) -> Option<Edit> {
        let (x, y) = direction.step();
        let card = self.selected?;
        let at = table.cards.get(card)?.corners_in_image.0[self.corner];
        let change = Change::MoveCorner(card, self.corner, at + Point::new(x, y) * NUDGE_PX);
        Some(Edit::Change(change))
    }

    /// Letters of a code as they are typed: four make a card.
    pub(crate) fn typing(&mut self, ui: &Ui) -> Option<Edit> {
        let (texts, now) = ui.input(|input| {
            let texts = input.events.iter().filter_map(|event| match event {
                Event::Text(text) => Some(text.clone()),
                _ => None,
            });
            (texts.collect::<String>(), input.time)
        });
        let card = self.selected?;
        let mut edit = None;
        for letter in texts.chars() {
            if let Some(is) = self.type_letter(letter, now) {
                edit = Some(Edit::Change(Change::Be(card, is)));
            }
        }
        edit
    }

    /// Takes a letter, at a time in seconds; the card when it was the fourth that fits.
    fn type_letter(&mut self, letter: char, now: f64) -> Option<Card> {
        if now - self.typed_at > TYPING_PAUSE.as_secs_f64() {
            self.typed.clear();
        }
        self.typed.push(letter);
        self.typed_at = now;
        if !last_letter_fits(&self.typed) {
            // A number begins a new code, whatever came before.
            self.typed.clear();
            self.typed.push(letter);
            if !last_letter_fits(&self.typed) {
                self.typed.clear();
            }
            return None;
        }
        let card = self.typed.parse().ok()?;
        self.typed.clear();
        Some(card)
    }
}

/// What a card may be, the most probable first; those that are shown.
pub(crate) fn guesses(table: &Table, card: usize) -> Vec<Guess> {
    table.cards.get(card).map_or_else(Vec::new, |card| card.guesses().take(MOST_GUESSES).collect())
}

/// That a card is what a guess says, or else its best one.
pub(crate) fn accept(table: &Table, card: usize, guess: Option<Guess>) -> Edit {
    Edit::Accept(match guess {
        Some(guess) if guess.card != table.cards[card].card => Change::Be(card, guess.card),
        _ => Change::Confirm(card),
    })
}

/// The card that an arrow leads to: what lies there, or to the left and right at a row's end the next
/// one as one reads.
pub(crate) fn next_card(table: &Table, from: Option<usize>, direction: Direction) -> Option<usize> {
    let order = table.reading_order();
    let Some(from) = from.filter(|&card| card < table.cards.len()) else {
        let last = matches!(direction, Direction::Left | Direction::Up);
        return if last { order.last().copied() } else { order.first().copied() };
    };
    let step = match direction {
        Direction::Left => order.len() - 1,
        Direction::Right => 1,
        Direction::Up | Direction::Down => 0,
    };
    let at = order.iter().position(|&card| card == from)?;
    table.towards(from, direction.step()).or(Some(order[(at + step) % order.len()]))
}

/// Whether the last letter of what was typed can stand at its place in a code.
fn last_letter_fits(typed: &str) -> bool {
    let place = typed.chars().count() - 1;
    let letter = typed.chars().last().expect("just put there");
    match place {
        0 => setsight_game::cards::Number::from_letter(letter).is_some(),
        1 => Shading::from_letter(letter).is_some(),
        2 => Color::from_letter(letter).is_some(),
        _ => setsight_game::cards::Shape::from_letter(letter).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::table::tests::table_of;

    fn typed_codes(correcting: &mut Correcting, text: &str, at: f64) -> Vec<String> {
        let cards = text.chars().filter_map(|letter| correcting.type_letter(letter, at));
        cards.map(|card| card.to_string()).collect()
    }

    #[test]
    fn four_letters_make_a_card() {
        let mut correcting = Correcting::default();
        let mut kinds = |text: &str, at: f64| typed_codes(&mut correcting, text, at);
        assert_eq!(kinds("2spd", 1.0), ["2spd"]);
        assert_eq!(kinds("2s", 2.0), Vec::<String>::new());
        assert_eq!(kinds("pd", 2.5), ["2spd"], "in one go");
        assert_eq!(kinds("2s", 4.0), Vec::<String>::new());
        assert_eq!(kinds("pd", 60.0), Vec::<String>::new(), "after a pause it is another code");
        assert_eq!(kinds("2x13FrO", 61.0), ["3fro"], "a slip begins anew");
    }

    #[test]
    fn keys_go_round_the_cards_and_ask_for_changes() {
        let table = table_of("1fgd 2fgd 3srs");
        let mut correcting = Correcting::default();
        assert_eq!(correcting.act(Action::Strike, &table), None);
        correcting.act(Action::Card(Direction::Right), &table);
        assert_eq!(correcting.selected, Some(0));
        correcting.act(Action::Card(Direction::Left), &table);
        assert_eq!(correcting.selected, Some(2), "round and round");
        assert_eq!(correcting.act(Action::Strike, &table), Some(Edit::Change(Change::Strike(2))));
        correcting.act(Action::NextCorner, &table);
        let corner = table.cards[2].corners_in_image.0[1];
        let right = Change::MoveCorner(2, 1, corner + Point::new(NUDGE_PX, 0.0));
        let moved = correcting.act(Action::Corner(Direction::Right), &table);
        assert_eq!(moved, Some(Edit::Change(right)));
        correcting.fit(&table_of("1fgd"));
        assert_eq!(correcting.selected, None);
    }

    #[test]
    fn guesses_are_looked_at_by_probability_and_accepted() {
        let mut table = table_of("1fgd 2fgd 3srs");
        let guess = |code: &str, confidence| Guess { card: code.parse().unwrap(), confidence };
        let card = &mut table.reading.cards[1];
        (card.unsure, card.confidence) = (true, 0.6);
        card.alternatives = vec![guess("2fpd", 0.3), guess("2frd", 0.05)];
        let mut correcting = Correcting::default();
        assert_eq!(correcting.act(Action::Confirm, &table), None, "takes the first one in hand");
        assert_eq!((correcting.selected, correcting.guess), (Some(1), None));
        let best = Some(Edit::Accept(Change::Confirm(1)));
        assert_eq!(correcting.act(Action::Confirm, &table), best);
        correcting.act(Action::Guesses, &table);
        let other = Some(Edit::Accept(Change::Be(1, "2fpd".parse().unwrap())));
        assert_eq!(correcting.act(Action::Confirm, &table), other);
        correcting.act(Action::Guesses, &table);
        correcting.act(Action::Guesses, &table);
        assert_eq!((correcting.guess, correcting.accepted(&table)), (Some(0), best));
        correcting.act(Action::Clear, &table);
        assert_eq!((correcting.guess, correcting.selected), (None, Some(1)), "closed, and in hand");
        correcting.act(Action::Clear, &table);
        assert_eq!(correcting.selected, None);
        // Two that are as likely are both seen at once.
        table.cards[1].alternatives[0].confidence = 0.6;
        correcting.act(Action::Check, &table);
        assert_eq!(correcting.guess, Some(0));
        // A whole deck of guesses is a short list.
        let all: Vec<Guess> = Card::deck().map(|card| Guess { card, confidence: 0.012 }).collect();
        table.cards[1].alternatives = all;
        assert_eq!(guesses(&table, 1).len(), MOST_GUESSES);
    }
}
