//! The networks: the same numbers from every engine, and errors when weights are not right.

use crate::common::Start;
use setsight_nets::engine::{self, Manifest, Models, Network};
use setsight_nets::graph::{Conv, Graph, Node, Op};
use setsight_nets::onnx;
use setsight_nets::{Kind, Metadata, reader, refiner};
use setsight_train::{Tensor, run_graph};
use setsight_vision::ReadingPlan;
use setsight_vision::classify::fusion::Fusion;
use setsight_vision::classify::neural::input_of;
use setsight_vision::{CardImage, CardOutline, FinderChoice, ReaderChoice};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Numbers from -0.5 to 0.5 that look like chance.
fn numbers(n: usize, seed: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * i * 31 + i * 37 + seed * 101) % 199) as f32 / 199.0 - 0.5).collect()
}

fn conv(inputs: usize, outputs: usize, stride: usize, seed: usize) -> Op {
    Op::Conv(Conv {
        weights: numbers(outputs * inputs * 9, seed).iter().map(|w| w / inputs as f32).collect(),
        bias: numbers(outputs, seed + 1),
        kernel: [3, 3],
        stride,
        padding: [1, 1, 1, 1],
        dilation: 1,
        groups: 1,
        relu: true,
    })
}

fn step(op: Op, input: usize) -> Node {
    Node { op, inputs: vec![input] }
}

/// Networks of the right form with weights that nobody trained.
fn untrained(kind: Kind) -> Vec<u8> {
    let nodes = match kind {
        Kind::Reader => vec![
            step(conv(3, 8, 2, 1), 0),
            step(Op::MaxPool { size: 2 }, 1),
            step(conv(8, 16, 2, 3), 2),
            step(Op::AveragePool { size: 2 }, 3),
            step(Op::Flatten, 4),
            step(Op::Dense { weights: numbers(17 * 384, 5), bias: numbers(17, 6), relu: false }, 5),
        ],
        Kind::Finder => vec![
            step(conv(3, 8, 2, 1), 0),
            step(conv(8, 12, 2, 3), 1),
            step(conv(12, 12, 2, 5), 2),
            step(Op::Upsample, 3),
            Node { op: Op::Add { relu: false }, inputs: vec![2, 4] },
            step(conv(12, 12, 1, 7), 5),
        ],
        Kind::Refiner => vec![
            step(conv(3, 8, 2, 1), 0),
            step(conv(8, 16, 2, 3), 1),
            step(Op::AveragePool { size: 4 }, 2),
            step(Op::Flatten, 3),
            step(
                Op::Dense {
                    weights: numbers(refiner::OUTPUTS * 384, 5),
                    bias: numbers(refiner::OUTPUTS, 6),
                    relu: false,
                },
                4,
            ),
        ],
    };
    let graph = Graph { input_channels: 3, input_size: kind.input_size(), nodes };
    let metadata = Metadata {
        kind,
        version: "0.1.0".into(),
        training_set: "00".into(),
        command: "none".into(),
        seed: 1,
    };
    onnx::encode(&graph, &metadata)
}

/// Inputs that no two cards or places share.
fn input(n: usize, rows: usize, columns: usize) -> Vec<f32> {
    numbers(n * 3 * rows * columns, 11).iter().map(|x| x + 0.5).collect()
}

/// Straightened cards of a drawn table and, where they are, photographed ones.
fn cards() -> Vec<CardImage> {
    let params = setsight_scenes::Params {
        size_px: (640, 480),
        ..setsight_scenes::Params::for_kind(setsight_scenes::Kind::Mixed)
    };
    let scene = setsight_scenes::render(&params, 5, 0).unwrap();
    let outline =
        |corners_in_image| CardOutline { score: 1.0, ..CardOutline::at(corners_in_image) };
    let drawn = scene.cards.iter().map(|card| outline(card.corners_in_image));
    let mut cards: Vec<CardImage> =
        drawn.map(|outline| CardImage::rectify(&scene.image, &outline)).collect();
    assert!(cards.len() >= 6);
    for crop in real_crops() {
        cards.push(CardImage::from_crop(image::open(crop).unwrap().to_rgb8()));
    }
    cards
}

/// Some of each source, where there are labelled crops beside the project.
fn real_crops() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cards");
    let Ok(sources) = std::fs::read_dir(&folder) else {
        eprintln!("no crops in ../shared/cards: drawn cards alone");
        return Vec::new();
    };
    let mut found = Vec::new();
    for source in sources.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let mut crops: Vec<PathBuf> = std::fs::read_dir(source)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "jpg"))
            .collect();
        crops.sort();
        let step = crops.len().div_ceil(12).max(1);
        found.extend(crops.into_iter().step_by(step));
    }
    found
}

fn run(network: &Network, n: usize, rows: usize, columns: usize, shape: &[usize]) -> Vec<f32> {
    let output = network.run(input(n, rows, columns), [n, 3, rows, columns]).unwrap();
    assert_eq!(output.shape, shape);
    output.values
}

/// What this process's engine makes of the networks, for sizes that come and go, and last what the
/// reader says of [`cards`] and the refiner of as many pictures.
fn answers(folder: &Path) -> Vec<Vec<f32>> {
    let models = Models::Folder(folder.to_owned());
    let [reads, finds, refines] = Kind::ALL.map(|kind| models.network(kind).unwrap());
    let (height, width) = (reader::HEIGHT, reader::WIDTH);
    let cards = cards();
    let pixels = cards.iter().flat_map(input_of).collect();
    let read = reads.run(pixels, [cards.len(), 3, height, width]).unwrap();
    vec![
        run(&reads, 12, height, width, &[12, 17]),
        run(&finds, 1, 64, 96, &[1, 12, 16, 24]),
        run(&finds, 1, 96, 64, &[1, 12, 24, 16]),
        run(&reads, 1, height, width, &[1, 17]),
        run(&finds, 1, 64, 96, &[1, 12, 16, 24]),
        read.values,
        run(&refines, 12, height, width, &[12, refiner::OUTPUTS]),
    ]
}

const CHILD_FOLDER: &str = "SETSIGHT_TEST_MODELS";

/// Not a test of its own: [`both_engines_and_training_agree`] runs it in a process for each engine.
#[test]
#[ignore = "run by both_engines_and_training_agree"]
fn child_answers() {
    let folder = std::env::var_os(CHILD_FOLDER).expect("started by the test that is named above");
    let folder = Path::new(&folder);
    let answers = answers(folder);
    let name = engine::in_use().unwrap().name();
    let text = serde_json::to_string(&answers).unwrap();
    std::fs::write(folder.join(format!("{name}.json")), text).unwrap();
}

fn answers_of(engine: &str, folder: &Path) -> Result<Vec<Vec<f32>>, String> {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "model::child_answers", "--ignored", "--nocapture"])
        .env(CHILD_FOLDER, folder)
        .env(engine::CHOICE_VARIABLE, engine)
        .ended();
    let file = folder.join(format!("{engine}.json"));
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(serde_json::from_str(&text).unwrap()),
        Err(_) => Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into()),
    }
}

/// The largest difference between two lists of one length.
fn difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    assert!(a.iter().any(|x| x.abs() > 0.05), "a network that gives nothing compares nothing");
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
}

fn shipped_or_untrained(kind: Kind) -> Vec<u8> {
    let shipped = Models::Shipped.read(engine::file_of(kind));
    shipped.map_or_else(|_| untrained(kind), |bytes| bytes.into_owned())
}

/// The shipped networks where there are some; the pass that trains them is the reference.
#[test]
fn both_engines_and_training_agree() {
    let folder = tempfile::tempdir().unwrap();
    for kind in Kind::ALL {
        std::fs::write(folder.path().join(engine::file_of(kind)), shipped_or_untrained(kind))
            .unwrap();
    }
    let embedded = answers_of("embedded", folder.path()).unwrap();

    let (graph, _) = onnx::decode(&shipped_or_untrained(Kind::Reader)).unwrap();
    let cards = cards();
    let pixels: Vec<f32> = cards.iter().flat_map(input_of).collect();
    let shape = [cards.len(), 3, reader::HEIGHT, reader::WIDTH];
    let trained = run_graph(&graph, Tensor::new(pixels, &shape)).values;
    let off = difference(&trained, &embedded[5]);
    assert!(off < 1e-4, "training and the embedded engine differ by {off}");
    let (graph, _) = onnx::decode(&shipped_or_untrained(Kind::Refiner)).unwrap();
    let shape = [12, 3, refiner::HEIGHT, refiner::WIDTH];
    let pictures = Tensor::new(input(12, refiner::HEIGHT, refiner::WIDTH), &shape);
    let refined = run_graph(&graph, pictures).values;
    let off = difference(&refined, &embedded[6]);
    assert!(off < 1e-4, "training and the embedded engine differ by {off}");

    let runtime = match answers_of("onnxruntime", folder.path()) {
        Ok(answers) => answers,
        Err(error) if error.contains("no libonnxruntime") => {
            crate::common::not_run("there is no ONNX Runtime here; tools/setup.sh fetches it");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    for (a, b) in embedded.iter().zip(&runtime) {
        let off = difference(a, b);
        assert!(off < 1e-4, "the engines differ by {off}");
    }
    let off = difference(&trained, &runtime[5]);
    assert!(off < 1e-4, "training and ONNX Runtime differ by {off}");
    // One picture is the same alone and among others, also after other sizes.
    assert!(embedded[3].iter().zip(&embedded[0]).all(|(x, y)| (x - y).abs() < 1e-4));
    assert_eq!(embedded[1], embedded[4]);
}

fn scan(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/samples");
    let photo = std::fs::read_dir(sample)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ext| ext == "jpg"))
        .unwrap();
    Command::new(env!("CARGO_BIN_EXE_setsight"))
        .arg("scan")
        .arg(photo)
        .args(["--format", "json"])
        .args(arguments)
        .envs(variables.iter().copied())
        .ended()
}

/// Exit code, stdout and stderr.
fn streams(output: &Output) -> (Option<i32>, String, String) {
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    (output.status.code(), stdout, stderr)
}

#[track_caller]
fn is_refused(arguments: &[&str], code: i32, words: &[&str]) {
    let (exit, stdout, stderr) = streams(&scan(arguments, &[]));
    assert_eq!((exit, stdout.as_str()), (Some(code), ""), "{stderr}");
    for word in words.iter().chain(&["reader.onnx"]) {
        assert!(stderr.contains(word), "`{word}` is not said: {stderr}");
    }
}

#[test]
fn weights_that_are_not_right_are_named_with_the_fix() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reader.onnx");
    let models = folder.path().to_str().unwrap();
    let arguments = ["--finder", "classical", "--reader", "neural", "--models", models];
    is_refused(&arguments, 2, &["cannot be read", "--models"]);
    let reader = untrained(Kind::Reader);
    for (bytes, reason) in [
        (&b""[..], "it is empty"),
        (&reader[..reader.len() / 2], "not a complete ONNX file"),
        (&b"\xff\xd8\xff\xe0 a picture"[..], "not a complete ONNX file"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        is_refused(&arguments, 1, &[reason, "fetch or train it again"]);
    }
    std::fs::write(&path, untrained(Kind::Finder)).unwrap();
    is_refused(&arguments, 1, &["it is a finder", "expected a reader", "this version wrote"]);
    std::fs::write(&path, &reader).unwrap();
    let (exit, stdout, stderr) = streams(&scan(&arguments, &[]));
    assert_eq!(exit, Some(0), "{stderr}");
    let line: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert!(["onnxruntime", "embedded"].contains(&line["engine"].as_str().unwrap()));
}

#[test]
fn the_shipped_files_are_those_that_the_manifest_names() {
    let manifest: Manifest =
        serde_json::from_slice(&Models::Shipped.read(engine::MANIFEST).unwrap()).unwrap();
    for named in &manifest.files {
        let bytes = Models::Shipped.read(&named.file).unwrap();
        assert_eq!((bytes.len(), engine::sha256(&bytes)), (named.bytes, named.sha256.clone()));
    }
    let fusion = Fusion::load(&Models::Shipped).unwrap();
    assert_eq!(fusion.not_fitted_with(&Models::Shipped).unwrap(), [""; 0]);
    // What the fused reader and the learned finder need is there, so they are the default.
    assert_eq!(ReaderChoice::default(), ReaderChoice::Fused);
    assert_eq!(FinderChoice::default(), FinderChoice::Learned);
    assert!(ReadingPlan::with_models(Models::Shipped).build().is_ok());
}

#[test]
fn a_network_that_the_join_was_not_fitted_with_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let put = |file: &str, bytes: &[u8]| std::fs::write(folder.path().join(file), bytes).unwrap();
    put(engine::FUSION, &Models::Shipped.read(engine::FUSION).unwrap());
    put("reader.onnx", &Models::Shipped.read("reader.onnx").unwrap());
    put("refiner.onnx", &untrained(Kind::Refiner));
    let arguments = ["--finder", "classical", "--models", folder.path().to_str().unwrap()];
    let warned = || {
        let (exit, _, stderr) = streams(&scan(&arguments, &[]));
        assert_eq!(exit, Some(0), "{stderr}");
        stderr.contains("fusion.json was fitted with another reader.onnx")
    };
    let models = Models::Folder(folder.path().to_owned());
    let fusion = Fusion::load(&models).unwrap();
    assert_eq!(fusion.not_fitted_with(&models).unwrap(), ["refiner.onnx"]);
    // The classical finder never asks a refiner.
    assert!(!warned());
    put("reader.onnx", &untrained(Kind::Reader));
    assert_eq!(fusion.not_fitted_with(&models).unwrap(), ["reader.onnx", "refiner.onnx"]);
    assert!(warned());
}
