//! The network's input: the photo scaled down, with its sides padded to a multiple of 16.

use super::network::Input;
use crate::find::working::Working;
use crate::find::working::scaled;
use crate::planes;
use opencv::core::{BORDER_REPLICATE, Mat, Scalar};
use opencv::prelude::*;
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
    ///
    /// # Errors
    /// OpenCV failed, for instance for lack of memory.
    pub(crate) fn new(working: &Working, long_side_px: f64) -> opencv::Result<Self> {
        let scale = long_side_px / working.width.max(working.height) as f64;
        let side = |px: usize| (px as f64 * scale).round().max(1.0) as u32;
        let (width, height) = (side(working.width), side(working.height));
        let working_px = (working.width as u32, working.height as u32);
        let small = scaled(working.rgb.data_bytes()?, working_px, (width, height))?;
        let multiple = finder::SIDE_MULTIPLE_PX as i32;
        let pad = |px: u32| (multiple - px as i32 % multiple) % multiple;
        let mut padded = Mat::default();
        opencv::core::copy_make_border(
            &small,
            &mut padded,
            0,
            pad(height),
            0,
            pad(width),
            BORDER_REPLICATE,
            Scalar::all(0.0),
        )?;
        let (columns, rows) = (padded.cols() as usize, padded.rows() as usize);
        let mut pixels = Vec::new();
        planes::push(padded.data_bytes()?, &mut pixels);
        Ok(Self {
            input: Input { pixels, width: columns, height: rows },
            working_per_input: Point::new(
                working.width as f64 / f64::from(width),
                working.height as f64 / f64::from(height),
            ),
            size: (width as usize, height as usize),
            long_side_px: f64::from(width.max(height)),
        })
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
