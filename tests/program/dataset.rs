//! `setsight dataset`: labels of other programs become ours, and labels are looked at.
//!
//! `dataset convert` reads each form of labels, and each oddity of their files, by the made-up examples in
//! `tests/data/forms`, which the tables in docs/reference/labels.md name. `FORM/ODDITY` is what is converted; a
//! picture without a byte stands there for a photo of 64x48 pixels. Its `expected.json` says what becomes of it;
//! its `expected.txt` holds the exit code of a refusal and then the words, a line each.

use crate::common::labelled::{crops, labels, photo_label};
use crate::common::pictures::*;
use crate::common::{ENCODINGS, Ran, World};
use image::ImageFormat;
use serde_json::{Map, Value, json};
use setsight_labels::convert::{self, Format};
use setsight_photo::{
    geometry::Point,
    labels::{CardLabel, LabelFile, PhotoLabel, check_photo_files, read_crop_labels},
};
use setsight_testkit::in_repository;
use std::path::{Path, PathBuf};

/// A photo of 64x48 pixels, another for each number.
fn photo(world: &World, name: &str, number: u32) {
    let picture = bare_table(64 + number, 48);
    world.file(name, &encoded(picture, ImageFormat::Png));
}

fn run_convert(world: &World, args: &[&str]) -> Ran {
    world.run(&[&["dataset", "convert"], args].concat())
}

fn converted(world: &World, folder: &str) -> Vec<PhotoLabel> {
    let folder = world.path().join(folder);
    let photos = LabelFile::read(&folder).unwrap().photos().unwrap();
    check_photo_files(&folder, &photos).unwrap();
    photos
}

/// COCO's annotation of a box on an image.
fn mark(image: u32, boxes: Value) -> Value {
    json!({"image_id": image, "category_id": 3, "bbox": boxes})
}

/// COCO's JSON of these images and annotations.
fn coco(images: Value, annotations: Value) -> Vec<u8> {
    let categories = json!([
        {"id": 0, "name": "cards", "supercategory": "none"},
        {"id": 3, "name": "2spd"},
    ]);
    json!({"images": images, "annotations": annotations, "categories": categories})
        .to_string()
        .into_bytes()
}

fn card(code: &str, center: [f64; 2], corners: Value) -> Value {
    json!({"code": code, "center": center, "corners": corners})
}

fn entry(file: &str, width: u32, cards: Vec<Value>) -> Value {
    json!({"file": file, "width": width, "height": 48, "cards": cards})
}

/// Programs show photos upright; labels.json speaks of the file as stored.
#[test]
fn labels_of_a_photo_that_exif_turns_are_turned_back() {
    let world = World::new();
    // Stored 80x60; a viewer shows 60x80, the stored top left corner at its top right.
    world.file("set/images/a.jpg", &jpeg_held(bare_table(80, 60), 6));
    let center = |out: &str| converted(&world, out)[0].cards[0].center;
    world.file("set/classes.txt", b"2spd\n");
    world.file("set/labels/a.txt", b"0 0.5 0.25 0.1 0.1\n");
    let ran = run_convert(&world, &["set", "--out", "yolo"]).expect(0);
    assert!(ran.stderr.contains("1 photos are turned by their EXIF data"), "{}", ran.stderr);
    let upright = Point::new(30.0, 20.0);
    let label = converted(&world, "yolo").remove(0);
    assert_eq!((label.width, label.height), (80, 60));
    let turned = label.upright_cards(image::metadata::Orientation::Rotate90);
    assert!(turned[0].center.distance(upright) < 1e-9, "{:?}", label.cards);
    assert!(center("yolo").distance(Point::new(20.0, 30.0)) < 1e-9, "{:?}", center("yolo"));

    let (both, only_upright, only_stored) = ([20, 10, 20, 20], [20, 58, 20, 20], [58, 20, 20, 20]);
    let (turned, taken_as_stored) = ("as viewers show them, such as", "as stored, such as");
    // The size that COCO states, whether Label Studio wrote it, a box, and the centre, with what is remarked.
    let table = [
        (Some((60, 80)), false, both, Some(((20.0, 30.0), turned))),
        (Some((60, 80)), false, only_stored, None),
        (Some((80, 60)), false, both, None),
        (Some((80, 60)), false, only_stored, Some(((68.0, 30.0), taken_as_stored))),
        (Some((80, 60)), false, only_upright, Some(((68.0, 30.0), turned))),
        (Some((80, 60)), true, both, Some(((20.0, 30.0), turned))),
        (None, false, both, Some(((20.0, 30.0), turned))),
        (None, false, only_stored, Some(((68.0, 30.0), taken_as_stored))),
        (Some((81, 60)), false, only_stored, None),
    ];
    for (size, by_label_studio, one, expected) in table {
        let mut image = json!({"id": 1, "file_name": "a.jpg"});
        if let Some((width, height)) = size {
            (image["width"], image["height"]) = (json!(width), json!(height));
        }
        let mut labels: Value =
            serde_json::from_slice(&coco(json!([image]), json!([mark(1, json!(one))]))).unwrap();
        if by_label_studio {
            labels["info"] = json!({"contributor": "Label Studio"});
        }
        world.file("set/images/coco.json", labels.to_string().as_bytes());
        std::fs::remove_dir_all(world.path().join("out")).ok();
        let ran = run_convert(&world, &["set/images/coco.json", "--out", "out"]);
        let case = format!("{size:?} {one:?}: {}", ran.stderr);
        let Some(((x, y), remark)) = expected else {
            assert_eq!(ran.code, 1, "{case}");
            continue;
        };
        assert!(ran.expect(0).stderr.contains("1 photos are turned by their EXIF data"), "{case}");
        assert!(case.contains(remark), "{case}");
        assert!(center("out").distance(Point::new(x, y)) < 1e-9, "{case}: {:?}", center("out"));
    }
}

/// Of a photo that EXIF data turn, too.
#[test]
fn exported_labels_come_back_with_all_that_the_format_holds() {
    let world = World::new();
    let center = |code: &str| card(code, [30., 30.], Value::Null);
    world.file("set/a.jpg", &jpeg_held(bare_table(80, 60), 6));
    photo(&world, "set/centre.png", 0);
    photo(&world, "set/unchecked.png", 1);
    let corners = json!([[20, 22], [50, 26], [47, 45], [17, 41]]);
    let mut turned = entry("a.jpg", 80, vec![card("2spd", [33.5, 33.5], corners)]);
    (turned["height"], turned["mirrored"]) = (json!(60), json!(true));
    let mut unchecked = entry("unchecked.png", 65, vec![center("1frs")]);
    unchecked["tags"] = json!(["unchecked"]);
    let photos =
        json!({"photos": [turned, entry("centre.png", 64, vec![center("1frs")]), unchecked]});
    world.file("set/labels.json", photos.to_string().as_bytes());
    let before = converted(&world, "set").remove(0);
    for (to, file) in [("coco", "annotations.json"), ("yolo", "data.yaml")] {
        let ran = world.run(&["dataset", "export", "set", "--to", to, "--out", to]).expect(0);
        assert_eq!(ran.stdout, format!("{to}/{file}: 1 photo, 1 card\n"));
        for words in ["set/unchecked.png", "are left out, such as set/centre.png", "mirrored"] {
            assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
        }
        assert_eq!(ran.stderr.contains("hold no corners"), to == "yolo", "{}", ran.stderr);
        let back = format!("{to}-back");
        run_convert(&world, &[to, "--out", &back]).expect(0);
        let after = converted(&world, &back);
        assert_eq!((after.len(), after[0].width, after[0].height), (1, 80, 60));
        let [ref card] = after[0].cards[..] else { panic!("{after:?}") };
        let near = |p: Point, q: Point| p.distance(q) < 1e-6;
        assert_eq!(card.code, before.cards[0].code);
        assert!(near(card.center, before.cards[0].center), "{:?}", card.center);
        let (corners, expected) = (card.corners, before.cards[0].corners.unwrap());
        match to {
            "yolo" => assert_eq!(corners, None),
            _ => {
                assert!(corners.unwrap().0.iter().all(|p| expected.0.iter().any(|&q| near(*p, q))))
            }
        }
    }
    let again = world.run(&["dataset", "export", "set", "--to", "coco", "--out", "coco"]).expect(1);
    assert!(again.stderr.contains("coco is not empty"), "{}", again.stderr);
}

/// Both sizes are named where nothing decides, and another photo of the export may decide.
#[test]
fn photos_of_one_export_decide_together_which_picture_their_labels_speak_of() {
    let world = World::new();
    world.file("set/a.jpg", &jpeg_held(bare_table(80, 60), 6));
    world.file("set/b.jpg", &jpeg_held(bare_table(80, 60), 6));
    let images =
        |file: &str, id: u32| json!({"id": id, "file_name": file, "width": 80, "height": 60});
    let images = json!([images("a.jpg", 1), images("b.jpg", 2)]);
    let export = |of_b: Value| {
        coco(images.clone(), json!([mark(1, json!([20, 10, 20, 20])), mark(2, of_b)]))
    };
    world.file("set/coco.json", &export(json!([30, 10, 20, 20])));
    let ran = run_convert(&world, &["set", "--out", "none"]).expect(1);
    let both = "set/a.jpg: its EXIF data turn it to 60x80 pixels, but set/coco.json says 80x60, its size as stored";
    assert!(ran.stderr.contains(both), "{}", ran.stderr);
    for (out, of_b, expected) in
        [("up", [20, 58, 20, 20], [20.0, 30.0]), ("stored", [58, 20, 20, 20], [30.0, 20.0])]
    {
        world.file("set/coco.json", &export(json!(of_b)));
        run_convert(&world, &["set", "--out", out]).expect(0);
        let center = converted(&world, out)[0].cards[0].center;
        assert!(center.distance(Point::new(expected[0], expected[1])) < 1e-9, "{center:?}");
    }
}

#[test]
fn what_is_stopped_leaves_nothing_behind_and_no_two_copies_share_a_name() {
    let world = World::new();
    photo(&world, "cards/2spd/a.png", 0);
    photo(&world, "cards/1frs/a.png", 1);
    let (from, out) = (world.path().join("cards"), world.path().join("out"));
    // After the first copy.
    let mut copies = 0;
    let converted = convert::find(&from, None).unwrap().convert(&[], &mut || true).unwrap();
    let stopped = converted.write(&out, true, &mut || {
        copies += 1;
        copies < 2
    });
    let stopped = stopped.unwrap_err().to_string();
    assert_eq!((stopped.as_str(), copies), ("stopped: nothing is written", 2));
    assert_eq!(world.names("."), ["cards"]);
    // Some systems take both for one file.
    photo(&world, "cards/2spd/A.png", 0);
    let converted = convert::find(&from, None).unwrap().convert(&[], &mut || true).unwrap();
    let same = converted.write(&out, true, &mut || true).unwrap_err().to_string();
    assert!(same.contains("and another picture would both be called"), "{same}");
    assert_eq!(world.names("."), ["cards"]);
}

const CLASSICAL: [&str; 4] = ["--reader", "classical", "--finder", "classical"];

fn check(world: &World, args: &[&str]) -> Ran {
    world.run(&[&["dataset", "check"], args, &CLASSICAL].concat())
}

fn check_json(world: &World, args: &[&str], code: i32) -> Value {
    check(world, &[args, &["--format", "json"]].concat()).expect(code).json().remove(0)
}

fn write(world: &World, folder: &str, photos: Vec<PhotoLabel>) {
    LabelFile::create(&world.path().join(folder), None, &photos).unwrap();
}

/// The labels of a table as it is drawn, by their centres alone.
fn centres(rows: &[&[&str]]) -> Vec<CardLabel> {
    labels(rows).into_iter().map(|card| CardLabel { corners: None, ..card }).collect()
}

/// Other cards than those of [`BOARD`].
const OTHER: [&[&str]; 2] = [&["1srd", "2ors", "3fpo"], &["1opo", "2fgs", "3sgd"]];

#[test]
fn good_labels_are_good_and_counted() {
    let world = World::new();
    let (image, _) = table(&BOARD);
    world.file("set/a.png", &encoded(image.clone(), ImageFormat::Png));
    write(&world, "set", vec![photo_label("a.png", &image, &[], centres(&BOARD))]);
    let text = check(&world, &["set"]).expect(0).stdout;
    for part in [
        "1 folder: 1 photo, 0 crops, 12 labelled cards",
        "wrong: 0",
        "doubtful: 0",
        "12 of the deck's 81 cards have one",
        "missing: fewer than 10 examples of one (4), two (4), three (4)",
    ] {
        assert!(text.contains(part), "no \"{part}\" in {text}");
    }
    let json = check_json(&world, &["."], 0);
    assert_eq!((&json["photos"], &json["cards"]), (&json!(1), &json!(12)));
    assert_eq!(json["examples"]["number"], json!({"one": 4, "two": 4, "three": 4}));
    assert_eq!(json["few"]["fewer_than"], 10);
}

#[test]
fn what_nobody_has_checked_is_not_looked_at() {
    let world = World::new();
    let (image, _) = table(&BOARD);
    for name in ["a.png", "b.png"] {
        world.file(&format!("set/{name}"), &encoded(image.clone(), ImageFormat::Png));
    }
    let mut half = photo_label("b.png", &image, &[], centres(&OTHER));
    half.tags.push("unchecked".into());
    write(&world, "set", vec![photo_label("a.png", &image, &[], centres(&BOARD)), half]);
    let text = check(&world, &["set"]).expect(0).stdout;
    assert!(text.contains("not checked by a person, and so not looked at: 1"), "{text}");
    let json = check_json(&world, &["set"], 0);
    assert_eq!((&json["photos"], json["not_checked"].as_array().unwrap().len()), (&json!(1), 1));
}

#[test]
fn all_faults_are_reported_at_once() {
    let world = World::new();
    for name in ["a.png", "b.png", "c.png", "same.png", "d.png"] {
        let number = if name == "same.png" { 0 } else { u32::from(name.as_bytes()[0] - b'a') };
        photo(&world, &format!("set/{name}"), number);
    }
    world.file("set/letter.png", b"Dear reader, I am no image.");
    let far = json!([[50, 1], [60, 1], [60, 9], [50, 9]]);
    let photos = json!({"photos": [
        entry("a.png", 64, vec![card("2spd", [9., 9.], Value::Null), card("2spd", [40., 40.], Value::Null)]),
        entry("b.png", 640, vec![]),
        entry("c.png", 66, vec![card("2spd", [9., 99.], Value::Null), card("1frs", [9., 30.], far)]),
        entry("lost.png", 64, vec![]),
        entry("letter.png", 64, vec![]),
        entry("d.png", 67, vec![card("2xpd", [9., 9.], Value::Null)]),
        entry("same.png", 64, vec![card("1frs", [9., 9.], Value::Null)]),
        entry("b.png", 65, vec![]),
    ]});
    world.file("set/labels.json", photos.to_string().as_bytes());
    let json = check_json(&world, &["set"], 1);
    let wrong: Vec<String> = json["wrong"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| format!("{}: {}", w["file"].as_str().unwrap(), w["reason"].as_str().unwrap()))
        .collect();
    let expected = [
        "set/a.png: card 2spd is labelled twice, as card 1 and card 2",
        "set/b.png: is 65x48 pixels as stored, but its labels are of 640x48",
        "set/b.png: is labelled twice",
        "set/c.png: the centre of card 1 (2spd), (9, 99), lies outside",
        "set/c.png: the corners of card 2 (1frs) are not around its centre",
        "set/lost.png: is labelled but not there",
        "set/letter.png: is not a picture",
        "set/labels.json: photo 6 (d.png): \"2xpd\": 'x' at place 2",
        "set/same.png: is the same picture as set/a.png, but labelled 1frs here and 2spd there",
    ];
    for part in expected {
        assert!(wrong.iter().any(|w| w.starts_with(part)), "no \"{part}\" in {wrong:#?}");
    }
    assert_eq!(wrong.len(), expected.len(), "{wrong:#?}");
    assert!(check(&world, &["set"]).expect(1).stdout.contains("wrong: 9"));
}

#[test]
fn doubts_are_reported_and_shown_but_are_no_errors() {
    let world = World::new();
    let (image, _) = table(&BOARD);
    world.file("set/a & b.png", &encoded(image.clone(), ImageFormat::Png));
    let mut cards = centres(&BOARD);
    cards[4].code = "2srd".parse().unwrap(); // 2spo lies there
    cards[11].center = Point::new(1.0, 1.0); // 3fro lies elsewhere, without a label now
    write(&world, "set", vec![photo_label("a & b.png", &image, &[], cards)]);
    let json = check_json(&world, &["set"], 0);
    let doubts: Vec<[&Value; 3]> = json["doubtful"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| ["doubt", "labelled", "read"].map(|key| &d[key]))
        .collect();
    let expected = [
        [&json!("other_card"), &json!("2srd"), &json!("2spo")],
        [&json!("no_card"), &json!("3fro"), &Value::Null],
        [&json!("no_label"), &Value::Null, &json!("3fro")],
    ];
    assert_eq!(doubts, expected);
    assert!(json["doubtful"][0]["confidence"].as_f64().unwrap() > 0.6);

    let text = check(&world, &["set", "--report", "report"]).expect(0).stdout;
    assert!(text.contains("set/a & b.png: labelled 2srd at (130, 252), read 2spo ("), "{text}");
    assert!(text.contains("labelled 3fro at (1, 1), no card found there"), "{text}");
    assert!(text.contains("3fro found at "), "{text}");
    assert_eq!(world.names("report"), ["index.html", "pictures"]);
    let all = ["card.jpg", "input.png", "view.jpg"];
    let pictures = world.names("report/pictures");
    let counts = ["00001", "00002", "00003"]
        .map(|start| pictures.iter().filter(|name| name.starts_with(start)).count());
    assert_eq!(counts, [all.len(), 1, all.len()], "{pictures:?}");
    let page = std::fs::read_to_string(world.path().join("report/index.html")).unwrap();
    for part in [
        "set/a &amp; b.png",
        "<b>another card?</b> labelled 2srd, read 2s<em>p</em><em>o</em>",
        "<b>no card?</b> labelled 3fro",
        "<b>no label?</b> read 3fro",
        "Fewer than 10 are set off",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn labels_of_another_photo_and_at_other_places_are_wrong() {
    let world = World::new();
    let ((one, _), (two, _)) = (table(&BOARD), table(&OTHER));
    world.file("set/1.png", &encoded(one.clone(), ImageFormat::Png));
    world.file("set/2.png", &encoded(two.clone(), ImageFormat::Png));
    // The labels of 2.png stand at 1.png's name too.
    let swapped = photo_label("1.png", &one, &[], centres(&OTHER));
    write(&world, "set", vec![swapped, photo_label("2.png", &two, &[], centres(&OTHER))]);
    let text = check(&world, &["set"]).expect(1).stdout;
    assert!(text.contains("set/1.png: has the labels of set/2.png, it seems"), "{text}");
    assert!(text.contains("wrong: 1\n"), "{text}");

    let mut half = centres(&BOARD);
    for card in &mut half {
        card.center = card.center / 2.0;
    }
    write(&world, "set", vec![photo_label("1.png", &one, &[], half)]);
    let text = check(&world, &["set"]).expect(1).stdout;
    assert!(
        text.contains("its labels name the cards that lie there, but at other places"),
        "{text}"
    );
}

#[test]
fn crops_are_read_too() {
    let world = World::new();
    let mut labels = crops(&world);
    let json = check_json(&world, &["crops", "--report", "report"], 0);
    assert_eq!((&json["crops"], &json["cards"]), (&json!(7), &json!(7)));
    let doubts = json["doubtful"].as_array().unwrap();
    assert_eq!(doubts.len(), 1, "{doubts:#?}");
    assert_eq!((&doubts[0]["labelled"], &doubts[0]["read"]), (&json!("2fpo"), &json!("2fpd")));
    assert_eq!(world.names("report/pictures").len(), 3);

    world.file("crops/tiny.png", &encoded(bare_table(8, 8), ImageFormat::Png));
    world.file("crops/letter.png", b"Dear reader, I am no image.");
    let copy = std::fs::read(world.path().join("crops/1fgd.png")).unwrap();
    world.file("crops/copy.png", &copy);
    labels += "tiny.png,1fgd\nletter.png,1fgd\nlost.png,1fgd\ncopy.png,1fgo\n2spo.png,2spo\nx.png,1fgx\nshort\n";
    world.file("crops/labels.csv", labels.as_bytes());
    let text = check(&world, &["crops"]).expect(1).stdout;
    for part in [
        "crops/tiny.png: is 8x8 pixels, too small to hold a card; expected at least 16x16",
        "crops/letter.png: is not a picture",
        "crops/lost.png: is labelled but not there",
        "is the same picture as crops/",
        "line 13: 2spo.png is labelled twice",
        "line 14: x.png: \"1fgx\": 'x' at place 4",
        "line 15: short: \"\" has 0 characters",
        "wrong: 7",
    ] {
        assert!(text.contains(part), "no \"{part}\" in {text}");
    }
}

/// Of a card of which only the centre is labelled the finder knows the outline.
#[test]
fn labels_with_centres_alone_are_learnt_from() {
    let world = World::new();
    let (image, _) = table(&BOARD);
    world.file("set/a.png", &encoded(image.clone(), ImageFormat::Png));
    let mut cards = centres(&BOARD);
    cards[11].center = Point::new(1.0, 1.0);
    write(&world, "set", vec![photo_label("a.png", &image, &[], cards.clone())]);
    let train = ["train", "reader", "--out", "run", "--add", "set", "--drawn", "8", "--steps", "2"];
    let ran = world.run(&train).expect(0);
    assert!(ran.stderr.contains("set: 11 labelled cards"), "{}", ran.stderr);
    let line = ran.line_about("a.png");
    assert!(line.contains("a.png: 1 of its labelled cards not found near their centres"), "{line}");
    // Three looks at each card.
    assert!(ran.stderr.contains(" 33 crops"), "{}", ran.stderr);

    for (i, card) in cards.iter_mut().enumerate() {
        card.center = Point::new(1.0 + i as f64, 1.0);
    }
    write(&world, "set", vec![photo_label("a.png", &image, &[], cards)]);
    let train =
        ["train", "reader", "--out", "other", "--add", "set", "--drawn", "8", "--steps", "2"];
    let ran = world.run(&train).expect(1);
    assert!(ran.stderr.contains("none of the 12 labelled cards is found"), "{}", ran.stderr);
    assert!(!world.path().join("other").exists(), "nothing is begun");
}

fn convert(world: &World, from: &str) -> Ran {
    std::fs::remove_dir_all(world.path().join("out")).ok();
    world.run(&["dataset", "convert", from, "--out", "out"])
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn copy(folder: &Path, world: &World, to: &str, encode: fn(Vec<u8>) -> Vec<u8>) {
    for path in entries(folder) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let to = format!("{to}/{name}");
        if path.is_dir() {
            copy(&path, world, &to, encode);
        } else if !name.starts_with("expected.") {
            let bytes = match std::fs::read(&path).unwrap() {
                empty if empty.is_empty() => encoded(bare_table(64, 48), ImageFormat::Png),
                text => encode(text),
            };
            world.file(&to, &bytes);
        }
    }
}

fn pixel(point: Point) -> [i64; 2] {
    [point.x.round() as i64, point.y.round() as i64]
}

/// A card's code, its centre, and its corners if there are any, in pixels.
fn rounded(card: &CardLabel) -> Value {
    let corners = card.corners.map(|quad| quad.0.map(pixel));
    json!([card.code.to_string(), pixel(card.center), corners])
}

/// The labels that were written, by file.
fn written(world: &World) -> (&'static str, Map<String, Value>) {
    let out = world.path().join("out");
    if out.join("labels.csv").exists() {
        let crops = read_crop_labels(&out).unwrap().into_iter();
        return ("crops", crops.map(|crop| (crop.file, json!(crop.code.to_string()))).collect());
    }
    let photos = LabelFile::read(&out).unwrap().photos().unwrap();
    assert!(photos.iter().all(|photo| (photo.width, photo.height) == (64, 48)));
    let photos = photos.into_iter();
    (
        "photos",
        photos.map(|photo| (photo.file, photo.cards.iter().map(rounded).collect())).collect(),
    )
}

/// Whether the conversion is refused with all the words, and leaves nothing.
fn is_refused(world: &World, expected: &str) -> Result<(), String> {
    let (before, mut words) = (world.names("."), expected.lines());
    let ran = convert(world, "set");
    let is_as_expected = words.next() == Some(&ran.code.to_string())
        && words.all(|words| ran.stderr.contains(words))
        && ran.stdout.is_empty()
        && world.names(".") == before;
    if is_as_expected {
        Ok(())
    } else {
        Err(format!("exit {}: {}{}", ran.code, ran.stdout, ran.stderr))
    }
}

/// Whether the labels become what is expected, said to be of this form.
fn is_taken(world: &World, form: &str, mut expected: Value) -> Result<(), String> {
    let also = expected.as_object_mut().unwrap().remove("also_from").unwrap_or_default();
    let also = also.as_array().cloned().unwrap_or_default();
    let files = also.iter().map(|file| format!("set/{}", file.as_str().unwrap()));
    for from in files.chain(["set".to_owned()]) {
        let ran = convert(world, &from);
        if ran.code != 0 {
            return Err(ran.stderr);
        }
        let (kind, labels) = written(world);
        let mut got = json!({"stdout": ran.stdout.trim(), kind: labels});
        if let Some(lines) = expected["stderr"].as_array() {
            let printed = lines.iter().filter(|line| ran.stderr.contains(line.as_str().unwrap()));
            got["stderr"] = printed.cloned().collect();
        }
        if got != expected || !ran.stdout.trim().ends_with(&format!("from {form}")) {
            return Err(format!("{from} gives {got}\n{}", ran.stderr));
        }
    }
    Ok(())
}

#[test]
fn each_example_becomes_what_it_says_in_any_encoding() {
    let mut faults = Vec::new();
    for form in Format::ALL.map(|format| format.name) {
        for example in entries(&in_repository("tests/data/forms").join(form)) {
            let read = |name: &str| std::fs::read_to_string(example.join(name));
            for (i, encode) in ENCODINGS.into_iter().enumerate() {
                let world = World::new();
                copy(&example, &world, "set", encode);
                let outcome = match read("expected.txt") {
                    Ok(refusal) => is_refused(&world, &refusal),
                    Err(_) => {
                        let expected = read("expected.json").unwrap();
                        is_taken(&world, form, serde_json::from_str(&expected).unwrap())
                    }
                };
                faults.extend(outcome.err().map(|why| format!("{example:?}, {i}: {why}")));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn labels_json_is_read_in_any_encoding() {
    let world = World::new();
    copy(&in_repository("tests/data/forms/csv/centres"), &world, "set", |text| text);
    convert(&world, "set").expect(0);
    let labels = std::fs::read(world.path().join("out/labels.json")).unwrap();
    let before = written(&world);
    for encode in ENCODINGS {
        world.file("out/labels.json", &encode(labels.clone()));
        assert_eq!(written(&world), before);
    }
}

/// Nesting without end must not exhaust the stack.
#[test]
fn deep_xml_is_refused() {
    let world = World::new();
    world.file("set/a.xml", "<annotation>".repeat(200_000).as_bytes());
    is_refused(&world, "1\na.xml: is not valid XML").unwrap();
}

/// As `scan` does, it names a link that leads nowhere and goes on.
#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_left_out() {
    let world = World::new();
    copy(&in_repository("tests/data/forms/voc/box"), &world, "set", |text| text);
    for (link, target) in [("b.png", "gone.png"), ("loop", "loop")] {
        std::os::unix::fs::symlink(target, world.path().join("set").join(link)).unwrap();
    }
    let ran = convert(&world, "set").expect(0);
    let expected = "2 links lead nowhere and are left out, such as set/b.png";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    assert!(ran.stdout.contains("1 photos, 1 cards"), "{}", ran.stdout);
    std::fs::remove_dir_all(world.path().join("out")).unwrap();
    world.file("set/c.xml", b"<annotation><filename>b.png</filename></annotation>");
    is_refused(&world, "1\nset/c.xml: b.png is labelled but not there").unwrap();
    std::fs::remove_file(world.path().join("set/c.xml")).unwrap();
    std::os::unix::fs::symlink("gone", world.path().join("link")).unwrap();
    let ran = world.run(&["dataset", "convert", "set", "--out", "link"]).expect(1);
    assert!(ran.stderr.contains("link: cannot be written: it is a link"), "{}", ran.stderr);
}
