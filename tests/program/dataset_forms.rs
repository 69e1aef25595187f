//! `setsight dataset convert`: each form of labels, and each oddity of their files, by the made-up examples in
//! `tests/data/forms`, which the tables in docs/reference/labels.md name. `FORM/ODDITY` is what is converted; a
//! picture without a byte stands there for a photo of 64x48 pixels. Its `expected.json` says what becomes of it;
//! its `expected.txt` holds the exit code of a refusal and then the words, a line each.

use crate::common::{Ran, World, pictures::*};
use image::ImageFormat;
use serde_json::{Map, Value, json};
use setsight_labels::convert::Format;
use setsight_photo::labels::{CardLabel, LabelFile, read_crop_labels};
use setsight_testkit::in_repository;
use std::path::{Path, PathBuf};

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

/// Text as it is, and as editors and spreadsheets of Windows write it.
const ENCODINGS: [fn(Vec<u8>) -> Vec<u8>; 4] = [
    |text| text,
    |text| [b"\xef\xbb\xbf", &text[..]].concat(),
    |text| utf16(&text, u16::to_le_bytes),
    |text| utf16(&text, u16::to_be_bytes),
];

fn utf16(text: &[u8], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let text = std::str::from_utf8(text).unwrap();
    format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
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

/// A card's code, its centre, and its corners if they are told, in whole pixels.
fn told(card: &CardLabel) -> Value {
    let whole = |v: f64| v.round() as i64;
    let corners = card.corners.map(|quad| quad.0.map(|p| [whole(p.x), whole(p.y)]));
    json!([card.code.to_string(), [whole(card.center.x), whole(card.center.y)], corners])
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
    let cards = |cards: &[CardLabel]| cards.iter().map(told).collect();
    ("photos", photos.into_iter().map(|photo| (photo.file, cards(&photo.cards))).collect())
}

/// Whether the conversion is refused with all the words, and leaves nothing.
fn is_refused(world: &World, expected: &str) -> Result<(), String> {
    let (before, mut words) = (world.names("."), expected.lines());
    let ran = convert(world, "set");
    let as_told = words.next() == Some(&ran.code.to_string())
        && words.all(|words| ran.stderr.contains(words))
        && ran.stdout.is_empty()
        && world.names(".") == before;
    if as_told { Ok(()) } else { Err(format!("exit {}: {}{}", ran.code, ran.stdout, ran.stderr)) }
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
            let said = |line: &&Value| ran.stderr.contains(line.as_str().unwrap());
            got["stderr"] = lines.iter().filter(said).cloned().collect();
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
fn own_labels_are_read_in_any_encoding() {
    let world = World::new();
    copy(&in_repository("tests/data/forms/csv/centres"), &world, "set", |text| text);
    convert(&world, "set").expect(0);
    let own = std::fs::read(world.path().join("out/labels.json")).unwrap();
    let before = written(&world);
    for encode in ENCODINGS {
        world.file("out/labels.json", &encode(own.clone()));
        assert_eq!(written(&world), before);
    }
}

/// Nesting without end must not exhaust the stack.
#[test]
fn deep_xml_is_refused() {
    let world = World::new();
    world.file("set/a.xml", "<annotation>".repeat(200_000).as_bytes());
    is_refused(&world, "1\na.xml: is no XML as it should be").unwrap();
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_refused() {
    let world = World::new();
    copy(&in_repository("tests/data/forms/voc/box"), &world, "set", |text| text);
    std::os::unix::fs::symlink("gone.png", world.path().join("set/b.png")).unwrap();
    is_refused(&world, "1\nset/b.png: cannot be read").unwrap();
}
