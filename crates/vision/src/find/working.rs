//! The working image: the photo at the size at which a finder measures it.

use opencv::core::{CV_8UC3, Mat, MatTraitManual, Scalar, StsError};
use setsight_photo::Frame;
use setsight_photo::geometry::{Quad, space};
use setsight_photo::resize::resize_into;

/// An outline in working pixels.
pub(crate) type WorkingQuad = Quad<space::Working>;

/// The photo at working resolution.
#[derive(Debug)]
pub struct Working {
    /// 8-bit RGB, height x width.
    pub rgb: Mat,
    /// Working pixels per photo pixel.
    pub scale: f64,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Working {
    /// Scales a photo to a long side of `long_side_px`, enlarging it at most twice.
    ///
    /// # Errors
    /// OpenCV failed, for instance for lack of memory.
    pub(crate) fn new(frame: &Frame, long_side_px: f64) -> opencv::Result<Self> {
        let (w, h) = frame.dimensions();
        let scale = (long_side_px / f64::from(w.max(h))).min(2.0);
        let side = |px: u32| (f64::from(px) * scale).round().max(1.0) as u32;
        let (width, height) = (side(w), side(h));
        let rgb = scaled(frame.as_raw(), (w, h), (width, height))?;
        Ok(Self { rgb, scale, width: width as usize, height: height as usize })
    }

    /// Converts an outline from working pixels to pixels of the photo.
    pub fn in_image(&self, quad: &WorkingQuad) -> Quad {
        quad.in_space(1.0 / self.scale)
    }

    /// Converts an outline from pixels of the photo to working pixels.
    pub(crate) fn in_working(&self, quad: &Quad) -> WorkingQuad {
        quad.in_space(self.scale)
    }
}

/// Resizes as [`resize_into`] does, into a matrix of height x width x (R, G, B).
///
/// # Errors
/// No memory, or `rgb` holds fewer than three bytes per pixel.
pub(crate) fn scaled(rgb: &[u8], from_px: (u32, u32), to_px: (u32, u32)) -> opencv::Result<Mat> {
    let (rows, columns) = (to_px.1 as i32, to_px.0 as i32);
    let mut to = Mat::new_rows_cols_with_default(rows, columns, CV_8UC3, Scalar::default())?;
    resize_into(rgb, from_px, to.data_bytes_mut()?, to_px)
        .map_err(|error| opencv::Error::new(StsError, error.to_string()))?;
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::drawn::{FlatCard, card_at, photo};

    #[test]
    fn outlines_go_to_the_working_image_and_back() {
        let card = card_at(150.0, 120.0, 0.2);
        let photo = photo((400, 300), &[FlatCard::at(card)]);
        let working = Working::new(&photo, 200.0).unwrap();
        assert_eq!((working.width, working.height, working.scale), (200, 150, 0.5));
        let back = working.in_image(&working.in_working(&card));
        assert!(back.0.iter().zip(card.0).all(|(a, b)| a.distance(b) < 1e-9));
        // A small photo is enlarged to at most twice its size.
        assert_eq!(Working::new(&photo, 4000.0).unwrap().scale, 2.0);
    }
}
