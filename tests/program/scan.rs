//! `setsight scan` as a user calls it, and one that goes on after a kill.

use crate::common::pictures::{bare_table, encoded, *};
use crate::common::{Ran, Start, World, json_lines};
use image::ImageFormat;
use serde_json::Value;
use std::{fs, io::Write, process::Stdio};

fn world_with_board() -> World {
    let world = World::new();
    world.file("table.jpg", &encoded(table(&BOARD).0, ImageFormat::Jpeg));
    world
}

fn codes(line: &Value) -> Vec<String> {
    let cards = line["cards"].as_array().unwrap();
    cards.iter().map(|card| card["code"].as_str().unwrap().to_owned()).collect()
}

fn points(card: &Value) -> [(f64, f64); 4] {
    serde_json::from_value(card["corners"].clone()).unwrap()
}

fn distance((x, y): (f64, f64), (u, v): (f64, f64)) -> f64 {
    (x - u).hypot(y - v)
}

#[test]
fn a_board_is_read_as_it_lies() {
    let ran = world_with_board().run(&["scan", "table.jpg"]).expect(0);
    assert_eq!(ran.stderr, "");
    assert!(!ran.stdout.contains('\x1b'), "no colours into a pipe");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "table.jpg: 12 cards, 6 sets");
    // Three rows of four: numbers above each.
    let numbers: Vec<Vec<&str>> = [1, 7, 13].map(|i| lines[i].split_whitespace().collect()).into();
    assert_eq!(numbers, [["1", "2", "3", "4"], ["5", "6", "7", "8"], ["9", "10", "11", "12"]]);
    let first = "set 1: 1 one filled green diamond, 2 two filled green diamonds, 3 three filled green diamonds";
    assert_eq!(lines[19], first);
    assert_eq!(lines.len(), 19 + 6);
}

#[test]
fn json_says_what_lies_where() {
    let (image, places) = table(&BOARD);
    let world = World::new();
    world.file("table.png", &encoded(image.clone(), ImageFormat::Png));
    let line = &world.run(&["scan", "table.png", "--format", "json"]).expect(0).json()[0];
    assert_eq!(line["image"], "table.png");
    assert_eq!(
        (line["width"].as_u64(), line["height"].as_u64()),
        (Some(image.width().into()), Some(image.height().into()))
    );
    assert_eq!(codes(line), BOARD.concat());
    assert_eq!(line["sets"], serde_json::json!(BOARD_SETS));
    for (card, (left, top)) in line["cards"].as_array().unwrap().iter().zip(places) {
        assert_eq!(card["unsure"], false);
        assert!((0.5..=1.0).contains(&card["confidence"].as_f64().unwrap()));
        let [a, b, c, d] = points(card);
        assert!(distance(a, b) > distance(b, c), "the first edge is a long side");
        let turn = (b.0 - a.0) * (c.1 - b.1) - (b.1 - a.1) * (c.0 - b.0);
        assert!(turn > 0.0, "clockwise");
        let centre = ((a.0 + b.0 + c.0 + d.0) / 4.0, (a.1 + b.1 + c.1 + d.1) / 4.0);
        let expected =
            (f64::from(left + CARD_PX / 2), f64::from(top) + f64::from(CARD_PX) * 57.0 / 178.0);
        assert!(distance(centre, expected) < 8.0, "{centre:?} {expected:?}");
    }
    let stages: Vec<&String> = line["stage_ms"].as_object().unwrap().keys().collect();
    assert_eq!(stages, ["load", "segment", "rectify", "facts", "classify", "board", "sets"]);
}

#[test]
fn a_photo_held_sideways_is_turned_upright() {
    let (image, _) = table(&BOARD);
    let (width, height) = image.dimensions();
    let world = World::new();
    // The camera was turned: the file holds the table lying on its side.
    world.file("held.jpg", &jpeg_held(image::imageops::rotate270(&image), 6));
    let line = &world.run(&["scan", "held.jpg", "--format", "json"]).expect(0).json()[0];
    assert_eq!(codes(line), BOARD.concat());
    assert_eq!(
        (line["width"].as_u64(), line["height"].as_u64()),
        (Some(width.into()), Some(height.into()))
    );
}

#[test]
fn results_go_to_a_folder_with_a_page() {
    let world = World::new();
    let board = encoded(table(&BOARD).0, ImageFormat::Jpeg);
    // Two photos of one name, and what is no photo.
    world.file("photos/monday/table.jpg", &board);
    world.file("photos/tuesday/table.jpg", &encoded(bare_table(640, 480), ImageFormat::Jpeg));
    world.file("photos/notes.txt", b"not a photo");
    let args =
        ["scan", "photos", "--recursive", "--format", "json", "--out", "photos/out", "--codes"];
    let ran = world.run(&args).expect(0);
    let names = ["index.html", "results.jsonl", "table-2.jpg", "table.jpg", "thumbnails"];
    assert_eq!(world.names("photos/out"), names);
    assert_eq!(lines_without_origin(&world, "photos/out/results.jsonl"), ran.json());
    let page = std::fs::read_to_string(world.path().join("photos/out/index.html")).unwrap();
    for part in [
        "12 cards",
        "6 sets",
        "no cards found",
        "two filled green diamonds",
        "thumbnails/table-2.jpg",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Each set has its drawn cards, whose names are for screen readers alone, and what lights them up on the picture.
    assert!(!page.contains("diamonds, "), "{page}");
    assert_eq!(page.matches("<button").count(), BOARD_SETS.len());
    assert_eq!(page.matches("<path class=\"dim\"").count(), BOARD_SETS.len());
    assert!(page.contains("<use href=\"#d0-") && !page.contains("http"), "{page}");
    // The photo keeps its place in the annotated picture, with a legend below.
    let (photo, _) = table(&BOARD);
    let drawn = image::open(world.path().join("photos/out/table.jpg")).unwrap().into_rgb8();
    assert!(drawn.width() == photo.width() && drawn.height() > photo.height());
    let small = image::open(world.path().join("photos/out/thumbnails/table.jpg")).unwrap();
    let height = f64::from(small.width() * photo.height()) / f64::from(photo.width());
    assert_eq!(f64::from(small.height()), height.round(), "the page lists the sets itself");
    // Again: the results are not taken for photos, and nothing is read, though all is printed.
    let again = world.run(&args).expect(0);
    assert_eq!(again.stdout, ran.stdout);
    assert!(again.stderr.contains("2 read by an earlier run"), "{}", again.stderr);
    assert_eq!(std::fs::read_to_string(world.path().join("photos/out/index.html")).unwrap(), page);
}

#[test]
fn order_and_results_do_not_depend_on_jobs() {
    let world = World::new();
    let board = encoded(table(&BOARD).0, ImageFormat::Jpeg);
    for i in 1..=12 {
        let bytes = if i % 3 == 0 { board.clone() } else { small_png() };
        world.file(&format!("photos/photo {i}.jpg"), &bytes);
    }
    let run = |jobs| -> Vec<Value> {
        let ran = world.run(&["scan", "photos", "--format", "json", "--jobs", jobs]).expect(0);
        ran.json().into_iter().map(without_times).collect()
    };
    let one = run("1");
    let images: Vec<&str> = one.iter().map(|line| line["image"].as_str().unwrap()).collect();
    let expected: Vec<String> = (1..=12).map(|i| format!("photos/photo {i}.jpg")).collect();
    assert_eq!(images, expected, "2 before 10");
    assert_eq!(one, run("4"));
}

#[test]
fn every_stage_can_be_looked_at() {
    let world = world_with_board();
    // The finder with a network has other pictures in the second and third place.
    let args = "scan . --recursive --format json --dump-stages stages --finder classical";
    let args: Vec<&str> = args.split(' ').collect();
    world.run(&args).expect(0);
    // Again: these pictures are not taken for photos.
    assert_eq!(world.run(&args).expect(0).json().len(), 1);
    let names = [
        "1-load.png",
        "2-maps.png",
        "3-symbols.png",
        "4-contours.png",
        "5-segment.png",
        "6-rectify.png",
        "7-facts.png",
        "8-classify.png",
        "9-board.png",
    ];
    assert_eq!(world.names("stages/table"), names);
    for name in names {
        image::open(world.path().join("stages/table").join(name)).unwrap();
    }
}

#[test]
fn a_mirrored_picture_is_read_as_it_lies_on_the_table() {
    let world = world_with_board();
    let mirrored = image::imageops::flip_horizontal(&table(&BOARD).0);
    world.file("mirrored.jpg", &encoded(mirrored, ImageFormat::Jpeg));
    // By the reader of photos: so clean a picture passes for a screenshot, and what apps draw has no
    // handedness to go by.
    let photo = ["--reader", "neural"];
    let call = [&["scan", "table.jpg", "mirrored.jpg", "--format", "json"][..], &photo].concat();
    let [plain, mirror] = &json_lines(&world.run(&call).expect(0).stdout)[..] else {
        panic!("a line for each photo");
    };
    assert_eq!((&plain["mirrored"], &mirror["mirrored"]), (&false.into(), &true.into()));
    // Each row the other way round.
    let rows = codes(plain);
    let expected: Vec<String> = rows.chunks(4).flat_map(|row| row.iter().rev().cloned()).collect();
    assert_eq!(codes(mirror), expected);
    let text = world.run(&[&["scan", "mirrored.jpg"][..], &photo].concat()).expect(0).stdout;
    assert!(text.lines().next().unwrap().ends_with("a mirrored picture"), "{text}");
    let call = ["scan", "mirrored.jpg", "--mirrored", "no", "--format", "json"];
    let call = [&call[..], &photo].concat();
    let forced = &json_lines(&world.run(&call).expect(0).stdout)[0];
    assert_eq!(forced["mirrored"], false);
    assert_ne!(codes(forced), expected, "squiggles pass for ovals");
}

/// A world with a few pictures, each of another size, by names that a program might split badly.
fn photos() -> World {
    let world = World::new();
    let names = ["10.jpg", "2.jpg", "kitchen/10.jpg", "kitchen/ü é.jpg", "zoo/1.jpg"]
        .into_iter()
        .zip(240..);
    for (name, width) in names {
        let picture = encoded(bare_table(width, 200), ImageFormat::Jpeg);
        world.file(&format!("photos/{name}"), &picture);
    }
    world.file("photos/zoo/broken.jpg", b"no photo");
    world
}

/// Fast, and the same on every machine.
const READ: &str = "--reader classical --finder classical --jobs 1";
const SCAN: &str = "scan photos --recursive --format json";

fn run(world: &World, args: &str) -> Ran {
    world.run(&args.split_whitespace().collect::<Vec<_>>())
}

fn lines_of(world: &World, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(world.path().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn without_times(mut line: Value) -> Value {
    line.as_object_mut().unwrap().remove("stage_ms");
    line
}

/// Runs a command and kills it, so that it cannot tidy up, once a file has so many lines.
fn kill_at(world: &World, args: &str, file: &str, lines: usize) {
    let args: Vec<&str> = args.split_whitespace().collect();
    let mut command = world.command(&args);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).started();
    let path = world.path().join(file);
    run.until(|| {
        let written = fs::read(&path).unwrap_or_default();
        written.iter().filter(|&&byte| byte == b'\n').count() >= lines
    });
    run.kill();
}

/// The lines of a folder of results, as they are printed.
fn lines_without_origin(world: &World, name: &str) -> Vec<Value> {
    let mut lines = lines_of(world, name);
    lines.iter_mut().for_each(|line| drop(line.as_object_mut().unwrap().remove("origin")));
    lines
}

#[test]
fn a_killed_scan_goes_on() {
    let world = photos();
    // So many that it is not done before it is killed.
    let photo = fs::read(world.path().join("photos/10.jpg")).unwrap();
    for number in 0..30 {
        world.file(&format!("photos/many/{number}.jpg"), &photo);
    }
    let call = format!("{SCAN} {READ} --out out");
    kill_at(&world, &call, "out/results.partial.jsonl", 3);
    let partial = world.path().join("out/results.partial.jsonl");
    let done = lines_of(&world, "out/results.partial.jsonl").len();
    assert!((3..36).contains(&done), "{done}");
    // The kill may have cut off a line.
    let mut file = fs::OpenOptions::new().append(true).open(&partial).unwrap();
    file.write_all(b"{\"version\":1,\"image\":\"photos/ki").unwrap();
    let ran = run(&world, &call).expect(1);
    assert!(ran.stderr.contains(&format!("{done} read by an earlier run")), "{}", ran.stderr);
    assert!(!partial.exists());
    let plain = run(&world, &format!("{SCAN} {READ}")).json();
    let plain: Vec<Value> = plain.into_iter().map(without_times).collect();
    for lines in [ran.json(), lines_without_origin(&world, "out/results.jsonl")] {
        assert_eq!(lines.into_iter().map(without_times).collect::<Vec<_>>(), plain);
    }
    // What could not be read is tried again, and shows in the exit code.
    let again = run(&world, &call).expect(1);
    assert!(again.stderr.contains("35 read by an earlier run"), "{}", again.stderr);
    assert!(again.stderr.contains("broken.jpg"), "{}", again.stderr);
}
