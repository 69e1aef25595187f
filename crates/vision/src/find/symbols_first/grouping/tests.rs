use super::*;
use crate::find::{
    drawn::{FlatCard, GREEN, RED, card_at, photo},
    symbols_first::{
        contours::contours,
        maps::maps,
        symbols::{self, symbols},
    },
    working_image::Working,
};
use setsight_game::cards::{Number, Shape};
use setsight_photo::Frame;
use setsight_photo::geometry::{Homography, Quad};

fn grouped(frame: &Frame) -> Grouped {
    let long_side_px = f64::from(frame.width().max(frame.height()));
    let working = Working::new(frame, long_side_px);
    group(symbols_of(&working), long_side_px, &Params::default())
}

fn symbols_of(working: &Working) -> Vec<Symbol> {
    let found = contours(&maps(working).unwrap(), 14.0).unwrap();
    symbols(&found, working, &symbols::Params::default()).unwrap()
}

/// Largest distance between two cards' corners, for the best numbering of the corners.
fn off(found: &WorkingQuad, corners: &Quad) -> f64 {
    (0..4)
        .map(|turn| {
            (0..4).map(|i| found.0[(i + turn) % 4].distance(corners.0[i])).fold(0.0, f64::max)
        })
        .fold(f64::MAX, f64::min)
}

/// Asserts that each card is found once, with its number of symbols, to within `most_px`.
fn are_found(grouped: &Grouped, cards: &[FlatCard], most_px: f64) {
    let found: Vec<_> = grouped.cards.iter().map(|c| (c.count, c.quad, c.score)).collect();
    assert_eq!(grouped.cards.len(), cards.len(), "{found:?}");
    for card in cards {
        let here = grouped.cards.iter().find(|group| off(&group.quad, &card.corners) < most_px);
        let here = here.unwrap_or_else(|| panic!("none at {:?}: {found:?}", card.corners));
        assert_eq!(here.count, card.number.index() + 1);
    }
}

/// Nine cards in three rows: one shape per row, one number per column.
fn nine(numbers: [Number; 3], corners: impl Fn(f64, f64) -> Quad) -> Vec<FlatCard> {
    (0..9)
        .map(|i| FlatCard {
            number: numbers[i % 3],
            shape: Shape::from_index(i / 3),
            ink: if i.is_multiple_of(2) { GREEN } else { RED },
            corners: corners((i % 3) as f64, (i / 3) as f64),
        })
        .collect()
}

#[test]
fn symbols_become_the_cards_that_they_stand_on() {
    let cards = nine(Number::ALL, |column, row| {
        card_at(60.0 + 130.0 * column, 60.0 + 115.0 * row, 0.25 * column - 0.2 * row)
    });
    let grouped = grouped(&photo((480, 420), &cards));
    are_found(&grouped, &cards, 5.0);
    assert!(grouped.table.is_some());
}

#[test]
fn under_a_tilt_the_table_makes_cards_of_one_size() {
    // The far edge of the table is half as wide as the near one.
    let table = Quad::new(
        [(150.0, 60.0), (450.0, 60.0), (600.0, 400.0), (0.0, 400.0)].map(|(x, y)| Point::new(x, y)),
    );
    let image_from_table = Homography::between(&Quad::rectangle(480.0, 400.0), &table).unwrap();
    // A card of one symbol determines a tilt too roughly.
    let numbers = [Number::Two, Number::Three, Number::Two];
    let cards = nine(numbers, |column, row| {
        image_from_table.apply_quad(&card_at(50.0 + 140.0 * column, 60.0 + 110.0 * row, 0.0))
    });
    let grouped = grouped(&photo((600, 460), &cards));
    are_found(&grouped, &cards, 6.0);
    let table = grouped.table.unwrap();
    for card in &cards {
        let in_working: WorkingQuad = card.corners.in_space(1.0);
        let on_table: Quad = table.table_from_working.apply_quad(&in_working);
        assert!((on_table.short_side() - 1.0).abs() < 0.1, "{on_table:?}");
    }
}

#[test]
fn neighbours_are_two_cards_though_their_symbols_stand_close() {
    // Side by side along their long sides, 4 pixels apart, with the same symbols in the same ink.
    let cards: Vec<FlatCard> = [0.0, 94.0, 188.0]
        .map(|x| FlatCard { number: Number::Two, ..FlatCard::at(card_at(60.0 + x, 90.0, 0.0)) })
        .into();
    are_found(&grouped(&photo((400, 240), &cards)), &cards, 4.0);
}

#[test]
fn symbols_of_two_inks_are_no_card() {
    // As far apart as the symbols of one card: the later card covers most of the earlier one.
    let cards = [(100.0, GREEN), (100.0 + SYMBOL_SPACING * 90.0 * 2.2, RED)].map(|(x, ink)| {
        let corners = card_at(x, 90.0, 0.0);
        FlatCard { number: Number::One, shape: Shape::Oval, ink, corners }
    });
    let grouped = grouped(&photo((400, 240), &cards));
    assert!(grouped.cards.iter().all(|card| card.count == 1), "{grouped:?}");
}

#[test]
fn an_empty_table_has_no_cards() {
    let grouped = grouped(&photo((300, 200), &[]));
    assert!(grouped.cards.is_empty() && grouped.table.is_none());
}
