//! Which of a camera's formats is read.

/// A format that a camera offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Width and height in pixels.
    pub size_px: (u32, u32),
    /// Pictures a second.
    pub fps: u32,
    /// Whether its pictures are compressed.
    pub is_jpeg: bool,
}

/// The size that is wished, as on Linux.
const WISHED_PX: (u32, u32) = (1280, 720);
/// More pictures a second than these are not read.
const WISHED_FPS: u32 = 30;

/// The place of the best offer: the nearest to the size, the fastest among these, and of two as fast the one that
/// need not be decompressed.
pub fn best(offers: &[Offer]) -> Option<usize> {
    (0..offers.len()).min_by_key(|&i| {
        let Offer { size_px: (width, height), fps, is_jpeg } = offers[i];
        let distance =
            u64::from(width.abs_diff(WISHED_PX.0)) + u64::from(height.abs_diff(WISHED_PX.1));
        (distance, WISHED_FPS - fps.min(WISHED_FPS), is_jpeg)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wished_size_comes_first_then_speed() {
        let offer = |width, height, fps, is_jpeg| Offer { size_px: (width, height), fps, is_jpeg };
        let raw = offer(1280, 720, 10, false);
        let jpeg = offer(1280, 720, 30, true);
        let small = offer(640, 480, 60, false);
        let large = offer(1920, 1080, 30, true);
        assert_eq!(
            best(&[small, raw, large, jpeg]),
            Some(3),
            "a cable is too slow for raw pictures"
        );
        assert_eq!(best(&[jpeg, offer(1280, 720, 60, false)]), Some(1), "nothing to decompress");
        assert_eq!(best(&[large, small]), Some(1));
        assert_eq!(best(&[]), None);
    }
}
