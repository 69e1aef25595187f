//! `setsight train`: runs that go on where they stopped, and what cannot be learnt from.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_setsight");

/// A short training on a few crops of two decks, on one thread.
fn train(out: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.env("RAYON_NUM_THREADS", "1").args(["train", "reader", "--out"]).arg(out).args(more);
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Straightened cards that hold nothing but their label: enough to go through the motions.
fn crops(folder: &Path) -> PathBuf {
    let cards = folder.join("cards");
    std::fs::create_dir_all(&cards).unwrap();
    let mut labels = String::from("file,code\n");
    for (i, code) in ["1gfd", "2pso", "3ros", "1rsd"].iter().enumerate() {
        let (wide, high) = (96, 64);
        let crop = image::RgbImage::from_fn(wide, high, |x, y| {
            let ink = x / 12 % (2 + i as u32) == 1 && (12..52).contains(&y);
            image::Rgb(if ink { [40 * i as u8, 160, 90] } else { [235, 233, 228] })
        });
        let file = format!("{code}.png");
        crop.save(cards.join(&file)).unwrap();
        labels += &format!("{file},{code}\n");
    }
    std::fs::write(cards.join("labels.csv"), labels).unwrap();
    cards
}

/// Arguments of a run of a few steps.
fn short<'a>(cards: &'a str, steps: &'a str) -> Vec<&'a str> {
    vec!["--add", cards, "--drawn", "12", "--steps", steps, "--validate-every", "2"]
}

#[test]
fn a_run_that_was_stopped_ends_as_if_it_had_not_been() {
    let dir = tempfile::tempdir().unwrap();
    let cards = crops(dir.path());
    let cards = cards.to_str().unwrap();
    let whole = dir.path().join("whole");
    let done = train(&whole, &short(cards, "4"));
    assert!(done.status.success(), "{}", stderr(&done));
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(told.contains("reader.onnx: best at step"), "{told}");
    for file in ["config.json", "checkpoint.bin", "curve.csv", "curve.svg", "curve.png"] {
        assert!(whole.join(file).is_file(), "{file}");
    }
    let curve = std::fs::read_to_string(whole.join("curve.csv")).unwrap();
    assert_eq!(curve.lines().count(), 3, "{curve}");

    // Stopped at once and taken up again, as often as it takes.
    let parts = dir.path().join("parts");
    let mut sittings = 0;
    loop {
        let mut arguments = short(cards, "4");
        if sittings > 0 {
            arguments.push("--resume");
        }
        let mut command = Command::new(PROGRAM);
        command.env("RAYON_NUM_THREADS", "1");
        command.args(["train", "reader", "--out"]).arg(&parts).args(&arguments);
        let sitting = command.output().unwrap();
        sittings += 1;
        if sitting.status.success() {
            break;
        }
        let message = stderr(&sitting);
        assert!(message.contains("go on with the same call and --resume"), "{message}");
        assert!(sittings < 4, "{message}");
    }
    assert_eq!(sittings, 2);
    let bytes = |folder: &Path| std::fs::read(folder.join("reader.onnx")).unwrap();
    assert!(bytes(&whole) == bytes(&parts), "the two networks differ");
}
