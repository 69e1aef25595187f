//! A network in 8-bit integers, as a TFLite file holds it. Activations are height x width x
//! channels, the channel fastest.

/// How integers stand for reals: real = `scale` * (integer - `zero`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quant {
    /// Above 0.
    pub scale: f32,
    /// -128 to 127.
    pub zero: i32,
}

/// An input, or what a layer makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activation {
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// Channels, the fastest index.
    pub channels: usize,
    /// How its integers stand for reals.
    pub quant: Quant,
}

impl Activation {
    /// Number of values, and of bytes.
    pub fn len(&self) -> usize {
        self.height * self.width * self.channels
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Weights, their scales (their zero point is 0) and biases. The scale of a bias is that of the
/// input times that of its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// -127 to 127, see [`Op`] for the order.
    pub values: Vec<i8>,
    /// One for each output channel.
    pub scales: Vec<f32>,
    /// One for each output channel.
    pub bias: Vec<i32>,
    /// Whether results below real 0 become 0.
    pub relu: bool,
}

/// Kernel and steps of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Rows and columns of the kernel.
    pub kernel: [usize; 2],
    /// Step in both directions.
    pub stride: usize,
    /// Whether the picture is padded so that the result has ceil(size / stride) rows and columns,
    /// the odd row or column below or right; else there is no padding.
    pub same: bool,
}

/// What a layer does.
///
/// A matrix product is a convolution whose kernel is the whole picture: interpreters round
/// `FULLY_CONNECTED` in different ways, `CONV_2D` in one.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A convolution; weights `[outputs, rows, columns, inputs]`.
    Conv(Window, Weights),
    /// A convolution of each channel with its own kernel; weights `[rows, columns, channels]`.
    Depthwise(Window, Weights),
    /// The largest of each window; windows do not overlap.
    MaxPool([usize; 2]),
    /// The rounded mean of each window; windows do not overlap.
    AveragePool([usize; 2]),
}

impl Op {
    /// Its name among TFLite's operators.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Conv(..) => "CONV_2D",
            Self::Depthwise(..) => "DEPTHWISE_CONV_2D",
            Self::MaxPool(_) => "MAX_POOL_2D",
            Self::AveragePool(_) => "AVERAGE_POOL_2D",
        }
    }

    /// Its weights, if it has any.
    pub fn weights(&self) -> Option<&Weights> {
        match self {
            Self::Conv(_, weights) | Self::Depthwise(_, weights) => Some(weights),
            Self::MaxPool(_) | Self::AveragePool(_) => None,
        }
    }
}

/// A layer of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// What it does.
    pub op: Op,
    /// What it makes.
    pub output: Activation,
}

/// A chain of layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// The picture.
    pub input: Activation,
    /// In order; never empty.
    pub layers: Vec<Layer>,
    /// What every output is more than the logit it stands for. Not in the file.
    ///
    /// Interpreters round negative halves in two ways (away from zero, or up), so that the last
    /// layer, whose results no `relu` cuts off, must not come to any: all its results are moved
    /// above 0.
    pub output_offset: f32,
}

/// Bytes that TFLite-Micro's arena takes beside activations: for itself, and for each layer with
/// its tensors. Above what its builds for x86 take, which take more than those of a Cortex-M7.
const ARENA_BASE_BYTES: usize = 2_200;
const ARENA_LAYER_BYTES: usize = 640;
/// Multiplier and shift of each channel.
const ARENA_CHANNEL_BYTES: usize = 8;

impl Net {
    /// What the last layer makes.
    pub fn output(&self) -> &Activation {
        &self.layers.last().expect("a network has layers").output
    }

    /// What layer `i` takes.
    pub fn input_of(&self, i: usize) -> &Activation {
        if i == 0 { &self.input } else { &self.layers[i - 1].output }
    }

    /// Multiply-accumulates of one run; pools count none.
    pub fn multiply_accumulates(&self) -> usize {
        let of = |layer: &Layer| {
            let places = layer.output.height * layer.output.width;
            places * layer.op.weights().map_or(0, |weights| weights.values.len())
        };
        self.layers.iter().map(of).sum()
    }

    /// Weights and biases.
    pub fn parameters(&self) -> usize {
        let weights = self.layers.iter().filter_map(|layer| layer.op.weights());
        weights.map(|w| w.values.len() + w.bias.len()).sum()
    }

    /// Bytes of the largest layer's input and output together.
    pub fn peak_activation_bytes(&self) -> usize {
        let of = |i: usize| self.input_of(i).len() + self.layers[i].output.len();
        (0..self.layers.len()).map(of).max().unwrap_or(0)
    }

    /// Bytes of arena that are enough for TFLite-Micro: an upper bound by rule, not a measurement.
    pub fn arena_bound_bytes(&self) -> usize {
        let channels: usize =
            self.layers.iter().filter_map(|l| l.op.weights()).map(|w| w.bias.len()).sum();
        // A convolution unfolds two columns of its window as 16-bit integers.
        let scratch = self.layers.iter().map(|layer| match &layer.op {
            Op::Conv(_, w) => 4 * w.values.len() / w.bias.len(),
            Op::Depthwise(_, w) => 4 * w.values.len(),
            _ => 0,
        });
        self.peak_activation_bytes()
            + scratch.max().unwrap_or(0)
            + ARENA_BASE_BYTES
            + ARENA_LAYER_BYTES * self.layers.len()
            + ARENA_CHANNEL_BYTES * channels
    }

    /// Names of its operators, each once, in alphabetical order.
    pub fn operators(&self) -> Vec<&'static str> {
        let names: std::collections::BTreeSet<_> =
            self.layers.iter().map(|layer| layer.op.name()).collect();
        names.into_iter().collect()
    }
}
