//! The solvers: their interface, their budget, and the list of them.

use super::rules::{Card, Rules};
use super::{brute, cover, dynamic, greedy, smt};
use cpu_time::ThreadTime;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fmt, str::FromStr, sync::Arc};

/// Finds sets on a changing board. It is notified of every change, so it can work incrementally.
pub trait Solver {
    /// Clears the board for a new game.
    fn clear(&mut self);

    /// Adds cards to the board. None of them may be on it already.
    fn drawn(&mut self, cards: &[Card]);

    /// Removes a set from the board.
    fn removed(&mut self, set: &[Card]);

    /// Searches the board for a set. Returns true if there is one, with its cards in `set`, which
    /// is cleared in either case.
    fn find(&mut self, budget: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop>;

    /// Memory of the solver for this board in bytes, if it is known.
    fn bytes(&self) -> Option<usize>;
}

/// Why a search ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The time is spent.
    #[error("out of time")]
    Time,
    /// The memory is used up.
    #[error("out of memory")]
    Memory,
    /// A stop was requested: see [`Budget::until_set`].
    #[error("stopped")]
    Requested,
    /// The solver found no answer.
    #[error("the solver gave up: {0}")]
    GaveUp(String),
}

/// A time in the unit that suits it.
pub fn human(seconds: f64) -> String {
    match seconds {
        s if s >= 100.0 => format!("{s:.0} s"),
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s if s >= 1e-6 => format!("{:.2} µs", s * 1e6),
        s => format!("{:.0} ns", s * 1e9),
    }
}

/// Maximum time, by default CPU time of the solver's thread, and maximum memory.
#[derive(Clone, Debug)]
pub struct Budget {
    until: Option<(Start, Duration)>,
    bytes: usize,
    stop_flags: Vec<Arc<AtomicBool>>,
}

/// When the time began.
#[derive(Clone, Copy, Debug)]
enum Start {
    Cpu(ThreadTime),
    Clock(Instant),
}

impl Start {
    fn elapsed(self) -> Duration {
        match self {
            Self::Cpu(start) => start.elapsed(),
            Self::Clock(start) => start.elapsed(),
        }
    }
}

impl Budget {
    /// No limit.
    pub const fn unlimited() -> Self {
        Self { until: None, bytes: usize::MAX, stop_flags: Vec::new() }
    }

    /// This much CPU time of the current thread from now on, and this many bytes.
    pub fn new(cpu: Duration, bytes: usize) -> Self {
        Self { until: Some((Start::Cpu(ThreadTime::now()), cpu)), bytes, stop_flags: Vec::new() }
    }

    /// The same by the clock, for a solver that searches on several threads.
    pub fn by_clock(time: Duration, bytes: usize) -> Self {
        Self { until: Some((Start::Clock(Instant::now()), time)), bytes, stop_flags: Vec::new() }
    }

    /// What is left of it, by the clock and for any thread, each until another flag is set as well.
    pub(crate) fn for_workers(&self) -> impl Fn(&Arc<AtomicBool>) -> Self + Sync + use<> {
        let (left, bytes, stop_flags) = (self.left(), self.bytes, self.stop_flags.clone());
        let now = Instant::now();
        move |flag| Self {
            until: left.map(|left| (Start::Clock(now), left)),
            bytes,
            stop_flags: stop_flags.iter().chain([flag]).cloned().collect(),
        }
    }

    /// The same until another thread sets the flag. Z3 notices it between two questions.
    #[must_use]
    pub fn until_set(mut self, flag: &Arc<AtomicBool>) -> Self {
        self.stop_flags.push(Arc::clone(flag));
        self
    }

    /// Remaining time; `None` if unlimited.
    #[inline]
    pub fn left(&self) -> Option<Duration> {
        self.until.as_ref().map(|(start, time)| time.saturating_sub(start.elapsed()))
    }

    /// Checks that time is left and no stop was requested. It makes a system call, so call it only
    /// every few thousand steps.
    ///
    /// # Errors
    /// The time is spent, or a stop was requested.
    #[inline]
    pub fn time(&self) -> Result<(), Stop> {
        if self.stop_flags.iter().any(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Stop::Requested);
        }
        match self.left() {
            Some(Duration::ZERO) => Err(Stop::Time),
            _ => Ok(()),
        }
    }

    /// Checks that this much memory may be used.
    ///
    /// # Errors
    /// It is too much.
    #[inline]
    pub const fn memory(&self, bytes: usize) -> Result<(), Stop> {
        if bytes > self.bytes { Err(Stop::Memory) } else { Ok(()) }
    }
}

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
    fn a_budget_runs_out() {
        assert_eq!(Budget::new(Duration::ZERO, 10).time(), Err(Stop::Time));
        assert_eq!(Budget::new(Duration::from_secs(99), 10).time(), Ok(()));
        assert_eq!(Budget::new(Duration::ZERO, 10).memory(11), Err(Stop::Memory));
        assert_eq!(Budget::unlimited().memory(usize::MAX), Ok(()));
        let stop = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().until_set(&stop);
        assert_eq!(budget.time(), Ok(()));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(budget.time(), Err(Stop::Requested));
    }

    #[test]
    fn times_come_in_their_unit() {
        let times = [123.4, 12.345, 0.012_345, 12.346e-6, 123.4e-9].map(human);
        assert_eq!(times, ["123 s", "12.35 s", "12.345 ms", "12.35 µs", "123 ns"]);
    }

    #[test]
    fn names_parse_back_and_unknown_ones_are_refused() {
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
