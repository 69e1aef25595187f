//! The time of a training step on the CPU, without drawing: one of the finder's convolutions with
//! both its gradients, by this crate and by burn, and forward and backward passes of each network.

use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData, module};
use criterion::{Criterion, criterion_group, criterion_main};
use setsight_train::convolution::convolve;
use setsight_train::net::{Live, Output, Plan};
use setsight_train::{finder, reader, refiner};
use std::hint::black_box;

fn tensor(shape: [usize; 4], device: &Device) -> Tensor<4> {
    let count = shape.iter().product::<usize>();
    let values = (0..count).map(|i| (i * 7919 % 1009) as f32 / 1009.0 - 0.5).collect::<Vec<_>>();
    Tensor::from_data(TensorData::new(values, shape), device)
}

fn convolutions(c: &mut Criterion) {
    let device = Device::flex().autodiff();
    let input = tensor([8, 56, 32, 40], &device).require_grad();
    let weights = tensor([56, 56, 3, 3], &device).require_grad();
    let options = ConvOptions::new_with_padding([1; 2], [(1, 1); 2], [1; 2], 1);
    let mut group = c.benchmark_group("convolution and gradients, 8 x 56 x 32 x 40");
    group.sample_size(20);
    group.bench_function("ours", |b| {
        b.iter(|| convolve(input.clone(), weights.clone(), options.clone()).sum().backward());
    });
    group.bench_function("burn's", |b| {
        b.iter(|| {
            module::conv2d(input.clone(), weights.clone(), None, options.clone()).sum().backward()
        });
    });
    group.finish();
}

fn passes(c: &mut Criterion) {
    let device = Device::flex().autodiff();
    let mut group = c.benchmark_group("forward and back");
    group.sample_size(20);
    let mut pass = |name: &str, plan: &Plan, shape: [usize; 4]| {
        let weights = plan.init(1);
        let input = tensor(shape, &device);
        group.bench_function(name, |b| {
            b.iter(|| {
                let live = Live::new(&weights, &device);
                let loss = match plan.forward(&live, black_box(input.clone())).0 {
                    Output::Map(out) => out.mean(),
                    Output::Flat(out) => out.mean(),
                };
                live.gradients(&loss, &weights)
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
