//! Resizes a photo.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use opencv::core::{CV_8UC3, Mat, MatTraitManual, Scalar, StsError};

/// Resizes a picture (R, G, B row by row, 8-bit, of `from_px` columns and rows) to `to_px`; the
/// result is height x width x (R, G, B). The filter is Hamming's window with a support of one pixel
/// of the smaller picture: half the width of a cubic filter, and half the work.
///
/// # Errors
/// No memory, or `rgb` holds fewer than three bytes per pixel.
pub fn resized(rgb: &[u8], from_px: (u32, u32), to_px: (u32, u32)) -> opencv::Result<Mat> {
    let error = |reason: &dyn std::fmt::Display| {
        opencv::Error::new(StsError, format!("a picture cannot be resized: {reason}"))
    };
    let picture = ImageRef::new(from_px.0, from_px.1, rgb, PixelType::U8x3);
    let picture = picture.map_err(|reason| error(&reason))?;
    let mut to = Mat::new_rows_cols_with_default(
        to_px.1 as i32,
        to_px.0 as i32,
        CV_8UC3,
        Scalar::default(),
    )?;
    {
        let pixels = to.data_bytes_mut()?;
        let mut out = Image::from_slice_u8(to_px.0, to_px.1, pixels, PixelType::U8x3)
            .map_err(|reason| error(&reason))?;
        let way = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Hamming));
        Resizer::new().resize(&picture, &mut out, &way).map_err(|reason| error(&reason))?;
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use opencv::core::{MatTraitConst, MatTraitConstManual, Size};

    #[test]
    fn what_is_resized_keeps_its_colours_and_their_places() {
        // Red increases to the right, green downwards, blue is constant.
        let rgb: Vec<u8> = (0..90u32)
            .flat_map(|y| (0..120u32).flat_map(move |x| [x as u8 * 2, y as u8, 77]))
            .collect();
        for to in [(50, 40), (240, 180), (1, 1)] {
            let picture = resized(&rgb, (120, 90), to).unwrap();
            assert_eq!(picture.size().unwrap(), Size::new(to.0 as i32, to.1 as i32));
            let pixels = picture.data_bytes().unwrap();
            assert_eq!(pixels.len(), 3 * (to.0 * to.1) as usize);
            for (i, pixel) in pixels.chunks_exact(3).enumerate() {
                let (x, y) = (i as u32 % to.0, i as u32 / to.0);
                // Pixel centres, in pixels of the larger picture; its border is repeated.
                let at =
                    |i: u32, to: u32, from: f64| (f64::from(i) + 0.5) * from / f64::from(to) - 0.5;
                let (x, y) = (at(x, to.0, 120.0), at(y, to.1, 90.0));
                let near = |value: u8, wanted: f64| (f64::from(value) - wanted).abs() <= 2.0;
                assert!(
                    near(pixel[0], 2.0 * x) && near(pixel[1], y) && pixel[2] == 77,
                    "{pixel:?}"
                );
            }
        }
    }

    #[test]
    fn too_few_bytes_are_an_error() {
        let error = resized(&[0; 35], (4, 3), (2, 2)).unwrap_err();
        assert!(error.message.contains("cannot be resized"), "{error}");
    }
}
