//! Reading photos and frames, for programs that use this crate.

mod error;
mod options;

pub use error::{ReadError, ReadErrorKind};
pub use options::ReadOptions;

use crate::{
    CardImage, Pipeline, PipelineError, PipelineOutput, Reading, TableReading, Trace, overlay,
    warning::Warning,
};
use image::RgbImage;
use setsight_photo::source::{self, Photo};
use std::{borrow::Cow, path::Path, sync::atomic::AtomicBool};

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
/// # std::env::set_current_dir("../../datasets/samples").unwrap();
/// let photo = setsight_vision::read_photo("1-plain-on-wood.jpg")?;
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
/// # std::env::set_current_dir("../../datasets/samples").unwrap();
/// let reader = setsight_vision::PhotoReader::new()?;
/// for photo in ["1-plain-on-wood.jpg", "2-fifteen-on-felt.jpg"] {
///     println!("{photo}: {} cards", reader.read_file(photo)?.table.cards.len());
/// }
/// # Ok::<(), setsight_vision::ReadError>(())
/// ```
pub struct PhotoReader {
    pipeline: Pipeline,
}

impl PhotoReader {
    /// Reads with the default options and the networks inside the crate.
    ///
    /// # Errors
    /// No engine can run the networks; the message lists the engines that were tried.
    pub fn new() -> Result<Self, ReadError> {
        Self::with(&ReadOptions::default())
    }

    /// Reads with these options.
    ///
    /// # Errors
    /// The networks cannot be loaded, or the options contradict each other.
    pub fn with(options: &ReadOptions) -> Result<Self, ReadError> {
        Ok(Self { pipeline: options.build()? })
    }

    /// Reads a photo from a file, see [`read_photo`].
    ///
    /// # Errors
    /// The file cannot be decoded, or a network cannot be run. The message names the file.
    pub fn read_file(&self, path: impl AsRef<Path>) -> Result<PhotoReading, ReadError> {
        let path = path.as_ref();
        let photo = source::load_to_read(path).map_err(ReadError::from);
        photo.and_then(|photo| self.read(photo)).map_err(|error| error.in_file(path))
    }

    /// Reads a photo from its file's bytes, in any of the formats of [`read_photo`], and turns it
    /// upright as they say.
    ///
    /// # Errors
    /// The bytes cannot be decoded, or a network cannot be run.
    ///
    /// # Examples
    /// ```
    /// # std::env::set_current_dir("../../datasets/samples").unwrap();
    /// // As they come from a network or out of an archive.
    /// let bytes = std::fs::read("1-plain-on-wood.jpg")?;
    /// let photo = setsight_vision::PhotoReader::new()?.read_bytes(&bytes)?;
    /// assert_eq!(photo.table.cards.len(), 12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_bytes(&self, bytes: &[u8]) -> Result<PhotoReading, ReadError> {
        self.read(source::decode_to_read(bytes, &AtomicBool::new(false))?)
    }

    /// Reads a picture, such as a frame of a webcam: 8-bit sRGB, upright, height x width x (R, G,
    /// B).
    ///
    /// # Errors
    /// A network cannot be run.
    ///
    /// # Examples
    /// ```
    /// # std::env::set_current_dir("../../datasets/samples").unwrap();
    /// use setsight_vision::image;
    ///
    /// let frame = image::open("1-plain-on-wood.jpg")?.to_rgb8();
    /// let table = setsight_vision::PhotoReader::new()?.read_image(&frame)?;
    /// assert_eq!(table.cards.len(), 12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_image(&self, image: &RgbImage) -> Result<TableReading, ReadError> {
        Ok(self.pipeline.read(image, &mut Trace::default())?.table)
    }

    fn read(&self, photo: Photo) -> Result<PhotoReading, ReadError> {
        Ok(self.pipeline.read_photo(photo, &mut Trace::default())?)
    }
}

/// A photo that was read.
///
/// # Examples
/// ```
/// # std::env::set_current_dir("../../datasets/samples").unwrap();
/// let photo = setsight_vision::read_photo("1-plain-on-wood.jpg")?;
/// for set in &photo.table.sets {
///     let names = set.0.map(|card| photo.table.cards[card].card.name());
///     println!("{}", names.join(", "));
/// }
/// # Ok::<(), setsight_vision::ReadError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PhotoReading {
    /// Its cards and sets, in pixels of the upright photo.
    pub table: TableReading,
    /// The upright photo as it was read, 8-bit sRGB, height x width x (R, G, B). Of a JPEG of more than 4.5
    /// megapixels that is half, a quarter or an eighth of its sides, as many as reading needs: `table` is in
    /// the file's own pixels all the same, and [`Self::table_in_image`] in those of this picture.
    /// [`Self::full_resolution`] decodes the rest.
    pub image: RgbImage,
    /// The reading of each card of `table`, before the board weighed the other cards.
    pub readings: Vec<Reading>,
    /// The straightened picture of each card of `table`.
    pub images: Vec<CardImage>,
    /// The photo without its picture.
    photo: Photo,
}

impl PhotoReading {
    /// The reading of a photo's picture, with warnings and in the photo's own pixels.
    pub fn new(photo: Photo, output: PipelineOutput) -> Self {
        let PipelineOutput { table, readings, images, look } = output;
        let warnings = Warning::collect(&photo, &table.cards, &look);
        let table = TableReading { warnings, ..table };
        let mut table = match photo.reduced {
            1 => table,
            _ => table.moved(photo.file_from_picture(), photo.upright_px()),
        };
        table.doubt(|corners| photo.is_damaged_at(&corners.0));
        let (photo, image) = photo.into_parts();
        Self { table, image, readings, images, photo }
    }

    /// The cards and sets in pixels of `image`.
    pub fn table_in_image(&self) -> Cow<'_, TableReading> {
        self.table_in(&self.photo, self.image.dimensions())
    }

    /// The photo at full resolution, as [`source::load`] gives it, and the cards and sets in its pixels. Where
    /// `image` is that, nothing is decoded.
    pub fn full_resolution(&self) -> (Cow<'_, RgbImage>, Cow<'_, TableReading>) {
        match self.photo.decode_full() {
            None => (Cow::Borrowed(&self.image), self.table_in_image()),
            Some(full) => {
                let table = self.table_in(&full, full.frame.dimensions());
                (Cow::Owned(full.frame), table)
            }
        }
    }

    /// The cards and sets in pixels of the photo at full resolution.
    pub fn table_at_full_resolution(&self) -> Cow<'_, TableReading> {
        match self.photo.file {
            None => self.table_in_image(),
            Some(_) => {
                let full = self.photo.without_reduction();
                self.table_in(&full, full.picture_px())
            }
        }
    }

    fn table_in(&self, photo: &Photo, size_px: (u32, u32)) -> Cow<'_, TableReading> {
        match photo.reduced {
            1 => Cow::Borrowed(&self.table),
            _ => Cow::Owned(self.table.clone().moved(photo.picture_from_file(), size_px)),
        }
    }

    /// Draws the cards and sets on the photo at full resolution, see [`TableReading::draw`].
    pub fn draw(&self) -> RgbImage {
        let (picture, table) = self.full_resolution();
        table.draw(&picture)
    }
}

impl Pipeline {
    /// Reads a photo that was decoded. All that reads photos calls this.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn read_photo(
        &self,
        photo: Photo,
        trace: &mut Trace<'_>,
    ) -> Result<PhotoReading, PipelineError> {
        let (photo, output) = self.read_scaled(Cow::Owned(photo), trace)?;
        Ok(PhotoReading::new(photo.into_owned(), output))
    }
}

impl TableReading {
    /// Draws a coloured outline around the cards of each set, dashed for probable ones, and the sets'
    /// numbers on the picture that was read, above a strip that lists the sets. The result is as wide as the picture and at
    /// least as high, 8-bit sRGB.
    pub fn draw(&self, picture: &RgbImage) -> RgbImage {
        overlay::draw(picture, self, &overlay::Style::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FinderChoice, ReadCard, ReaderChoice};
    use setsight_game::cards::{Card, Deck};
    use setsight_photo::geometry::Quad;
    use std::sync::Arc;

    fn without_networks() -> ReadOptions {
        ReadOptions::default().finder(FinderChoice::Classical).reader(ReaderChoice::Classical)
    }

    #[test]
    fn places_are_in_the_files_pixels_and_in_those_of_its_picture() {
        // Neither side is a multiple of eight, and the picture's are rounded down.
        let photo = Photo {
            stored_width: 9401,
            stored_height: 8007,
            reduced: 8,
            ..Photo::of_picture(RgbImage::new(1175, 1000))
        };
        let card = ReadCard::new(Quad::rectangle(90.0, 60.0), Card::from_index(0), 0.99, false);
        let table = TableReading::new(vec![card.clone()], (1175, 1000));
        let output = PipelineOutput { table, ..PipelineOutput::default() };
        let read = PhotoReading::new(photo, output);
        assert_eq!(read.table.size_px, (9401, 8007));
        assert_eq!(read.table.cards[0].corners_in_image, Quad::rectangle(720.0, 480.0));
        let in_image = read.table_in_image();
        assert_eq!((in_image.size_px, &in_image.cards[0]), ((1175, 1000), &card));
    }

    #[test]
    fn errors_say_of_what_kind_they_are() {
        let reader = PhotoReader::with(&without_networks()).unwrap();
        let of_bytes = |bytes: &[u8]| reader.read_bytes(bytes).unwrap_err().kind();
        let sample = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../datasets/samples/1-plain-on-wood.jpg");
        let photo = std::fs::read(sample).unwrap();
        assert_eq!(of_bytes(b"Dear diary, today"), ReadErrorKind::NotAPhoto);
        assert_eq!(of_bytes(&photo[..photo.len() / 2]), ReadErrorKind::Damaged);
        let missing = reader.read_file("no/such.jpg").unwrap_err();
        assert_eq!(missing.kind(), ReadErrorKind::Io);
        assert!(missing.to_string().starts_with("no/such.jpg: cannot be read"), "{missing}");
        let empty = tempfile::tempdir().unwrap();
        let of_options = |options: ReadOptions| PhotoReader::with(&options).err().unwrap().kind();
        assert_eq!(of_options(ReadOptions::default().models(empty.path())), ReadErrorKind::Models);
        let taught = without_networks().deck(Arc::new(Deck::invented(31)));
        assert_eq!(of_options(taught), ReadErrorKind::Options);
    }
}
