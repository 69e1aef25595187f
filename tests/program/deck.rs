//! What a user does with `setsight deck`: learn a deck from photos, and read by its file.

use crate::common::{Ran, World};
use serde_json::Value;
use setsight::cards::{Card, Property};
use setsight_photo::labels::{CardLabel, LabelFile};
use std::path::Path;

fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran
}

/// For each labelled card that `scan --deck FILE` reads: what it is, what it is read as, whether it
/// is sure.
fn read(world: &World, deck: &str, folder: &str) -> Vec<(Card, Card, bool)> {
    let ran = done(world.run(&["scan", folder, "--deck", deck, "--format", "json"]));
    let labels = LabelFile::read(&world.path().join(folder)).unwrap().photos().unwrap();
    let mut pairs = Vec::new();
    for line in ran.stdout.lines() {
        let photo: Value = serde_json::from_str(line).unwrap();
        let file = Path::new(photo["image"].as_str().unwrap()).file_name().unwrap().to_owned();
        let label = labels.iter().find(|p| *p.file == *file).unwrap();
        for card in photo["cards"].as_array().unwrap() {
            let corners: [[f64; 2]; 4] = serde_json::from_value(card["corners"].clone()).unwrap();
            let center = |axis: usize| corners.iter().map(|corner| corner[axis]).sum::<f64>() / 4.0;
            let far = |c: &CardLabel| (c.center.x - center(0)).hypot(c.center.y - center(1));
            let nearest = label.cards.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
            let code: Card = card["code"].as_str().unwrap().parse().unwrap();
            pairs.push((nearest.unwrap().code, code, !card["unsure"].as_bool().unwrap()));
        }
    }
    pairs
}

/// The value that the cards of a labelled value are read as most often.
fn likeliest(pairs: &[(Card, Card, bool)], property: Property, value: usize) -> usize {
    let labelled = pairs.iter().filter(|(label, ..)| label.value(property) == value);
    let read: Vec<usize> = labelled.map(|(_, code, _)| code.value(property)).collect();
    (0..3).max_by_key(|value| read.iter().filter(|read| *read == value).count()).unwrap()
}

/// Which of the learnt deck's values each of the labels' values is: its order is its own.
fn meant(pairs: &[(Card, Card, bool)]) -> impl Fn(Card) -> Card + use<> {
    let values =
        Property::ALL.map(|property| [0, 1, 2].map(|value| likeliest(pairs, property, value)));
    move |card| {
        let index = Property::ALL.into_iter().enumerate();
        Card::from_index(index.fold(0, |i, (p, property)| 3 * i + values[p][card.value(property)]))
    }
}

fn draw(world: &World, deck: &[&str], more: &[&str]) {
    done(world.run(&[&["render"], deck, more].concat()));
}

#[test]
fn a_deck_is_learnt_from_photos_and_its_tables_are_read() {
    let world = World::new();
    let deck = ["--deck", "invented-31", "--kind", "plain"];
    draw(&world, &deck, &["--whole-deck", "--count", "5", "--out", "deck", "--size", "1600x1200"]);
    draw(&world, &deck, &["--count", "2", "--seed", "5", "--out", "table"]);
    let ran = done(world.run(&["deck", "learn", "deck", "--name", "ours", "--out", "ours.json"]));
    assert!(
        ran.stdout.starts_with("ours.json: learnt from 81 cards in 5 photos"),
        "{}",
        ran.stdout
    );
    let meant = meant(&read(&world, "ours.json", "deck"));
    let table = read(&world, "ours.json", "table");
    let right = table.iter().filter(|(label, code, _)| meant(*label) == *code).count();
    assert!(table.len() == 24 && right >= 23, "{right} of {}", table.len());
    assert!(table.iter().all(|(label, code, sure)| !sure || meant(*label) == *code));
}

/// As an app shows a deck: in screens of twelve cards.
#[test]
fn a_deck_is_learnt_from_a_part_of_its_cards() {
    let world = World::new();
    let deck = ["--deck", "invented-31", "--kind", "plain"];
    draw(&world, &deck, &["--whole-deck", "--count", "5", "--out", "deck", "--size", "1600x1200"]);
    let mut photos: Vec<String> =
        world.names("deck").into_iter().filter(|name| name.ends_with(".jpg")).collect();
    photos.sort();
    let first: Vec<String> = photos.iter().take(3).map(|name| format!("deck/{name}")).collect();
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let call = [&["deck", "learn"], &first[..], &["--name", "ours", "--out", "ours.json"]].concat();
    let ran = done(world.run(&call));
    assert!(ran.stderr.contains("of 81 cards are not seen"), "{}", ran.stderr);
    let pairs = read(&world, "ours.json", "deck");
    let meant = meant(&pairs);
    let right = pairs.iter().filter(|(label, code, _)| meant(*label) == *code).count();
    assert!(10 * right >= 9 * pairs.len(), "{right} of {}", pairs.len());
}

#[test]
fn a_deck_of_27_cards_is_learnt_and_read() {
    let world = World::new();
    let classic = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/game/decks/classic.json");
    let text = std::fs::read_to_string(classic).unwrap();
    let mut deck: Value = serde_json::from_str(&text).unwrap();
    deck["fills"].as_array_mut().unwrap().truncate(1);
    deck["name"] = "junior".into();
    world.file("junior.json", deck.to_string().as_bytes());
    let deck = ["--deck", "junior.json", "--kind", "plain"];
    draw(&world, &deck, &["--whole-deck", "--count", "2", "--out", "photos"]);
    draw(&world, &deck, &["--count", "1", "--seed", "5", "--out", "table"]);
    let ran = done(world.run(&["deck", "learn", "photos", "--name", "ours", "--out", "ours.json"]));
    assert!(ran.stdout.starts_with("ours.json: learnt from 27 cards"), "{}", ran.stdout);
    let text = std::fs::read_to_string(world.path().join("ours.json")).unwrap();
    let learnt: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(learnt["fills"].as_array().unwrap().len(), 1);
    let meant = meant(&read(&world, "ours.json", "photos"));
    let table = read(&world, "ours.json", "table");
    assert!(
        table.len() == 12
            && table.iter().all(|(label, code, sure)| *sure && meant(*label) == *code)
    );
}
