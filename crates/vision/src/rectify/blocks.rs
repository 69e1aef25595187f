//! Shrinks a part of a picture by averaging whole blocks of pixels. OpenCV does so with vector
//! instructions only for blocks of 2 x 2, and most context crops need larger ones.

use super::balance::ONES;

/// Sums over a block's rows of 8-bit values fit 16 bits up to this many rows.
pub(super) const MOST_ROWS: usize = u16::MAX as usize / u8::MAX as usize;

/// A part of a picture that is to be shrunk.
pub(super) struct Part<'a> {
    /// The picture: R, G, B row by row.
    pub rgb: &'a [u8],
    /// Columns of the picture.
    pub width: usize,
    /// Column and row at which the part begins.
    pub from: (usize, usize),
    /// Columns and rows of the result.
    pub size: (usize, usize),
    /// Columns and rows of a block, at most [`MOST_ROWS`].
    pub by: usize,
}

impl Part<'_> {
    /// The mean of each block, R, G, B row by row, with halves rounded to even numbers as OpenCV
    /// does from blocks of 3 x 3 on.
    pub(super) fn means(&self) -> Vec<u8> {
        let mut means = vec![0; 3 * self.size.0 * self.size.1];
        pulp::Arch::new().dispatch(Averaging { part: self, means: &mut means });
        means
    }
}

/// A closure would not be inlined into the version for AVX2.
struct Averaging<'a> {
    part: &'a Part<'a>,
    means: &'a mut [u8],
}

impl pulp::WithSimd for Averaging<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let &Part { rgb, width, from: (left, top), size, by } = self.part;
        let share = 1.0 / (by * by) as f32;
        let mut sums = vec![0u16; 3 * size.0 * by];
        for (y, line) in self.means.chunks_exact_mut(3 * size.0).enumerate() {
            sums.fill(0);
            for row in 0..by {
                let start = 3 * ((top + y * by + row) * width + left);
                for (sum, &value) in sums.iter_mut().zip(&rgb[start..][..3 * size.0 * by]) {
                    *sum += u16::from(value);
                }
            }
            for (pixel, block) in line.chunks_exact_mut(3).zip(sums.chunks_exact(3 * by)) {
                let mut total = [0u32; 3];
                for column in block.as_chunks::<3>().0 {
                    (0..3).for_each(|c| total[c] += u32::from(column[c]));
                }
                (0..3).for_each(|c| pixel[c] = (total[c] as f32 * share + ONES).to_bits() as u8);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opencv::core::{Mat, MatTraitConst, MatTraitConstManual, Rect, Size};
    use opencv::imgproc;

    #[test]
    fn the_means_are_those_of_opencv() {
        let (width, height) = (97, 83);
        let rgb: Vec<u8> = (0..3 * width * height).map(|i| (i * i / 7 % 251) as u8).collect();
        let whole = Mat::from_slice(&rgb).unwrap();
        let whole = whole.reshape(3, height as i32).unwrap();
        for (by, size) in [(3, (28, 20)), (4, (21, 19)), (5, (1, 2)), (16, (5, 4))] {
            let from = (11, 7);
            let part = Rect::new(11, 7, (size.0 * by) as i32, (size.1 * by) as i32);
            let part = Mat::roi(&whole, part).unwrap();
            let mut small = Mat::default();
            let small_px = Size::new(size.0 as i32, size.1 as i32);
            imgproc::resize(&part, &mut small, small_px, 0.0, 0.0, imgproc::INTER_AREA).unwrap();
            let means = Part { rgb: &rgb, width, from, size, by }.means();
            assert_eq!(means, small.data_bytes().unwrap(), "{by}");
        }
    }
}
