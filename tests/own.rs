//! `setsight train --add` and `setsight models`, as a person calls them.

mod common;

use common::World;

/// Drawn photos with labels, as corrected ones.
fn photos(world: &World, name: &str, seed: &str, count: &str) {
    let args = ["render", "--out", name, "--count", count, "--seed", seed, "--kind", "plain"];
    world.run(&args).expect(0);
}

#[test]
fn from_corrected_photos_to_models_that_are_used() {
    let world = World::new();
    photos(&world, "mine", "5", "4");
    let trained =
        world.run(&["train", "--add", "mine", "--out", "models", "--steps", "3"]).expect(0);
    for words in ["photos kept aside", "drawn tables", "before", "after"] {
        assert!(trained.stdout.contains(words), "{}", trained.stdout);
    }
    let names = world.names("models");
    let expected = [
        "finder.onnx",
        "fusion.json",
        "manifest.json",
        "reader.onnx",
        "refiner.onnx",
        "worth",
        "worth.html",
        "worth.json",
    ];
    assert_eq!(names, expected, "complete, and nothing left over");
    let scan = world.run(&["scan", "mine", "--models", "models", "--format", "json"]).expect(0);
    assert!(!scan.stderr.contains("warning"), "the fusion is that of this reader: {}", scan.stderr);
    world.run(&["export", "onnx", "--help"]).expect(0);

    let home = world.path().join("home");
    let run = |args: &[&str]| -> common::Ran {
        let mut command = world.command(args);
        command.env("HOME", &home).env("XDG_CONFIG_HOME", home.join(".config"));
        command.output().unwrap().into()
    };
    assert_eq!(run(&["models", "show"]).expect(0).stdout, "those inside the program\n");
    run(&["models", "use", "models", "--though-worse"]).expect(0);
    assert!(run(&["models", "show"]).expect(0).stdout.trim_end().ends_with("models"));
    std::fs::remove_file(world.path().join("models/finder.onnx")).unwrap();
    let broken = run(&["scan", "mine"]);
    assert!(
        broken.code != 0 && broken.stderr.contains("setsight models reset"),
        "{}",
        broken.stderr
    );
    run(&["models", "reset"]).expect(0);
    run(&["scan", "mine"]).expect(0);
    let again = run(&["train", "--add", "mine", "--out", "models"]);
    assert!(again.code == 2 && again.stderr.contains("holds models already"), "{}", again.stderr);
    let gone = run(&["models", "use", "nowhere"]);
    assert!(gone.code != 0 && gone.stderr.contains("nowhere"), "{}", gone.stderr);
}

#[test]
fn what_cannot_be_learned_from_is_told_and_leaves_nothing() {
    let world = World::new();
    photos(&world, "one", "6", "1");
    let told = |args: &[&str], words: &str| {
        let ran = world.run(args);
        assert!(ran.code != 0 && ran.stderr.contains(words), "{words}: {}", ran.stderr);
    };
    told(&["train"], "give --add PHOTOS --out MODELS");
    told(&["train", "--add", "one"], "give --add PHOTOS --out MODELS");
    told(&["train", "--add", "nowhere", "--out", "models"], "nowhere");
    told(&["train", "--add", "one", "--out", "models"], "too little to learn from");
    // Labels of another photo.
    let path = world.path().join("one/labels.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut labels: serde_json::Value = serde_json::from_str(&text).unwrap();
    labels["photos"][0]["width"] = 77.into();
    std::fs::write(&path, labels.to_string()).unwrap();
    told(&["train", "--add", "one", "--out", "models"], "they are of another photo");
    assert!(
        !world.path().join("models").exists(),
        "nothing is left of a training that never began"
    );
}

#[test]
fn a_training_that_was_stopped_goes_on() {
    let world = World::new();
    photos(&world, "mine", "7", "3");
    world.file("models/training/fold-1/note", b"as after a stop");
    let args = ["train", "--add", "mine", "--out", "models", "--steps", "2"];
    let refused = world.run(&args);
    assert!(refused.code != 0 && refused.stderr.contains("--resume"), "{}", refused.stderr);
    assert!(world.path().join("models/training/fold-1/note").exists());
    world.run(&[&args[..], &["--resume"]].concat()).expect(0);
    assert!(!world.path().join("models/training").exists());
}
