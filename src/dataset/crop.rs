//! Crops of single cards as they are read from disk.

use image::{ImageError, ImageReader, RgbImage, imageops};
use std::io;
use std::path::Path;

/// Crops shorter than this have no readable symbols.
const SHORTEST_PX: u32 = 16;

/// Why a file is no crop of a card. The file's name is the caller's to add.
#[derive(Debug, thiserror::Error)]
pub enum CropError {
    /// The file cannot be opened or read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// Not a picture of a known format, or a broken one.
    #[error("is no image: {0}")]
    NoImage(#[from] ImageError),
    /// Too few pixels.
    #[error("is {width}x{height} pixels; a card needs at least {SHORTEST_PX} each way")]
    TooSmall {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
}

/// A crop, turned so that its long side lies across.
///
/// # Errors
/// [`CropError`].
pub fn load_crop(path: &Path) -> Result<RgbImage, CropError> {
    // By what is in it: crops are named .png that are JPEG.
    let crop = ImageReader::open(path)?.with_guessed_format()?.decode()?.into_rgb8();
    let (width, height) = crop.dimensions();
    if width.min(height) < SHORTEST_PX {
        return Err(CropError::TooSmall { width, height });
    }
    Ok(if height > width { imageops::rotate90(&crop) } else { crop })
}
