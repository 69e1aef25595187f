//! What a person is told about the photos that a deck is learnt from, and the names of decks.

use setsight_files::printable::counted;
use setsight_game::cards::{Deck, Property};
use std::fmt;

/// Where a card lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The photo's name.
    pub photo: String,
    /// Its row in the photo, from 1.
    pub row: usize,
    /// Its place in the row, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "card {} of row {} in {}", self.column, self.row, self.photo)
    }
}

/// What was left out, or may be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A photo that is too blurred to learn from.
    Blurred {
        /// The photo's name.
        photo: String,
    },
    /// Cards on which no symbols are seen clearly.
    Unclear {
        /// The photo's name.
        photo: String,
        /// How many.
        cards: usize,
    },
    /// A card that two photos show.
    SeenTwice {
        /// In one photo.
        first: Place,
        /// In the other.
        second: Place,
        /// How many more such cards there are.
        more: usize,
    },
    /// Cards that no photo shows.
    NotSeen {
        /// How many.
        cards: usize,
        /// What the deck has.
        of: usize,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blurred { photo } => write!(
                f,
                "{photo} is blurred and was left out; take it again, closer and with a steady hand"
            ),
            Self::Unclear { photo, cards } => write!(
                f,
                "{photo}: on {} no symbols are seen clearly; glare, a shadow or another card may be in the way",
                counted(*cards, "card")
            ),
            Self::SeenTwice { first, second, more } => {
                write!(f, "seen in two photos: {first} is {second}")?;
                if *more > 0 { write!(f, ", and {more} more") } else { Ok(()) }
            }
            Self::NotSeen { cards, of } => {
                write!(f, "{cards} of {of} cards are not seen; the deck is learnt from the others")
            }
        }
    }
}

/// Why a deck cannot have a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// It means another deck.
    #[error("it means another deck; give yours a name of its own")]
    Taken,
    /// It is empty, too long or of several lines.
    #[error("a deck's name has 1 to 60 characters on one line")]
    Malformed,
}

/// Whether a name is free, and labels and readings can carry it.
pub fn check_name(name: &str) -> Result<(), NameError> {
    let taken = Deck::NAMES.contains(&name)
        || ["auto", "unknown", "invented"].contains(&name)
        || name.starts_with("invented-");
    if taken {
        return Err(NameError::Taken);
    }
    if name.trim().is_empty() || name.chars().any(char::is_control) || name.chars().count() > 60 {
        return Err(NameError::Malformed);
    }
    Ok(())
}

/// What the values of a property are called here: outlines, fills, inks.
pub const fn values_of(property: Property) -> &'static str {
    match property {
        Property::Number => "numbers",
        Property::Shading => "fills",
        Property::Color => "inks",
        Property::Shape => "outlines",
    }
}
