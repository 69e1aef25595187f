//! Pixel work: the same numbers on every processor.
//!
//! | function | result |
//! |---|---|
//! | [`warped`] | a picture seen through a homography |
//! | [`straightened`] | a quad of a picture, as a picture |
//! | [`block_means`] | a part of a picture, smaller by a whole number |
//! | [`resized`], [`resize_into`] | a picture at any size |
//! | [`luma()`] | a picture in grey |
//!
//! [`warped`], [`block_means`] and [`luma()`] compute in whole numbers and round halves up. Only
//! places in [`warped`] are floats, and these come from additions, multiplications and divisions of
//! single numbers, which IEEE 754 defines to the bit. So vector instructions, WebAssembly and other
//! systems give the same pixels. [`resized`] leaves that to `fast_image_resize`, whose vector
//! instructions compute with whole numbers, too; a test compares them with its plain code.

mod warp;

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::RgbImage;

pub use warp::{Outside, straightened, warped};

/// A picture in somebody else's memory: R, G, B row by row, 8-bit.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    rgb: &'a [u8],
    width: usize,
    height: usize,
}

impl<'a> View<'a> {
    /// Of a picture of `size_px` columns and rows. `None` if `rgb` has another length than three
    /// bytes for each pixel, or the picture no pixel.
    pub fn new(rgb: &'a [u8], size_px: (u32, u32)) -> Option<Self> {
        let (width, height) = (size_px.0 as usize, size_px.1 as usize);
        let bytes = width.checked_mul(height)?.checked_mul(3)?;
        (bytes > 0 && rgb.len() == bytes).then_some(Self { rgb, width, height })
    }

    /// All of an image; `None` if it has no pixel.
    pub fn from_image(image: &'a RgbImage) -> Option<Self> {
        Self::new(image.as_raw(), image.dimensions())
    }

    fn row(&self, y: usize) -> &'a [u8] {
        &self.rgb[3 * y * self.width..][..3 * self.width]
    }
}

/// Most columns and rows of a block: sums of so many 8-bit values fit 16 bits.
pub(super) const MOST_IN_A_BLOCK: usize = u16::MAX as usize / u8::MAX as usize;

/// The means of blocks of `by` x `by` pixels: `size` blocks across and down, the first at column and
/// row `from`. Halves are rounded up. Where a block reaches beyond the picture, the last column and
/// row are repeated.
///
/// # Panics
/// `by` is 0 or above [`MOST_IN_A_BLOCK`], or `from` lies outside the picture.
pub fn block_means(
    view: View<'_>,
    from: (usize, usize),
    size: (usize, usize),
    by: usize,
) -> RgbImage {
    assert!((1..=MOST_IN_A_BLOCK).contains(&by), "blocks of {by} x {by} pixels");
    assert!(from.0 < view.width && from.1 < view.height, "blocks from {from:?} on");
    let mut means = RgbImage::new(size.0 as u32, size.1 as u32);
    if size.0 > 0 {
        pulp::Arch::new().dispatch(Averaging { view, from, size, by, means: &mut means });
    }
    means
}

/// A closure would not be inlined into the version for AVX2.
struct Averaging<'a> {
    view: View<'a>,
    from: (usize, usize),
    size: (usize, usize),
    by: usize,
    means: &'a mut [u8],
}

impl pulp::WithSimd for Averaging<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { view, from: (left, top), size, by, means } = self;
        let mut sums = vec![0u16; 3 * size.0 * by];
        let inside = sums.len().min(3 * (view.width - left));
        let rounding = Rounding::new(by * by);
        for (y, line) in means.chunks_exact_mut(3 * size.0).enumerate() {
            sums.fill(0);
            for row in (0..by).map(|row| view.row((top + y * by + row).min(view.height - 1))) {
                for (sum, &value) in sums[..inside].iter_mut().zip(&row[3 * left..]) {
                    *sum += u16::from(value);
                }
            }
            for i in inside..sums.len() {
                sums[i] = sums[i - 3];
            }
            // What the compiler knows to be short it writes out.
            match by {
                2 => means_of_columns(&sums, 2, &rounding, line),
                3 => means_of_columns(&sums, 3, &rounding, line),
                4 => means_of_columns(&sums, 4, &rounding, line),
                _ => means_of_columns(&sums, by, &rounding, line),
            }
        }
    }
}

/// The means of blocks of `by` columns, from the sums of these.
#[inline(always)]
fn means_of_columns(sums: &[u16], by: usize, rounding: &Rounding, means: &mut [u8]) {
    for (pixel, block) in means.as_chunks_mut::<3>().0.iter_mut().zip(sums.chunks_exact(3 * by)) {
        let mut total = [0u32; 3];
        for column in block.as_chunks::<3>().0 {
            (0..3).for_each(|c| total[c] += u32::from(column[c]));
        }
        *pixel = total.map(|total| rounding.mean(total));
    }
}

/// Division by a number of pixels, by a multiplication.
struct Rounding {
    half: f64,
    share: f64,
}

impl Rounding {
    fn new(pixels: usize) -> Self {
        // A quarter of a unit more keeps integer quotients from falling below themselves, and is too
        // little to lift others to the next.
        Self { half: (pixels / 2) as f64 + 0.25, share: 1.0 / pixels as f64 }
    }

    #[inline(always)]
    fn mean(&self, total: u32) -> u8 {
        ((f64::from(total) + self.half) * self.share) as u8
    }
}

/// The weights of red, green and blue in ITU-R BT.601, in 32768ths.
const WEIGHTS: [u32; 3] = [9798, 19235, 3735];

/// The luma of each pixel (R, G, B), 0 to 255, by the weights of ITU-R BT.601.
pub fn luma(rgb: &[u8]) -> Vec<u8> {
    rgb.as_chunks::<3>()
        .0
        .iter()
        .map(|pixel| {
            let sum: u32 =
                pixel.iter().zip(WEIGHTS).map(|(&v, weight)| u32::from(v) * weight).sum();
            ((sum + (1 << 14)) >> 15) as u8
        })
        .collect()
}

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
    let picture =
        TypedImageRef::<U8x3>::from_buffer(from_px.0, from_px.1, rgb).map_err(resize_error)?;
    let mut out = TypedImage::<U8x3>::from_buffer(to_px.0, to_px.1, to).map_err(resize_error)?;
    Resizer::new().resize_typed(&picture, &mut out, &way()).map_err(resize_error)
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

fn resize_error(reason: impl std::fmt::Display) -> ResizeError {
    ResizeError(reason.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Homography, Point, Quad};
    use fast_image_resize::CpuExtensions;
    use proptest::prelude::*;

    /// These hashes are those of x86-64 with AVX2. Another one is a processor, or a change of the code,
    /// that makes other pixels.
    #[test]
    fn pixels_are_the_same_everywhere() {
        let mut state = 5u32;
        let image = RgbImage::from_fn(503, 307, |x, y| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            image::Rgb([x + (state >> 28), y + (state >> 27), x ^ y].map(|v| v as u8))
        });
        let view = View::from_image(&image).unwrap();
        let corners = [(40.7, 31.2), (470.4, 12.9), (498.1, 290.6), (-3.5, 260.0)];
        let quad: Quad = Quad::new(corners.map(|(x, y)| Point::new(x, y)));
        let map = Homography::between(&Quad::rectangle(192.0, 128.0), &quad).unwrap();
        let pictures = [
            warped(view, &map, (192, 128), Outside::Border).into_raw(),
            warped(view, &map, (192, 128), Outside::Color([24; 3])).into_raw(),
            block_means(view, (3, 5), (100, 60), 5).into_raw(),
            resized(image.as_raw(), image.dimensions(), (211, 99)).unwrap(),
            luma(image.as_raw()),
        ];
        let hashes = pictures.map(|bytes| {
            let fnv =
                |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            bytes.iter().fold(0xcbf2_9ce4_8422_2325, fnv)
        });
        assert_eq!(
            hashes,
            [
                15_282_843_919_967_567_118,
                14_402_312_906_995_594_517,
                4_717_842_215_967_289_956,
                18_180_443_441_479_816_385,
                14_397_991_888_880_353_763
            ]
        );
    }

    /// The same, pixel by pixel.
    fn plain(image: &RgbImage, from: (usize, usize), size: (usize, usize), by: usize) -> RgbImage {
        let (right, bottom) = (image.width() as usize - 1, image.height() as usize - 1);
        RgbImage::from_fn(size.0 as u32, size.1 as u32, |x, y| {
            let mut total = [0; 3];
            for (u, v) in (0..by).flat_map(|v| (0..by).map(move |u| (u, v))) {
                let x = (from.0 + x as usize * by + u).min(right);
                let y = (from.1 + y as usize * by + v).min(bottom);
                let pixel = image.get_pixel(x as u32, y as u32).0;
                (0..3).for_each(|c| total[c] += usize::from(pixel[c]));
            }
            let count = by * by;
            image::Rgb(total.map(|total| ((total + count / 2) / count) as u8))
        })
    }

    proptest! {
        #[test]
        fn blocks_are_averaged_as_by_hand(
            (width, height) in (1usize..70, 1usize..40),
            (left, top) in (0.0..1.0f64, 0.0..1.0f64),
            size in (0usize..12, 0usize..9),
            by in 1usize..20,
            seed: u32,
        ) {
            let mut state = seed;
            let image = RgbImage::from_fn(width as u32, height as u32, |_, _| {
                image::Rgb([0; 3].map(|_: u8| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                }))
            });
            let from = ((left * width as f64) as usize, (top * height as f64) as usize);
            let means = block_means(View::from_image(&image).unwrap(), from, size, by);
            prop_assert_eq!(means, plain(&image, from, size, by));
        }
    }

    #[test]
    fn every_total_is_rounded_rightly() {
        for by in [1, 2, 3, 4, 6, 10, 37, 256, MOST_IN_A_BLOCK] {
            let count = by * by;
            let rounding = Rounding::new(count);
            for mean in 0..=255usize {
                for off in [
                    0,
                    1,
                    (count / 2).saturating_sub(count.div_ceil(2) % 2),
                    count / 2,
                    count / 2 + 1,
                ] {
                    let total = (mean * count + off).min(255 * count);
                    let right = (total + count / 2) / count;
                    assert_eq!(rounding.mean(total as u32) as usize, right, "{total} of {count}");
                }
            }
        }
    }

    #[test]
    fn grey_stays_grey_and_green_is_brightest() {
        assert_eq!(WEIGHTS.iter().sum::<u32>(), 1 << 15);
        let greys: Vec<u8> = (0..=255).flat_map(|v| [v; 3]).collect();
        assert_eq!(luma(&greys), (0..=255).collect::<Vec<u8>>());
        assert_eq!(luma(&[255, 0, 0, 0, 255, 0, 0, 0, 255]), [76, 150, 29]);
    }

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
                assert!(
                    is_near(pixel[0], 2.0 * x) && is_near(pixel[1], y) && pixel[2] == 77,
                    "{pixel:?}"
                );
            }
        }
    }

    fn is_near(value: u8, wanted: f64) -> bool {
        (f64::from(value) - wanted).abs() <= 2.0
    }

    #[test]
    fn too_few_bytes_are_an_error() {
        let error = resized(&[0; 35], (4, 3), (2, 2)).unwrap_err();
        assert!(error.to_string().contains("cannot be resized"), "{error}");
    }
}
