//! A network in 8-bit integers, as stored in a TFLite file. Activations are height x width x
//! channels, with the channel fastest.

/// Affine quantisation: real = `scale` * (integer - `zero`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quant {
    /// Above 0.
    pub scale: f32,
    /// -128 to 127.
    pub zero: i32,
}

/// The shape and quantisation of an input or a layer's result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activation {
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// Channels, the fastest index.
    pub channels: usize,
    pub quant: Quant,
}

impl Activation {
    /// Number of values, which is also the number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.height * self.width * self.channels
    }
}

/// Weights, their scales (with zero point 0) and biases. The scale of a bias is the input's scale
/// times the weights' scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// -127 to 127, see [`Op`] for the order.
    pub values: Vec<i8>,
    /// One scale per output channel.
    pub scales: Vec<f32>,
    /// One bias per output channel.
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
    /// Whether the input is zero-padded so that the result has ceil(size / stride) rows and
    /// columns, with an odd row or column of padding below or right; otherwise there is no padding.
    pub same: bool,
}

impl Window {
    /// Number of results along a side.
    pub(crate) fn outputs(&self, side: usize, kernel: usize) -> usize {
        if self.same { side.div_ceil(self.stride) } else { (side - kernel) / self.stride + 1 }
    }
}

/// The operation of a layer.
///
/// A matrix product is stored as a convolution whose kernel covers the whole input, because
/// interpreters round `FULLY_CONNECTED` in different ways but `CONV_2D` in one.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A convolution; weights `[outputs, rows, columns, inputs]`.
    Conv(Window, Weights),
    /// A convolution of each channel with its own kernel; weights `[rows, columns, channels]`.
    Depthwise(Window, Weights),
    /// The maximum of each window; windows do not overlap.
    MaxPool([usize; 2]),
    /// The rounded mean of each window; windows do not overlap.
    AveragePool([usize; 2]),
}

impl Op {
    /// Its name in TFLite.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Conv(..) => "CONV_2D",
            Self::Depthwise(..) => "DEPTHWISE_CONV_2D",
            Self::MaxPool(_) => "MAX_POOL_2D",
            Self::AveragePool(_) => "AVERAGE_POOL_2D",
        }
    }

    pub(crate) fn weights(&self) -> Option<&Weights> {
        match self {
            Self::Conv(_, weights) | Self::Depthwise(_, weights) => Some(weights),
            Self::MaxPool(_) | Self::AveragePool(_) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    pub op: Op,
    pub output: Activation,
}

/// A chain of layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    pub input: Activation,
    /// The layers in order; never empty.
    pub layers: Vec<Layer>,
    /// The offset of every output from the logit that it represents. Not in the file.
    ///
    /// Interpreters round negative halves in two ways (away from zero, or up). The last layer has
    /// no `relu` to cut them off, so all its results are shifted above 0.
    pub output_offset: f32,
}

/// Bytes of TFLite-Micro's arena besides activations: a base, and a part for each layer with its
/// tensors. Upper bounds of its builds for x86, which need more than those for a Cortex-M7.
const ARENA_BASE_BYTES: usize = 2_200;
const ARENA_LAYER_BYTES: usize = 640;
/// Multiplier and shift of each output channel.
const ARENA_CHANNEL_BYTES: usize = 8;

impl Net {
    /// The network's output.
    pub(crate) fn output(&self) -> &Activation {
        &self.layers.last().expect("a network has layers").output
    }

    pub fn input_of(&self, i: usize) -> &Activation {
        if i == 0 { &self.input } else { &self.layers[i - 1].output }
    }

    /// Multiply-accumulates of one run, without pooling.
    pub(crate) fn multiply_accumulates(&self) -> usize {
        self.layers
            .iter()
            .map(|layer| {
                let places = layer.output.height * layer.output.width;
                places * layer.op.weights().map_or(0, |weights| weights.values.len())
            })
            .sum()
    }

    /// Number of weights and biases.
    pub(crate) fn parameters(&self) -> usize {
        let weights = self.layers.iter().filter_map(|layer| layer.op.weights());
        weights.map(|w| w.values.len() + w.bias.len()).sum()
    }

    /// Maximum over the layers of input plus output, in bytes.
    pub(crate) fn peak_activation_bytes(&self) -> usize {
        (0..self.layers.len())
            .map(|i| self.input_of(i).len() + self.layers[i].output.len())
            .max()
            .unwrap_or(0)
    }

    /// An upper bound of the arena that TFLite-Micro needs, in bytes; computed by rule, not
    /// measured.
    pub(crate) fn arena_bound_bytes(&self) -> usize {
        let channels: usize =
            self.layers.iter().filter_map(|l| l.op.weights()).map(|w| w.bias.len()).sum();
        // A convolution buffers two columns of its window as 16-bit integers.
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

    /// Names of its operators, without duplicates, in alphabetical order.
    pub(crate) fn operators(&self) -> Vec<&'static str> {
        let names: std::collections::BTreeSet<_> =
            self.layers.iter().map(|layer| layer.op.name()).collect();
        names.into_iter().collect()
    }
}
