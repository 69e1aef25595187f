//! The amount of ink at each place of a card.

use crate::card::{CARD_LONG_PX, CARD_SHORT_PX, CardImage};
use crate::rectify::BALANCED_WHITE;

/// Width of a card image in pixels.
pub(super) const WIDTH: usize = CARD_LONG_PX as usize;
/// Height of a card image in pixels.
pub(super) const HEIGHT: usize = CARD_SHORT_PX as usize;
/// Width of the coarse ink map in pixels: half the card image.
pub(super) const COARSE_WIDTH: usize = WIDTH / 2;
/// Height of the coarse ink map in pixels.
pub(super) const COARSE_HEIGHT: usize = HEIGHT / 2;

/// The value that means no difference in [`InkMap::above_surroundings`].
pub(super) const ABOVE_SURROUNDINGS_ZERO: u8 = 100;
/// Half the window of the surroundings in coarse pixels; the window is slightly narrower than a
/// symbol.
const SURROUNDINGS_REACH: usize = 8;

/// The ink of one card.
pub(super) struct InkMap<'a> {
    pixels: &'a [u8],
    /// Ink at half size, [`COARSE_WIDTH`] x [`COARSE_HEIGHT`], row by row: the largest share of the
    /// white that is missing in any channel, 0 to 255.
    pub coarse: Vec<u8>,
}

impl<'a> InkMap<'a> {
    /// From a balanced card.
    ///
    /// # Panics
    /// The image does not have the size of a card image.
    pub(super) fn new(card: &'a CardImage) -> Self {
        assert_eq!(card.pixels.dimensions(), (CARD_LONG_PX, CARD_SHORT_PX), "a card image's size");
        let pixels = card.pixels.as_raw().as_slice();
        // The sum of four white pixels.
        let full = 4.0 * 255.0 * BALANCED_WHITE;
        let mut coarse = Vec::with_capacity(COARSE_WIDTH * COARSE_HEIGHT);
        for rows in pixels.chunks_exact(2 * 3 * WIDTH) {
            let (top, bottom) = rows.split_at(3 * WIDTH);
            for (a, b) in top.chunks_exact(6).zip(bottom.chunks_exact(6)) {
                let [red, green, blue] = [0, 1, 2].map(|c: usize| {
                    u16::from(a[c]) + u16::from(a[c + 3]) + u16::from(b[c]) + u16::from(b[c + 3])
                });
                let least = red.min(green).min(blue);
                coarse.push((255.0 * (1.0 - f32::from(least) / full)).max(0.0) as u8);
            }
        }
        Self { pixels, coarse }
    }

    /// The coarse ink, averaged over 3 x 3, minus its mean over the surroundings, plus
    /// [`ABOVE_SURROUNDINGS_ZERO`].
    pub(super) fn above_surroundings(&self) -> Vec<u8> {
        let mut sums = vec![0u32; STRIDE * (COARSE_HEIGHT + 1)];
        for y in 0..COARSE_HEIGHT {
            let mut row = 0;
            for x in 0..COARSE_WIDTH {
                row += u32::from(self.coarse[y * COARSE_WIDTH + x]);
                sums[(y + 1) * STRIDE + x + 1] = sums[y * STRIDE + x + 1] + row;
            }
        }
        (0..COARSE_WIDTH * COARSE_HEIGHT)
            .map(|i| {
                let (x, y) = (i % COARSE_WIDTH, i / COARSE_WIDTH);
                let above =
                    mean_around(&sums, x, y, 1) - mean_around(&sums, x, y, SURROUNDINGS_REACH);
                (above + f32::from(ABOVE_SURROUNDINGS_ZERO)).clamp(0.0, 255.0) as u8
            })
            .collect()
    }

    /// Light relative to the stock (R, G, B) at a point of the card image, interpolated linearly.
    /// (0, 0) is the outer corner of the first pixel. A point off the card gets the nearest pixel's
    /// value.
    pub(super) fn ratio(&self, x: f32, y: f32) -> [f32; 3] {
        const SCALE: f32 = 1.0 / (255.0 * BALANCED_WHITE);
        let x = (x - 0.5).clamp(0.0, (WIDTH - 1) as f32 - 1e-3);
        let y = (y - 0.5).clamp(0.0, (HEIGHT - 1) as f32 - 1e-3);
        let (left, top) = (x as usize, y as usize);
        let (right, down) = (x - left as f32, y - top as f32);
        let at = 3 * (top * WIDTH + left);
        let (upper, lower) = (&self.pixels[at..at + 6], &self.pixels[at + 3 * WIDTH..][..6]);
        std::array::from_fn(|c| {
            let [a, b] = [upper, lower].map(|row| {
                let (a, b) = (f32::from(row[c]), f32::from(row[c + 3]));
                a + (b - a) * right
            });
            (a + (b - a) * down) * SCALE
        })
    }
}

/// Columns of an integral image of the coarse ink, whose first row and column are zeros.
const STRIDE: usize = COARSE_WIDTH + 1;

/// The mean of the square that reaches so far from a place, by an integral image.
fn mean_around(sums: &[u32], x: usize, y: usize, reach: usize) -> f32 {
    let (x0, x1) = (x.saturating_sub(reach), (x + reach + 1).min(COARSE_WIDTH));
    let (y0, y1) = (y.saturating_sub(reach), (y + reach + 1).min(COARSE_HEIGHT));
    let sum = sums[y1 * STRIDE + x1] + sums[y0 * STRIDE + x0]
        - sums[y0 * STRIDE + x1]
        - sums[y1 * STRIDE + x0];
    sum as f32 / ((x1 - x0) * (y1 - y0)) as f32
}
