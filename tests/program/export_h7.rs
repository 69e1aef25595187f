//! `setsight export h7`: what a network costs on the board, and what the pages say of it.

use crate::common::World;
use serde_json::Value;
use setsight_nets::graph::{Conv, Graph, Node, Op};
use setsight_nets::onnx;
use setsight_nets::{Kind, Metadata, reader};
use setsight_photo::print::dice::{Dice, Purpose};
use std::path::Path;

fn noise(dice: &mut Dice, n: usize, fan_in: usize) -> Vec<f32> {
    (0..n).map(|_| (dice.normal() * (2.0 / fan_in as f64).sqrt()) as f32).collect()
}

fn conv(
    dice: &mut Dice,
    [inputs, outputs]: [usize; 2],
    side: usize,
    stride: usize,
    groups: usize,
) -> Op {
    let fan_in = inputs / groups * side * side;
    Op::Conv(Conv {
        weights: noise(dice, outputs * fan_in, fan_in),
        bias: noise(dice, outputs, 40),
        kernel: [side; 2],
        stride,
        padding: if side == 1 { [0; 4] } else { [0, 0, 1, 1] },
        dilation: 1,
        groups,
        relu: true,
    })
}

/// A small reader of random weights: it reads nothing right, but exports as a trained one does.
fn untrained() -> Graph {
    let mut dice = Dice::new(1, 0, Purpose::Print);
    let mut ops = vec![
        conv(&mut dice, [3, 8], 3, 2, 1),
        conv(&mut dice, [8, 8], 3, 2, 8),
        conv(&mut dice, [8, 12], 1, 1, 1),
    ];
    ops.extend([Op::MaxPool { size: 2 }, Op::Flatten]);
    let inputs = 12 * 8 * 12;
    ops.push(Op::Dense {
        weights: noise(&mut dice, reader::OUTPUTS * inputs, inputs),
        bias: noise(&mut dice, reader::OUTPUTS, 4),
        relu: false,
    });
    let nodes = ops.into_iter().enumerate().map(|(i, op)| Node { op, inputs: vec![i] }).collect();
    Graph {
        input_channels: reader::CHANNELS,
        input_size: Some([reader::HEIGHT, reader::WIDTH]),
        nodes,
    }
}

/// A number with a comma before the thousands.
fn grouped(value: &Value) -> String {
    let n = value.as_u64().unwrap();
    format!("{},{:03}", n / 1000, n % 1000)
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

#[test]
fn what_a_network_costs_is_counted() {
    let world = World::new();
    world.file("models/reader.onnx", &onnx::encode(&untrained(), &metadata()));
    world.run(&["export", "h7", "--models", "models", "--out", "out"]).expect(0);
    let text = std::fs::read_to_string(world.path().join("out/desk/report.json")).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let net = &report["network"];
    // 47 x 32 pixels of 8 kernels of 27, and so on: counted by hand.
    let expected = 32 * 48 * 8 * 27 + 16 * 24 * 8 * 9 + 16 * 24 * 12 * 8 + 17 * 12 * 8 * 12;
    assert_eq!(net["multiply_accumulates"], expected);
    assert_eq!(net["peak_activation_bytes"], 64 * 96 * 3 + 32 * 48 * 8);
    assert_eq!(report["agreement"]["drawn_board"]["crops"].as_u64().map(|n| n > 200), Some(true));
}

/// Reported before anything is computed: even the network is not looked for.
#[test]
fn a_place_that_cannot_be_written_is_refused_first() {
    let world = World::new();
    world.file("file", b"");
    for out in ["file", "file/out"] {
        let call = ["export", "h7", "--models", "none", "--out", out];
        let ran = world.run(&call).expect(1);
        assert!(ran.stderr.contains(&format!("cannot write {out}: ")), "{}", ran.stderr);
    }
    world.run(&["export", "h7", "--models", "none", "--out", "new/out"]).expect(1);
    assert_eq!(world.names("."), ["file"]);
}

#[test]
fn a_layer_without_an_operator_is_refused() {
    let world = World::new();
    let mut graph = untrained();
    let Op::Conv(conv) = &mut graph.nodes[1].op else { panic!("a convolution") };
    (conv.dilation, conv.padding) = (2, [2; 4]);
    world.file("dilated/reader.onnx", &onnx::encode(&graph, &metadata()));
    let ran = world.run(&["export", "h7", "--models", "dilated", "--out", "board"]).expect(1);
    assert!(ran.stderr.contains("layer 2"), "{}", ran.stderr);
    assert_eq!(world.names("."), ["dilated"]);
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
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let (file, network) = (&report["files"]["board/card.tflite"]["bytes"], &report["network"]);
    let h7 = std::fs::read_to_string(docs.join("lab/h7.md")).unwrap();
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
    let commands = std::fs::read_to_string(docs.join("reference/commands.md")).unwrap();
    let commands = commands.replace('\n', " ");
    assert!(commands.contains(&kilobytes), "docs/reference/commands.md: {kilobytes}");
}
