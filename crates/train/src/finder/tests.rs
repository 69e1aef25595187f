//! Tests of the finder's training as a whole; they take seconds.

use super::{target::SeenCard, *};
use crate::run::{Ended, Keeping, train};
use crate::{layers::tests::gradient_is_that_of_differences, net::run_graph};
use setsight_photo::geometry::{Point, Quad};
use std::{path::Path, sync::atomic::AtomicBool, time::Duration};

/// Two white cards with a dark symbol on grey; each table differs a little from the one before.
fn simple(seed: u64, index: u64, (width, height): (u32, u32)) -> Drawn {
    let (w, h) = (width as usize, height as usize);
    let shift = ((seed + index) % 3) as f64;
    let upright = rectangle((20.0 + shift, 22.0), (10.0, 15.0));
    let lying = rectangle((44.0, 40.0 - shift), (15.0, 10.0));
    let cards = [Quad::new([1, 2, 3, 0].map(|i| upright[i])), Quad::new(lying)];
    let cards = cards.map(SeenCard::uncovered).to_vec();
    let mut rgb = vec![90; 3 * w * h];
    for (i, pixel) in rgb.chunks_exact_mut(3).enumerate() {
        let p = Point::new((i % w) as f64 + 0.5, (i / w) as f64 + 0.5);
        if cards.iter().any(|card| card.symbols[0].0.distance(p) < 4.0) {
            pixel.copy_from_slice(&[150, 30, 40]);
        } else if cards.iter().any(|card| card.corners.contains(p)) {
            pixel.fill(235);
        }
    }
    Drawn::plain((w, h), rgb, cards)
}

fn rectangle((x, y): (f64, f64), (a, b): (f64, f64)) -> [Point; 4] {
    [(-a, -b), (a, -b), (a, b), (-a, b)].map(|(i, j)| Point::new(x + i, y + j))
}

fn task() -> Finder {
    let options = Options { seed: 4, draw: simple, size_px: (64, 64), validation_scenes: 3 };
    Finder::new(&options, First::Chance)
}

fn run(steps: u64, stop_after: Option<u64>, folder: &Path, resume: bool) -> Ended {
    let stop = AtomicBool::new(false);
    let mut settings = settings(4, steps * BATCH as u64, false);
    settings.validate_every = 20;
    let checkpoint_every = Duration::from_secs(600);
    let keeping = Keeping {
        folder,
        resume,
        stop: &stop,
        stop_after,
        checkpoint_every,
        quiet: true,
        on_step: None,
        on_validation: None,
    };
    train(&task(), &settings, &keeping).unwrap()
}

#[test]
fn a_few_simple_tables_are_learnt_by_heart() {
    let dir = tempfile::tempdir().unwrap();
    let Ended::Done(trained) = run(120, None, dir.path(), false) else { panic!("not stopped") };
    let last = trained.history.last().unwrap();
    let figure = |name: &str| last.figures.iter().find(|f| f.0 == name).unwrap().1;
    assert!(figure("found") > 0.99 && figure("right") > 0.99, "{last:?}");
    assert!(last.loss < 0.2 * trained.history[0].loss, "{last:?}");
}

#[test]
fn a_run_taken_up_again_ends_bit_for_bit_where_it_would_have() {
    let dir = tempfile::tempdir().unwrap();
    let (through, halves) = (dir.path().join("through"), dir.path().join("halves"));
    let Ended::Done(one) = run(12, None, &through, false) else { panic!("not stopped") };
    let Ended::Stopped { step } = run(12, Some(6), &halves, false) else { panic!("not done") };
    assert_eq!(step, 6);
    let Ended::Done(other) = run(12, None, &halves, true) else { panic!("not stopped") };
    assert_eq!(one.graph, other.graph);
    assert_eq!(one.loss.to_bits(), other.loss.to_bits());
}

#[test]
fn the_graph_computes_what_training_computed() {
    let task = task();
    let mut weights = task.init(9);
    let batch = task.batch(0);
    let (output, statistics) = {
        let pass = task.plan().forward(&weights, task.input(&batch));
        (pass.output().clone(), pass.statistics())
    };
    // With the batch's own statistics as running statistics, both passes are the same.
    for (at, means, variances) in statistics {
        weights.arrays[at].values = means;
        weights.arrays[at + 1].values = variances;
    }
    let graph = task.plan().graph(&weights);
    let (a, b) = (output.values, run_graph(&graph, task.input(&batch)).values);
    let apart = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(a.len() == BATCH * finder::OUTPUTS * 16 * 16 && apart < 1e-4, "{apart}");
    assert!(a.iter().any(|v| v.abs() > 0.1));
}

#[test]
fn the_network_fits_its_file() {
    let weights = plan().init(1);
    let graph = plan().graph(&weights);
    // Two bytes per weight, as in the file.
    assert!(2 * graph.parameters() < 600_000 - 20_000, "{}", graph.parameters());
    // The maps have a quarter of the photo's sides, whatever its shape.
    let input = Tensor::zeros(&[1, 3, 48, 80]);
    assert_eq!(run_graph(&graph, input).maps(), [1, finder::OUTPUTS, 12, 20]);
}

#[test]
fn a_perfect_answer_costs_least() {
    let task = task();
    let batch = task.batch(0);
    let perfect = task.loss(&right_maps(&batch, None), &batch).total;
    assert!(perfect < 0.01, "{perfect}");
    for spoil in [finder::CARD, finder::SYMBOL, finder::OFFSET] {
        let spoilt = task.loss(&right_maps(&batch, Some(spoil)), &batch).total;
        assert!(spoilt > perfect + 0.1, "{spoil}");
    }
}

fn right_maps(batch: &Batch, spoil: Option<usize>) -> Tensor {
    let [pictures, height, width] = batch.size;
    let (rows, columns) = (height / 4, width / 4);
    let cells = rows * columns;
    let mut maps = Vec::new();
    for picture in 0..pictures {
        for kind in [finder::CARD, finder::SYMBOL] {
            let peaks = &batch.peak[kind][picture * cells..][..cells];
            let sign = if spoil == Some(kind) { -1.0 } else { 1.0 };
            maps.extend(peaks.iter().map(|p| if *p > 0.0 { 6.0 * sign } else { -6.0 }));
        }
        let shape = &batch.shape[picture * SHAPE_PLANES * cells..][..SHAPE_PLANES * cells];
        let off = if spoil == Some(finder::OFFSET) { 1.0 } else { 0.0 };
        maps.extend(shape.iter().map(|v| v + off));
    }
    Tensor::new(maps, &[pictures, finder::OUTPUTS, rows, columns])
}

#[test]
fn the_loss_has_the_gradient_of_differences() {
    let task = task();
    let mut batch = task.batch(0);
    // Losses of thousands of cells, against which a difference of one would drown.
    batch.size[0] = 1;
    let shape = [1, finder::OUTPUTS, 16, 16];
    let count: usize = shape.iter().product();
    let output: Vec<f32> = (0..count).map(|i| ((i * 37) % 101) as f32 / 20.0 - 2.5).collect();
    gradient_is_that_of_differences(&output, 29, |output| {
        task.loss(&Tensor::new(output, &shape), &batch)
    });
}

fn at(x: f64, y: f64) -> Quad {
    let half = Point::new(30.0, 20.0);
    Quad::new(Quad::rectangle(60.0, 40.0).0.map(|p| p - half + Point::new(x, y)))
}

#[test]
fn claims_are_distinguished_from_cards() {
    let card = |x, y| SeenCard::uncovered(at(x, y));
    let claim = |x, y| Candidate { heat: 2.0, quad: at(x, y).in_space(1.0) };
    let mut tally = Tally::default();
    // One card is found slightly off, one missed, one cut by the border and claimed; one claim
    // is false.
    let cards = [card(60.0, 60.0), card(200.0, 60.0), card(-4.0, 200.0)];
    let claims = [claim(63.0, 64.0), claim(0.0, 200.0), claim(200.0, 200.0)];
    tally.add(&claims, &cards, (320, 256));
    assert_eq!((tally.cards, tally.found, tally.false_claims), (2, 1, 1));
    assert_eq!((tally.found_share(), tally.false_claims), (0.5, 1));
}
