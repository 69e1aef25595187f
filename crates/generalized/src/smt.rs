//! Z3 as a solver: the board as constraints, in two encodings.

use super::{
    rules::{Card, Rules},
    solver::{Budget, Kind, Solver, Stop, Unavailable, Without},
};
use z3::ast::{Ast, Bool, Int};
use z3::{Params, SatResult};

/// How the search for a set is encoded for Z3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// The paper's: an integer for each (card of the set, property), a matrix whose columns are the
    /// cards. Each integer is a value, all of a property are equal or different, each column is a
    /// card of the board (the paper's constraint 9), the columns are distinct (11) and in
    /// lexicographic order (13, in another form with the same models).
    Integers,
    /// A Boolean for each card of the board: is it in the set? Exactly v are true, and in each
    /// property either all values occur or at most one does.
    Booleans,
}

/// The solver `kind`, which asks Z3.
pub(super) fn solver(rules: &Rules, kind: Kind) -> Result<Box<dyn Solver>, Unavailable> {
    Ok(Box::new(match kind {
        Kind::Smt(without) => Smt::new(rules, Encoding::Integers, without),
        Kind::SmtBoolean => Smt::new(rules, Encoding::Booleans, Without::NOTHING),
        _ => return Err(Unavailable(kind)),
    }))
}

/// Both encodings use the paper's delayed deletion, see [`Without`].
struct Smt {
    rules: Rules,
    encoding: Encoding,
    without: Without,
    board: Vec<Card>,
    /// Number of cards at the end of the board that the current solver does not include.
    unknown: usize,
    solver: Option<z3::Solver>,
    variables: Variables,
}

enum Variables {
    /// `[card of the set][property]`.
    Integers(Vec<Vec<Int>>),
    /// Each card that the solver includes, also those removed since.
    Booleans(Vec<(Card, Bool)>),
}

impl Smt {
    fn new(rules: &Rules, encoding: Encoding, without: Without) -> Self {
        Self {
            rules: *rules,
            encoding,
            without,
            board: Vec::new(),
            unknown: 0,
            solver: None,
            variables: Variables::Booleans(Vec::new()),
        }
    }

    /// Builds a solver for the whole board.
    fn build(&mut self) {
        self.unknown = 0;
        match self.encoding {
            Encoding::Integers => self.build_integers(),
            Encoding::Booleans => self.build_booleans(),
        }
    }

    fn build_integers(&mut self) {
        let (v, p) = (self.rules.values(), self.rules.properties());
        let solver = finite_domain_solver();
        let set: Vec<Vec<Int>> =
            (0..v).map(|i| (0..p).map(|j| Int::new_const(format!("x{i}_{j}"))).collect()).collect();
        for x in set.iter().flatten() {
            solver.assert(x.ge(Int::from_u64(0)));
            solver.assert(x.lt(Int::from_u64(v as u64)));
        }
        for j in 0..p {
            let row: Vec<&Int> = set.iter().map(|card| &card[j]).collect();
            let alike: Vec<Bool> = row[1..].iter().map(|&x| x.eq(row[0])).collect();
            solver.assert(Bool::or(&[Bool::and(&alike), Int::distinct(&row)]));
        }
        for card in &set {
            let of_board: Vec<Bool> = self
                .board
                .iter()
                .map(|&board_card| is_card(&self.rules, card, board_card))
                .collect();
            solver.assert(Bool::or(&of_board));
        }
        for (i, a) in set.iter().enumerate() {
            for b in &set[i + 1..] {
                let differ: Vec<Bool> = a.iter().zip(b).map(|(x, y)| x.eq(y).not()).collect();
                solver.assert(Bool::or(&differ));
            }
        }
        if !self.without.order {
            for pair in set.windows(2) {
                solver.assert(precedes(&pair[0], &pair[1]));
            }
        }
        self.variables = Variables::Integers(set);
        self.solver = Some(solver);
    }

    fn build_booleans(&mut self) {
        let (v, p) = (self.rules.values(), self.rules.properties());
        let solver = finite_domain_solver();
        let cards: Vec<(Card, Bool)> = self
            .board
            .iter()
            .map(|&card| (card, Bool::new_const(format!("c{}", card.0))))
            .collect();
        let all: Vec<(&Bool, i32)> = cards.iter().map(|(_, chosen)| (chosen, 1)).collect();
        solver.assert(Bool::pb_eq(&all, v as i32));
        // having[j][value]: the cards with that value.
        let mut having = vec![vec![Vec::new(); v]; p];
        for (card, chosen) in &cards {
            for (j, value) in self.rules.values_of(*card).enumerate() {
                having[j][usize::from(value)].push(chosen.clone());
            }
        }
        for (j, by_value) in having.iter().enumerate() {
            // used: a chosen card has the value. Exactly v cards are chosen, so if all values are
            // used, all cards differ.
            let used: Vec<Bool> = by_value
                .iter()
                .enumerate()
                .map(|(value, cards)| {
                    let used = Bool::new_const(format!("u{j}_{value}"));
                    solver.assert(used.iff(Bool::or(cards)));
                    used
                })
                .collect();
            let weights: Vec<(&Bool, i32)> = used.iter().map(|u| (u, 1)).collect();
            let one = Bool::pb_le(&weights, 1);
            solver.assert(Bool::or(&[one, Bool::and(&used)]));
        }
        self.variables = Variables::Booleans(cards);
        self.solver = Some(solver);
    }

    /// Runs Z3 once; returns the cards of its answer.
    fn ask(&self, solver: &z3::Solver, budget: &Budget) -> Result<Option<Vec<Card>>, Stop> {
        budget.time()?;
        let mut params = Params::new();
        // Else Z3 takes Ctrl-C for a wish that this one question be given up.
        params.set_bool("ctrl_c", false);
        if let Some(left) = budget.left() {
            let ms = u32::try_from(left.as_millis()).unwrap_or(u32::MAX);
            params.set_u32("timeout", ms.max(1));
        }
        solver.set_params(&params);
        match solver.check() {
            SatResult::Unsat => return Ok(None),
            SatResult::Unknown => {
                budget.time()?;
                let reason = solver.get_reason_unknown().unwrap_or_default();
                // The timeout is wall time, so it may come slightly before the CPU time is spent.
                let timeout = reason.contains("timeout") || reason.contains("canceled");
                return Err(if timeout { Stop::Time } else { Stop::GaveUp(reason) });
            }
            SatResult::Sat => {}
        }
        let gave_up = || Stop::GaveUp("no model of a satisfiable board".into());
        let model = solver.get_model().ok_or_else(gave_up)?;
        let cards = match &self.variables {
            Variables::Integers(set) => set
                .iter()
                .map(|card| {
                    let values: Option<Vec<u8>> = card
                        .iter()
                        .map(|x| model.eval(x, true).and_then(|x| x.as_u64()).map(|x| x as u8))
                        .collect();
                    values.map(|values| self.rules.card(values))
                })
                .collect::<Option<Vec<Card>>>()
                .ok_or_else(gave_up)?,
            Variables::Booleans(cards) => {
                let chosen = cards.iter().filter(|(_, is_chosen)| {
                    model.eval(is_chosen, true).and_then(|b: Bool| b.as_bool()) == Some(true)
                });
                chosen.map(|&(card, _)| card).collect()
            }
        };
        Ok(Some(cards))
    }
}

/// Z3's solver of finite domains. On these constraints its default solver takes two to six times as long.
fn finite_domain_solver() -> z3::Solver {
    z3::Solver::new_for_logic("QF_FD").unwrap_or_default()
}

/// The constraint that a column comes before another in lexicographic order.
fn precedes(a: &[Int], b: &[Int]) -> Bool {
    a.iter().zip(b).rev().fold(Bool::from_bool(false), |rest, (x, y)| {
        Bool::or(&[x.lt(y), Bool::and(&[x.eq(y), rest])])
    })
}

/// The constraint that these integers are the values of that card.
fn is_card(rules: &Rules, integers: &[Int], card: Card) -> Bool {
    let equal: Vec<Bool> = integers
        .iter()
        .zip(rules.values_of(card))
        .map(|(x, value)| x.eq(Int::from_u64(u64::from(value))))
        .collect();
    Bool::and(&equal)
}

impl Solver for Smt {
    fn clear(&mut self) {
        self.board.clear();
        self.unknown = 0;
        self.solver = None;
    }

    fn drawn(&mut self, cards: &[Card]) {
        self.board.extend_from_slice(cards);
        self.unknown += cards.len();
    }

    fn removed(&mut self, set: &[Card]) {
        let asked = self.board.len() - self.unknown;
        let gone_unknown = self.board[asked..].iter().filter(|card| set.contains(card)).count();
        self.unknown -= gone_unknown;
        self.board.retain(|card| !set.contains(card));
        if self.without.delayed_deletion {
            self.solver = None;
        }
        let Some(solver) = &self.solver else { return };
        match &self.variables {
            Variables::Integers(places) => {
                for (place, &card) in places.iter().flat_map(|p| set.iter().map(move |c| (p, c))) {
                    solver.assert(is_card(&self.rules, place, card).not());
                }
            }
            Variables::Booleans(cards) => {
                for (_, chosen) in cards.iter().filter(|(card, _)| set.contains(card)) {
                    solver.assert(chosen.not());
                }
            }
        }
    }

    fn find(&mut self, budget: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop> {
        // Each property of each card of a set is held against each card of the board.
        const BYTES_OF_A_TERM: usize = 256;
        set.clear();
        loop {
            if let Some(solver) = &self.solver {
                if let Some(found) = self.ask(solver, budget)? {
                    set.extend(found);
                    return Ok(true);
                }
                // It has no answer left. Asked again after a draw, it would prove that again.
                self.solver = None;
                if self.unknown == 0 {
                    return Ok(false);
                }
            }
            let (v, p) = (self.rules.values(), self.rules.properties());
            if self.board.len() < v {
                return Ok(false);
            }
            budget
                .memory((v * p).saturating_mul(self.board.len()).saturating_mul(BYTES_OF_A_TERM))?;
            self.build();
        }
    }

    /// Z3 does not report its memory.
    fn bytes(&self) -> Option<usize> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Record, check, deal::FisherYates, play};

    #[test]
    fn a_solver_without_an_answer_is_not_asked_again() {
        let rules = Rules::new(3, 2, 1).unwrap();
        for encoding in [Encoding::Integers, Encoding::Booleans] {
            let mut smt = Smt::new(&rules, encoding, Without::NOTHING);
            let mut set = Vec::new();
            smt.drawn(&[Card(0), Card(1), Card(3)]);
            assert_eq!(smt.find(&Budget::unlimited(), &mut set), Ok(false));
            assert!(smt.solver.is_none(), "{encoding:?}: kept, and asked again after a draw");
            smt.drawn(&[Card(2)]);
            assert_eq!(smt.find(&Budget::unlimited(), &mut set), Ok(true));
            assert!(smt.solver.is_some(), "{encoding:?}: may have more answers");
            smt.removed(&set);
            assert_eq!(smt.find(&Budget::unlimited(), &mut set), Ok(false));
        }
    }

    /// The optimisations change how long Z3 takes, not what is found.
    #[test]
    fn z3_plays_the_same_games_without_its_optimisations() {
        for (order, delayed_deletion) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let kind = Kind::Smt(Without { order, delayed_deletion });
            let rules = Rules::new(3, 3, 4).unwrap();
            for seed in 0..4 {
                let mut record = Record::default();
                let mut first = Vec::new();
                for kind in [kind, Kind::Cover] {
                    let mut dealer = FisherYates::new(&rules, seed);
                    let mut solver = kind.solver(&rules).unwrap();
                    play(&rules, &mut dealer, &mut *solver, &Budget::unlimited(), &mut record)
                        .unwrap();
                    check(&rules, &record).unwrap_or_else(|fault| panic!("{kind} {seed}: {fault}"));
                    first.push(record.found[0]);
                }
                assert_eq!(first[0], first[1], "{kind} {seed}");
            }
        }
    }

    #[test]
    fn z3_agrees_with_the_exported_formula() {
        for (rules, board, found) in crate::encoded::tests::boards().into_iter().step_by(3) {
            let solver = z3::Solver::new();
            solver.from_string(crate::encoded::smt2(&rules, &board, &Budget::unlimited()).unwrap());
            let expected = if found { z3::SatResult::Sat } else { z3::SatResult::Unsat };
            assert_eq!(solver.check(), expected, "{rules:?}");
        }
    }
}
