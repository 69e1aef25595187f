//! Reads crops of single cards from disk.

use crate::source::{self, SourceError};
use image::{RgbImage, imageops};
use std::path::Path;

/// Reads a crop as a photo is read, and rotates it so that its long side is horizontal.
///
/// # Errors
/// See [`SourceError`].
pub fn load_crop(path: &Path) -> Result<RgbImage, SourceError> {
    let crop = source::load(path)?;
    Ok(if crop.height() > crop.width() { imageops::rotate90(&crop) } else { crop })
}
