//! Reads a deck by its file, without a network trained on its cards: each card is straightened ([`face`]), its
//! symbols are cut out inside its white ([`symbols`]) and measured ([`measure`]), and compared with the
//! deck's cards drawn in several printings ([`reader`], [`drawn`]).

pub mod drawn;
mod face;
mod measure;
mod reader;
mod symbols;

pub use face::{Face, HEIGHT, WIDTH};
pub use measure::{FILL_FEATURES, Mask, Measured, PATCH, fill_point, lab};
pub(crate) use reader::DeckReader;
pub use symbols::{PATCH_HEIGHT, PATCH_WIDTH};
