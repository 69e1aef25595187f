//! Seeded random numbers for everything in a scene, and smooth two-dimensional noise, the same on every
//! machine.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use serde::Serialize;

/// A closed range from which a value is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Span {
    /// Smallest value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
}

impl Span {
    /// From `low` to `high`.
    pub const fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }
    /// One value only.
    pub const fn only(value: f64) -> Self {
        Self { low: value, high: value }
    }
}

/// The purpose of a stream of numbers. Each purpose has its own stream, so that a change of the
/// lighting leaves the cards, the table and the noise of a scene unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The layout of the cards.
    Layout = 1,
    /// The print of the deck.
    Print,
    /// The position of the camera and its lens.
    Camera,
    /// The material of the table.
    Table,
    /// Other things on the table.
    Distractors,
    /// Lamps, shadows, glare.
    Light,
    /// Blur, noise, tone.
    Sensor,
    /// Noise of single pixels.
    Pixels,
    /// The ranges of a table for training.
    Ranges,
    /// Things that lie over cards.
    Covers,
    /// The wear of the cards.
    Wear,
    /// A stack of cards beside the others.
    Stack,
    /// The deck, and whether the picture is mirrored.
    Deck,
    /// Colour casts.
    Cast,
    /// Marks drawn on the picture.
    Annotations,
    /// Printed things that are not cards.
    Flyers,
    /// The taste of an app and its page.
    Screen,
    /// The camera before a screen.
    Photograph,
}

/// A random generator: PCG 64 (O'Neill 2014), the same on every machine.
#[derive(Clone, Debug)]
pub struct Dice(Pcg64);

impl Dice {
    /// The stream of one purpose of one scene.
    pub fn new(seed: u64, scene: u64, purpose: Purpose) -> Self {
        let key = mix(mix(mix(seed) ^ scene) ^ purpose as u64);
        Self(Pcg64::seed_from_u64(key))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// Uniform in a span.
    pub fn within(&mut self, span: Span) -> f64 {
        span.low + (span.high - span.low) * self.unit()
    }
    /// Uniform between two values.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.within(Span::new(low, high))
    }
    /// A whole number in `0..n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The bias of one part in 2^64 / n is negligible here.
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }
    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }
    /// Approximately normal, mean 0, standard deviation 1, never beyond 6: the sum of twelve
    /// uniform numbers, which unlike a logarithm is the same on every machine.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
    /// A random value with probability proportional to its weight.
    ///
    /// # Panics
    /// If there are no values.
    pub fn pick<T: Copy>(&mut self, weighted: &[(T, f64)]) -> T {
        let total: f64 = weighted.iter().map(|w| w.1).sum();
        let mut left = self.unit() * total;
        for &(value, weight) in weighted {
            left -= weight;
            if left < 0.0 {
                return value;
            }
        }
        weighted.last().expect("a value to pick").0
    }
    /// Shuffles the values.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for i in (1..values.len()).rev() {
            values.swap(i, self.below(i + 1));
        }
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014), a hash that separates nearby keys.
pub const fn mix(key: u64) -> u64 {
    let mut z = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A uniform value in [-1, 1) for each lattice point. Two rounds of multiply and shift are enough
/// to hide the lattice from view.
pub fn lattice(seed: u64, i: i64, j: i64) -> f64 {
    let mut key = (i as u64).wrapping_mul(0x8da6_b343_d816_3841)
        ^ (j as u64).wrapping_mul(0xd816_3841_cb1a_b31f)
        ^ seed;
    key = (key ^ (key >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    key = (key ^ (key >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (key >> 40) as f64 * (1.0 / f64::from(1 << 23)) - 1.0
}

/// The integer at or below `x`, like `floor`, which is a call into the C library on plain x86-64.
pub(crate) fn floor_to_int(x: f64) -> i64 {
    let cut = x as i64;
    cut.wrapping_sub(i64::from(cut as f64 > x))
}

/// Value noise: cubic between random values in [-1, 1) at whole coordinates.
pub fn value(seed: u64, x: f64, y: f64) -> f64 {
    let (i, j) = (floor_to_int(x), floor_to_int(y));
    let (u, v) = (fade(x - i as f64), fade(y - j as f64));
    // A point beyond the horizon may be infinitely far away.
    let (right, below) = (i.wrapping_add(1), j.wrapping_add(1));
    let (a, b) = (lattice(seed, i, j), lattice(seed, right, j));
    let (c, d) = (lattice(seed, i, below), lattice(seed, right, below));
    let (top, bottom) = (a + (b - a) * u, c + (d - c) * u);
    top + (bottom - top) * v
}

fn fade(t: f64) -> f64 {
    t * t * (3.0 - 2.0 * t)
}

/// Sum of octaves, each twice as fine and `roughness` times as strong; octaves finer than a pixel
/// are faded out. `coarse` is the size of the coarsest octave and `pixel` the size of a pixel, in
/// the unit of `x` and `y`. About -1 to 1.
pub fn octaves(
    seed: u64,
    (x, y): (f64, f64),
    coarse: f64,
    roughness: f64,
    count: u32,
    pixel: f64,
) -> f64 {
    let (mut sum, mut strength, mut size) = (0.0, 1.0, coarse);
    for octave in 0..u64::from(count) {
        let visible = (size / pixel - 1.0).clamp(0.0, 1.0);
        if visible == 0.0 {
            break;
        }
        sum += visible * strength * value(mix(seed ^ octave), x / size, y / size);
        strength *= roughness;
        size *= 0.5;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ() {
        let draw = |seed, scene, purpose| Dice::new(seed, scene, purpose).bits();
        assert_eq!(draw(7, 3, Purpose::Light), draw(7, 3, Purpose::Light));
        assert_ne!(draw(7, 3, Purpose::Light), draw(7, 3, Purpose::Layout));
        assert_ne!(draw(7, 3, Purpose::Light), draw(7, 4, Purpose::Light));
        assert_ne!(draw(7, 3, Purpose::Light), draw(8, 3, Purpose::Light));
    }

    #[test]
    fn numbers_are_spread_as_named() {
        let mut dice = Dice::new(1, 0, Purpose::Layout);
        let normals: Vec<f64> = (0..4000).map(|_| dice.normal()).collect();
        let mean = normals.iter().sum::<f64>() / 4000.0;
        let deviation = (normals.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 4000.0).sqrt();
        assert!(mean.abs() < 0.06 && (deviation - 1.0).abs() < 0.05, "{mean} {deviation}");
        let mut counts = [0; 3];
        for _ in 0..3000 {
            counts[dice.pick(&[(0, 1.0), (1, 2.0), (2, 0.0)])] += 1;
        }
        assert!(counts[2] == 0 && (900..1100).contains(&counts[0]), "{counts:?}");
        assert!((0..1000).all(|_| dice.below(5) < 5));
    }

    #[test]
    fn noise_is_smooth_bounded_and_repeats() {
        let mut last = value(3, -5.0, 0.37);
        for i in 1..2000 {
            let now = value(3, -5.0 + f64::from(i) * 0.01, 0.37);
            assert!((now - last).abs() < 0.05 && now.abs() <= 1.0);
            last = now;
        }
        assert_eq!(value(3, 1.25, 9.5), value(3, 1.25, 9.5));
        assert_ne!(value(3, 1.25, 9.5), value(4, 1.25, 9.5));
        for x in [-2.5, -2.0, -0.1, 0.0, 0.9, 7.0] {
            assert_eq!(floor_to_int(x), x.floor() as i64);
        }
        assert_eq!(octaves(1, (0.3, 0.7), 1.0, 0.5, 4, 2.0), 0.0, "too fine to be seen");
    }
}
