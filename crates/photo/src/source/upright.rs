//! Applies an EXIF orientation to pictures and points.

use crate::geometry::Point;
use image::{RgbImage, metadata::Orientation};

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
