//! Decoded samples as 8-bit RGB: laid on white, and turned upright by EXIF's orientation, as points are, too.
//! PNG comes by rows, 16-bit samples cut on the way: no second copy of the picture in another form.

use super::error::MAX_FILE_BYTES;
use crate::geometry::Point;
use image::error::{DecodingError, ImageError};
use image::metadata::Orientation;
use image::{DynamicImage, ImageFormat, RgbImage};
use png::{ColorType, Decoder, Limits, Transformations};
use std::io::Cursor;

/// Converts to 8-bit RGB; transparent pixels are laid on white. `None` if no pixel shows.
pub(super) fn into_rgb_on_white(image: DynamicImage) -> Option<RgbImage> {
    if !image.color().has_alpha() {
        return Some(image.into_rgb8()); // No copy if it is RGB already.
    }
    let rgba = image.into_rgba8();
    rgba.pixels()
        .any(|pixel| pixel.0[3] > 0)
        .then(|| rgba_on_white(rgba.width(), rgba.height(), rgba.as_raw()))
}

/// Whether any pixel of 8-bit RGBA shows.
pub(super) fn shows(image: &DynamicImage) -> bool {
    image.as_rgba8().is_none_or(|rgba| rgba.pixels().any(|pixel| pixel.0[3] > 0))
}

/// Converts RGBA samples, row by row, to RGB on white.
pub(super) fn rgba_on_white(width: u32, height: u32, rgba: &[u8]) -> RgbImage {
    let mut rgb = Vec::with_capacity(rgba.len() / 4 * 3);
    rgba_on_white_into(rgba, &mut rgb);
    RgbImage::from_raw(width, height, rgb).expect("three bytes a pixel")
}

/// The same, to the end of what is there; whether any pixel shows.
fn rgba_on_white_into(rgba: &[u8], rgb: &mut Vec<u8>) -> bool {
    let mut most = 0;
    for &[r, g, b, a] in rgba.as_chunks::<4>().0 {
        most |= a;
        rgb.extend([r, g, b].map(|v| on_white(v, a)));
    }
    most > 0
}

/// The same of grey and how little it is transparent.
fn grey_alpha_on_white(samples: &[u8], rgb: &mut Vec<u8>) -> bool {
    let mut most = 0;
    for &[v, a] in samples.as_chunks::<2>().0 {
        most |= a;
        rgb.extend([on_white(v, a); 3]);
    }
    most > 0
}

fn on_white(v: u8, a: u8) -> u8 {
    let (v, a) = (u32::from(v), u32::from(a));
    ((v * a + 255 * (255 - a) + 127) / 255) as u8
}

/// What a row and what stands before the pixels may take: the widest picture of four 16-bit samples, and room
/// for what packs and filters it.
const MAX_ROW_BYTES: usize = 64 << 20;

/// Decodes a PNG to 8-bit RGB; what is transparent is laid on white. `None` if no pixel shows.
pub(super) fn decode_png(bytes: &[u8]) -> Result<Option<RgbImage>, ImageError> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MAX_ROW_BYTES });
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info().map_err(png_fault)?;
    let (width, height) = reader.info().size();
    let interlaced = reader.info().interlaced;
    let color = reader.output_color_type().0;
    let pixels = width as usize * height as usize;
    let (mut rgb, mut shows) = (Vec::new(), false);
    if color == ColorType::Rgb {
        shows = true;
        rgb.resize(3 * pixels, 0);
        reader.next_frame(&mut rgb).map_err(png_fault)?;
    } else if interlaced {
        // Seven pictures of ever more pixels, so there are no rows before the last one.
        let size = reader.output_buffer_size().filter(|&size| size as u64 <= MAX_FILE_BYTES);
        let mut all = vec![0; size.ok_or_else(too_large)?];
        reader.next_frame(&mut all).map_err(png_fault)?;
        rgb.reserve_exact(3 * pixels);
        shows = append(&all, color, &mut rgb);
    } else {
        rgb.reserve_exact(3 * pixels);
        while let Some(row) = reader.next_row().map_err(png_fault)? {
            shows |= append(row.data(), color, &mut rgb);
        }
    }
    let image = RgbImage::from_raw(width, height, rgb).ok_or_else(too_large)?;
    Ok(shows.then_some(image))
}

/// Samples of pixels, of one byte each, as RGB; whether any pixel shows.
fn append(samples: &[u8], color: ColorType, rgb: &mut Vec<u8>) -> bool {
    match color {
        ColorType::GrayscaleAlpha => return grey_alpha_on_white(samples, rgb),
        ColorType::Rgba => return rgba_on_white_into(samples, rgb),
        ColorType::Grayscale => rgb.extend(samples.iter().flat_map(|&v| [v; 3])),
        // Palettes are expanded to one of the others.
        ColorType::Rgb | ColorType::Indexed => rgb.extend_from_slice(samples),
    }
    true
}

fn png_fault(error: png::DecodingError) -> ImageError {
    match error {
        png::DecodingError::IoError(error) => ImageError::IoError(error),
        error => ImageError::Decoding(DecodingError::new(ImageFormat::Png.into(), error)),
    }
}

fn too_large() -> ImageError {
    let words = "its pixels are not as many as it says";
    ImageError::Decoding(DecodingError::new(ImageFormat::Png.into(), words))
}

/// Side of the blocks, in pixels, in which a picture is transposed. A block of source and target
/// fits into the first-level cache; whole rows against whole columns would miss the cache at every
/// pixel.
const BLOCK_PX: usize = 32;

/// Turns a picture upright.
pub fn turn_upright(image: RgbImage, orientation: Orientation) -> RgbImage {
    use Orientation::*;
    match orientation {
        NoTransforms => image,
        Rotate180 => {
            let (width, height) = image.dimensions();
            let mut raw = image.into_raw();
            raw.as_chunks_mut::<3>().0.reverse();
            RgbImage::from_raw(width, height, raw).expect("same size")
        }
        FlipHorizontal => flip_rows(image),
        FlipVertical => flip_rows(turn_upright(image, Rotate180)),
        // Row y becomes column y (mirrored: height - 1 - y); its pixels run down (or up).
        Rotate90 => transpose(&image, true, false),
        Rotate270 => transpose(&image, false, true),
        Rotate90FlipH => transpose(&image, false, false),
        Rotate270FlipH => transpose(&image, true, true),
    }
}

fn flip_rows(image: RgbImage) -> RgbImage {
    let (width, height) = image.dimensions();
    let mut raw = image.into_raw();
    for row in raw.chunks_exact_mut(3 * width as usize) {
        row.as_chunks_mut::<3>().0.reverse();
    }
    RgbImage::from_raw(width, height, raw).expect("same size")
}

/// Transposes a picture; optionally mirrors the columns' order, or the pixels within each column.
fn transpose(image: &RgbImage, mirror_x: bool, mirror_y: bool) -> RgbImage {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let source = image.as_raw().as_chunks::<3>().0;
    let mut raw = vec![0u8; source.len() * 3];
    let target = raw.as_chunks_mut::<3>().0;
    for y0 in (0..height).step_by(BLOCK_PX) {
        for x0 in (0..width).step_by(BLOCK_PX) {
            let y1 = (y0 + BLOCK_PX).min(height);
            for x in x0..(x0 + BLOCK_PX).min(width) {
                let row = if mirror_y { width - 1 - x } else { x } * height;
                for y in y0..y1 {
                    let column = if mirror_x { height - 1 - y } else { y };
                    target[row + column] = source[y * width + x];
                }
            }
        }
    }
    RgbImage::from_raw(height as u32, width as u32, raw).expect("same number of pixels")
}

/// Maps points of the file as stored (width and height in pixels) to the upright picture.
pub fn upright_from_stored(
    orientation: Orientation,
    width: u32,
    height: u32,
) -> impl Fn(Point) -> Point + Copy {
    use Orientation::*;
    let (w, h) = (f64::from(width), f64::from(height));
    move |p| {
        let (x, y) = match orientation {
            NoTransforms => (p.x, p.y),
            Rotate180 => (w - p.x, h - p.y),
            FlipHorizontal => (w - p.x, p.y),
            FlipVertical => (p.x, h - p.y),
            Rotate90 => (h - p.y, p.x),
            Rotate270 => (p.y, w - p.x),
            Rotate90FlipH => (p.y, p.x),
            Rotate270FlipH => (h - p.y, w - p.x),
        };
        Point::new(x, y)
    }
}

/// Maps points of the upright picture to the file as stored; width and height are the file's, in
/// pixels.
pub fn stored_from_upright(
    orientation: Orientation,
    stored_width: u32,
    stored_height: u32,
) -> impl Fn(Point) -> Point + Copy {
    use Orientation::*;
    let back = match orientation {
        Rotate90 => Rotate270,
        Rotate270 => Rotate90,
        // The others are mirror images or half turns, which are their own inverses.
        other => other,
    };
    let (width, height) = match orientation {
        Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH => (stored_height, stored_width),
        _ => (stored_width, stored_height),
    };
    upright_from_stored(back, width, height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{DynamicImage, Rgb};

    const ALL: std::ops::RangeInclusive<u8> = 1..=8;

    fn noise(width: u32, height: u32) -> RgbImage {
        RgbImage::from_fn(width, height, |x, y| Rgb([x as u8, y as u8, (x * 7 + y * 13) as u8]))
    }

    #[test]
    fn every_turn_agrees_with_the_library() {
        for exif in ALL {
            let orientation = Orientation::from_exif(exif).unwrap();
            let mut expected = DynamicImage::ImageRgb8(noise(70, 41));
            expected.apply_orientation(orientation);
            assert!(
                turn_upright(noise(70, 41), orientation) == expected.into_rgb8(),
                "EXIF {exif}"
            );
        }
    }

    #[test]
    fn points_turn_with_the_pixels() {
        for exif in ALL {
            let orientation = Orientation::from_exif(exif).unwrap();
            let stored = noise(70, 41);
            let upright = turn_upright(stored.clone(), orientation);
            let turn = upright_from_stored(orientation, 70, 41);
            for (x, y) in [(0, 0), (69, 0), (12, 40), (33, 20)] {
                let p = turn(Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5));
                assert_eq!(upright[(p.x as u32, p.y as u32)], stored[(x, y)], "EXIF {exif}");
                let back = stored_from_upright(orientation, 70, 41)(p);
                assert_eq!((back.x as u32, back.y as u32), (x, y), "EXIF {exif}");
            }
        }
    }
}
