//! A trained network as plain data, as training passes it to the exporters and as an ONNX file
//! holds it.

/// A network without anything that only training needs.
///
/// Tensors are numbered: 0 is the input, `i + 1` is the result of node `i`. The last node's result
/// is the output.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    pub input_channels: usize,
    /// Rows and columns of the input, if they are fixed.
    pub input_size: Option<[usize; 2]>,
    /// Sorted so that each node comes after the nodes it depends on.
    pub nodes: Vec<Node>,
}

/// One operation and its input tensors.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub op: Op,
    /// Numbers of the input tensors (see [`Graph`]), each below the number of the node's own
    /// result.
    pub inputs: Vec<usize>,
}

/// An operation. Activations are `[n, channels, rows, columns]` (or `[n, channels]` after
/// [`Op::GlobalAveragePool`]); `relu` sets negative results to 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A convolution (cross-correlation) with zero padding.
    Conv(Conv),
    /// The maximum of each `size` x `size` window. Windows do not overlap; rows and columns that do
    /// not fill a window are dropped.
    MaxPool {
        /// Side of the window.
        size: usize,
    },
    /// The mean of each `size` x `size` window. Windows do not overlap; rows and columns that do
    /// not fill a window are dropped.
    AveragePool {
        /// Side of the window.
        size: usize,
    },
    /// The mean over rows and columns; the result is `[n, channels]`.
    GlobalAveragePool,
    /// `[n, channels, rows, columns]` becomes `[n, channels * rows * columns]`, in the same order.
    Flatten,
    /// A matrix product with an input of `[n, inputs]`.
    Dense {
        /// `[outputs, inputs]`, row by row.
        weights: Vec<f32>,
        /// One value for each output.
        bias: Vec<f32>,
        /// Whether negative results become 0.
        relu: bool,
    },
    /// The sum of two tensors of the same shape.
    Add {
        /// Whether negative results become 0.
        relu: bool,
    },
    /// Nearest-neighbour upsampling by 2: each pixel is repeated in both directions.
    Upsample,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Conv {
    /// `[outputs, inputs / groups, kernel rows, kernel columns]`, the last index fastest.
    pub weights: Vec<f32>,
    /// One value for each output channel.
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
    /// Number of output channels.
    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Number of input channels.
    pub fn inputs(&self) -> usize {
        self.weights.len() * self.groups / (self.bias.len() * self.kernel[0] * self.kernel[1])
    }
}

impl Graph {
    fn numbers(&self) -> impl Iterator<Item = &f32> {
        self.nodes
            .iter()
            .flat_map(|node| match &node.op {
                Op::Conv(Conv { weights, bias, .. }) | Op::Dense { weights, bias, .. } => {
                    [weights.as_slice(), bias]
                }
                _ => [&[][..]; 2],
            })
            .flatten()
    }

    /// Total number of weights and biases.
    pub fn parameters(&self) -> usize {
        self.numbers().count()
    }

    /// Whether all weights and biases are numbers.
    pub fn is_finite(&self) -> bool {
        self.numbers().all(|number| number.is_finite())
    }
}
