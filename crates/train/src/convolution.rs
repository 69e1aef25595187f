//! Convolutions and their gradients.
//!
//! Each pass is one product of two matrices per strip of rows (Chellapilla, Puri and Simard 2006). A
//! column holds the values inside one window: `[inputs * kernel rows * kernel columns, pixels]`.
//!
//! | pass | product |
//! |---|---|
//! | result | weights · columns |
//! | gradient of the input | weights transposed · gradient, each column added back to its pixels |
//! | gradient of the weights | gradient · columns transposed, summed over strips and images |
//!
//! Strips are small enough for the columns to stay in the cache. A depthwise convolution has too few
//! products for that, and adds up rows of pixels instead.

use ndarray::{ArrayView2, ArrayViewMut2, ShapeBuilder, linalg::general_mat_mul};
use rayon::prelude::*;

/// Maximum number of values in a strip's columns: 512 KiB, half of one core's L2 cache.
const STRIP_VALUES: usize = 1 << 17;
/// Maximum number of partial sums of the weights' gradient formed in parallel. It does not follow
/// the number of threads, so that results are the same to the last bit on any number of threads.
const PARTIAL_SUMS: usize = 8;

/// A convolution without bias, as a plan or a graph describes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convolution {
    /// Channels of the result.
    pub(crate) outputs: usize,
    /// Rows and columns of the kernel.
    pub(crate) kernel: [usize; 2],
    /// Step between windows.
    pub(crate) stride: usize,
    /// Zeros added above, left, below, right.
    pub(crate) padding: [usize; 4],
    /// Step between the pixels of a window.
    pub(crate) dilation: usize,
    /// 1, or the number of channels for a depthwise convolution.
    pub(crate) groups: usize,
}

impl Convolution {
    /// The convolution of images `[n, inputs, rows, columns]`.
    ///
    /// # Panics
    /// If the kernel is larger than an image with its padding, or the shapes do not fit. Both are
    /// mistakes in the plan.
    pub(crate) fn windows(&self, [images, channels, rows_in, columns_in]: [usize; 4]) -> Windows {
        let Self { outputs, kernel, stride, padding: [above, left, below, right], .. } = *self;
        let depthwise = self.groups > 1;
        if depthwise {
            assert!(self.groups == channels && channels == outputs, "one kernel for each channel");
        }
        let [rows_out, columns_out] =
            [(rows_in, above + below, kernel[0]), (columns_in, left + right, kernel[1])].map(
                |(side, padding, kernel)| {
                    (side + padding - (self.dilation * (kernel - 1) + 1)) / stride + 1
                },
            );
        Windows {
            images,
            depthwise,
            inputs: channels,
            rows_in,
            columns_in,
            outputs,
            rows_out,
            columns_out,
            kernel,
            stride,
            dilation: self.dilation,
            padding: [above, left],
        }
    }
}

/// The sizes of a convolution over images stored one after the other,
/// `[n, channels, rows, columns]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows {
    images: usize,
    /// Whether each channel has a kernel of its own.
    depthwise: bool,
    inputs: usize,
    rows_in: usize,
    columns_in: usize,
    outputs: usize,
    rows_out: usize,
    columns_out: usize,
    kernel: [usize; 2],
    stride: usize,
    dilation: usize,
    /// Rows of zeros above the image and columns of zeros to its left.
    padding: [usize; 2],
}

impl Windows {
    /// Shape of the result, `[n, outputs, rows, columns]`.
    pub(crate) fn shape_out(&self) -> [usize; 4] {
        [self.images, self.outputs, self.rows_out, self.columns_out]
    }

    /// One channel of a depthwise convolution.
    fn channel(&self) -> Self {
        Self { inputs: 1, outputs: 1, depthwise: false, ..*self }
    }

    /// Number of values in one window.
    fn window_len(&self) -> usize {
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
        let rows = (STRIP_VALUES / (self.window_len() * self.columns_out)).clamp(1, rows_out);
        (0..rows_out).step_by(rows).map(move |first| (first, rows.min(rows_out - first)))
    }

    /// A buffer large enough for the columns of any strip.
    fn room(&self) -> Vec<f32> {
        let rows = self.strips().map(|(_, rows)| rows).max().unwrap_or(0);
        vec![0.0; self.window_len() * rows * self.columns_out]
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

    /// The result, from `input` and `weights` `[outputs, inputs, kernel rows, kernel columns]`, of
    /// which a depthwise convolution has one input.
    pub(crate) fn result(&self, input: &[f32], weights: &[f32]) -> Vec<f32> {
        if self.depthwise {
            return self.depthwise_result(input, weights);
        }
        let weights = matrix(weights, self.outputs, self.window_len());
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

    /// Gradient of the loss with respect to the input, from the gradient with respect to the
    /// result.
    pub(crate) fn input_gradient(&self, weights: &[f32], gradient: &[f32]) -> Vec<f32> {
        if self.depthwise {
            return self.depthwise_input_gradient(weights, gradient);
        }
        let weights = matrix(weights, self.outputs, self.window_len());
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
                        let size = self.window_len() * out.ncols();
                        let mut columns = ArrayViewMut2::from_shape(
                            (self.window_len(), out.ncols()),
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

    /// Gradient of the loss with respect to the weights, from the gradient with respect to the
    /// result.
    pub(crate) fn weights_gradient(&self, input: &[f32], gradient: &[f32]) -> Vec<f32> {
        let each = self.images.div_ceil(PARTIAL_SUMS).max(1);
        let size = if self.depthwise {
            self.outputs * self.channel().window_len()
        } else {
            self.outputs * self.window_len()
        };
        let sums: Vec<Vec<f32>> = input
            .par_chunks(each * self.image_in())
            .zip(gradient.par_chunks(each * self.image_out()))
            .map_init(
                || if self.depthwise { Vec::new() } else { self.room() },
                |room, (inputs, gradients)| {
                    let mut sum = vec![0.0; size];
                    let images = inputs.chunks(self.image_in());
                    for (input, gradient) in images.zip(gradients.chunks(self.image_out())) {
                        if self.depthwise {
                            self.add_depthwise_weights_gradient(input, gradient, &mut sum);
                            continue;
                        }
                        for strip in self.strips() {
                            let columns = self.columns(input, strip, room);
                            let (begin, shape) = self.strip_out(strip);
                            let out = ArrayView2::from_shape(shape, &gradient[begin..])
                                .expect("a strip lies within its image");
                            let shape = (self.outputs, self.window_len());
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
        let mut total = sums.next().unwrap_or_else(|| vec![0.0; size]);
        for sum in sums {
            total.iter_mut().zip(sum).for_each(|(total, value)| *total += value);
        }
        total
    }

    fn depthwise_result(&self, input: &[f32], weights: &[f32]) -> Vec<f32> {
        let one = self.channel();
        let mut result = vec![0.0; self.images * self.image_out()];
        let planes = result.par_chunks_mut(one.image_out()).zip(input.par_chunks(one.image_in()));
        planes.enumerate().for_each(|(i, (out, plane))| {
            let kernel = &weights[i % self.outputs * one.window_len()..][..one.window_len()];
            one.each_line_of_image(|k, at, line| {
                let out = &mut out[at + line.first..at + line.past];
                let values = plane[line.begin..].iter().step_by(one.stride);
                out.iter_mut().zip(values).for_each(|(out, value)| *out += kernel[k] * value);
            });
        });
        result
    }

    fn depthwise_input_gradient(&self, weights: &[f32], gradient: &[f32]) -> Vec<f32> {
        let one = self.channel();
        let mut found = vec![0.0; self.images * self.image_in()];
        let planes = found.par_chunks_mut(one.image_in()).zip(gradient.par_chunks(one.image_out()));
        planes.enumerate().for_each(|(i, (found, gradient))| {
            let kernel = &weights[i % self.outputs * one.window_len()..][..one.window_len()];
            one.each_line_of_image(|k, at, line| {
                let pixels = found[line.begin..].iter_mut().step_by(one.stride);
                let gradient = &gradient[at + line.first..at + line.past];
                pixels.zip(gradient).for_each(|(pixel, value)| *pixel += kernel[k] * value);
            });
        });
        found
    }

    fn add_depthwise_weights_gradient(&self, input: &[f32], gradient: &[f32], sum: &mut [f32]) {
        let one = self.channel();
        let planes = input.chunks(one.image_in()).zip(gradient.chunks(one.image_out()));
        for (sum, (plane, gradient)) in sum.chunks_mut(one.window_len()).zip(planes) {
            one.each_line_of_image(|k, at, line| {
                let values = plane[line.begin..].iter().step_by(one.stride);
                let gradient = &gradient[at + line.first..at + line.past];
                sum[k] +=
                    values.zip(gradient).map(|(value, gradient)| value * gradient).sum::<f32>();
            });
        }
    }

    /// Calls `visit` for each row of windows of one channel and kernel position, with the position's
    /// index, the offset of the row in the result, and the row's place in the image.
    fn each_line_of_image(&self, mut visit: impl FnMut(usize, usize, Line)) {
        let plane = self.rows_out * self.columns_out;
        self.each_line((0, self.rows_out), |at, line| {
            if let Some(line) = line {
                visit(at / plane, at % plane, line);
            }
        });
    }

    /// The values in the windows of a strip, `[window_len, pixels]`, written into `room`. For a kernel of
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
        let room = &mut room[..self.window_len() * pixels];
        self.each_line(strip, |at, line| {
            let out = &mut room[at..at + self.columns_out];
            let Some(Line { begin, first, past }) = line else {
                out.fill(0.0);
                return;
            };
            out[..first].fill(0.0);
            out[past..].fill(0.0);
            if self.stride == 1 {
                out[first..past].copy_from_slice(&input[begin..begin + past - first]);
            } else {
                let taken = input[begin..].iter().step_by(self.stride);
                out[first..past].iter_mut().zip(taken).for_each(|(out, value)| *out = *value);
            }
        });
        matrix(room, self.window_len(), pixels)
    }

    /// Adds a strip's columns to the pixels that they came from.
    fn put_back(&self, columns: &[f32], strip: (usize, usize), image: &mut [f32]) {
        self.each_line(strip, |at, line| {
            let Some(Line { begin, first, past }) = line else { return };
            let values = &columns[at + first..at + past];
            if self.stride == 1 {
                let pixels = &mut image[begin..begin + values.len()];
                pixels.iter_mut().zip(values).for_each(|(pixel, value)| *pixel += value);
            } else {
                let pixels = image[begin..].iter_mut().step_by(self.stride);
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
                    let (offset, stride) = (across * self.dilation, self.stride);
                    let left = self.padding[1].saturating_sub(offset).div_ceil(stride);
                    let right = (self.columns_in + self.padding[1])
                        .saturating_sub(offset)
                        .div_ceil(stride)
                        .min(self.columns_out);
                    for row in first..first + rows {
                        let y = (row * self.stride + down * self.dilation)
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
    use proptest::prelude::*;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|i| ((i * 7919 + seed * 104_729) % 1009) as f32 / 504.5 - 1.0).collect()
    }

    /// The definition of a convolution, as sums over everything: the result, and for a gradient with
    /// respect to it those of the input and the weights.
    fn by_definition(
        of: &Convolution,
        shape: [usize; 4],
        input: &[f32],
        weights: &[f32],
        gradient: impl Fn(&[f32]) -> Vec<f32>,
    ) -> [Vec<f32>; 3] {
        let [images, channels, rows, columns] = shape;
        let [_, outputs, rows_out, columns_out] = of.windows(shape).shape_out();
        let each = channels / of.groups;
        let mut triples = Vec::new();
        for n in 0..images {
            for o in 0..outputs {
                for (i, y, x) in (0..each).flat_map(|i| {
                    (0..of.kernel[0]).flat_map(move |y| (0..of.kernel[1]).map(move |x| (i, y, x)))
                }) {
                    let channel = o / (outputs / of.groups) * each + i;
                    let w = ((o * each + i) * of.kernel[0] + y) * of.kernel[1] + x;
                    for row in 0..rows_out {
                        for column in 0..columns_out {
                            let (r, c) = (
                                row * of.stride + y * of.dilation,
                                column * of.stride + x * of.dilation,
                            );
                            let (Some(r), Some(c)) =
                                (r.checked_sub(of.padding[0]), c.checked_sub(of.padding[1]))
                            else {
                                continue;
                            };
                            if r < rows && c < columns {
                                let from = ((n * channels + channel) * rows + r) * columns + c;
                                let to =
                                    ((n * outputs + o) * rows_out + row) * columns_out + column;
                                triples.push((from, w, to));
                            }
                        }
                    }
                }
            }
        }
        let mut result = vec![0.0; images * outputs * rows_out * columns_out];
        triples.iter().for_each(|&(from, w, to)| result[to] += input[from] * weights[w]);
        let gradient = gradient(&result);
        let (mut of_input, mut of_weights) = (vec![0.0; input.len()], vec![0.0; weights.len()]);
        for &(from, w, to) in &triples {
            of_input[from] += weights[w] * gradient[to];
            of_weights[w] += input[from] * gradient[to];
        }
        [result, of_input, of_weights]
    }

    fn agrees(of: &Convolution, shape: [usize; 4]) -> Result<(), TestCaseError> {
        let windows = of.windows(shape);
        let input = numbers(shape.iter().product(), 1);
        let each = shape[1] / of.groups * of.kernel[0] * of.kernel[1];
        let weights = numbers(of.outputs * each, 2);
        let double = |result: &[f32]| result.iter().map(|v| 2.0 * v).collect::<Vec<f32>>();
        let result = windows.result(&input, &weights);
        let gradient = double(&result);
        let found = [
            result,
            windows.input_gradient(&weights, &gradient),
            windows.weights_gradient(&input, &gradient),
        ];
        let wanted = by_definition(of, shape, &input, &weights, double);
        for (found, wanted) in found.into_iter().zip(wanted) {
            prop_assert_eq!(found.len(), wanted.len());
            let largest = wanted.iter().fold(1.0f32, |most, value| most.max(value.abs()));
            for (a, b) in found.into_iter().zip(wanted) {
                prop_assert!((a - b).abs() < 1e-4 * largest, "{} {}", a, b);
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn result_and_gradients_are_those_of_the_definition(
            images in 1usize..10, inputs in 1usize..5, outputs in 1usize..5, depthwise in any::<bool>(),
            rows in 5usize..12, columns in 5usize..12, kernel in prop::sample::select(vec![1usize, 3]),
            stride in 1usize..3, dilation in 1usize..3,
            padding in [0usize..3, 0usize..3, 0usize..3, 0usize..3],
        ) {
            let (outputs, groups) = if depthwise { (inputs, inputs) } else { (outputs, 1) };
            let kernel = [kernel; 2];
            let of = Convolution { outputs, kernel, stride, padding, dilation, groups };
            agrees(&of, [images, inputs, rows, columns])?;
        }
    }

    #[test]
    fn many_strips_are_one_image() {
        let of = Convolution {
            outputs: 6,
            kernel: [3; 2],
            stride: 1,
            padding: [1; 4],
            dilation: 1,
            groups: 1,
        };
        let shape = [1, 40, 50, 70];
        assert!(of.windows(shape).strips().count() > 2);
        agrees(&of, shape).unwrap();
    }
}
