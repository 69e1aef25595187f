//! The reader network and the refiner on twelve cards, on one thread, with the engine of this
//! process: `SETSIGHT_ENGINE=embedded cargo bench --bench networks`, then with `onnxruntime`.

use criterion::{Criterion, criterion_group, criterion_main};
use setsight_nets::engine::{self, Models};
use setsight_photo::geometry::Quad;
use setsight_scenes::{Kind, Params, render};
use setsight_vision::classify::neural::{NeuralReader, input_of};
use setsight_vision::{CardImage, CardOutline, refiner};
use std::hint::black_box;

/// Twelve straightened cards of a plain drawn table.
fn cards() -> Vec<CardImage> {
    let scene = render(&Params::of(Kind::Plain), 1, 0).expect("parameters in range");
    let outline = |card: &setsight_scenes::DrawnCard| CardOutline::at(card.corners_in_image);
    scene
        .cards
        .iter()
        .map(|card| CardImage::rectify(&scene.image, &outline(card)))
        .take(12)
        .collect()
}

fn reading(c: &mut Criterion) {
    let cards = cards();
    assert_eq!(cards.len(), 12, "twelve cards are drawn");
    let Ok(reader) = NeuralReader::load(&Models::Shipped) else {
        eprintln!("no reading network is inside this program: nothing to time");
        return;
    };
    let name = engine::in_use().map_or("none", |engine| engine.name());
    let mut group = c.benchmark_group(format!("reading, {name}, 12 cards"));
    group.bench_function("input", |b| {
        b.iter(|| cards.iter().map(|card| input_of(black_box(card))).collect::<Vec<_>>());
    });
    group.bench_function("logits", |b| {
        b.iter(|| reader.logits(black_box(&cards)).expect("a network that runs"));
    });
    group.finish();
}

fn judging(c: &mut Criterion) {
    let scene = render(&Params::of(Kind::Plain), 1, 0).expect("parameters in range");
    let outlines: Vec<Quad> =
        scene.cards.iter().map(|card| card.corners_in_image).take(12).collect();
    let Ok(network) = Models::Shipped.network(setsight_nets::Kind::Refiner) else {
        eprintln!("no refining network is inside this program: nothing to time");
        return;
    };
    let name = engine::in_use().map_or("none", |engine| engine.name());
    c.bench_function(&format!("judging, {name}, 12 outlines"), |b| {
        b.iter(|| {
            refiner::classify(&scene.image, black_box(&outlines), &network)
                .expect("a network that runs")
        });
    });
}

criterion_group!(benches, reading, judging);
criterion_main!(benches);
