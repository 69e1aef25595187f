//! A card, its four properties and its 4-character code.
//!
//! ```
//! use setsight_game::cards::{Card, Color, Number, parse_codes};
//!
//! let card: Card = "2spd".parse()?;
//! assert_eq!(card.name(), "two striped purple diamonds");
//! assert_eq!((card.number, card.color), (Number::Two, Color::Purple));
//! assert_eq!(parse_codes("1fgd 2fgd 3fgd").unwrap().len(), 3);
//! assert_eq!(Card::deck().len(), 81);
//! # Ok::<(), setsight_game::cards::CodeError>(())
//! ```

mod card;
mod code;
pub mod deck;
pub mod outline;
pub mod picture;

pub use card::{Card, Color, DECK_SIZE, MAX_ON_TABLE, Number, Property, Shading, Shape};
pub use code::{CodeError, NameError, parse_codes};
pub use deck::{Deck, Edition};
