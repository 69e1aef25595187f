//! Parses the card names that people and labelling programs use.

use super::card::{Card, Color, Number, Property, Shading, Shape};
use super::code::CodeError;

/// Why a text does not name a card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Four characters that are not a valid code.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// A word that does not name a value.
    #[error("\"{word}\" is no number, shading, colour or shape of a card")]
    Word {
        /// The word in lower case.
        word: String,
    },
    /// A property without a value.
    #[error("it says no {property}")]
    Missing {
        /// The property.
        property: Property,
    },
    /// A property with two values.
    #[error("it says two {property}s")]
    Twice {
        /// The property.
        property: Property,
    },
}

impl Card {
    /// The card with this code (`2spd`) or name: "two striped purple diamonds",
    /// `PURPLE_DIAMOND_2_STRIPED`. A name has one word for each property, in any order. Common
    /// synonyms such as solid, empty and wave are accepted too.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn from_name(name: &str) -> Result<Self, NameError> {
        let name = name.trim();
        let code = match name.parse() {
            Ok(card) => return Ok(card),
            Err(error) => error,
        };
        let mut values: [Option<usize>; 4] = [None; 4];
        let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in words {
            let word = word.to_lowercase();
            let Some((property, value)) = value_of(&word) else {
                // For a single word of a code's length, the error about the letter is more helpful.
                let is_code = matches!(code, CodeError::Character { .. });
                return Err(if is_code { code.into() } else { NameError::Word { word } });
            };
            let place = &mut values[property as usize];
            if place.is_some_and(|other| other != value) {
                return Err(NameError::Twice { property });
            }
            *place = Some(value);
        }
        let value =
            |property: Property| values[property as usize].ok_or(NameError::Missing { property });
        Ok(Self {
            number: Number::from_index(value(Property::Number)?),
            shading: Shading::from_index(value(Property::Shading)?),
            color: Color::from_index(value(Property::Color)?),
            shape: Shape::from_index(value(Property::Shape)?),
        })
    }
}

/// The property and the value's index that a word names.
fn value_of(word: &str) -> Option<(Property, usize)> {
    let (number, shading, color, shape) =
        (Property::Number, Property::Shading, Property::Color, Property::Shape);
    Some(match word {
        "1" | "one" | "single" => (number, 0),
        "2" | "two" | "double" => (number, 1),
        "3" | "three" | "triple" => (number, 2),
        "filled" | "solid" | "full" => (shading, 0),
        "open" | "empty" | "outline" | "outlined" | "hollow" => (shading, 1),
        "striped" | "stripe" | "stripes" | "shaded" | "hatched" => (shading, 2),
        "green" => (color, 0),
        "purple" | "violet" => (color, 1),
        "red" => (color, 2),
        // In the older European edition the rectangle replaces the diamond.
        "diamond" | "diamonds" | "rhombus" | "rectangle" | "rectangles" => (shape, 0),
        "oval" | "ovals" | "ellipse" | "ellipses" | "pill" | "pills" => (shape, 1),
        "squiggle" | "squiggles" | "wave" | "waves" | "tilde" | "tildes" => (shape, 2),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_is_known_by_its_name_and_by_its_code() {
        for card in Card::deck() {
            assert_eq!(Card::from_name(&card.name()), Ok(card));
            assert_eq!(
                Card::from_name(&format!(" {} ", card.to_string().to_uppercase())),
                Ok(card)
            );
        }
        let card = "2spd".parse();
        assert_eq!(Card::from_name("PURPLE_DIAMOND_2_STRIPED").ok(), card.clone().ok());
        assert_eq!(Card::from_name("2-violet-shaded-rhombus").ok(), card.ok());
    }

    #[test]
    fn what_is_no_card_is_told_by_what_is_wrong_with_it() {
        let why = |name: &str| Card::from_name(name).unwrap_err().to_string();
        assert!(why("2xpd").contains("'x' at place 2"), "{}", why("2xpd"));
        assert_eq!(why("card back"), "\"card\" is no number, shading, colour or shape of a card");
        assert_eq!(why("two purple diamonds"), "it says no shading");
        assert_eq!(why("two red purple open diamonds"), "it says two colours");
        assert_eq!(why(""), "it says no number");
    }
}
