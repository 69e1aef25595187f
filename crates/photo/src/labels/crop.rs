//! Reads crops of single cards from disk.

use image::{ImageError, ImageReader, RgbImage, imageops};
use std::io;
use std::path::Path;

/// Crops shorter than this have no readable symbols.
const SHORTEST_PX: u32 = 16;

/// Why a file is not a usable crop. The caller adds the file's name.
#[derive(Debug, thiserror::Error)]
pub enum CropError {
    /// The file cannot be opened or read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// Not a picture of a known format, or a damaged one.
    #[error("is no image: {0}")]
    NoImage(#[from] ImageError),
    /// Too few pixels.
    #[error("is {width}x{height} pixels; a card needs at least {SHORTEST_PX} each way")]
    TooSmall {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
}

/// Reads a crop and rotates it so that its long side is horizontal.
///
/// # Errors
/// [`CropError`].
pub fn load_crop(path: &Path) -> Result<RgbImage, CropError> {
    // The format is guessed from the contents, because some JPEG crops are named .png.
    let crop = ImageReader::open(path)?.with_guessed_format()?.decode()?.into_rgb8();
    let (width, height) = crop.dimensions();
    if width.min(height) < SHORTEST_PX {
        return Err(CropError::TooSmall { width, height });
    }
    Ok(if height > width { imageops::rotate90(&crop) } else { crop })
}
