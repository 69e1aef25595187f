//! The solvers' interface, and their budget.

use super::rules::Card;
use cpu_time::ThreadTime;
use std::time::Duration;

/// Finds sets on a changing board. It is told of every change, so it can work incrementally.
pub trait Solver {
    /// Clears the board for a new game.
    fn clear(&mut self);

    /// Adds cards to the board. None of them may be on it already.
    fn drawn(&mut self, cards: &[Card]);

    /// Removes a set from the board.
    fn removed(&mut self, set: &[Card]);

    /// Searches the board for a set. Returns true if there is one, with its cards in `set`, which
    /// is cleared in either case.
    ///
    /// # Errors
    /// The budget is spent, or the solver gave up. The board must be cleared afterwards.
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
    /// The solver found no answer.
    #[error("the solver gave up: {0}")]
    GaveUp(String),
}

/// Maximum CPU time of the solver's thread, and maximum memory.
#[derive(Clone, Debug)]
pub struct Budget {
    until: Option<(ThreadTime, Duration)>,
    bytes: usize,
}

impl Budget {
    /// No limit.
    pub const fn unlimited() -> Self {
        Self { until: None, bytes: usize::MAX }
    }

    /// This much CPU time of the current thread from now on, and this many bytes.
    pub fn new(cpu: Duration, bytes: usize) -> Self {
        Self { until: Some((ThreadTime::now(), cpu)), bytes }
    }

    /// Remaining CPU time; `None` if unlimited.
    #[inline]
    pub fn left(&self) -> Option<Duration> {
        self.until.as_ref().map(|(start, cpu)| cpu.saturating_sub(start.elapsed()))
    }

    /// Checks that time is left. It makes a system call, so call it only every few thousand steps.
    ///
    /// # Errors
    /// The time is spent.
    #[inline]
    pub fn time(&self) -> Result<(), Stop> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_runs_out() {
        assert_eq!(Budget::new(Duration::ZERO, 10).time(), Err(Stop::Time));
        assert_eq!(Budget::new(Duration::from_secs(99), 10).time(), Ok(()));
        assert_eq!(Budget::new(Duration::ZERO, 10).memory(11), Err(Stop::Memory));
        assert_eq!(Budget::unlimited().memory(usize::MAX), Ok(()));
    }
}
