//! One game from the first board to the last set.

use super::{
    deal::Dealer,
    rules::{Card, Rules},
    solver::{Budget, Solver, Stop},
};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deal::{FisherYates, Rejection};
    use crate::{Kind, check};

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
}
