//! A network with random weights in the shape of a small reader, for tests.

use super::float::Planes;
use setsight_nets::graph::{Conv, Graph, Node, Op};
use setsight_nets::reader;
use setsight_photo::print::dice::{Dice, Purpose};

/// Convolutions of every kind, both pools, and a matrix product.
pub(crate) fn graph(seed: u64) -> Graph {
    let mut dice = Dice::new(seed, 0, Purpose::Print);
    let mut ops = vec![
        conv(&mut dice, [3, 8], [3, 2], 1),
        conv(&mut dice, [8, 8], [3, 1], 8),
        conv(&mut dice, [8, 12], [1, 1], 1),
        Op::MaxPool { size: 2 },
        conv(&mut dice, [12, 12], [3, 2], 12),
        conv(&mut dice, [12, 16], [1, 1], 1),
        Op::AveragePool { size: 2 },
        Op::Flatten,
    ];
    let inputs = 16 * 4 * 6;
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

fn noise(dice: &mut Dice, n: usize, fan_in: usize) -> Vec<f32> {
    (0..n).map(|_| (dice.normal() * (2.0 / fan_in as f64).sqrt()) as f32).collect()
}

fn conv(
    dice: &mut Dice,
    [inputs, outputs]: [usize; 2],
    [side, stride]: [usize; 2],
    groups: usize,
) -> Op {
    let padding = match (side, stride) {
        (1, _) => [0; 4],
        (_, 2) => [0, 0, 1, 1],
        _ => [1; 4],
    };
    let fan_in = inputs / groups * side * side;
    Op::Conv(Conv {
        weights: noise(dice, outputs * fan_in, fan_in),
        bias: noise(dice, outputs, 40),
        kernel: [side; 2],
        stride,
        padding,
        dilation: 1,
        groups,
        relu: true,
    })
}

/// Random pixels in smooth patches.
pub(crate) fn crop(seed: u64) -> Planes {
    let mut dice = Dice::new(seed, 1, Purpose::Pixels);
    let coarse: Vec<f32> = (0..3 * 8 * 12).map(|_| dice.below(256) as f32 / 255.0).collect();
    let mut values = Vec::new();
    for c in 0..3 {
        for y in 0..reader::HEIGHT {
            for x in 0..reader::WIDTH {
                values.push(coarse[(c * 8 + y / 8) * 12 + x / 8]);
            }
        }
    }
    Planes { channels: 3, rows: reader::HEIGHT, columns: reader::WIDTH, values }
}
