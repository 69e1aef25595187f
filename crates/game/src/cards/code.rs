//! The 4-character code: number `1 2 3`, shading `f o s`, colour `g p r`, shape `d o s`.
//!
//! And the card names that people and labelling programs use.

use super::card::{Card, Color, Number, Property, Shading, Shape};
use setsight_files::printable::counted;
use std::str::FromStr;

/// Why a text is not a valid code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum CodeError {
    /// Not four characters.
    #[error("\"{text}\" has {} where a card's code has 4, such as 2spd", counted(*.found, "character"))]
    Length { text: String, found: usize },
    /// A character that is invalid for its property.
    #[error("\"{text}\": '{}' at place {place} is not a valid {property}; expected {expected}", .found.escape_default())]
    Character {
        text: String,
        found: char,
        place: usize,
        property: &'static str,
        expected: &'static str,
    },
}

impl FromStr for Card {
    type Err = CodeError;

    /// Parses a code, in upper or lower case.
    fn from_str(text: &str) -> Result<Self, CodeError> {
        let letters: Vec<char> = text.chars().take(5).collect();
        let &[number, shading, color, shape] = letters.as_slice() else {
            return Err(CodeError::Length { text: begin_of(text), found: text.chars().count() });
        };
        let bad = |found, place, property, expected| {
            let text = text.to_owned();
            CodeError::Character { text, found, place, property, expected }
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

/// Why a text does not name a card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum NameError {
    /// Four characters that are not a valid code.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// Words that do not name a value.
    #[error(
        "{} {} not name a number, shading, colour or shape of a card", quoted(.words),
        if .words.len() == 1 { "does" } else { "do" }
    )]
    Unknown {
        /// All of them, in lower case.
        words: Vec<String>,
    },
    /// A property without a value.
    #[error("it says no {property}")]
    Missing { property: Property },
    /// A property with two values.
    #[error("it says two {property}s")]
    Twice { property: Property },
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

impl Card {
    /// The card with this code (`2spd`) or name: "two striped purple diamonds",
    /// `PURPLE_DIAMOND_2_STRIPED`, `RedOvalOneFilled`. A name has one word for each property, in
    /// any order.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn from_name(name: &str) -> Result<Self, NameError> {
        let name = name.trim();
        // Each of its words would be compared with all others.
        if name.len() > MOST_BYTES {
            return Err(NameError::Unknown { words: vec![begin_of(name)] });
        }
        let code = match name.parse() {
            Ok(card) => return Ok(card),
            Err(error) => error,
        };
        let mut values: [Option<usize>; 4] = [None; 4];
        let mut twice = None;
        let mut unknown: Vec<String> = Vec::new();
        // Labels and attributes may be of a "card".
        for word in words(name).filter(|word| word != "card") {
            let Some((property, value, _)) =
                WORDS.iter().find(|(.., forms)| forms.contains(&&*word))
            else {
                if !unknown.contains(&word) {
                    unknown.push(word);
                }
                continue;
            };
            let place = &mut values[*property as usize];
            if place.is_some_and(|other| other != *value) {
                twice.get_or_insert(*property);
            }
            *place = Some(*value);
        }
        if !unknown.is_empty() {
            // For a word of a code's length, the error about the letter is more helpful.
            let is_code = name.starts_with(|c: char| c.is_ascii_digit())
                && matches!(code, CodeError::Character { .. });
            return Err(if is_code { code.into() } else { NameError::Unknown { words: unknown } });
        }
        if let Some(property) = twice {
            return Err(NameError::Twice { property });
        }
        let value =
            |property: Property| values[property as usize].ok_or(NameError::Missing { property });
        Ok(Card {
            number: Number::from_index(value(Property::Number)?),
            shading: Shading::from_index(value(Property::Shading)?),
            color: Color::from_index(value(Property::Color)?),
            shape: Shape::from_index(value(Property::Shape)?),
        })
    }
}

/// Longest name of a card, in bytes: some words of any script.
const MOST_BYTES: usize = 400;

/// Of a text that is too long for a message, its first characters.
fn begin_of(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The words of a name, in lower case. In `RedOvalOne` capital letters begin them.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        // The S of 2Striped begins a word, that of 2SPD does not.
        let ends_a_number = before.is_numeric() && chars.peek().is_some_and(|c| c.is_lowercase());
        let begins = c.is_uppercase() && (before.is_lowercase() || ends_a_number);
        if begins || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("one at least").extend(c.to_lowercase());
        }
        before = c;
    }
    words.into_iter().filter(|word| !word.is_empty())
}

/// The words for each value.
const WORDS: [(Property, usize, &[&str]); 12] = [
    (Property::Number, 0, &["1", "one"]),
    (Property::Number, 1, &["2", "two"]),
    (Property::Number, 2, &["3", "three"]),
    (Property::Shading, 0, &["filled", "solid"]),
    (Property::Shading, 1, &["open", "outlined"]),
    (Property::Shading, 2, &["striped"]),
    (Property::Color, 0, &["green"]),
    (Property::Color, 1, &["purple"]),
    (Property::Color, 2, &["red"]),
    // In the older European edition the rectangle replaces the diamond.
    (Property::Shape, 0, &["diamond", "diamonds", "rectangle", "rectangles"]),
    (Property::Shape, 1, &["oval", "ovals"]),
    (Property::Shape, 2, &["squiggle", "squiggles"]),
];

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

    #[test]
    fn every_card_parses_from_its_name_and_its_code() {
        for card in Card::deck() {
            assert_eq!(Card::from_name(&card.name()), Ok(card));
            assert_eq!(
                Card::from_name(&format!(" {} ", card.to_string().to_uppercase())),
                Ok(card)
            );
        }
        let card = "2spd".parse();
        for name in [
            "PURPLE_DIAMOND_2_STRIPED",
            "2-purple-striped-rectangle",
            "TwoStripedPurpleDiamonds",
            "2PurpleDiamondStriped",
            "card 2 purple diamond striped",
        ] {
            assert_eq!(Card::from_name(name).ok(), card.clone().ok(), "{name}");
        }
    }

    #[test]
    fn errors_say_what_is_wrong_with_a_name() {
        let why = |name: &str| Card::from_name(name).unwrap_err().to_string();
        assert!(why("2xpd").contains("'x' at place 2"), "{}", why("2xpd"));
        let both = "\"lid\", \"back\" do not name a number, shading, colour or shape of a card";
        assert_eq!(why("lid back, lid card"), both);
        assert_eq!(
            why("lid"),
            "\"lid\" does not name a number, shading, colour or shape of a card"
        );
        assert_eq!(why("two purple diamonds"), "it says no shading");
        assert_eq!(why("two red purple open diamonds"), "it says two colours");
        assert_eq!(why(""), "it says no number");
        let long: String = (0..100_000).map(|n| format!("w{n} ")).collect();
        assert!(why(&long).starts_with("\"w0 w1 ") && why(&long).len() < 130, "{}", why(&long));
        assert!("é".repeat(9_000).parse::<Card>().unwrap_err().to_string().len() < 200);
    }
}
