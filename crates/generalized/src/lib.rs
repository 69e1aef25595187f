//! The generalised game: v^p cards with p properties of v values. A set is v different cards that
//! are all equal or all different in every property.
//!
//! [`Rules`] define a game, a [`deal::Dealer`] draws cards, a [`Solver`] finds sets, [`play()`] runs
//! a game and writes a [`Record`], and [`check()`] verifies the record without relying on any of them.
//! [`caps`] counts and deals boards without a set. This module is independent of the rest of the
//! project.
//!
//! ```
//! use setsight_generalized::{Budget, Kind, Record, Rules, check, deal::Rejection, play};
//!
//! let rules = Rules::new(5, 4, 3)?;
//! let mut solver = Kind::Cover.solver(&rules)?;
//! let mut record = Record::default();
//! play(&rules, &mut Rejection::new(&rules, 1), &mut *solver, &Budget::unlimited(), &mut record)?;
//! check(&rules, &record)?;
//! assert_eq!(record.found.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod agreement;
mod all;
mod brute;
pub mod caps;
pub mod cover;
pub mod deal;
mod dynamic;
pub mod encoded;
mod greedy;
mod mask;
mod play;
mod rules;
#[cfg(feature = "smt")]
mod smt;
#[cfg(not(feature = "smt"))]
mod smt {
    use crate::{Kind, Rules, Solver, Unavailable};

    /// This build has no Z3.
    pub(super) fn solver(_: &Rules, kind: Kind) -> Result<Box<dyn Solver>, Unavailable> {
        Err(Unavailable(kind))
    }
}
mod solver;
pub mod uniformity;

pub use all::sets_of_board;
pub use greedy::{Overlooked, overlooked};
pub use play::{Fault, Found, Record, check, play};
pub use rules::{Card, CodeError, Rules, RulesError};
pub use solver::{Budget, Kind, Solver, Stop, Unavailable, Without, human};
