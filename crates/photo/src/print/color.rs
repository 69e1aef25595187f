//! sRGB, linear light and black bodies.

/// sRGB to linear, both 0 to 1 (IEC 61966-2-1).
pub fn linear_from_srgb(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Linear light of an 8-bit colour.
pub fn linear_rgb(srgb: [u8; 3]) -> [f64; 3] {
    srgb.map(|v| linear_from_srgb(f64::from(v) / 255.0))
}

/// Linear to sRGB, both 0 to 1 (IEC 61966-2-1).
pub fn srgb_from_linear(value: f64) -> f64 {
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

/// Linear, clamped to 0 to 1, to a byte of sRGB.
pub(crate) fn srgb_byte(linear: f64) -> u8 {
    (srgb_from_linear(linear.clamp(0.0, 1.0)) * 255.0).round() as u8
}

/// Colour of a black body in linear sRGB, scaled to green 1. The locus is the cubic fit of Kim,
/// Kang and others (2002); the matrix is that of IEC 61966-2-1. `kelvin` is clamped to
/// 1,700-20,000.
pub fn black_body(kelvin: f64) -> [f64; 3] {
    let t = kelvin.clamp(1_700.0, 20_000.0);
    let (u, u2, u3) = (1e3 / t, 1e6 / (t * t), 1e9 / (t * t * t));
    let x = if t <= 4_000.0 {
        -0.266_123_9 * u3 - 0.234_358_9 * u2 + 0.877_695_6 * u + 0.179_910
    } else {
        -3.025_846_9 * u3 + 2.107_037_9 * u2 + 0.222_634_7 * u + 0.240_390
    };
    let [a, b, c, d] = if t <= 2_222.0 {
        [-1.106_381_4, -1.348_110_2, 2.185_558_32, -0.202_196_83]
    } else if t <= 4_000.0 {
        [-0.954_947_6, -1.374_185_93, 2.091_370_15, -0.167_488_67]
    } else {
        [3.081_758, -5.873_386_7, 3.751_129_97, -0.370_014_83]
    };
    let y = ((a * x + b) * x + c) * x + d;
    let (cx, cz) = (x / y, (1.0 - x - y) / y);
    let r = 3.240_6 * cx - 1.537_2 - 0.498_6 * cz;
    let g = -0.968_9 * cx + 1.875_8 + 0.041_5 * cz;
    let b = 0.055_7 * cx - 0.204 + 1.057 * cz;
    [r / g, 1.0, b.max(0.02) / g]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_and_linear_light_are_inverse() {
        for byte in 0..=255u8 {
            assert_eq!(srgb_byte(linear_from_srgb(f64::from(byte) / 255.0)), byte);
        }
    }

    #[test]
    fn lamps_are_warm_and_skies_are_cold() {
        let [r, g, b] = black_body(2_700.0);
        assert!(r > 1.5 && g == 1.0 && b < 0.5, "{r} {b}");
        let [r, _, b] = black_body(6_500.0);
        assert!((r - 1.0).abs() < 0.06 && (b - 1.0).abs() < 0.06, "{r} {b}");
        let [r, _, b] = black_body(10_000.0);
        assert!(r < 0.9 && b > 1.15, "{r} {b}");
        let blues: Vec<f64> = (20..150).map(|i| black_body(f64::from(i) * 100.0)[2]).collect();
        assert!(blues.windows(2).all(|w| w[0] <= w[1]), "blue grows with temperature");
    }
}
