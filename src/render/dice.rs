//! Seeded chance: every number a scene needs comes from here.

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

/// What a stream of numbers is for. Each purpose has its own stream, so that a scene drawn with
/// another light keeps its cards, its table and its noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Which cards lie where.
    Layout = 1,
    /// How the deck is printed.
    Print,
    /// Where the camera stands and what its lens does.
    Camera,
    /// What the table is made of.
    Table,
    /// Other things on the table.
    Decoys,
    /// Lamps, shadows, glare.
    Light,
    /// Blur, noise, tone.
    Sensor,
    /// Noise of single pixels.
    Pixels,
    /// Which ranges a table to learn from has.
    Ranges,
    /// Things that lie over cards.
    Covers,
    /// How worn the cards are.
    Wear,
    /// A stack of cards beside the others.
    Stack,
    /// Which deck it is, and whether the picture is mirrored.
    Deck,
    /// Colour casts.
    Cast,
    /// What somebody drew on the picture.
    Marks,
    /// Printed things that are no cards.
    Leaflets,
}

/// A stream of numbers: PCG 64 (O'Neill 2014), the same on every machine.
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
    /// Even in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// Even in a span.
    pub fn within(&mut self, span: Span) -> f64 {
        span.low + (span.high - span.low) * self.unit()
    }
    /// Even between two values.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.within(Span::new(low, high))
    }
    /// A whole number in `0..n`; 0 for an `n` of 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The bias of one part in 2^64 / n is of no account here.
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }
    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }
    /// About normal, mean 0, deviation 1, never beyond 6: the sum of twelve even numbers, which
    /// unlike a logarithm is the same on every machine.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
    /// One of the values, each as likely as its weight says.
    ///
    /// # Panics
    /// If there is no value.
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
    /// In random order.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for i in (1..values.len()).rev() {
            values.swap(i, self.below(i + 1));
        }
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): scatters nearby keys.
pub(super) const fn mix(key: u64) -> u64 {
    let mut z = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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
}
