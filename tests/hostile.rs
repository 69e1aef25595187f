//! Files that were made to do harm, or came to it: each is refused in words and in little memory, and what is
//! good beside it is read.

#![cfg(feature = "vision")]

mod common;

use common::{World, pictures::*};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use setsight::internals::pipeline::engine::LIBRARY_VARIABLE;

/// A chunk of a PNG: length, type, data and the checksum of both (ISO 15948).
fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [kind.as_slice(), data].concat();
    let mut crc = u32::MAX;
    for byte in &body {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    [&(data.len() as u32).to_be_bytes()[..], &body, &(!crc).to_be_bytes()].concat()
}

/// Noughts, packed as zlib does (RFC 1950 and 1951) in blocks of its fixed code: a length of 258 at a distance of
/// one takes 13 bits.
fn packed_noughts(megabytes: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(1, 1); // the last block
    bits.put(1, 2); // of the fixed code
    bits.put_reversed(0x30, 8); // a nought
    for _ in 0..megabytes * (1 << 20) / 258 {
        bits.put_reversed(0b1100_0101, 8); // a length of 258
        bits.put_reversed(0, 5); // from one before
    }
    bits.put_reversed(0, 7); // the end
    // The checksum is wrong: whoever unpacks to the end has lost already.
    [&[0x78, 0x01][..], &bits.bytes, &[0; 4]].concat()
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        for i in 0..count {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let bit = (value >> i & 1) as u8;
            *self.bytes.last_mut().unwrap() |= bit << (self.used % 8);
            self.used += 1;
        }
    }

    fn put_reversed(&mut self, value: u32, count: u32) {
        (0..count).rev().for_each(|i| self.put(value >> i, 1));
    }
}

#[test]
fn a_profile_that_unpacks_to_gigabytes_is_refused_in_little_memory() {
    let world = World::new();
    let png = small_png();
    // Behind the signature and the header.
    let (head, rest) = png.split_at(8 + 25);
    let profile = [b"bomb\0\0".as_slice(), &packed_noughts(1_500)].concat();
    let bomb = [head, &chunk(b"iCCP", &profile), rest].concat();
    world.file("photos/a.png", &bomb);
    world.file("photos/b.png", &png);
    // An address space in which the program lives, and the profile does not.
    let ran = world.run_in_megabytes(
        1_500,
        "scan photos --format json --jobs 1 --reader classical --finder classical",
    );
    let lines = ran.json();
    assert_eq!(lines.len(), 2, "{} {}", ran.stdout, ran.stderr);
    assert!(lines[1]["cards"].is_array(), "the next one is read: {}", ran.stdout);
}

#[test]
fn strips_are_read_by_both_finders() {
    let world = World::new();
    for (name, width, height) in [("high.png", 32, 20_000), ("wide.png", 20_000, 32)] {
        let strip = RgbImage::from_pixel(width, height, Rgb([120, 90, 60]));
        world.file(name, &encoded(DynamicImage::ImageRgb8(strip), ImageFormat::Png));
    }
    for finder in ["classical", "learned"] {
        world.run(&["scan", "high.png", "wide.png", "--finder", finder]).expect(0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_that_is_none_is_passed_over_and_told() {
    let world = World::new();
    world.file("a.png", &small_png());
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    world.file("text.so", b"no library");
    world.file("cut.so", &program[..program.len() / 2]);
    // A whole program, but no such library.
    world.file("other.so", &program);
    let told = [
        ("none.so", "No such file"),
        ("text.so", "10 bytes"),
        ("cut.so", "is cut off"),
        ("other.so", "other.so"),
    ];
    for (library, words) in told {
        let mut command = world.command(&["scan", "a.png"]);
        command.env(LIBRARY_VARIABLE, world.path().join(library));
        let ran: common::Ran = command.output().unwrap().into();
        assert_eq!(ran.code, 0, "{library}: {}", ran.stderr);
        assert!(ran.stderr.contains("warning") && ran.stderr.contains(words), "{}", ran.stderr);
    }
}

#[test]
fn results_replace_nothing_of_others() {
    let world = World::new();
    world.file("a/IMG_1.png", &small_png());
    let own = world.file("b/IMG_1.jpg", b"a photo of somebody");
    let ran = world.run(&["scan", "a", "--out", "b"]).expect(1);
    assert!(
        ran.stderr.contains("b/IMG_1.jpg") && ran.stderr.contains("--overwrite"),
        "{}",
        ran.stderr
    );
    assert_eq!(std::fs::read(&own).unwrap(), b"a photo of somebody");
    world.run(&["scan", "a", "--out", "b", "--overwrite"]).expect(0);
    // What it wrote itself it writes again.
    world.run(&["scan", "a", "--out", "b"]).expect(0);
    world.file("c/index.html", b"<title>my page</title> and more of it, longer than a head");
    let ran = world.run(&["scan", "a", "--out", "c"]);
    assert!(ran.code != 0 && ran.stderr.contains("c/index.html"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn results_go_through_no_link() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    world.file("a/IMG_1.png", &small_png());
    let photo = world.file("photos/IMG_1.jpg", b"a photo of somebody");
    std::fs::create_dir(world.path().join("out")).unwrap();
    symlink(world.path().join("photos"), world.path().join("out/thumbnails")).unwrap();
    let ran = world.run(&["scan", "a", "--out", "out", "--overwrite"]);
    assert!(ran.code != 0 && ran.stderr.contains("link"), "{}", ran.stderr);
    assert_eq!(std::fs::read(&photo).unwrap(), b"a photo of somebody");
}

#[cfg(unix)]
#[test]
fn names_do_not_steer_the_terminal() {
    let world = World::new();
    let name = "=cmd \u{1b}[2Jx.png";
    world.file(name, &small_png());
    world.file("\u{1b}[31mbroken.png", b"no picture");
    let text = world.run(&["scan", "."]).expect(1);
    assert!(
        !text.stdout.contains('\u{1b}') && !text.stderr.contains('\u{1b}'),
        "{} {}",
        text.stdout,
        text.stderr
    );
    assert!(
        text.stdout.contains("\\u{1b}[2Jx.png") && text.stderr.contains("\\u{1b}[31mbroken"),
        "{} {}",
        text.stdout,
        text.stderr
    );
    let csv = world.run(&["scan", name, "--format", "csv"]).expect(0);
    assert!(
        csv.stdout.lines().nth(1).unwrap().trim_start_matches('"').starts_with("'="),
        "{}",
        csv.stdout
    );
}

#[cfg(unix)]
#[test]
fn nobody_who_reads_messages_is_no_reason_to_hang() {
    use std::process::Stdio;
    let world = World::new();
    for i in 0..200 {
        world.file(&format!("photos/{i}.png"), b"no picture");
    }
    let mut command = world.command(&["scan", "photos", "--jobs", "3"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_network_that_asks_for_more_than_it_needs_meets_no_engine() {
    use onnx_rs::ast::{DataType, Model, OpType, TensorProto};
    use setsight::internals::pipeline::engine::Models;

    let shipped = Models::Shipped.read("reader.onnx").unwrap();
    let world = World::new();
    world.file("a.png", &small_png());
    let told = |words: &str, change: &dyn Fn(&mut Model)| {
        let mut model = onnx_rs::parse(&shipped).unwrap();
        change(&mut model);
        world.file("models/reader.onnx", &onnx_rs::encode(&model));
        let call =
            ["scan", "a.png", "--models", "models", "--reader", "neural", "--finder", "classical"];
        let ran = world.run(&call);
        assert_ne!(ran.code, 0, "{words}");
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    };
    let first_conv = |model: &mut Model| {
        let nodes = &model.graph.as_ref().unwrap().node;
        nodes.iter().position(|node| node.op_type == OpType::Conv).unwrap()
    };
    told("Loop is not run", &|model| {
        model.graph.as_mut().unwrap().node[0].op_type = OpType::Loop;
    });
    told("`strides` is [0, 0]", &|model| {
        let conv = first_conv(model);
        let node = &mut model.graph.as_mut().unwrap().node[conv];
        let strides = node.attribute.iter_mut().find(|a| a.name == "strides").unwrap();
        strides.ints = vec![0, 0];
    });
    told("numbers are read", &|model| {
        let weights = &mut model.graph.as_mut().unwrap().initializer[0];
        *weights = TensorProto::from_raw(weights.name(), vec![1 << 40, 3], DataType::Float, &[]);
    });
}
