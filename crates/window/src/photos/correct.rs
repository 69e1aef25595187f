//! What a person changes of a photo's cards.

use crate::{photos::labels::usual_card_at, shared::table::Table};
use setsight_game::cards::Card;
use setsight_photo::geometry::{Point, Quad};
use setsight_vision::{Guess, ReadCard, Reading};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    /// This card is that one.
    Be(usize, Card),
    /// Two cards are each the other's.
    Swap(usize, usize),
    /// The best guess is right.
    Confirm(usize),
    /// This is no card.
    Strike(usize),
    /// A card was missed; its middle, in pixels of the upright photo.
    Add(Point),
    /// A corner (0 to 3) of a card lies there.
    MoveCorner(usize, usize, Point),
    /// All cards in view are in the table, and each is right.
    AllRight,
}

/// Why a change is not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A deck holds each card once, and this one lies on the table already.
    AlreadyPlaced(usize),
    /// The corners would no longer go round a card.
    Twisted,
    NoCard,
    /// All 81 cards lie on the table.
    DeckIsOut,
    /// Two cards would be the same one.
    BothAre(usize, usize),
}

/// The table after a change.
pub(crate) fn changed(
    table: &Table,
    change: Change,
    size_px: (u32, u32),
) -> Result<Table, Refusal> {
    let (mut cards, mut readings) = (table.cards.clone(), table.readings.clone());
    let (mut confirmed, mut checked) = (table.confirmed.clone(), table.checked);
    let mut numbers = table.numbers.clone();
    let exists = |i: usize| if i < table.cards.len() { Ok(()) } else { Err(Refusal::NoCard) };
    match change {
        Change::Be(i, card) => {
            exists(i)?;
            if let Some(other) = sure_place_of(table, i, card) {
                return Err(Refusal::AlreadyPlaced(other));
            }
            cards[i].card = card;
            confirm(&mut cards[i]);
            confirmed[i] = true;
        }
        Change::Swap(i, j) => {
            exists(i).and_then(|()| exists(j))?;
            // A guess may be the card that the other surely is: swapped they would both be sure.
            if i != j && cards[i].card == cards[j].card {
                return Err(Refusal::AlreadyPlaced(j));
            }
            (cards[i].card, cards[j].card) = (cards[j].card, cards[i].card);
            confirm(&mut cards[i]);
            confirm(&mut cards[j]);
            (confirmed[i], confirmed[j]) = (true, true);
            // A guess that was unsure may be one that surely lies elsewhere.
            let clash = |but: usize, other: usize| {
                sure_place_of(table, but, cards[but].card).filter(|&k| k != other)
            };
            if let Some(other) = clash(i, j).or_else(|| clash(j, i)) {
                return Err(Refusal::AlreadyPlaced(other));
            }
        }
        Change::Confirm(i) => {
            exists(i)?;
            if let Some(other) = sure_place_of(table, i, cards[i].card) {
                return Err(Refusal::AlreadyPlaced(other));
            }
            confirm(&mut cards[i]);
            confirmed[i] = true;
        }
        Change::Strike(i) => {
            exists(i)?;
            cards.remove(i);
            readings.remove(i);
            confirmed.remove(i);
            numbers.remove(i);
        }
        Change::Add(center) => {
            let free = Card::deck().find(|card| cards.iter().all(|c| c.card != *card));
            let corners_in_image = usual_card_at(table, size_px, center);
            cards.push(ReadCard::new(corners_in_image, free.ok_or(Refusal::DeckIsOut)?, 0.0, true));
            readings.push(None);
            confirmed.push(false);
            numbers.push(numbers.iter().max().map_or(1, |last| last + 1));
            checked = false;
        }
        Change::MoveCorner(i, corner, to) => {
            exists(i)?;
            let quad = &mut cards[i].corners_in_image;
            quad.0[corner % 4] = [(to.x, size_px.0), (to.y, size_px.1)]
                .map(|(v, px)| v.clamp(0.0, f64::from(px)))
                .into();
            if !quad.is_convex() || quad.signed_area() < 16.0 {
                return Err(Refusal::Twisted);
            }
        }
        Change::AllRight => {
            cards.iter_mut().for_each(confirm);
            // Of two that are the same card one cannot be right.
            let twice = (0..cards.len()).find_map(|i| {
                let before = (0..i).find(|&j| cards[j].card == cards[i].card);
                Some((i, before?))
            });
            if let Some((i, other)) = twice {
                return Err(Refusal::BothAre(other, i));
            }
            confirmed = vec![true; cards.len()];
            checked = true;
        }
    }
    Ok(Table { confirmed, numbers, checked, ..table.with_cards(cards, readings) })
}

/// The table with what a reader says of a card that lies at these corners now. Nothing changes where a
/// person has said what it is, or where no such card is.
pub(crate) fn read_again(table: &Table, at: &Quad, reading: &Reading) -> Table {
    let Some(i) = (0..table.cards.len())
        .find(|&i| table.cards[i].corners_in_image == *at && !table.confirmed[i])
    else {
        return table.clone();
    };
    let (mut cards, mut readings) = (table.cards.clone(), table.readings.clone());
    let free = Card::deck().filter(|&card| sure_place_of(table, i, card).is_none());
    let mut guesses: Vec<Guess> = free
        .map(|card| Guess { card, confidence: reading.probability(card) * reading.is_card })
        .collect();
    guesses.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    if let Some((best, rest)) = guesses.split_first() {
        // However sure the reader is: the place is a person's, and the person is still there to ask.
        cards[i] = ReadCard::new(*at, best.card, best.confidence, true);
        let likely = rest.iter().filter(|guess| guess.confidence > ReadCard::LEAST);
        cards[i].alternatives = likely.copied().collect();
        readings[i] = Some(reading.clone());
    }
    let (confirmed, numbers) = (table.confirmed.clone(), table.numbers.clone());
    Table { confirmed, numbers, ..table.with_cards(cards, readings) }
}

/// A person has named the card: nothing about it is left open.
fn confirm(card: &mut ReadCard) {
    card.confidence = 1.0;
    card.unsure = false;
    card.alternatives.clear();
}

/// Another card of the table that is surely this one.
fn sure_place_of(table: &Table, but: usize, card: Card) -> Option<usize> {
    (0..table.cards.len())
        .find(|&i| i != but && table.cards[i].card == card && !table.cards[i].unsure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::table::tests::table_of as cards;
    use proptest::prelude::*;

    fn table() -> Table {
        let mut table = cards("1fgd 2fgd 3srs 1ord");
        table.cards[3].unsure = true;
        table
    }

    fn card(code: &str) -> Card {
        code.parse().unwrap()
    }

    #[test]
    fn a_card_lies_on_the_table_once() {
        let table = table();
        let be = |i, code| changed(&table, Change::Be(i, card(code)), (480, 360));
        assert_eq!(be(0, "2fgd"), Err(Refusal::AlreadyPlaced(1)));
        assert_eq!(be(9, "2fgd"), Err(Refusal::NoCard));
        // The guess of an unsure card is in nobody's way.
        assert_eq!(be(0, "1ord").unwrap().cards[0].card, card("1ord"));
        let doubtful = be(0, "1ord").unwrap();
        let swap = changed(&doubtful, Change::Swap(0, 3), (480, 360));
        assert_eq!(swap, Err(Refusal::AlreadyPlaced(3)));
        let swapped = changed(&table, Change::Swap(0, 1), (480, 360)).unwrap();
        assert_eq!((swapped.cards[0].card, swapped.cards[1].card), (card("2fgd"), card("1fgd")));
    }

    #[test]
    fn corners_stay_in_the_picture_and_go_round() {
        let table = table();
        let to = |x, y| changed(&table, Change::MoveCorner(0, 0, Point::new(x, y)), (480, 360));
        assert_eq!(to(-50.0, 10.0).unwrap().cards[0].corners_in_image.0[0], Point::new(0.0, 10.0));
        assert_eq!(to(200.0, 200.0), Err(Refusal::Twisted));
    }

    #[test]
    fn cards_are_confirmed_one_by_one_or_all_at_once() {
        let one = changed(&table(), Change::Be(0, card("3ogo")), (480, 360)).unwrap();
        assert_eq!(
            (one.confirmed.as_slice(), one.checked),
            (&[true, false, false, false][..], false)
        );
        let all = changed(&one, Change::AllRight, (480, 360)).unwrap();
        assert!(all.checked && all.confirmed == [true; 4] && all.unsure() == 0);
        let more = changed(&all, Change::Add(Point::new(200.0, 300.0)), (480, 360)).unwrap();
        assert!(!more.checked && more.confirmed[0], "the new card is nobody's word");
        let fewer = changed(&more, Change::Strike(1), (480, 360)).unwrap();
        assert_eq!(fewer.numbers, [1, 3, 4, 5], "each keeps the number that people know");
        // A guess that is another card of the table is not right.
        let mut twice = table();
        twice.cards[3].card = twice.cards[1].card;
        assert_eq!(changed(&twice, Change::AllRight, (480, 360)), Err(Refusal::BothAre(1, 3)));
    }

    #[test]
    fn an_added_card_is_the_likeliest_that_lies_nowhere_else() {
        let added = changed(&table(), Change::Add(Point::new(200.0, 300.0)), (480, 360)).unwrap();
        let at = added.cards[4].corners_in_image;
        // Surely two filled green diamonds, which lie there already, else striped ones.
        let values = [[0.0, 1.0, 0.0], [0.7, 0.0, 0.3], [0.9, 0.1, 0.0], [1.0, 0.0, 0.0]];
        let reading = Reading { values, is_card: 0.9 };
        let read = read_again(&added, &at, &reading);
        assert_eq!(read.cards[4].card, card("2sgd"));
        assert!(read.cards[4].unsure && read.readings[4].is_some() && !read.confirmed[4]);
        assert_eq!(read.cards[4].alternatives[0].card, card("2fpd"), "the next in probability");
        let confirmed = changed(&added, Change::Be(4, card("3spo")), (480, 360)).unwrap();
        assert_eq!(read_again(&confirmed, &at, &reading), confirmed, "a person has the last word");
    }

    fn any_change() -> impl Strategy<Value = Change> {
        let point = || (-20.0..500.0f64, -20.0..400.0f64).prop_map(|(x, y)| Point::new(x, y));
        prop_oneof![
            (0..6usize, 0..81usize).prop_map(|(i, c)| Change::Be(i, Card::from_index(c))),
            (0..6usize, 0..6usize).prop_map(|(i, j)| Change::Swap(i, j)),
            (0..6usize).prop_map(Change::Confirm),
            (0..6usize).prop_map(Change::Strike),
            Just(Change::AllRight),
            point().prop_map(Change::Add),
            (0..6usize, 0..4usize, point()).prop_map(|(i, k, p)| Change::MoveCorner(i, k, p)),
        ]
    }

    proptest! {
        #[test]
        fn whatever_is_changed_no_sure_card_lies_twice(
            changes in prop::collection::vec(any_change(), 0..30),
        ) {
            let mut table = table();
            for change in changes {
                if let Ok(next) = changed(&table, change, (480, 360)) {
                    table = next;
                }
                let mut sure: Vec<Card> = table.sure().into_iter().map(|(_, c)| c).collect();
                let count = sure.len();
                sure.sort();
                sure.dedup();
                prop_assert_eq!(sure.len(), count);
                prop_assert_eq!(table.confirmed.len(), table.cards.len());
                prop_assert_eq!(table.numbers.len(), table.cards.len());
            }
        }
    }
}
