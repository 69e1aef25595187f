//! The fastest solver: it processes one new card at a time, with an exact cover for each.
//!
//! All its forms share an invariant: no set consists only of cards that are already *checked*. So
//! only sets with the next unchecked card c matter. If there is one, the game removes it; otherwise
//! c becomes checked too.
//!
//! * [`Exact`] is for any number of values.
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

use super::{rules::Rules, solver::Solver};

/// The solver for these rules: the special forms for three and four values.
pub fn solver(rules: &Rules) -> Box<dyn Solver> {
    solver_on(rules, 1)
}

/// The same on so many threads, of which the special forms use one.
pub fn solver_on(rules: &Rules, threads: usize) -> Box<dyn Solver> {
    match rules.values() {
        3 if Three::fits(rules) => Box::new(Three::new(rules)),
        4 => Box::new(Four::new(rules)),
        _ => Box::new(Exact::on_threads(rules, threads)),
    }
}
