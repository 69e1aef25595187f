//! `setsight train`: runs that go on where they stopped, and what cannot be learnt from.

use crate::common::{Ran, Start, World};
use image::{Rgb, RgbImage};

/// Straightened cards with bars for symbols, on white: enough to go through the motions. Between
/// them they have every value of every property.
fn crops(world: &World, codes: &[&str]) {
    let mut labels = String::from("file,code\n");
    for (i, code) in codes.iter().enumerate() {
        let crop = RgbImage::from_fn(96, 64, |x, y| {
            let ink = x / 12 % (2 + i as u32) == 1 && (12..52).contains(&y);
            Rgb(if ink { [60 * i as u8, 160, 90] } else { [235, 233, 228] })
        });
        let mut bytes = std::io::Cursor::new(Vec::new());
        crop.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        world.file(&format!("cards/{code}.png"), bytes.get_ref());
        labels += &format!("{code}.png,{code}\n");
    }
    world.file("cards/labels.csv", labels.as_bytes());
}

const ALL_VALUES: [&str; 3] = ["1fgd", "2opo", "3srs"];

/// A training of four steps.
fn train(world: &World, more: &[&str]) -> Ran {
    let short = ["train", "reader", "--steps", "4", "--validate-every", "2", "--out"];
    let drawn: &[&str] = if more.contains(&"--drawn") { &[] } else { &["--drawn", "8"] };
    let mut command = world.command(&[&short, more, drawn].concat());
    // The outcome does not depend on the number of threads.
    let threads = if more.contains(&"whole") { "3" } else { "1" };
    command.env("RAYON_NUM_THREADS", threads).ended().into()
}

#[test]
fn a_run_that_was_stopped_ends_as_if_it_had_not_been() {
    let world = World::new();
    crops(&world, &ALL_VALUES);
    let done = train(&world, &["whole", "--add", "cards", "--keep-drawn", "drawn.bin"]).expect(0);
    assert!(done.stdout.starts_with("whole/reader.onnx: best at step "), "{}", done.stdout);
    assert!(done.stderr.contains("step 2 of 4: loss "), "{}", done.stderr);
    let files = ["checkpoint.safetensors", "config.json", "curve.csv", "curve.svg"];
    assert_eq!(world.names("whole"), [&files[..], &["reader.onnx"]].concat());
    let curve = std::fs::read_to_string(world.path().join("whole/curve.csv")).unwrap();
    assert_eq!(curve.lines().count(), 3, "{curve}");

    let parts = ["parts", "--add", "cards", "--keep-drawn", "drawn.bin"];
    let first = train(&world, &[&parts[..], &["--stop-after", "3"]].concat()).expect(1);
    let advice = "stopped after step 3 of 4; go on with the same call and --resume";
    assert!(first.stderr.contains(advice), "{}", first.stderr);
    assert_eq!(world.names("parts"), files, "no weights of a part");
    train(&world, &[&parts[..], &["--resume"]].concat()).expect(0);
    let bytes = |name: &str| std::fs::read(world.path().join(name)).unwrap();
    assert!(bytes("whole/reader.onnx") == bytes("parts/reader.onnx"), "the networks differ");

    // The folder is taken, and goes on only with the call that it was begun with.
    let again = train(&world, &parts).expect(1);
    assert!(again.stderr.contains("parts: holds a run already; go on with --resume"));
    let other = train(&world, &[&parts[..], &["--resume", "--seed", "2"]].concat()).expect(1);
    let line = other.line_about("parts");
    assert!(line.contains("seed is 1 there and 2 here"), "{line}");

    // A checkpoint that lost its end, and a folder of another version.
    let whole = bytes("parts/checkpoint.safetensors");
    world.file("parts/checkpoint.safetensors", &whole[..whole.len() / 2]);
    let cut = train(&world, &[&parts[..], &["--resume"]].concat()).expect(1);
    assert!(cut.stderr.contains("parts/checkpoint.safetensors: is cut off"), "{}", cut.stderr);
    let config = String::from_utf8(bytes("parts/config.json")).unwrap();
    let config = config.replace("\"run_version\": 2", "\"run_version\": 0");
    world.file("parts/config.json", config.as_bytes());
    let old = train(&world, &[&parts[..], &["--resume"]].concat()).expect(1);
    assert!(old.stderr.contains("run folder version 0"), "{}", old.stderr);
    let none = train(&world, &["nowhere", "--resume"]).expect(1);
    assert!(none.line_about("nowhere").contains("no run to go on with"), "{}", none.stderr);
}

#[test]
fn a_loss_that_is_no_number_ends_a_training_without_a_network() {
    let world = World::new();
    for rate in ["1e9", "1e38"] {
        let lost = train(&world, &["other", "--keep-drawn", "drawn.bin", "--learning-rate", rate]);
        let lost = lost.expect(1).stderr;
        assert!(lost.contains("a smaller --learning-rate"), "{lost}");
        assert!(!world.path().join("other/reader.onnx").exists());
        std::fs::remove_dir_all(world.path().join("other")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_disk_that_fills_is_told_and_harms_no_checkpoint() {
    let world = World::new();
    train(&world, &["run", "--keep-drawn", "drawn.bin", "--stop-after", "1"]).expect(1);
    let before = std::fs::read(world.path().join("run/checkpoint.safetensors")).unwrap();
    // A checkpoint is larger than a file may grow.
    let args = "train reader --drawn 8 --steps 4 --validate-every 2 --keep-drawn drawn.bin --out run \
                --resume";
    let stderr = world.run_on_a_full_disk(args).expect(1).stderr;
    assert!(stderr.contains("checkpoint.safetensors: cannot be written"), "{stderr}");
    assert!(stderr.contains("make room and go on with --resume"), "{stderr}");
    assert_eq!(std::fs::read(world.path().join("run/checkpoint.safetensors")).unwrap(), before);
    assert!(world.names("run").iter().all(|name| !name.contains(".tmp")), "nothing is left over");
    train(&world, &["run", "--keep-drawn", "drawn.bin", "--resume"]).expect(0);
}

#[test]
fn labels_that_cannot_be_learnt_from_are_named() {
    let world = World::new();
    crops(&world, &ALL_VALUES);
    let says = |more: &[&str], code: i32, parts: &[&str]| {
        let ran = train(&world, &[&["run"], more].concat()).expect(code);
        for part in parts {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
        assert!(!world.path().join("run").exists(), "nothing is begun");
    };
    let add = ["--add", "cards"];
    says(&["--cards", "cards", "--hold-out", "deck"], 2, &["no source deck in cards"]);
    says(&[&add[..], &["--drawn", "0"]].concat(), 2, &["nothing to judge by"]);

    world.file("cards/labels.csv", b"file,code\n1fgd.png,1fgx\n");
    says(&add, 1, &["labels.csv: line 2: \"1fgx\": 'x' at place 4"]);
    world.file("cards/labels.csv", b"file,code\nlost.png,1fgd\n");
    says(&add, 1, &["lost.png is labelled but not in the folder"]);
    world.file("cards/labels.csv", b"file,code\nletter.png,1fgd\n");
    world.file("cards/letter.png", b"Dear reader, I am no image.");
    says(&add, 1, &["cards/letter.png: is not a picture"]);
    world.file("cards/labels.csv", b"file,code\n");
    says(&add, 1, &["cards: no card is labelled there"]);

    let corners = "[[1, 1], [9, 1], [9, 6], [1, 6]]";
    let card = format!("{{\"code\": \"2spd\", \"center\": [5, 3], \"corners\": {corners}}}");
    let photo = format!(
        "{{\"photos\": [{{\"file\": \"a.jpg\", \"width\": 90, \"height\": 60, \"cards\": [{card}, \
         {card}]}}]}}"
    );
    world.file("table/labels.json", photo.as_bytes());
    says(&["--add", "table"], 1, &["a.jpg: card 2spd is labelled twice"]);
    world.file("empty/readme.txt", b"no labels");
    says(&["--add", "empty"], 1, &["empty: neither labels.csv"]);
}

#[test]
fn a_value_without_a_crop_is_named() {
    let world = World::new();
    crops(&world, &["1fgd", "2fpo", "3srs"]);
    world.file("held/cards/labels.csv", b"file,code\n1fgd.png,1fgd\n");
    for source in ["deck", "other"] {
        for file in world.names("cards") {
            let bytes = std::fs::read(world.path().join("cards").join(&file)).unwrap();
            world.file(&format!("sources/{source}/{file}"), &bytes);
        }
    }
    let ran = train(&world, &["run", "--cards", "sources", "--hold-out", "other", "--drawn", "0"])
        .expect(1);
    let line = ran.line_about("deck");
    assert!(ran.stderr.contains("no crop of any open card"), "{}", ran.stderr);
    assert!(line.contains("deck"), "{line}");
}
