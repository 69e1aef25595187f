//! Floors on real photos: of what is used by default, and without networks. The photos belong to their authors and are no part
//! of the project: they are looked for in `../shared/photos`, or where SETSIGHT_PHOTOS says.
//!
//! And photos as phones make and send them: HEIC, AVIF, through a pipe, into a folder that is watched.

use crate::common::labelled::{labels, photo_label};
use crate::common::pictures::*;
use crate::common::{Ran, Running, Signal, Start, World, called, json_lines, photos};
use image::{ImageFormat, RgbImage, imageops};
use serde_json::{Value, json};
use setsight_photo::labels::LabelFile;
use std::path::Path;
use std::{process::Stdio, time::Duration};

/// Least per cent found, read right, claims right, and found on white; most false cards a photo.
struct Floors {
    found: f64,
    right: f64,
    claims: f64,
    found_on_white: f64,
    false_cards: f64,
}

/// Photos of another edition, which only a network distinguishes from today's.
const OTHER_EDITION: &str = "stetelepta-setdetection";

/// The folders of photos, but for some.
fn folders_without(folder: &Path, left_out: Option<&str>) -> Vec<String> {
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders
        .filter(|path| path.join("labels.json").is_file())
        .filter(|path| left_out.is_none_or(|other| !path.ends_with(other)));
    let mut folders: Vec<String> =
        folders.map(|path| path.to_str().expect("a name in UTF-8").to_owned()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "no labelled photos in {}", folder.display());
    folders
}

fn figure(group: &Value, key: &str) -> f64 {
    group[key].as_f64().unwrap()
}

fn holds(options: &[&str], left_out: Option<&str>, floors: &Floors) {
    let Some(folder) = photos() else { return };
    let folders = folders_without(&folder, left_out);
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    let call = [&["eval"], &folders[..], &["--format", "json"]].concat();
    let ran = World::new().run(&[&call[..], options].concat()).expect(0);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    eprintln!("{:#}", json["all"]);
    let white = &json["by_tag"]["white_background"];
    let at_least = [
        ("cards found", figure(&json["all"], "found_percent"), floors.found),
        ("read right", figure(&json["all"], "right_percent"), floors.right),
        ("claims right", figure(&json["all"], "claims_right_percent"), floors.claims),
        ("found on white", figure(white, "found_percent"), floors.found_on_white),
    ];
    for (name, value, floor) in at_least {
        assert!(value >= floor, "{name}: {value} %, expected at least {floor} %");
    }
    let false_cards = figure(&json["all"], "false_cards") / figure(&json["all"], "photos");
    let most = floors.false_cards;
    assert!(false_cards <= most, "{false_cards:.2} false cards a photo, expected at most {most}");
}

#[test]
fn the_classical_reader_holds_its_floors() {
    let options = ["--reader", "classical", "--finder", "classical"];
    let floors =
        Floors { found: 98.5, right: 97.7, claims: 99.0, found_on_white: 98.0, false_cards: 0.1 };
    holds(&options, Some(OTHER_EDITION), &floors);
}

#[test]
fn the_default_holds_its_floors() {
    let floors =
        Floors { found: 99.7, right: 98.3, claims: 99.8, found_on_white: 99.0, false_cards: 0.1 };
    holds(&[], None, &floors);
}

fn heic(image: &RgbImage) -> Vec<u8> {
    let options = heifer::EncodeOptions { quality: 92, max_threads: 1 };
    heifer::encode_rgb8(image.width(), image.height(), image, &options).unwrap()
}

/// Codes and corners, without what a coarser picture changes.
fn cards(line: &Value) -> Vec<(String, [[f64; 2]; 4])> {
    let cards = line["cards"].as_array().unwrap_or_else(|| panic!("{line}"));
    cards
        .iter()
        .map(|card| {
            let corners = serde_json::from_value(card["corners"].clone()).unwrap();
            (card["code"].as_str().unwrap().to_owned(), corners)
        })
        .collect()
}

fn sorted_codes(line: &Value) -> Vec<String> {
    let mut codes: Vec<String> = cards(line).into_iter().map(|card| card.0).collect();
    codes.sort();
    codes
}

#[track_caller]
fn same_cards(a: &Value, b: &Value) {
    let (a, b) = (cards(a), cards(b));
    assert_eq!(a.len(), b.len());
    for ((code, corners), (other, other_corners)) in a.iter().zip(&b) {
        assert_eq!(code, other);
        for (p, q) in corners.as_flattened().iter().zip(other_corners.as_flattened()) {
            assert!((p - q).abs() < 4.0, "{code}: {corners:?} {other_corners:?}");
        }
    }
}

#[test]
fn a_folder_of_a_phone_gives_boards() {
    let world = World::new();
    let (image, _) = table(&BOARD);
    world.file("camera/1.jpg", &encoded(image.clone(), ImageFormat::Jpeg));
    world.file("camera/2.HEIC", &heic(&image));
    world.file("camera/3.jpg", &heic(&imageops::rotate180(&image))); // Whatever it is called.
    world.file("camera/4.hif", &heic(&image));
    let lines = world.run(&["scan", "camera", "--format", "json"]).expect(0).json();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["sets"], json!(BOARD_SETS));
    for i in [1, 3] {
        same_cards(&lines[0], &lines[i]);
        assert_eq!(lines[i]["sets"], lines[0]["sets"]);
    }
    assert_eq!(sorted_codes(&lines[2]), sorted_codes(&lines[0]));
}

#[test]
fn labels_of_a_heic_are_measured_as_those_of_a_jpeg() {
    let world = World::new();
    let (image, _) = table(&BOARD);
    let folder = world.file("labelled/a.heic", &heic(&image));
    let photo = photo_label("a.heic", &image, &[], labels(&BOARD));
    LabelFile::create(folder.parent().unwrap(), None, &[photo]).unwrap();
    let figures = world.run(&["eval", "labelled", "--format", "json"]).expect(0).json().remove(0);
    assert_eq!(figures["all"]["right"], 12);
    assert_eq!(figures["all"]["perfect_boards"], 1);
}

#[test]
fn a_photo_that_is_cut_off_or_enormous_costs_itself_alone() {
    let world = World::new();
    let complete = heic(&table(&BOARD).0);
    world.file("camera/a.heic", &complete[..complete.len() / 2]);
    let mut huge = complete.clone();
    for at in 0..huge.len() - 16 {
        if &huge[at..at + 4] == b"ispe" {
            huge[at + 8..at + 16].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x40, 0]);
        }
    }
    world.file("camera/b.heic", &huge);
    world.file("camera/c.heic", &complete);
    let ran = world.run(&["scan", "camera"]).expect(1);
    assert!(
        ran.line_about("a.heic").contains("cut off: the HEIC data end before"),
        "{}",
        ran.stderr
    );
    assert!(ran.line_about("b.heic").contains("16384x16384, 269 megapixels; at most 64"));
    assert!(ran.stdout.starts_with("camera/c.heic: 12 cards, 6 sets\n"), "{}", ran.stdout);
}

/// A box of ISO's file format.
fn boxed(kind: &[u8], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
}

fn full_box(kind: &[u8], version: u8, content: &[u8]) -> Vec<u8> {
    boxed(kind, &[&[version, 0, 0, 0], content].concat())
}

#[test]
fn an_avif_without_its_decoder_says_how_to_get_it() {
    let world = World::new();
    // A file by the book up to its pixels: type, handler, one item of AV1 and its size.
    let ispe = full_box(b"ispe", 0, &[0, 0, 0, 64, 0, 0, 0, 64]);
    let infe = full_box(b"infe", 2, b"\0\x01\0\0av01\0");
    let properties = boxed(
        b"iprp",
        &[boxed(b"ipco", &ispe), full_box(b"ipma", 0, &[0, 0, 0, 1, 0, 1, 1, 0x81])].concat(),
    );
    let meta = full_box(
        b"meta",
        0,
        &[
            full_box(b"hdlr", 0, b"\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0"),
            full_box(b"pitm", 0, &[0, 1]),
            full_box(b"iinf", 0, &[&[0, 1], &infe[..]].concat()),
            // Its data: the first eight bytes of the file, which are no AV1.
            full_box(b"iloc", 0, &[0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8]),
            properties,
        ]
        .concat(),
    );
    world.file("a.avif", &[boxed(b"ftyp", b"avif\0\0\0\0mif1"), meta].concat());
    let output = world.command(&["scan", "a.avif"]).env("PATH", world.path()).ended();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("AVIF picture, which the program ffmpeg decodes"), "{errors}");
    assert!(errors.contains("sudo apt install ffmpeg"), "{errors}");
}

#[test]
fn one_photo_comes_through_a_pipe() {
    let world = World::new();
    let jpeg = encoded(table(&BOARD).0, ImageFormat::Jpeg);
    let ran = world.command(&["scan", "-", "-f", "json", "-o", "made"]).fed(&jpeg);
    let output = called::stdout_of(ran);
    let line = json_lines(&output).remove(0);
    assert_eq!((&line["image"], &line["sets"]), (&json!("-"), &json!(BOARD_SETS)));
    assert!(world.path().join("made/stdin.jpg").exists());
}

/// A watching program.
struct Watcher(Running);

impl Watcher {
    fn start(world: &World, args: &[&str]) -> Self {
        let mut command = world.command(&[&["scan", "--watch", "-f", "json"][..], args].concat());
        Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).started())
    }

    /// The next line that it prints.
    #[track_caller]
    fn next(&mut self) -> Value {
        let line = self.0.line();
        serde_json::from_str(&line).expect(&line)
    }

    /// Ends it as Ctrl-C does.
    fn end(self) -> Ran {
        self.0.signal(Signal::INT);
        self.0.end().into()
    }
}

#[cfg(unix)]
#[test]
fn what_comes_into_a_watched_folder_is_read_once_complete() {
    let world = World::new();
    let jpeg = encoded(table(&BOARD).0, ImageFormat::Jpeg);
    world.file("camera/1.jpg", &jpeg);
    let mut watcher = Watcher::start(&world, &["camera", "--out", "camera/found"]);
    assert_eq!(watcher.next()["image"], "camera/1.jpg");
    // It comes in pieces, with a pause: only the complete file is reported, not what was made of its first part.
    for part in 1..=6 {
        world.file("camera/2.jpg", &jpeg[..jpeg.len() * part / 6]);
        std::thread::sleep(Duration::from_millis(if part == 3 { 2_500 } else { 300 }));
    }
    let line = watcher.next();
    assert_eq!((&line["image"], &line["sets"]), (&json!("camera/2.jpg"), &json!(BOARD_SETS)));
    // What stays incomplete is reported, and read again when it has changed.
    world.file("camera/3.jpg", &jpeg[..jpeg.len() / 2]);
    assert!(watcher.next()["error"].as_str().unwrap().contains("cut off"));
    world.file("camera/3.jpg", &jpeg);
    assert_eq!(watcher.next()["sets"], json!(BOARD_SETS));
    let errors = watcher.end().expect(1).stderr;
    assert!(
        errors.contains("watching camera; Ctrl-C ends it") && errors.contains("3.jpg: is cut off")
    );
    let page = std::fs::read_to_string(world.path().join("camera/found/index.html")).unwrap();
    assert!(page.contains("4 photos"), "{page}");
}
