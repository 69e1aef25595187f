//! `setsight train --add` and `setsight models`, as a person calls them.

use crate::common::{Start, World};

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
        "second-reader.onnx",
        "worth",
        "worth.html",
        "worth.json",
    ];
    assert_eq!(names, expected, "complete, and nothing left over");
    let scan = world.run(&["scan", "mine", "--models", "models", "--format", "json"]).expect(0);
    assert!(!scan.stderr.contains("warning"), "the fusion is that of this reader: {}", scan.stderr);
    for network in ["reader", "finder", "refiner"] {
        let call = ["export", "onnx", "--models", "models", "--network", network, "--out", network];
        let told = world.run(&call).expect(0);
        assert!(told.stdout.contains(&format!("a {network} of")), "{}", told.stdout);
    }
    world.run(&["export", "h7", "--models", "models", "--out", "board"]).expect(0);
    world.run(&["export", "h7", "--check", "board"]).expect(0);
    // The finder by itself: the reader stays as it is to the bit.
    let finder = ["train", "--add", "mine", "--out", "found", "--what", "finder", "--steps", "3"];
    world.run(&finder).expect(0);
    let bytes = |path: &str| std::fs::read(world.path().join(path)).unwrap();
    world.run(&["export", "onnx", "--out", "shipped"]).expect(0);
    assert!(
        bytes("found/reader.onnx") == bytes("shipped")
            && bytes("models/reader.onnx") != bytes("shipped")
    );
    assert_ne!(bytes("found/finder.onnx"), bytes("models/finder.onnx"));

    let home = world.path().join("home");
    let run = |args: &[&str]| -> crate::common::Ran {
        let mut command = world.command(args);
        command.env("HOME", &home).env("XDG_CONFIG_HOME", home.join(".config"));
        command.ended().into()
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
    let told = again.stderr.contains("models: holds a manifest.json already; give another --out");
    assert!(again.code == 2 && told, "{}", again.stderr);
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
    told(&["train", "--add", "one", "--out", "models"], "too little to learn from");
    // Labels of another photo.
    let path = world.path().join("one/labels.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut labels: serde_json::Value = serde_json::from_str(&text).unwrap();
    labels["photos"][0]["width"] = 77.into();
    std::fs::write(&path, labels.to_string()).unwrap();
    told(&["train", "--add", "one", "--out", "models"], "they are of another photo");
    // One card labelled as two.
    let mut labels: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut again = labels["photos"][0]["cards"][0].clone();
    let code = again["code"].as_str().unwrap().to_owned();
    let on_the_table: Vec<String> = labels["photos"][0]["cards"]
        .as_array()
        .unwrap()
        .iter()
        .map(|card| card["code"].as_str().unwrap().to_owned())
        .collect();
    let other = ["1fgd", "2fgd", "3fgd", "1frd", "2frd", "3frd", "1fpd", "2fpd", "3fpd", "1ogd"];
    let other = other
        .iter()
        .chain(&["2ogd", "3ogd", "1ord"])
        .find(|code| !on_the_table.iter().any(|known| known == **code));
    again["code"] = (*other.unwrap()).into();
    labels["photos"][0]["cards"].as_array_mut().unwrap().push(again);
    std::fs::write(&path, labels.to_string()).unwrap();
    told(&["train", "--add", "one", "--out", "models"], "labelled at the same place");
    told(&["train", "--add", "one", "--out", "models"], &code);
    std::fs::write(&path, &text).unwrap();
    assert!(
        !world.path().join("models").exists(),
        "nothing is left of a training that never began"
    );
}

#[test]
fn a_training_that_was_stopped_goes_on() {
    let world = World::new();
    photos(&world, "mine", "7", "3");
    world.file("models/training/lock", b"");
    world.file("models/training/fold-1/note", b"as after a stop");
    let args = ["train", "--add", "mine", "--out", "models", "--steps", "2"];
    let refused = world.run(&args);
    assert!(refused.code != 0 && refused.stderr.contains("--resume"), "{}", refused.stderr);
    assert!(world.path().join("models/training/fold-1/note").exists());
    world.run(&[&args[..], &["--resume"]].concat()).expect(0);
    assert!(!world.path().join("models/training").exists());
}

#[test]
fn two_trainings_do_not_meet_and_a_full_disk_leaves_the_models_in_use_alone() {
    let world = World::new();
    photos(&world, "mine", "8", "3");
    world.file("models/training/note", b"as while another is at work");
    let lock = std::fs::File::create(world.path().join("models/training/lock")).unwrap();
    lock.lock().unwrap();
    let args = ["train", "--add", "mine", "--out", "models", "--steps", "2", "--resume"];
    let second = world.run(&args);
    assert!(second.code == 2 && second.stderr.contains("another training"), "{}", second.stderr);
    drop(lock);
    let full = world.run_on_a_full_disk("train --add mine --out full --steps 2");
    assert!(full.code == 1 && full.stderr.contains("full"), "{}", full.stderr);
    assert!(!world.path().join("full/manifest.json").exists(), "nothing that looks whole");
}
