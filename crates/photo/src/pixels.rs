//! Pixel work: the same numbers on every processor.
//!
//! | function | result |
//! |---|---|
//! | [`warped`] | a picture seen through a homography |
//! | [`straightened`] | a quad of a picture, as a picture |
//! | [`block_means`] | a part of a picture, smaller by a whole number |
//! | [`resized`], [`resize_into`] | a picture at any size |
//! | [`luma()`] | a picture in grey |
//!
//! [`warped`], [`block_means`] and [`luma()`] compute in whole numbers and round halves up. Only
//! places in [`warped`] are floats, and these come from additions, multiplications and divisions of
//! single numbers, which IEEE 754 defines to the bit. So vector instructions, WebAssembly and other
//! systems give the same pixels. [`resized`] leaves that to `fast_image_resize`, whose vector
//! instructions compute with whole numbers, too; a test compares them with its plain code.

mod blocks;
mod luma;
mod resize;
mod warp;

use blocks::MOST_IN_A_BLOCK;
pub use blocks::block_means;
pub use luma::luma;
pub use resize::{ResizeError, resize_into, resized};
pub use warp::{Outside, straightened, warped};

use image::RgbImage;

/// A picture in somebody else's memory: R, G, B row by row, 8-bit.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    rgb: &'a [u8],
    width: usize,
    height: usize,
}

impl<'a> View<'a> {
    /// Of a picture of `size_px` columns and rows. `None` if `rgb` has another length than three
    /// bytes for each pixel, or the picture no pixel.
    pub fn new(rgb: &'a [u8], size_px: (u32, u32)) -> Option<Self> {
        let (width, height) = (size_px.0 as usize, size_px.1 as usize);
        let bytes = width.checked_mul(height)?.checked_mul(3)?;
        (bytes > 0 && rgb.len() == bytes).then_some(Self { rgb, width, height })
    }

    /// Of an image; `None` if it has no pixel.
    pub fn of(image: &'a RgbImage) -> Option<Self> {
        Self::new(image.as_raw(), image.dimensions())
    }

    fn row(&self, y: usize) -> &'a [u8] {
        &self.rgb[3 * y * self.width..][..3 * self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Homography, Point, Quad};

    /// These hashes are those of x86-64 with AVX2. Another one is a processor, or a change of the code,
    /// that makes other pixels.
    #[test]
    fn pixels_are_the_same_everywhere() {
        let mut state = 5u32;
        let image = RgbImage::from_fn(503, 307, |x, y| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            image::Rgb([x + (state >> 28), y + (state >> 27), x ^ y].map(|v| v as u8))
        });
        let view = View::of(&image).unwrap();
        let corners = [(40.7, 31.2), (470.4, 12.9), (498.1, 290.6), (-3.5, 260.0)];
        let quad: Quad = Quad::new(corners.map(|(x, y)| Point::new(x, y)));
        let map = Homography::between(&Quad::rectangle(192.0, 128.0), &quad).unwrap();
        let pictures = [
            warped(view, &map, (192, 128), Outside::Border).into_raw(),
            warped(view, &map, (192, 128), Outside::Color([24; 3])).into_raw(),
            block_means(view, (3, 5), (100, 60), 5).into_raw(),
            resized(image.as_raw(), image.dimensions(), (211, 99)).unwrap(),
            luma(image.as_raw()),
        ];
        let hashes = pictures.map(|bytes| {
            let fnv =
                |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            bytes.iter().fold(0xcbf2_9ce4_8422_2325, fnv)
        });
        assert_eq!(
            hashes,
            [
                15_282_843_919_967_567_118,
                14_402_312_906_995_594_517,
                4_717_842_215_967_289_956,
                18_180_443_441_479_816_385,
                14_397_991_888_880_353_763
            ]
        );
    }
}
