//! `setsight eval` as a user calls it.

#![cfg(feature = "vision")]

mod common;

use common::{World, pictures::*};
use image::{ImageFormat, RgbImage};
use serde_json::Value;
use setsight::dataset::{CardLabel, PhotoLabel, PhotoLabels};
use setsight::geometry::{Point, Quad};
use std::path::Path;

/// Labels of [`BOARD`] as it is drawn.
fn labels() -> Vec<CardLabel> {
    let (_, places) = table(&BOARD);
    let size = (f64::from(CARD_PX), f64::from(CARD_PX * 57 / 89));
    BOARD
        .concat()
        .into_iter()
        .zip(places)
        .map(|(code, (left, top))| {
            let at = Point::new(left.into(), top.into());
            let corners = Quad(Quad::rectangle(size.0, size.1).0.map(|p| p + at));
            CardLabel {
                code: code.parse().unwrap(),
                center: corners.center(),
                corners: Some(corners),
            }
        })
        .collect()
}

fn photo(file: &str, image: &RgbImage, tags: &[&str], cards: Vec<CardLabel>) -> PhotoLabel {
    PhotoLabel {
        file: file.into(),
        width: image.width(),
        height: image.height(),
        tags: tags.iter().map(|tag| tag.to_string()).collect(),
        cards,
    }
}

/// A dataset of two sources: a perfect board; the board with one wrong label, one label where
/// nothing lies and one card without a label.
fn world_with_datasets() -> World {
    let world = World::new();
    let (image, _) = table(&BOARD);
    let jpeg = encoded(image.clone(), ImageFormat::Jpeg);
    world.file("set/one/a.jpg", &jpeg);
    world.file("set/two/b & c.jpg", &jpeg);
    let good = photo("a.jpg", &image, &["wood"], labels());
    write(&world.path().join("set/one"), "first source", vec![good]);
    let mut cards = labels();
    cards[4].code = "2srd".parse().unwrap(); // 2spo lies there
    cards[11].center = Point::new(1.0, 1.0); // 3fro lies elsewhere, without a label now
    cards[11].corners = None;
    let bad = photo("b & c.jpg", &image, &["wood", "glare"], cards);
    write(&world.path().join("set/two"), "second source", vec![bad]);
    world
}

fn write(folder: &Path, source: &str, photos: Vec<PhotoLabel>) {
    PhotoLabels { source: Some(source.into()), photos }.write(folder).unwrap();
}

fn figures(world: &World, args: &[&str]) -> Value {
    let args = [&["eval"], args, &["--format", "json"]].concat();
    serde_json::from_str(&world.run(&args).expect(0).stdout).unwrap()
}

#[test]
fn figures_say_what_was_right_and_what_was_not() {
    let world = world_with_datasets();
    let json = figures(&world, &["set"]);
    let of = |group: &Value, keys: &[&str]| -> Vec<u64> {
        keys.iter().map(|key| group[*key].as_u64().unwrap_or_else(|| panic!("{key}"))).collect()
    };
    let verdicts = ["cards", "right", "wrong", "unsure", "missed", "false_cards", "perfect_boards"];
    assert_eq!(of(&json["by_source"]["first source"], &verdicts), [12, 12, 0, 0, 0, 0, 1]);
    assert_eq!(of(&json["by_source"]["second source"], &verdicts), [12, 10, 1, 0, 1, 1, 0]);
    assert_eq!(of(&json["all"], &["photos", "cards", "found", "claims"]), [2, 24, 23, 24]);
    assert_eq!(json["all"]["claims_right_percent"], 91.67);
    assert_eq!(of(&json["by_tag"]["wood"], &["photos"]), [2]);
    assert_eq!(of(&json["by_tag"]["glare"], &["photos"]), [1]);
    // Labelled red, read purple: values in the order green, purple, red.
    assert_eq!(json["confusion"]["colour"]["labelled_by_read"][2][1], 1);
    assert_eq!(json["confusion"]["shape"]["labelled_by_read"][0][1], 1);
    let sets = &json["by_source"]["first source"];
    assert_eq!(of(sets, &["sets", "sets_claimed", "sets_right"]), [6, 6, 6]);
    let stages: Vec<&String> = json["median_cpu_ms"].as_object().unwrap().keys().collect();
    assert_eq!(stages, ["load", "segment", "rectify", "classify", "board", "sets", "total"]);
}

#[test]
fn the_text_has_the_figures_and_the_report_every_mistake() {
    let world = world_with_datasets();
    let text =
        world.run(&["eval", "set/one", "set/two", "--report", "out/report"]).expect(0).stdout;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("read right 91.7 % 22 of 24"), "{text}");
    assert!(text.contains("second source") && text.contains("glare"), "{text}");
    assert_eq!(world.names("out/report"), ["figures.json", "index.html", "pictures"]);
    // The wrong one and the false one with what the reader saw, the missed one without corners.
    let pictures =
        ["00001-card.jpg", "00001-view.jpg", "00002-view.jpg", "00003-card.jpg", "00003-view.jpg"];
    assert_eq!(world.names("out/report/pictures"), pictures);
    let page = std::fs::read_to_string(world.path().join("out/report/index.html")).unwrap();
    for part in [
        "b &amp; c.jpg",
        "<b>wrong</b> is 2srd, read 2s<em>p</em><em>o</em>",
        "<b>missed</b> is 3fro",
        "<b>false card</b> no label, read 3fro",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("a.jpg"), "nothing is wrong with it");
}

#[test]
fn labels_are_of_the_file_as_stored() {
    let world = World::new();
    let (image, _) = table(&BOARD);
    let stored = image::imageops::rotate270(&image);
    world.file("set/a.jpg", &jpeg_held(stored.clone(), 6));
    // A quarter turn against the clock: (x, y) goes to (y, width - x).
    let turn = |p: Point| Point::new(p.y, f64::from(image.width()) - p.x);
    let mut cards = labels();
    for card in &mut cards {
        card.center = turn(card.center);
        card.corners = card.corners.map(|quad| Quad(quad.0.map(turn)));
    }
    write(&world.path().join("set"), "held", vec![photo("a.jpg", &stored, &[], cards)]);
    assert_eq!(figures(&world, &["set"])["all"]["right"], 12);
}

#[test]
fn photos_that_are_missing_or_of_another_size_are_named_and_the_rest_is_done() {
    let world = World::new();
    let (image, _) = table(&BOARD);
    let jpeg = encoded(image.clone(), ImageFormat::Jpeg);
    world.file("set/small.jpg", &jpeg);
    world.file("set/good.jpg", &jpeg);
    let mut small = photo("small.jpg", &image, &[], labels());
    small.width = 100;
    let gone = photo("gone.jpg", &image, &[], labels());
    let good = photo("good.jpg", &image, &[], labels());
    write(&world.path().join("set"), "mixed", vec![small, gone, good]);
    let ran = world.run(&["eval", "set"]).expect(1);
    assert!(ran.line_about("gone.jpg").contains("cannot be read: No such file"), "{}", ran.stderr);
    assert!(ran.line_about("small.jpg").contains("its labels are of 100x"), "{}", ran.stderr);
    assert!(ran.stdout.contains("1 photos, 12 labelled cards"), "{}", ran.stdout);
}

#[test]
fn a_bad_dataset_is_told_what_was_expected() {
    let world = World::new();
    std::fs::create_dir(world.path().join("empty")).unwrap();
    let says = |dataset: &str, parts: &[&str]| {
        let ran = world.run(&["eval", dataset]).expect(2);
        for part in parts {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    };
    says("empty", &["empty: no labels.json in this folder"]);
    says("gone", &["gone: cannot be read: No such file"]);
    let label = |code: &str| format!(r#"{{"code": "{code}", "center": [5, 5], "corners": null}}"#);
    let photo = |cards: &str| {
        format!(
            r#"{{"photos": [{{"file": "a.jpg", "width": 9, "height": 9, "cards": [{cards}]}}]}}"#
        )
    };
    world.file("code/labels.json", photo(&label("2xpd")).as_bytes());
    says("code", &["code/labels.json", "\"2xpd\": 'x' at place 2"]);
    let twice = [label("2spd"), label("1ogd"), label("2spd")].join(",");
    world.file("twice/labels.json", photo(&twice).as_bytes());
    says("twice", &["a.jpg: card 2spd is labelled twice, as card 1 and card 3"]);
    world.file("text/labels.json", b"photos: none");
    says("text", &["text/labels.json: not labels as they should be"]);
}

/// Of the tables that come with the project every card is right.
#[test]
fn every_card_of_the_samples_is_right() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/samples");
    let json = figures(&World::new(), &[samples.to_str().unwrap()]);
    let count = |key: &str| json["all"][key].as_u64().unwrap();
    assert!(count("photos") >= 8, "the samples are there");
    assert_eq!(count("right"), count("cards"), "{:#}", json["by_tag"]);
    assert_eq!(count("false_cards"), 0, "{:#}", json["by_tag"]);
}
