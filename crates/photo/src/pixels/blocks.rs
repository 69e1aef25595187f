use super::View;
use image::RgbImage;

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
        let rounding = Rounding::of(by * by);
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
    fn of(pixels: usize) -> Self {
        // A quarter of a unit more keeps whole quotients from falling below themselves, and is too
        // little to lift others to the next.
        Self { half: (pixels / 2) as f64 + 0.25, share: 1.0 / pixels as f64 }
    }

    #[inline(always)]
    fn mean(&self, total: u32) -> u8 {
        ((f64::from(total) + self.half) * self.share) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            let means = block_means(View::of(&image).unwrap(), from, size, by);
            prop_assert_eq!(means, plain(&image, from, size, by));
        }
    }

    #[test]
    fn every_total_is_rounded_rightly() {
        for by in [1, 2, 3, 4, 6, 10, 37, 256, MOST_IN_A_BLOCK] {
            let count = by * by;
            let rounding = Rounding::of(count);
            for mean in 0..=255usize {
                for off in [0, 1, count / 2 - count.div_ceil(2) % 2, count / 2, count / 2 + 1] {
                    let total = (mean * count + off).min(255 * count);
                    let right = (total + count / 2) / count;
                    assert_eq!(rounding.mean(total as u32) as usize, right, "{total} of {count}");
                }
            }
        }
    }
}
