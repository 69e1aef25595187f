/// The weights of red, green and blue in ITU-R BT.601, in 32768ths.
const WEIGHTS: [u32; 3] = [9798, 19235, 3735];

/// The luma of each pixel (R, G, B), 0 to 255, by the weights of ITU-R BT.601.
pub fn luma(rgb: &[u8]) -> Vec<u8> {
    let of = |pixel: &[u8; 3]| {
        let sum: u32 = pixel.iter().zip(WEIGHTS).map(|(&v, weight)| u32::from(v) * weight).sum();
        ((sum + (1 << 14)) >> 15) as u8
    };
    rgb.as_chunks::<3>().0.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grey_stays_grey_and_green_is_brightest() {
        assert_eq!(WEIGHTS.iter().sum::<u32>(), 1 << 15);
        let greys: Vec<u8> = (0..=255).flat_map(|v| [v; 3]).collect();
        assert_eq!(luma(&greys), (0..=255).collect::<Vec<u8>>());
        assert_eq!(luma(&[255, 0, 0, 0, 255, 0, 0, 0, 255]), [76, 150, 29]);
    }
}
