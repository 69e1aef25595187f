//! Floors on real photos: of what is used by default, and without networks. The photos belong to their authors and are no part
//! of the project: they are looked for in `../shared/photos`, or where SETSIGHT_PHOTOS says.

use crate::common::{World, photos};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Least per cent found, read right, claims right, and found on white; most false cards a photo.
struct Floors {
    found: f64,
    right: f64,
    claims: f64,
    found_on_white: f64,
    false_cards: f64,
}

/// Photos of another edition, which only a network tells from today's.
const OTHER_EDITION: &str = "stetelepta-setdetection";

/// The folders of photos, but for some.
fn folders_without(folder: &Path, left_out: Option<&str>) -> Vec<String> {
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let stays = |path: &PathBuf| left_out.is_none_or(|other| !path.ends_with(other));
    let folders = folders.filter(|path| path.join("labels.json").is_file()).filter(stays);
    let mut folders: Vec<String> =
        folders.map(|path| path.to_str().expect("a name in UTF-8").to_owned()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "no labelled photos in {}", folder.display());
    folders
}

fn holds(options: &[&str], left_out: Option<&str>, floors: &Floors) {
    let Some(folder) = photos() else { return };
    let folders = folders_without(&folder, left_out);
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    let call = [&["eval"], &folders[..], &["--format", "json"]].concat();
    let ran = World::new().run(&[&call[..], options].concat()).expect(0);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    eprintln!("{:#}", json["all"]);
    let figure = |group: &Value, key: &str| group[key].as_f64().unwrap();
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
