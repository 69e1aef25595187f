//! Reading a photo in one call, for programs that use this crate.

use crate::cards::{Card, Edition};
use crate::geometry::{Point, Quad};
use crate::pipeline::engine::Models;
use crate::pipeline::{Frame, Pipeline, ReadCard, StageClock, overlay, source};
use crate::plan::ReadingPlan;
use crate::sets::Set;
use image::RgbImage;
use std::path::Path;

/// Reads a photo: finds its cards, reads each, and finds all sets.
///
/// The file may be JPEG, PNG, WebP, TIFF, BMP or HEIC, or AVIF if the program `ffmpeg` is there.
/// The picture is turned upright as the file says. A photo without cards gives an empty [`Table`],
/// not an error. To read many photos, keep a [`PhotoReader`], which loads the networks once.
///
/// # Errors
/// The file cannot be decoded (the message names it and says what was expected), or a network
/// cannot be run.
///
/// # Examples
/// ```
/// let table = setsight::read_photo("datasets/samples/1-plain-on-wood.jpg")?;
/// for card in &table.cards {
///     println!("{} at {:?}, {:.1} %", card.card.name(), card.corners_px, 100.0 * card.confidence);
/// }
/// println!("{} sets", table.sets.len());
/// table.draw().save(std::env::temp_dir().join("setsight-doc-table.png"))?;
/// # assert_eq!(table.cards.len(), 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_photo(path: impl AsRef<Path>) -> Result<Table, ReadError> {
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
///     println!("{photo}: {} cards", reader.read_file(photo)?.cards.len());
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
    pub fn read_file(&self, path: impl AsRef<Path>) -> Result<Table, ReadError> {
        let path = path.as_ref();
        let named = |error: ReadError| ReadError(format!("{}: {error}", path.display()).into());
        let frame = source::load(path).map_err(|error| named(ReadError::of(error)))?;
        self.read_image(frame.image).map_err(named)
    }

    /// Reads a picture, such as a frame of a webcam: 8-bit sRGB, upright, height x width x (R, G,
    /// B).
    ///
    /// # Errors
    /// A network cannot be run.
    pub fn read_image(&self, image: RgbImage) -> Result<Table, ReadError> {
        let frame = Frame { image };
        let scan =
            self.pipeline.read(&frame, &mut StageClock::default(), None).map_err(ReadError::of)?;
        let cards = scan.cards.iter().map(TableCard::of).collect();
        let (edition, mirrored) = (scan.facts.edition(), scan.facts.is_mirrored());
        Ok(Table { cards, sets: scan.sets, edition, mirrored, photo: frame.image })
    }
}

/// The cards and sets on a table, as one photo shows them.
///
/// # Examples
/// ```
/// let table = setsight::read_photo("datasets/samples/1-plain-on-wood.jpg")?;
/// for set in &table.sets {
///     let names = set.0.map(|card| table.cards[card].card.name());
///     println!("{}", names.join(", "));
/// }
/// # Ok::<(), setsight::ReadError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Table {
    /// Sorted row by row, each row from left to right.
    pub cards: Vec<TableCard>,
    /// All sets among the cards that are not [`unsure`](TableCard::unsure). Their numbers are
    /// indices into `cards`.
    pub sets: Vec<Set>,
    /// The deck's edition. If it is unknown, all cards are unsure.
    pub edition: Edition,
    /// Whether the picture shows the table mirrored, as webcams often store it. `cards` holds the
    /// cards as they lie on the table; their corners are where the picture shows them.
    pub mirrored: bool,
    photo: RgbImage,
}

impl Table {
    /// Draws the photo with a coloured outline around the cards of each set and the sets' numbers,
    /// above a strip that lists the sets. The result is as wide as the photo and at least as high,
    /// 8-bit sRGB.
    pub fn draw(&self) -> RgbImage {
        let cards: Vec<ReadCard> = self.cards.iter().map(TableCard::as_read).collect();
        overlay::draw(&self.photo, &cards, &self.sets, &overlay::Style::default())
    }
}

/// A card on a [`Table`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TableCard {
    /// The card, or the best guess if `unsure`.
    pub card: Card,
    /// The card's corners as x and y in pixels from the upper left corner of the upright photo,
    /// clockwise; the edge from corner 0 to corner 1 is a long side.
    pub corners_px: [[f64; 2]; 4],
    /// Probability that `card` is correct, 0 to 1.
    pub confidence: f32,
    /// Whether the confidence is below the threshold. Such a card is in no set.
    pub unsure: bool,
}

impl TableCard {
    fn of(read: &ReadCard) -> Self {
        let &ReadCard { corners_in_image, card, confidence, unsure } = read;
        Self { card, corners_px: corners_in_image.0.map(|p| [p.x, p.y]), confidence, unsure }
    }

    fn as_read(&self) -> ReadCard {
        let &Self { card, corners_px, confidence, unsure } = self;
        let corners_in_image = Quad::new(corners_px.map(|[x, y]| Point::new(x, y)));
        ReadCard { corners_in_image, card, confidence, unsure }
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
