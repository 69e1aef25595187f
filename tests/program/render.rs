//! What a user does with `setsight render`.

use crate::common::called::program;
use crate::common::{Ran, Signal, Start};
use setsight_photo::labels::{LabelFile, PhotoLabel, check_photo_files};
use std::path::Path;

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

/// Ctrl-C: what is drawn is labelled, and nothing is half-written.
#[test]
#[cfg(unix)]
fn a_run_that_is_stopped_leaves_a_sound_folder() {
    let home = tempfile::tempdir().unwrap();
    let arguments = ["--count", "1000000", "--size", "64x64"];
    let first = home.path().join("0000");
    let message = stopped(home.path(), &arguments, || first.is_dir() && names(&first).len() >= 5);
    assert!(message.contains("of 1000000 tables drawn and labelled"), "{message}");
    let labels = labels_of(&first);
    check_photo_files(&first, &labels).unwrap();
    let pictures = names(&first).len() - 1;
    assert_eq!(labels.len(), pictures);
    for photo in &labels {
        image::open(first.join(&photo.file)).unwrap();
    }
}

/// A suite's parts lie in folders of their own. Drawing all of it would take minutes.
#[test]
#[cfg(unix)]
fn a_suite_is_labelled_part_by_part() {
    let home = tempfile::tempdir().unwrap();
    let part = home.path().join("heap-on-black");
    let call = ["--suite", "hard", "--jobs", "1"];
    let message = stopped(home.path(), &call, || part.is_dir() && !names(&part).is_empty());
    assert!(message.contains("of 120 tables drawn and labelled"), "{message}");
    assert_eq!(names(home.path()).len(), 6);
    assert_eq!(LabelFile::read(&part).unwrap().source(), Some("heap-on-black"));
    let labels = labels_of(&part);
    check_photo_files(&part, &labels).unwrap();
    assert_eq!(labels[0].file, "heap-on-black-0001.jpg");
    assert_eq!(labels[0].cards.len(), 20);
    assert!(labels_of(&home.path().join("640x480")).is_empty());
}

/// Starts a run, interrupts it when it is far enough and returns its message.
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
