//! The paper's greedy as it is written: each pair of cards takes card after card that fits, in one
//! pass over the board.
//!
//! A card that fits may be none of the pair's set, and shut its cards out. So with four and more
//! values a set may be overlooked: [`overlooked`] counts that. [`super::dynamic`] keeps all partial
//! sets and overlooks none.

use super::{
    cover,
    mask::{self, Mask},
    play::Record,
    rules::{Card, Rules},
    solver::{Budget, Solver, Stop},
};

pub(super) fn solver(rules: &Rules) -> Box<dyn Solver> {
    mask::sized!(rules, W => Box::new(Greedy::<W>::new(rules)))
}

struct Greedy<const W: usize> {
    rules: Rules,
    board: Vec<(Card, Mask<W>)>,
}

impl<const W: usize> Greedy<W> {
    fn new(rules: &Rules) -> Self {
        Self { rules: *rules, board: Vec::new() }
    }

    /// The pass of a pair; whether `set` has become one.
    fn pass(&self, [a, b]: [&(Card, Mask<W>); 2], set: &mut Vec<Card>) -> bool {
        set.clear();
        set.extend([a.0, b.0]);
        let (mut union, alike) = (mask::or(&a.1, &b.1), mask::and(&a.1, &b.1));
        for (card, values) in &self.board {
            if mask::and(&union, values) == alike {
                set.push(*card);
                if set.len() == self.rules.values() {
                    return true;
                }
                union = mask::or(&union, values);
            }
        }
        false
    }
}

impl<const W: usize> Solver for Greedy<W> {
    fn clear(&mut self) {
        self.board.clear();
    }

    fn drawn(&mut self, cards: &[Card]) {
        self.board.extend(cards.iter().map(|&card| (card, mask::of_card(&self.rules, card))));
    }

    fn removed(&mut self, set: &[Card]) {
        self.board.retain(|(card, _)| !set.contains(card));
    }

    fn find(&mut self, budget: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop> {
        set.clear();
        for (i, b) in self.board.iter().enumerate() {
            budget.time()?;
            for a in &self.board[..i] {
                if self.pass([a, b], set) {
                    return Ok(true);
                }
            }
        }
        set.clear();
        Ok(false)
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.board.capacity() * size_of::<(Card, Mask<W>)>())
    }
}

/// Boards of games on which a solver was asked for a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlooked {
    /// Those that held one.
    pub boards: usize,
    /// Those of them on which it found none.
    pub overlooked: usize,
}

impl std::ops::AddAssign for Overlooked {
    fn add_assign(&mut self, other: Self) {
        self.boards += other.boards;
        self.overlooked += other.overlooked;
    }
}

/// Plays a game again that passes [`check`](super::check()), and looks with `cover` for sets on the
/// boards on which its solver found none.
///
/// # Errors
/// The budget is spent.
pub fn overlooked(rules: &Rules, record: &Record, budget: &Budget) -> Result<Overlooked, Stop> {
    let v = rules.values();
    let mut solver = cover::solver(rules);
    let mut sets = record.found.iter().zip(record.cards.chunks(v)).peekable();
    let mut counted = Overlooked::default();
    let mut found = Vec::new();
    let mut drawn = rules.first_board().min(record.drawn.len());
    solver.drawn(&record.drawn[..drawn]);
    loop {
        if let Some((_, set)) = sets.next_if(|(found, _)| found.drawn == drawn) {
            counted.boards += 1;
            solver.removed(set);
            if sets.peek().is_none() && record.found.len() as u64 == rules.sets() {
                return Ok(counted);
            }
        } else {
            let holds_one = usize::from(solver.find(budget, &mut found)?);
            counted += Overlooked { boards: holds_one, overlooked: holds_one };
            if drawn == record.drawn.len() {
                return Ok(counted);
            }
        }
        let more = v.min(record.drawn.len() - drawn);
        solver.drawn(&record.drawn[drawn..drawn + more]);
        drawn += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deal::{Dealer, FisherYates};
    use crate::{Kind, check, play};

    /// How many of these random boards hold a set, and on how many of them it is overlooked.
    fn of_boards(v: u64, p: u64, size: usize, boards: u64) -> Overlooked {
        let rules = Rules::new(v, p, 1).unwrap();
        let (mut greedy, mut cover) = (solver(&rules), cover::solver(&rules));
        let mut counted = Overlooked::default();
        for seed in 0..boards {
            let mut board = Vec::new();
            FisherYates::new(&rules, seed).deal(size, &mut board);
            let mut answers = [&mut greedy, &mut cover].map(|solver| {
                let mut set = Vec::new();
                solver.clear();
                solver.drawn(&board);
                let found = solver.find(&Budget::unlimited(), &mut set).unwrap();
                assert!(!found || rules.is_set(&set) && set.iter().all(|c| board.contains(c)));
                found
            });
            assert!(!answers[0] || answers[1], "({v}, {p}) {seed}: a set where there is none");
            answers[0] = !answers[0];
            counted.boards += usize::from(answers[1]);
            counted.overlooked += usize::from(answers[1] && answers[0]);
        }
        counted
    }

    #[test]
    fn sets_of_many_values_are_overlooked() {
        for (v, p, size, boards, overlooked) in
            [(3, 4, 12, 300, 0), (4, 5, 25, 300, 0), (5, 3, 20, 600, 5), (6, 3, 30, 300, 17)]
        {
            let counted = of_boards(v, p, size, boards);
            assert!(counted.boards > 40, "({v}, {p}): {counted:?}");
            assert_eq!(counted.overlooked, overlooked, "({v}, {p}): {counted:?}");
        }
    }

    #[test]
    fn what_a_game_overlooked_is_counted() {
        let mut all = [Overlooked::default(); 2];
        for seed in 0..300 {
            let rules = Rules::new(6, 3, 5).unwrap();
            for (counted, kind) in all.iter_mut().zip([Kind::Dynamic, Kind::DynamicPaper]) {
                let (mut record, budget) = (Record::default(), Budget::unlimited());
                let mut dealer = FisherYates::new(&rules, seed);
                let mut solver = kind.solver(&rules).unwrap();
                play(&rules, &mut dealer, &mut *solver, &budget, &mut record).unwrap();
                check(&rules, &record).unwrap();
                *counted += super::overlooked(&rules, &record, &budget).unwrap();
            }
        }
        let [dynamic, greedy] = all;
        assert_eq!(dynamic, Overlooked { boards: 1500, overlooked: 0 });
        assert!(greedy.boards - greedy.overlooked == 1500 && greedy.overlooked > 50, "{greedy:?}");
    }

    #[test]
    fn a_game_to_the_end_of_the_deck_is_counted() {
        let rules = Rules::new(3, 3, 9).unwrap();
        let (mut record, budget) = (Record::default(), Budget::unlimited());
        let mut solver = Kind::Cover.solver(&rules).unwrap();
        play(&rules, &mut FisherYates::new(&rules, 1), &mut *solver, &budget, &mut record).unwrap();
        let found = Overlooked { boards: record.found.len(), overlooked: 0 };
        assert_eq!(super::overlooked(&rules, &record, &budget), Ok(found));
        // As if it had not seen the last one.
        record.found.pop();
        record.cards.truncate(record.found.len() * 3);
        check(&rules, &record).unwrap();
        let counted = super::overlooked(&rules, &record, &budget).unwrap();
        assert!(counted.overlooked > 0, "{counted:?}");
    }
}
