//! The contest's game: a deal, the layout on the table, the rules, the transcript; and many games
//! at once with their statistics.
//!
//! The rules are those of the 34th Annual Rowan University Programming Contest (2023).
//!
//! ```
//! use setsight_game::game::{Deal, Game, Policy, Step, simulate, transcript};
//!
//! let deal = Deal::random(7);
//! let taken = Game::new(&deal).filter(|step| matches!(step, Step::Removed(_))).count();
//! assert!(transcript(&[deal]).ends_with("The game is over.\n"));
//! assert!((20..=27).contains(&taken));
//!
//! let games = simulate(1_000, 7, Policy::Random, |_| ());
//! assert!(games.mean_sets() > 22.0);
//! ```

mod deal;
mod rules;
mod simulate;
mod transcript;
// The game as people play it, in the window.
pub mod variant;

pub use deal::{Deal, DealError, MAX_CARDS, MAX_DEALS, MIN_CARDS, parse_deals, write_deals};
pub use rules::{Game, ROWS, START_CARDS, Step, listing_order, place_name};
pub use simulate::{BoardCount, Policy, Statistics, simulate};
pub use transcript::{Difference, describe, first_difference, transcript};
pub use variant::{Round, Spot, Variant};
