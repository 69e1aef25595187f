//! Smooth two-dimensional noise, the same on every machine.

use super::dice::mix;

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
pub(crate) fn whole_below(x: f64) -> i64 {
    let cut = x as i64;
    cut.wrapping_sub(i64::from(cut as f64 > x))
}

/// Value noise: cubic between random values in [-1, 1) at whole coordinates.
pub fn value(seed: u64, x: f64, y: f64) -> f64 {
    let (i, j) = (whole_below(x), whole_below(y));
    let fade = |t: f64| t * t * (3.0 - 2.0 * t);
    let (u, v) = (fade(x - i as f64), fade(y - j as f64));
    // A point beyond the horizon may be infinitely far away.
    let (right, below) = (i.wrapping_add(1), j.wrapping_add(1));
    let (a, b) = (lattice(seed, i, j), lattice(seed, right, j));
    let (c, d) = (lattice(seed, i, below), lattice(seed, right, below));
    let (top, bottom) = (a + (b - a) * u, c + (d - c) * u);
    top + (bottom - top) * v
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
            assert_eq!(whole_below(x), x.floor() as i64);
        }
        assert_eq!(octaves(1, (0.3, 0.7), 1.0, 0.5, 4, 2.0), 0.0, "too fine to be seen");
    }
}
