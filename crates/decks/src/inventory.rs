//! Which cards of a deck lie in photos: whether it is complete.

use setsight_game::cards::{Card, Deck};
use setsight_vision::TableReading;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where a card lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Which of the photos, from 0.
    pub photo: usize,
    /// Which of its cards, from 0.
    pub card: usize,
}

/// A card that is not read clearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnsureCard {
    /// The best guess.
    pub card: Card,
    /// How sure that is, 0 to 1.
    pub confidence: f32,
    pub spot: Spot,
}

/// The cards that several photos of one deck show together.
#[derive(Clone, Debug)]
pub struct Inventory {
    /// The deck that most of the cards are of.
    pub deck: Arc<Deck>,
    /// The cards that are not read clearly, in the order of the photos.
    pub unsure: Vec<UnsureCard>,
    sure: BTreeMap<Card, Vec<Spot>>,
}

impl Inventory {
    /// From photos, each with its table.
    pub fn new(tables: &[(usize, &TableReading)]) -> Self {
        let (mut unsure, mut sure) = (Vec::new(), BTreeMap::<Card, Vec<Spot>>::new());
        for &(photo, table) in tables {
            for (card, read) in table.cards.iter().enumerate() {
                let spot = Spot { photo, card };
                if read.unsure {
                    let (card, confidence) = (read.card, read.confidence);
                    unsure.push(UnsureCard { card, confidence, spot });
                } else {
                    sure.entry(read.card).or_default().push(spot);
                }
            }
        }
        Self { deck: deck_of(tables), unsure, sure }
    }

    /// Whether any card is read with confidence, which needs a deck that the program knows.
    pub fn has_sure_cards(&self) -> bool {
        !self.sure.is_empty()
    }

    /// Number of cards in a complete deck.
    pub fn deck_size(&self) -> usize {
        self.deck.cards().count()
    }

    /// The cards of the deck that no photo shows clearly.
    pub fn missing(&self) -> Vec<Card> {
        self.deck.cards().filter(|card| !self.sure.contains_key(card)).collect()
    }

    /// The cards that lie in more than one place.
    pub fn repeated(&self) -> impl Iterator<Item = (Card, &[Spot])> {
        let several = self.sure.iter().filter(|(_, spots)| spots.len() > 1);
        several.map(|(&card, spots)| (card, spots.as_slice()))
    }

    /// Whether each card is present once, and read clearly.
    pub fn is_in_order(&self) -> bool {
        self.missing().is_empty() && self.unsure.is_empty() && self.repeated().next().is_none()
    }
}

/// The deck of whose edition most cards are.
fn deck_of(tables: &[(usize, &TableReading)]) -> Arc<Deck> {
    let largest = tables.iter().max_by_key(|(_, table)| {
        let alike = tables.iter().filter(|(_, other)| other.edition() == table.edition());
        alike.map(|(_, other)| other.cards.len()).sum::<usize>()
    });
    largest.map_or_else(Deck::classic, |(_, table)| table.deck())
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::geometry::Quad;
    use setsight_vision::ReadCard;

    /// A table of these cards; of those with a `?` the reader is unsure.
    fn table(codes: &str) -> TableReading {
        TableReading::new(
            codes
                .split_whitespace()
                .map(|word| {
                    let code = word.trim_end_matches('?').parse().unwrap();
                    ReadCard::new(Quad::rectangle(90.0, 60.0), code, 0.5, word.ends_with('?'))
                })
                .collect(),
            (400, 300),
        )
    }

    #[test]
    fn missing_repeated_and_unsure_cards_are_listed() {
        let deck: Vec<String> = Card::deck().skip(2).map(|card| card.to_string()).collect();
        let [one, two] = [0, 1].map(|i| Card::from_index(i).to_string());
        let first = table(&deck.join(" "));
        let second = table(&format!("{one}? {}", deck[5]));
        let found = Inventory::new(&[(3, &first), (7, &second)]);
        assert_eq!((found.deck_size(), found.missing().len()), (81, 2));
        assert_eq!(found.missing()[1].to_string(), two);
        let repeated: Vec<_> = found.repeated().collect();
        let spots = [Spot { photo: 3, card: 5 }, Spot { photo: 7, card: 1 }];
        assert_eq!(repeated, [(deck[5].parse().unwrap(), &spots[..])]);
        assert_eq!(found.unsure[0].spot, Spot { photo: 7, card: 0 });
        assert!(found.has_sure_cards() && !found.is_in_order());
        let rest = table(&format!("{one} {two}"));
        assert!(Inventory::new(&[(0, &first), (1, &rest)]).is_in_order());
        assert!(!Inventory::new(&[(0, &table("1fgd?"))]).has_sure_cards());
    }
}
