//! A search step by step, for those who want to see it: the same code that searches in earnest,
//! with somebody who watches. Without a watcher nothing of this is compiled into a solver.

use super::{
    deal::Dealer,
    rules::{Card, Rules},
    solver::{Budget, Solver, Stop},
};

/// What happens in a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// These cards come onto the board.
    Drawn(Vec<Card>),
    /// The solver turns to a card of the board: only sets with it and cards that had their turn
    /// before are looked for.
    Turn(Card),
    /// `brute`: whether these are a set.
    Tried(Vec<Card>),
    /// `dynamic`: a partial set is stored, the new card last. `dynamic-paper`: the pair's set so far.
    Grown(Vec<Card>),
    /// Only `missing` completes `cards` to a set: is it there? `dynamic` knows the missing card and
    /// looks for the cards, so there are none if it finds none.
    LookedUp {
        /// v - 1 cards, or none.
        cards: Vec<Card>,
        /// The card that they lack.
        missing: Card,
        /// Whether both are there.
        found: bool,
    },
    /// `cover`: a branch of the search. A set with these cards is looked for.
    Branch {
        /// The card whose turn it is, and those chosen with it.
        cards: Vec<Card>,
        /// The cards that fit all of them.
        left: Vec<Card>,
    },
    /// A set.
    Found(Vec<Card>),
    /// The board holds no set.
    NoSet,
}

/// The steps of a search, up to a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The first of them.
    pub steps: Vec<Step>,
    /// How many there were.
    pub count: u64,
    most: usize,
}

impl Trace {
    /// Keeps at most so many steps, and those with which a search ends.
    pub const fn up_to(most: usize) -> Self {
        Self { steps: Vec::new(), count: 0, most }
    }

    /// Adds a step whatever the limit is.
    fn keep(&mut self, step: Step) {
        self.count += 1;
        self.steps.push(step);
    }
}

/// Somebody who watches a search. `()` does not, and costs nothing.
pub trait Watcher {
    /// Takes a step, which is made only if somebody wants it.
    fn see(&mut self, step: impl FnOnce() -> Step);
}

impl Watcher for () {
    #[inline(always)]
    fn see(&mut self, _: impl FnOnce() -> Step) {}
}

impl Watcher for Trace {
    fn see(&mut self, step: impl FnOnce() -> Step) {
        self.count += 1;
        if self.steps.len() < self.most {
            self.steps.push(step());
        }
    }
}

/// Plays a game like [`play`](super::play()), and keeps every step of its searches. The cards of the
/// sets that were found, v for each; a set leaves the board with the step after it. `trace` is added
/// to; the dealer must have a full deck.
///
/// # Errors
/// The solver stopped without an answer; `trace` then holds the steps up to that point.
pub fn watch(
    rules: &Rules,
    dealer: &mut dyn Dealer,
    solver: &mut dyn Solver,
    budget: &Budget,
    trace: &mut Trace,
) -> Result<Vec<Card>, Stop> {
    solver.clear();
    let mut found = Vec::new();
    let mut set = Vec::with_capacity(rules.values());
    let mut wanted = rules.first_board();
    loop {
        let mut cards = Vec::new();
        dealer.deal(wanted, &mut cards);
        let removed = matches!(trace.steps.last(), Some(Step::Found(_)));
        if !cards.is_empty() {
            solver.drawn(&cards);
            trace.keep(Step::Drawn(cards));
        } else if !removed {
            return Ok(found);
        }
        if solver.find_watched(budget, &mut set, trace)? {
            trace.keep(Step::Found(set.clone()));
            found.extend_from_slice(&set);
            if found.len() as u64 == rules.sets() * rules.values() as u64 {
                return Ok(found);
            }
            solver.removed(&set);
        } else {
            trace.keep(Step::NoSet);
        }
        wanted = rules.values();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Record, deal::Rejection, play};

    /// Whether the cards are different, and in each property all alike or all different.
    fn is_partial(rules: &Rules, cards: &[Card]) -> bool {
        let values: Vec<Vec<u8>> = cards.iter().map(|&c| rules.values_of(c).collect()).collect();
        (0..rules.properties()).all(|property| {
            let pairs = values
                .iter()
                .enumerate()
                .flat_map(|(i, a)| values[..i].iter().map(move |b| (a, b)));
            let alike = pairs.map(|(a, b)| a[property] == b[property]);
            alike.clone().all(|alike| alike) || alike.clone().all(|alike| !alike)
        }) && cards.iter().enumerate().all(|(i, card)| !cards[..i].contains(card))
    }

    fn check(rules: &Rules, step: &Step) {
        match step {
            Step::Grown(cards) => {
                assert!((2..rules.values()).contains(&cards.len()), "{step:?}");
                assert!(is_partial(rules, cards), "{step:?}");
            }
            Step::LookedUp { cards, missing, found } if !cards.is_empty() => {
                let mut set = cards.clone();
                set.push(*missing);
                assert!(rules.is_set(&set), "{step:?}");
                assert!(cards.len() + 1 == rules.values() || *found);
            }
            Step::LookedUp { found, .. } => assert!(!found),
            Step::Branch { cards, left } => {
                assert!(is_partial(rules, cards), "{step:?}");
                for &card in left {
                    let with = [&cards[..], &[card]].concat();
                    assert!(is_partial(rules, &with), "{card:?} in {step:?}");
                }
            }
            Step::Tried(cards) => assert_eq!(cards.len(), rules.values()),
            Step::Drawn(_) | Step::Turn(_) | Step::Found(_) | Step::NoSet => {}
        }
    }

    #[test]
    fn what_is_watched_is_the_search_itself() {
        for (v, p) in [(3, 2), (3, 4), (4, 3), (4, 5), (5, 3), (6, 3)] {
            let rules = Rules::new(v, p, 2).unwrap();
            for kind in [Kind::Brute, Kind::Dynamic, Kind::DynamicPaper, Kind::Cover] {
                let mut solver = kind.solver(&rules).unwrap();
                let mut record = Record::default();
                for seed in 0..4 {
                    let (mut dealer, budget) = (Rejection::new(&rules, seed), Budget::unlimited());
                    play(&rules, &mut dealer, &mut *solver, &budget, &mut record).unwrap();
                    dealer.shuffle(seed);
                    let mut trace = Trace::up_to(50_000);
                    let set = watch(&rules, &mut dealer, &mut *solver, &budget, &mut trace);
                    assert_eq!(set.unwrap(), record.cards, "{kind} {v} {p}");
                    trace.steps.iter().for_each(|step| check(&rules, step));
                    let kinds = |wanted: fn(&Step) -> bool| {
                        trace.steps.iter().filter(|step| wanted(step)).count()
                    };
                    let drawn = kinds(|step| matches!(step, Step::Drawn(_)));
                    let none = kinds(|step| matches!(step, Step::NoSet));
                    let found = kinds(|step| matches!(step, Step::Found(_)));
                    // After a set at the end of the deck none is drawn.
                    assert!(drawn <= none + found);
                    match kind {
                        Kind::Brute => assert!(kinds(|s| matches!(s, Step::Tried(_))) > 0),
                        Kind::Dynamic | Kind::DynamicPaper => {
                            assert!(kinds(|s| matches!(s, Step::Grown(_))) > 0);
                        }
                        _ => assert!(kinds(|s| matches!(s, Step::Turn(_))) > 0),
                    }
                    let hits = |s: &&Step| matches!(s, Step::LookedUp { found: true, .. });
                    let hits = trace.steps.iter().filter(hits).count();
                    let looks_up = kind == Kind::Dynamic || (kind == Kind::Cover && v < 5);
                    assert_eq!(hits, if looks_up { found } else { 0 }, "{kind} {v} {p}");
                }
            }
        }
    }

    #[test]
    fn a_game_is_watched_to_the_end_of_its_deck() {
        let rules = Rules::new(3, 3, 9).unwrap();
        for seed in 0..20 {
            let mut solver = Kind::Cover.solver(&rules).unwrap();
            let (mut dealer, budget) = (Rejection::new(&rules, seed), Budget::unlimited());
            let mut record = Record::default();
            play(&rules, &mut dealer, &mut *solver, &budget, &mut record).unwrap();
            dealer.shuffle(seed);
            let mut trace = Trace::up_to(10_000);
            let found = watch(&rules, &mut dealer, &mut *solver, &budget, &mut trace).unwrap();
            assert_eq!(found, record.cards);
            let drawn = trace.steps.iter().map(|step| match step {
                Step::Drawn(cards) => cards.len(),
                _ => 0,
            });
            assert_eq!(drawn.sum::<usize>(), 27);
        }
    }

    #[test]
    fn dynamic_stores_each_partial_set_once() {
        let rules = Rules::new(5, 3, 1).unwrap();
        let mut solver = Kind::Dynamic.solver(&rules).unwrap();
        let mut trace = Trace::up_to(100_000);
        let mut dealer = Rejection::new(&rules, 3);
        watch(&rules, &mut dealer, &mut *solver, &Budget::unlimited(), &mut trace).unwrap();
        let mut stored: Vec<Vec<Card>> = Vec::new();
        for step in &trace.steps {
            if let Step::Grown(cards) = step {
                let mut cards = cards.clone();
                cards.sort();
                stored.push(cards);
            }
        }
        let all = stored.len();
        assert!(all > 100);
        stored.sort();
        stored.dedup();
        assert_eq!(stored.len(), all);
    }

    #[test]
    fn a_long_search_keeps_its_first_steps_and_its_end() {
        let rules = Rules::new(4, 4, 1).unwrap();
        let mut solver = Kind::Brute.solver(&rules).unwrap();
        let mut trace = Trace::up_to(10);
        let mut dealer = Rejection::new(&rules, 1);
        let set = watch(&rules, &mut dealer, &mut *solver, &Budget::unlimited(), &mut trace);
        let set = set.unwrap();
        assert!(trace.count > 100 && trace.steps.len() < 40);
        assert_eq!(trace.steps.last(), Some(&Step::Found(set)));
    }
}
