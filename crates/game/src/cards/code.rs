//! The 4-character code: number `1 2 3`, shading `f o s`, colour `g p r`, shape `d o s`.

use super::card::{Card, Color, Number, Shading, Shape};
use setsight_files::printable::counted;
use std::str::FromStr;

/// Why a text is not a valid code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// Not four characters.
    #[error("\"{text}\" has {} where a card's code has 4, such as 2spd", counted(*.found, "character"))]
    Length {
        /// The text as given.
        text: String,
        /// Its number of characters.
        found: usize,
    },
    /// A character that is invalid for its property.
    #[error("\"{text}\": '{}' at place {place} is no {property}; expected {expected}", .found.escape_default())]
    Character {
        /// The text as given.
        text: String,
        /// The bad character.
        found: char,
        /// Its position, counted from 1.
        place: usize,
        /// The property at that position.
        property: &'static str,
        /// The valid characters at that position.
        expected: &'static str,
    },
}

impl FromStr for Card {
    type Err = CodeError;

    /// Parses a code, in upper or lower case.
    fn from_str(text: &str) -> Result<Self, CodeError> {
        let letters: Vec<char> = text.chars().collect();
        let &[number, shading, color, shape] = letters.as_slice() else {
            return Err(CodeError::Length { text: text.to_owned(), found: letters.len() });
        };
        let bad = |found, place, property, expected| CodeError::Character {
            text: text.to_owned(),
            found,
            place,
            property,
            expected,
        };
        Ok(Self {
            number: Number::from_letter(number)
                .ok_or_else(|| bad(number, 1, "number", "1, 2 or 3"))?,
            shading: Shading::from_letter(shading)
                .ok_or_else(|| bad(shading, 2, "shading", "f (filled), o (open) or s (striped)"))?,
            color: Color::from_letter(color)
                .ok_or_else(|| bad(color, 3, "colour", "g (green), p (purple) or r (red)"))?,
            shape: Shape::from_letter(shape)
                .ok_or_else(|| bad(shape, 4, "shape", "d (diamond), o (oval) or s (squiggle)"))?,
        })
    }
}

/// Parses codes separated by white space, commas or semicolons.
///
/// # Errors
/// The first invalid code, with its position counted from 1.
pub fn parse_codes(text: &str) -> Result<Vec<Card>, (usize, CodeError)> {
    text.split(|c: char| c.is_whitespace() || c == ',' || c == ';')
        .filter(|word| !word.is_empty())
        .enumerate()
        .map(|(i, word)| word.parse().map_err(|e| (i + 1, e)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_survives_its_code() {
        for (i, card) in Card::deck().enumerate() {
            assert_eq!(card.index(), i);
            assert_eq!(card.to_string().parse(), Ok(card));
            assert_eq!(card.to_string().to_uppercase().parse(), Ok(card));
        }
    }

    #[test]
    fn errors_name_the_character_and_its_place() {
        let message = "2xpd".parse::<Card>().unwrap_err().to_string();
        assert!(message.contains("'x' at place 2"), "{message}");
        assert!("2spdd".parse::<Card>().unwrap_err().to_string().contains("5 characters"));
        assert!("".parse::<Card>().unwrap_err().to_string().contains("0 characters"));
        let (at, _) = parse_codes("2spd, 3frs 9ood").unwrap_err();
        assert_eq!(at, 3);
    }
}
