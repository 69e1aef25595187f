//! The floating-point network with all intermediate results, for calibration and for comparison
//! with the quantised network, and both with the truth.
//!
//! Plain loops over a chain of layers; a small network takes a millisecond or two.

use super::{crops::Crop, net::Net, reference};
use rayon::prelude::*;
use serde::Serialize;
use setsight_game::cards::{Card, Property};
use setsight_nets::graph::{Conv, Graph, Op};
use setsight_nets::reader;

/// A picture, or a layer's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Planes {
    /// Number of planes.
    pub channels: usize,
    /// Rows of each.
    pub rows: usize,
    /// Columns of each.
    pub columns: usize,
    /// Plane by plane, row by row.
    pub values: Vec<f32>,
}

impl Planes {
    fn new(channels: usize, rows: usize, columns: usize) -> Self {
        Self { channels, rows, columns, values: vec![0.0; channels * rows * columns] }
    }
}

/// The results of all nodes for one input, in order. The graph must be a chain that
/// [`super::quantise::check`] accepts.
///
/// # Panics
/// If a node cannot be part of a chain, or the input size differs from the first layer's.
pub(crate) fn run(graph: &Graph, input: &Planes) -> Vec<Planes> {
    let mut results: Vec<Planes> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let from = results.last().unwrap_or(input);
        let made = match &node.op {
            Op::Conv(conv) => convolve(from, conv),
            Op::MaxPool { size } => pool(from, *size, *size, f32::MIN, f32::max, |v, _| v),
            Op::AveragePool { size } => {
                pool(from, *size, *size, 0.0, |a, b| a + b, |sum, n| sum / n as f32)
            }
            Op::GlobalAveragePool => {
                pool(from, from.rows, from.columns, 0.0, |a, b| a + b, |sum, n| sum / n as f32)
            }
            Op::Flatten => Planes {
                channels: from.values.len(),
                rows: 1,
                columns: 1,
                values: from.values.clone(),
            },
            Op::Dense { weights, bias, relu } => {
                let rows = weights.chunks_exact(from.values.len()).zip(bias);
                let values: Vec<f32> = rows
                    .map(|(row, b)| {
                        let sum: f32 = row.iter().zip(&from.values).map(|(w, v)| w * v).sum();
                        clip(sum + b, *relu)
                    })
                    .collect();
                Planes { channels: values.len(), rows: 1, columns: 1, values }
            }
            Op::Add { .. } | Op::Upsample => panic!("no node of a chain of the board's layers"),
        };
        results.push(made);
    }
    results
}

/// The network's output: its logits.
///
/// # Panics
/// As [`run`], and for a graph without nodes.
pub(crate) fn logits(graph: &Graph, input: &Planes) -> Vec<f32> {
    run(graph, input).pop().expect("a graph has nodes").values
}

fn clip(value: f32, relu: bool) -> f32 {
    if relu { value.max(0.0) } else { value }
}

fn convolve(from: &Planes, conv: &Conv) -> Planes {
    let [top, left, bottom, right] = conv.padding;
    let [kernel_rows, kernel_columns] = conv.kernel;
    let rows = (from.rows + top + bottom - kernel_rows) / conv.stride + 1;
    let columns = (from.columns + left + right - kernel_columns) / conv.stride + 1;
    let mut made = Planes::new(conv.outputs(), rows, columns);
    let inputs_a_group = from.channels / conv.groups;
    let outputs_a_group = conv.outputs() / conv.groups;
    let plane_in = from.rows * from.columns;
    for (output, plane) in made.values.chunks_exact_mut(rows * columns).enumerate() {
        plane.fill(conv.bias[output]);
        let group = output / outputs_a_group;
        for i in 0..inputs_a_group {
            let source = &from.values[(group * inputs_a_group + i) * plane_in..][..plane_in];
            for ky in 0..kernel_rows {
                for kx in 0..kernel_columns {
                    let at = ((output * inputs_a_group + i) * kernel_rows + ky) * kernel_columns;
                    let weight = conv.weights[at + kx];
                    for (y, line) in plane.chunks_exact_mut(columns).enumerate() {
                        let from_y = (y * conv.stride + ky).wrapping_sub(top);
                        if from_y >= from.rows {
                            continue;
                        }
                        let row = &source[from_y * from.columns..][..from.columns];
                        // Columns whose pixel lies in the picture.
                        let first = left.saturating_sub(kx).div_ceil(conv.stride);
                        let end = ((from.columns + left).saturating_sub(kx))
                            .div_ceil(conv.stride)
                            .min(columns);
                        let pixels =
                            row[(first * conv.stride + kx - left)..].iter().step_by(conv.stride);
                        for (sum, v) in line[first..end].iter_mut().zip(pixels) {
                            *sum += weight * v;
                        }
                    }
                }
            }
        }
        for value in plane {
            *value = clip(*value, conv.relu);
        }
    }
    made
}

fn pool(
    from: &Planes,
    height: usize,
    width: usize,
    start: f32,
    join: fn(f32, f32) -> f32,
    end: fn(f32, usize) -> f32,
) -> Planes {
    let mut made = Planes::new(from.channels, from.rows / height, from.columns / width);
    for c in 0..from.channels {
        for y in 0..made.rows {
            for x in 0..made.columns {
                let mut value = start;
                for dy in 0..height {
                    let at = (c * from.rows + y * height + dy) * from.columns + x * width;
                    value = from.values[at..at + width].iter().copied().fold(value, join);
                }
                made.values[(c * made.rows + y) * made.columns + x] = end(value, height * width);
            }
        }
    }
    made
}

/// Agreement of the two networks on the same crops.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Agreement {
    pub crops: usize,
    /// Number of crops that both read as the same card, right or wrong.
    pub same_card: usize,
    /// The same count for each property, in the order of [`Property::ALL`].
    pub same_value: [usize; 4],
    /// Cards that the floating-point network reads correctly.
    pub float_right: usize,
    /// Cards that the quantised network reads correctly.
    pub int8_right: usize,
    /// Mean absolute difference of a logit.
    pub mean_logit_error: f64,
}

impl Agreement {
    /// `count` in per cent of the crops.
    pub(crate) fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.crops.max(1) as f64
    }
}

/// The most likely card: the largest logit of each property.
pub(crate) fn card_of(logits: &[f32]) -> Card {
    Card::from_index((0..reader::PROPERTIES).fold(0, |index, p| {
        let three = &logits[3 * p..3 * p + 3];
        let best = (0..3).rev().max_by(|&a, &b| three[a].total_cmp(&three[b]));
        3 * index + best.expect("three values")
    }))
}

/// The logits that the network's integer outputs represent.
pub(crate) fn int8_logits(net: &Net, bytes: &[i8]) -> Vec<f32> {
    let quant = net.output().quant;
    let made = reference::run(net, bytes);
    made.into_iter()
        .map(|v| (i32::from(v) - quant.zero) as f32 * quant.scale - net.output_offset)
        .collect()
}

/// Runs both networks on all crops.
pub(crate) fn agreement(graph: &Graph, net: &Net, crops: &[Crop]) -> Agreement {
    let all: Vec<Agreement> = crops.par_iter().map(|crop| agreement_on(graph, net, crop)).collect();
    let mut sum = all.iter().fold(Agreement::default(), |sum, one| Agreement {
        crops: sum.crops + 1,
        same_card: sum.same_card + one.same_card,
        same_value: [0, 1, 2, 3].map(|p| sum.same_value[p] + one.same_value[p]),
        float_right: sum.float_right + one.float_right,
        int8_right: sum.int8_right + one.int8_right,
        mean_logit_error: sum.mean_logit_error + one.mean_logit_error,
    });
    sum.mean_logit_error /= sum.crops.max(1) as f64;
    sum
}

fn agreement_on(graph: &Graph, net: &Net, crop: &Crop) -> Agreement {
    let exact = logits(graph, &crop.planes);
    let got = int8_logits(net, &crop.bytes);
    let error: f32 = exact.iter().zip(&got).map(|(a, b)| (a - b).abs()).sum();
    let (a, b) = (card_of(&exact), card_of(&got));
    Agreement {
        crops: 1,
        same_card: usize::from(a == b),
        same_value: Property::ALL.map(|p| usize::from(a.value(p) == b.value(p))),
        float_right: usize::from(a == crop.card),
        int8_right: usize::from(b == crop.card),
        mean_logit_error: f64::from(error) / exact.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_each_three_counts_and_ties_go_to_the_first() {
        let mut logits = vec![0.0; 13];
        assert_eq!(card_of(&logits).index(), 0);
        for card in Card::deck() {
            logits.fill(-1.0);
            for (p, property) in Property::ALL.into_iter().enumerate() {
                logits[3 * p + card.value(property)] = 2.0;
            }
            assert_eq!(card_of(&logits), card);
        }
    }
}
