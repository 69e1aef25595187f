//! One game from the first board to the last set, and the check of a game from its record alone.

use super::deal::Dealer;
use super::rules::{Card, Rules};
use super::solver::{Budget, Solver, Stop};
use std::collections::HashSet;

/// The state when a set was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Number of cards drawn from the deck by then.
    pub drawn: usize,
    /// Number of cards on the board, including the set's.
    pub board: usize,
}

/// The record of a game, enough to replay it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The cards in the order of drawing.
    pub drawn: Vec<Card>,
    /// The sets in the order of finding.
    pub found: Vec<Found>,
    /// The cards of those sets, v per set, one set after another.
    pub cards: Vec<Card>,
    /// Memory of the solver at the end, in bytes, if it is known.
    pub bytes: Option<usize>,
}

impl Record {
    /// Clears the record but keeps its memory for the next game.
    #[inline]
    pub fn clear(&mut self) {
        self.drawn.clear();
        self.found.clear();
        self.cards.clear();
        self.bytes = None;
    }
}

/// Rounds between two checks of the budget: asking for the time costs as much as a short search.
const ROUNDS_BETWEEN_CHECKS: u32 = 64;

/// Plays a game: deals the first board; then finds and removes a set and draws v cards, or draws v
/// more if there is no set. The game ends when the requested number of sets is found, or when the
/// deck is used up and no set is left (with fewer sets). `record` is cleared and filled. The dealer
/// must have a full deck.
///
/// # Errors
/// The solver stopped without an answer; `record` then holds the game up to that point.
pub fn play(
    rules: &Rules,
    dealer: &mut dyn Dealer,
    solver: &mut dyn Solver,
    budget: &Budget,
    record: &mut Record,
) -> Result<(), Stop> {
    record.clear();
    solver.clear();
    let mut set = Vec::with_capacity(rules.values());
    let mut rounds = 0u32;
    let mut board = draw(dealer, solver, rules.first_board(), record);
    let result = loop {
        // A solver watches its budget within one search; many short ones are watched here.
        rounds += 1;
        if rounds.is_multiple_of(ROUNDS_BETWEEN_CHECKS)
            && let Err(stop) =
                budget.time().and_then(|()| budget.memory(solver.bytes().unwrap_or_default()))
        {
            break Err(stop);
        }
        match solver.find(budget, &mut set) {
            Err(stop) => break Err(stop),
            Ok(true) => {
                record.found.push(Found { drawn: record.drawn.len(), board });
                record.cards.extend_from_slice(&set);
                if record.found.len() as u64 == rules.sets() {
                    break Ok(());
                }
                solver.removed(&set);
                board -= set.len();
                board += draw(dealer, solver, rules.values(), record);
            }
            Ok(false) => match draw(dealer, solver, rules.values(), record) {
                0 => break Ok(()),
                more => board += more,
            },
        }
    };
    record.bytes = solver.bytes();
    result
}

/// Draws up to `count` cards and passes them to the solver; returns their number.
fn draw(
    dealer: &mut dyn Dealer,
    solver: &mut dyn Solver,
    count: usize,
    record: &mut Record,
) -> usize {
    let start = record.drawn.len();
    let dealt = dealer.deal(count, &mut record.drawn);
    solver.drawn(&record.drawn[start..]);
    dealt
}

/// An error in a game. Sets and cards are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
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
    #[error("set {set} was found on a board of {stated} cards, but the board held {counted}")]
    WrongBoard { set: usize, stated: usize, counted: usize },
    /// Cards that are not a set.
    #[error("set {0} is not a set: {1:?}")]
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
    let mut distinct = HashSet::new();
    for (i, card) in record.drawn.iter().enumerate() {
        if card.0 >= rules.deck() {
            return Err(Fault::UnknownCard(i + 1));
        }
        if !distinct.insert(*card) {
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
            let (stated, counted) = (found.board, board.len());
            return Err(Fault::WrongBoard { set: number, stated, counted });
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
    use crate::deal::{FisherYates, Rejection};
    use crate::{Budget, Found, Kind};

    #[test]
    fn a_game_ends_with_the_sets_asked_for() {
        let mut record = Record::default();
        for seed in 0..50 {
            let rules = Rules::new(3, 4, 6).unwrap();
            let mut solver = Kind::Cover.solver(&rules).unwrap();
            let mut dealer = Rejection::new(&rules, seed);
            play(&rules, &mut dealer, &mut *solver, &Budget::unlimited(), &mut record).unwrap();
            assert_eq!(record.found.len(), 6);
            assert_eq!(record.cards.len(), 18);
            assert_eq!(record.found[0].board, record.found[0].drawn);
            check(&rules, &record).unwrap();
        }
    }

    #[test]
    fn a_game_ends_with_the_deck() {
        // All 27 sets are almost never found, because pairs of cards are left that no third one
        // completes.
        let rules = Rules::new(3, 4, 27).unwrap();
        let mut solver = Kind::Cover.solver(&rules).unwrap();
        let mut record = Record::default();
        let mut sets = 0;
        for seed in 0..200 {
            let mut dealer = FisherYates::new(&rules, seed);
            play(&rules, &mut dealer, &mut *solver, &Budget::unlimited(), &mut record).unwrap();
            assert_eq!(record.drawn.len(), 81);
            check(&rules, &record).unwrap();
            assert!((21..=27).contains(&record.found.len()));
            sets += record.found.len();
        }
        // The contest's game has a mean of 24.4 to 24.5 sets.
        assert!((200 * 24..200 * 25).contains(&sets), "{sets}");
    }

    #[test]
    fn games_of_one_and_two_values_are_played_to_the_end() {
        let mut record = Record::default();
        for (v, p, n) in [(1, 1, 1), (1, 9, 1), (2, 1, 1), (2, 5, 16), (2, 60, 7)] {
            let rules = Rules::new(v, p, n).unwrap();
            for kind in Kind::ALL {
                let mut solver = kind.solver(&rules).unwrap();
                let mut dealer = Rejection::new(&rules, 3);
                play(&rules, &mut dealer, &mut *solver, &Budget::unlimited(), &mut record).unwrap();
                assert_eq!(record.found.len() as u64, n);
                check(&rules, &record).unwrap();
            }
        }
    }

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
        assert_eq!(
            fault(|r: &mut Record| {
                r.found.push(Found { drawn: r.drawn.len(), board: 0 });
                r.cards.extend([Card(0); 3]);
            }),
            Fault::TooManySets(4)
        );
        assert_eq!(
            fault(|r: &mut Record| {
                r.found.pop();
                r.cards.truncate(6);
            }),
            Fault::EndedEarly(2)
        );
    }

    #[test]
    fn a_card_that_was_never_drawn_is_not_on_the_board() {
        let (rules, mut record) = game();
        // Shifting the first set's last property by one leaves it a set.
        for card in &mut record.cards[..3] {
            card.0 = card.0 / 3 * 3 + (card.0 + 1) % 3;
        }
        let result = check(&rules, &record);
        assert!(matches!(result, Err(Fault::NotOnBoard(1, _))), "{result:?}");
    }
}
