//! Files that somebody has bent, thousands of them, for everything that reads what others have made (`fuzz/` has
//! the same targets for a fuzzer that looks into the program).
//!
//! `SETSIGHT_MUTANTS=1000000` runs so many for each target, `SETSIGHT_MUTANTS_OF=photo` one target alone,
//! `SETSIGHT_MUTANTS_SECONDS=600` no longer than that for each, and `SETSIGHT_MUTANTS_SEED=2` others.

#[path = "../../fuzz/src/lib.rs"]
mod targets;

use crate::common::pictures::{bare_table, encoded};
use image::{DynamicImage, ImageFormat, RgbaImage, imageops};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use setsight_live::films::AviWriter;
use setsight_nets::engine::Models;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use targets::TARGETS;

/// How many of each where nothing else is asked for. Loading a network takes milliseconds.
fn usual(target: &str) -> u64 {
    if target == "onnx" { 60 } else { 400 }
}

fn read(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read(path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What the mutants of a target are bent from.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let table = bare_table(64, 48);
    let jpeg = || encoded(table.clone(), ImageFormat::Jpeg);
    match target {
        "photo" => {
            let mut files: Vec<Vec<u8>> = [
                ImageFormat::Jpeg,
                ImageFormat::Png,
                ImageFormat::WebP,
                ImageFormat::Bmp,
                ImageFormat::Tiff,
            ]
            .map(|format| encoded(table.clone(), format))
            .into();
            let deep = DynamicImage::ImageRgb8(table.clone()).into_rgba16();
            files.push(encoded(deep, ImageFormat::Png));
            files.push(encoded(RgbaImage::new(40, 40), ImageFormat::WebP));
            files.push(encoded(DynamicImage::new_luma_a8(40, 40), ImageFormat::Png));
            files.push(encoded(imageops::grayscale(&table), ImageFormat::Jpeg));
            files.push(crate::common::pictures::cmyk_jpeg());
            let options = heifer::EncodeOptions { quality: 60, max_threads: 1 };
            files.push(heifer::encode_rgb8(64, 48, &table, &options).unwrap());
            // Wider than a tile.
            let wide = bare_table(528, 16);
            files.push(heifer::encode_rgb8(528, 16, &wide, &options).unwrap());
            files
        }
        "photo_labels" => vec![read("datasets/samples/labels.json"), LABELS.as_bytes().to_vec()],
        "crop_labels" => vec![b"file,code\n1.jpg,2spd\n\"a, b.jpg\",1ogo\n".to_vec()],
        "foreign_labels" => FOREIGN_LABELS.map(|text| text.as_bytes().to_vec()).into(),
        "deals" => {
            let cards: Vec<String> = setsight::cards::Card::deck().map(|c| c.to_string()).collect();
            let some = cards[..15].join("\n");
            vec![format!("2\n15\n{some}\n81\n{}\n", cards.join("\n")).into_bytes()]
        }
        "codes" => vec![b"2spd".to_vec(), b"1ogo".to_vec(), read("crates/game/decks/classic.json")],
        "onnx" => ["reader.onnx", "finder.onnx", "refiner.onnx"]
            .map(|name| Models::Shipped.read(name).unwrap().into_owned())
            .into(),
        "fusion" => vec![Models::Shipped.read("fusion.json").unwrap().into_owned()],
        "settings" => vec![SETTINGS.as_bytes().to_vec(), b"{}".to_vec()],
        "avi" => {
            let mut film = AviWriter::new(Cursor::new(Vec::new()), (64, 48), 10.0, 80).unwrap();
            for _ in 0..3 {
                film.frame(&table).unwrap();
            }
            vec![film.finish().unwrap().into_inner()]
        }
        "mjpeg" => {
            let head = b"--b\r\nContent-Type: image/jpeg\r\nContent-Length: 100\r\n\r\n";
            vec![[&head[..], &jpeg(), b"\r\n", head, &jpeg(), b"\r\n"].concat()]
        }
        other => panic!("{other}: what are its mutants to be bent from?"),
    }
}

/// One of each form: YOLO, a table, Pascal VOC, COCO, LabelMe, Create ML, Label Studio twice; words.
const FOREIGN_LABELS: [&str; 9] = [
    "0 0.5 0.5 0.2 0.2\n1 0.2 0.2 0.8 0.25 0.75 0.8 0.15 0.7\n",
    "filename;width;height;class;xmin;ymin;xmax;ymax\na.png;64;48;2spd;10,5;20;30;30\n",
    "<annotation><filename>a.png</filename><size><width>64</width><height>48</height></size><object>\
     <name>2spd</name><bndbox><xmin>10</xmin><ymin>20</ymin><xmax>30</xmax><ymax>30</ymax></bndbox>\
     </object></annotation>",
    r#"{"images":[{"id":1,"file_name":"a.png","width":64}],"categories":[{"id":1,"name":"2spd"}],
     "annotations":[{"image_id":1,"category_id":1,"bbox":[1,2,3,4],"segmentation":[[1,2,3,4,5,6]],
     "keypoints":[1,2,2,3,4,2,5,6,1,7,8,2]}]}"#,
    r#"{"imagePath":"a.png","shapes":[{"label":"2spd","points":[[1,2],[3,4]],"shape_type":"circle"}]}"#,
    r#"[{"image":"a.png","annotations":[{"label":"2spd","coordinates":
     {"x":20,"y":25,"width":20,"height":10}}]}]"#,
    r#"[{"data":{"image":"/data/local-files/?d=a.png"},"annotations":[{"result":[{"id":"r",
     "original_width":64,"original_height":48,"value":{"x":1,"y":2,"width":30,"height":20,"rotation":30,
     "rectanglelabels":["2spd"]}}]}]}]"#,
    "image,id,label,annotator,annotation_id\na.png,7,\"[{\"\"x\"\":1,\"\"y\"\":2,\"\"original_width\"\":64,\
     \"\"original_height\"\":48,\"\"keypointlabels\"\":[\"\"2spd\"\"]}]\",1,3\n",
    "# words\nchequered,striped\nclass17,2spd\nphoto,-\n",
];

const LABELS: &str = r#"{"photos": [{"file": "a.jpg", "width": 64, "height": 48, "tags": ["unchecked"],
  "deck": "rectangles", "mirrored": true, "cards": [{"code": "2spd", "center": [10.5, 20], "corners":
  [[0, 0], [20, 0], [20, 40], [0, 40]], "said_by": "reader"}, {"code": "1ogo", "center": [1, 2],
  "corners": null}]}]}"#;

const SETTINGS: &str = r#"{"brightness": "dark", "palette": "tol", "scale": 1.5, "letters": true, "codes": false,
  "recent": ["/a", "b"], "size": [800.0, 600.0], "cameras": {"a": {"quarters": 1, "mirrored": true}}}"#;

/// What breaks parsers more often than chance does.
const WORDS: [&[u8]; 16] = [
    &[0; 4],
    &[0xff; 4],
    &[0x7f, 0xff, 0xff, 0xff],
    &[0xff, 0xff, 0xff, 0x7f],
    &[0x80, 0, 0, 0],
    &[0, 0, 0, 0x80],
    &[0xff, 0xd8, 0xff],
    &[0xff, 0xd9],
    &[0xff, 0xc2],
    &[0x1b, b'['],
    b"1e999",
    b"-1",
    b"null",
    b"[[[[[[[[[[[[[[[[",
    b"{\"a\":",
    b"\"\\ud800\"",
];

fn bent(seeds: &[Vec<u8>], random: &mut Pcg64Mcg) -> Vec<u8> {
    let mut bytes = seeds[random.random_range(0..seeds.len())].clone();
    for _ in 0..1 << random.random_range(0..5u32) {
        if bytes.is_empty() {
            bytes.push(random.random());
        }
        let at = random.random_range(0..bytes.len());
        // Heads are where most is decided.
        let at = if random.random_bool(0.5) { at } else { at % 64.min(bytes.len()) };
        let end = (at + random.random_range(1..40usize)).min(bytes.len());
        match random.random_range(0..8u32) {
            0 => bytes[at] ^= 1 << random.random_range(0..8u32),
            1 => bytes[at] = random.random(),
            2 => {
                let word = WORDS[random.random_range(0..WORDS.len())];
                let end = (at + word.len()).min(bytes.len());
                bytes.splice(at..end, word.iter().copied());
            }
            3 => {
                let word = WORDS[random.random_range(0..WORDS.len())];
                bytes.splice(at..at, word.iter().copied());
            }
            4 => drop(bytes.drain(at..end)),
            5 => {
                let part = bytes[at..end].to_vec();
                let times = random.random_range(1..20usize);
                bytes.splice(at..at, part.repeat(times));
            }
            6 => bytes.truncate(at),
            _ => {
                let other = &seeds[random.random_range(0..seeds.len())];
                let from = random.random_range(0..other.len());
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
        }
    }
    bytes
}

fn asked<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}: expected a number or a name")))
}

#[test]
fn nothing_that_was_bent_makes_the_program_fail() {
    let only: Option<String> = asked("SETSIGHT_MUTANTS_OF");
    let count: Option<u64> = asked("SETSIGHT_MUTANTS");
    let seconds = asked("SETSIGHT_MUTANTS_SECONDS").map_or(Duration::MAX, Duration::from_secs);
    let seed: u64 = asked("SETSIGHT_MUTANTS_SEED").unwrap_or(1);
    let mut failed = Vec::new();
    for (name, read) in TARGETS.into_iter().filter(|t| only.as_ref().is_none_or(|o| o == t.0)) {
        let seeds = seeds(name);
        // What is whole is read too.
        seeds.iter().for_each(|seed| read(seed));
        let (begun, mut slowest) = (Instant::now(), (Duration::ZERO, 0));
        let mut done = 0;
        while done < count.unwrap_or(usual(name)) && begun.elapsed() < seconds {
            // Each can be had again by itself.
            let bytes = bent(&seeds, &mut Pcg64Mcg::seed_from_u64(seed << 32 | done));
            let start = Instant::now();
            if catch_unwind(AssertUnwindSafe(|| read(&bytes))).is_err() {
                let file = std::env::temp_dir().join(format!("setsight-{name}-{seed}-{done}"));
                std::fs::write(&file, &bytes).unwrap();
                failed.push(file);
            }
            slowest = slowest.max((start.elapsed(), done));
            done += 1;
        }
        println!(
            "{name}: {done} mutants in {:.1} s, the slowest (number {}) {:.3} s; the test took {} MB at most",
            begun.elapsed().as_secs_f64(),
            slowest.1,
            slowest.0.as_secs_f64(),
            peak_megabytes()
        );
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(peak_megabytes() < 512, "{} MB", peak_megabytes());
}

/// Of this process; 0 where the system does not tell.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb: Option<u64> = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok());
    kb.unwrap_or(0) / 1024
}
