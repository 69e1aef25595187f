//! Converts other pictures to 8-bit RGB.

use image::{DynamicImage, RgbImage};

/// Converts to 8-bit RGB; transparent pixels are laid on white.
pub fn into_rgb_on_white(image: DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.into_rgb8(); // No copy if it is RGB already.
    }
    let rgba = image.into_rgba8();
    rgba_on_white(rgba.width(), rgba.height(), rgba.as_raw())
}

/// Converts RGBA samples, row by row, to RGB on white.
pub fn rgba_on_white(width: u32, height: u32, rgba: &[u8]) -> RgbImage {
    let mut rgb = Vec::with_capacity(rgba.len() / 4 * 3);
    for &[r, g, b, a] in rgba.as_chunks::<4>().0 {
        let on_white = |v: u8| {
            let (v, a) = (u32::from(v), u32::from(a));
            ((v * a + 255 * (255 - a) + 127) / 255) as u8
        };
        rgb.extend([on_white(r), on_white(g), on_white(b)]);
    }
    RgbImage::from_raw(width, height, rgb).expect("three bytes a pixel")
}
