//! Names of cards, of what they show, and of the games played with them.

use super::words::t;
use crate::cards::{Card, Deck, Property};
use crate::game::Variant;
use crate::sets::{Relation, Verdict};

/// A card of a deck: "two striped purple diamonds".
pub fn card(deck: &Deck, card: Card) -> String {
    t!(
        "card-name",
        n = card.number.index() + 1,
        shading = deck.fills[card.shading.index()].name.as_str(),
        color = deck.inks[card.color.index()].name.as_str(),
        shape = deck.shapes[card.shape.index()].name.as_str()
    )
}

/// A property: "shading".
pub fn property(property: Property) -> String {
    t!("card-property", property = property.word())
}

/// What a card shows in a property, 0 to 2: "striped".
pub fn value(property: Property, value: usize) -> String {
    t!("card-value", value = property.value_word(value))
}

/// What is played: "Chain".
pub fn variant(variant: Variant) -> String {
    match variant {
        Variant::Normal => t!("variant-normal"),
        Variant::Chain => t!("variant-chain"),
        Variant::Ultra => t!("variant-ultra"),
        Variant::Junior => t!("variant-junior"),
    }
}

/// Its rule in a sentence.
pub fn rule(variant: Variant) -> String {
    match variant {
        Variant::Normal => t!("variant-normal-rule"),
        Variant::Chain => t!("variant-chain-rule"),
        Variant::Ultra => t!("variant-ultra-rule"),
        Variant::Junior => t!("variant-junior-rule"),
    }
}

/// How three cards stand to each other in a property.
pub fn relation(property: Property, relation: Relation) -> String {
    let word = |of| value(property, of);
    match relation {
        Relation::AllAlike(of) => t!("all-alike", value = word(of)),
        Relation::AllDifferent([a, b, c]) => {
            t!("all-different", first = word(a), second = word(b), third = word(c))
        }
        Relation::TwoAlike { twice, once, .. } => match property {
            Property::Number => t!("two-alike-number", two = twice + 1, one = once + 1),
            Property::Shading | Property::Color => {
                t!("two-alike-value", two = word(twice), one = word(once))
            }
            Property::Shape => {
                let (two, one) = (property.value_word(twice), property.value_word(once));
                t!("two-alike-shape", two = two, one = one)
            }
        },
    }
}

/// Whether three cards are a set, and what spoils it.
pub fn verdict(verdict: &Verdict) -> String {
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
    let others = words.into_iter().reduce(|a, b| t!("list-comma", first = a, last = b));
    let list = match others {
        Some(others) => t!("list-and", first = others, last = last),
        None => last,
    };
    t!("no-set-because", n = n, list = list)
}

#[cfg(test)]
mod tests {
    use super::super::words::tests::in_german;
    use super::*;
    use crate::sets::explain;

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
            assert!((0..3).all(|v| value(of, v) == of.value_word(v)));
        }
        for of in Variant::ALL {
            assert_eq!((variant(of), rule(of)), (of.word().to_owned(), of.rule().to_owned()));
        }
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

    #[test]
    fn what_spoils_a_set_is_said_in_words() {
        let says = |codes, words: &[&str]| {
            let said = explain(cards(codes));
            let spoilt = Property::ALL.into_iter().zip(said.relations).filter(|(_, r)| !r.fits());
            let lines: Vec<String> = spoilt.map(|(p, r)| relation(p, r)).collect();
            assert_eq!(lines, words);
        };
        says(["1fgd", "1fgo", "2fgs"], &["two have one symbol, one has two"]);
        says(["3fgd", "3fgo", "1fgs"], &["two have three symbols, one has one"]);
        says(["1fgs", "2fgs", "3fgd"], &["two are squiggles, one is a diamond"]);
        says(["1fgd", "2fgd", "3fgo"], &["two are diamonds, one is an oval"]);
        says(["1fgd", "2fgd", "3frd"], &["two are green, one is red"]);
        for codes in [["1fgd", "2fgd", "3frd"], ["1fgd", "1sro", "2fgd"], ["1fgd", "1fgd", "2fgd"]]
        {
            let said = explain(cards(codes));
            assert_eq!(verdict(&said).to_lowercase(), format!("{said}."));
        }
        in_german(|| {
            says(["1fgd", "1fgo", "2fgs"], &["zweimal ein Symbol, einmal zwei"]);
            let all = verdict(&explain(cards(["1fgd", "1sro", "2fgd"])));
            let words =
                "Kein Set, weil die Anzahl, die Füllung, die Farbe und die Form nicht passen.";
            assert_eq!(all, words);
            let one = verdict(&explain(cards(["1fgd", "2fgd", "3frd"])));
            assert_eq!(one, "Kein Set, weil die Farbe nicht passt.");
        });
    }
}
