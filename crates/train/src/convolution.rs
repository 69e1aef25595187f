//! Convolutions for training on the processor, which replace burn's.
//!
//! burn's flex backend spends most of a step copying data around its matrix products. It turns a
//! convolution's gradients into other convolutions, one of them with a kernel as large as the
//! image. Here each pass is one product of two matrices per strip of rows (Chellapilla, Puri and
//! Simard 2006). A column holds the values inside one window:
//! `[inputs * kernel rows * kernel columns, pixels]`.
//!
//! | pass | product |
//! |---|---|
//! | result | weights · columns |
//! | gradient of the input | weights transposed · gradient, each column added back to its pixels |
//! | gradient of the weights | gradient · columns transposed, summed over strips and images |
//!
//! Strips are small enough for the columns to stay in the cache. Graphics cards and grouped
//! convolutions use burn's own implementation.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::autodiff::{Autodiff, NodeId};
use burn::backend::ops::ModuleOps;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, Flex, TensorMetadata, backend_extension};
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Tensor, TensorData};
use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2, ShapeBuilder};
use rayon::prelude::*;

/// Maximum number of values in a strip's columns: 512 KiB, half of one core's L2 cache.
const STRIP_VALUES: usize = 1 << 17;
/// Maximum number of partial sums of the weights' gradient formed in parallel. It does not follow
/// the number of threads, so that results are the same to the last bit on any number of threads.
const PARTIAL_SUMS: usize = 8;

/// A convolution without bias and its gradients; the defaults are burn's own.
#[backend_extension(Flex, Cube: cfg(feature = "gpu"), Autodiff)]
trait Convolve: Backend {
    /// `input` [n, inputs, rows, columns] and `weights` [outputs, inputs / groups, rows, columns]
    /// to [n, outputs, rows, columns].
    fn convolve(
        input: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        options: ConvOptions<2>,
    ) -> FloatTensor<Self> {
        Self::conv2d(input, weights, None, options)
    }

    /// Gradient of the loss with respect to the input, from the gradient with respect to the
    /// result.
    fn input_gradient(
        input: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        options: ConvOptions<2>,
    ) -> FloatTensor<Self> {
        Self::conv2d_x_backward(input, weights, gradient, options)
    }

    /// Gradient of the loss with respect to the weights, from the gradient with respect to the
    /// result.
    fn weights_gradient(
        input: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        options: ConvOptions<2>,
    ) -> FloatTensor<Self> {
        Self::conv2d_weight_backward(input, weights, gradient, options)
    }
}

/// A differentiable convolution without bias: `input` [n, inputs, rows, columns] and `weights`
/// [outputs, inputs / groups, rows, columns] to [n, outputs, rows, columns].
///
/// # Panics
/// If the kernel is larger than an image with its padding, or the shapes do not fit. Both are
/// mistakes in the plan.
pub fn convolve(input: Tensor<4>, weights: Tensor<4>, options: ConvOptions<2>) -> Tensor<4> {
    let (input, weights) = (input.into_dispatch(), weights.into_dispatch());
    Tensor::from_dispatch(<Dispatch as Convolve>::convolve(input, weights, options))
}

#[cfg(feature = "gpu")]
impl Convolve for burn::backend::Wgpu {}

impl Convolve for Flex {
    fn convolve(
        input: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        options: ConvOptions<2>,
    ) -> FloatTensor<Self> {
        if options.groups != 1 {
            return Self::conv2d(input, weights, None, options);
        }
        let windows = Windows::new(&input.shape(), &weights.shape(), &options);
        let (input, weights) = (input.to_contiguous(), weights.to_contiguous());
        let result = windows.result(input.storage(), weights.storage());
        let shape = [windows.images, windows.outputs, windows.rows_out, windows.columns_out];
        FloatTensor::<Self>::from_data(TensorData::new(result, shape))
    }

    fn input_gradient(
        input: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        options: ConvOptions<2>,
    ) -> FloatTensor<Self> {
        if options.groups != 1 {
            return Self::conv2d_x_backward(input, weights, gradient, options);
        }
        let windows = Windows::new(&input.shape(), &weights.shape(), &options);
        let (weights, gradient) = (weights.to_contiguous(), gradient.to_contiguous());
        let found = windows.input_gradient(weights.storage(), gradient.storage());
        FloatTensor::<Self>::from_data(TensorData::new(found, input.shape()))
    }

    fn weights_gradient(
        input: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        options: ConvOptions<2>,
    ) -> FloatTensor<Self> {
        if options.groups != 1 {
            return Self::conv2d_weight_backward(input, weights, gradient, options);
        }
        let windows = Windows::new(&input.shape(), &weights.shape(), &options);
        let (input, gradient) = (input.to_contiguous(), gradient.to_contiguous());
        let found = windows.weights_gradient(input.storage(), gradient.storage());
        FloatTensor::<Self>::from_data(TensorData::new(found, weights.shape()))
    }
}

/// The convolution's node in burn's autodiff graph.
#[derive(Debug)]
struct Node;

impl<B: Convolve> Backward<B, 2> for Node {
    type State = (NodeId, NodeId, ConvOptions<2>);

    fn backward(
        self,
        ops: Ops<Self::State, 2>,
        gradients: &mut Gradients,
        checkpointer: &mut Checkpointer,
    ) {
        let [in_input, in_weights] = ops.parents;
        let gradient = gradients.consume::<B>(&ops.node);
        let (input, weights, options) = ops.state;
        let input = checkpointer.retrieve_node_output::<B::FloatTensorPrimitive>(input);
        let weights = checkpointer.retrieve_node_output::<B::FloatTensorPrimitive>(weights);
        if let Some(node) = in_input {
            let found = B::input_gradient(
                input.clone(),
                weights.clone(),
                gradient.clone(),
                options.clone(),
            );
            gradients.register::<B>(node.id, found);
        }
        if let Some(node) = in_weights {
            gradients
                .register::<B>(node.id, B::weights_gradient(input, weights, gradient, options));
        }
    }
}

impl<B: Convolve, C: CheckpointStrategy> Convolve for Autodiff<B, C> {
    fn convolve(
        input: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        options: ConvOptions<2>,
    ) -> FloatTensor<Self> {
        let prepared = Node.prepare::<C>([input.node(), weights.node()]).compute_bound().stateful();
        match prepared {
            OpsKind::Tracked(mut record) => {
                let state = (record.checkpoint(&input), record.checkpoint(&weights));
                let result =
                    B::convolve(input.into_primitive(), weights.into_primitive(), options.clone());
                record.finish((state.0, state.1, options), result)
            }
            OpsKind::UnTracked(record) => record.finish(B::convolve(
                input.into_primitive(),
                weights.into_primitive(),
                options,
            )),
        }
    }
}

/// The sizes of a convolution over images stored one after the other,
/// `[n, channels, rows, columns]`.
#[derive(Clone, Copy, Debug)]
struct Windows {
    images: usize,
    inputs: usize,
    rows_in: usize,
    columns_in: usize,
    outputs: usize,
    rows_out: usize,
    columns_out: usize,
    kernel: [usize; 2],
    stride: [usize; 2],
    dilation: [usize; 2],
    /// Rows of zeros above the image and columns of zeros to its left.
    padding: [usize; 2],
}

impl Windows {
    fn new(input: &[usize], weights: &[usize], options: &ConvOptions<2>) -> Self {
        let kernel = [weights[2], weights[3]];
        let places = |axis: usize| {
            let (before, after) = options.padding[axis];
            let reach = options.dilation[axis] * (kernel[axis] - 1) + 1;
            (input[2 + axis] + before + after - reach) / options.stride[axis] + 1
        };
        Self {
            images: input[0],
            inputs: input[1],
            rows_in: input[2],
            columns_in: input[3],
            outputs: weights[0],
            rows_out: places(0),
            columns_out: places(1),
            kernel,
            stride: options.stride,
            dilation: options.dilation,
            padding: [options.padding[0].0, options.padding[1].0],
        }
    }

    /// Number of values in one window.
    fn seen(&self) -> usize {
        self.inputs * self.kernel[0] * self.kernel[1]
    }

    /// Number of input values and of result values per image.
    fn image_in(&self) -> usize {
        self.inputs * self.rows_in * self.columns_in
    }

    fn image_out(&self) -> usize {
        self.outputs * self.rows_out * self.columns_out
    }

    /// The first row of each strip, and its number of rows.
    fn strips(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let rows_out = self.rows_out;
        let rows = (STRIP_VALUES / (self.seen() * self.columns_out)).clamp(1, rows_out);
        (0..rows_out).step_by(rows).map(move |first| (first, rows.min(rows_out - first)))
    }

    /// A buffer large enough for the columns of any strip.
    fn room(&self) -> Vec<f32> {
        let rows = self.strips().map(|(_, rows)| rows).max().unwrap_or(0);
        vec![0.0; self.seen() * rows * self.columns_out]
    }

    /// A strip of the result as `[outputs, pixels]`: its offset in the image, and its shape.
    fn strip_out(
        &self,
        (first, rows): (usize, usize),
    ) -> (usize, ndarray::StrideShape<ndarray::Ix2>) {
        let plane = self.rows_out * self.columns_out;
        let shape = (self.outputs, rows * self.columns_out).strides((plane, 1));
        (first * self.columns_out, shape)
    }

    fn result(&self, input: &[f32], weights: &[f32]) -> Vec<f32> {
        let weights = matrix(weights, self.outputs, self.seen());
        let mut result = vec![0.0; self.images * self.image_out()];
        result
            .par_chunks_mut(self.image_out())
            .zip(input.par_chunks(self.image_in()))
            .for_each_init(
                || self.room(),
                |room, (result, input)| {
                    for strip in self.strips() {
                        let columns = self.columns(input, strip, room);
                        let (begin, shape) = self.strip_out(strip);
                        let mut out = ArrayViewMut2::from_shape(shape, &mut result[begin..])
                            .expect("a strip lies within its image");
                        general_mat_mul(1.0, &weights, &columns, 0.0, &mut out);
                    }
                },
            );
        result
    }

    fn input_gradient(&self, weights: &[f32], gradient: &[f32]) -> Vec<f32> {
        let weights = matrix(weights, self.outputs, self.seen());
        let mut found = vec![0.0; self.images * self.image_in()];
        found
            .par_chunks_mut(self.image_in())
            .zip(gradient.par_chunks(self.image_out()))
            .for_each_init(
                || self.room(),
                |room, (found, gradient)| {
                    for strip in self.strips() {
                        let (begin, shape) = self.strip_out(strip);
                        let out = ArrayView2::from_shape(shape, &gradient[begin..])
                            .expect("a strip lies within its image");
                        let size = self.seen() * out.ncols();
                        let mut columns = ArrayViewMut2::from_shape(
                            (self.seen(), out.ncols()),
                            &mut room[..size],
                        )
                        .expect("there is room for every strip");
                        general_mat_mul(1.0, &weights.t(), &out, 0.0, &mut columns);
                        self.put_back(&room[..size], strip, found);
                    }
                },
            );
        found
    }

    fn weights_gradient(&self, input: &[f32], gradient: &[f32]) -> Vec<f32> {
        let each = self.images.div_ceil(PARTIAL_SUMS).max(1);
        let sums: Vec<Vec<f32>> = input
            .par_chunks(each * self.image_in())
            .zip(gradient.par_chunks(each * self.image_out()))
            .map_init(
                || self.room(),
                |room, (inputs, gradients)| {
                    let mut sum = vec![0.0; self.outputs * self.seen()];
                    let images = inputs.chunks(self.image_in());
                    for (input, gradient) in images.zip(gradients.chunks(self.image_out())) {
                        for strip in self.strips() {
                            let columns = self.columns(input, strip, room);
                            let (begin, shape) = self.strip_out(strip);
                            let out = ArrayView2::from_shape(shape, &gradient[begin..])
                                .expect("a strip lies within its image");
                            let shape = (self.outputs, self.seen());
                            let mut sum = ArrayViewMut2::from_shape(shape, &mut sum[..])
                                .expect("one sum for each weight");
                            general_mat_mul(1.0, &out, &columns.t(), 1.0, &mut sum);
                        }
                    }
                    sum
                },
            )
            .collect();
        let mut sums = sums.into_iter();
        let mut total = sums.next().unwrap_or_else(|| vec![0.0; self.outputs * self.seen()]);
        for sum in sums {
            total.iter_mut().zip(sum).for_each(|(total, value)| *total += value);
        }
        total
    }

    /// The values in the windows of a strip, `[seen, pixels]`, written into `room`. For a kernel of
    /// one pixel this is the input itself.
    fn columns<'a>(
        &self,
        input: &'a [f32],
        strip: (usize, usize),
        room: &'a mut [f32],
    ) -> ArrayView2<'a, f32> {
        let (first, rows) = strip;
        let pixels = rows * self.columns_out;
        let same = (self.rows_in, self.columns_in) == (self.rows_out, self.columns_out);
        if self.kernel == [1, 1] && self.padding == [0, 0] && same {
            let shape = (self.inputs, pixels).strides((self.rows_in * self.columns_in, 1));
            return ArrayView2::from_shape(shape, &input[first * self.columns_in..])
                .expect("a strip lies within its image");
        }
        let room = &mut room[..self.seen() * pixels];
        self.each_line(strip, |at, line| {
            let out = &mut room[at..at + self.columns_out];
            let Some(Line { begin, first, past }) = line else {
                out.fill(0.0);
                return;
            };
            out[..first].fill(0.0);
            out[past..].fill(0.0);
            if self.stride[1] == 1 {
                out[first..past].copy_from_slice(&input[begin..begin + past - first]);
            } else {
                let taken = input[begin..].iter().step_by(self.stride[1]);
                out[first..past].iter_mut().zip(taken).for_each(|(out, value)| *out = *value);
            }
        });
        matrix(room, self.seen(), pixels)
    }

    /// Adds a strip's columns to the pixels that they came from.
    fn put_back(&self, columns: &[f32], strip: (usize, usize), image: &mut [f32]) {
        self.each_line(strip, |at, line| {
            let Some(Line { begin, first, past }) = line else { return };
            let values = &columns[at + first..at + past];
            if self.stride[1] == 1 {
                let pixels = &mut image[begin..begin + values.len()];
                pixels.iter_mut().zip(values).for_each(|(pixel, value)| *pixel += value);
            } else {
                let pixels = image[begin..].iter_mut().step_by(self.stride[1]);
                pixels.zip(values).for_each(|(pixel, value)| *pixel += value);
            }
        });
    }

    /// Calls `visit` for each row of windows, channel and kernel position, with the offset of the
    /// row's values in the columns and their place in the image; `None` for rows of zeros.
    fn each_line(&self, (first, rows): (usize, usize), mut visit: impl FnMut(usize, Option<Line>)) {
        let mut at = 0;
        for channel in 0..self.inputs {
            for down in 0..self.kernel[0] {
                for across in 0..self.kernel[1] {
                    // Windows whose column lies in the image: stride * x + offset in 0..columns_in.
                    let (offset, stride) = (across * self.dilation[1], self.stride[1]);
                    let left = self.padding[1].saturating_sub(offset).div_ceil(stride);
                    let right = (self.columns_in + self.padding[1])
                        .saturating_sub(offset)
                        .div_ceil(stride)
                        .min(self.columns_out);
                    for row in first..first + rows {
                        let y = (row * self.stride[0] + down * self.dilation[0])
                            .checked_sub(self.padding[0])
                            .filter(|y| *y < self.rows_in);
                        let line = y.filter(|_| left < right).map(|y| Line {
                            begin: (channel * self.rows_in + y) * self.columns_in
                                + left * stride
                                + offset
                                - self.padding[1],
                            first: left,
                            past: right,
                        });
                        visit(at, line);
                        at += self.columns_out;
                    }
                }
            }
        }
    }
}

/// The place of the values of one row of windows in an image.
struct Line {
    /// Offset of the first value.
    begin: usize,
    /// The first window that has a value, and one past the last.
    first: usize,
    past: usize,
}

fn matrix(values: &[f32], rows: usize, columns: usize) -> ArrayView2<'_, f32> {
    ArrayView2::from_shape((rows, columns), values).expect("as many values as the shape says")
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::{Device, module};
    use proptest::prelude::*;

    fn tensor(shape: [usize; 4], seed: usize, device: &Device) -> Tensor<4> {
        let count = shape.iter().product::<usize>();
        let value = |i: usize| ((i * 7919 + seed * 104_729) % 1009) as f32 / 504.5 - 1.0;
        Tensor::from_data(TensorData::new((0..count).map(value).collect::<Vec<_>>(), shape), device)
    }

    fn numbers(tensor: Tensor<4>) -> Vec<f32> {
        tensor.into_data().try_to_vec().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Compares with burn's own convolution and its gradients.
        #[test]
        fn result_and_gradients_are_burns(
            images in 1usize..10, inputs in 1usize..5, outputs in 1usize..5,
            rows in 5usize..12, columns in 5usize..12, kernel in prop::sample::select(vec![1usize, 3]),
            stride in 1usize..3, dilation in 1usize..3,
            padding in [0usize..3, 0usize..3, 0usize..3, 0usize..3],
        ) {
            let device = Device::flex().autodiff();
            let input = tensor([images, inputs, rows, columns], 1, &device);
            let weights = tensor([outputs, inputs, kernel, kernel], 2, &device);
            let [above, left, below, right] = padding;
            let padding = [(above, below), (left, right)];
            let options =
                ConvOptions::new_with_padding([stride; 2], padding, [dilation; 2], 1);
            let passes = |ours: bool| {
                let (input, weights) = (input.clone().require_grad(), weights.clone().require_grad());
                let out = if ours {
                    convolve(input.clone(), weights.clone(), options.clone())
                } else {
                    module::conv2d(input.clone(), weights.clone(), None, options.clone())
                };
                let mut gradients = out.clone().powf_scalar(2.0).sum().backward();
                [
                    numbers(out),
                    numbers(input.grad_remove(&mut gradients).unwrap()),
                    numbers(weights.grad_remove(&mut gradients).unwrap()),
                ]
            };
            for (found, wanted) in passes(true).into_iter().zip(passes(false)) {
                prop_assert_eq!(found.len(), wanted.len());
                let largest = wanted.iter().fold(1.0f32, |most, value| most.max(value.abs()));
                for (a, b) in found.into_iter().zip(wanted) {
                    prop_assert!((a - b).abs() < 1e-5 * largest, "{} {}", a, b);
                }
            }
        }
    }

    #[test]
    fn many_strips_are_one_image() {
        let device = Device::flex();
        let input = tensor([1, 40, 50, 70], 3, &device);
        let weights = tensor([6, 40, 3, 3], 4, &device);
        let options = ConvOptions::new_with_padding([1; 2], [(1, 1); 2], [1; 2], 1);
        let windows = Windows::new(&[1, 40, 50, 70], &[6, 40, 3, 3], &options);
        assert!(windows.strips().count() > 2);
        let found = numbers(convolve(input.clone(), weights.clone(), options.clone()));
        let wanted = numbers(module::conv2d(input, weights, None, options));
        for (a, b) in found.into_iter().zip(wanted) {
            assert!((a - b).abs() < 1e-2, "{a} {b}");
        }
    }
}
