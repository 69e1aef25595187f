//! `setsight train finder` and `train refiner`: from nothing to a network, and on from where it stopped.

use crate::common::{Ran, Start, World};
use setsight_nets::Kind;
use setsight_nets::engine::Network;
use setsight_nets::onnx;
use setsight_train::parts::finder::{Finder, Options, draw};
use setsight_train::parts::refiner::{LEAST_IN_VIEW, Refiner};
use setsight_train::{First, Task, Tensor, run_graph};

const SHIPPED: &[u8] = include_bytes!("../../models/finder.onnx");
const REFINER: &[u8] = include_bytes!("../../models/refiner.onnx");

/// A finder's training of three steps.
fn train(world: &World, more: &[&str]) -> Ran {
    train_short(world, &["train", "finder", "--scenes", "24", "--validation-scenes", "2"], more)
}

fn train_short(world: &World, what: &[&str], more: &[&str]) -> Ran {
    let short = [what, &["--out"]].concat();
    let mut command = world.command(&[&short, more].concat());
    // The outcome does not depend on the number of threads.
    let threads = if more.contains(&"whole") { "3" } else { "1" };
    command.env("RAYON_NUM_THREADS", threads).ended().into()
}

#[test]
fn a_finder_is_trained_from_nothing_and_goes_on_where_it_stopped() {
    let world = World::new();
    let done = train(&world, &["whole", "--validate-every", "2"]).expect(0);
    assert!(done.stdout.starts_with("whole/finder.onnx: best at step "), "{}", done.stdout);
    assert!(done.stdout.contains("found"), "{}", done.stdout);
    let files = ["checkpoint.safetensors", "config.json", "curve.csv", "curve.svg"];
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
fn the_shipped_weights_give_the_same_in_training_and_in_the_engine() {
    let (graph, _) = onnx::decode(SHIPPED).unwrap();
    let network = Network::load(SHIPPED, "finder.onnx", Kind::Finder).unwrap();
    let size = [1, 3, 128, 160];
    let pixels: Vec<f32> = draw(77, 0, (160, 128)).planes().collect();
    let trained = run_graph(&graph, Tensor::new(pixels.clone(), &size)).values;
    let engine = network.run(pixels, size).unwrap();
    assert_eq!(engine.shape, [1, 12, 32, 40]);
    let off = trained.iter().zip(&engine.values).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(trained.len() == engine.values.len() && off < 1e-4, "{off}");
}

#[test]
fn the_shipped_weights_find_drawn_cards() {
    let (graph, _) = onnx::decode(SHIPPED).unwrap();
    let task = Finder::new(&Options { validation_scenes: 16, ..Options::new(1) }, First::Chance);
    let judged = task.validate(&|input| run_graph(&graph, input));
    let figure = |name: &str| judged.figures.iter().find(|f| f.0 == name).unwrap().1;
    assert!(figure("found") > 0.85 && figure("right") > 0.9, "{judged:?}");
}

#[test]
fn a_refiner_is_trained_from_nothing_and_goes_on_where_it_stopped() {
    let world = World::new();
    let what = ["train", "refiner", "--steps", "3", "--validation-tables", "2"];
    let done = train_short(&world, &what, &["whole", "--validate-every", "2"]).expect(0);
    assert!(done.stdout.starts_with("whole/refiner.onnx: best at step "), "{}", done.stdout);
    assert!(done.stdout.contains("told right from wrong"), "{}", done.stdout);
    let stop = ["parts", "--validate-every", "2", "--stop-after", "1"];
    let first = train_short(&world, &what, &stop).expect(1);
    assert!(first.stderr.contains("stopped after step 1 of 3"), "{}", first.stderr);
    train_short(&world, &what, &["parts", "--validate-every", "2", "--resume"]).expect(0);
    let bytes = |name: &str| std::fs::read(world.path().join(name)).unwrap();
    assert!(bytes("whole/refiner.onnx") == bytes("parts/refiner.onnx"), "the networks differ");
}

#[test]
fn the_shipped_refiner_tells_right_from_wrong_and_names_cards() {
    let (graph, _) = onnx::decode(REFINER).unwrap();
    let judged = Refiner::new(1, First::Chance, LEAST_IN_VIEW, None, 12)
        .validate(&|input| run_graph(&graph, input));
    let figure = |name: &str| judged.figures.iter().find(|f| f.0 == name).unwrap().1;
    assert!(
        figure("told right from wrong") > 0.9 && figure("corners within 0.16") > 0.6,
        "{judged:?}"
    );
    for property in ["number", "shading", "colour", "shape"] {
        assert!(figure(&format!("{property} right")) > 0.85, "{judged:?}");
    }
}
