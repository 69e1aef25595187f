//! The floating-point network with all intermediate results, for calibration and for comparison
//! with the quantised network.
//!
//! Plain loops over a chain of layers; a small network takes a millisecond or two.

use setsight_nets::graph::{Conv, Graph, Op};

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
