//! The fast solver: one new card at a time, and an exact cover for each.
//!
//! The invariant that all its forms share: no set lies wholly within the cards already *checked*.
//! So only sets through the next unchecked card c matter. If one is found, the game removes it; if
//! not, c is checked too.
//!
//! * [`Exact`] is for any number of values: see there.
//! * [`Three`]: two cards determine the third, which is looked up.
//! * [`Four`]: values are two bits; the fourth card is the exclusive or of three.

mod exact;
mod four;
mod narrow;
mod table;
mod three;

pub use exact::Exact;
pub use four::Four;
pub use three::Three;

use super::rules::Rules;
use super::solver::Solver;

/// The solver for these rules: the special forms for three and four values.
pub fn solver(rules: &Rules) -> Box<dyn Solver> {
    match rules.values() {
        3 if Three::fits(rules) => Box::new(Three::new(rules)),
        4 => Box::new(Four::new(rules)),
        _ => Box::new(Exact::new(rules)),
    }
}
