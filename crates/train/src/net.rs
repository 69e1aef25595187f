//! A network as a plan: one description that yields its initial weights, its forward pass in burn
//! with gradients, and the [`Graph`] for inference and the exports.

use super::convolution::convolve;
use super::weights::{Array, Role, Weights};
use burn::tensor::ops::{AvgPoolOptions, ConvOptions, MaxPoolOptions};
use burn::tensor::{Device, Tensor, TensorData, activation, module};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use setsight_nets::graph::{Conv, Graph, Node, Op};

/// Added to a norm's variance before the root.
const NORM_EPSILON: f32 = 1e-5;

/// What a node of a plan computes, see [`Op`] for the meaning of each.
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
    pub fn conv3(inputs: usize, outputs: usize, stride: usize) -> Self {
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
    pub fn depthwise3(channels: usize, stride: usize) -> Self {
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
    pub fn conv1(inputs: usize, outputs: usize) -> Self {
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
    /// What it computes.
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

/// A tensor of images or of plain rows.
#[derive(Clone, Debug)]
pub enum Output {
    /// `[n, channels, rows, columns]`.
    Map(Tensor<4>),
    /// `[n, values]`.
    Flat(Tensor<2>),
}

impl Output {
    /// The tensor of images.
    ///
    /// # Panics
    /// If it is a tensor of rows, which is a mistake in the plan.
    pub fn map(self) -> Tensor<4> {
        match self {
            Self::Map(tensor) => tensor,
            Self::Flat(_) => panic!("a tensor of rows where the plan needs images"),
        }
    }

    /// The tensor of rows.
    ///
    /// # Panics
    /// If it is a tensor of images, which is a mistake in the plan.
    pub fn flat(self) -> Tensor<2> {
        match self {
            Self::Flat(tensor) => tensor,
            Self::Map(_) => panic!("a tensor of images where the plan needs rows"),
        }
    }

    fn relu(self, wanted: bool) -> Self {
        match self {
            out if !wanted => out,
            Self::Map(tensor) => Self::Map(activation::relu(tensor)),
            Self::Flat(tensor) => Self::Flat(activation::relu(tensor)),
        }
    }
}

/// A trained array as a burn tensor.
enum Leaf {
    One(Tensor<1>),
    Two(Tensor<2>),
    Four(Tensor<4>),
    /// Running statistics, which burn does not hold.
    Followed,
}

/// The trained arrays on a device, ready for a pass with gradients.
pub struct Live {
    leaves: Vec<Leaf>,
}

impl Live {
    /// Puts weights on a device that records gradients.
    pub fn new(weights: &Weights, device: &Device) -> Self {
        let leaf = |array: &Array| {
            if !array.role.is_trained() {
                return Leaf::Followed;
            }
            let data = TensorData::new(array.values.clone(), array.shape.clone());
            match array.shape.len() {
                1 => Leaf::One(Tensor::from_data(data, device).require_grad()),
                2 => Leaf::Two(Tensor::from_data(data, device).require_grad()),
                _ => Leaf::Four(Tensor::from_data(data, device).require_grad()),
            }
        };
        Self { leaves: weights.arrays.iter().map(leaf).collect() }
    }

    /// The gradient of `loss` for every array; zeros for those that are not trained.
    pub fn gradients(&self, loss: &Tensor<1>, weights: &Weights) -> Weights {
        let mut gradients = loss.backward();
        let mut out = weights.zeros_like();
        for (leaf, array) in self.leaves.iter().zip(&mut out.arrays) {
            let data = match leaf {
                Leaf::One(tensor) => tensor.grad_remove(&mut gradients).map(Tensor::into_data),
                Leaf::Two(tensor) => tensor.grad_remove(&mut gradients).map(Tensor::into_data),
                Leaf::Four(tensor) => tensor.grad_remove(&mut gradients).map(Tensor::into_data),
                Leaf::Followed => None,
            };
            if let Some(values) = data.and_then(|data| data.try_to_vec::<f32>().ok()) {
                array.values = values;
            }
        }
        out
    }

    fn one(&self, i: usize) -> Tensor<1> {
        match &self.leaves[i] {
            Leaf::One(tensor) => tensor.clone(),
            _ => unreachable!("arrays stand in the order of the plan"),
        }
    }

    fn two(&self, i: usize) -> Tensor<2> {
        match &self.leaves[i] {
            Leaf::Two(tensor) => tensor.clone(),
            _ => unreachable!("arrays stand in the order of the plan"),
        }
    }

    fn four(&self, i: usize) -> Tensor<4> {
        match &self.leaves[i] {
            Leaf::Four(tensor) => tensor.clone(),
            _ => unreachable!("arrays stand in the order of the plan"),
        }
    }
}

/// The statistics of the norms in a batch: index of the array of means, means, variances.
pub type Statistics = Vec<(usize, Tensor<1>, Tensor<1>)>;

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

    /// The pass for training: norms use the batch's own statistics, which are returned as well.
    pub fn forward(&self, live: &Live, input: Tensor<4>) -> (Output, Statistics) {
        let mut results = vec![Output::Map(input)];
        let mut statistics = Vec::new();
        let mut next = 0;
        for step in &self.steps {
            let of = |i: usize| results[step.inputs[i]].clone();
            let result = match step.layer {
                Layer::Conv { stride, padding, dilation, groups, norm, relu, .. } => {
                    let weight = live.four(next);
                    let options = conv_options(stride, padding, dilation, groups);
                    let mut out = convolve(of(0).map(), weight, options);
                    if norm {
                        let (scale, shift) = (live.one(next + 1), live.one(next + 2));
                        let seen =
                            module::batch_norm_train(out, scale, shift, f64::from(NORM_EPSILON));
                        statistics.push((next + 3, seen.mean, seen.variance));
                        out = seen.output;
                    } else {
                        let outputs = out.dims()[1];
                        out = out + live.one(next + 1).reshape([1, outputs, 1, 1]);
                    }
                    next += if norm { 5 } else { 2 };
                    Output::Map(out).relu(relu)
                }
                Layer::Dense { relu, .. } => {
                    let (weight, bias) = (live.two(next), live.one(next + 1));
                    next += 2;
                    let out = of(0).flat().matmul(weight.transpose()) + bias.unsqueeze::<2>();
                    Output::Flat(out).relu(relu)
                }
                Layer::MaxPool { size } => max_pool(of(0), size),
                Layer::AveragePool { size } => average_pool(of(0), size),
                Layer::GlobalAveragePool => global_average(of(0)),
                Layer::Flatten => Output::Flat(of(0).map().flatten(1, 3)),
                Layer::Add { relu } => add(of(0), of(1)).relu(relu),
                Layer::Upsample => upsample(of(0)),
            };
            results.push(result);
        }
        (results.pop().expect("the input at least"), statistics)
    }

    /// The network for inference: each norm is folded, with its running mean and variance, into the
    /// convolution before it.
    pub fn graph(&self, weights: &Weights) -> Graph {
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
    /// norm is restored with the means and variances measured on `seen`, pictures as training shows
    /// them, so that the first pass computes what the network does. `None` for a network of another
    /// plan.
    pub fn weights_of(&self, graph: &Graph, seen: Tensor<4>) -> Option<Weights> {
        let mut weights = self.init(0);
        let nodes = graph.nodes.iter();
        if nodes.len() != self.steps.len()
            || !nodes.zip(&self.steps).all(|(node, step)| node.inputs == step.inputs)
        {
            return None;
        }
        let results = results_of(graph, seen);
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
                    let without_bias =
                        Conv { bias: vec![0.0; conv.outputs()], relu: false, ..conv.clone() };
                    let input = results[node.inputs[0]].clone().map();
                    let (mean, variance) = of_channels(convolved(&without_bias, input));
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
    pub fn chain(input_channels: usize, input_size: [usize; 2], layers: Vec<Layer>) -> Self {
        let mut plan = Self { input_channels, input_size: Some(input_size), steps: Vec::new() };
        layers.into_iter().for_each(|layer| plan.then(layer));
        plan
    }

    /// Adds a layer that takes the last result.
    pub fn then(&mut self, layer: Layer) {
        let last = self.steps.len();
        self.steps.push(Step { layer, inputs: vec![last] });
    }

    /// Adds a layer that takes the last result, and adds its result to that (He et al. 2016).
    pub fn then_add(&mut self, layer: Layer) {
        let last = self.steps.len();
        self.then(layer);
        self.steps.push(Step { layer: Layer::Add { relu: false }, inputs: vec![last, last + 1] });
    }
}

/// The forward pass of a graph in burn, without gradients.
pub fn run_graph(graph: &Graph, input: Tensor<4>) -> Output {
    results_of(graph, input).pop().expect("the input at least")
}

/// The mean and the variance of each channel over pictures, rows and columns.
fn of_channels(maps: Tensor<4>) -> (Vec<f32>, Vec<f32>) {
    let channels = maps.dims()[1];
    let rows = maps.swap_dims(0, 1).reshape([channels as i32, -1]);
    let mean = rows.clone().mean_dim(1);
    let variance = (rows - mean.clone()).powf_scalar(2.0).mean_dim(1);
    let numbers = |tensor: Tensor<2>| tensor.into_data().try_to_vec().expect("training is in f32");
    (numbers(mean), numbers(variance))
}

/// A convolution with its bias; the caller applies the ReLU.
fn convolved(conv: &Conv, input: Tensor<4>) -> Tensor<4> {
    let device = input.device();
    let shape = [conv.outputs(), conv.inputs() / conv.groups, conv.kernel[0], conv.kernel[1]];
    let weights = Tensor::<4>::from_data(TensorData::new(conv.weights.clone(), shape), &device);
    let options = conv_options(conv.stride, conv.padding, conv.dilation, conv.groups);
    let bias = TensorData::new(conv.bias.clone(), [conv.bias.len()]);
    module::conv2d(input, weights, Some(Tensor::<1>::from_data(bias, &device)), options)
}

/// The input and the result of each node.
fn results_of(graph: &Graph, input: Tensor<4>) -> Vec<Output> {
    let device = input.device();
    let mut results = vec![Output::Map(input)];
    for node in &graph.nodes {
        let of = |i: usize| results[node.inputs[i]].clone();
        let vector = |values: &[f32]| {
            Tensor::<1>::from_data(TensorData::new(values.to_vec(), [values.len()]), &device)
        };
        let result = match &node.op {
            Op::Conv(conv) => Output::Map(convolved(conv, of(0).map())).relu(conv.relu),
            Op::Dense { weights, bias, relu } => {
                let shape = [bias.len(), weights.len() / bias.len()];
                let weights =
                    Tensor::<2>::from_data(TensorData::new(weights.clone(), shape), &device);
                let out = of(0).flat().matmul(weights.transpose());
                Output::Flat(out + vector(bias).unsqueeze::<2>()).relu(*relu)
            }
            Op::MaxPool { size } => max_pool(of(0), *size),
            Op::AveragePool { size } => average_pool(of(0), *size),
            Op::GlobalAveragePool => global_average(of(0)),
            Op::Flatten => Output::Flat(of(0).map().flatten(1, 3)),
            Op::Add { relu } => add(of(0), of(1)).relu(*relu),
            Op::Upsample => upsample(of(0)),
        };
        results.push(result);
    }
    results
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

fn conv_options(
    stride: usize,
    [above, left, below, right]: [usize; 4],
    dilation: usize,
    groups: usize,
) -> ConvOptions<2> {
    let padding = [(above, below), (left, right)];
    ConvOptions::new_with_padding([stride; 2], padding, [dilation; 2], groups)
}

fn max_pool(input: Output, size: usize) -> Output {
    Output::Map(module::max_pool2d(input.map(), MaxPoolOptions::new([size; 2])))
}

fn average_pool(input: Output, size: usize) -> Output {
    Output::Map(module::avg_pool2d(input.map(), AvgPoolOptions::new([size; 2])))
}

fn global_average(input: Output) -> Output {
    let input = input.map();
    let [n, channels, ..] = input.dims();
    Output::Flat(input.flatten::<3>(2, 3).mean_dim(2).reshape([n, channels]))
}

fn add(a: Output, b: Output) -> Output {
    match (a, b) {
        (Output::Map(a), Output::Map(b)) => Output::Map(a + b),
        (a, b) => Output::Flat(a.flat() + b.flat()),
    }
}

fn upsample(input: Output) -> Output {
    let input = input.map();
    let [n, channels, rows, columns] = input.dims();
    let repeated = input.reshape([n * channels, rows, 1, columns, 1]).expand([
        n * channels,
        rows,
        2,
        columns,
        2,
    ]);
    Output::Map(repeated.reshape([n, channels, 2 * rows, 2 * columns]))
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

    fn input(device: &Device) -> Tensor<4> {
        let values = (0..2 * 3 * 8 * 12).map(|i| ((i * 37) % 101) as f32 / 101.0).collect();
        Tensor::from_data(TensorData::new(values, [2, 3, 8, 12]), device)
    }

    fn numbers(output: Output) -> Vec<f32> {
        output.flat().into_data().try_to_vec().unwrap()
    }

    #[test]
    fn the_graph_computes_what_training_saw() {
        let plan = plan();
        let device = Device::default().autodiff();
        let mut state = State::new(plan.init(5));
        let live = Live::new(&state.weights, &device);
        let (trained, statistics) = plan.forward(&live, input(&device));
        let vector = |tensor: Tensor<1>| tensor.into_data().try_to_vec::<f32>().unwrap();
        let seen: Vec<_> =
            statistics.into_iter().map(|(at, m, v)| (at, vector(m), vector(v))).collect();
        assert_eq!(seen.len(), 3);
        // The first batch replaces the running statistics, so the graph's norms are those of the
        // batch.
        state.follow(&seen);
        let graph = plan.graph(&state.weights);
        let used = run_graph(&graph, input(&device.clone().without_autodiff()));
        for (a, b) in numbers(trained).into_iter().zip(numbers(used)) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
        let weights = graph.parameters();
        assert_eq!(weights, 4 * 27 + 4 + 4 * 9 + 4 + 24 + 6 + 36 * 5 + 5);
    }

    #[test]
    fn a_network_becomes_weights_that_compute_the_same() {
        let plan = plan();
        let device = Device::default().autodiff();
        let mut weights = plan.init(5);
        for (i, array) in weights.arrays.iter_mut().enumerate() {
            let change = |v: &mut f32| *v = (*v + 0.05 * i as f32).abs() + 0.1;
            array.values.iter_mut().for_each(change);
        }
        let graph = plan.graph(&weights);
        let plain = || input(&device.clone().without_autodiff());
        let again = plan.weights_of(&graph, plain()).unwrap();
        let wanted = numbers(run_graph(&graph, plain()));
        let folded = numbers(run_graph(&plan.graph(&again), plain()));
        let (trained, _) = plan.forward(&Live::new(&again, &device), input(&device));
        for ((wanted, folded), trained) in wanted.iter().zip(folded).zip(numbers(trained)) {
            let near = |v: f32| (v - wanted).abs() < 1e-3 * wanted.abs().max(1.0);
            assert!(near(folded) && near(trained), "{wanted} {folded} {trained}");
        }
        let other = Plan::chain(3, [8, 12], vec![Layer::conv3(3, 4, 2)]);
        assert!(other.weights_of(&graph, plain()).is_none());
    }

    #[test]
    fn gradients_are_those_of_differences() {
        let plan = plan();
        let device = Device::default().autodiff();
        let weights = plan.init(6);
        let loss = |weights: &Weights| {
            let live = Live::new(weights, &device);
            let output = plan.forward(&live, input(&device)).0.flat();
            let loss = output.powf_scalar(2.0).mean();
            let gradients = live.gradients(&loss, weights);
            (loss.into_data().try_to_vec::<f32>().unwrap()[0], gradients)
        };
        let (_, gradients) = loss(&weights);
        for (i, array) in weights.arrays.iter().enumerate() {
            let found = gradients.arrays[i].values[0];
            let at = |step: f32| {
                let mut moved = weights.clone();
                moved.arrays[i].values[0] += step;
                loss(&moved).0
            };
            let wanted = (at(2e-3) - at(-2e-3)) / 4e-3;
            assert!((found - wanted).abs() < 0.02 + 0.05 * wanted.abs(), "{}", array.name);
        }
    }
}
