//! What every solver does, and how long it may take.

use super::rules::Card;
use cpu_time::ThreadTime;
use std::time::Duration;

/// Finds sets on a board that changes. It is told of every change, so it may keep what it knows.
pub trait Solver {
    /// Forgets the board: a new game begins.
    fn clear(&mut self);

    /// These cards came to the board. None of them is there already.
    fn drawn(&mut self, cards: &[Card]);

    /// This set left the board.
    fn removed(&mut self, set: &[Card]);

    /// Looks for a set on the board: if there is one, true, and its cards are left in `set` (whose
    /// old contents are gone either way).
    ///
    /// # Errors
    /// The budget is spent, or the solver gave up. The board must then be cleared.
    fn find(&mut self, budget: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop>;

    /// Memory held for the board and what is known of it, in bytes, where it can be told.
    fn bytes(&self) -> Option<usize>;
}

/// Why a search ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The time is used up.
    #[error("out of time")]
    Time,
    /// The memory is used up.
    #[error("out of memory")]
    Memory,
    /// The solver does not know.
    #[error("the solver gave up: {0}")]
    GaveUp(String),
}

/// What a solver may use: CPU time of its thread, and memory.
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

    /// So much CPU time of this thread from now on, and so many bytes.
    pub fn new(cpu: Duration, bytes: usize) -> Self {
        Self { until: Some((ThreadTime::now(), cpu)), bytes }
    }

    /// CPU time left; `None` without a limit.
    #[inline]
    pub fn left(&self) -> Option<Duration> {
        self.until.as_ref().map(|(start, cpu)| cpu.saturating_sub(start.elapsed()))
    }

    /// Whether time is left. It asks the system, so ask it only every few thousand steps.
    ///
    /// # Errors
    /// The time is used up.
    #[inline]
    pub fn time(&self) -> Result<(), Stop> {
        match self.left() {
            Some(Duration::ZERO) => Err(Stop::Time),
            _ => Ok(()),
        }
    }

    /// Whether so much memory may be held.
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
