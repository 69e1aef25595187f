//! The contest's game: a deal, the layout on the table, the rules, the transcript; and many games
//! at once with their statistics.
//!
//! The rules are those of the 34th Annual Rowan University Programming Contest (2023);
//! [`variant`] has those of the game as people play it.

mod deal;
mod rules;
mod shuffle;
pub mod simulate;
mod statistics;
mod transcript;
pub mod variant;

pub use deal::{Deal, DealError, MAX_CARDS, MAX_DEALS, MIN_CARDS, parse_deals, write_deals};
pub use rules::{Game, ROWS, START_CARDS, Step, listing_order};
pub use simulate::{Policy, simulate};
pub use statistics::{BoardCount, Statistics};
pub use transcript::{describe, transcript};
pub use variant::{Round, Spot, Variant};
