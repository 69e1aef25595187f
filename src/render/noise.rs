//! Smooth noise of the plane, the same on every machine.

use super::dice::mix;

fn lattice(seed: u64, i: i64, j: i64) -> f64 {
    // Two odd multipliers keep the axes apart before the bits are scattered.
    let key = (i as u64).wrapping_mul(0x8da6_b343_d816_3841)
        ^ (j as u64).wrapping_mul(0xd816_3841_cb1a_b31f)
        ^ seed;
    (mix(key) >> 40) as f64 / f64::from(1 << 23) - 1.0
}

/// Value noise: cubic between random values in [-1, 1) at whole coordinates.
pub(super) fn value(seed: u64, x: f64, y: f64) -> f64 {
    let (fx, fy) = (x.floor(), y.floor());
    let (i, j) = (fx as i64, fy as i64);
    let fade = |t: f64| t * t * (3.0 - 2.0 * t);
    let (u, v) = (fade(x - fx), fade(y - fy));
    let (a, b) = (lattice(seed, i, j), lattice(seed, i + 1, j));
    let (c, d) = (lattice(seed, i, j + 1), lattice(seed, i + 1, j + 1));
    let (top, bottom) = (a + (b - a) * u, c + (d - c) * u);
    top + (bottom - top) * v
}

/// Sum of octaves, each twice as fine and `roughness` as strong; an octave finer than a pixel is
/// faded out. `coarse` is the size of the coarsest, `pixel` that of a pixel, in the unit of `x`
/// and `y`. About -1 to 1.
pub(super) fn octaves(
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
        sum += visible * strength * value(seed.wrapping_add(octave), x / size, y / size);
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
        assert_eq!(octaves(1, (0.3, 0.7), 1.0, 0.5, 4, 2.0), 0.0, "too fine to be seen");
    }
}
