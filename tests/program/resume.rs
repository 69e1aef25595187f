//! A scan that goes on after a kill (`--resume`).

use crate::common::pictures::{bare_table, encoded};
use crate::common::{Ran, Start, World};
use image::ImageFormat;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
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

fn lines_of(world: &World, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(world.path().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
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
    let photo = |line: Value| (line["image"].to_string(), line["cards"].to_string());
    let mut resumed: Vec<_> = lines_of(&world, "done.jsonl").into_iter().map(photo).collect();
    let mut plain: Vec<_> =
        run(&world, &format!("{SCAN} {READ}")).json().into_iter().map(photo).collect();
    resumed.sort();
    plain.sort();
    assert_eq!(resumed, plain);
    // Nothing is left to do; that a photo could not be read is still told by the exit code.
    let again = run(&world, &call).expect(1);
    assert!(again.stderr.contains("36 of 36 are done already"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(world.path().join("done.jsonl")).unwrap(), after);
}
