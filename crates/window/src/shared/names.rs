//! Names of cards, of what they show, and of the games played with them.

use crate::shared::words::t;
use setsight_game::{
    cards::{Card, Deck, Property},
    game::Variant,
    sets::{Relation, Verdict},
};

/// A card of a deck: "two striped purple diamonds".
pub(crate) fn card(deck: &Deck, card: Card) -> String {
    let n = card.number.index() + 1;
    let word = |property: Property| value_word(deck, property, card.value(property));
    let (shading, color) = (word(Property::Shading), word(Property::Color));
    let shape = word(Property::Shape);
    // A taught deck's values are called as its file says in whatever language.
    if deck.is_taught() {
        return t!("card-of-own-deck", n = n, shading = shading, color = color, shape = shape);
    }
    t!("card-name", n = n, shading = shading, color = color, shape = shape)
}

/// Names of which one is right: "a, b or c".
pub(crate) fn either(names: &[String]) -> String {
    let (last, rest) = match names {
        [] => return String::new(),
        [rest @ .., last] => (last, rest),
    };
    let rest = rest.iter().cloned().reduce(|a, b| t!("list-comma", first = a, last = b));
    match rest {
        Some(rest) => t!("list-or", first = rest, last = last.as_str()),
        None => last.clone(),
    }
}

fn value_word(deck: &Deck, property: Property, value: usize) -> &str {
    match property {
        Property::Number => property.value_word(value),
        Property::Shading => &deck.fills[value].name,
        Property::Color => &deck.inks[value].name,
        Property::Shape => &deck.shapes[value].name,
    }
}

/// A property: "shading".
pub(crate) fn property(property: Property) -> String {
    t!("card-property", property = property.word())
}

/// What a card of a deck shows in a property, 0 to 2: "striped".
pub(crate) fn value(deck: &Deck, property: Property, value: usize) -> String {
    let word = value_word(deck, property, value);
    if deck.is_taught() && property != Property::Number {
        return word.to_owned();
    }
    t!("card-value", value = word)
}

/// What is played: "Chain".
pub(crate) fn variant(variant: Variant) -> String {
    match variant {
        Variant::Normal => t!("variant-normal"),
        Variant::Chain => t!("variant-chain"),
        Variant::Ultra => t!("variant-ultra"),
        Variant::Junior => t!("variant-junior"),
    }
}

pub(crate) fn rule(variant: Variant) -> String {
    match variant {
        Variant::Normal => t!("variant-normal-rule"),
        Variant::Chain => t!("variant-chain-rule"),
        Variant::Ultra => t!("variant-ultra-rule"),
        Variant::Junior => t!("variant-junior-rule"),
    }
}

/// How three cards of a deck stand to each other in a property.
pub(crate) fn relation(deck: &Deck, property: Property, relation: Relation) -> String {
    let word = |of| value(deck, property, of);
    match relation {
        Relation::AllAlike(of) => t!("all-alike", value = word(of)),
        Relation::AllDifferent([a, b, c]) => {
            t!("all-different", first = word(a), second = word(b), third = word(c))
        }
        Relation::TwoAlike { twice, once, .. } => match property {
            Property::Number => t!("two-alike-number", two = twice + 1, one = once + 1),
            Property::Shape if !deck.is_taught() => {
                let shape = |of| value_word(deck, property, of);
                t!("two-alike-shape", two = shape(twice), one = shape(once))
            }
            _ => t!("two-alike-value", two = word(twice), one = word(once)),
        },
    }
}

/// Whether three cards are a set, and what spoils it.
pub(crate) fn verdict(verdict: &Verdict) -> String {
    if verdict.is_set() {
        return t!("a-set");
    }
    if verdict.repeated {
        return t!("no-set-repeated");
    }
    let spoilt = Property::ALL.into_iter().zip(verdict.relations).filter(|(_, r)| !r.fits());
    let mut words: Vec<String> =
        spoilt.map(|(p, _)| t!("the-property", property = p.word())).collect();
    let n = words.len();
    let last = words.pop().unwrap_or_default();
    let rest = words.into_iter().reduce(|a, b| t!("list-comma", first = a, last = b));
    let list = match rest {
        Some(rest) => t!("list-and", first = rest, last = last),
        None => last,
    };
    t!("no-set-because", n = n, list = list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::words::tests::in_german;
    use setsight_game::sets::explain;

    fn cards(codes: [&str; 3]) -> [Card; 3] {
        codes.map(|code| code.parse().unwrap())
    }

    #[test]
    fn cards_are_named_as_their_decks_name_them() {
        for deck in [Deck::classic(), Deck::rectangles()] {
            for of in Card::deck() {
                assert_eq!(card(&deck, of), deck.card_name(of));
            }
        }
        for of in Property::ALL {
            assert_eq!(property(of), of.word());
            assert!((0..3).all(|v| value(&Deck::classic(), of, v) == of.value_word(v)));
        }
        for of in Variant::ALL {
            assert_eq!((variant(of), rule(of)), (of.word().to_owned(), of.rule().to_owned()));
        }
    }

    #[test]
    fn values_are_called_as_the_deck_calls_them() {
        let rectangles = Deck::rectangles();
        assert_eq!(value(&rectangles, Property::Shading, 2), "dotted");
        let two = Relation::TwoAlike { twice: 0, once: 1, odd_one: 2 };
        let verdict = relation(&rectangles, Property::Shape, two);
        assert_eq!(verdict, "two are rectangles, one is an ellipse");
        let mut taught = Deck::invented(31);
        taught.shapes[0].name = "Stern".to_owned();
        taught.fills[1].name = "hell".to_owned();
        taught.inks[2].name = "wie Gras".to_owned();
        let of = "2ord".parse().unwrap();
        assert_eq!(value(&taught, Property::Number, 1), "two");
        in_german(|| {
            assert_eq!(card(&taught, of), "2× Stern, hell, wie Gras");
            assert_eq!(
                relation(&taught, Property::Shape, Relation::AllAlike(0)),
                "alle gleich: Stern"
            );
        });
    }

    #[test]
    fn in_german_adjectives_agree() {
        let says = |code: &str, words| {
            assert_eq!(card(&Deck::classic(), code.parse().unwrap()), words);
        };
        in_german(|| {
            says("1fgd", "eine gefüllte grüne Raute");
            says("1oro", "ein leeres rotes Oval");
            says("2spo", "zwei gestreifte lila Ovale");
            says("3ors", "drei leere rote Wellen");
        });
    }

    #[track_caller]
    fn is_spoilt_by(codes: [&str; 3], words: &[&str]) {
        let relations = Property::ALL.into_iter().zip(explain(cards(codes)).relations);
        let lines: Vec<String> = relations
            .filter(|(_, relation)| !relation.fits())
            .map(|(property, spoilt)| relation(&Deck::classic(), property, spoilt))
            .collect();
        assert_eq!(lines, words);
    }

    #[test]
    fn what_spoils_a_set_is_put_in_words() {
        is_spoilt_by(["1fgd", "1fgo", "2fgs"], &["two have one symbol, one has two"]);
        is_spoilt_by(["3fgd", "3fgo", "1fgs"], &["two have three symbols, one has one"]);
        is_spoilt_by(["1fgs", "2fgs", "3fgd"], &["two are squiggles, one is a diamond"]);
        is_spoilt_by(["1fgd", "2fgd", "3fgo"], &["two are diamonds, one is an oval"]);
        is_spoilt_by(["1fgd", "2fgd", "3frd"], &["two are green, one is red"]);
        for codes in [["1fgd", "2fgd", "3frd"], ["1fgd", "1sro", "2fgd"], ["1fgd", "1fgd", "2fgd"]]
        {
            let explained = explain(cards(codes));
            assert_eq!(verdict(&explained).to_lowercase(), format!("{explained}."));
        }
        in_german(|| {
            is_spoilt_by(["1fgd", "1fgo", "2fgs"], &["zweimal ein Symbol, einmal zwei"]);
            let all = verdict(&explain(cards(["1fgd", "1sro", "2fgd"])));
            let words =
                "Kein Set, weil die Anzahl, die Füllung, die Farbe und die Form nicht passen.";
            assert_eq!(all, words);
            let one = verdict(&explain(cards(["1fgd", "2fgd", "3frd"])));
            assert_eq!(one, "Kein Set, weil die Farbe nicht passt.");
        });
    }
}
