//! Parses the card names that people and labelling programs use.

use super::card::{Card, Color, Number, Property, Shading, Shape};
use super::code::CodeError;
use std::collections::BTreeMap;

/// Why a text does not name a card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Four characters that are not a valid code.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// Words that do not name a value.
    #[error(
        "{} {} no number, shading, colour or shape of a card", quoted(.words),
        if .words.len() == 1 { "is" } else { "are" }
    )]
    Unknown {
        /// All of them, in lower case.
        words: Vec<String>,
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

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

impl Card {
    /// The card with this code (`2spd`) or name: "two striped purple diamonds",
    /// `PURPLE_DIAMOND_2_STRIPED`, `RedOvalOneFilled`. A name has one word for each property, in
    /// any order. Common synonyms such as solid, empty and wave are accepted too.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn from_name(name: &str) -> Result<Self, NameError> {
        Vocabulary::default().card(name)
    }
}

/// The words by which cards are named: those that are built in, and a user's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// By the word in lower case.
    own: BTreeMap<String, Meaning>,
}

/// What a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// The index of a property's value.
    Value(Property, usize),
    /// A whole card.
    Whole(Card),
    /// Nothing about the card.
    Nothing,
}

impl Vocabulary {
    /// The value by which [`Self::add`] takes a word that says nothing about the card.
    pub const NOTHING: &'static str = "-";

    /// Adds a word, or a whole name. Its value is a word that is built in (`striped`), a card
    /// (`2spd`) or [`Self::NOTHING`]; it replaces what the word meant. Whether `value` is one of
    /// these.
    #[must_use]
    pub fn add(&mut self, word: &str, value: &str) -> bool {
        let value = value.trim();
        let meaning = match built_in(&value.to_lowercase()) {
            Some(meaning) => Some(meaning),
            None if value == Self::NOTHING => Some(Meaning::Nothing),
            None => Card::from_name(value).ok().map(Meaning::Whole),
        };
        meaning.is_some_and(|meaning| {
            self.own.insert(word.trim().to_lowercase(), meaning);
            true
        })
    }

    /// The card with this code or name.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn card(&self, name: &str) -> Result<Card, NameError> {
        let name = name.trim();
        if let Some(Meaning::Whole(card)) = self.own.get(&name.to_lowercase()) {
            return Ok(*card);
        }
        let code = match name.parse() {
            Ok(card) => return Ok(card),
            Err(error) => error,
        };
        let mut values: [Option<usize>; 4] = [None; 4];
        let mut twice = None;
        let mut unknown: Vec<String> = Vec::new();
        for word in words(name) {
            let Some(meanings) = self.meanings(&word) else {
                if !unknown.contains(&word) {
                    unknown.push(word);
                }
                continue;
            };
            for meaning in meanings {
                let said: Vec<(Property, usize)> = match meaning {
                    Meaning::Value(property, value) => vec![(property, value)],
                    Meaning::Whole(card) => {
                        Property::ALL.into_iter().map(|p| (p, card.value(p))).collect()
                    }
                    Meaning::Nothing => Vec::new(),
                };
                for (property, value) in said {
                    let place = &mut values[property as usize];
                    if place.is_some_and(|other| other != value) {
                        twice.get_or_insert(property);
                    }
                    *place = Some(value);
                }
            }
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

    /// Whether a text holds words, and none that is unknown.
    pub fn knows(&self, text: &str) -> bool {
        let mut words = words(text).peekable();
        words.peek().is_some() && words.all(|word| self.meanings(&word).is_some())
    }

    /// The only card that some neighbouring words of a text name, as `img_2spd_1` and
    /// `green_oval_open_one_b3` do; `None` if they name none, or could name several.
    pub fn card_within(&self, text: &str) -> Option<Card> {
        let words: Vec<String> = words(text).collect();
        let mut found: Option<Card> = None;
        for start in 0..words.len() {
            // The shortest run from here: what follows may be a counter.
            let card = (start + 1..=words.len())
                .find_map(|end| self.card(&words[start..end].join(" ")).ok());
            match (card, found) {
                (Some(card), Some(other)) if card != other => return None,
                (Some(card), _) => found = Some(card),
                (None, _) => {}
            }
        }
        found
    }

    /// What a word of letters and digits says. A number may be written to a word: `2red`.
    fn meanings(&self, word: &str) -> Option<Vec<Meaning>> {
        let one = |word: &str| self.own.get(word).copied().or_else(|| built_in(word));
        if let Some(meaning) = one(word) {
            return Some(vec![meaning]);
        }
        let digit = |c: char| c.is_ascii_digit();
        let split = match word.strip_prefix(digit) {
            Some(rest) => Some((&word[..1], rest)),
            None => word.strip_suffix(digit).map(|rest| (&word[word.len() - 1..], rest)),
        };
        let (number, rest) = split?;
        Some(vec![one(number)?, one(rest)?])
    }

    /// All words that are built in, in no particular order.
    pub fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().flat_map(|(_, _, words)| words.iter().copied())
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

/// The words for each value: those of people, of public data sets and, where a window in German
/// suggests them, of German. Words that could be two values are left out.
const WORDS: [(Property, usize, &[&str]); 12] = [
    (Property::Number, 0, &["1", "one", "single", "ones", "ein", "eine", "eins"]),
    (Property::Number, 1, &["2", "two", "double", "twos", "pair", "zwei"]),
    (Property::Number, 2, &["3", "three", "triple", "threes", "drei"]),
    (
        Property::Shading,
        0,
        &["filled", "solid", "full", "closed", "opaque", "solids", "gefüllt", "gefuellt", "voll"],
    ),
    (
        Property::Shading,
        1,
        &[
            "open",
            "empty",
            "outline",
            "outlined",
            "hollow",
            "clear",
            "blank",
            "unfilled",
            "transparent",
            "void",
            "border",
            "bordered",
            "leer",
            "offen",
        ],
    ),
    (
        Property::Shading,
        2,
        &[
            "striped",
            "stripe",
            "stripes",
            "stripy",
            "strip",
            "strips",
            "stripped",
            "shaded",
            "hatched",
            "crosshatched",
            "partial",
            "partially",
            "dashed",
            "dashes",
            "lined",
            "lines",
            "half",
            "dotted",
            "dots",
            "gestreift",
            "schraffiert",
        ],
    ),
    (Property::Color, 0, &["green", "gruen", "grün"]),
    // A deck has three inks: beside red and green, blue is the third.
    (Property::Color, 1, &["purple", "violet", "blue", "lila", "violett", "blau"]),
    (Property::Color, 2, &["red", "rot"]),
    // In the older European edition the rectangle replaces the diamond.
    (
        Property::Shape,
        0,
        &[
            "diamond",
            "diamonds",
            "rhombus",
            "rhombuses",
            "rhombi",
            "rhomb",
            "lozenge",
            "lozenges",
            "rectangle",
            "rectangles",
            "square",
            "squares",
            "raute",
            "rauten",
        ],
    ),
    (
        Property::Shape,
        1,
        &[
            "oval", "ovals", "ellipse", "ellipses", "pill", "pills", "oblong", "oblongs",
            "capsule", "capsules", "circle", "circles", "round", "rounds", "ovale",
        ],
    ),
    (
        Property::Shape,
        2,
        &[
            "squiggle",
            "squiggles",
            "squiggly",
            "swiggle",
            "swiggles",
            "squiggel",
            "squiggels",
            "wave",
            "waves",
            "wavy",
            "tilde",
            "tildes",
            "tilda",
            "tildas",
            "wiggle",
            "wiggles",
            "worm",
            "worms",
            "peanut",
            "peanuts",
            "bean",
            "beans",
            "snake",
            "snakes",
            "curve",
            "curves",
            "curvy",
            "welle",
            "wellen",
        ],
    ),
];

/// Words between the others, and the properties' own names, as in `shape:oval,color:red`.
const FILLERS: [&str; 23] = [
    "a", "an", "the", "and", "with", "of", "in", "shape", "shapes", "color", "colour", "number",
    "count", "shading", "pattern", "texture", "symbol", "symbols", "card", "cards", "karte",
    "karten", "und",
];

fn built_in(word: &str) -> Option<Meaning> {
    let named = WORDS.iter().find(|(_, _, words)| words.contains(&word));
    let value = named.map(|(property, value, _)| Meaning::Value(*property, *value));
    value.or_else(|| FILLERS.contains(&word).then_some(Meaning::Nothing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

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
        for name in [
            "PURPLE_DIAMOND_2_STRIPED",
            "2-violet-shaded-rhombus",
            "TwoStripedPurpleDiamonds",
            "2PurpleDiamondStriped",
            "purple diamond2 striped",
            "color:blue, shape:square, number:2, shading:partial",
            "lila/Raute/zwei/gestreift",
        ] {
            assert_eq!(Card::from_name(name).ok(), card.clone().ok(), "{name}");
        }
    }

    #[test]
    fn no_word_has_two_meanings() {
        let all: Vec<&str> = Vocabulary::words().chain(FILLERS).collect();
        let once: BTreeSet<&&str> = all.iter().collect();
        assert_eq!(once.len(), all.len());
    }

    #[test]
    fn what_is_no_card_is_told_by_what_is_wrong_with_it() {
        let why = |name: &str| Card::from_name(name).unwrap_err().to_string();
        assert!(why("2xpd").contains("'x' at place 2"), "{}", why("2xpd"));
        let both = "\"lid\", \"back\" are no number, shading, colour or shape of a card";
        assert_eq!(why("lid back, lid of card"), both);
        assert_eq!(why("lid"), "\"lid\" is no number, shading, colour or shape of a card");
        assert_eq!(why("two purple diamonds"), "it says no shading");
        assert_eq!(why("two red purple open diamonds"), "it says two colours");
        assert_eq!(why(""), "it says no number");
        // A counter is no number of symbols.
        assert!(why("red oval solid b1").starts_with("\"b1\" is no"));
    }

    #[test]
    fn own_words_come_first() {
        let mut words = Vocabulary::default();
        assert!(words.add("Blue", "red") && words.add("hatch", "Striped"));
        assert!(words.add("Karte 17", "2spd") && words.add("kaart", "-"));
        assert!(!words.add("x", "chequered"));
        let card = |name: &str| words.card(name).map(|card| card.to_string());
        assert_eq!(card("kaart BLUE hatch oval 1"), Ok("1sro".into()));
        assert_eq!(card("karte 17"), Ok("2spd".into()));
        assert!(card("karte 18").is_err());
    }

    #[test]
    fn a_card_is_found_within_a_files_name() {
        let words = Vocabulary::default();
        let within = |text: &str| words.card_within(text).map(|card| card.to_string());
        let expected = [
            ("diamond_green_outlined_one_b1", Some("1ogd")),
            ("2spd_1", Some("2spd")),
            ("2spd (3)", Some("2spd")),
            ("IMG-17-2SPD", Some("2spd")),
            ("green_oval_open_2_1", Some("2ogo")),
            // The first or the last?
            ("3_green_diamond_outlined_2", None),
            ("2spd-1frs", None),
            ("IMG_1234", None),
        ];
        for (name, card) in expected {
            assert_eq!(within(name).as_deref(), card, "{name}");
        }
    }
}
