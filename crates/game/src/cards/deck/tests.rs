//! Tests of decks and their files.

use super::super::card::Card;
use super::super::outline::{SYMBOL_SPACING, symbol_centers, symbol_outline};
use super::*;
use serde_json::{Value, json};

const CLASSIC: &str = include_str!("../../../decks/classic.json");

fn broken(change: impl FnOnce(&mut Value)) -> String {
    let mut value: Value = serde_json::from_str(CLASSIC).unwrap();
    change(&mut value);
    Deck::parse("mine.json", &value.to_string()).unwrap_err().to_string()
}

#[test]
fn the_built_in_decks_are_as_measured() {
    let deck = Deck::classic();
    assert!(deck.is_classic() && deck.symbol_spacing == SYMBOL_SPACING);
    for number in Number::ALL {
        assert_eq!(deck.symbol_centers(number), symbol_centers(number));
    }
    assert_eq!(*symbol_outline(Shape::Oval), deck.outline(Shape::Oval));
    assert_eq!(deck.outline(Shape::Diamond)[12], (-0.1073, 0.0009));
    let deck = Deck::rectangles();
    assert!(!deck.is_classic());
    assert_eq!(deck.card_name("2spd".parse().unwrap()), "two dotted purple rectangles");
    // Widths and heights as fractions of the card's sides.
    for (shape, (width, height)) in
        Shape::ALL.into_iter().zip([(0.155, 0.625), (0.19, 0.66), (0.18, 0.595)])
    {
        let outline = deck.outline(shape);
        let most = |axis: fn(&(f64, f64)) -> f64| {
            2.0 * outline.iter().map(axis).fold(0.0, |most: f64, v| most.max(v.abs()))
        };
        assert!((most(|p| p.0) - width).abs() < 2e-3, "{shape}: {}", most(|p| p.0));
        assert!((most(|p| p.1) - height).abs() < 4e-3, "{shape}: {}", most(|p| p.1));
    }
    for name in Deck::NAMES {
        let deck = Deck::named(name).unwrap();
        assert_eq!(deck.name, name);
        assert!(deck.shapes.iter().all(Symbol::is_half_turn_symmetric));
        assert!(deck.shapes.iter().all(|shape| doubled_area(shape.outline()) < 0.0));
        assert_eq!(Deck::open(name).unwrap(), deck);
    }
    let handed = |deck: &Deck| {
        let outline = deck.outline(Shape::Squiggle);
        outline.iter().filter(|(x, y)| x * y > 0.0).map(|(x, y)| x.abs() * y.abs()).sum::<f64>()
            > outline.iter().filter(|(x, y)| x * y < 0.0).map(|(x, y)| (x * y).abs()).sum::<f64>()
    };
    assert_eq!(handed(&Deck::classic()), handed(&Deck::rectangles()), "one handedness");
}

/// Asserts that a deck's file with a change is refused in words that contain these parts.
fn says(change: fn(&mut Value), parts: &[&str]) {
    let error = broken(change);
    for part in parts {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_broken_file_is_refused_in_words() {
    says(
        |deck| deck["fills"][2]["pitch_mm"] = json!("wide"),
        &["mine.json: fills[2].pitch_mm: expected a number of 0.3 to 8 millimetres", "\"wide\""],
    );
    says(|deck| deck["fills"][1]["kind"] = json!("wavy"), &["fills[1].kind", "crosshatch", "wavy"]);
    says(|deck| deck["shapes"] = json!([]), &["shapes: expected 3 shapes, not 0"]);
    says(
        |deck| deck["shapes"][0]["points"][1][0] = json!(0.4),
        &["shapes[0].points[1][0]: expected a number of -0.12 to 0.12 card long sides, found 0.4"],
    );
    says(
        |deck| deck["inks"][1]["printings"][0] = json!([1, 2]),
        &["inks[1].printings[0]: expected 3 numbers", "not 2"],
    );
    says(
        |deck| {
            deck["inks"][1]["printings"].as_array_mut().unwrap().pop();
        },
        &["inks: expected as many printings for each ink, not [4, 3, 4]"],
    );
    says(
        |deck| {
            deck.as_object_mut().unwrap().remove("symbol_spacing");
        },
        &["symbol_spacing: expected the distance of neighbours", "found nothing"],
    );
    says(
        |deck| deck["name"] = json!("n".repeat(61)),
        &["name: expected a text of 1 to 60 characters"],
    );
    says(|deck| deck["inks"][0]["name"] = json!("red\u{1b}[2J"), &["without control characters"]);
    says(
        |deck| deck["fills"][0]["text"] = json!("\u{7}"),
        &["fills[0].text: expected a text of 1"],
    );
    says(|deck| deck["symbol_size"] = json!(0.9), &["name: expected another name", "\"classic\""]);
    says(|deck| deck["colour"] = json!(1), &["\"colour\" is new"]);
    says(|deck| *deck = json!(7), &["the file: expected an object", "found 7"]);
    let error = Deck::parse("mine.json", "{").unwrap_err().to_string();
    assert!(error.contains("mine.json: no JSON") && error.contains("line 1"), "{error}");
    let error = Deck::open("no/such").unwrap_err().to_string();
    assert!(error.contains("no/such") && error.contains("classic, rectangles"), "{error}");
}

#[test]
fn invented_decks_differ_and_fit_on_a_card() {
    let mut names = std::collections::BTreeSet::new();
    for seed in 0..300 {
        let deck = Deck::invented(seed);
        assert_eq!(deck, Deck::invented(seed));
        let [a, b, c] = [0, 1, 2].map(|i| deck.shapes[i].name.clone());
        assert!(a != b && b != c && a != c);
        let kinds = Shading::ALL.map(|shading| deck.fill(shading).kind);
        assert!(kinds[0] != kinds[1] && kinds[1] != kinds[2] && kinds[0] != kinds[2]);
        let inks: Vec<&str> = deck.inks.iter().map(|ink| ink.name.as_str()).collect();
        assert!(!["green", "purple", "red"].iter().all(|ink| inks.contains(ink)), "{inks:?}");
        for shape in &deck.shapes {
            let clear = deck.symbol_spacing / 2.0;
            for &(x, y) in &shape.points {
                assert!(x.abs() < clear && x.abs() < MOST_REACH.0, "{}: {x}", shape.name);
                assert!(y.abs() < MOST_REACH.1, "{}: {y}", shape.name);
            }
            let area = doubled_area(shape.outline()).abs();
            assert!(area > 4e-3, "{} of seed {seed}: {area}", shape.name);
            names.insert(shape.name.clone());
        }
        assert!(!deck.card_name(Card::from_index(80)).is_empty());
    }
    assert_eq!(names.len(), 22, "all shapes come: {names:?}");
}

#[test]
fn what_is_written_reads_back() {
    for name in Deck::NAMES {
        let deck = Deck::named(name).unwrap();
        assert_eq!(Deck::parse(name, &deck.to_text()).unwrap(), *deck);
    }
    for seed in 0..20 {
        let text = Deck::invented(seed).to_text();
        assert_eq!(Deck::parse("invented", &text).unwrap().to_text(), text);
    }
}

#[test]
fn a_deck_with_one_fill_has_27_cards() {
    let mut value: Value = serde_json::from_str(CLASSIC).unwrap();
    value["fills"].as_array_mut().unwrap().truncate(1);
    value["name"] = json!("junior");
    let deck = Deck::parse("junior.json", &value.to_string()).unwrap();
    assert!(deck.has_one_fill() && deck.cards().count() == 27);
    assert!(deck.cards().all(|card| card.shading.index() == 0));
    assert_eq!(deck.value_list(), "diamond, oval, squiggle; filled; green, purple, red");
    assert_eq!(Deck::parse("junior.json", &deck.to_text()).unwrap(), deck);
    assert_eq!(Deck::classic().cards().count(), 81);
    value["fills"] = json!([]);
    let error = Deck::parse("junior.json", &value.to_string()).unwrap_err().to_string();
    assert!(error.contains("fills: expected 3 fills, or 1 where all cards have one"), "{error}");
}
