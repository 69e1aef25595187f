//! Learns a deck from photos of its cards, without labels, and reads by a deck's file.
//!
//! A deck's own structure says what its cards are: four properties of three values, each
//! combination printed once. So the cards that the finder sees ([`seen`]) are straightened
//! ([`face`]), their symbols cut out inside their white ([`symbols`]) and measured ([`measure`]);
//! all cards are grouped together ([`group`], by [`clusters`]), a person may put some right ([`draft`]), and the
//! groups become outlines, fills and inks ([`mod@print`]).

mod checks;
mod clusters;
mod draft;
mod drawn;
mod face;
mod fit;
mod group;
mod measure;
mod print;
mod reader;
mod seen;
mod symbols;
mod told;

pub use checks::LearnError;
pub use draft::{Draft, DraftCard, Learnt};
pub use reader::DeckReader;
pub use seen::{SeenPhoto, detect};
pub use told::{NameError, Note, Place, check_name, values_of};

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
