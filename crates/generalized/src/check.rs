//! Verifies a game from its record alone.

use super::play::Record;
use super::rules::{Card, Rules};
use std::collections::HashSet;

/// An error in a game. Sets and cards are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A card that is not in the deck.
    #[error("drawn card {0} is not in the deck")]
    UnknownCard(usize),
    /// A card that was drawn twice.
    #[error("drawn card {0} was drawn before")]
    DrawnTwice(usize),
    /// A number of cards drawn that the rules do not allow.
    #[error("set {0} was found after {1} drawn cards, which the rules do not allow")]
    WrongDraw(usize, usize),
    /// A wrong number of cards on the board.
    #[error("set {set} was found on a board of {told} cards, but the board held {counted}")]
    WrongBoard {
        /// The set's number.
        set: usize,
        /// The number in the record.
        told: usize,
        /// The checker's count.
        counted: usize,
    },
    /// Cards that are not a set.
    #[error("set {0} is no set: {1:?}")]
    NoSet(usize, Vec<Card>),
    /// A card of a set that is not on the board: never drawn, or removed with an earlier set.
    #[error("set {0} uses card {1:?}, which is not on the board")]
    NotOnBoard(usize, Card),
    /// A set recorded with too few or too many cards.
    #[error("{0} sets were found but {1} cards recorded")]
    WrongCount(usize, usize),
    /// More sets than requested.
    #[error("{0} sets were found, more than asked for")]
    TooManySets(usize),
    /// The game ended too early.
    #[error("the game ended with {0} sets though the deck was not out")]
    EndedEarly(usize),
}

/// Checks that every set is valid and made of distinct cards on the board, that no card is drawn or
/// used twice, that removed cards are gone, and that cards were drawn by the rules.
///
/// It does not check whether a set was overlooked, which would need a solver.
///
/// # Errors
/// The first fault.
pub fn check(rules: &Rules, record: &Record) -> Result<(), Fault> {
    let v = rules.values();
    let mut seen = HashSet::new();
    for (i, card) in record.drawn.iter().enumerate() {
        if card.0 >= rules.deck() {
            return Err(Fault::UnknownCard(i + 1));
        }
        if !seen.insert(*card) {
            return Err(Fault::DrawnTwice(i + 1));
        }
    }
    if record.cards.len() != record.found.len() * v {
        return Err(Fault::WrongCount(record.found.len(), record.cards.len()));
    }
    if record.found.len() as u64 > rules.sets() {
        return Err(Fault::TooManySets(record.found.len()));
    }
    let deck_out = |drawn: usize| drawn as u64 == rules.deck();
    let mut board: HashSet<Card> = HashSet::new();
    let mut drawn = 0;
    for (i, (found, set)) in record.found.iter().zip(record.cards.chunks(v)).enumerate() {
        let number = i + 1;
        let draws = found.drawn.checked_sub(rules.first_board()).map(|more| more % v);
        let after = if i == 0 || deck_out(drawn) { drawn } else { drawn + 1 };
        if found.drawn > record.drawn.len()
            || found.drawn < after
            || (draws != Some(0) && !deck_out(found.drawn))
        {
            return Err(Fault::WrongDraw(number, found.drawn));
        }
        board.extend(&record.drawn[drawn..found.drawn]);
        drawn = found.drawn;
        if board.len() != found.board {
            let (told, counted) = (found.board, board.len());
            return Err(Fault::WrongBoard { set: number, told, counted });
        }
        if !rules.is_set(set) {
            return Err(Fault::NoSet(number, set.to_vec()));
        }
        if let Some(&card) = set.iter().find(|card| !board.remove(card)) {
            return Err(Fault::NotOnBoard(number, card));
        }
    }
    if (record.found.len() as u64) < rules.sets() && !deck_out(record.drawn.len()) {
        return Err(Fault::EndedEarly(record.found.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Found, Kind, deal::Rejection, play};

    fn game() -> (Rules, Record) {
        let rules = Rules::new(3, 4, 3).unwrap();
        let mut solver = Kind::Cover.solver(&rules).unwrap();
        let mut record = Record::default();
        let mut dealer = Rejection::new(&rules, 8);
        play(&rules, &mut dealer, &mut *solver, &Budget::unlimited(), &mut record).unwrap();
        (rules, record)
    }

    /// The fault after a change to a valid game.
    fn fault(change: impl Fn(&mut Record)) -> Fault {
        let (rules, mut record) = game();
        check(&rules, &record).unwrap();
        change(&mut record);
        check(&rules, &record).unwrap_err()
    }

    #[test]
    fn each_kind_of_fault_is_found() {
        assert_eq!(fault(|r| r.drawn[4] = Card(81)), Fault::UnknownCard(5));
        assert_eq!(fault(|r| r.drawn[4] = r.drawn[2]), Fault::DrawnTwice(5));
        assert!(matches!(fault(|r| r.found[1].drawn += 1), Fault::WrongDraw(2, _)));
        assert!(matches!(fault(|r| r.found[1].drawn = 12), Fault::WrongDraw(2, 12)));
        assert!(matches!(fault(|r| r.found[0].board = 11), Fault::WrongBoard { set: 1, .. }));
        assert!(matches!(fault(|r| r.cards[0] = r.cards[1]), Fault::NoSet(1, _)));
        assert!(matches!(fault(|r| r.cards.truncate(8)), Fault::WrongCount(3, 8)));
        // The first set again: its cards are gone.
        let again = |r: &mut Record| r.cards.copy_within(0..3, 3);
        assert!(matches!(fault(again), Fault::NotOnBoard(2, _)));
        let more = |r: &mut Record| {
            r.found.push(Found { drawn: r.drawn.len(), board: 0 });
            r.cards.extend([Card(0); 3]);
        };
        assert_eq!(fault(more), Fault::TooManySets(4));
        let fewer = |r: &mut Record| {
            r.found.pop();
            r.cards.truncate(6);
        };
        assert_eq!(fault(fewer), Fault::EndedEarly(2));
    }

    #[test]
    fn a_card_that_was_never_drawn_is_not_on_the_board() {
        let foreign = |r: &mut Record| {
            // Shifting the first set's last property by one leaves it a set.
            for card in &mut r.cards[..3] {
                card.0 = card.0 / 3 * 3 + (card.0 + 1) % 3;
            }
        };
        let (rules, mut record) = game();
        foreign(&mut record);
        let result = check(&rules, &record);
        assert!(matches!(result, Err(Fault::NotOnBoard(1, _))), "{result:?}");
    }
}
