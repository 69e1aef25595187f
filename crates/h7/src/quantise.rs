//! Quantisation to 8-bit integers: activation ranges from calibration crops, weights per channel.

use super::float::{self, Planes};
use super::folder::ExportError;
use super::net::{Activation, Layer, Net, Op, Quant, Weights, Window};
use rayon::prelude::*;
use setsight_nets::graph::{self, Graph};
use setsight_nets::reader;

/// How the range of an activation is derived from the calibration values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Calibration {
    /// From the smallest to the largest value.
    MinMax,
    /// The range that holds this fraction of all values, 0 to 1; values outside saturate.
    Percentile(f64),
}

impl Calibration {
    /// Its name in reports.
    pub(crate) fn name(self) -> String {
        match self {
            Self::MinMax => "min/max".into(),
            Self::Percentile(part) => format!("percentile {}", 100.0 * part),
        }
    }
}

/// Number of histogram bins per activation.
const BINS: usize = 4096;

/// The values of each node's result during calibration.
#[derive(Clone, Debug)]
pub(crate) struct ActivationRanges {
    nodes: Vec<Values>,
}

#[derive(Clone, Debug)]
struct Values {
    least: f32,
    most: f32,
    counts: Vec<u64>,
}

impl ActivationRanges {
    /// Runs the network over the crops.
    ///
    /// # Panics
    /// If there are no crops, or the network does not accept them (see [`check`]).
    pub(crate) fn over(graph: &Graph, crops: &[Planes]) -> Self {
        assert!(!crops.is_empty(), "nothing to calibrate on");
        let extremes: Vec<(f32, f32)> = crops
            .par_iter()
            .map(|crop| {
                float::run(graph, crop)
                    .iter()
                    .map(|planes| {
                        let values = planes.values.iter().copied();
                        values.fold((0.0f32, 0.0f32), |(a, b), v| (a.min(v), b.max(v)))
                    })
                    .collect::<Vec<_>>()
            })
            .reduce_with(|a, b| {
                a.iter().zip(&b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect()
            })
            .expect("there are crops");
        let nodes = crops
            .par_iter()
            .fold(
                || empty(&extremes),
                |mut nodes, crop| {
                    for (values, planes) in nodes.iter_mut().zip(float::run(graph, crop)) {
                        let per_unit = BINS as f32 / (values.most - values.least).max(1e-9);
                        for v in planes.values {
                            let bin = ((v - values.least) * per_unit) as usize;
                            values.counts[bin.min(BINS - 1)] += 1;
                        }
                    }
                    nodes
                },
            )
            .reduce(
                || empty(&extremes),
                |mut a, b| {
                    for (a, b) in a.iter_mut().zip(b) {
                        a.counts.iter_mut().zip(b.counts).for_each(|(a, b)| *a += b);
                    }
                    a
                },
            );
        Self { nodes }
    }

    /// The range of one node's result, which includes 0.
    fn range(&self, node: usize, calibration: Calibration) -> (f32, f32) {
        let values = &self.nodes[node];
        let Calibration::Percentile(part) = calibration else {
            return (values.least, values.most);
        };
        let total: u64 = values.counts.iter().sum();
        // The cut is split between two sides, or all above if no value is negative.
        let sides = if values.least < 0.0 { 2.0 } else { 1.0 };
        let outside = (total as f64 * (1.0 - part) / sides) as u64;
        let cell = (values.most - values.least) / BINS as f32;
        let low = bins_beyond(values.counts.iter(), outside) as f32 * cell;
        let low = if values.least < 0.0 { low } else { 0.0 };
        let high = bins_beyond(values.counts.iter().rev(), outside) as f32 * cell;
        ((values.least + low).min(0.0), (values.most - high).max(0.0))
    }
}

fn empty(extremes: &[(f32, f32)]) -> Vec<Values> {
    let nodes = extremes.iter();
    nodes.map(|&(least, most)| Values { least, most, counts: vec![0; BINS] }).collect()
}

/// Number of bins to cut from one end, which hold no more than `outside`.
fn bins_beyond<'a>(mut counts: impl Iterator<Item = &'a u64>, outside: u64) -> usize {
    let mut count = 0;
    let inside = counts.position(|n| {
        count += n;
        count > outside
    });
    inside.unwrap_or(0)
}

/// Rounds a scale up so that the product of two scales is exact in 32-bit floats. Interpreters
/// multiply scales in 32 or in 64 bits, and both must give the same result.
fn tidy(scale: f32) -> f32 {
    const LOW_BITS: u32 = (1 << 12) - 1;
    f32::from_bits((scale.max(f32::MIN_POSITIVE).to_bits() + LOW_BITS) & !LOW_BITS)
}

fn activation_quant((least, most): (f32, f32)) -> Quant {
    // A layer that is always 0 still needs a scale.
    let scale = tidy(((most - least) / 255.0).max(1e-6));
    let zero = (-128.0 - least / scale).round().clamp(-128.0, 127.0) as i32;
    Quant { scale, zero }
}

/// Quantises weights with one scale per output; biases are in units of input scale times weight
/// scale.
fn quantise_weights(rows: &[Vec<f32>], bias: &[f32], relu: bool, input_scale: f32) -> Weights {
    // The scale is large enough for the bias to fit 32 bits with room for the sum, even if all
    // weights are 0.
    let scales = rows.iter().zip(bias).map(|(row, b)| {
        let least = b.abs() / (input_scale * (1 << 29) as f32);
        let largest = row.iter().fold(0.0f32, |m, w| m.max(w.abs()));
        tidy((largest / 127.0).max(least).max(1e-9))
    });
    let scales: Vec<f32> = scales.collect();
    let values = rows
        .iter()
        .zip(&scales)
        .flat_map(|(row, scale)| {
            row.iter().map(move |w| (w / scale).round().clamp(-127.0, 127.0) as i8)
        })
        .collect();
    let bias = bias
        .iter()
        .zip(&scales)
        .map(|(&b, &s)| (f64::from(b) / (f64::from(input_scale) * f64::from(s))).round() as i32)
        .collect();
    Weights { values, scales, bias, relu }
}

/// Checks that the network can be put on the board: a chain of known layers that takes a card of
/// [`reader::HEIGHT`] x [`reader::WIDTH`] and gives [`reader::OUTPUTS`] values.
pub(crate) fn check(graph: &Graph) -> Result<(), ExportError> {
    walk(graph, &mut |_, _, _, _| None).map(|_| ())
}

/// Quantises the network with the calibrated ranges.
pub(crate) fn quantise(
    graph: &Graph,
    ranges: &ActivationRanges,
    calibration: Calibration,
) -> Result<Net, ExportError> {
    let mut net =
        walk(graph, &mut |node, _, _, _| Some(activation_quant(ranges.range(node, calibration))))?;
    above_zero(&mut net);
    Ok(net)
}

/// Shifts the outputs above 0, see [`Net::output_offset`]: adds the real value of the zero point to
/// every bias, in the bias's units.
fn above_zero(net: &mut Net) {
    let last = net.layers.len() - 1;
    let input_scale = f64::from(net.input_of(last).quant.scale);
    let Layer { op: Op::Conv(_, weights) | Op::Depthwise(_, weights), output } =
        &mut net.layers[last]
    else {
        return;
    };
    let offset = f64::from(output.quant.scale) * f64::from(output.quant.zero + 128);
    for (bias, &scale) in weights.bias.iter_mut().zip(&weights.scales) {
        *bias = bias.saturating_add((offset / (input_scale * f64::from(scale))).round() as i32);
    }
    output.quant.zero = -128;
    net.output_offset = offset as f32;
}

/// Walks the chain; `quant_of` returns the quantisation of a node with weights (node, rows,
/// columns, channels).
#[expect(clippy::too_many_lines, reason = "an arm for each operator")]
fn walk(
    graph: &Graph,
    quant_of: &mut dyn FnMut(usize, usize, usize, usize) -> Option<Quant>,
) -> Result<Net, ExportError> {
    let unscaled = Quant { scale: 1.0, zero: 0 };
    let input = Activation {
        height: reader::HEIGHT,
        width: reader::WIDTH,
        channels: reader::CHANNELS,
        // The firmware's input: each byte XOR 0x80.
        quant: Quant { scale: reader::INPUT_SCALE, zero: -128 },
    };
    if graph.input_channels != input.channels
        || graph.input_size.is_some_and(|size| size != [input.height, input.width])
    {
        return Err(ExportError::Contract(format!(
            "it takes {} channels of {:?}, expected {} of {:?} rows and columns",
            graph.input_channels,
            graph.input_size,
            input.channels,
            [input.height, input.width]
        )));
    }
    let mut layers: Vec<Layer> = Vec::new();
    let mut now = input;
    // Rows, columns and channels before the last `Flatten`, whose order differs from TFLite's.
    let mut flattened: Option<[usize; 3]> = None;
    for (i, node) in graph.nodes.iter().enumerate() {
        let wrong = |reason: String| ExportError::Layer { place: i + 1, reason };
        if node.inputs != [i] {
            return Err(wrong(format!(
                "it takes the results {:?}; only a chain of layers can be exported",
                node.inputs
            )));
        }
        match &node.op {
            graph::Op::Conv(conv) => {
                let (window, depthwise) = window_of(conv, &now).map_err(wrong)?;
                let (height, width) = (
                    window.outputs(now.height, conv.kernel[0]),
                    window.outputs(now.width, conv.kernel[1]),
                );
                let quant = quant_of(i, height, width, conv.outputs()).unwrap_or(unscaled);
                let taps = conv.kernel[0] * conv.kernel[1];
                let inputs = conv.weights.len() / conv.bias.len() / taps;
                // Transposes [output, input, tap] to [output, tap, input].
                let rows: Vec<Vec<f32>> = conv
                    .weights
                    .chunks_exact(inputs * taps)
                    .map(|row| {
                        (0..inputs * taps).map(|j| row[j % inputs * taps + j / inputs]).collect()
                    })
                    .collect();
                let mut weights = quantise_weights(&rows, &conv.bias, conv.relu, now.quant.scale);
                now = Activation { height, width, channels: conv.outputs(), quant };
                let op = if depthwise {
                    // There, channels are the fastest index.
                    let n = conv.outputs();
                    weights.values =
                        (0..taps * n).map(|j| weights.values[j % n * taps + j / n]).collect();
                    Op::Depthwise(window, weights)
                } else {
                    Op::Conv(window, weights)
                };
                layers.push(Layer { op, output: now });
            }
            graph::Op::MaxPool { size } | graph::Op::AveragePool { size } => {
                if *size == 0 || now.height < *size || now.width < *size {
                    return Err(wrong(format!(
                        "a pool of {size} over {} x {} pixels",
                        now.height, now.width
                    )));
                }
                (now.height, now.width) = (now.height / size, now.width / size);
                let pool: fn([usize; 2]) -> Op = match node.op {
                    graph::Op::MaxPool { .. } => Op::MaxPool,
                    _ => Op::AveragePool,
                };
                layers.push(Layer { op: pool([*size; 2]), output: now });
            }
            graph::Op::GlobalAveragePool => {
                let size = [now.height, now.width];
                (now.height, now.width) = (1, 1);
                layers.push(Layer { op: Op::AveragePool(size), output: now });
            }
            graph::Op::Flatten => flattened = Some([now.height, now.width, now.channels]),
            graph::Op::Dense { weights, bias, relu } => {
                let inputs = now.len();
                if weights.len() != inputs * bias.len() || bias.is_empty() {
                    return Err(wrong(format!(
                        "a matrix of {} weights between {inputs} and {} values",
                        weights.len(),
                        bias.len()
                    )));
                }
                let [height, width, channels] =
                    flattened.take().unwrap_or([now.height, now.width, now.channels]);
                let places: Vec<usize> =
                    (0..inputs).map(|j| j % channels * height * width + j / channels).collect();
                let rows: Vec<Vec<f32>> = weights
                    .chunks_exact(inputs)
                    .map(|row| places.iter().map(|&place| row[place]).collect())
                    .collect();
                let weights = quantise_weights(&rows, bias, *relu, now.quant.scale);
                let quant = quant_of(i, 1, 1, bias.len()).unwrap_or(unscaled);
                let window = Window { kernel: [height, width], stride: 1, same: false };
                now = Activation { height: 1, width: 1, channels: bias.len(), quant };
                layers.push(Layer { op: Op::Conv(window, weights), output: now });
            }
            graph::Op::Add { .. } | graph::Op::Upsample => {
                return Err(wrong("sums and enlargements are not exported".into()));
            }
        }
    }
    if now.len() != reader::OUTPUTS || layers.is_empty() {
        return Err(ExportError::Contract(format!(
            "it gives {} values, expected {}",
            now.len(),
            reader::OUTPUTS
        )));
    }
    Ok(Net { input, layers, output_offset: 0.0 })
}

/// The window of a convolution as TFLite describes it, and whether it is depthwise.
fn window_of(conv: &graph::Conv, from: &Activation) -> Result<(Window, bool), String> {
    let [rows, columns] = conv.kernel;
    let taps = rows * columns;
    if conv.bias.is_empty() || taps == 0 || conv.stride == 0 || conv.groups == 0 {
        return Err("an empty convolution".into());
    }
    if conv.dilation != 1 {
        return Err(format!("dilation {}; only 1 is exported", conv.dilation));
    }
    let depthwise = conv.groups == from.channels && conv.groups == conv.outputs();
    if conv.groups != 1 && !depthwise {
        return Err(format!("{} groups; expected 1 or one for each channel", conv.groups));
    }
    if conv.weights.len() != conv.outputs() * taps * from.channels / conv.groups {
        return Err(format!("{} weights, not as many as its shape says", conv.weights.len()));
    }
    let [[top, bottom], [left, right]] =
        [(from.height, rows), (from.width, columns)].map(|(from, kernel)| {
            let total =
                ((from.div_ceil(conv.stride) - 1) * conv.stride + kernel).saturating_sub(from);
            [total / 2, total - total / 2]
        });
    let same = conv.padding == [top, left, bottom, right];
    if !same && conv.padding != [0; 4] {
        return Err(format!(
            "padding {:?} (above, left, below, right); expected none or {:?}",
            conv.padding,
            [top, left, bottom, right]
        ));
    }
    if !same && (from.height < rows || from.width < columns) {
        return Err("a kernel larger than what it looks at".into());
    }
    Ok((Window { kernel: conv.kernel, stride: conv.stride, same }, depthwise && conv.groups > 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{reference, sample};

    #[test]
    fn integers_follow_the_floats() {
        for seed in 0..3 {
            let graph = sample::graph(seed);
            let crops: Vec<Planes> = (0..6).map(|i| sample::crop(seed * 100 + i)).collect();
            let ranges = ActivationRanges::over(&graph, &crops);
            let net = quantise(&graph, &ranges, Calibration::MinMax).unwrap();
            assert_eq!(net.input.quant.zero, -128);
            for crop in &crops {
                let exact = float::logits(&graph, crop);
                let got = reference::run(&net, &crate::bytes_of(crop));
                let quant = net.output().quant;
                let spread = exact.iter().fold(0.0f32, |m, v| m.max(v.abs()));
                for (e, g) in exact.iter().zip(got) {
                    let g = (i32::from(g) - quant.zero) as f32 * quant.scale - net.output_offset;
                    assert!((e - g).abs() < 0.15 * spread, "{e} {g} of {spread}");
                }
            }
        }
    }

    #[test]
    fn a_percentile_cuts_the_tails_only() {
        let mut counts = vec![0; BINS];
        counts[BINS / 4..BINS / 2].fill(10);
        counts[BINS - 1] = 1;
        let ranges = ActivationRanges { nodes: vec![Values { least: -1.0, most: 3.0, counts }] };
        assert_eq!(ranges.range(0, Calibration::MinMax), (-1.0, 3.0));
        let (low, high) = ranges.range(0, Calibration::Percentile(0.99));
        assert!((-0.01..=0.0).contains(&low) && (0.98..1.01).contains(&high), "{low} {high}");
    }

    #[test]
    fn tidy_scales_multiply_exactly() {
        for (a, b) in [(0.0123, 0.00071), (0.9, 0.33), (1e-7, 3.0)] {
            let (a, b) = (tidy(a), tidy(b));
            assert_eq!(f64::from(a * b), f64::from(a) * f64::from(b));
        }
        assert!(tidy(0.1) >= 0.1 && tidy(0.1) < 0.1001);
    }

    #[test]
    fn what_cannot_be_exported_is_named() {
        let mut graph = sample::graph(0);
        let says = |graph: &Graph, part: &str| {
            let error = check(graph).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        let graph::Op::Conv(conv) = &mut graph.nodes[0].op else { panic!() };
        conv.padding = [1, 0, 0, 0];
        says(&graph, "layer 1 of the network cannot be put on the board: padding [1, 0, 0, 0]");
        let mut graph = sample::graph(0);
        graph.nodes.pop();
        says(&graph, "values, expected 17");
        let mut graph = sample::graph(0);
        graph.nodes[1].inputs = vec![0];
        says(&graph, "only a chain");
    }
}
