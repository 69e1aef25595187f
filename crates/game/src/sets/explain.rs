//! The definition of a set, and why three cards are a set or are not, property by property.

use crate::cards::{Card, Property};
use std::fmt;

/// Three places of a board that hold a set, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Set(pub [usize; 3]);

/// The one card that makes a set with two others; for two equal cards, that card again.
pub fn completing(a: Card, b: Card) -> Card {
    let digits = Property::ALL.into_iter().map(|p| (6 - a.value(p) - b.value(p)) % 3);
    Card::from_index(digits.fold(0, |index, digit| index * 3 + digit))
}

/// Whether three cards are a set: three different cards that are all equal or all different in
/// every property.
pub fn is_set(a: Card, b: Card, c: Card) -> bool {
    a != b && completing(a, b) == c
}

/// The relation of three cards in one property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// All three show this value (0 to 2).
    AllAlike(usize),
    /// Each card shows a different value; the values are in the order of the cards.
    AllDifferent([usize; 3]),
    /// Two cards show one value and the third another, so they cannot be a set.
    TwoAlike {
        /// The value that two cards show.
        twice: usize,
        /// The third card's value.
        once: usize,
        /// Index of the third card, 0 to 2.
        odd_one: usize,
    },
}

impl Relation {
    /// The relation of three values of a property.
    fn between(values: [usize; 3]) -> Self {
        let [a, b, c] = values;
        let two_alike = |twice, odd_one| Self::TwoAlike { twice, once: values[odd_one], odd_one };
        match (a == b, a == c, b == c) {
            (true, true, _) => Self::AllAlike(a),
            (true, false, _) => two_alike(a, 2),
            (false, true, _) => two_alike(a, 1),
            (false, false, true) => two_alike(b, 0),
            (false, false, false) => Self::AllDifferent(values),
        }
    }

    /// Whether the relation allows a set.
    pub const fn fits(self) -> bool {
        !matches!(self, Self::TwoAlike { .. })
    }
}

/// The result of [`explain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The relation in each property, in [`Property::ALL`] order.
    pub relations: [Relation; 4],
    /// Whether a card occurs more than once, which rules out a set.
    pub repeated: bool,
}

impl Verdict {
    /// Whether the three cards are a set.
    pub fn is_set(&self) -> bool {
        !self.repeated && self.relations.iter().all(|r| r.fits())
    }

    /// One line per property: "colour: two are purple, one is red".
    pub fn lines(&self) -> impl Iterator<Item = String> {
        Property::ALL.into_iter().zip(self.relations).map(|(property, relation)| {
            let word = |value| property.value_word(value);
            let text = match relation {
                Relation::AllAlike(value) => format!("all the same ({})", word(value)),
                Relation::AllDifferent(values) => {
                    format!("all different ({})", values.map(word).join(", "))
                }
                Relation::TwoAlike { twice, once, .. } => match property {
                    Property::Number => {
                        let plural = if twice == 0 { "" } else { "s" };
                        format!("two have {} symbol{plural}, one has {}", word(twice), word(once))
                    }
                    Property::Shape => {
                        let article = if word(once) == "oval" { "an" } else { "a" };
                        format!("two are {}s, one is {article} {}", word(twice), word(once))
                    }
                    _ => format!("two are {}, one is {}", word(twice), word(once)),
                },
            };
            format!("{}: {text}", property.word())
        })
    }
}

/// The verdict as a sentence that names what prevents a set.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_set() {
            return f.write_str("a set");
        }
        if self.repeated {
            return f.write_str("not a set: the same card is there more than once");
        }
        let spoilt = Property::ALL.into_iter().zip(self.relations).filter(|(_, r)| !r.fits());
        let words: Vec<String> = spoilt.map(|(p, _)| format!("the {}", p.word())).collect();
        let (last, rest) = words.split_last().expect("something spoils it");
        f.write_str("not a set: ")?;
        if rest.is_empty() {
            return write!(f, "{last} doesn't fit");
        }
        write!(f, "{} and {last} don't fit", rest.join(", "))
    }
}

/// Whether three cards are a set, and why.
pub fn explain(cards: [Card; 3]) -> Verdict {
    let [a, b, c] = cards;
    Verdict {
        relations: Property::ALL.map(|p| Relation::between(cards.map(|card| card.value(p)))),
        repeated: a == b || a == c || b == c,
    }
}

/// One line per property on the card that completes two others: the values of a set add up to 0 modulo 3. Numbers are
/// as the cards show them, other values 0 to 2 and named.
pub fn explain_third(a: Card, b: Card) -> [String; 4] {
    Property::ALL.map(|property| {
        let term = |card: Card| match (property, card.value(property)) {
            (Property::Number, value) => (value + 1).to_string(),
            (_, value) => format!("{value} ({})", property.value_word(value)),
        };
        let third = property.value_word(completing(a, b).value(property));
        format!("{}: {} + {} + ? = 0 mod 3, so {third}", property.word(), term(a), term(b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::{completing, is_set};

    fn verdict(codes: [&str; 3]) -> Verdict {
        explain(codes.map(|code| code.parse().unwrap()))
    }

    #[test]
    fn a_verdict_agrees_with_the_rule_for_all_triples() {
        for a in Card::deck().step_by(7) {
            for b in Card::deck() {
                for c in Card::deck() {
                    assert_eq!(explain([a, b, c]).is_set(), is_set(a, b, c), "{a} {b} {c}");
                }
            }
        }
    }

    #[test]
    fn the_third_card_is_calculated() {
        let lines = explain_third("1fpd".parse().unwrap(), "2fro".parse().unwrap());
        assert_eq!(lines[0], "number: 1 + 2 + ? = 0 mod 3, so three");
        assert_eq!(lines[1], "shading: 0 (filled) + 0 (filled) + ? = 0 mod 3, so filled");
        for a in Card::deck() {
            for b in Card::deck().filter(|&b| b != a) {
                let third = completing(a, b);
                for (line, property) in explain_third(a, b).iter().zip(Property::ALL) {
                    let word = property.value_word(third.value(property));
                    assert!(line.ends_with(&format!(", so {word}")), "{a} {b}: {line}");
                }
            }
        }
    }

    #[test]
    fn the_reasons_are_named() {
        let set = verdict(["1fgd", "2fpd", "3frd"]);
        let lines: Vec<String> = set.lines().collect();
        assert_eq!(
            lines,
            [
                "number: all different (one, two, three)",
                "shading: all the same (filled)",
                "colour: all different (green, purple, red)",
                "shape: all the same (diamond)"
            ]
        );
        assert_eq!(set.to_string(), "a set");
        let odd = verdict(["1fgd", "2frd", "3frs"]);
        assert_eq!(odd.to_string(), "not a set: the colour and the shape don't fit");
        let all = verdict(["1fgd", "1fps", "2sps"]).to_string();
        assert_eq!(all, "not a set: the number, the shading, the colour and the shape don't fit");
        let lines: Vec<String> = odd.lines().collect();
        assert_eq!(lines[2], "colour: two are red, one is green");
        assert_eq!(lines[3], "shape: two are diamonds, one is a squiggle");
        assert!(verdict(["1fgd", "1fgd", "1fgd"]).to_string().contains("more than once"));
    }
}
