//! A trained network as plain data: what training hands to the exports, and what an ONNX file holds.

/// A network without anything that only training needs.
///
/// Tensors are numbered: 0 is the input, `i + 1` the result of node `i`; the last node's result is
/// the output.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// Channels of the input.
    pub input_channels: usize,
    /// Rows and columns of the input, when they are fixed.
    pub input_size: Option<[usize; 2]>,
    /// In an order in which they can be computed.
    pub nodes: Vec<Node>,
}

/// One operation and the tensors it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it computes.
    pub op: Op,
    /// Numbers of the tensors it takes (see [`Graph`]), each below its own.
    pub inputs: Vec<usize>,
}

/// What a node computes. Activations are `[n, channels, rows, columns]` (or `[n, channels]` after
/// [`Op::GlobalAveragePool`]); a final `relu` clips below at 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A convolution (cross-correlation) with zero padding.
    Conv(Conv),
    /// The largest of each `size` x `size` window; windows do not overlap, what does not fill one
    /// is dropped.
    MaxPool {
        /// Side of the window.
        size: usize,
    },
    /// The mean of each `size` x `size` window; windows do not overlap, what does not fill one is
    /// dropped.
    AveragePool {
        /// Side of the window.
        size: usize,
    },
    /// The mean over rows and columns: `[n, channels]`.
    GlobalAveragePool,
    /// `[n, channels, rows, columns]` to `[n, channels * rows * columns]`, in that order.
    Flatten,
    /// A matrix product with `[n, inputs]`.
    Dense {
        /// Row by row `[outputs, inputs]`.
        weights: Vec<f32>,
        /// One for each output.
        bias: Vec<f32>,
        /// Whether negative results become 0.
        relu: bool,
    },
    /// The sum of two tensors of one shape.
    Add {
        /// Whether negative results become 0.
        relu: bool,
    },
    /// Twice the rows and columns, each pixel repeated.
    Upsample,
}

/// A convolution.
#[derive(Clone, Debug, PartialEq)]
pub struct Conv {
    /// `[outputs, inputs / groups, kernel rows, kernel columns]`, the last index fastest.
    pub weights: Vec<f32>,
    /// One for each output channel.
    pub bias: Vec<f32>,
    /// Rows and columns of the kernel.
    pub kernel: [usize; 2],
    /// Step between windows, the same in both directions.
    pub stride: usize,
    /// Zeros added above, left, below, right.
    pub padding: [usize; 4],
    /// Step between the pixels of a window, the same in both directions.
    pub dilation: usize,
    /// 1, or the number of channels for a depthwise convolution.
    pub groups: usize,
    /// Whether negative results become 0.
    pub relu: bool,
}

impl Conv {
    /// Channels of the result.
    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Channels of the input.
    pub fn inputs(&self) -> usize {
        self.weights.len() * self.groups / (self.bias.len() * self.kernel[0] * self.kernel[1])
    }
}

impl Graph {
    /// Number of weights and biases.
    pub fn parameters(&self) -> usize {
        self.nodes
            .iter()
            .map(|node| match &node.op {
                Op::Conv(conv) => conv.weights.len() + conv.bias.len(),
                Op::Dense { weights, bias, .. } => weights.len() + bias.len(),
                _ => 0,
            })
            .sum()
    }
}
