//! Reads a deck by its file, with no network that knows its cards: each card is straightened ([`face`]), its
//! symbols are cut out inside its white ([`symbols`]) and measured ([`measure`]), and compared with the
//! deck's cards drawn in several printings ([`reader`], [`drawn`]).

pub(crate) mod drawn;
mod face;
mod measure;
mod reader;
mod symbols;

pub use face::{Face, HEIGHT, WIDTH};
pub use measure::{FILL_FEATURES, Mask, Measured, PATCH, fill_point, lab};
pub(crate) use reader::DeckReader;
pub use symbols::{PATCH_HEIGHT, PATCH_WIDTH};

use setsight_game::cards::Deck;
use setsight_game::cards::deck::DeckError;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// The name of a deck's file beside a network that was trained for it.
pub const TRAINED_FOR: &str = "deck.json";

/// The deck that the networks of a folder were trained for, if it is one of one's own.
///
/// # Errors
/// [`DeckError`]: a file that is no deck's.
pub fn trained_for(folder: &Path) -> Result<Option<Arc<Deck>>, DeckError> {
    let path = folder.join(TRAINED_FOR);
    match Deck::read(&path) {
        Ok(deck) => Ok(Some(Arc::new(deck))),
        Err(DeckError::Unreadable { source, .. }) if source.kind() == ErrorKind::NotFound => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
