//! The time of a training step, without drawing: one of the finder's convolutions with both its
//! gradients, and forward and backward passes of each network.

use criterion::{Criterion, criterion_group, criterion_main};
use setsight_train::parts::{Convolution, finder, reader, refiner};
use setsight_train::{Plan, Tensor};
use std::hint::black_box;

fn numbers(shape: &[usize]) -> Vec<f32> {
    let count = shape.iter().product::<usize>();
    (0..count).map(|i| (i * 7919 % 1009) as f32 / 1009.0 - 0.5).collect()
}

fn convolutions(c: &mut Criterion) {
    let shape = [8, 56, 32, 40];
    let (input, weights) = (numbers(&shape), numbers(&[56, 56, 3, 3]));
    let convolution = Convolution {
        outputs: 56,
        kernel: [3; 2],
        stride: 1,
        padding: [1; 4],
        dilation: 1,
        groups: 1,
    };
    let windows = convolution.of(shape);
    let mut group = c.benchmark_group("convolution and gradients, 8 x 56 x 32 x 40");
    group.sample_size(20);
    group.bench_function("ours", |b| {
        b.iter(|| {
            let out = windows.result(black_box(&input), &weights);
            (windows.input_gradient(&weights, &out), windows.weights_gradient(&input, &out))
        });
    });
    group.finish();
}

fn passes(c: &mut Criterion) {
    let mut group = c.benchmark_group("forward and back");
    group.sample_size(20);
    let mut pass = |name: &str, plan: &Plan, shape: [usize; 4]| {
        let weights = plan.init(1);
        let input = Tensor::new(numbers(&shape), &shape);
        group.bench_function(name, |b| {
            b.iter(|| {
                let pass = plan.forward(&weights, black_box(input.clone()));
                let count = pass.output().values.len();
                pass.gradients(vec![1.0 / count as f32; count])
            });
        });
    };
    let (width, height) = finder::SIZE_PX;
    let tables = [finder::BATCH, 3, height as usize, width as usize];
    pass("finder, 8 tables", &finder::plan(), tables);
    for (name, plan) in
        [("reader, 64 cards", reader::plan()), ("refiner, 64 outlines", refiner::plan())]
    {
        let [rows, columns] = plan.input_size.expect("cards have a size");
        pass(name, &plan, [64, plan.input_channels, rows, columns]);
    }
    group.finish();
}

criterion_group!(benches, convolutions, passes);
criterion_main!(benches);
