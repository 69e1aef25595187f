//! The numbers of a batch, with their shape; what layers other than convolutions compute, and losses,
//! with their gradients.
//!
//! Maps are `[n, channels, rows, columns]`. A gradient is that of the loss with respect to the tensor
//! of the same shape. Every sum is formed in one order, so that results do not depend on the number
//! of threads.

use ndarray::ArrayView2;
use rayon::prelude::*;
use setsight_photo::numeric::sigmoid;

/// Numbers, the last index fastest: maps `[n, channels, rows, columns]`, or rows `[n, values]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Length of each dimension.
    pub shape: Vec<usize>,
    /// The numbers.
    pub values: Vec<f32>,
}

impl Tensor {
    /// Numbers of this shape.
    ///
    /// # Panics
    /// If there are more or fewer numbers than the shape says.
    pub fn new(values: Vec<f32>, shape: &[usize]) -> Self {
        assert_eq!(values.len(), shape.iter().product::<usize>(), "numbers of shape {shape:?}");
        Self { shape: shape.to_vec(), values }
    }

    /// Zeros.
    pub(crate) fn zeros(shape: &[usize]) -> Self {
        Self { shape: shape.to_vec(), values: vec![0.0; shape.iter().product()] }
    }

    /// Images, channels, rows and columns of maps.
    ///
    /// # Panics
    /// If these are rows, which is a mistake in the plan.
    pub(crate) fn maps(&self) -> [usize; 4] {
        self.shape[..].try_into().expect("maps, where the plan needs them")
    }

    /// The numbers of one channel of one image of these maps.
    pub(crate) fn plane(&self, image: usize, channel: usize) -> &[f32] {
        let [_, channels, rows, columns] = self.maps();
        &self.values[(image * channels + channel) * rows * columns..][..rows * columns]
    }

    /// Images and values of rows.
    ///
    /// # Panics
    /// If these are maps, which is a mistake in the plan.
    pub fn rows(&self) -> [usize; 2] {
        self.shape[..].try_into().expect("rows, where the plan needs them")
    }
}

/// Added to a norm's variance before the root.
pub(crate) const NORM_EPSILON: f32 = 1e-5;

/// Sets negative numbers to 0.
pub(crate) fn relu(values: &mut [f32]) {
    values.iter_mut().for_each(|v| *v = v.max(0.0));
}

/// The gradient before a ReLU, from the one after it and its result.
pub(crate) fn relu_gradient(gradient: &mut [f32], result: &[f32]) {
    gradient.iter_mut().zip(result).for_each(|(g, r)| *g = if *r > 0.0 { *g } else { 0.0 });
}

/// Adds a number to each channel.
pub(crate) fn add_bias(maps: &mut Tensor, bias: &[f32]) {
    let [_, channels, rows, columns] = maps.maps();
    maps.values
        .par_chunks_mut(rows * columns)
        .enumerate()
        .for_each(|(i, plane)| plane.iter_mut().for_each(|v| *v += bias[i % channels]));
}

pub(crate) fn channel_sums(maps: &Tensor) -> Vec<f32> {
    let [images, channels, ..] = maps.maps();
    (0..channels)
        .into_par_iter()
        .map(|c| (0..images).map(|n| sum(maps.plane(n, c), |v| v)).sum::<f64>() as f32)
        .collect()
}

/// The mean and the variance of each channel over images, rows and columns.
pub(crate) fn channel_statistics(maps: &Tensor) -> (Vec<f32>, Vec<f32>) {
    let [images, channels, rows, columns] = maps.maps();
    let count = (images * rows * columns) as f64;
    let statistics = (0..channels).into_par_iter().map(|c| {
        let total: f64 = (0..images).map(|n| sum(maps.plane(n, c), |v| v)).sum();
        let mean = (total / count) as f32;
        let squares = (0..images).map(|n| sum(maps.plane(n, c), |v| (v - mean) * (v - mean)));
        (mean, (squares.sum::<f64>() / count) as f32)
    });
    statistics.unzip()
}

/// A sum in a fixed order that vector instructions can follow.
fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f64 {
    const LANES: usize = 16;
    let mut lanes = [0.0f32; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest: f64 = chunks.remainder().iter().map(|v| f64::from(of(*v))).sum();
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, v)| *lane += of(*v));
    }
    lanes.into_iter().map(f64::from).sum::<f64>() + rest
}

/// A batch norm (Ioffe and Szegedy 2015) of one batch.
#[derive(Clone, Debug)]
pub(crate) struct Norm {
    pub mean: Vec<f32>,
    pub variance: Vec<f32>,
    /// The maps at mean 0 and variance 1.
    normalised: Vec<f32>,
}

impl Norm {
    /// Normalises maps in place; each channel then gets its scale and shift.
    pub(crate) fn new(maps: &mut Tensor, scale: &[f32], shift: &[f32]) -> Self {
        let [_, channels, rows, columns] = maps.maps();
        let (mean, variance) = channel_statistics(maps);
        let mut normalised = vec![0.0; maps.values.len()];
        let planes = maps.values.par_chunks_mut(rows * columns);
        planes.zip(normalised.par_chunks_mut(rows * columns)).enumerate().for_each(
            |(i, (plane, normalised))| {
                let c = i % channels;
                let inverse = inverse_deviation(variance[c]);
                for (v, n) in plane.iter_mut().zip(normalised) {
                    *n = (*v - mean[c]) * inverse;
                    *v = *n * scale[c] + shift[c];
                }
            },
        );
        Self { mean, variance, normalised }
    }

    /// Turns the gradient of the result into that of the maps, in place; the gradients of scale and
    /// shift.
    pub(crate) fn gradient(&self, gradient: &mut Tensor, scale: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let [images, channels, rows, columns] = gradient.maps();
        let shift = channel_sums(gradient);
        let products: Vec<f32> =
            gradient.values.iter().zip(&self.normalised).map(|(g, n)| g * n).collect();
        let of_scale = channel_sums(&Tensor { shape: gradient.shape.clone(), values: products });
        let count = (images * rows * columns) as f32;
        let planes = gradient.values.par_chunks_mut(rows * columns);
        planes.zip(self.normalised.par_chunks(rows * columns)).enumerate().for_each(
            |(i, (plane, normalised))| {
                let c = i % channels;
                let factor = scale[c] * inverse_deviation(self.variance[c]);
                let (mean, share) = (shift[c] / count, of_scale[c] / count);
                for (g, n) in plane.iter_mut().zip(normalised) {
                    *g = factor * (*g - mean - n * share);
                }
            },
        );
        (of_scale, shift)
    }
}

fn inverse_deviation(variance: f32) -> f32 {
    1.0 / (variance + NORM_EPSILON).sqrt()
}

/// A matrix product with a bias: `input` `[n, inputs]`, `weights` `[outputs, inputs]`.
pub(crate) fn dense(input: &Tensor, weights: &[f32], bias: &[f32]) -> Tensor {
    let [n, inputs] = input.rows();
    let mut out = matrix(&input.values, n, inputs).dot(&matrix(weights, bias.len(), inputs).t());
    out.rows_mut().into_iter().for_each(|mut row| row += &ndarray::aview1(bias));
    Tensor::new(out.iter().copied().collect(), &[n, bias.len()])
}

/// The gradients of a matrix product: of its input, its weights and its bias.
pub(crate) fn dense_gradient(
    input: &Tensor,
    weights: &[f32],
    gradient: &[f32],
) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let [n, inputs] = input.rows();
    let outputs = weights.len() / inputs;
    let gradient = matrix(gradient, n, outputs);
    let of_input = gradient.dot(&matrix(weights, outputs, inputs));
    let of_weights = gradient.t().dot(&matrix(&input.values, n, inputs));
    let of_bias = gradient.sum_axis(ndarray::Axis(0));
    let [of_input, of_weights] =
        [of_input, of_weights].map(|array| array.iter().copied().collect());
    (of_input, of_weights, of_bias.to_vec())
}

fn matrix(values: &[f32], rows: usize, columns: usize) -> ArrayView2<'_, f32> {
    ArrayView2::from_shape((rows, columns), values).expect("as many values as the shape says")
}

/// Windows of `size` by `size` pixels side by side; what does not fill one is left out.
#[derive(Clone, Copy)]
struct Pool {
    size: usize,
    rows: usize,
    columns: usize,
}

impl Pool {
    fn new(maps: &Tensor, size: usize) -> Self {
        let [.., rows, columns] = maps.maps();
        Self { size, rows, columns }
    }

    fn out(self) -> (usize, usize) {
        (self.rows / self.size, self.columns / self.size)
    }

    /// The offsets, in a plane of the input, of the pixels of a window of the result.
    fn pixels(self, window: usize) -> impl Iterator<Item = usize> {
        let (_, columns_out) = self.out();
        let first =
            window / columns_out * self.size * self.columns + window % columns_out * self.size;
        (0..self.size * self.size)
            .map(move |i| first + i / self.size * self.columns + i % self.size)
    }

    fn result(self, maps: &Tensor, of: impl Fn(&[f32], usize) -> f32 + Sync) -> Tensor {
        let [images, channels, rows, columns] = maps.maps();
        let (rows_out, columns_out) = self.out();
        let mut out = Tensor::zeros(&[images, channels, rows_out, columns_out]);
        let planes = out.values.par_chunks_mut(rows_out * columns_out);
        planes.zip(maps.values.par_chunks(rows * columns)).for_each(|(out, plane)| {
            out.iter_mut().enumerate().for_each(|(window, v)| *v = of(plane, window));
        });
        out
    }

    fn gradient(
        self,
        maps: &Tensor,
        gradient: &[f32],
        put: impl Fn(&[f32], usize, f32, &mut [f32]) + Sync,
    ) -> Vec<f32> {
        let (rows_out, columns_out) = self.out();
        let plane = self.rows * self.columns;
        let mut found = vec![0.0; maps.values.len()];
        let planes = found.par_chunks_mut(plane).zip(maps.values.par_chunks(plane));
        planes.zip(gradient.par_chunks(rows_out * columns_out)).for_each(
            |((found, plane), gradient)| {
                gradient.iter().enumerate().for_each(|(window, g)| put(plane, window, *g, found));
            },
        );
        found
    }
}

/// The largest of each window.
pub(crate) fn max_pool(maps: &Tensor, size: usize) -> Tensor {
    let pool = Pool::new(maps, size);
    pool.result(maps, |plane, window| {
        pool.pixels(window).map(|i| plane[i]).fold(f32::NEG_INFINITY, f32::max)
    })
}

/// The gradient of [`max_pool`], which goes to the first of the largest pixels.
pub(crate) fn max_pool_gradient(maps: &Tensor, size: usize, gradient: &[f32]) -> Vec<f32> {
    let pool = Pool::new(maps, size);
    pool.gradient(maps, gradient, |plane, window, g, found| {
        let largest = pool
            .pixels(window)
            .reduce(|a: usize, b: usize| if plane[b] > plane[a] { b } else { a })
            .expect("a window has pixels");
        found[largest] += g;
    })
}

/// The mean of each window.
pub(crate) fn average_pool(maps: &Tensor, size: usize) -> Tensor {
    let pool = Pool::new(maps, size);
    let share = 1.0 / (size * size) as f32;
    pool.result(maps, |plane, window| pool.pixels(window).map(|i| plane[i]).sum::<f32>() * share)
}

pub(crate) fn average_pool_gradient(maps: &Tensor, size: usize, gradient: &[f32]) -> Vec<f32> {
    let pool = Pool::new(maps, size);
    let share = 1.0 / (size * size) as f32;
    pool.gradient(maps, gradient, |_, window, g, found| {
        pool.pixels(window).for_each(|i| found[i] += g * share);
    })
}

/// The mean of each channel of each image, `[n, channels]`.
pub(crate) fn global_average(maps: &Tensor) -> Tensor {
    let [images, channels, rows, columns] = maps.maps();
    let plane = rows * columns;
    Tensor::new(
        maps.values
            .par_chunks(plane)
            .map(|plane| (sum(plane, |v| v) / plane.len() as f64) as f32)
            .collect(),
        &[images, channels],
    )
}

pub(crate) fn global_average_gradient(maps: &Tensor, gradient: &[f32]) -> Vec<f32> {
    let [.., rows, columns] = maps.maps();
    let plane = rows * columns;
    gradient.iter().flat_map(|g| std::iter::repeat_n(g / plane as f32, plane)).collect()
}

/// Nearest-neighbour upsampling to twice the rows and columns.
pub(crate) fn upsample(maps: &Tensor) -> Tensor {
    let [images, channels, rows, columns] = maps.maps();
    let mut out = Tensor::zeros(&[images, channels, 2 * rows, 2 * columns]);
    out.values.par_chunks_mut(2 * columns).enumerate().for_each(|(row, out)| {
        let from = &maps.values[row / 2 * columns..][..columns];
        out.iter_mut().enumerate().for_each(|(x, v)| *v = from[x / 2]);
    });
    out
}

pub(crate) fn upsample_gradient(maps: &Tensor, gradient: &[f32]) -> Vec<f32> {
    let [.., columns] = maps.maps();
    let mut found = vec![0.0; maps.values.len()];
    found.par_chunks_mut(columns).enumerate().for_each(|(row, found)| {
        let (above, below) = gradient[4 * row * columns..][..4 * columns].split_at(2 * columns);
        for (x, v) in found.iter_mut().enumerate() {
            *v = above[2 * x] + above[2 * x + 1] + below[2 * x] + below[2 * x + 1];
        }
    });
    found
}

#[derive(Clone, Debug)]
pub struct Loss {
    /// The loss that is minimised.
    pub total: f32,
    /// Its parts by name, for the display.
    pub parts: Vec<(&'static str, f32)>,
    /// Gradient with respect to the output, in the output's shape.
    pub gradient: Vec<f32>,
}

/// The cross entropy of one choice among `outputs`: minus the sum of `targets`, one for each output,
/// times the logarithms of the softmax. Adds `share` times its gradient.
pub(crate) fn softmax_cross_entropy(
    logits: &[f32],
    outputs: &[usize],
    targets: &[f32],
    share: f32,
    gradient: &mut [f32],
) -> f64 {
    let most = outputs.iter().map(|&i| logits[i]).fold(f32::NEG_INFINITY, f32::max);
    let log_sum = outputs.iter().map(|&i| (logits[i] - most).exp()).sum::<f32>().ln();
    let all: f32 = targets.iter().sum();
    let mut loss = 0.0;
    for (&i, target) in outputs.iter().zip(targets) {
        let log = logits[i] - most - log_sum;
        loss -= f64::from(target * log);
        gradient[i] += share * (all * log.exp() - target);
    }
    loss
}

/// The cross entropy of a logit and a target of 0 to 1, log(1 + e^x) - x y. Adds `share` times its
/// gradient.
pub(crate) fn binary_cross_entropy(logit: f32, target: f32, share: f32, gradient: &mut f32) -> f64 {
    *gradient += share * (sigmoid(logit) - target);
    f64::from(softplus(logit) - logit * target)
}

/// log(1 + e^x), without overflow.
pub(crate) fn softplus(x: f32) -> f32 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Compares a loss's gradient with differences of the loss. Every `step`-th number is moved.
    pub(crate) fn gradient_is_that_of_differences(
        output: &[f32],
        step: usize,
        loss: impl Fn(Vec<f32>) -> Loss,
    ) {
        let gradient = loss(output.to_vec()).gradient;
        assert_eq!(gradient.len(), output.len());
        for i in (0..output.len()).step_by(step) {
            let [above, below] = [5e-3, -5e-3].map(|by| {
                let mut moved = output.to_vec();
                moved[i] += by;
                f64::from(loss(moved).total)
            });
            let wanted = (above - below) / 1e-2;
            let found = f64::from(gradient[i]);
            assert!((found - wanted).abs() < 2e-3 + 0.03 * wanted.abs(), "{i}: {found} {wanted}");
        }
    }

    #[test]
    fn choices_and_logits_have_the_gradients_of_differences() {
        let targets = [0.7, 0.1, 0.2];
        gradient_is_that_of_differences(&[0.3, -1.0, 9.0, 2.0, -0.4], 1, |output| {
            let mut gradient = vec![0.0; output.len()];
            let chosen = softmax_cross_entropy(&output, &[3, 0, 1], &targets, 1.0, &mut gradient);
            let yes_or_no = binary_cross_entropy(output[4], 0.8, 1.0, &mut gradient[4]);
            Loss { total: (chosen + yes_or_no) as f32, parts: Vec::new(), gradient }
        });
        assert!((softplus(60.0) - 60.0).abs() < 1e-6 && softplus(-60.0) < 1e-20);
    }
}
