//! Work that is split over machines (`--shard`, `merge`) and goes on after a kill (`--resume`).

use crate::common::pictures::{bare_table, encoded};
use crate::common::{Ran, Start, World};
use image::ImageFormat;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A world with a few pictures, each of another size, by names that a program might split badly.
fn photos() -> World {
    let world = World::new();
    let names = ["10.jpg", "2.jpg", "kitchen/10.jpg", "kitchen/ü é.jpg", "zoo/1.jpg"]
        .into_iter()
        .zip(240..);
    for (name, width) in names {
        let picture = encoded(bare_table(width, 200), ImageFormat::Jpeg);
        world.file(&format!("photos/{name}"), &picture);
    }
    world.file("photos/zoo/broken.jpg", b"no photo");
    world
}

/// Fast, and the same on every machine.
const READ: &str = "--reader classical --finder classical --jobs 1";
const SCAN: &str = "scan photos --recursive --format json";

fn run(world: &World, args: &str) -> Ran {
    world.run(&args.split_whitespace().collect::<Vec<_>>())
}

/// The lines without what time and place say.
fn lasting(lines: Vec<Value>) -> Vec<Value> {
    let without = |mut line: Value| {
        for name in ["stage_ms", "part", "seconds", "mean_seconds", "median_cpu_ms"] {
            line.as_object_mut().unwrap().shift_remove(name);
        }
        line
    };
    lines.into_iter().map(without).collect()
}

/// Runs all parts of a command, each into a file, and gives the files' names.
fn parts(world: &World, args: &str, of: usize, code: impl Fn(usize) -> i32) -> Vec<String> {
    (1..=of)
        .map(|number| {
            let ran = run(world, &format!("{args} --shard {number}/{of}"));
            assert!(ran.code == 0 || ran.code == code(number), "{number}: {}", ran.stderr);
            let name = format!("part-{number}-of-{of}.jsonl");
            world.file(&name, ran.stdout.as_bytes());
            name
        })
        .collect()
}

fn lines_of(world: &World, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(world.path().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn parts_of_a_folder_are_the_whole_in_any_order() {
    let world = photos();
    let whole = run(&world, &format!("{SCAN} {READ}")).expect(1).json();
    for of in [2, 3] {
        let mut names = parts(&world, &format!("{SCAN} {READ}"), of, |_| 1);
        let mut seen = Vec::new();
        for name in &names {
            for line in lines_of(&world, name) {
                assert!(line["part"]["shard"].as_str().unwrap().ends_with(&format!("/{of}")));
                seen.push(line["image"].as_str().unwrap().to_owned());
            }
        }
        seen.sort();
        let mut all: Vec<&str> = whole.iter().map(|line| line["image"].as_str().unwrap()).collect();
        all.sort_unstable();
        assert_eq!(seen, all, "each photo in one part");
        names.reverse();
        let merged = run(&world, &format!("merge {}", names.join(" "))).expect(0).json();
        assert!(merged.iter().all(|line| line.get("part").is_none()));
        assert_eq!(lasting(merged), lasting(whole.clone()));
        // All in one file, and twice: the same.
        let all: Vec<u8> = names
            .iter()
            .chain(&names)
            .flat_map(|name| fs::read(world.path().join(name)).unwrap())
            .collect();
        world.file("all.jsonl", &all);
        let merged = run(&world, "merge all.jsonl").expect(0).json();
        assert_eq!(lasting(merged), lasting(whole.clone()));
    }
}

#[test]
fn the_split_is_by_names_not_by_places() {
    let world = photos();
    fs::create_dir(world.path().join("elsewhere")).unwrap();
    fs::rename(world.path().join("photos"), world.path().join("elsewhere/photos")).unwrap();
    let moved = world.path().join("elsewhere/photos");
    let moved = run(&world, &format!("scan {} -r -f json {READ} --shard 1/2", moved.display()));
    fs::rename(world.path().join("elsewhere/photos"), world.path().join("photos")).unwrap();
    let here = run(&world, &format!("{SCAN} {READ} --shard 1/2"));
    let part = |ran: &Ran| -> Vec<Value> {
        ran.json().into_iter().map(|line| line["part"].clone()).collect()
    };
    assert!(!part(&here).is_empty());
    assert_eq!(part(&moved), part(&here), "so that machines may mount it where they like");
}

#[test]
fn what_is_missing_is_told() {
    let world = photos();
    let names = parts(&world, &format!("{SCAN} {READ}"), 2, |_| 1);
    let first = run(&world, &format!("merge {}", names[0])).expect(1);
    let lines = lines_of(&world, &names[0]).len();
    let missing = format!("missing: {} of 6 items: all of shard 2/2", 6 - lines);
    assert!(first.stderr.contains(&missing), "{}", first.stderr);
    assert_eq!(first.json().len(), lines, "what is there is printed");
    // A part that was cut off.
    let text = fs::read_to_string(world.path().join(&names[1])).unwrap();
    world.file("cut.jsonl", &text.as_bytes()[..text.len() - 20]);
    let cut = run(&world, &format!("merge {} cut.jsonl", names[0])).expect(1);
    let of = lines_of(&world, &names[1]).len();
    assert!(cut.stderr.contains("cut.jsonl: its last line was cut off"), "{}", cut.stderr);
    assert!(cut.stderr.contains(&format!("1 of {of} of shard 2/2")), "{}", cut.stderr);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let world = photos();
    let names = parts(&world, &format!("{SCAN} {READ}"), 2, |_| 1);
    let refused = |files: &str, words: &str| {
        let ran = run(&world, &format!("merge {files}")).expect(2);
        assert!(ran.stdout.is_empty() && ran.stderr.contains(words), "{files}: {}", ran.stderr);
    };
    // The same photos, read otherwise.
    let other = run(&world, &format!("{SCAN} --mirrored yes {READ} --shard 2/2"));
    world.file("other.jsonl", other.stdout.as_bytes());
    refused(&format!("{} other.jsonl", names[0]), "other.jsonl, line 1: is of another work");
    // Another photo in the folder of one machine.
    world.file("photos/new.jpg", b"no photo");
    let other = run(&world, &format!("{SCAN} {READ} --shard 2/2"));
    world.file("more.jsonl", other.stdout.as_bytes());
    refused(
        &format!("{} more.jsonl", names[0]),
        "their photos, options, weights or version differ",
    );
    // A line that says something else of the same photo.
    let mut lines = lines_of(&world, &names[0]);
    lines[0]["width"] = json!(1);
    world.file("wrong.jsonl", format!("{}\n", lines[0]).as_bytes());
    refused(&format!("{} wrong.jsonl", names[0]), "and wrong.jsonl, line 1: say different things");
    world.file("whole.jsonl", run(&world, &format!("{SCAN} {READ}")).stdout.as_bytes());
    refused("whole.jsonl", "whole.jsonl, line 1: is no line of a part");
    world.file("empty.jsonl", b"");
    refused("empty.jsonl", "nothing was done there yet");
    refused("none.jsonl", "none.jsonl: cannot be read");
    refused("photos", "expected a file of lines");
}

#[test]
fn lines_of_other_weights_are_not_joined() {
    let world = photos();
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let names = fs::read_dir(&models).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let is_weights = |name: &String| {
        name.ends_with(".onnx") || name.ends_with(".json") && name != "manifest.json"
    };
    let weights: Vec<String> = names.filter(is_weights).collect();
    for name in &weights {
        world.file(&format!("models/{name}"), &fs::read(models.join(name)).unwrap());
    }
    let scan = |shard| run(&world, &format!("{SCAN} {READ} --models models --shard {shard}"));
    world.file("first.jsonl", scan("1/2").stdout.as_bytes());
    for name in weights {
        let path = world.path().join("models").join(&name);
        let before = fs::read(&path).unwrap();
        fs::write(&path, [&before[..], b"\n"].concat()).unwrap();
        world.file("second.jsonl", scan("2/2").stdout.as_bytes());
        let ran = run(&world, "merge first.jsonl second.jsonl").expect(2);
        assert!(ran.stderr.contains("weights or version differ"), "{name}: {}", ran.stderr);
        fs::write(&path, before).unwrap();
    }
    world.file("second.jsonl", scan("2/2").stdout.as_bytes());
    run(&world, "merge first.jsonl second.jsonl").expect(0);
}

/// Runs a command and kills it, so that it cannot tidy up, once a file has so many lines.
fn kill_at(world: &World, args: &str, file: &str, lines: usize) {
    let args: Vec<&str> = args.split_whitespace().collect();
    let mut command = world.command(&args);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).started();
    let path = world.path().join(file);
    let written = || fs::read(&path).unwrap_or_default();
    run.until(|| written().iter().filter(|&&byte| byte == b'\n').count() >= lines);
    run.kill();
}

/// A line that the kill cut off.
fn cut_off(world: &World, file: &str) {
    let path: PathBuf = world.path().join(file);
    let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(b"{\"version\":1,\"image\":\"photos/ki").unwrap();
}

/// Asserts that each line's item is there once.
fn each_once(lines: &[Value]) -> usize {
    let mut counts = BTreeMap::new();
    for line in lines {
        *counts.entry(line["part"]["index"].as_u64().unwrap()).or_insert(0) += 1;
    }
    assert!(counts.values().all(|&count| count == 1), "{counts:?}");
    counts.len()
}

#[test]
fn a_killed_scan_goes_on() {
    let world = photos();
    // So many that it is not done before it is killed.
    let photo = fs::read(world.path().join("photos/10.jpg")).unwrap();
    for number in 0..30 {
        world.file(&format!("photos/many/{number}.jpg"), &photo);
    }
    let call = format!("{SCAN} {READ} --resume done.jsonl");
    kill_at(&world, &call, "done.jsonl", 3);
    cut_off(&world, "done.jsonl");
    let before = fs::read_to_string(world.path().join("done.jsonl")).unwrap();
    let whole = before.rfind('\n').unwrap() + 1;
    let ran = run(&world, &call).expect(1);
    assert!(ran.stdout.is_empty(), "the lines are in the file");
    assert!(ran.stderr.contains("its last line was cut off and is done again"), "{}", ran.stderr);
    assert!(ran.stderr.contains("of 36 are done already"), "{}", ran.stderr);
    let after = fs::read_to_string(world.path().join("done.jsonl")).unwrap();
    assert!(after.starts_with(&before[..whole]), "what was whole is not done again");
    assert_eq!(each_once(&lines_of(&world, "done.jsonl")), 36);
    let merged = run(&world, "merge done.jsonl").expect(0).json();
    let plain = run(&world, &format!("{SCAN} {READ}")).json();
    assert_eq!(lasting(merged), lasting(plain));
    // Nothing is left to do; that a photo could not be read is still told by the exit code.
    let again = run(&world, &call).expect(1);
    assert!(again.stderr.contains("36 of 36 are done already"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(world.path().join("done.jsonl")).unwrap(), after);
}

#[test]
fn a_file_of_another_work_is_not_gone_on_with() {
    let world = photos();
    let call = format!("{SCAN} {READ} --resume done.jsonl");
    run(&world, &call).expect(1);
    let before = fs::read(world.path().join("done.jsonl")).unwrap();
    let refused = |args: &str, words: &str| {
        let ran = run(&world, args).expect(2);
        assert!(ran.stderr.contains(words), "{args}: {}", ran.stderr);
        assert_eq!(fs::read(world.path().join("done.jsonl")).unwrap(), before);
    };
    refused(
        &format!("{SCAN} --only-sets {READ} --resume done.jsonl"),
        "--resume done.jsonl, line 1: is of another work (scan, 6 items)",
    );
    refused("simulate --games 10 --resume done.jsonl", "is of another work (scan, 6 items)");
    let notes = world.file("notes.txt", b"Dear diary\n");
    refused(
        &format!("{SCAN} {READ} --resume notes.txt"),
        "notes.txt, line 1: is no line of a part",
    );
    assert_eq!(fs::read(notes).unwrap(), b"Dear diary\n");
    // Another run is at it.
    let held = fs::OpenOptions::new().append(true).open(world.path().join("done.jsonl")).unwrap();
    held.lock().unwrap();
    refused(&call, "another run is writing there");
    drop(held);
    run(&world, &call).expect(1);
}

#[test]
fn calls_that_cannot_be_split_are_refused() {
    let world = photos();
    for (args, words) in [
        ("scan photos -f json --shard 0/3", "parts count from 1: expected 1/3 to 3/3"),
        ("scan photos -f json --shard 4/3", "expected 1/3 to 3/3"),
        ("scan photos -f json --shard 2", "expected K/N, such as 2/5"),
        ("simulate --shard 1/0", "expected 1 to 100000 parts"),
        ("scan photos --resume done", "add --format json"),
        ("scan photos -f json --out found --resume done", "leave out --out or --resume"),
        ("scan --watch photos -f json --shard 1/2", "neither --watch nor -"),
        ("scan - -f json --shard 1/2", "neither --watch nor -"),
        ("scan photos none -f json --shard 1/2", "none: cannot be read"),
        ("scan photos -f json --resume photos", "is a folder, a device or a pipe"),
        ("general --games 4 --shard 1/2", "add --format json"),
        ("general --games 4 -f json --page p.html --shard 1/2", "leave out --shard"),
        ("simulate --games 10 --plot p --shard 1/2", "--plot needs all games"),
        ("compare --uniformity --shard 1/2", "cannot be used with"),
        ("eval photos --report r --shard 1/2", "cannot be used with"),
        ("render --video f.avi --shard 1/2", "a film is drawn in one run"),
    ] {
        let ran = run(&world, args).expect(2);
        assert!(ran.stdout.is_empty() && ran.stderr.contains(words), "{args}: {}", ran.stderr);
    }
    assert_eq!(world.names("."), ["photos"]);
}

#[test]
fn results_of_parts_may_have_pictures() {
    let world = photos();
    for number in [1, 2] {
        let args = format!("scan photos -r {READ} --shard {number}/2 --out found-{number}");
        assert!(run(&world, &args).code < 2);
    }
    let merged = run(&world, "merge found-1/results.jsonl found-2/results.jsonl").expect(0).json();
    assert_eq!(lasting(merged), lasting(run(&world, &format!("{SCAN} {READ}")).json()));
    let pictures =
        |folder: &str| world.names(folder).iter().filter(|name| name.ends_with(".jpg")).count();
    assert_eq!(pictures("found-1") + pictures("found-2"), 5);
}

#[test]
fn drawn_tables_of_all_parts_are_the_whole() {
    let world = World::new();
    let draw = "render --kind plain --cards 2 --count 5 --seed 3 --size 240x180 --jobs 1";
    run(&world, &format!("{draw} --out whole")).expect(0);
    for number in 1..=2 {
        run(&world, &format!("{draw} --out parts/{number} --shard {number}/2")).expect(0);
    }
    let files = |folder: &str| -> BTreeMap<String, Vec<u8>> {
        let pictures = world.names(folder).into_iter().filter(|name| name.ends_with(".jpg"));
        pictures
            .map(|name| {
                let bytes = fs::read(world.path().join(folder).join(&name)).unwrap();
                (name, bytes)
            })
            .collect()
    };
    let mut all = files("parts/1");
    assert_eq!(all.len(), 3);
    all.extend(files("parts/2"));
    assert_eq!(all, files("whole"));
    // The folder of all parts is one data set.
    let figures = |folder: &str| {
        run(&world, &format!("eval {folder} --format json {READ}")).expect(0).json().remove(0)
    };
    assert_eq!(figures("parts")["all"], figures("whole")["all"]);
    let lines = run(&world, &format!("{draw} --out third --shard 1/2 --resume t.jsonl")).expect(0);
    assert!(lines.stdout.starts_with("3 tables"), "{}", lines.stdout);
    let ran = run(&world, "merge t.jsonl").expect(2);
    assert!(ran.stderr.contains("is one data set"), "{}", ran.stderr);
}

#[test]
fn killed_drawing_goes_on() {
    let world = World::new();
    let draw = "render --kind plain --count 20 --cards 2 --seed 3 --size 160x120 --jobs 1";
    let call = format!("{draw} --out drawn --resume drawn.jsonl");
    kill_at(&world, &call, "drawn.jsonl", 3);
    assert!(!world.path().join("drawn/labels.json").exists());
    let ran = run(&world, &call).expect(0);
    assert!(ran.stderr.contains("of 20 are done already"), "{}", ran.stderr);
    assert_eq!(each_once(&lines_of(&world, "drawn.jsonl")), 20);
    run(&world, &format!("{draw} --out whole")).expect(0);
    for name in world.names("whole") {
        let read = |folder: &str| fs::read(world.path().join(folder).join(&name)).unwrap();
        assert_eq!(read("drawn"), read("whole"), "{name}");
    }
    // Once more: it is all there.
    run(&world, &call).expect(0);
    // What is there without lines is somebody's.
    let ran = run(&world, &format!("{draw} --out drawn --resume other.jsonl")).expect(2);
    assert!(ran.stderr.contains("drawn is not empty"), "{}", ran.stderr);
    let ran = run(&world, &format!("{draw} --out moved --resume drawn.jsonl")).expect(2);
    assert!(ran.stderr.contains("was drawn before but is not there"), "{}", ran.stderr);
}

#[test]
fn counts_of_games_add_up() {
    let world = World::new();
    let play = "simulate --games 30000 --seed 5 --policy first --format json";
    let whole = run(&world, play).expect(0).stdout;
    let names = parts(&world, play, 4, |_| 0);
    assert_eq!(run(&world, &format!("merge {}", names.join(" "))).expect(0).stdout, whole);
    let ran = run(&world, &format!("merge {}", names[1..].join(" "))).expect(1);
    assert!(ran.stdout.is_empty(), "figures of a part are no figures");
    assert!(ran.stderr.contains("all of shard 1/4") && ran.stderr.contains("no figures"));
    // In one run that is killed.
    let long = "simulate --games 60000000 --seed 5 --jobs 1 --resume games.jsonl";
    kill_at(&world, long, "games.jsonl", 2);
    let lines = each_once(&lines_of(&world, "games.jsonl"));
    assert!((2..1000).contains(&lines));
    // A short one to its end: lines of parts are as good as its own.
    let all: String =
        names.iter().map(|name| fs::read_to_string(world.path().join(name)).unwrap()).collect();
    world.file("short.jsonl", all.as_bytes());
    let ran = run(&world, &format!("{play} --resume short.jsonl")).expect(0);
    assert_eq!(ran.stdout, whole);
    let first = run(&world, &format!("{play} --resume own.jsonl")).expect(0);
    assert_eq!(first.stdout, whole);
    let again = run(&world, &format!("{play} --resume own.jsonl")).expect(0);
    assert_eq!(again.stdout, whole);
    assert!(again.stderr.contains("15 of 15 are done already"), "{}", again.stderr);
}

#[test]
fn games_of_the_generalised_game_are_put_together() {
    let world = World::new();
    let play = "general --values 4 --properties 4 --sets 3 --games 7 --seed 9 --format json";
    let whole = lasting(run(&world, play).expect(0).json());
    let names = parts(&world, play, 3, |_| 0);
    let merged = run(&world, &format!("merge {}", names.join(" "))).expect(0).json();
    assert_eq!(merged[0]["seconds"].as_array().unwrap().len(), 7);
    assert!(merged[0]["mean_seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(lasting(merged), whole);
    kill_at(
        &world,
        "general --values 5 --properties 6 --sets 20 --games 100000 -f json --resume g.jsonl",
        "g.jsonl",
        3,
    );
    assert!(each_once(&lines_of(&world, "g.jsonl")) >= 3);
    let resumed = run(&world, &format!("{play} --resume own.jsonl")).expect(0).json();
    assert_eq!(lasting(resumed), whole);
    let again = run(&world, &format!("{play} --resume own.jsonl")).expect(0).json();
    assert_eq!(lasting(again), whole);
}

#[test]
fn figures_of_photos_add_up() {
    let world = World::new();
    let draw = "render --kind plain --cards 3 --count 2 --seed 3 --size 320x240 --out";
    run(&world, &format!("{draw} tables/one")).expect(0);
    run(&world, &format!("{draw} tables/two --deck rectangles")).expect(0);
    for readers in [READ, "--finder classical --all-readers --jobs 1"] {
        let measure = format!("eval tables --format json {readers}");
        let without_times = |mut figures: Vec<Value>| {
            for figures in &mut figures {
                if let Some(readers) = figures["readers"].as_object_mut() {
                    readers.values_mut().for_each(|figures| {
                        figures["median_cpu_ms"].take();
                    });
                }
                figures["median_cpu_ms"].take();
            }
            figures
        };
        let whole = without_times(run(&world, &measure).expect(0).json());
        let names = parts(&world, &measure, 3, |_| 0);
        let merged = run(&world, &format!("merge {}", names.join(" "))).expect(0).json();
        assert_eq!(without_times(merged), whole);
    }
    let call = format!("eval tables {READ} --resume done.jsonl");
    kill_at(&world, &call, "done.jsonl", 1);
    let text = run(&world, &call).expect(0);
    assert_eq!(each_once(&lines_of(&world, "done.jsonl")), 4);
    assert!(text.stdout.starts_with("reader classical: 4 photos"), "{}", text.stdout);
}

#[test]
fn cells_of_solvers_are_put_together() {
    let world = World::new();
    let compare = "compare --experiment v=3,p=4,n=2..4 --experiment v=3..4,p=4,n=1 \
                   --solver dynamic,cover --games 2 --format json";
    let cells = |line: &Value| -> Vec<Value> {
        let experiments = line["experiments"].as_array().unwrap().iter();
        experiments
            .flat_map(|experiment| experiment["cells"].as_array().unwrap())
            .map(|cell| json!([cell["values"], cell["sets"], cell["solver"]]))
            .collect()
    };
    let whole = run(&world, &format!("{compare} --out whole")).expect(0).json().remove(0);
    let names = parts(&world, &format!("{compare} --out none"), 2, |_| 0);
    assert!(!world.path().join("none").exists(), "a report is of all cells");
    let merged = run(&world, &format!("merge {}", names.join(" "))).expect(0).json().remove(0);
    assert_eq!(cells(&merged), cells(&whole));
    assert!(whole.as_object().unwrap().keys().eq(merged.as_object().unwrap().keys()));
    let resumed = run(&world, &format!("{compare} --out again --resume c.jsonl")).expect(0);
    let before = lines_of(&world, "c.jsonl");
    assert_eq!(each_once(&before), 5);
    let again = run(&world, &format!("{compare} --out again --resume c.jsonl")).expect(0);
    assert_eq!(again.stdout, resumed.stdout, "no cell is measured twice");
    assert_eq!(world.names("again"), world.names("whole"));
}
