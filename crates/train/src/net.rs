//! A network as a plan: one description that yields its initial weights, its pass with gradients,
//! and the [`Graph`] for inference and the exports.

use super::{
    checkpoint::{Array, Role, Weights},
    convolution::{Convolution, Windows},
    layers::{self, NORM_EPSILON, Norm, Tensor},
};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use setsight_nets::graph::{Conv, Graph, Node, Op};

/// The operation of a node of a plan; see [`Op`] for the meaning of each.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// A convolution, with a batch norm after it (Ioffe and Szegedy 2015) or a bias.
    Conv {
        /// Channels in.
        inputs: usize,
        /// Channels out.
        outputs: usize,
        /// Rows and columns of the kernel, which is square.
        kernel: usize,
        /// Step between windows.
        stride: usize,
        /// Zeros added above, left, below, right.
        padding: [usize; 4],
        /// Step between the pixels of a window.
        dilation: usize,
        /// 1, or the number of channels for a depthwise convolution.
        groups: usize,
        /// With a norm; else with a bias.
        norm: bool,
        /// Whether negative results become 0.
        relu: bool,
    },
    /// The largest of each window.
    MaxPool {
        /// Side of the window.
        size: usize,
    },
    /// The mean of each window.
    AveragePool {
        /// Side of the window.
        size: usize,
    },
    /// The mean over all rows and columns.
    GlobalAveragePool,
    /// All values of an image as one row.
    Flatten,
    /// A matrix product with a bias.
    Dense {
        /// Values in.
        inputs: usize,
        /// Values out.
        outputs: usize,
        /// Whether negative results become 0.
        relu: bool,
    },
    /// The elementwise sum of two tensors.
    Add {
        /// Whether negative results become 0.
        relu: bool,
    },
    /// Nearest-neighbour upsampling to twice the rows and columns.
    Upsample,
}

impl Layer {
    /// A 3x3 convolution with norm and ReLU that keeps rows and columns, or halves even ones at
    /// stride 2 with TFLite's `SAME` padding: no zeros above and left.
    pub(crate) fn conv3(inputs: usize, outputs: usize, stride: usize) -> Self {
        let padding = if stride == 2 { [0, 0, 1, 1] } else { [1; 4] };
        let (norm, relu) = (true, true);
        Self::Conv {
            inputs,
            outputs,
            kernel: 3,
            stride,
            padding,
            dilation: 1,
            groups: 1,
            norm,
            relu,
        }
    }

    /// A 3x3 convolution of each channel by itself, with norm and ReLU; see [`Self::conv3`].
    pub(crate) fn depthwise3(channels: usize, stride: usize) -> Self {
        match Self::conv3(channels, channels, stride) {
            Self::Conv { inputs, outputs, kernel, padding, dilation, norm, relu, .. } => {
                let groups = channels;
                Self::Conv {
                    inputs,
                    outputs,
                    kernel,
                    stride,
                    padding,
                    dilation,
                    groups,
                    norm,
                    relu,
                }
            }
            other => other,
        }
    }

    /// A 1x1 convolution with norm and ReLU.
    pub(crate) fn conv1(inputs: usize, outputs: usize) -> Self {
        Self::Conv {
            inputs,
            outputs,
            kernel: 1,
            stride: 1,
            padding: [0; 4],
            dilation: 1,
            groups: 1,
            norm: true,
            relu: true,
        }
    }
}

/// A layer and the tensors it takes: 0 is the input, `i + 1` the result of node `i`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Step {
    /// The operation.
    pub layer: Layer,
    /// Numbers of the tensors it takes.
    pub inputs: Vec<usize>,
}

/// A network without its weights. The last node's result is the output.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Plan {
    /// Channels of the input.
    pub input_channels: usize,
    /// Rows and columns of the input, when they are fixed.
    pub input_size: Option<[usize; 2]>,
    /// Its steps in topological order.
    pub steps: Vec<Step>,
}

/// The statistics of the norms in a batch: index of the array of means, means, variances.
pub(crate) type Statistics = Vec<(usize, Vec<f32>, Vec<f32>)>;

/// A pass for training: what each step computed, for the gradients.
#[derive(Debug)]
pub struct Pass<'a> {
    plan: &'a Plan,
    weights: &'a Weights,
    /// The input, and the result of each step.
    results: Vec<Tensor>,
    /// The norm of each step, where it has one.
    norms: Vec<Option<Norm>>,
}

impl Pass<'_> {
    pub fn output(&self) -> &Tensor {
        self.results.last().expect("the input at least")
    }

    /// The statistics of the norms in this batch.
    pub(crate) fn statistics(&self) -> Statistics {
        let norms = self.norms.iter().zip(self.plan.first_arrays());
        norms
            .filter_map(|(norm, first)| {
                let norm = norm.as_ref()?;
                Some((first + 3, norm.mean.clone(), norm.variance.clone()))
            })
            .collect()
    }

    /// The gradient of a loss for every array, from its gradient with respect to the output; zeros
    /// for arrays that are not trained.
    pub fn gradients(&self, of_output: Vec<f32>) -> Weights {
        let mut found = self.weights.zeros_like();
        let mut gradients: Vec<Option<Vec<f32>>> = vec![None; self.results.len()];
        *gradients.last_mut().expect("the input at least") = Some(of_output);
        let firsts = self.plan.first_arrays();
        for (i, step) in self.plan.steps.iter().enumerate().rev() {
            let Some(gradient) = gradients[i + 1].take() else { continue };
            let of_inputs = self.back(i, firsts[i], gradient, &mut found);
            for (&input, gradient) in step.inputs.iter().zip(of_inputs) {
                match &mut gradients[input] {
                    Some(sum) => sum.iter_mut().zip(&gradient).for_each(|(sum, g)| *sum += g),
                    none => *none = Some(gradient),
                }
            }
        }
        found
    }

    /// Goes back through a step: the gradients of its inputs. Those of its arrays, from `first` on, are put into
    /// `found`.
    fn back(
        &self,
        i: usize,
        first: usize,
        mut gradient: Vec<f32>,
        found: &mut Weights,
    ) -> Vec<Vec<f32>> {
        let step = &self.plan.steps[i];
        let (input, result) = (&self.results[step.inputs[0]], &self.results[i + 1]);
        if step.layer.has_relu() {
            layers::relu_gradient(&mut gradient, &result.values);
        }
        let values = |at: usize| &self.weights.arrays[first + at].values[..];
        let mut put = |at: usize, values: Vec<f32>| found.arrays[first + at].values = values;
        match step.layer {
            Layer::Conv { .. } => {
                let mut gradient = Tensor::new(gradient, &result.shape);
                if let Some(norm) = &self.norms[i] {
                    let (scale, shift) = norm.gradient(&mut gradient, values(1));
                    put(1, scale);
                    put(2, shift);
                } else {
                    put(1, layers::channel_sums(&gradient));
                }
                let windows = step.layer.windows(input);
                put(0, windows.weights_gradient(&input.values, &gradient.values));
                // Nobody asks for the gradient of the network's input.
                if step.inputs[0] == 0 {
                    return Vec::new();
                }
                vec![windows.input_gradient(values(0), &gradient.values)]
            }
            Layer::Dense { .. } => {
                let (of_input, weights, bias) = layers::dense_gradient(input, values(0), &gradient);
                put(0, weights);
                put(1, bias);
                vec![of_input]
            }
            Layer::MaxPool { size } => vec![layers::max_pool_gradient(input, size, &gradient)],
            Layer::AveragePool { size } => {
                vec![layers::average_pool_gradient(input, size, &gradient)]
            }
            Layer::GlobalAveragePool => vec![layers::global_average_gradient(input, &gradient)],
            Layer::Flatten => vec![gradient],
            Layer::Add { .. } => vec![gradient.clone(), gradient],
            Layer::Upsample => vec![layers::upsample_gradient(input, &gradient)],
        }
    }
}

impl Plan {
    /// Initial weights: normal, with the variance that keeps the values' variance under ReLU (He et
    /// al. 2015). The same seed gives the same weights.
    pub fn init(&self, seed: u64) -> Weights {
        let mut rng = Pcg64::seed_from_u64(seed);
        let mut arrays = Vec::new();
        for (i, step) in self.steps.iter().enumerate() {
            let mut put = |part: &str, role, shape: Vec<usize>, values: Vec<f32>| {
                arrays.push(Array { name: format!("{i}.{part}"), role, shape, values });
            };
            match step.layer {
                Layer::Conv { inputs, outputs, kernel, groups, norm, relu, .. } => {
                    let fan_in = inputs / groups * kernel * kernel;
                    let gain: f32 = if relu { 2.0 } else { 1.0 };
                    let values = normals(&mut rng, outputs * fan_in, (gain / fan_in as f32).sqrt());
                    let shape = vec![outputs, inputs / groups, kernel, kernel];
                    put("weight", Role::Weight, shape, values);
                    if norm {
                        put("scale", Role::Scale, vec![outputs], vec![1.0; outputs]);
                        put("bias", Role::Bias, vec![outputs], vec![0.0; outputs]);
                        put("mean", Role::Mean, vec![outputs], vec![0.0; outputs]);
                        put("variance", Role::Variance, vec![outputs], vec![1.0; outputs]);
                    } else {
                        put("bias", Role::Bias, vec![outputs], vec![0.0; outputs]);
                    }
                }
                Layer::Dense { inputs, outputs, relu } => {
                    let gain: f32 = if relu { 2.0 } else { 1.0 };
                    let values = normals(&mut rng, outputs * inputs, (gain / inputs as f32).sqrt());
                    put("weight", Role::Weight, vec![outputs, inputs], values);
                    put("bias", Role::Bias, vec![outputs], vec![0.0; outputs]);
                }
                _ => {}
            }
        }
        Weights { arrays }
    }

    /// The index of the first array of each step.
    fn first_arrays(&self) -> Vec<usize> {
        let mut next = 0;
        let firsts = self.steps.iter().map(|step| {
            let first = next;
            next += match step.layer {
                Layer::Conv { norm: true, .. } => 5,
                Layer::Conv { .. } | Layer::Dense { .. } => 2,
                _ => 0,
            };
            first
        });
        firsts.collect()
    }

    /// The pass for training: norms use the batch's own statistics.
    pub fn forward<'a>(&'a self, weights: &'a Weights, input: Tensor) -> Pass<'a> {
        let mut pass = Pass { plan: self, weights, results: vec![input], norms: Vec::new() };
        for (step, first) in self.steps.iter().zip(self.first_arrays()) {
            let of = |i: usize| &pass.results[step.inputs[i]];
            let values = |at: usize| &weights.arrays[first + at].values[..];
            let mut of_step = None;
            let mut result = match step.layer {
                Layer::Conv { norm, .. } => {
                    let windows = step.layer.windows(of(0));
                    let mut out = convolved(&windows, values(0), of(0));
                    if norm {
                        of_step = Some(Norm::new(&mut out, values(1), values(2)));
                    } else {
                        layers::add_bias(&mut out, values(1));
                    }
                    out
                }
                Layer::Dense { .. } => layers::dense(of(0), values(0), values(1)),
                Layer::MaxPool { size } => layers::max_pool(of(0), size),
                Layer::AveragePool { size } => layers::average_pool(of(0), size),
                Layer::GlobalAveragePool => layers::global_average(of(0)),
                Layer::Flatten => flattened(of(0)),
                Layer::Add { .. } => added(of(0), of(1)),
                Layer::Upsample => layers::upsample(of(0)),
            };
            if step.layer.has_relu() {
                layers::relu(&mut result.values);
            }
            pass.norms.push(of_step);
            pass.results.push(result);
        }
        pass
    }

    /// The network for inference: each norm is folded, with its running mean and variance, into the
    /// convolution before it.
    pub(crate) fn graph(&self, weights: &Weights) -> Graph {
        let mut arrays = weights.arrays.iter().map(|array| &array.values);
        let mut take = || arrays.next().expect("arrays stand in the order of the plan").clone();
        let mut nodes = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let op = match step.layer {
                Layer::Conv { kernel, stride, padding, dilation, groups, norm, relu, .. } => {
                    let mut weights = take();
                    let bias = if norm {
                        let (scale, shift, mean, variance) = (take(), take(), take(), take());
                        let each = weights.len() / scale.len();
                        let mut bias = Vec::with_capacity(scale.len());
                        for (c, row) in weights.chunks_exact_mut(each).enumerate() {
                            let factor = scale[c] / (variance[c] + NORM_EPSILON).sqrt();
                            row.iter_mut().for_each(|w| *w *= factor);
                            bias.push(shift[c] - mean[c] * factor);
                        }
                        bias
                    } else {
                        take()
                    };
                    let kernel = [kernel; 2];
                    Op::Conv(Conv {
                        weights,
                        bias,
                        kernel,
                        stride,
                        padding,
                        dilation,
                        groups,
                        relu,
                    })
                }
                Layer::Dense { relu, .. } => Op::Dense { weights: take(), bias: take(), relu },
                Layer::MaxPool { size } => Op::MaxPool { size },
                Layer::AveragePool { size } => Op::AveragePool { size },
                Layer::GlobalAveragePool => Op::GlobalAveragePool,
                Layer::Flatten => Op::Flatten,
                Layer::Add { relu } => Op::Add { relu },
                Layer::Upsample => Op::Upsample,
            };
            nodes.push(Node { op, inputs: step.inputs.clone() });
        }
        Graph { input_channels: self.input_channels, input_size: self.input_size, nodes }
    }

    /// Weights to continue training a network from: the inverse of [`Self::graph`]. Each folded
    /// norm is restored with the means and variances measured on `pictures`, pictures as training shows
    /// them, so that the first pass computes what the network does. `None` for a network of another
    /// plan.
    pub(crate) fn weights_of(&self, graph: &Graph, pictures: Tensor) -> Option<Weights> {
        let mut weights = self.init(0);
        let nodes = graph.nodes.iter();
        if nodes.len() != self.steps.len()
            || !nodes.zip(&self.steps).all(|(node, step)| node.inputs == step.inputs)
        {
            return None;
        }
        let results = results_of(graph, pictures);
        let mut arrays = weights.arrays.iter_mut();
        let mut put = |values: Vec<f32>| {
            let array = arrays.next()?;
            let fits = array.values.len() == values.len();
            fits.then(|| array.values = values)
        };
        for (node, step) in graph.nodes.iter().zip(&self.steps) {
            match (&node.op, &step.layer) {
                (Op::Conv(conv), Layer::Conv { norm, .. }) => {
                    put(conv.weights.clone())?;
                    if !norm {
                        put(conv.bias.clone())?;
                        continue;
                    }
                    let input = &results[node.inputs[0]];
                    let out = convolved(&windows_of(conv, input), &conv.weights, input);
                    let (mean, variance) = layers::channel_statistics(&out);
                    let deviation = variance.iter().map(|v| (v + NORM_EPSILON).sqrt());
                    put(deviation.collect())?;
                    put(conv.bias.iter().zip(&mean).map(|(bias, mean)| bias + mean).collect())?;
                    put(mean)?;
                    put(variance)?;
                }
                (Op::Dense { weights, bias, .. }, Layer::Dense { .. }) => {
                    put(weights.clone())?;
                    put(bias.clone())?;
                }
                (Op::Conv(_) | Op::Dense { .. }, _)
                | (_, Layer::Conv { .. } | Layer::Dense { .. }) => {
                    return None;
                }
                _ => {}
            }
        }
        Some(weights)
    }

    /// A plan in which each layer takes the result of the one before it.
    pub(crate) fn chain(input_channels: usize, input_size: [usize; 2], layers: Vec<Layer>) -> Self {
        let mut plan = Self { input_channels, input_size: Some(input_size), steps: Vec::new() };
        layers.into_iter().for_each(|layer| plan.then(layer));
        plan
    }

    /// Adds a layer that takes the last result.
    pub(crate) fn then(&mut self, layer: Layer) {
        let last = self.steps.len();
        self.steps.push(Step { layer, inputs: vec![last] });
    }

    /// Adds a layer that takes the last result, and adds its result to that (He et al. 2016).
    pub(crate) fn then_add(&mut self, layer: Layer) {
        let last = self.steps.len();
        self.then(layer);
        self.steps.push(Step { layer: Layer::Add { relu: false }, inputs: vec![last, last + 1] });
    }
}

impl Layer {
    /// Whether negative results become 0.
    fn has_relu(&self) -> bool {
        match *self {
            Self::Conv { relu, .. } | Self::Dense { relu, .. } | Self::Add { relu } => relu,
            _ => false,
        }
    }

    /// A convolution's sizes for an input.
    ///
    /// # Panics
    /// If it is another layer.
    fn windows(&self, input: &Tensor) -> Windows {
        let Self::Conv { outputs, kernel, stride, padding, dilation, groups, .. } = *self else {
            panic!("a convolution, not {self:?}");
        };
        let kernel = [kernel; 2];
        Convolution { outputs, kernel, stride, padding, dilation, groups }.windows(input.maps())
    }
}

/// The pass of a graph, without gradients.
pub fn run_graph(graph: &Graph, input: Tensor) -> Tensor {
    results_of(graph, input).pop().expect("the input at least")
}

fn windows_of(conv: &Conv, input: &Tensor) -> Windows {
    let Conv { kernel, stride, padding, dilation, groups, .. } = *conv;
    let outputs = conv.outputs();
    Convolution { outputs, kernel, stride, padding, dilation, groups }.windows(input.maps())
}

/// A convolution without its bias.
fn convolved(windows: &Windows, weights: &[f32], input: &Tensor) -> Tensor {
    Tensor::new(windows.result(&input.values, weights), &windows.shape_out())
}

/// The input and the result of each node.
fn results_of(graph: &Graph, input: Tensor) -> Vec<Tensor> {
    let mut results = vec![input];
    for node in &graph.nodes {
        let of = |i: usize| &results[node.inputs[i]];
        let (mut result, relu) = match &node.op {
            Op::Conv(conv) => {
                let mut out = convolved(&windows_of(conv, of(0)), &conv.weights, of(0));
                layers::add_bias(&mut out, &conv.bias);
                (out, conv.relu)
            }
            Op::Dense { weights, bias, relu } => (layers::dense(of(0), weights, bias), *relu),
            Op::MaxPool { size } => (layers::max_pool(of(0), *size), false),
            Op::AveragePool { size } => (layers::average_pool(of(0), *size), false),
            Op::GlobalAveragePool => (layers::global_average(of(0)), false),
            Op::Flatten => (flattened(of(0)), false),
            Op::Add { relu } => (added(of(0), of(1)), *relu),
            Op::Upsample => (layers::upsample(of(0)), false),
        };
        if relu {
            layers::relu(&mut result.values);
        }
        results.push(result);
    }
    results
}

fn flattened(maps: &Tensor) -> Tensor {
    let [images, channels, rows, columns] = maps.maps();
    Tensor::new(maps.values.clone(), &[images, channels * rows * columns])
}

fn added(a: &Tensor, b: &Tensor) -> Tensor {
    Tensor::new(a.values.iter().zip(&b.values).map(|(a, b)| a + b).collect(), &a.shape)
}

/// Normally distributed values by Box and Muller (1958).
fn normals(rng: &mut Pcg64, count: usize, deviation: f32) -> Vec<f32> {
    let mut unit = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    (0..count)
        .map(|_| {
            let radius = (-2.0 * (1.0 - unit()).ln()).sqrt();
            (radius * (std::f64::consts::TAU * unit()).cos()) as f32 * deviation
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimiser::State;

    /// A plan with every kind of layer.
    fn plan() -> Plan {
        let mut plan = Plan::chain(
            3,
            [8, 12],
            vec![
                Layer::conv3(3, 4, 2),
                Layer::depthwise3(4, 1),
                Layer::conv1(4, 6),
                Layer::MaxPool { size: 2 },
                Layer::Upsample,
            ],
        );
        plan.steps.push(Step { layer: Layer::Add { relu: true }, inputs: vec![3, 5] });
        plan.steps.push(Step { layer: Layer::AveragePool { size: 2 }, inputs: vec![6] });
        plan.steps.push(Step { layer: Layer::Flatten, inputs: vec![7] });
        let dense = Layer::Dense { inputs: 36, outputs: 5, relu: false };
        plan.steps.push(Step { layer: dense, inputs: vec![8] });
        plan
    }

    fn input() -> Tensor {
        let values = (0..2 * 3 * 8 * 12).map(|i| ((i * 37) % 101) as f32 / 101.0).collect();
        Tensor::new(values, &[2, 3, 8, 12])
    }

    #[test]
    fn the_graph_computes_what_training_saw() {
        let plan = plan();
        let mut state = State::new(plan.init(5));
        let weights = state.weights.clone();
        let trained = plan.forward(&weights, input());
        let statistics = trained.statistics();
        assert_eq!(statistics.len(), 3);
        // The first batch replaces the running statistics, so the graph's norms are those of the
        // batch.
        state.follow(&statistics);
        let graph = plan.graph(&state.weights);
        let used = run_graph(&graph, input());
        for (a, b) in trained.output().values.iter().zip(&used.values) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
        let weights = graph.parameters();
        assert_eq!(weights, 4 * 27 + 4 + 4 * 9 + 4 + 24 + 6 + 36 * 5 + 5);
    }

    #[test]
    fn a_network_becomes_weights_that_compute_the_same() {
        let plan = plan();
        let mut weights = plan.init(5);
        for (i, array) in weights.arrays.iter_mut().enumerate() {
            array.values.iter_mut().for_each(|v| *v = (*v + 0.05 * i as f32).abs() + 0.1);
        }
        let graph = plan.graph(&weights);
        let again = plan.weights_of(&graph, input()).unwrap();
        let wanted = run_graph(&graph, input()).values;
        let folded = run_graph(&plan.graph(&again), input()).values;
        let trained = plan.forward(&again, input());
        for ((wanted, folded), trained) in wanted.iter().zip(folded).zip(&trained.output().values) {
            let most = 1e-3 * wanted.abs().max(1.0);
            assert!(
                (folded - wanted).abs() < most && (trained - wanted).abs() < most,
                "{wanted} {folded} {trained}"
            );
        }
        let other = Plan::chain(3, [8, 12], vec![Layer::conv3(3, 4, 2)]);
        assert!(other.weights_of(&graph, input()).is_none());
    }

    /// Compares the gradients of the mean square of the output with differences.
    fn gradients_are_those_of_differences(plan: &Plan) {
        let weights = plan.init(6);
        let (_, gradients) = mean_square(plan, &weights);
        for (i, array) in weights.arrays.iter().enumerate() {
            for k in [0, array.values.len() - 1] {
                let found = gradients.arrays[i].values[k];
                let [above, below] = [2e-3, -2e-3].map(|step| {
                    let mut moved = weights.clone();
                    moved.arrays[i].values[k] += step;
                    mean_square(plan, &moved).0
                });
                let wanted = (above - below) / 4e-3;
                let name = &array.name;
                assert!(
                    (found - wanted).abs() < 2e-3 + 0.05 * wanted.abs(),
                    "{name} {k}: {found} {wanted}"
                );
            }
        }
    }

    /// The mean square of the output, and its gradients.
    fn mean_square(plan: &Plan, weights: &Weights) -> (f32, Weights) {
        let pass = plan.forward(weights, input());
        let out = &pass.output().values;
        let share = 1.0 / out.len() as f32;
        let loss = out.iter().map(|v| v * v * share).sum::<f32>();
        (loss, pass.gradients(out.iter().map(|v| 2.0 * v * share).collect()))
    }

    #[test]
    fn every_layer_has_the_gradients_of_differences() {
        gradients_are_those_of_differences(&plan());
        let mut biased = Layer::conv1(6, 4);
        if let Layer::Conv { norm, .. } = &mut biased {
            *norm = false;
        }
        let layers = vec![Layer::conv3(3, 6, 1), biased, Layer::GlobalAveragePool];
        gradients_are_those_of_differences(&Plan::chain(3, [8, 12], layers));
    }
}
