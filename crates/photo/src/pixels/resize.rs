use fast_image_resize::{
    FilterType, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::U8x3,
};

/// Why a picture cannot be resized.
#[derive(Debug, thiserror::Error)]
#[error("a picture cannot be resized: {0}")]
pub struct ResizeError(String);

/// Resizes a picture (R, G, B row by row, 8-bit, of `from_px` columns and rows) to `to_px`, into
/// `to`, which has its form. The filter is Hamming's window with a support of one pixel of the
/// smaller picture: half the width of a cubic filter, and half the work.
///
/// # Errors
/// `rgb` or `to` holds fewer than three bytes per pixel.
pub fn resize_into(
    rgb: &[u8],
    from_px: (u32, u32),
    to: &mut [u8],
    to_px: (u32, u32),
) -> Result<(), ResizeError> {
    // A picture whose kind of pixel is known only at run time would have all thirteen kinds compiled:
    // most of the time that this crate takes to build.
    let picture = TypedImageRef::<U8x3>::from_buffer(from_px.0, from_px.1, rgb).map_err(of)?;
    let mut out = TypedImage::<U8x3>::from_buffer(to_px.0, to_px.1, to).map_err(of)?;
    Resizer::new().resize_typed(&picture, &mut out, &way()).map_err(of)
}

fn way() -> ResizeOptions {
    ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Hamming))
}

/// The same, as new bytes.
///
/// # Errors
/// `rgb` holds fewer than three bytes per pixel.
pub fn resized(rgb: &[u8], from_px: (u32, u32), to_px: (u32, u32)) -> Result<Vec<u8>, ResizeError> {
    let mut to = vec![0; 3 * to_px.0 as usize * to_px.1 as usize];
    resize_into(rgb, from_px, &mut to, to_px).map(|()| to)
}

fn of(reason: impl std::fmt::Display) -> ResizeError {
    ResizeError(reason.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fast_image_resize::CpuExtensions;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_processor_resizes_alike(
            from in (1u32..90, 1u32..60), to in (1u32..90, 1u32..60), seed: u32,
        ) {
            let mut state = seed;
            let rgb: Vec<u8> = (0..3 * from.0 * from.1)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                })
                .collect();
            let mut plain = vec![0; 3 * to.0 as usize * to.1 as usize];
            let picture = TypedImageRef::<U8x3>::from_buffer(from.0, from.1, &rgb).unwrap();
            let mut out = TypedImage::<U8x3>::from_buffer(to.0, to.1, &mut plain).unwrap();
            let mut resizer = Resizer::new();
            // SAFETY is not at stake: no extension is what every processor has.
            #[allow(unsafe_code)]
            unsafe {
                resizer.set_cpu_extensions(CpuExtensions::None);
            }
            resizer.resize_typed(&picture, &mut out, &way()).unwrap();
            drop(out);
            prop_assert_eq!(resized(&rgb, from, to).unwrap(), plain);
        }
    }

    #[test]
    fn what_is_resized_keeps_its_colours_and_their_places() {
        // Red increases to the right, green downwards, blue is constant.
        let rgb: Vec<u8> = (0..90u32)
            .flat_map(|y| (0..120u32).flat_map(move |x| [x as u8 * 2, y as u8, 77]))
            .collect();
        for to in [(50, 40), (240, 180), (1, 1)] {
            let picture = resized(&rgb, (120, 90), to).unwrap();
            assert_eq!(picture.len(), 3 * (to.0 * to.1) as usize);
            for (i, pixel) in picture.chunks_exact(3).enumerate() {
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
        assert!(error.to_string().contains("cannot be resized"), "{error}");
    }
}
