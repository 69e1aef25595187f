//! Files that were made to do harm, or came to it: each is refused in words and in little memory, and what is
//! good beside it is read.

use crate::common::{Ran, Running, Signal, Start, World, pictures::*};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use setsight_nets::engine::Models;
use std::process::{Command, Stdio};

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
    // The checksum is wrong: unpacking to the end is already too late.
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

/// A picture of 64 megapixels of three 16-bit samples, all black.
fn sixty_four_megapixels_of_16_bits() -> Vec<u8> {
    let header = [&8_000u32.to_be_bytes()[..], &8_000u32.to_be_bytes(), &[16, 2, 0, 0, 0]].concat();
    let pixels = packed_noughts(8_000 * (8_000 * 6 + 1) / (1 << 20) + 1);
    let chunks = [chunk(b"IHDR", &header), chunk(b"IDAT", &pixels), chunk(b"IEND", &[])].concat();
    [&b"\x89PNG\r\n\x1a\n"[..], &chunks].concat()
}

#[cfg(target_os = "linux")]
#[test]
fn photos_side_by_side_share_one_memory() {
    let world = World::new();
    let png = sixty_four_megapixels_of_16_bits();
    for name in ["a.png", "b.png", "c.png"] {
        world.file(&format!("photos/{name}"), &png);
    }
    let (ran, megabytes) =
        world.run_and_weigh(&["scan", "photos", "--jobs", "3", "--format", "json"]);
    let names: Vec<_> = ran.json().iter().map(|line| line["image"].clone()).collect();
    assert_eq!(names, ["photos/a.png", "photos/b.png", "photos/c.png"], "{}", ran.stderr);
    assert!(ran.json().iter().all(|line| line["cards"].is_array()), "{}", ran.stdout);
    // What photos may hold, and what the program takes without any.
    assert!(megabytes <= 512 + 128, "{megabytes} MB");
}

#[test]
fn a_photo_that_lacks_its_end_is_read_with_a_word_on_it() {
    let world = World::new();
    // A bare table would end in one colour with or without its end.
    let grain =
        RgbImage::from_fn(640, 480, |x, y| Rgb([90, (x * 7 + y * 13) as u8, (x * y) as u8]));
    let jpeg = encoded(DynamicImage::ImageRgb8(grain), ImageFormat::Jpeg);
    world.file("a.jpg", &jpeg[..jpeg.len() - 500]);
    let ran = world.run(&["scan", "a.jpg", "--format", "json"]).expect(0);
    let words = ran.json()[0]["warning"].as_str().unwrap_or_default().to_owned();
    assert!(words.contains("end early"), "{}", ran.stdout);
    assert!(ran.line_about("a.jpg").contains("warning: the JPEG data end early"));
    world.file("a.jpg", &jpeg);
    let ran = world.run(&["scan", "a.jpg", "--format", "json"]).expect(0);
    assert!(ran.json()[0].get("warning").is_none() && ran.stderr.is_empty(), "{}", ran.stderr);
}

#[test]
fn strips_are_read_by_both_finders() {
    let world = World::new();
    for (name, width, height) in [("high.png", 32, 1_000), ("wide.png", 1_000, 32)] {
        let strip = RgbImage::from_pixel(width, height, Rgb([120, 90, 60]));
        world.file(name, &encoded(DynamicImage::ImageRgb8(strip), ImageFormat::Png));
    }
    for finder in ["classical", "learned"] {
        let ran = world.run(&["scan", "high.png", "wide.png", "--finder", finder]).expect(0);
        assert!(ran.stderr.contains("2 photos, 0 cards"), "{}", ran.stderr);
    }
    let strip = RgbImage::from_pixel(64, 30_000, Rgb([120, 90, 60]));
    world.file("strip.png", &encoded(DynamicImage::ImageRgb8(strip), ImageFormat::Png));
    let ran = world.run(&["scan", "strip.png"]).expect(1);
    assert!(ran.line_about("strip.png").contains("is 64x30000 pixels, a strip"), "{}", ran.stderr);
}

#[test]
fn a_jpeg_of_more_scans_than_encoders_make_is_refused_at_once() {
    let world = World::new();
    let jpeg = encoded(bare_table(640, 480), ImageFormat::Jpeg);
    let scan = jpeg.windows(2).position(|two| two == [0xff, 0xda]).unwrap();
    let scans = jpeg[scan..jpeg.len() - 2].repeat(101);
    let mut bomb = [&jpeg[..scan], &scans, &[0xff, 0xd9]].concat();
    world.file("a.jpg", &bomb);
    // Above 64 megapixels, where another decoder reads it: its sides stand in the frame header (ITU T.81, B.2.2).
    let frame = bomb.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    bomb[frame + 5..frame + 9].copy_from_slice(&[0x24, 0xb8, 0x24, 0xb8]);
    world.file("b.jpg", &bomb);
    let ran = world.run(&["scan", "a.jpg", "b.jpg"]).expect(1);
    for name in ["a.jpg", "b.jpg"] {
        assert!(ran.line_about(name).contains("it has more than 100 scans"), "{}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_with_the_name_that_was_asked_for() {
    let world = World::new();
    world.file("set/a.bmp", &encoded(bare_table(640, 480), ImageFormat::Bmp));
    world.file("set/centres.csv", b"image,label,x,y\na.bmp,2spd,100,100\n");
    for (call, name) in [
        ("render --count 1 --out drawn", "cannot write drawn/mixed-0001.jpg: File too large"),
        ("export onnx --out r.onnx", "r.onnx cannot be written: File too large"),
        ("dataset convert set --copy --out copy", "copy/a.bmp: cannot be written: File too large"),
    ] {
        let ran = world.run_on_a_full_disk(call).expect(1);
        assert!(ran.stderr.contains(name) && !ran.stderr.contains(".tmp"), "{}", ran.stderr);
    }
}

#[test]
fn two_runs_do_not_write_into_one_folder() {
    use setsight_files::whole_file::FolderLock;
    let world = World::new();
    for n in 0..8 {
        world.file(&format!("photos/{n}.png"), &small_png());
    }
    world.run(&["render", "--count", "1", "--cards", "2", "--size", "160x120", "--out", "tables"]);
    for call in [
        "scan photos --out out",
        "render --count 1 --out drawn",
        "eval tables --report figures",
        "dataset check tables --report doubts",
        "compare --experiment v=3,p=2,n=1 --solver cover --out times",
        "compare --uniformity --games 5 --experiment v=3,p=2,n=1 --out dealt",
    ] {
        let call = &call.split(' ').collect::<Vec<_>>();
        let folder = world.path().join(call.last().unwrap());
        std::fs::create_dir(&folder).unwrap();
        let other = FolderLock::take(&folder).unwrap();
        let ran = world.run(call).expect(1);
        assert!(ran.stderr.contains("another program is writing in this folder"), "{}", ran.stderr);
        drop(other);
        world.run(call).expect(0);
    }
}

#[test]
fn hostile_names_make_no_lines_and_steer_no_terminal() {
    let world = World::new();
    let name = "x\nerror: fake\u{9b}\u{202e}.png";
    let gone = &format!("no {name}");
    world.file(name, &small_png());
    world.file(&format!("by-card/2xxx/{name}"), &small_png());
    for call in [
        &["scan", name][..],
        &["scan", name, "--format", "json"],
        &["scan", name, "--format", "csv"],
        &["scan", gone],
        &["--", gone],
        &[&format!("--{name}")],
        &["scan", "--format", name],
        &["live", "--headless", "--video", gone],
        &["dataset", "check", gone],
        &["dataset", "convert", gone, "--out", "out"],
        &["dataset", "convert", "by-card", "--from-format", "folders", "--out", "out"],
        &["deck", "check", gone],
        &["deck", "learn", gone, "--name", "ours", "--out", "ours.json"],
        &["deck", "learn", name, "--name", name, "--out", "ours.json"],
        &["eval", gone],
        &["deal", gone],
        &["general", "--board", gone],
        &["models", "use", gone],
        &["export", "onnx", "--models", gone, "--out", "r.onnx"],
    ] {
        let ran = world.run(call);
        let printed = format!("{}{}", ran.stdout, ran.stderr);
        assert!(printed.contains("fake"), "{call:?}: {printed}");
        let harm = printed.contains(['\u{9b}', '\u{202e}'])
            || printed.lines().any(|line| line.starts_with("error: fake"));
        assert!(!harm, "{call:?}: {printed:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_threads_one_does_it_all() {
    let world = World::new();
    world.file("a.png", &small_png());
    if world.run_without_threads("--version").code != 0 {
        crate::common::not_run(
            "this user may not become another, or that one not call the program",
        );
        return;
    }
    for call in ["scan a.png --format json", "simulate --games 3", "render --count 1 --out drawn"] {
        let ran = world.run_without_threads(call).expect(0);
        assert!(ran.stderr.contains("gives no more threads"), "{call}: {}", ran.stderr);
    }
}

fn is_refused(world: &World, reader: &[u8], words: &str) {
    world.file("models/reader.onnx", reader);
    let call =
        ["scan", "a.png", "--models", "models", "--reader", "neural", "--finder", "classical"];
    let ran = world.run(&call);
    assert_ne!(ran.code, 0, "{words}");
    assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
}

#[test]
fn a_network_that_asks_for_more_than_it_needs_meets_no_engine() {
    use onnx_rs::ast::{DataType, Model, OpType, TensorProto};

    let shipped = Models::Shipped.read("reader.onnx").unwrap();
    let world = World::new();
    world.file("a.png", &small_png());
    let refused = |words: &str, change: &dyn Fn(&mut Model)| {
        let mut model = onnx_rs::parse(&shipped).unwrap();
        change(&mut model);
        is_refused(&world, &onnx_rs::encode(&model), words);
    };
    refused("Loop is not run", &|model| {
        model.graph.as_mut().unwrap().node[0].op_type = OpType::Loop;
    });
    refused("`strides` is [0, 0]", &|model| {
        let mut nodes = model.graph.as_mut().unwrap().node.iter_mut();
        let node = nodes.find(|node| node.op_type == OpType::Conv).unwrap();
        let strides = node.attribute.iter_mut().find(|a| a.name == "strides").unwrap();
        strides.ints = vec![0, 0];
    });
    // Two rows and two columns of 50,000 each, added to each other.
    refused("multiply-adds", &|model| {
        let graph = model.graph.as_mut().unwrap();
        static ZEROS: [u8; 200_000] = [0; 200_000];
        for (name, dims) in [("row", vec![1, 50_000]), ("column", vec![50_000, 1])] {
            graph.initializer.push(TensorProto::from_raw(name, dims, DataType::Float, &ZEROS));
        }
        let mut sum = graph.node[0].clone();
        (sum.op_type, sum.attribute) = (OpType::Add, Vec::new());
        (sum.input, sum.output) = (vec!["row", "column"], vec!["huge"]);
        graph.node.insert(0, sum);
    });
    refused("numbers are read", &|model| {
        let weights = &mut model.graph.as_mut().unwrap().initializer[0];
        *weights = TensorProto::from_raw(weights.name(), vec![1 << 40, 3], DataType::Float, &[]);
    });
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_lose_nothing() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let photo = world.path().join(OsStr::from_bytes(b"caf\xe9.png"));
    std::fs::write(&photo, small_png()).unwrap();
    for only_sets in [false, true] {
        let mut command = world.command(&["scan", "--format", "json"]);
        command.arg(&photo).args(only_sets.then_some("--only-sets"));
        let ran = Ran::from(command.ended()).expect(0);
        let bytes = ran.json()[0]["image_bytes"].as_str().unwrap_or_default().to_owned();
        assert!(bytes.ends_with("2f636166e92e706e67"), "{}", ran.stdout);
        assert!(ran.json()[0]["image"].as_str().unwrap().ends_with("caf\u{fffd}.png"));
    }
    let folder = world.path().join(OsStr::from_bytes(b"photos-\xe9"));
    std::fs::create_dir(&folder).unwrap();
    let label = r#"{"file": "none.png", "width": 64, "height": 48, "cards": []}"#;
    std::fs::write(folder.join("labels.json"), format!(r#"{{"photos": [{label}]}}"#)).unwrap();
    let mut command = world.command(&["dataset", "check", "--format", "json"]);
    let ran = Ran::from(command.arg(&folder).ended()).expect(1);
    let bytes = ran.json()[0]["wrong"][0]["file_bytes"].as_str().unwrap_or_default().to_owned();
    assert!(bytes.ends_with("e92f6e6f6e652e706e67"), "{}", ran.stdout);
}

/// A run of which only what it says on stderr counts.
fn start(command: &mut Command) -> Running {
    command.stdout(Stdio::null()).stderr(Stdio::piped()).started()
}

#[cfg(all(unix, feature = "smt"))]
#[test]
fn a_foreign_solver_does_not_take_ctrl_c_for_itself() {
    let world = World::new();
    let call = ["compare", "--solver", "smt", "--experiment", "v=4,p=5,n=60", "--out", "out"];
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut run = start(&mut world.command(&call));
        run.until(|| world.path().join("out").is_dir());
        std::thread::sleep(std::time::Duration::from_millis(500));
        run.signal(signal);
        let ran = Ran::from(run.end());
        assert_eq!((ran.code, ran.stderr.as_str()), (130, ""), "{signal:?}");
        assert!(world.names("out").is_empty());
        std::fs::remove_dir(world.path().join("out")).unwrap();
    }
}

/// The exit code of a run that is stopped after its first result.
#[cfg(unix)]
fn stopped_by(world: &World, call: &[&str], signals: &[Signal]) -> i32 {
    let mut run = start(&mut world.command(call));
    // A photo's picture comes after the folders, the lines, the page and the lock.
    run.until(|| {
        std::fs::read_dir(world.path().join("out")).is_ok()
            && world.names("out").iter().any(|name| name.ends_with(".jpg"))
    });
    for &signal in signals {
        run.signal(signal);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let ran = Ran::from(run.end());
    let lines: Vec<&str> = ran.stderr.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines.iter().all(|line| line.starts_with("stop")), "{lines:?}");
    for folder in ["out", "out/thumbnails"] {
        let left = world.names(folder);
        assert!(!left.iter().any(|name| name.starts_with(".setsight")), "{left:?}");
    }
    std::fs::remove_dir_all(world.path().join("out")).unwrap();
    ran.code
}

#[cfg(unix)]
#[test]
fn a_stop_is_clean_and_a_second_one_quiet() {
    let world = World::new();
    let photo = encoded(bare_table(1600, 1200), ImageFormat::Jpeg);
    for i in 0..60 {
        world.file(&format!("photos/{i}.jpg"), &photo);
    }
    let call = ["scan", "photos", "--out", "out", "--jobs", "2"];
    assert_eq!(stopped_by(&world, &call, &[Signal::TERM]), 1);
    for signals in [[Signal::INT, Signal::INT], [Signal::HUP, Signal::TERM]] {
        // On a busy machine what is in hand may be done before the second signal, or both may
        // arrive as one: then the first has stopped it, and the second is tried again.
        let ended = (0..20).map(|_| stopped_by(&world, &call, &signals)).find(|ended| *ended != 1);
        assert_eq!(ended, Some(130), "{signals:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_count_that_is_stopped_shows_what_it_has() {
    let call = "caps --values 5 --properties 3 --budget 1000 --deals 1";
    let call: Vec<&str> = call.split(' ').collect();
    let world = World::new();
    let mut command = world.command(&call);
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).started();
    std::thread::sleep(std::time::Duration::from_millis(500));
    run.signal(Signal::INT);
    let printed = Ran::from(run.end()).expect(0).stdout;
    assert!(printed.contains("not all boards were counted: stopped"), "{printed}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_goes_on_behind_a_closed_terminal_goes_on() {
    let world = World::new();
    let program = crate::common::called::program();
    let mut nohup = Command::new("nohup");
    nohup.arg(program.get_program()).args(["simulate", "--games", "3000000", "--jobs", "1"]);
    let run = start(nohup.current_dir(world.path()));
    std::thread::sleep(std::time::Duration::from_millis(300));
    run.signal(Signal::HUP);
    Ran::from(run.end()).expect(0);
}
