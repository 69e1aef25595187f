//! The network's input: the photo scaled down, with its sides padded to a multiple of 16.

use super::decode::Input;
use crate::{
    find::working::{Working, scaled},
    planes,
};
use image::RgbImage;
use setsight_nets::finder;
use setsight_photo::geometry::Point;

/// The photo at the scale of one pass, and its relation to the working image.
#[derive(Clone, Debug)]
pub struct ScaledPhoto {
    /// The network's input.
    pub input: Input,
    /// Working pixels per pixel of the input, across and down; they differ by rounding.
    pub working_per_input: Point,
    /// Columns and rows of the input that show the photo; the rest repeats its border.
    pub size: (usize, usize),
    /// Long side of the photo in the input, in pixels.
    pub long_side_px: f64,
}

impl ScaledPhoto {
    /// Scales the working image to a long side of about `long_side_px`.
    pub(crate) fn new(working: &Working, long_side_px: f64) -> Self {
        let scale = long_side_px / working.width.max(working.height) as f64;
        let side = |px: usize| (px as f64 * scale).round().max(1.0) as u32;
        let (width, height) = (side(working.width), side(working.height));
        let small = scaled(&working.rgb, (width, height));
        let padded = padded(small);
        let mut pixels = Vec::new();
        planes::push(&padded, &mut pixels);
        let (columns, rows) = (padded.width() as usize, padded.height() as usize);
        Self {
            input: Input { pixels, width: columns, height: rows },
            working_per_input: Point::new(
                working.width as f64 / f64::from(width),
                working.height as f64 / f64::from(height),
            ),
            size: (width as usize, height as usize),
            long_side_px: f64::from(width.max(height)),
        }
    }

    /// Maps a point of the input to the working image.
    pub(crate) fn working_from_input(&self, p: Point) -> Point {
        Point::new(p.x * self.working_per_input.x, p.y * self.working_per_input.y)
    }

    /// Maps a point of the working image to the input.
    pub(crate) fn input_from_working(&self, p: Point) -> Point {
        Point::new(p.x / self.working_per_input.x, p.y / self.working_per_input.y)
    }
}

/// Repeats the last column and row until both sides are multiples of what the network takes.
fn padded(image: RgbImage) -> RgbImage {
    let side = |px: u32| px.next_multiple_of(finder::SIDE_MULTIPLE_PX as u32);
    let (width, height) = image.dimensions();
    let size = (side(width), side(height));
    if size == (width, height) {
        return image;
    }
    RgbImage::from_fn(size.0, size.1, |x, y| *image.get_pixel(x.min(width - 1), y.min(height - 1)))
}
