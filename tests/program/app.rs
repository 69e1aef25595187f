//! The real window on a screen of its own (Xvfb), which is how it runs where there is none.
#![cfg(target_os = "linux")]

use crate::common::{Running, Signal, Start};
use image::RgbImage;
use serde_json::{Value, json};
use setsight_game::cards::Card;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A screen without a monitor.
struct Screen {
    _server: Running,
    name: String,
}

impl Screen {
    fn new() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .started();
        let number = server.line();
        let name = format!(":{}", number.trim().parse::<u32>().expect("Xvfb names its display"));
        Self { _server: server, name }
    }

    fn command(&self, config: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_setsight"));
        command
            .args(args)
            .env("DISPLAY", &self.name)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_CONFIG_HOME", config);
        command
    }

    fn run(&self, config: &Path, args: &[&str]) -> Output {
        self.command(config, args).ended()
    }
}

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/samples/1-plain-on-wood.jpg")
}

/// Takes a picture of a film's window: what is printed on stderr, and how many pixels have a set's colour.
fn screenshot_of(screen: &Screen, film: &Path, file: &Path) -> (String, usize) {
    let args = ["live", "--video", film.to_str().unwrap(), "--screenshot", file.to_str().unwrap()];
    let output = screen.run(file.parent().unwrap(), &args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let colors: Vec<[u8; 3]> =
        setsight_vision::output::overlay::SET_COLORS.iter().map(|color| color.0).collect();
    let picture = image::open(file).unwrap().into_rgb8();
    (errors, picture.pixels().filter(|pixel| colors.contains(&pixel.0)).count())
}

fn is_alike(a: [u8; 3], b: [u8; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 12)
}

/// How many pixels of a square around a place have one of these colours, nearly.
fn near(picture: &RgbImage, (x, y): (f64, f64), reach: i64, colors: &[[u8; 3]]) -> usize {
    let mut count = 0;
    for dy in -reach..=reach {
        for dx in -reach..=reach {
            let (x, y) = (x as i64 + dx, y as i64 + dy);
            let inside = (0..i64::from(picture.width())).contains(&x)
                && (0..i64::from(picture.height())).contains(&y);
            if inside {
                let pixel = picture[(x as u32, y as u32)].0;
                count += usize::from(colors.iter().any(|&color| is_alike(pixel, color)));
            }
        }
    }
    count
}

#[test]
fn the_window_shows_a_board() {
    let screen = Screen::new();
    let dir = tempfile::tempdir().unwrap();
    // Without its labels: what is shown is what was read.
    let photo = dir.path().join("table.jpg");
    std::fs::copy(sample(), &photo).unwrap();
    let file = dir.path().join("window.png");
    let (photo_arg, file_arg) = (photo.to_str().unwrap(), file.to_str().unwrap());
    let args =
        ["app", photo_arg, "--screenshot", file_arg, "--look", "light", "--size", "1280x800"];
    let output = screen.run(dir.path(), &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();

    // The same cards and sets as `scan` finds.
    let scan = Command::new(env!("CARGO_BIN_EXE_setsight"))
        .args(["scan", photo_arg, "--format", "json"])
        .ended();
    let scan: Value = serde_json::from_slice(&scan.stdout).unwrap();
    assert_eq!((&shown["cards"], &shown["sets"]), (&scan["cards"], &scan["sets"]));
    let sets = shown["sets"].as_array().unwrap();
    assert!(!sets.is_empty(), "{shown}");

    // Around each card of a set stands an outline in a set's colour, where the JSON says it lies.
    let picture = image::open(&file).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), (1280, 800));
    let number = |value: &Value| value.as_f64().unwrap();
    let place: Vec<f64> = shown["picture"].as_array().unwrap().iter().map(number).collect();
    let [left, top, scale] = place[..] else { panic!("{shown}") };
    let colors: Vec<[u8; 3]> =
        setsight_vision::output::overlay::SET_COLORS.iter().map(|c| c.0).collect();
    let in_sets: std::collections::BTreeSet<u64> = sets
        .iter()
        .flat_map(|set| set.as_array().unwrap().iter().map(|i| i.as_u64().unwrap()))
        .collect();
    for index in in_sets {
        let corners = shown["cards"][index as usize]["corners"].as_array().unwrap();
        let corner = |i: usize| (number(&corners[i % 4][0]), number(&corners[i % 4][1]));
        for i in 0..4 {
            let ((x0, y0), (x1, y1)) = (corner(i), corner(i + 1));
            let middle = ((x0 + x1) / 2.0 * scale + left, (y0 + y1) / 2.0 * scale + top);
            let outlined = near(&picture, middle, 5, &colors);
            assert!(
                outlined >= 8,
                "card {index}, side {i} at {middle:?}: {outlined} pixels of an outline"
            );
        }
    }
    // And in the middle of the wood there is none.
    let corner_of_wood = (left + 6.0, top + 6.0);
    assert_eq!(near(&picture, corner_of_wood, 5, &colors), 0);
}

#[test]
fn the_window_reads_with_the_models_that_the_call_names() {
    let dir = tempfile::tempdir().unwrap();
    let models = dir.path().join("models");
    std::fs::create_dir(&models).unwrap();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    for name in ["reader.onnx", "finder.onnx", "refiner.onnx"] {
        std::fs::copy(shipped.join(name), models.join(name)).unwrap();
    }
    // They are never sure.
    let fusion = std::fs::read(shipped.join("fusion.json")).unwrap();
    let mut fusion: Value = serde_json::from_slice(&fusion).unwrap();
    fusion["learned"]["board"]["least_confidence"] = 1.0.into();
    std::fs::write(models.join("fusion.json"), fusion.to_string()).unwrap();
    let photo = dir.path().join("table.jpg");
    std::fs::copy(sample(), &photo).unwrap();
    let file = dir.path().join("window.png");
    let (models, photo) = (models.to_str().unwrap(), photo.to_str().unwrap());
    let args = ["app", photo, "--models", models, "--screenshot", file.to_str().unwrap()];
    let output = Screen::new().run(dir.path(), &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cards = shown["cards"].as_array().unwrap();
    assert!(cards.len() == 12 && cards.iter().all(|card| card["unsure"] == true), "{shown}");
}

#[test]
fn a_file_of_deals_opens_the_contests_page() {
    let screen = Screen::new();
    let dir = tempfile::tempdir().unwrap();
    let deals = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/contest/sample1.txt");
    let (deals, file) = (deals.to_str().unwrap(), dir.path().join("window.png"));
    let args = ["app", deals, "--screenshot", file.to_str().unwrap(), "--size", "1280x800"];
    for show in [&[][..], &["--show", "deal"]] {
        let output = screen.run(dir.path(), &[&args, show].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
        // The deal and its sets, as `deal` writes them.
        let transcript = shown["transcript"].as_str().unwrap();
        assert!(transcript.contains("Initial Deal:\n") && transcript.contains("SETs found:"));
        let deal = Command::new(env!("CARGO_BIN_EXE_setsight")).args(["deal", deals]).ended();
        let transcripts = String::from_utf8(deal.stdout).unwrap();
        assert!(transcripts.contains(transcript), "{transcript}");
        // The first set is outlined in its colour.
        let picture = image::open(&file).unwrap().into_rgb8();
        let first = setsight_vision::output::overlay::SET_COLORS[0].0;
        let colored = picture.pixels().filter(|pixel| pixel.0 == first).count();
        assert!(colored > 500, "{colored}");
    }
}

#[test]
fn a_signal_closes_the_window_and_its_game_is_kept() {
    let screen = Screen::new();
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let dir = tempfile::tempdir().unwrap();
        let kept = dir.path().join("setsight/game-under-way.json");
        std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
        let deal = Card::deck().map(|card| card.to_string()).collect::<Vec<_>>().join(" ");
        let game = json!({
            "source": "Shuffled", "variant": "Normal", "deal": deal, "players": 1, "hints": 0,
            "seconds": 12.5, "log": [],
        });
        std::fs::write(&kept, game.to_string()).unwrap();
        let mut window = screen.command(dir.path(), &["app"]).started();
        // The thread that waits for signals begins once the window does.
        let threads = format!("/proc/{}/task", window.id());
        window.until(|| {
            let threads = std::fs::read_dir(&threads).into_iter().flatten().flatten();
            let mut names = threads.map(|thread| std::fs::read(thread.path().join("comm")));
            names.any(|name| name.is_ok_and(|name| name == b"stop\n"))
        });
        window.signal(signal);
        assert_eq!(window.end().status.code(), Some(0), "{signal:?}");
        let game = std::fs::read(&kept).unwrap();
        let game: Value = serde_json::from_slice(&game).unwrap();
        assert_eq!(game["deal"].as_str().map(|deal| deal.split(' ').count()), Some(81));
    }
}

#[test]
fn a_picture_of_the_camera_waits_for_a_set() {
    let screen = Screen::new();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("window.png");
    // A table with sets, for less time than a busy machine takes for its first frame.
    let film = dir.path().join("film");
    std::fs::create_dir(&film).unwrap();
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/samples/1-plain-on-wood.jpg");
    for number in 0..5 {
        std::fs::copy(&table, film.join(format!("{number:03}.jpg"))).unwrap();
    }
    let (errors, colored) = screenshot_of(&screen, &film, &file);
    assert!(colored > 300 && errors.is_empty(), "{colored} pixels, {errors}");
    // A film without a card ends without a set.
    let frames = dir.path().join("frames");
    std::fs::create_dir(&frames).unwrap();
    for number in 0..3 {
        let table = RgbImage::from_pixel(320, 240, image::Rgb([40, 90, 60]));
        table.save(frames.join(format!("{number}.png"))).unwrap();
    }
    let (errors, _) = screenshot_of(&screen, &frames, &file);
    assert!(errors.contains("no set came into view"), "{errors}");
}
