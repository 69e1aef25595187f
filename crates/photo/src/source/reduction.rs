//! How much smaller than its file a photo is decoded, where it has more pixels than any stage needs.

use super::error::MAX_PIXELS;

/// Pixels to which larger photos are reduced. The stages shrink what they look at, and a card of a
/// photo of 27 megapixels has more pixels than they use.
pub(super) const ENOUGH_PIXELS: u64 = 32_000_000;

/// How many times smaller a photo of this size is decoded in each direction: 1, 2, 4 or 8.
pub(super) fn reduction(width: u32, height: u32) -> u32 {
    let pixels = |by: u32| u64::from(width.div_ceil(by)) * u64::from(height.div_ceil(by));
    if pixels(1) <= MAX_PIXELS {
        return 1;
    }
    [2, 4, 8].into_iter().find(|&by| pixels(by) <= ENOUGH_PIXELS).unwrap_or(8)
}

#[cfg(test)]
mod tests {
    use super::reduction;

    #[test]
    fn only_what_is_too_large_is_reduced() {
        let by = |width, height| reduction(width, height);
        assert_eq!(
            (by(8000, 8000), by(9248, 6936), by(12_000, 9000), by(16_384, 12_288)),
            (1, 2, 2, 4)
        );
    }
}
