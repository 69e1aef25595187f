//! Pixel work: the same numbers on every processor.
//!
//! | function | result |
//! |---|---|
//! | [`warped`] | a picture seen through a homography |
//! | [`block_means`] | a part of a picture, smaller by a whole number |
//! | [`resized`], [`resize_into`] | a picture at any size |
//! | [`luma`] | a picture in grey |
//!
//! [`warped`], [`block_means`] and [`luma`] compute in whole numbers and round halves up. Only
//! places in [`warped`] are floats, and these come from additions, multiplications and divisions of
//! single numbers, which IEEE 754 defines to the bit. So vector instructions, WebAssembly and other
//! systems give the same pixels. [`resized`] leaves that to `fast_image_resize`, whose vector
//! instructions compute with whole numbers, too; a test compares them with its plain code.

mod blocks;
mod luma;
mod resize;
mod warp;

pub use blocks::{MOST_IN_A_BLOCK, block_means};
pub use luma::luma;
pub use resize::{ResizeError, resize_into, resized};
pub use warp::{Outside, warped};

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
