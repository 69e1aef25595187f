//! A picture as the bytes of a file. Everything that writes pictures encodes here, so that each encoder
//! is compiled once.

use crate::pixels::resized;
use image::codecs::{jpeg::JpegEncoder, png::PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageError, RgbImage};
use setsight_files::small_file::read_head;
use std::path::Path;

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

/// How a JPEG of [`result_jpeg`] begins: with a comment (ITU T.81, B.2.4.5).
pub const RESULT_JPEG: &[u8] = b"\xff\xd8\xff\xfe\x00\x13a setsight result";
/// The same comment in a PNG of [`result_png`], behind its header.
const RESULT_PNG: &[u8] = b"\0\0\0\x19tEXtComment\0a setsight result\x5a\xa3\x8c\x43";
/// Bytes of a PNG's signature and header.
const PNG_HEADER: usize = 33;

/// A picture with results drawn on it as JPEG, which [`is_result`] recognises.
///
/// # Errors
/// See [`jpeg`].
pub fn result_jpeg(picture: &RgbImage) -> Result<Vec<u8>, ImageError> {
    // The mark has the start marker.
    Ok([RESULT_JPEG, &jpeg(picture, JPEG_QUALITY)?[2..]].concat())
}

/// A picture with results drawn on it as PNG, which [`is_result`] recognises.
///
/// # Errors
/// See [`png()`].
pub fn result_png(picture: &RgbImage) -> Result<Vec<u8>, ImageError> {
    let mut bytes = png(picture)?;
    bytes.splice(PNG_HEADER..PNG_HEADER, RESULT_PNG.iter().copied());
    Ok(bytes)
}

/// Whether a file is a picture on which results are drawn, by its first bytes.
pub fn is_result(path: &Path) -> bool {
    // A pipe is not opened: it would wait for its other end.
    let is_file = path.is_file();
    let head = is_file.then(|| read_head(path, PNG_HEADER + RESULT_PNG.len()).ok()).flatten();
    let head = head.unwrap_or_default();
    head.starts_with(RESULT_JPEG) || head.get(PNG_HEADER..) == Some(RESULT_PNG)
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

    #[test]
    fn results_are_recognised_and_show_the_same_picture() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let picture = RgbImage::from_fn(40, 33, |x, y| Rgb([(6 * x) as u8, (7 * y) as u8, 90]));
        let jpegs = (jpeg(&picture, JPEG_QUALITY).unwrap(), result_jpeg(&picture).unwrap());
        for (plain, marked) in [jpegs, (png(&picture).unwrap(), result_png(&picture).unwrap())] {
            for (bytes, expected) in [(&plain, false), (&marked, true)] {
                std::fs::write(&path, bytes).unwrap();
                assert_eq!(is_result(&path), expected);
            }
            let [plain, marked] = [plain, marked].map(|bytes| crate::source::decode(&bytes));
            assert_eq!(plain.unwrap().frame, marked.unwrap().frame);
        }
        assert!(!is_result(folder.path()) && !is_result(&folder.path().join("none")));
    }
}
