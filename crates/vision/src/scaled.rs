//! A photo at another size, as OpenCV holds it.

use opencv::core::{CV_8UC3, Mat, MatTraitManual, Scalar, StsError};
use setsight_photo::resize::resize_into;

/// Resizes as [`resize_into`] does, into a matrix of height x width x (R, G, B).
///
/// # Errors
/// No memory, or `rgb` holds fewer than three bytes per pixel.
pub fn scaled(rgb: &[u8], from_px: (u32, u32), to_px: (u32, u32)) -> opencv::Result<Mat> {
    let (rows, columns) = (to_px.1 as i32, to_px.0 as i32);
    let mut to = Mat::new_rows_cols_with_default(rows, columns, CV_8UC3, Scalar::default())?;
    resize_into(rgb, from_px, to.data_bytes_mut()?, to_px)
        .map_err(|error| opencv::Error::new(StsError, error.to_string()))?;
    Ok(to)
}
