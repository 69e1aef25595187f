//! `setsight eval` as a user calls it.

use crate::common::labelled::{self, crops, labels, photo_label};
use crate::common::{World, pictures::*};
use image::ImageFormat;
use serde_json::Value;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::{LabelFile, LabelledBy, PhotoLabel};
use std::path::Path;

/// A dataset of two sources: a perfect board; the board with one wrong label, one label where
/// nothing lies and one card without a label.
fn world_with_datasets() -> World {
    let world = World::new();
    let (image, _) = table(&BOARD);
    let jpeg = encoded(image.clone(), ImageFormat::Jpeg);
    world.file("set/one/a.jpg", &jpeg);
    world.file("set/two/b & c.jpg", &jpeg);
    let good = photo_label("a.jpg", &image, &["wood"], labels(&BOARD));
    write(&world.path().join("set/one"), "first source", vec![good]);
    let mut cards = labels(&BOARD);
    cards[4].code = "2srd".parse().unwrap(); // 2spo lies there
    cards[11].center = Point::new(1.0, 1.0); // 3fro lies elsewhere, without a label now
    cards[11].corners = None;
    let bad = photo_label("b & c.jpg", &image, &["wood", "glare"], cards);
    write(&world.path().join("set/two"), "second source", vec![bad]);
    world
}

fn write(folder: &Path, source: &str, photos: Vec<PhotoLabel>) {
    LabelFile::create(folder, Some(source), &photos).unwrap();
}

fn figures(world: &World, args: &[&str]) -> Value {
    let args = [&["eval"], args, &["--format", "json"]].concat();
    serde_json::from_str(&world.run(&args).expect(0).stdout).unwrap()
}

fn counts(group: &Value, keys: &[&str]) -> Vec<u64> {
    keys.iter().map(|key| group[*key].as_u64().unwrap_or_else(|| panic!("{key}"))).collect()
}

fn starting_with<'a>(start: &str, names: &'a [String]) -> Vec<&'a String> {
    names.iter().filter(|name| name.starts_with(start)).collect()
}

/// The words of the line that compares this figure with the baseline's.
fn compared<'a>(figure: &str, text: &'a str) -> Vec<&'a str> {
    let mut lines = text.lines().filter(|line| line.contains("worse") || line.contains("better"));
    let line = lines.find(|line| line.contains(figure));
    line.unwrap_or_else(|| panic!("{figure}: {text}")).split_whitespace().collect()
}

#[test]
fn figures_say_what_was_right_and_what_was_not() {
    let world = world_with_datasets();
    let json = figures(&world, &["set"]);
    let verdicts = ["cards", "right", "wrong", "unsure", "missed", "false_cards", "perfect_boards"];
    assert_eq!(counts(&json["by_source"]["first source"], &verdicts), [12, 12, 0, 0, 0, 0, 1]);
    assert_eq!(counts(&json["by_source"]["second source"], &verdicts), [12, 10, 1, 0, 1, 1, 0]);
    assert_eq!(counts(&json["all"], &["photos", "cards", "found", "claims"]), [2, 24, 23, 24]);
    assert_eq!(json["all"]["claims_right_percent"], 91.67);
    assert_eq!(counts(&json["by_tag"]["wood"], &["photos"]), [2]);
    assert_eq!(counts(&json["by_tag"]["glare"], &["photos"]), [1]);
    // Labelled red, read purple: values in the order green, purple, red.
    assert_eq!(json["confusion"]["colour"]["labelled_by_read"][2][1], 1);
    assert_eq!(json["confusion"]["shape"]["labelled_by_read"][0][1], 1);
    let sets = &json["by_source"]["first source"];
    assert_eq!(counts(sets, &["sets", "sets_claimed", "sets_right"]), [6, 6, 6]);
    let stages: Vec<&String> = json["median_cpu_ms"].as_object().unwrap().keys().collect();
    assert_eq!(
        stages,
        ["load", "segment", "rectify", "facts", "classify", "board", "sets", "total"]
    );
}

/// Crops of a folder with `labels.csv`, one of them under a false label, one no picture.
#[test]
fn crops_are_measured_by_property_with_pictures() {
    let world = World::new();
    let mut labels = crops(&world);
    let classical = ["--reader", "classical", "--finder", "classical"];
    let json = figures(&world, &[&["crops"], &classical[..]].concat());
    let all = &json["all"];
    for (key, expected) in [("photos", 0), ("crops", 7), ("cards", 7), ("wrong", 1), ("sets", 0)] {
        assert_eq!(all[key], expected, "{key}: {all}");
    }
    assert_eq!(
        json["confusion"]["shape"]["labelled_by_read"][1][0], 1,
        "an oval read as a diamond"
    );
    let call = [&["eval", "crops", "--report", "report"], &classical[..]].concat();
    let text = world.run(&call).expect(0).stdout;
    assert!(text.contains("7 crops, 7 labelled cards"), "{text}");
    assert!(text.contains("shape right") && text.contains("85.7 %"), "{text}");
    assert!(text.contains("shape taken for another: oval read as diamond 1"), "{text}");
    // Crops are no boards.
    assert!(!text.contains("perfect boards") && !text.contains("sets: recall"), "{text}");
    let pictures = world.names("report/pictures");
    for name in ["00001-card.jpg", "00001-input.png"] {
        assert!(pictures.iter().any(|picture| picture == name), "{name}: {pictures:?}");
    }

    // Photos and crops in one call; a crop that cannot be read is named, and the rest counts.
    world.file("crops/letter.png", b"Dear reader, I am no image.");
    labels += "letter.png,1fgd\n";
    world.file("crops/labels.csv", labels.as_bytes());
    let (image, _) = table(&BOARD);
    world.file("photos/a.jpg", &encoded(image.clone(), ImageFormat::Jpeg));
    write(
        &world.path().join("photos"),
        "photos",
        vec![photo_label("a.jpg", &image, &[], labelled::labels(&BOARD))],
    );
    let ran = world.run(&[&["eval", "crops", "photos"], &classical[..]].concat()).expect(1);
    assert!(ran.stderr.contains("crops/letter.png: is not a picture"), "{}", ran.stderr);
    assert!(ran.stdout.contains("1 photos, 7 crops, 19 labelled cards"), "{}", ran.stdout);
}

#[test]
fn what_nobody_has_checked_is_named_and_not_measured_on() {
    let world = world_with_datasets();
    let (image, _) = table(&BOARD);
    let mut cards = labels(&BOARD);
    cards[0].labelled_by = LabelledBy::Reader;
    let half = photo_label("a.jpg", &image, &["unchecked"], cards);
    write(&world.path().join("set/one"), "first source", vec![half]);
    let ran = world.run(&["eval", "set", "--format", "json"]).expect(0);
    assert!(
        ran.stderr.contains("one/a.jpg") && ran.stderr.contains("not checked"),
        "{}",
        ran.stderr
    );
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["all"]["photos"], 1);
    let ran = world.run(&["eval", "set/one"]).expect(2);
    assert!(ran.stderr.contains("nobody has checked any"), "{}", ran.stderr);
}

#[test]
fn the_text_has_the_figures_and_the_report_every_mistake() {
    let world = world_with_datasets();
    let classical = ["--reader", "classical", "--finder", "classical"];
    let call = ["eval", "set/one", "set/two", "--report", "out/report"];
    let text = world.run(&[&call[..], &classical].concat()).expect(0).stdout;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("read right 91.7 % 22 of 24"), "{text}");
    assert!(text.contains("second source") && text.contains("glare"), "{text}");
    assert_eq!(world.names("out/report"), ["figures.json", "index.html", "pictures"]);
    let pictures = world.names("out/report/pictures");
    // The wrong one and the false one with what the reader saw and said, the missed one without
    // corners only where it should be.
    for start in ["00001", "00003"] {
        let all = ["card.jpg", "input.png", "view.jpg"];
        let expected = all.map(|name| format!("{start}-{name}"));
        assert_eq!(starting_with(start, &pictures), expected.each_ref());
    }
    assert_eq!(starting_with("00002", &pictures), ["00002-view.jpg"]);
    assert!(
        starting_with("00004-stage-", &pictures).len() >= 4,
        "each stage of the photo with mistakes: {pictures:?}"
    );
    let input = image::open(world.path().join("out/report/pictures/00001-input.png")).unwrap();
    assert_eq!((input.width(), input.height()), (96, 64));
    let page = std::fs::read_to_string(world.path().join("out/report/index.html")).unwrap();
    for (table, number) in [("confusion", 4), ("reliability", 1), ("said", 2)] {
        assert_eq!(page.matches(&format!("<table class=\"{table}\">")).count(), number, "{table}");
    }
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

/// Confidence is compared with the labels, and every card is accounted for.
#[test]
fn the_json_tells_how_confidence_bears_out_and_what_became_of_each_card() {
    let world = world_with_datasets();
    let json = figures(&world, &["set"]);
    let bins = json["reliability"]["bins"].as_array().unwrap();
    let totals = ["readings", "right"]
        .map(|key| bins.iter().map(|bin| bin[key].as_u64().unwrap()).sum::<u64>());
    // 23 labels that were found and one false card; of them one is wrong and the false one too.
    assert_eq!(totals, [24, 22]);
    assert!(json["reliability"]["expected_calibration_error"].as_f64().unwrap() < 0.2);
    let photos = json["photos"].as_array().unwrap();
    assert_eq!(photos[0]["image"], "a.jpg");
    assert_eq!(photos[0]["right"].as_array().unwrap().len(), 12);
    assert_eq!(photos[1]["source"], "second source");
    let mistakes = photos[1]["mistakes"].as_array().unwrap();
    let words: Vec<String> =
        mistakes.iter().map(|m| format!("{} {} {}", m["card"], m["verdict"], m["read"])).collect();
    assert_eq!(
        words,
        [r#""2srd" "wrong" "2spo""#, r#""3fro" "missed" null"#, r#"null "false" "3fro""#]
    );
}

#[test]
fn a_baseline_shows_what_got_better_and_what_got_worse() {
    let world = world_with_datasets();
    let mut before = figures(&world, &["set"]);
    // An earlier program: it missed the first card of the first photo, and had no false card.
    let first = &mut before["photos"][0];
    let lost = first["right"].as_array_mut().unwrap().remove(0);
    let mistake = serde_json::json!({
        "card": lost, "verdict": "missed", "read": null, "confidence": null,
    });
    first["mistakes"].as_array_mut().unwrap().push(mistake);
    before["photos"][1]["mistakes"].as_array_mut().unwrap().pop();
    before["all"]["right_percent"] = 80.0.into();
    before["all"]["false_cards_a_photo"] = 0.0.into();
    world.file("before.json", before.to_string().as_bytes());
    let call = ["eval", "set", "--baseline", "before.json", "--report", "report"];
    let text = world.run(&call).expect(0).stdout;
    assert_eq!(
        compared("read right, %", &text),
        ["read", "right,", "%", "80.00", "91.67", "better"]
    );
    assert_eq!(compared("false cards a photo", &text).last(), Some(&"worse"));
    let lost = lost.as_str().unwrap();
    assert!(text.contains(&format!("first source/a.jpg: {lost} missed -> right")), "{text}");
    assert!(text.contains("second source/b & c.jpg: false cards 0 -> 1"), "{text}");
    let page = std::fs::read_to_string(world.path().join("report/index.html")).unwrap();
    assert!(page.contains("Worse: 1 cards") && page.contains("Better: 1 cards"));
    let json = figures(&world, &["set", "--baseline", "report/figures.json"]);
    assert_eq!(json["against_baseline"]["better"].as_array().unwrap().len(), 0);
    assert_eq!(json["against_baseline"]["worse"].as_array().unwrap().len(), 0);
    let call = ["eval", "set", "--baseline", "report/figures.json", "--report", "report"];
    let ran = world.run(&call).expect(2);
    assert!(ran.stderr.contains("figures.json cannot be written: it is read in"), "{}", ran.stderr);

    world.file("other.json", b"{\"cards\": []}");
    let ran = world.run(&["eval", "set", "--baseline", "other.json"]).expect(2);
    assert!(ran.stderr.contains("other.json: no figures in it; expected an evaluation as JSON"));
    let ran = world.run(&["eval", "set", "--baseline", "gone.json"]).expect(2);
    assert!(ran.stderr.contains("gone.json: cannot be read"), "{}", ran.stderr);
}

#[test]
fn all_readers_stand_side_by_side() {
    let world = world_with_datasets();
    let ran = world.run(&["eval", "set", "--all-readers", "--report", "report"]).expect(0);
    let words: Vec<&str> = ran.stdout.split_whitespace().collect();
    assert!(words.contains(&"classical"), "{}", ran.stdout);
    // Each reader is in the figures, or named with the reason why it is not.
    let json: Value = serde_json::from_str(
        &std::fs::read_to_string(world.path().join("report/figures.json")).unwrap(),
    )
    .unwrap();
    for reader in ["neural", "fused"] {
        let reads = json["readers"][reader]["all"]["photos"] == 2;
        let named = ran.stderr.contains(&format!("without the {reader} reader: "));
        assert!(reads != named, "{reader}: {json} {}", ran.stderr);
    }
}

#[test]
fn labels_are_of_the_file_as_stored() {
    let world = World::new();
    let (image, _) = table(&BOARD);
    let stored = image::imageops::rotate270(&image);
    world.file("set/a.jpg", &jpeg_held(stored.clone(), 6));
    // A quarter turn against the clock: (x, y) goes to (y, width - x).
    let turn = |p: Point| Point::new(p.y, f64::from(image.width()) - p.x);
    let mut cards = labels(&BOARD);
    for card in &mut cards {
        card.center = turn(card.center);
        card.corners = card.corners.map(|quad| Quad::new(quad.0.map(turn)));
    }
    write(&world.path().join("set"), "held", vec![photo_label("a.jpg", &stored, &[], cards)]);
    assert_eq!(figures(&world, &["set"])["all"]["right"], 12);
}

#[test]
fn photos_that_are_missing_or_of_another_size_are_named_and_the_rest_is_done() {
    let world = World::new();
    let (image, _) = table(&BOARD);
    let jpeg = encoded(image.clone(), ImageFormat::Jpeg);
    world.file("set/small.jpg", &jpeg);
    world.file("set/good.jpg", &jpeg);
    let mut small = photo_label("small.jpg", &image, &[], labels(&BOARD));
    small.width = 100;
    let gone = photo_label("gone.jpg", &image, &[], labels(&BOARD));
    let good = photo_label("good.jpg", &image, &[], labels(&BOARD));
    write(&world.path().join("set"), "mixed", vec![small, gone, good]);
    let ran = world.run(&["eval", "set"]).expect(1);
    assert!(ran.line_about("gone.jpg").contains("cannot be read: No such file"), "{}", ran.stderr);
    assert!(ran.line_about("small.jpg").contains("its labels are of 100x"), "{}", ran.stderr);
    assert!(ran.stdout.contains("1 photos, 12 labelled cards"), "{}", ran.stdout);
}

/// Of the tables that come with the project every card is found and none claimed wrongly; glare may
/// leave one unsure.
#[test]
fn no_card_of_the_samples_is_wrong() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/samples");
    let json = figures(&World::new(), &[samples.to_str().unwrap()]);
    let all = &json["all"];
    assert!(counts(all, &["photos"])[0] >= 8, "the samples are there");
    assert_eq!(counts(all, &["wrong", "missed", "false_cards"]), [0; 3], "{:#}", json["by_tag"]);
    let [cards, right] = counts(all, &["cards", "right"])[..] else { unreachable!() };
    assert!(right + 1 >= cards, "{:#}", json["by_tag"]);
}

#[test]
fn steps_of_the_cascade_can_be_left_out() {
    let world = world_with_datasets();
    let all = ["corrected", "search", "context", "features"].join(",");
    let json = figures(&world, &["set", "--without", &all]);
    assert_eq!(json["all"]["cards"], 24);
}
