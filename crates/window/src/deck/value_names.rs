//! What the values of a taught deck are called: as a person says, else as they look.

use crate::shared::words::t;
use setsight_game::cards::{Deck, Property};
use std::collections::BTreeMap;

/// Names that a person has given.
#[derive(Clone, Debug, Default)]
pub struct ValueNames(BTreeMap<(&'static str, usize), String>);

impl ValueNames {
    /// A person names a value.
    pub fn put(&mut self, property: Property, value: usize, name: String) {
        self.0.insert((property.word(), value), name);
    }

    /// What a value is called.
    pub fn of(&self, deck: Option<&Deck>, property: Property, value: usize) -> String {
        match self.0.get(&(property.word(), value)) {
            Some(name) => name.clone(),
            None => usual(deck, property, value),
        }
    }

    /// The deck with these names; what has none is called as it looks.
    pub fn given_to(&self, mut deck: Deck) -> Deck {
        let drawn = deck.clone();
        let name = |property: Property, value: usize| {
            let name = self.of(Some(&drawn), property, value).trim().to_owned();
            if name.is_empty() { usual(Some(&drawn), property, value) } else { name }
        };
        let one_fill = deck.has_one_fill();
        for value in 0..3 {
            deck.shapes[value].name = name(Property::Shape, value);
            deck.inks[value].name = name(Property::Color, value);
            deck.fills[value].name = name(Property::Shading, if one_fill { 0 } else { value });
        }
        deck
    }
}

/// What a value looks like. Outlines are counted: nobody knows what they are.
fn usual(deck: Option<&Deck>, property: Property, value: usize) -> String {
    if property == Property::Shape {
        return t!("usual-value", n = value + 1);
    }
    // Before the deck has been drawn nobody knows what fills and inks look like.
    let Some(deck) = deck else { return t!("usual-group", n = value + 1) };
    let own = |value: usize| match property {
        Property::Shading => t!("fill-kind", kind = deck.fills[value].fill.kind.name()),
        _ => {
            // Two of one name are numbered in the deck.
            let name = deck.inks[value].name.trim_end_matches(|c: char| c.is_ascii_digit());
            t!("ink-name", ink = name.trim().replace(' ', "-"))
        }
    };
    let name = own(value);
    let alone = deck.has_one_fill() && property == Property::Shading
        || (0..3).all(|other| other == value || own(other) != name);
    if alone { name } else { t!("numbered-value", name = name, n = value + 1) }
}
