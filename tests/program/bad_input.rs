//! Bad input: each gets a clear line that names the file and the reason, the rest of the folder is
//! done, nothing half-written is left under a final name, and the exit code says so.
//! A file or folder that this program did not write, where a command would write its own, survives.

use crate::common::pictures::{small_png, *};
use crate::common::{ENCODINGS, Ran, Signal, Start, World, json_lines};
use image::{DynamicImage, ImageBuffer, ImageFormat, Luma, Rgb};
use setsight_photo::source;
use setsight_testkit::in_repository;
use std::path::Path;
use std::process::{Command, Stdio};

/// Scans a folder with one bad file between two good ones; the good ones are read.
#[track_caller]
fn scan_with(name: &str, bytes: &[u8]) -> Ran {
    let world = World::new();
    world.file("photos/a.png", &small_png());
    world.file(&format!("photos/{name}"), bytes);
    world.file("photos/z.png", &small_png());
    let ran = world.run(&["scan", "photos", "--format", "json", "--out", "out"]).expect(1);
    let lines = ran.json();
    assert_eq!(lines.len(), 3, "{}", ran.stdout);
    assert_eq!(lines[0]["cards"].as_array().unwrap().len(), 0);
    assert_eq!(lines[2]["image"], "photos/z.png");
    assert!(lines[1]["error"].is_string() && lines[1]["image"] == format!("photos/{name}"));
    let expected = ["a.jpg", "index.html", "results.jsonl", "thumbnails", "z.jpg"];
    assert_eq!(world.names("out"), expected);
    ran
}

/// Scans one file that looks odd and is read all the same.
#[track_caller]
fn scan_reads(name: &str, bytes: &[u8], near: [u8; 3]) {
    let world = World::new();
    let path = world.file(name, bytes);
    let ran = world.run(&["scan", name, "--format", "json"]).expect(0);
    assert_eq!(ran.stderr, "");
    assert_eq!(ran.json()[0]["cards"].as_array().unwrap().len(), 0);
    let image = source::load(&path).unwrap();
    let pixel = image[(image.width() / 2, image.height() / 2)];
    let off = pixel.0.iter().zip(near).map(|(a, b)| a.abs_diff(b)).max().unwrap();
    assert!(off <= 4, "{pixel:?} is not near {near:?}");
}

#[test]
fn a_bad_picture_is_named_with_the_reason() {
    let jpeg = encoded(bare_table(640, 480), ImageFormat::Jpeg);
    let png = encoded(bare_table(640, 480), ImageFormat::Png);
    let dot = encoded(bare_table(1, 1), ImageFormat::Png);
    let mut broken = small_png();
    let middle = broken.len() / 2;
    broken[middle..middle + 8].fill(0x55);
    for (name, bytes, reason) in [
        ("m.jpg", &b""[..], "empty (0 bytes)"),
        ("m.jpg", &jpeg[..jpeg.len() / 2], "is cut off"),
        ("m.png", &png[..png.len() / 2], "is cut off"),
        ("m.jpg", b"Dear diary, today I renamed", "is not a picture (it starts with \"Dear"),
        ("m.png", &dot, "1x1 pixels, too small"),
        ("m.bmp", &hundred_megapixels(), "10000x10000, 100 megapixels; at most 64"),
        ("m.png", &broken, "cannot be decoded as PNG"),
        ("m.jpg", b"GIF89a..........", "GIF picture, which is not read; convert"),
        ("m.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "cannot be decoded as HEIC: missing"),
    ] {
        let ran = scan_with(name, bytes);
        let line = ran.line_about(name);
        assert!(line.contains(reason), "no \"{reason}\" in: {line}");
    }
}

#[test]
fn an_odd_picture_is_read() {
    let deep = ImageBuffer::from_pixel(64, 48, Rgb([0x3333u16, 0xcccc, 0x8080]));
    let grey = ImageBuffer::from_pixel(64, 48, Luma([77u8]));
    scan_reads("m.png", &encoded(DynamicImage::ImageRgb16(deep), ImageFormat::Png), [51, 204, 128]);
    scan_reads("m.jpg", &encoded(DynamicImage::ImageLuma8(grey), ImageFormat::Jpeg), [77; 3]);
    scan_reads("m.jpg", &cmyk_jpeg(), [28, 255, 255]);
}

#[cfg(unix)]
#[test]
fn an_unreadable_folder() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let world = World::new();
    world.file("photos/a.png", &small_png());
    // A folder that leads to itself cannot be read by anybody.
    symlink("loop", world.path().join("photos/loop")).unwrap();
    let ran = world.run(&["scan", "photos", "--recursive", "--format", "json"]).expect(1);
    assert!(ran.line_about("loop").contains("cannot be read"), "{}", ran.stderr);
    assert_eq!(ran.json().iter().filter(|line| line["image"] == "photos/a.png").count(), 1);

    let locked = world.path().join("photos/locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read_dir(&locked).is_ok() {
        crate::common::not_run("in part: this user may read every folder");
        return;
    }
    let ran = world.run(&["scan", "photos", "--recursive"]).expect(1);
    assert!(ran.line_about("locked").contains("Permission denied"), "{}", ran.stderr);
}

/// A small disk of its own; gone with the value.
#[cfg(target_os = "linux")]
struct SmallDisk(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn mount(path: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir(path).unwrap();
        let option = format!("size={size}");
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", &option, "tmpfs"]).arg(path).ended();
        mount.status.success().then(|| Self(path.to_path_buf()))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg(&self.0).ended();
    }
}

#[cfg(target_os = "linux")]
/// What JPEG cannot make small.
fn noise(seed: u32) -> image::RgbImage {
    image::RgbImage::from_fn(320, 240, |x, y| {
        let v = (x * 7919 + y * 104_729 + seed).wrapping_mul(2_654_435_761) >> 13;
        Rgb([v as u8, (v >> 8) as u8, (v >> 3) as u8])
    })
}

#[test]
fn a_full_disk_under_the_results() {
    let world = World::new();
    for i in 0..12 {
        world.file(&format!("photos/{i}.png"), &encoded(noise(i), ImageFormat::Png));
    }
    let Some(_disk) = SmallDisk::mount(&world.path().join("out"), "500k") else {
        crate::common::not_run("this user may not mount a small disk");
        return;
    };
    let ran = world.run(&["scan", "photos", "--format", "json", "--out", "out"]).expect(1);
    assert!(ran.stderr.contains("No space left on device"), "{}", ran.stderr);
    assert!(ran.line_about("photos/11.png").contains("out/"), "{}", ran.stderr);
    assert_eq!(ran.json().len(), 12, "the photos are read all the same");
    for name in world.names("out") {
        assert!(!name.contains(".tmp"), "{name} is left over");
        if name.ends_with(".jpg") {
            image::open(world.path().join("out").join(&name)).expect("a whole picture");
        }
    }
}

/// A folder of four hundred photos that are linked to one.
#[cfg(unix)]
fn four_hundred_photos() -> World {
    let world = World::new();
    let photo = world.file("photos/0.jpg", &encoded(bare_table(900, 700), ImageFormat::Jpeg));
    for i in 1..400 {
        std::fs::hard_link(&photo, world.path().join(format!("photos/{i}.jpg"))).unwrap();
    }
    world
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_between_photos() {
    let world = four_hundred_photos();
    let mut command =
        world.command(&["scan", "photos", "--format", "json", "--out", "out", "--jobs", "2"]);
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).started();
    let first = run.line();
    assert!(first.contains("photos/0.jpg"), "{first}");
    run.signal(Signal::INT);
    let Ran { stdout, stderr, .. } = Ran::from(run.end()).expect(1);
    let done = json_lines(&stdout).len();
    assert!(done < 400, "stopped before the end");
    assert!(stderr.contains(&format!("stopped: {done} of 400 photos read")), "{stderr}");
    let names = world.names("out");
    assert!(!names.iter().any(|name| name.contains(".tmp")), "{names:?}");
    assert!(!names.iter().any(|name| name == "results.jsonl" || name == "index.html"), "{names:?}");
    let partial = std::fs::read_to_string(world.path().join("out/results.partial.jsonl")).unwrap();
    assert_eq!(json_lines(&partial).len(), done);
    let pictures = names.iter().filter(|name| name.ends_with(".jpg"));
    assert_eq!(pictures.clone().count(), done);
    for name in pictures {
        image::open(world.path().join("out").join(name)).expect("a whole picture");
    }
}

#[test]
fn a_folder_of_many_photos() {
    const COUNT: usize = 300;
    let world = World::new();
    for i in 0..COUNT {
        world.file(&format!("photos/{i}.png"), &small_png());
    }
    world.run(&["scan", "photos", "--out", "out", "--jobs", "3"]).expect(0);
    let results = std::fs::read_to_string(world.path().join("out/results.jsonl")).unwrap();
    let images: Vec<String> =
        json_lines(&results).iter().map(|line| line["image"].as_str().unwrap().into()).collect();
    let expected: Vec<String> = (0..COUNT).map(|i| format!("photos/{i}.png")).collect();
    assert!(images == expected, "all photos, in order");
    assert_eq!(world.names("out").len(), COUNT + 3);
}

/// What the program may take for a photo of a phone.
#[cfg(target_os = "linux")]
#[test]
fn twelve_megapixels_fit_into_300_megabytes() {
    let world = World::new();
    world.file("large.jpg", &encoded(bare_table(4000, 3000), ImageFormat::Jpeg));
    let args = ["scan", "large.jpg", "--format", "json", "--out", "out"];
    let (ran, peak) = world.run_and_weigh(&args);
    ran.expect(0);
    eprintln!("a photo of 12 megapixels: at most {peak} MB");
    assert!(peak > 36 && peak < 300, "{peak} MB");
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_photo_is_read_in_an_address_space_of_300_megabytes() {
    let world = World::new();
    world.file("table.jpg", &encoded(table(&BOARD).0, ImageFormat::Jpeg));
    let ran = world.run_in_megabytes(300, "scan table.jpg").expect(0);
    assert!(ran.stdout.starts_with("table.jpg: 12 cards, 6 sets"), "{}", ran.stdout);
    let refused = world.run_in_megabytes(150, "scan table.jpg").expect(1);
    let message = "error: reading photos needs at least 224 MB of address space, and `ulimit -v` allows 150 MB";
    assert!(refused.stderr.starts_with(message), "{}", refused.stderr);
}

/// A file that is somebody's, and a call that would write there.
struct Case {
    file: &'static str,
    call: &'static str,
    code: i32,
}

const fn refused(file: &'static str, call: &'static str) -> Case {
    Case { file, call, code: 2 }
}

const CASES: &[Case] = &[
    // Work that goes on.
    refused("out/training/mine.jpg", "train --add tables --out out --resume"),
    Case { code: 1, ..refused("out/config.json", "train finder --out out --resume") },
    // Folders of results.
    Case { code: 1, ..refused("out/index.html", "scan tables --out out") },
    Case { code: 1, ..refused("out/results.jsonl", "scan tables --out out") },
    Case { code: 1, ..refused("out/results.partial.jsonl", "scan tables --out out") },
    refused("out/index.html", "eval tables --report out"),
    refused("out/figures.json", "eval tables --report out"),
    refused("out/index.html", "dataset check tables --report out"),
    refused("out/results.csv", "compare --experiment v=3,p=2,n=1 --solver cover --out out"),
    refused("out/index.html", "compare --experiment v=3,p=2,n=1 --solver cover --out out"),
    refused("out/uniformity.csv", "compare --uniformity --games 5 --out out"),
    refused("out/uniformity.html", "compare --uniformity --games 5 --out out"),
    Case { code: 1, ..refused("out/labels.json", "dataset convert cards --out out") },
    // What is drawn.
    refused("out/mine.jpg", "render --count 1 --out out"),
    refused("out/labels.json", "render --count 1 --out out"),
    refused("film.avi", "render --video film.avi --seconds 0.1 --size 64x48"),
    refused("film.jsonl", "render --video film.avi --seconds 0.1 --size 64x48"),
    refused("film.avi", "live --url http://127.0.0.1:9 --headless --record film.avi"),
    // Single files.
    refused("mine", "deck learn tables --name ours --out mine"),
    refused("mine", "deal --random --print mine"),
    refused("mine", "export onnx --out mine"),
    // Networks.
    refused("out/reader.onnx", "train reader --out out"),
    refused("out/finder.onnx", "train finder --out out"),
    refused("out/refiner.onnx", "train refiner --out out"),
    Case { code: 1, ..refused("out/checkpoint.safetensors", "train finder --out out") },
    Case { code: 1, ..refused("out/curve.csv", "train finder --out out") },
    refused("out/finder.onnx", "train --add tables --out out"),
    refused("out/fusion.json", "train --add tables --out out"),
    refused("out/worth.json", "train --add tables --out out"),
    Case { code: 1, ..refused("mine", "train reader --out out --keep-drawn mine") },
    refused("out/mine.txt", "export h7 --out out --overwrite"),
    refused("out-preview.png", "export h7 --out out --preview tables/plain-0001.jpg"),
];

#[test]
fn what_is_somebodys_is_not_replaced() {
    const MINE: &[u8] =
        b"{\"mine\": \"of a person, on one line, and longer than any head of a file\"}";
    let mut wrong = Vec::new();
    for Case { file, call, code } in CASES {
        let world = World::new();
        tables(&world);
        world.file("cards/2spd/1.png", &small_png());
        let path = world.file(file, MINE);
        let ran = world.run(&call.split(' ').collect::<Vec<_>>());
        let name = file.rsplit('/').next().unwrap();
        let is_named = ran.stderr.contains(name) || ran.stderr.contains("out");
        if std::fs::read(path).ok().as_deref() != Some(MINE) || ran.code != *code || !is_named {
            wrong.push(format!("{file}: {call}: {}\n{}", ran.code, ran.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A drawn table with its labels.
fn tables(world: &World) {
    let draw = "render --kind plain --cards 2 --count 1 --size 160x120 --out tables";
    world.run(&draw.split(' ').collect::<Vec<_>>()).expect(0);
}

/// What Notepad and PowerShell write is read from a file and from stdin; other bytes are named.
#[test]
fn text_is_read_in_any_encoding() {
    let contest = |name: &str| in_repository("tests/data/contest").join(name);
    let deals = std::fs::read(contest("sample1.txt")).unwrap();
    let transcript = std::fs::read(contest("sample1.expected.txt")).unwrap();
    let table: [(&[u8], &str, &str); 8] = [
        (b"2spd 3frs\r\n1ogo\r\n", "sets", "These three: a set"),
        (b"2spd 3frs\r\n1ogo\r\n", "sets -", "These three: a set"),
        (b"0000\r\n0111\r\n0222\r\n", "general --board -", "a board of 3 cards"),
        (b"0000\r\n0111\r\n0222\r\n", "general --board text", "a board of 3 cards"),
        (&deals, "deal", "Analyzing 1 data set(s)"),
        (&deals, "deal -", "Analyzing 1 data set(s)"),
        (&deals, "deal text", "Analyzing 1 data set(s)"),
        (&transcript, "deal deals --check text", "text: right"),
    ];
    let world = World::new();
    world.file("deals", &deals);
    let run = |call: &str, bytes: &[u8]| {
        world.file("text", bytes);
        Ran::from(world.command(&call.split(' ').collect::<Vec<_>>()).fed(bytes))
    };
    for (text, call, expected) in table {
        for encode in ENCODINGS {
            let ran = run(call, &encode(text.to_vec())).expect(0);
            assert!(ran.stdout.contains(expected), "{call}: {}{}", ran.stdout, ran.stderr);
        }
        let name = if call.ends_with("text") { "text" } else { "stdin" };
        for broken in [&b"\xff\xfe2\0\n\0s"[..], b"2\n\xe4", b"2\n\0"] {
            let error = run(call, broken).expect(2).stderr;
            let expected = format!("{name}: line 2 is not text; expected UTF-8, or UTF-16");
            assert!(error.contains(&expected), "{call}: {error}");
        }
    }
}
