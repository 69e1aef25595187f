//! The floors of the classical reader on real photos. They belong to their authors and are no part
//! of the project: they are looked for in `../shared/photos`, or where SETSIGHT_PHOTOS says.

#![cfg(feature = "vision")]

mod common;

use common::World;
use serde_json::Value;
use std::path::PathBuf;

/// The folder of photos, if there is one.
fn photos() -> Option<PathBuf> {
    let named = std::env::var_os("SETSIGHT_PHOTOS").map(PathBuf::from);
    let usual = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/photos");
    let folder = named.clone().unwrap_or_else(usual);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(named.is_none(), "SETSIGHT_PHOTOS: no folder {}", folder.display());
    eprintln!("skipped: no photos in {}; SETSIGHT_PHOTOS names another folder", folder.display());
    None
}

#[test]
fn the_classical_reader_holds_its_floors() {
    let Some(folder) = photos() else { return };
    let ran = World::new().run(&["eval", folder.to_str().unwrap(), "--format", "json"]).expect(0);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    eprintln!("{:#}", json["all"]);
    let figure = |group: &Value, key: &str| group[key].as_f64().unwrap();
    let white = &json["by_tag"]["white_background"];
    let at_least = [
        ("cards found", figure(&json["all"], "found_percent"), 99.3),
        ("read right", figure(&json["all"], "right_percent"), 94.0),
        ("claims right", figure(&json["all"], "claims_right_percent"), 97.0),
        ("found on white", figure(white, "found_percent"), 98.0),
    ];
    for (name, value, floor) in at_least {
        assert!(value >= floor, "{name}: {value} %, expected at least {floor} %");
    }
    let false_cards = figure(&json["all"], "false_cards") / figure(&json["all"], "photos");
    assert!(false_cards <= 0.1, "{false_cards:.2} false cards a photo, expected at most 0.1");
}
