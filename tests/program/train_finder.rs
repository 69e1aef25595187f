//! `setsight train finder` and `train refiner`: from nothing to a network, and on from where it stopped.

use setsight_nets::Kind;
use setsight_nets::engine::Network;
use setsight_nets::onnx;
use setsight_train::parts::finder::{Finder, Options, draw};
use setsight_train::parts::refiner::{LEAST_IN_VIEW, Refiner};
use setsight_train::{First, Task, Tensor, Validation, run_graph};

const SHIPPED: &[u8] = include_bytes!("../../models/finder.onnx");
const REFINER: &[u8] = include_bytes!("../../models/refiner.onnx");

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

fn figure(judged: &Validation, name: &str) -> f64 {
    judged.figures.iter().find(|figure| figure.0 == name).unwrap().1
}

#[test]
fn the_shipped_weights_find_drawn_cards() {
    let (graph, _) = onnx::decode(SHIPPED).unwrap();
    let task = Finder::new(&Options { validation_scenes: 16, ..Options::new(1) }, First::Chance);
    let judged = task.validate(&|input| run_graph(&graph, input));
    assert!(figure(&judged, "found") > 0.85 && figure(&judged, "right") > 0.9, "{judged:?}");
}

#[test]
fn the_shipped_refiner_tells_right_from_wrong_and_names_cards() {
    let (graph, _) = onnx::decode(REFINER).unwrap();
    let judged = Refiner::new(1, First::Chance, LEAST_IN_VIEW, None, 12)
        .validate(&|input| run_graph(&graph, input));
    assert!(
        figure(&judged, "told right from wrong") > 0.9
            && figure(&judged, "corners within 0.16") > 0.6,
        "{judged:?}"
    );
    for property in ["number", "shading", "colour", "shape"] {
        assert!(figure(&judged, &format!("{property} right")) > 0.85, "{judged:?}");
    }
}
