//! Pixels as a browser has them.

use image::RgbImage;
use setsight_photo::source::check_size;

/// A picture from a canvas, height x width x (R, G, B, A). The page has laid it on white.
pub fn rgb_of(width: u32, height: u32, rgba: &[u8]) -> Result<RgbImage, &'static str> {
    check_size(width, height).map_err(|error| error.word())?;
    if rgba.len() as u64 != 4 * u64::from(width) * u64::from(height) {
        return Err("failed");
    }
    let rgb = rgba.as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    RgbImage::from_raw(width, height, rgb).ok_or("failed")
}
