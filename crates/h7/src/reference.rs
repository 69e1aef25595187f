//! Reference inference for an int8 TFLite file, bit for bit. It uses integers only, except that
//! multipliers are computed from the file's scales as TFLite does.
//!
//! The arithmetic is that of TFLite's reference kernels (Jacob et al. 2018, "Quantization and
//! training of neural networks for efficient integer-arithmetic-only inference"): a 32-bit sum,
//! times a 31-bit multiplier with a saturating rounding doubling high multiply, then a rounding
//! shift.

use super::net::{Activation, Layer, Net, Op, Weights, Window};

/// A real factor as integers: `mantissa` / 2^31 * 2^`exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Multiplier {
    mantissa: i32,
    exponent: i32,
}

impl Multiplier {
    fn new(factor: f64) -> Self {
        if factor == 0.0 || !factor.is_finite() {
            return Self { mantissa: 0, exponent: 0 };
        }
        // factor = fraction * 2^exponent with the fraction in [0.5, 1).
        let mut exponent = factor.log2().floor() as i32 + 1;
        let mut fraction = factor / 2f64.powi(exponent);
        while fraction >= 1.0 {
            (fraction, exponent) = (fraction / 2.0, exponent + 1);
        }
        while fraction < 0.5 {
            (fraction, exponent) = (fraction * 2.0, exponent - 1);
        }
        let mut mantissa = (fraction * 2f64.powi(31)).round() as i64;
        if mantissa == 1 << 31 {
            (mantissa, exponent) = (mantissa / 2, exponent + 1);
        }
        if exponent < -31 {
            return Self { mantissa: 0, exponent: 0 };
        }
        Self { mantissa: mantissa as i32, exponent }
    }

    fn apply(self, value: i32) -> i32 {
        let (left, right) = (self.exponent.max(0), (-self.exponent).max(0));
        let shifted = value.wrapping_shl(left as u32);
        rounding_shift(rounding_doubling_high_multiply(shifted, self.mantissa), right)
    }
}

/// (a * b * 2) >> 32, rounded; the only overflowing product saturates.
fn rounding_doubling_high_multiply(a: i32, b: i32) -> i32 {
    if a == i32::MIN && b == i32::MIN {
        return i32::MAX;
    }
    let product = i64::from(a) * i64::from(b);
    let nudge = if product >= 0 { 1 << 30 } else { 1 - (1 << 30) };
    // Division, not a shift: it rounds towards zero.
    ((product + nudge) / (1 << 31)) as i32
}

/// value / 2^bits, rounded, with halves away from zero.
fn rounding_shift(value: i32, bits: i32) -> i32 {
    let mask = ((1i64 << bits) - 1) as i32;
    let rest = value & mask;
    let threshold = (mask >> 1) + i32::from(value < 0);
    (value >> bits) + i32::from(rest > threshold)
}

/// The network's output for one input: height x width x channels, each byte a pixel value XOR 0x80.
///
/// # Panics
/// If the input's length differs from the network's.
pub fn run(net: &Net, input: &[i8]) -> Vec<i8> {
    assert_eq!(input.len(), net.input.len(), "the network takes another input");
    let mut values = input.to_vec();
    for (i, layer) in net.layers.iter().enumerate() {
        values = step(net.input_of(i), layer, &values);
    }
    values
}

fn step(from: &Activation, layer: &Layer, values: &[i8]) -> Vec<i8> {
    let to = &layer.output;
    match &layer.op {
        Op::Conv(window, weights) => convolve(from, to, window, weights, values, false),
        Op::Depthwise(window, weights) => convolve(from, to, window, weights, values, true),
        Op::MaxPool(size) => pool(from, to, *size, values, |window| {
            window.iter().copied().max().expect("no empty window")
        }),
        Op::AveragePool(size) => pool(from, to, *size, values, |window| {
            let (sum, n) = (window.iter().map(|&v| i32::from(v)).sum::<i32>(), window.len() as i32);
            let half = if sum > 0 { n / 2 } else { -(n / 2) };
            ((sum + half) / n).clamp(-128, 127) as i8
        }),
    }
}

/// Converts a sum of products to a byte.
struct Finish<'a> {
    multipliers: Vec<Multiplier>,
    bias: &'a [i32],
    zero: i32,
    least: i32,
}

impl<'a> Finish<'a> {
    fn new(from: &Activation, to: &Activation, weights: &'a Weights) -> Self {
        let multipliers = weights
            .scales
            .iter()
            .map(|&scale| {
                Multiplier::new(
                    f64::from(from.quant.scale) * f64::from(scale) / f64::from(to.quant.scale),
                )
            })
            .collect();
        let least = if weights.relu { to.quant.zero.max(-128) } else { -128 };
        Self { multipliers, bias: &weights.bias, zero: to.quant.zero, least }
    }

    fn byte(&self, channel: usize, sum: i32) -> i8 {
        let value = self.multipliers[channel].apply(sum.wrapping_add(self.bias[channel]));
        (value + self.zero).clamp(self.least, 127) as i8
    }
}

/// Rows or columns of padding before the first one.
pub(super) fn padding_before(from: usize, to: usize, kernel: usize, stride: usize) -> usize {
    ((to - 1) * stride + kernel).saturating_sub(from) / 2
}

fn convolve(
    from: &Activation,
    to: &Activation,
    window: &Window,
    weights: &Weights,
    values: &[i8],
    depthwise: bool,
) -> Vec<i8> {
    let finish = Finish::new(from, to, weights);
    let [kernel_rows, kernel_columns] = window.kernel;
    let [top, left] =
        [(from.height, to.height, kernel_rows), (from.width, to.width, kernel_columns)].map(
            |(from, to, kernel)| {
                if window.same { padding_before(from, to, kernel, window.stride) } else { 0 }
            },
        );
    // Padding is real 0, so it adds nothing to the sum.
    let centred: Vec<i32> = values.iter().map(|&v| i32::from(v) - from.quant.zero).collect();
    let wide: Vec<i32> = weights.values.iter().map(|&w| i32::from(w)).collect();
    let mut made = Vec::with_capacity(to.len());
    let mut sums = vec![0i32; to.channels];
    for y in 0..to.height {
        for x in 0..to.width {
            sums.fill(0);
            for ky in 0..kernel_rows {
                let row = (y * window.stride + ky).wrapping_sub(top);
                for kx in 0..kernel_columns {
                    let column = (x * window.stride + kx).wrapping_sub(left);
                    if row >= from.height || column >= from.width {
                        continue;
                    }
                    let pixel =
                        &centred[(row * from.width + column) * from.channels..][..from.channels];
                    let tap = ky * kernel_columns + kx;
                    if depthwise {
                        let kernel = &wide[tap * to.channels..][..to.channels];
                        for ((sum, w), v) in sums.iter_mut().zip(kernel).zip(pixel) {
                            *sum += w * v;
                        }
                    } else {
                        let taps = kernel_rows * kernel_columns;
                        for (output, sum) in sums.iter_mut().enumerate() {
                            let kernel =
                                &wide[(output * taps + tap) * from.channels..][..from.channels];
                            *sum += kernel.iter().zip(pixel).map(|(w, v)| w * v).sum::<i32>();
                        }
                    }
                }
            }
            made.extend(sums.iter().enumerate().map(|(c, &sum)| finish.byte(c, sum)));
        }
    }
    made
}

fn pool(
    from: &Activation,
    to: &Activation,
    [height, width]: [usize; 2],
    values: &[i8],
    join: impl Fn(&[i8]) -> i8,
) -> Vec<i8> {
    let mut made = Vec::with_capacity(to.len());
    let mut window = Vec::with_capacity(height * width);
    for y in 0..to.height {
        for x in 0..to.width {
            for c in 0..to.channels {
                window.clear();
                for dy in 0..height {
                    for dx in 0..width {
                        let at = (y * height + dy) * from.width + x * width + dx;
                        window.push(values[at * from.channels + c]);
                    }
                }
                made.push(join(&window));
            }
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn multipliers_are_fractions_and_shifts() {
        assert_eq!(Multiplier::new(1.0), Multiplier { mantissa: 1 << 30, exponent: 1 });
        assert_eq!(Multiplier::new(0.25), Multiplier { mantissa: 1 << 30, exponent: -1 });
        assert_eq!(Multiplier::new(0.0).mantissa, 0);
        // A fraction that rounds up to 1.
        let almost = Multiplier::new(1.0 - 1e-12);
        assert_eq!(almost, Multiplier { mantissa: 1 << 30, exponent: 1 });
    }

    #[test]
    fn the_multiply_rounds_halves_up_and_the_shift_away_from_zero() {
        let half = Multiplier::new(0.5);
        assert_eq!([3, -3, 5, -5, 0].map(|v| half.apply(v)), [2, -1, 3, -2, 0]);
        assert_eq!([3, -3, 5, -5, 0].map(|v| rounding_shift(v, 1)), [2, -2, 3, -3, 0]);
        assert_eq!(rounding_doubling_high_multiply(i32::MIN, i32::MIN), i32::MAX);
    }

    proptest! {
        #[test]
        fn a_multiplier_is_within_one_of_the_real_product(
            factor in 1e-6..2.0f64, value in -2_000_000..2_000_000i32
        ) {
            let exact = f64::from(value) * factor;
            let got = f64::from(Multiplier::new(factor).apply(value));
            prop_assert!((got - exact).abs() <= 1.0, "{value} * {factor} = {exact}, got {got}");
        }
    }
}
