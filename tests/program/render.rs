//! What a user does with `setsight render`.

use crate::common::called::{program, stdout_of};
use crate::common::{Ran, Signal, Start};
use setsight_photo::labels::{LabelFile, PhotoLabel, check_photo_files};
use std::path::Path;
use std::process::Output;

fn render(folder: &Path, arguments: &[&str]) -> Output {
    program().arg("render").arg("--out").arg(folder).args(arguments).ended()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn labels_of(folder: &Path) -> Vec<PhotoLabel> {
    LabelFile::read(folder).unwrap().photos().unwrap()
}

#[test]
fn a_labelled_folder_is_drawn_and_drawn_alike_on_any_number_of_threads() {
    let home = tempfile::tempdir().unwrap();
    let (one, two) = (home.path().join("with space/eins"), home.path().join("zwei"));
    let common = ["--count", "4", "--seed", "9", "--size", "320x240", "--jobs"];
    let first = render(&one, &[&common[..], &["1"]].concat());
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert!(String::from_utf8_lossy(&first.stdout).starts_with("4 tables with "));
    assert!(String::from_utf8_lossy(&first.stdout).ends_with(", seed 9\n"));
    assert!(first.stderr.is_empty(), "no progress bar without a terminal");
    assert!(render(&two, &[&common[..], &["3"]].concat()).status.success());
    let files = names(&one);
    assert_eq!(
        files,
        ["labels.json", "mixed-0001.jpg", "mixed-0002.jpg", "mixed-0003.jpg", "mixed-0004.jpg"]
    );
    for file in &files {
        assert_eq!(
            std::fs::read(one.join(file)).unwrap(),
            std::fs::read(two.join(file)).unwrap(),
            "{file}"
        );
    }
    let labels = labels_of(&one);
    check_photo_files(&one, &labels).unwrap();
    for photo in &labels {
        let image = image::open(one.join(&photo.file)).unwrap();
        assert_eq!((image.width(), image.height()), (photo.width, photo.height));
    }
}

#[test]
fn another_deck_and_a_mirror_are_labelled() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("mine.json");
    let classic = include_str!("../../crates/game/decks/classic.json");
    std::fs::write(&file, classic.replace("\"classic\"", "\"mine\"")).unwrap();
    let common = ["--count", "1", "--kind", "plain", "--size", "96x72"];
    for (deck, name) in [("rectangles", "rectangles"), (file.to_str().unwrap(), "mine")] {
        let folder = home.path().join(name);
        let arguments = [&common[..], &["--deck", deck, "--mirrored"]].concat();
        assert!(render(&folder, &arguments).status.success());
        let labels = labels_of(&folder);
        assert_eq!((labels[0].deck.as_str(), labels[0].mirrored), (name, true));
    }
}

#[test]
fn a_longer_series_begins_like_a_shorter_one() {
    let home = tempfile::tempdir().unwrap();
    let (short, long) = (home.path().join("a"), home.path().join("b"));
    let common = ["--seed", "4", "--kind", "white", "--cards", "3", "--size", "200x160"];
    assert!(render(&short, &[&common[..], &["--count", "1"]].concat()).status.success());
    assert!(render(&long, &[&common[..], &["--count", "3"]].concat()).status.success());
    let first = "white-0001.jpg";
    assert_eq!(std::fs::read(short.join(first)).unwrap(), std::fs::read(long.join(first)).unwrap());
    for photo in labels_of(&long) {
        assert_eq!(photo.cards.len(), 3);
        assert!(photo.tags.iter().any(|t| t == "white_background"));
    }
}

/// Ctrl-C: what is drawn is labelled, and nothing is half-written.
#[test]
#[cfg(unix)]
fn a_run_that_is_stopped_leaves_a_sound_folder() {
    let home = tempfile::tempdir().unwrap();
    let arguments = ["--count", "1000000", "--size", "64x64"];
    let first = home.path().join("0000");
    let begun = || first.is_dir() && names(&first).len() >= 5;
    let message = stopped(home.path(), &arguments, begun);
    assert!(message.contains("of 1000000 tables drawn and labelled"), "{message}");
    let labels = labels_of(&first);
    check_photo_files(&first, &labels).unwrap();
    let pictures = names(&first).len() - 1;
    assert_eq!(labels.len(), pictures);
    for photo in &labels {
        image::open(first.join(&photo.file)).unwrap();
    }
}

#[test]
fn a_thousand_tables_fill_a_folder() {
    let home = tempfile::tempdir().unwrap();
    let folders = [("1000", vec![("", 1000)]), ("1001", vec![("0000", 1000), ("0001", 1)])];
    for (count, parts) in folders {
        let folder = home.path().join(count);
        let arguments = ["--count", count, "--kind", "plain", "--cards", "0", "--size", "32x32"];
        assert!(render(&folder, &arguments).status.success());
        for (part, photos) in parts {
            assert_eq!(labels_of(&folder.join(part)).len(), photos);
        }
        let mut measure = program();
        measure.args(["eval", "--reader", "classical", "--finder", "classical"]);
        let told = stdout_of(measure.arg(&folder).ended());
        assert!(told.starts_with(&format!("reader classical: {count} photos")), "{told}");
    }
}

/// A suite's parts lie in folders of their own. Drawing all of it would take minutes.
#[test]
#[cfg(unix)]
fn a_suite_is_labelled_part_by_part() {
    let home = tempfile::tempdir().unwrap();
    let part = home.path().join("heap-on-black");
    let begun = || part.is_dir() && !names(&part).is_empty();
    let message = stopped(home.path(), &["--suite", "hard", "--jobs", "1"], begun);
    assert!(message.contains("of 120 tables drawn and labelled"), "{message}");
    assert_eq!(names(home.path()).len(), 6);
    assert_eq!(LabelFile::read(&part).unwrap().source(), Some("heap-on-black"));
    let labels = labels_of(&part);
    check_photo_files(&part, &labels).unwrap();
    assert_eq!(labels[0].file, "heap-on-black-0001.jpg");
    assert_eq!(labels[0].cards.len(), 20);
    assert!(labels_of(&home.path().join("640x480")).is_empty());
}

/// Starts a run, interrupts it when it is far enough and returns what it said of that.
#[cfg(unix)]
fn stopped(folder: &Path, arguments: &[&str], far_enough: impl Fn() -> bool) -> String {
    let mut run = program()
        .args(["render", "--out"])
        .arg(folder)
        .args(arguments)
        .stderr(std::process::Stdio::piped())
        .started();
    run.until(far_enough);
    run.signal(Signal::INT);
    Ran::from(run.end()).expect(1).stderr
}
