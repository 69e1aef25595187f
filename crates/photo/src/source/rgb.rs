//! Converts other pictures to 8-bit RGB.

use image::{DynamicImage, RgbImage};

/// Converts to 8-bit RGB; transparent pixels are laid on white.
pub(super) fn into_rgb_on_white(image: DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.into_rgb8(); // No copy if it is RGB already.
    }
    let rgba = image.into_rgba8();
    rgba_on_white(rgba.width(), rgba.height(), rgba.as_raw())
}

/// Converts RGBA samples, row by row, to RGB on white.
pub(super) fn rgba_on_white(width: u32, height: u32, rgba: &[u8]) -> RgbImage {
    let mut rgb = Vec::with_capacity(rgba.len() / 4 * 3);
    rgba_on_white_into(rgba, &mut rgb);
    RgbImage::from_raw(width, height, rgb).expect("three bytes a pixel")
}

/// The same, to the end of what is there.
pub(super) fn rgba_on_white_into(rgba: &[u8], rgb: &mut Vec<u8>) {
    for &[r, g, b, a] in rgba.as_chunks::<4>().0 {
        rgb.extend([r, g, b].map(|v| on_white(v, a)));
    }
}

/// The same of grey and how little it is transparent.
pub(super) fn grey_alpha_on_white(samples: &[u8], rgb: &mut Vec<u8>) {
    for &[v, a] in samples.as_chunks::<2>().0 {
        rgb.extend([on_white(v, a); 3]);
    }
}

fn on_white(v: u8, a: u8) -> u8 {
    let (v, a) = (u32::from(v), u32::from(a));
    ((v * a + 255 * (255 - a) + 127) / 255) as u8
}
