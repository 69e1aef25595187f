//! PNG by rows, 16-bit samples cut on the way: no second copy of the picture in another form.

use super::error::MAX_FILE_BYTES;
use super::rgb::{grey_alpha_on_white, rgba_on_white_into};
use image::error::{DecodingError, ImageError};
use image::{ImageFormat, RgbImage};
use png::{ColorType, Decoder, Limits, Transformations};
use std::io::Cursor;

/// What a row and what stands before the pixels may take: the widest picture of four 16-bit samples, and room
/// for what packs and filters it.
const MAX_ROW_BYTES: usize = 64 << 20;

/// Decodes to 8-bit RGB; what is transparent is laid on white.
pub(super) fn decode(bytes: &[u8]) -> Result<RgbImage, ImageError> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MAX_ROW_BYTES });
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info().map_err(explained)?;
    let (width, height) = reader.info().size();
    let interlaced = reader.info().interlaced;
    let color = reader.output_color_type().0;
    let pixels = width as usize * height as usize;
    let mut rgb = Vec::new();
    if color == ColorType::Rgb {
        rgb.resize(3 * pixels, 0);
        reader.next_frame(&mut rgb).map_err(explained)?;
    } else if interlaced {
        // Seven pictures of ever more pixels, so there are no rows before the last one.
        let size = reader.output_buffer_size().filter(|&size| size as u64 <= MAX_FILE_BYTES);
        let mut all = vec![0; size.ok_or_else(too_large)?];
        reader.next_frame(&mut all).map_err(explained)?;
        rgb.reserve_exact(3 * pixels);
        append(&all, color, &mut rgb);
    } else {
        rgb.reserve_exact(3 * pixels);
        while let Some(row) = reader.next_row().map_err(explained)? {
            append(row.data(), color, &mut rgb);
        }
    }
    RgbImage::from_raw(width, height, rgb).ok_or_else(too_large)
}

/// Samples of pixels, of one byte each, as RGB.
fn append(samples: &[u8], color: ColorType, rgb: &mut Vec<u8>) {
    match color {
        ColorType::Grayscale => rgb.extend(samples.iter().flat_map(|&v| [v; 3])),
        ColorType::GrayscaleAlpha => grey_alpha_on_white(samples, rgb),
        ColorType::Rgba => rgba_on_white_into(samples, rgb),
        // Palettes are expanded to one of the others.
        ColorType::Rgb | ColorType::Indexed => rgb.extend_from_slice(samples),
    }
}

fn explained(error: png::DecodingError) -> ImageError {
    match error {
        png::DecodingError::IoError(error) => ImageError::IoError(error),
        error => ImageError::Decoding(DecodingError::new(ImageFormat::Png.into(), error)),
    }
}

fn too_large() -> ImageError {
    let words = "its pixels are not as many as it says";
    ImageError::Decoding(DecodingError::new(ImageFormat::Png.into(), words))
}
