//! Reading a photo in one call, for programs that use this crate.

use crate::pipeline::engine::Models;
use crate::pipeline::{Pipeline, StageClock, TableReading, overlay, source};
use crate::plan::ReadingPlan;
use image::RgbImage;
use std::path::Path;

/// Reads a photo: finds its cards, reads each, and finds all sets.
///
/// The file may be JPEG, PNG, WebP, TIFF, BMP or HEIC, or AVIF if the program `ffmpeg` is there.
/// The picture is turned upright as the file says. A photo without cards gives an empty
/// [`TableReading`], not an error. To read many photos, keep a [`PhotoReader`], which loads the networks once.
///
/// # Errors
/// The file cannot be decoded (the message names it and says what was expected), or a network
/// cannot be run.
///
/// # Examples
/// ```
/// let photo = setsight::read_photo("datasets/samples/1-plain-on-wood.jpg")?;
/// for card in &photo.table.cards {
///     let center = card.corners_in_image.center();
///     println!("{} at {center:?}, {:.1} %", card.card.name(), 100.0 * card.confidence);
/// }
/// println!("{} sets", photo.table.sets.len());
/// photo.draw().save(std::env::temp_dir().join("setsight-doc-table.png"))?;
/// # assert_eq!(photo.table.cards.len(), 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_photo(path: impl AsRef<Path>) -> Result<PhotoReading, ReadError> {
    PhotoReader::new()?.read_file(path)
}

/// Finds and reads the cards of photos, with networks that are loaded once.
///
/// Threads may share it; calls do not affect each other.
///
/// # Examples
/// ```
/// let reader = setsight::PhotoReader::new()?;
/// for photo in ["datasets/samples/1-plain-on-wood.jpg", "datasets/samples/2-fifteen-on-felt.jpg"] {
///     println!("{photo}: {} cards", reader.read_file(photo)?.table.cards.len());
/// }
/// # Ok::<(), setsight::ReadError>(())
/// ```
pub struct PhotoReader {
    pipeline: Pipeline,
}

impl PhotoReader {
    /// Uses the networks inside the crate.
    ///
    /// # Errors
    /// No engine can run them; the message lists the engines that were tried.
    pub fn new() -> Result<Self, ReadError> {
        Self::with(Models::Shipped)
    }

    /// Uses the networks of a folder that `setsight train` wrote. If they were trained for a deck of
    /// one's own (`setsight train reader --deck`), that deck is read.
    ///
    /// # Errors
    /// A file is missing, does not match its hash in the folder's manifest, or holds no network for
    /// this purpose.
    pub fn with_models(folder: impl AsRef<Path>) -> Result<Self, ReadError> {
        Self::with(Models::Folder(folder.as_ref().to_path_buf()))
    }

    fn with(models: Models) -> Result<Self, ReadError> {
        let plan = ReadingPlan::with_models(models);
        Ok(Self { pipeline: plan.build().map_err(ReadError::of)? })
    }

    /// Reads a photo from a file, see [`read_photo`].
    ///
    /// # Errors
    /// The file cannot be decoded, or a network cannot be run. The message names the file.
    pub fn read_file(&self, path: impl AsRef<Path>) -> Result<PhotoReading, ReadError> {
        let path = path.as_ref();
        let named = |error: ReadError| ReadError(format!("{}: {error}", path.display()).into());
        let photo = source::load_photo(path).map_err(|error| named(ReadError::of(error)))?;
        let mut table = self.read_image(&photo.frame).map_err(named)?;
        table.warning = photo.warning;
        Ok(PhotoReading { table, image: photo.frame })
    }

    /// Reads a picture, such as a frame of a webcam: 8-bit sRGB, upright, height x width x (R, G,
    /// B).
    ///
    /// # Errors
    /// A network cannot be run.
    pub fn read_image(&self, image: &RgbImage) -> Result<TableReading, ReadError> {
        let output = self.pipeline.read(image, &mut StageClock::default(), None);
        Ok(output.map_err(ReadError::of)?.table)
    }
}

/// A photo that was read.
///
/// # Examples
/// ```
/// let photo = setsight::read_photo("datasets/samples/1-plain-on-wood.jpg")?;
/// assert_eq!(photo.image.dimensions(), photo.table.size_px);
/// for set in &photo.table.sets {
///     let names = set.0.map(|card| photo.table.cards[card].card.name());
///     println!("{}", names.join(", "));
/// }
/// # Ok::<(), setsight::ReadError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PhotoReading {
    /// Its cards and sets.
    pub table: TableReading,
    /// The upright photo: 8-bit sRGB, height x width x (R, G, B).
    pub image: RgbImage,
}

impl PhotoReading {
    /// Draws the cards and sets on the photo, see [`TableReading::draw`].
    pub fn draw(&self) -> RgbImage {
        self.table.draw(&self.image)
    }
}

impl TableReading {
    /// Draws a coloured outline around the cards of each set and the sets' numbers on the picture
    /// that was read, above a strip that lists the sets. The result is as wide as the picture and at
    /// least as high, 8-bit sRGB.
    pub fn draw(&self, picture: &RgbImage) -> RgbImage {
        overlay::draw(picture, &self.cards, &self.sets, &overlay::Style::default())
    }
}

/// Why a photo could not be read. The message names the file, what was expected and what to do.
#[derive(Debug)]
pub struct ReadError(Box<dyn std::error::Error + Send + Sync>);

impl ReadError {
    fn of(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
