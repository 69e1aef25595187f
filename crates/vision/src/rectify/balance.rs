//! Divides a straightened card by its own white, a smooth field across the card.

use super::BALANCED_WHITE;
use crate::card::{CARD_LONG_PX, CARD_SHORT_PX};
use image::RgbImage;

/// Values in a row of a card: R, G, B of each pixel.
const ROW: usize = 3 * CARD_LONG_PX as usize;
/// The white field is computed on a card smaller by this factor.
const STEP: usize = 4;
const FIELD_WIDTH: usize = CARD_LONG_PX as usize / STEP;
const FIELD_HEIGHT: usize = CARD_SHORT_PX as usize / STEP;
/// Values in a row of the field: R, G, B of each cell.
const FIELD_ROW: usize = 3 * FIELD_WIDTH;
/// Half the closing's width, in cells of the field: 13 cells are 52 pixels, and a symbol is 41
/// wide.
const CLOSING_REACH: usize = 6;
/// Half the blur's width, in cells of the field.
const BLUR_REACH: usize = 2;
/// Lower bound of the white field, as a share of the card's white. A finger, a corner outside the
/// card or another card's symbol is not stock, however wide it is.
const DARKEST_STOCK: f32 = 0.35;

/// From this number on, the last bit of a float counts ones: to add it rounds to the nearest whole
/// number, which the low bits then hold.
const ONES: f32 = (1 << 23) as f32;

/// Divides the pixels by the white field and scales them to [`BALANCED_WHITE`]. `white` is the
/// card's overall white, R, G, B, each above 0, to 255.
pub(super) fn balance(pixels: &mut RgbImage, white: [f32; 3]) {
    pulp::Arch::new().dispatch(Balance { pixels, white });
}

/// Scales the pixels so that this white, R, G, B, each above 0, to 255, becomes [`BALANCED_WHITE`].
pub(super) fn evenly(pixels: &mut RgbImage, white: [f32; 3]) {
    for pixel in pixels.pixels_mut() {
        for (value, white) in pixel.0.iter_mut().zip(white) {
            *value = (f32::from(*value) * 255.0 * BALANCED_WHITE / white).round() as u8;
        }
    }
}

/// The field and the division by it, compiled for any processor and for one with AVX2, which is
/// chosen at run time. Both do the same to each number, so their results are equal to the bit. A
/// closure would not be inlined into the version for AVX2.
struct Balance<'a> {
    pixels: &'a mut [u8],
    white: [f32; 3],
}

impl pulp::WithSimd for Balance<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let field = white_field(self.pixels, self.white);
        divide(self.pixels, &field);
    }
}

#[inline(always)]
fn divide(pixels: &mut [u8], field: &[f32]) {
    let target = 255.0 * BALANCED_WHITE;
    // The first of the two cells of the field around a pixel, and the weight of the second.
    // Interpolate the field horizontally first; the loop over each row then reads memory
    // sequentially.
    let columns: [_; ROW / 3] = std::array::from_fn(|x| taps(x, FIELD_WIDTH));
    let mut rows = vec![0.0f32; ROW * FIELD_HEIGHT];
    for (line, row) in field.chunks_exact(FIELD_ROW).zip(rows.chunks_exact_mut(ROW)) {
        for (pixel, &(left, right)) in row.chunks_exact_mut(3).zip(&columns) {
            let cells = &line[3 * left..][..6];
            for c in 0..3 {
                pixel[c] = cells[c] + (cells[c + 3] - cells[c]) * right;
            }
        }
    }
    for (y, row) in pixels.chunks_exact_mut(ROW).enumerate() {
        let (top, down) = taps(y, FIELD_HEIGHT);
        let (above, below) = rows[ROW * top..][..2 * ROW].split_at(ROW);
        for ((value, a), b) in row.iter_mut().zip(above).zip(below) {
            let white = a + (b - a) * down;
            *value = low_byte((f32::from(*value) * target / white + 0.5).min(255.0));
        }
    }
}

fn taps(i: usize, limit: usize) -> (usize, f32) {
    let at = ((i as f32 + 0.5) / STEP as f32 - 0.5).clamp(0.0, (limit - 1) as f32);
    let low = (at as usize).min(limit - 2);
    (low, at - low as f32)
}

/// The whole part of a number from 0 to 255. A saturating cast, or a call that rounds, would be made
/// number by number.
#[inline(always)]
fn low_byte(value: f32) -> u8 {
    let nearest = value + ONES;
    nearest.to_bits().wrapping_sub(u32::from(nearest - ONES > value)) as u8
}

/// The white as a smooth field of [`FIELD_WIDTH`] x [`FIELD_HEIGHT`] cells, R, G, B, 0 to 255.
#[inline(always)]
fn white_field(pixels: &[u8], white: [f32; 3]) -> Vec<f32> {
    const SHARE: f32 = 1.0 / (STEP * STEP) as f32;
    let mut field = vec![0.0f32; FIELD_ROW * FIELD_HEIGHT];
    for (rows, line) in pixels.chunks_exact(STEP * ROW).zip(field.chunks_exact_mut(FIELD_ROW)) {
        let mut sums = [0u16; ROW];
        for row in rows.chunks_exact(ROW) {
            for (sum, &value) in sums.iter_mut().zip(row) {
                *sum += u16::from(value);
            }
        }
        for (cell, block) in line.chunks_exact_mut(3).zip(sums.chunks_exact(3 * STEP)) {
            for c in 0..3 {
                let sum = block[c] + block[c + 3] + block[c + 6] + block[c + 9];
                cell[c] = f32::from(sum) * SHARE;
            }
        }
        let widest = sweep(line, f32::MIN, |a, b| if a > b { a } else { b });
        let closed = sweep(&widest, f32::MAX, |a, b| if a < b { a } else { b });
        for (cell, closed) in line.chunks_exact_mut(3).zip(closed.chunks_exact(3)) {
            for c in 0..3 {
                cell[c] = closed[c].max(white[c] * DARKEST_STOCK);
            }
        }
    }
    blur(&mut field);
    blur(&mut field);
    field
}

/// The minimum or maximum of each channel over [`CLOSING_REACH`] cells to either side, within the
/// line. `none`, which stands beyond its ends, is never more extreme than a value.
#[inline(always)]
fn sweep(line: &[f32], none: f32, extreme: impl Fn(f32, f32) -> f32) -> [f32; FIELD_ROW] {
    const REACH: usize = 3 * CLOSING_REACH;
    const WINDOW: usize = 2 * CLOSING_REACH + 1;
    let mut values = [none; FIELD_ROW + 2 * REACH];
    values[REACH..REACH + FIELD_ROW].copy_from_slice(line);
    // The extreme of this many cells from each on: of two halves that may overlap.
    let mut cells = 1;
    while cells < WINDOW {
        let by = 3 * cells.min(WINDOW - cells);
        for i in 0..values.len() - by {
            values[i] = extreme(values[i], values[i + by]);
        }
        cells += by / 3;
    }
    std::array::from_fn(|i| values[i])
}

/// The mean over 5 x 5 cells, within the field.
#[inline(always)]
fn blur(field: &mut [f32]) {
    let mut across = [0.0; FIELD_ROW * FIELD_HEIGHT];
    for (line, means) in field.chunks_exact(FIELD_ROW).zip(across.chunks_exact_mut(FIELD_ROW)) {
        mean(line, 3, means);
    }
    mean(&across, FIELD_ROW, field);
}

/// The mean over [`BLUR_REACH`] groups of `step` values to either side, within the values.
#[inline(always)]
fn mean(values: &[f32], step: usize, means: &mut [f32]) {
    means.fill(0.0);
    for by in (1..=BLUR_REACH).rev().map(|groups| step * groups) {
        add(&mut means[by..], values);
    }
    for by in (0..=BLUR_REACH).map(|groups| step * groups) {
        add(means, &values[by..]);
    }
    let inner = BLUR_REACH * step..values.len() - BLUR_REACH * step;
    means[inner].iter_mut().for_each(|sum| *sum /= (2 * BLUR_REACH + 1) as f32);
    let groups = values.len() / step;
    for i in 0..BLUR_REACH {
        for group in [i, groups - 1 - i] {
            let count = (BLUR_REACH + 1 + i) as f32;
            means[step * group..][..step].iter_mut().for_each(|sum| *sum /= count);
        }
    }
}

/// Adds as many values as both hold.
#[inline(always)]
fn add(sums: &mut [f32], values: &[f32]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    /// Pixels without any order, darker than the white in places.
    fn noise() -> RgbImage {
        let mut state = 12_345u32;
        RgbImage::from_fn(CARD_LONG_PX, CARD_SHORT_PX, |x, y| {
            Rgb([0, 1, 2].map(|c| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let light = if (x / 40 + y / 50) % 3 == 0 { 40 } else { 255 - 30 * c };
                ((state >> 24) * light / 255) as u8
            }))
        })
    }

    /// One value of a picture of cells, `None` outside.
    fn at(field: &[f32], x: isize, y: isize, c: usize) -> Option<f32> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < FIELD_WIDTH && y < FIELD_HEIGHT).then(|| field[y * FIELD_ROW + 3 * x + c])
    }

    /// Each value of a new field from its place in an old one.
    fn each(of: impl Fn(isize, isize, usize) -> f32) -> Vec<f32> {
        let values = (0..FIELD_ROW * FIELD_HEIGHT).map(|i| {
            let (y, rest) = (i / FIELD_ROW, i % FIELD_ROW);
            of((rest / 3) as isize, y as isize, rest % 3)
        });
        values.collect()
    }

    #[test]
    fn the_field_is_closed_across_and_blurred_twice() {
        let (picture, white) = (noise(), [230.0, 200.0, 170.0]);
        let mut field = each(|x, y, c| {
            let block = (0..STEP * STEP).map(|i| {
                let (x, y) = (STEP * x as usize + i % STEP, STEP * y as usize + i / STEP);
                u32::from(picture.get_pixel(x as u32, y as u32).0[c])
            });
            block.sum::<u32>() as f32 / (STEP * STEP) as f32
        });
        let reach = CLOSING_REACH as isize;
        for extreme in [f32::max, f32::min] {
            field = each(|x, y, c| {
                let near = (x - reach..=x + reach).filter_map(|x| at(&field, x, y, c));
                near.reduce(extreme).unwrap()
            });
        }
        field = each(|x, y, c| at(&field, x, y, c).unwrap().max(white[c] * DARKEST_STOCK));
        let reach = BLUR_REACH as isize;
        for (across, down) in [(1, 0), (0, 1), (1, 0), (0, 1)] {
            field = each(|x, y, c| {
                let near = -reach..=reach;
                let near = near.filter_map(|i| at(&field, x + across * i, y + down * i, c));
                let (count, sum) = near.fold((0, 0.0), |(n, sum), value| (n + 1, sum + value));
                sum / count as f32
            });
        }
        assert_eq!(white_field(picture.as_raw(), white), field);
    }

    #[test]
    fn every_processor_balances_alike() {
        let (mut fast, white) = (noise(), [230.0, 200.0, 170.0]);
        let mut plain = fast.clone();
        let field = white_field(&plain, white);
        divide(&mut plain, &field);
        balance(&mut fast, white);
        assert_eq!(fast, plain);
        // White comes out as the common white, whatever its color.
        let mut even = RgbImage::from_pixel(CARD_LONG_PX, CARD_SHORT_PX, Rgb([230, 200, 170]));
        balance(&mut even, white);
        assert!(even.iter().all(|v| v.abs_diff(230) <= 1));
    }

    #[test]
    fn the_low_byte_is_the_integer_part() {
        for value in 0..=255u8 {
            let value_f = f32::from(value);
            assert_eq!(low_byte(value_f), value);
            let below_next = (value_f + 1.0).next_down().min(255.0);
            assert_eq!(low_byte(below_next), value);
        }
    }
}
