//! `setsight train finder`: from nothing to a network, and on from where it stopped.

#![cfg(feature = "train")]

mod common;

use common::{Ran, World};

/// A training of three steps on one thread.
fn train(world: &World, more: &[&str]) -> Ran {
    let short = ["train", "finder", "--scenes", "24", "--validation-scenes", "2", "--out"];
    let mut command = world.command(&[&short, more].concat());
    let output = command.env("RAYON_NUM_THREADS", "1").output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_finder_is_trained_from_nothing_and_goes_on_where_it_stopped() {
    let world = World::new();
    let done = train(&world, &["whole", "--validate-every", "2"]).expect(0);
    assert!(done.stdout.starts_with("whole/finder.onnx: best at step "), "{}", done.stdout);
    assert!(done.stdout.contains("found"), "{}", done.stdout);
    let files = ["checkpoint.bin", "config.json", "curve.csv", "curve.png", "curve.svg"];
    assert_eq!(world.names("whole"), [&files[..], &["finder.onnx"]].concat());
    let bytes = |name: &str| std::fs::read(world.path().join(name)).unwrap();
    assert!(bytes("whole/finder.onnx").len() < 600_000);

    let first = train(&world, &["parts", "--validate-every", "2", "--stop-after", "1"]).expect(1);
    assert!(first.stderr.contains("stopped after step 1 of 3"), "{}", first.stderr);
    train(&world, &["parts", "--validate-every", "2", "--resume"]).expect(0);
    assert!(bytes("whole/finder.onnx") == bytes("parts/finder.onnx"), "the networks differ");

    let other = train(&world, &["whole", "--validate-every", "1", "--resume"]).expect(1);
    assert!(other.stderr.contains("validate_every is 2 there and 1 here"), "{}", other.stderr);
    let anew = train(&world, &["whole"]).expect(1);
    assert!(anew.stderr.contains("--resume"), "{}", anew.stderr);
}

#[test]
fn too_few_tables_are_refused() {
    let world = World::new();
    let ran = world.run(&["train", "finder", "--out", "run", "--scenes", "3"]).expect(2);
    assert!(ran.stderr.contains("'3'") && ran.stderr.contains('8'), "{}", ran.stderr);
}
