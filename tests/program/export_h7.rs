//! `setsight export h7`: a folder for the board is made whole, checked, and each fault named.

use crate::common::{Ran, World};
use serde_json::Value;
use setsight_nets::graph::{Conv, Graph, Node, Op};
use setsight_nets::onnx;
use setsight_nets::{Kind, Metadata, reader};
use setsight_photo::print::dice::{Dice, Purpose};
use std::path::Path;

/// A small reader of random weights: it reads nothing right, but exports as a trained one does.
fn untrained() -> Graph {
    let mut dice = Dice::new(1, 0, Purpose::Print);
    let mut noise = |n: usize, fan_in: usize| -> Vec<f32> {
        (0..n).map(|_| (dice.normal() * (2.0 / fan_in as f64).sqrt()) as f32).collect()
    };
    let mut conv = |inputs: usize, outputs: usize, side: usize, stride: usize, groups: usize| {
        let fan_in = inputs / groups * side * side;
        Op::Conv(Conv {
            weights: noise(outputs * fan_in, fan_in),
            bias: noise(outputs, 40),
            kernel: [side; 2],
            stride,
            padding: if side == 1 { [0; 4] } else { [0, 0, 1, 1] },
            dilation: 1,
            groups,
            relu: true,
        })
    };
    let mut ops = vec![conv(3, 8, 3, 2, 1), conv(8, 8, 3, 2, 8), conv(8, 12, 1, 1, 1)];
    ops.extend([Op::MaxPool { size: 2 }, Op::Flatten]);
    let inputs = 12 * 8 * 12;
    ops.push(Op::Dense {
        weights: noise(reader::OUTPUTS * inputs, inputs),
        bias: noise(reader::OUTPUTS, 4),
        relu: false,
    });
    let nodes = ops.into_iter().enumerate().map(|(i, op)| Node { op, inputs: vec![i] }).collect();
    Graph {
        input_channels: reader::CHANNELS,
        input_size: Some([reader::HEIGHT, reader::WIDTH]),
        nodes,
    }
}

fn metadata() -> Metadata {
    Metadata {
        kind: Kind::Reader,
        version: "0".into(),
        training_set: "0".repeat(64),
        command: "a test".into(),
        seed: 1,
    }
}

/// A world with an exported folder `out`.
fn exported() -> World {
    let world = World::new();
    world.file("models/reader.onnx", &onnx::encode(&untrained(), &metadata()));
    let ran = world.run(&["export", "h7", "--models", "models", "--out", "out"]).expect(0);
    assert!(ran.stdout.contains("card.tflite"), "{}", ran.stdout);
    world
}

fn check(world: &World) -> Ran {
    world.run(&["export", "h7", "--check", "out"])
}

fn change(path: &Path, edit: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).unwrap();
    edit(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_folder_is_made_whole_checked_and_every_fault_is_named() {
    let world = exported();
    let on_board =
        ["card.tflite", "card.txt", "card_finder.py", "card_reader.py", "main.py", "set_finder.py"];
    assert_eq!(world.names("out/board"), on_board);
    let beside = ["README.md", "golden.bin", "report.json", "report.md", "selftest.py"];
    assert_eq!(world.names("out/desk"), beside);
    assert_eq!(world.names("out"), ["board", "desk"]);
    assert_eq!(world.names("."), ["models", "out"], "nothing else is left behind");
    let ran = check(&world).expect(0);
    assert!(ran.stdout.contains("out: all good"), "{}", ran.stdout);

    let board = world.path().join("out");
    let text = std::fs::read_to_string(board.join("desk/report.json")).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let net = &report["network"];
    // 47 x 32 pixels of 8 kernels of 27, and so on: counted by hand.
    let expected = 32 * 48 * 8 * 27 + 16 * 24 * 8 * 9 + 16 * 24 * 12 * 8 + 17 * 12 * 8 * 12;
    assert_eq!(net["multiply_accumulates"], expected);
    assert_eq!(net["peak_activation_bytes"], 64 * 96 * 3 + 32 * 48 * 8);
    assert_eq!(report["agreement"]["drawn_board"]["crops"].as_u64().map(|n| n > 200), Some(true));
    let page = std::fs::read_to_string(board.join("desk/report.md")).unwrap();
    assert!(page.contains("estimate") && page.contains("No board was at hand"));

    // The same again gives the same bytes.
    let model = std::fs::read(board.join("board/card.tflite")).unwrap();
    let call = ["export", "h7", "--models", "models", "--out", "out"];
    let ran = world.run(&call).expect(2);
    assert!(ran.stderr.contains("out is not empty"), "{}", ran.stderr);
    world.run(&[&call[..], &["--overwrite"]].concat()).expect(0);
    assert_eq!(std::fs::read(board.join("board/card.tflite")).unwrap(), model);
    assert_eq!(std::fs::read_to_string(board.join("desk/report.json")).unwrap(), text);

    // Faults, each undone.
    /// A file, what is done to it, and the words of the answer.
    type Fault = (&'static str, fn(&mut Vec<u8>), &'static [&'static str]);
    let faults: [Fault; 4] = [
        ("board/main.py", |b| b[40] ^= 1, &["main.py: its SHA-256 is"]),
        ("board/card.tflite", |b| b[5] = b'X', &["card.tflite: its SHA-256"]),
        (
            "desk/golden.bin",
            |b| b.truncate(5000),
            &["golden.bin: 5000 bytes", "cut short or changed"],
        ),
        ("board/card.txt", |b| b[0] = b'x', &["card.txt: its SHA-256"]),
    ];
    for (name, fault, says) in faults {
        let path = board.join(name);
        let whole = std::fs::read(&path).unwrap();
        change(&path, fault);
        let ran = check(&world).expect(1);
        for part in says {
            assert!(ran.stderr.contains(part), "{name}: {part} not in {}", ran.stderr);
        }
        std::fs::write(&path, whole).unwrap();
    }
    std::fs::write(board.join("desk/report.json"), text.replace("\"format\": 2", "\"format\": 1"))
        .unwrap();
    let ran = check(&world).expect(1);
    assert!(ran.stderr.contains("format 1, this program knows 2"), "{}", ran.stderr);
    std::fs::write(board.join("desk/report.json"), "{").unwrap();
    assert!(check(&world).expect(1).stderr.contains("report.json: is no JSON"));
    std::fs::remove_file(board.join("desk/report.json")).unwrap();
    assert!(check(&world).expect(1).stderr.contains("report.json: cannot be read"));
}

/// The internal flash of the plain H7 holds 110 KB in sectors of 512 bytes.
#[test]
fn what_does_not_fit_the_boards_flash_is_refused() {
    let world = exported();
    let room = |ran: &Ran| -> u64 {
        let line = ran.stdout.lines().find(|line| line.contains("sectors")).unwrap().to_owned();
        line.split_whitespace().find_map(|word| word.parse().ok()).unwrap()
    };
    let own = room(&check(&world).expect(0));
    // A picture that just fits, in whole sectors, and one byte more.
    let free = 512 * (220 - own as usize);
    world.file("out/board/photo.jpg", &vec![0; free]);
    assert_eq!(room(&check(&world).expect(0)), 220);
    world.file("out/board/photo.jpg", &vec![0; free + 1]);
    let ran = check(&world).expect(1);
    let words = "its files take 221 sectors of 512 bytes (110.5 KB); the board's internal flash has room \
                 for 220 (110 KB)";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

#[test]
fn bad_calls_and_models_leave_nothing_behind() {
    let world = World::new();
    // A layer that the board's file has no operator for.
    let mut graph = untrained();
    let Op::Conv(conv) = &mut graph.nodes[1].op else { panic!("a convolution") };
    (conv.dilation, conv.padding) = (2, [2; 4]);
    world.file("dilated/reader.onnx", &onnx::encode(&graph, &metadata()));
    let ran = world.run(&["export", "h7", "--models", "dilated", "--out", "board"]).expect(1);
    assert!(ran.stderr.contains("layer 2"), "{}", ran.stderr);
    // A folder of something else is left alone.
    world.file("photos/holiday.jpg", b"dear");
    world.file("models/reader.onnx", &onnx::encode(&untrained(), &metadata()));
    let call = ["export", "h7", "--models", "models", "--out", "photos", "--overwrite"];
    let ran = world.run(&call).expect(2);
    assert!(ran.stderr.contains("holds something else"), "{}", ran.stderr);
    assert_eq!(world.names("photos"), ["holiday.jpg"]);
    let names = ["dilated", "models", "photos"];
    assert_eq!(world.names("."), names);
}

/// The sizes on the pages are those of the reader in the program, and a photo is shown as the board
/// would show it.
#[test]
fn the_pages_tell_the_sizes_of_the_shipped_reader() {
    let world = World::new();
    let photo = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/samples/1-plain-on-wood.jpg");
    let photo = photo.to_str().unwrap();
    let ran = world.run(&["export", "h7", "--out", "out", "--preview", photo]).expect(0);
    assert!(ran.stderr.contains("12 cards and"), "{}", ran.stderr);
    let preview = image::open(world.path().join("out-preview.png")).unwrap();
    assert_eq!((preview.width(), preview.height()), (3 * 320, 3 * 240));
    let report = std::fs::read_to_string(world.path().join("out/desk/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    // With room for a picture.
    let sectors = setsight_h7::parts::flash::sectors_of(&world.path().join("out/board")).unwrap();
    assert!(sectors <= 190, "{sectors}");
    let grouped = |value: &Value| {
        let n = value.as_u64().unwrap();
        format!("{},{:03}", n / 1000, n % 1000)
    };
    let page = |name: &str| {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name))
            .unwrap()
    };
    let (file, network) = (&report["files"]["board/card.tflite"]["bytes"], &report["network"]);
    let h7 = page("lab/h7.md");
    for row in [
        format!("| file | {} bytes |", grouped(file)),
        format!("| arena, upper bound | {} bytes |", grouped(&network["arena_bound_bytes"])),
        format!(
            "| largest layer's input and output | {} bytes |",
            grouped(&network["peak_activation_bytes"])
        ),
        format!("| outputs | {} |", reader::OUTPUTS),
    ] {
        assert!(h7.contains(&row), "docs/lab/h7.md: {row}");
    }
    let kilobytes = format!("({} KB)", file.as_u64().unwrap() / 1000);
    let commands = page("reference/commands.md").replace('\n', " ");
    assert!(commands.contains(&kilobytes), "docs/reference/commands.md: {kilobytes}");
}
