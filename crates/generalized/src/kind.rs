//! The list of solvers.

use super::rules::{Card, Rules};
use super::solver::{Budget, Solver, Stop};
use super::{brute, cover, dynamic, greedy, smt};
use std::{fmt, str::FromStr};

/// Which of the paper's optimisations the solver `smt` does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Without {
    /// Lexicographic order of the cards of a set, which leaves one solution of v! for each set.
    pub order: bool,
    /// Delayed deletion: a removed set is only forbidden, and the same Z3 solver is asked again. A
    /// new solver is built, with the cards drawn since, when the old one has no answer left.
    /// Without it, each search builds one.
    pub delayed_deletion: bool,
}

impl Without {
    /// Both optimisations.
    pub const NOTHING: Self = Self { order: false, delayed_deletion: false };
}

/// The solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// All combinations of v cards until one is a set.
    Brute,
    /// Z3 with the paper's encoding: values as integers.
    Smt(Without),
    /// Z3, a Boolean for each card of the board.
    SmtBoolean,
    /// Partial sets, extended card by card.
    Dynamic,
    /// The paper's greedy as it is written, one pass over the board for each pair. It overlooks some
    /// sets.
    DynamicPaper,
    /// An exact cover for each card; the fastest.
    Cover,
}

impl Kind {
    /// All solvers.
    pub const ALL: [Self; 6] = [
        Self::Brute,
        Self::Smt(Without::NOTHING),
        Self::SmtBoolean,
        Self::Dynamic,
        Self::DynamicPaper,
        Self::Cover,
    ];

    /// Those that overlook no set, as far as the program was built with them.
    pub const COMPLETE: &[Self] = if cfg!(feature = "smt") {
        &[Self::Brute, Self::Smt(Without::NOTHING), Self::SmtBoolean, Self::Dynamic, Self::Cover]
    } else {
        &[Self::Brute, Self::Dynamic, Self::Cover]
    };

    /// Its name; that of the whole solver is the one on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brute => "brute",
            Self::Smt(Without { order: false, delayed_deletion: false }) => "smt",
            Self::Smt(Without { order: true, delayed_deletion: false }) => "smt without order",
            Self::Smt(Without { order: false, delayed_deletion: true }) => {
                "smt without delayed deletion"
            }
            Self::Smt(Without { order: true, delayed_deletion: true }) => "smt without both",
            Self::SmtBoolean => "smt-boolean",
            Self::Dynamic => "dynamic",
            Self::DynamicPaper => "dynamic-paper",
            Self::Cover => "cover",
        }
    }

    /// A solver for these rules. With one or two values every card or pair is a set, so every kind
    /// answers at once.
    ///
    /// # Errors
    /// The program was built without this solver.
    pub fn solver(self, rules: &Rules) -> Result<Box<dyn Solver>, Unavailable> {
        if rules.values() <= 2 {
            return Ok(Box::new(AnyCards { wanted: rules.values(), board: Vec::new() }));
        }
        Ok(match self {
            Self::Brute => Box::new(brute::Brute::new(rules)),
            Self::Smt(_) | Self::SmtBoolean => smt::solver(rules, self)?,
            Self::Dynamic => dynamic::solver(rules),
            Self::DynamicPaper => greedy::solver(rules),
            Self::Cover => cover::solver(rules),
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.map(Self::name).to_vec();
            format!("no solver is called {name}; there are {}", names.join(", "))
        })
    }
}

/// The program was built without this solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the solver {0} is not in this program: build it with the feature `smt`")]
pub struct Unavailable(pub Kind);

/// For one and two values: any cards are a set once there are enough.
struct AnyCards {
    wanted: usize,
    board: Vec<Card>,
}

impl Solver for AnyCards {
    fn clear(&mut self) {
        self.board.clear();
    }

    fn drawn(&mut self, cards: &[Card]) {
        self.board.extend_from_slice(cards);
    }

    fn removed(&mut self, set: &[Card]) {
        self.board.retain(|card| !set.contains(card));
    }

    fn find(&mut self, _: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop> {
        set.clear();
        set.extend(self.board.iter().rev().take(self.wanted));
        Ok(set.len() == self.wanted)
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.board.capacity() * size_of::<Card>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_others_refused() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("fast".parse::<Kind>().unwrap_err().contains("brute, smt"));
    }

    #[test]
    fn any_pair_is_a_set_of_two_values() {
        let rules = Rules::new(2, 40, 2).unwrap();
        for kind in Kind::ALL {
            let mut solver = kind.solver(&rules).unwrap();
            let mut set = vec![Card(9)];
            solver.drawn(&[Card(7)]);
            assert_eq!(solver.find(&Budget::unlimited(), &mut set), Ok(false));
            solver.drawn(&[Card(1 << 39)]);
            assert_eq!(solver.find(&Budget::unlimited(), &mut set), Ok(true));
            assert!(rules.is_set(&set));
            solver.removed(&set);
            assert_eq!(solver.find(&Budget::unlimited(), &mut set), Ok(false));
        }
    }
}
