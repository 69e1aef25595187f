//! "Does this board hold a set?" for other solvers: the paper's constraints as SMT-LIB and, with a
//! Boolean for each value, as clauses (DIMACS); and a proof of clauses that it holds none.

use super::rules::{Card, Rules};
use super::solver::{Budget, Stop};
use std::fmt::Write;

/// The constraints in SMT-LIB 2: `x0_1` is the value of the set's card 0 in property 1. Satisfiable if
/// the board holds a set.
///
/// # Errors
/// They would not fit the budget.
pub fn smt2(rules: &Rules, board: &[Card], budget: &Budget) -> Result<String, Stop> {
    let (v, p) = (rules.values(), rules.properties());
    // Some 20 letters for each value of each card, and for each two cards of the set.
    budget.memory(20usize.saturating_mul(v).saturating_mul(p).saturating_mul(board.len() + v))?;
    let mut text =
        String::from("; Does the board hold a set? The numbers are those of the paper.\n");
    text += "(set-logic QF_LIA)\n; the values\n";
    for (i, j) in (0..v).flat_map(|i| (0..p).map(move |j| (i, j))) {
        let _ = writeln!(
            text,
            "(declare-const x{i}_{j} Int)\n(assert (and (>= x{i}_{j} 0) (< x{i}_{j} {v})))"
        );
    }
    if v > 1 {
        text += "; each property is all alike or all different\n";
        for j in 0..p {
            let row: Vec<String> = (0..v).map(|i| format!("x{i}_{j}")).collect();
            let row = row.join(" ");
            let _ = writeln!(text, "(assert (or (= {row}) (distinct {row})))");
        }
    }
    text += "; (9) each card of the set is one of the board\n";
    for i in 0..v {
        text += "(assert (or false";
        for &card in board {
            text += "\n  (and true";
            for (j, value) in rules.values_of(card).enumerate() {
                let _ = write!(text, " (= x{i}_{j} {value})");
            }
            text.push(')');
        }
        text += "))\n";
    }
    text += "; (11) and (13) the cards are different, and in lexicographic order\n";
    for i in 1..v {
        let mut less = "false".to_owned();
        for j in (0..p).rev() {
            let (a, b) = (format!("x{}_{j}", i - 1), format!("x{i}_{j}"));
            less = format!("(or (< {a} {b}) (and (= {a} {b}) {less}))");
        }
        let _ = writeln!(text, "(assert {less})");
    }
    Ok(text + "(check-sat)\n")
}

/// A formula in conjunctive normal form. A literal is a variable, counted from 1, or its negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cnf {
    /// Number of variables.
    pub variables: i32,
    /// The clauses.
    pub clauses: Vec<Vec<i32>>,
}

impl Cnf {
    /// As a file for SAT solvers.
    pub fn dimacs(&self) -> String {
        let mut text = format!("p cnf {} {}\n", self.variables, self.clauses.len());
        text += &drat(&self.clauses);
        text
    }
}

/// Clauses as a file: also of a proof, in the format DRAT, of additions alone.
pub fn drat(clauses: &[Vec<i32>]) -> String {
    let mut text = String::new();
    for clause in clauses {
        clause.iter().for_each(|literal| text += &format!("{literal} "));
        text += "0\n";
    }
    text
}

/// The board in lexicographic order, card by card its values; and the variables of its formula.
struct Encoding {
    v: i32,
    p: i32,
    rows: Vec<Vec<u8>>,
    /// What the formula takes in memory, in bytes.
    bytes: usize,
}

/// What a clause takes in memory, in bytes: in the list, in the checker, which watches two of its literals, and as
/// text.
const fn bytes_of(literals: usize) -> usize {
    112 + 16 * literals
}

impl Encoding {
    fn new(rules: &Rules, board: &[Card], budget: &Budget) -> Result<Self, Stop> {
        let (v, p, n) = (rules.values(), rules.properties(), board.len());
        // Numbers that no integer holds end as the largest.
        let [many, wide, high] = [n, p, v].map(|count| count as f64);
        let clauses = high * many * (wide + many / 2.0) + high.powi(3) * (wide + 1.0);
        let bytes = (clauses * bytes_of(3) as f64 + high * bytes_of(n) as f64) as usize;
        budget.memory(bytes)?;
        let mut sorted = board.to_vec();
        sorted.sort_unstable();
        let rows = sorted.iter().map(|&card| rules.values_of(card).collect()).collect();
        Ok(Self { v: v as i32, p: p as i32, rows, bytes })
    }

    /// The set's card `i` is the board's card `k`.
    fn is(&self, i: usize, k: usize) -> i32 {
        (i * self.rows.len() + k) as i32 + 1
    }

    /// The set's card `i` has this value in property `j`.
    fn has(&self, i: i32, j: i32, value: i32) -> i32 {
        self.v * self.rows.len() as i32 + (i * self.p + j) * self.v + value + 1
    }

    /// The set's cards are all alike in property `j`.
    fn alike(&self, j: i32) -> i32 {
        self.v * self.rows.len() as i32 + self.v * self.p * self.v + j + 1
    }

    fn cnf(&self) -> Cnf {
        let (v, p, n) = (self.v, self.p, self.rows.len());
        let mut clauses = Vec::new();
        for i in 0..v as usize {
            // (9): one of the board.
            clauses.push((0..n).map(|k| self.is(i, k)).collect());
            for (k, row) in self.rows.iter().enumerate() {
                for (j, &value) in (0..).zip(row) {
                    clauses.push(vec![-self.is(i, k), self.has(i as i32, j, value.into())]);
                }
            }
            // (11) and (13): each after the one before.
            for (k, l) in (0..n).flat_map(|k| (0..=k).map(move |l| (k, l))) {
                if i > 0 {
                    clauses.push(vec![-self.is(i - 1, k), -self.is(i, l)]);
                }
            }
        }
        for (i, j) in (0..v).flat_map(|i| (0..p).map(move |j| (i, j))) {
            for (a, b) in (0..v).flat_map(|b| (0..b).map(move |a| (a, b))) {
                clauses.push(vec![-self.has(i, j, a), -self.has(i, j, b)]);
            }
            for (other, a) in (0..v).flat_map(|other| (0..v).map(move |a| (other, a))) {
                if other != i {
                    let (alike, has) = (self.alike(j), self.has(i, j, a));
                    clauses.push(vec![-alike, -has, self.has(other, j, a)]);
                    if i < other {
                        clauses.push(vec![alike, -has, -self.has(other, j, a)]);
                    }
                }
            }
        }
        if v == 1 {
            // No second card says whether a property is all alike: it is, so that each set is one model.
            clauses.extend((0..p).map(|j| vec![self.alike(j)]));
        }
        Cnf { variables: self.alike(p - 1), clauses }
    }

    /// Whether these cards of the board are all alike or all different in each property.
    fn fits(&self, cards: &[usize], more: usize) -> bool {
        (0..self.p as usize).all(|j| {
            let value = |k: usize| self.rows[k][j];
            let same = cards.iter().filter(|&&k| value(k) == value(more)).count();
            let all_alike = cards.iter().all(|&k| value(k) == value(cards[0]));
            same == if all_alike && cards.len() > 1 { cards.len() } else { 0 }
                || (cards.len() == 1 && same == 1)
        })
    }

    /// The clauses that no set begins with these cards; false if one does. `bytes` is what they and the formula take.
    fn refute(
        &self,
        cards: &mut Vec<usize>,
        after: &[usize],
        budget: &Budget,
        (proof, bytes): (&mut Vec<Vec<i32>>, &mut usize),
    ) -> Result<bool, Stop> {
        if cards.len() == self.v as usize {
            return Ok(false);
        }
        budget.time()?;
        for (i, &k) in after.iter().enumerate() {
            cards.push(k);
            let rest: Vec<usize> =
                after[i + 1..].iter().copied().filter(|&more| self.fits(cards, more)).collect();
            if !self.refute(cards, &rest, budget, (proof, bytes))? {
                return Ok(false);
            }
            cards.pop();
        }
        *bytes += bytes_of(cards.len());
        budget.memory(*bytes)?;
        proof.push(cards.iter().enumerate().map(|(i, &k)| -self.is(i, k)).collect());
        Ok(true)
    }
}

/// The paper's constraints as clauses: satisfiable if the board holds a set.
///
/// # Errors
/// They would not fit the budget.
pub fn cnf(rules: &Rules, board: &[Card], budget: &Budget) -> Result<Cnf, Stop> {
    Ok(Encoding::new(rules, board, budget)?.cnf())
}

/// A proof that [`cnf`] of this board cannot be satisfied: clauses that each follow from those before
/// by unit propagation, the last one empty. `None` if the board holds a set.
///
/// # Errors
/// The budget is spent.
pub fn proof_of_no_set(
    rules: &Rules,
    board: &[Card],
    budget: &Budget,
) -> Result<Option<Vec<Vec<i32>>>, Stop> {
    let encoding = Encoding::new(rules, board, budget)?;
    let all: Vec<usize> = (0..board.len()).collect();
    let (mut proof, mut bytes) = (Vec::new(), encoding.bytes);
    let refuted = encoding.refute(&mut Vec::new(), &all, budget, (&mut proof, &mut bytes))?;
    Ok(refuted.then_some(proof))
}

/// Whether each clause of a proof follows by unit propagation from the formula and the clauses before
/// it (RUP, the part of DRAT that such proofs need), and one of them is empty. It knows nothing of sets.
///
/// # Errors
/// The budget is spent.
pub fn proves(formula: &Cnf, proof: &[Vec<i32>], budget: &Budget) -> Result<bool, Stop> {
    let mut checker = Checker::new(formula.variables);
    formula.clauses.iter().for_each(|clause| checker.add(clause));
    for clause in proof {
        budget.time()?;
        if !checker.follows(clause) {
            return Ok(false);
        }
        if clause.is_empty() {
            return Ok(true);
        }
        checker.add(clause);
    }
    Ok(false)
}

/// Unit propagation with two watched literals a clause (Moskewicz et al. 2001, Chaff).
struct Checker {
    /// Those of two and more literals; the first two are watched.
    clauses: Vec<Vec<i32>>,
    units: Vec<i32>,
    /// By literal: the clauses that watch it.
    watching: Vec<Vec<usize>>,
    /// By literal: whether it is true.
    is_true: Vec<bool>,
    has_empty: bool,
}

/// Place of a literal in a list.
const fn place(literal: i32) -> usize {
    literal.unsigned_abs() as usize * 2 + (literal < 0) as usize
}

impl Checker {
    fn new(variables: i32) -> Self {
        let literals = variables as usize * 2 + 2;
        Self {
            clauses: Vec::new(),
            units: Vec::new(),
            watching: vec![Vec::new(); literals],
            is_true: vec![false; literals],
            has_empty: false,
        }
    }

    fn add(&mut self, clause: &[i32]) {
        match clause {
            [] => self.has_empty = true,
            [unit] => self.units.push(*unit),
            [a, b, ..] => {
                self.watching[place(*a)].push(self.clauses.len());
                self.watching[place(*b)].push(self.clauses.len());
                self.clauses.push(clause.to_vec());
            }
        }
    }

    /// Whether the opposite of a clause leads to a conflict.
    fn follows(&mut self, clause: &[i32]) -> bool {
        let mut trail = Vec::new();
        let assumed = clause.iter().map(|literal| -literal).chain(self.units.clone());
        let mut conflict = self.has_empty;
        for literal in assumed {
            conflict |= !self.assume(literal, &mut trail);
        }
        let mut next = 0;
        while !conflict && next < trail.len() {
            conflict = !self.propagate(-trail[next], &mut trail);
            next += 1;
        }
        trail.iter().for_each(|&literal| self.is_true[place(literal)] = false);
        conflict
    }

    /// Makes a literal true; false if it is false already.
    fn assume(&mut self, literal: i32, trail: &mut Vec<i32>) -> bool {
        if !self.is_true[place(literal)] {
            if self.is_true[place(-literal)] {
                return false;
            }
            self.is_true[place(literal)] = true;
            trail.push(literal);
        }
        true
    }

    /// What follows from a literal's being false; false on a conflict.
    fn propagate(&mut self, literal: i32, trail: &mut Vec<i32>) -> bool {
        let watching = std::mem::take(&mut self.watching[place(literal)]);
        let mut kept = Vec::with_capacity(watching.len());
        let mut consistent = true;
        for (i, &index) in watching.iter().enumerate() {
            let clause = &mut self.clauses[index];
            if clause[0] == literal {
                clause.swap(0, 1);
            }
            let free = (2..clause.len()).find(|&i| !self.is_true[place(-clause[i])]);
            if let Some(free) = free {
                clause.swap(1, free);
                self.watching[place(clause[1])].push(index);
                continue;
            }
            kept.push(index);
            let other = clause[0];
            if !self.assume(other, trail) {
                kept.extend(&watching[i + 1..]);
                consistent = false;
                break;
            }
        }
        self.watching[place(literal)] = kept;
        consistent
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Kind;
    use crate::deal::{Dealer, FisherYates};
    use std::time::Duration;

    /// Boards of some decks, and whether they hold a set.
    pub(crate) fn boards() -> Vec<(Rules, Vec<Card>, bool)> {
        let mut boards = Vec::new();
        for (v, p, size) in [
            (1, 2, 1),
            (2, 3, 1),
            (2, 3, 3),
            (3, 2, 4),
            (3, 4, 14),
            (4, 3, 12),
            (4, 5, 30),
            (5, 3, 18),
        ] {
            let rules = Rules::new(v, p, 1).unwrap();
            for seed in 0..12 {
                let mut board = Vec::new();
                FisherYates::new(&rules, seed).deal(size, &mut board);
                let mut solver = Kind::Cover.solver(&rules).unwrap();
                solver.drawn(&board);
                let found = solver.find(&Budget::unlimited(), &mut Vec::new()).unwrap();
                boards.push((rules, board, found));
            }
        }
        boards
    }

    #[test]
    fn only_boards_without_a_set_have_a_proof() {
        let (mut with, mut without) = (0, 0);
        let free = Budget::unlimited();
        for (rules, board, found) in boards() {
            let cnf = cnf(&rules, &board, &free).unwrap();
            let proof = proof_of_no_set(&rules, &board, &free).unwrap();
            assert_eq!(proof.is_none(), found, "{rules:?}");
            if let Some(proof) = proof {
                without += 1;
                assert_eq!(proves(&cnf, &proof, &free), Ok(true), "{rules:?}");
                // Neither the end alone nor a proof without its end will do.
                assert_eq!(proves(&cnf, &proof[..proof.len() - 1], &free), Ok(false));
                if board.len() > 3 {
                    assert_eq!(proves(&cnf, &[vec![]], &free), Ok(false), "{rules:?}");
                }
            } else {
                with += 1;
                assert_eq!(proves(&cnf, &[vec![]], &free), Ok(false), "satisfiable: {rules:?}");
            }
        }
        assert!(with > 15 && without > 15, "{with} {without}");
    }

    /// Each clause is true of a set of the board.
    #[test]
    fn a_set_satisfies_the_clauses() {
        let rules = Rules::new(5, 2, 1).unwrap();
        let board: Vec<Card> = (0..25).map(Card).collect();
        // 00 11 22 33 44, which are cards 0, 6, 12, 18, 24.
        let encoding = Encoding::new(&rules, &board, &Budget::unlimited()).unwrap();
        let mut is_true = std::collections::HashSet::new();
        for i in 0..5 {
            is_true.insert(encoding.is(i, i * 6));
            is_true.extend([0, 1].map(|j| encoding.has(i as i32, j, i as i32)));
        }
        for clause in encoding.cnf().clauses {
            assert!(
                clause.iter().any(|&literal| is_true.contains(&literal.abs()) == (literal > 0)),
                "{clause:?}"
            );
        }
    }

    /// How many assignments of all variables, of which the first have these values, satisfy the clauses.
    fn count_models(clauses: &[Vec<i32>], assigned: &mut Vec<bool>, variables: usize) -> u64 {
        if clauses.iter().any(|clause| {
            clause.iter().all(|&literal| {
                let value = assigned.get(literal.unsigned_abs() as usize - 1);
                value.is_some_and(|&value| value != (literal > 0))
            })
        }) {
            return 0;
        }
        if assigned.len() == variables {
            return 1;
        }
        let mut models = 0;
        for value in [true, false] {
            assigned.push(value);
            models += count_models(clauses, assigned, variables);
            assigned.pop();
        }
        models
    }

    #[test]
    fn each_set_of_a_board_is_one_model() {
        for (v, p, size, sets) in
            [(1, 1, 1, 1), (1, 2, 1, 1), (1, 5, 1, 1), (2, 2, 3, 3), (2, 3, 4, 6), (3, 2, 9, 12)]
        {
            let rules = Rules::new(v, p, 1).unwrap();
            let board: Vec<Card> = (0..size).map(Card).collect();
            let cnf = cnf(&rules, &board, &Budget::unlimited()).unwrap();
            let models = count_models(&cnf.clauses, &mut Vec::new(), cnf.variables as usize);
            assert_eq!(models, sets, "{v} values, {p} properties, {size} cards");
        }
    }

    #[test]
    fn a_formula_beyond_all_bounds_is_refused() {
        let rules = Rules::new(1, 4_000_000_000, 1).unwrap();
        let budget = Budget::new(Duration::from_secs(60), 1 << 30);
        assert_eq!(cnf(&rules, &[Card(0)], &budget), Err(Stop::Memory));
        assert_eq!(smt2(&rules, &[Card(0)], &budget), Err(Stop::Memory));
        // The formula fits, the proof does not.
        let rules = Rules::new(4, 6, 1).unwrap();
        let board: Vec<Card> =
            (0..4096).map(Card).filter(|card| rules.values_of(*card).all(|v| v < 2)).collect();
        let bytes = Encoding::new(&rules, &board, &budget).unwrap().bytes + 100_000;
        let small = Budget::new(Duration::from_secs(60), bytes);
        assert_eq!(proof_of_no_set(&rules, &board, &small), Err(Stop::Memory));
    }
}
