//! A picture as the bytes of a file. Everything that writes pictures encodes here, so that each encoder
//! is compiled once.

use crate::pixels::resized;
use image::codecs::{jpeg::JpegEncoder, png::PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageError, RgbImage};

/// Quality, 1 to 100, of JPEGs that people keep: thin coloured lines stay coloured. Pages that show a
/// picture in passing take less.
pub const JPEG_QUALITY: u8 = 90;

/// A picture as JPEG.
///
/// # Errors
/// The picture has a side of 0 or of more than 65,535 pixels.
pub fn jpeg(picture: &RgbImage, quality: u8) -> Result<Vec<u8>, ImageError> {
    jpeg_of(picture.as_raw(), picture.dimensions(), quality)
}

/// Samples of height x width x (R, G, B) as JPEG.
///
/// # Errors
/// See [`jpeg`].
///
/// # Panics
/// There are more or fewer samples than `size_px` (width, height) says.
pub fn jpeg_of(samples: &[u8], size_px: (u32, u32), quality: u8) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, quality);
    encoder.write_image(samples, size_px.0, size_px.1, ExtendedColorType::Rgb8)?;
    Ok(bytes)
}

/// A picture as a JPEG of a moderate size, for a browser that cannot show its file.
///
/// # Errors
/// The picture has a side of 0 pixels.
pub fn for_browsers(picture: &RgbImage) -> Result<Vec<u8>, ImageError> {
    const LONGEST_PX: u32 = 2048;
    const QUALITY: u8 = 85;
    let from = picture.dimensions();
    let longest = from.0.max(from.1).max(1);
    let to = <(u32, u32)>::from([from.0, from.1].map(|side| {
        let side = u64::from(side) * u64::from(LONGEST_PX.min(longest)) / u64::from(longest);
        u32::try_from(side).unwrap_or(LONGEST_PX).max(1)
    }));
    match resized(picture.as_raw(), from, to) {
        Ok(rgb) => jpeg_of(&rgb, to, QUALITY),
        Err(_) => jpeg(picture, QUALITY),
    }
}

/// A picture as PNG.
///
/// # Errors
/// The picture has a side of 0 pixels.
pub fn png(picture: &RgbImage) -> Result<Vec<u8>, ImageError> {
    png_of(picture.as_raw(), picture.dimensions(), ExtendedColorType::Rgb8)
}

/// Samples of height x width x channels as PNG.
///
/// # Errors
/// See [`png`()].
///
/// # Panics
/// There are more or fewer samples than `size_px` (width, height) and `color` say.
pub fn png_of(
    samples: &[u8],
    size_px: (u32, u32),
    color: ExtendedColorType,
) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    PngEncoder::new(&mut bytes).write_image(samples, size_px.0, size_px.1, color)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn what_is_written_is_read_again() {
        let picture = RgbImage::from_fn(40, 33, |x, y| Rgb([(6 * x) as u8, (7 * y) as u8, 90]));
        let read = |bytes: &[u8]| crate::source::decode(bytes).unwrap().frame;
        assert_eq!(read(&png(&picture).unwrap()), picture);
        let rough = read(&jpeg(&picture, JPEG_QUALITY).unwrap());
        let far = rough.iter().zip(picture.iter()).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(far < Some(30), "{far:?}");
        let small = jpeg(&picture, 10).unwrap();
        assert!(small.len() < jpeg(&picture, JPEG_QUALITY).unwrap().len());
        assert!(jpeg(&RgbImage::new(70_000, 1), JPEG_QUALITY).is_err());
    }
}
