//! Decodes a file into a [`Frame`]: upright, 8-bit RGB. A file that cannot be read is refused with
//! a reason.
//!
//! The decoder recognises the format by the content, not by the file's name. It reduces 16-bit
//! samples to 8 bits, converts grey and CMYK to RGB, and lays transparent pixels on white, as a
//! browser does. It applies no embedded colour profile.

mod budget;
mod error;
mod heif;
mod jpeg;
mod list;
mod rgb;
mod tags;

pub use error::{
    MAX_FILE_BYTES, MAX_PIXELS, MAX_REDUCED_PIXELS, MAX_SIDES, MIN_SIDE_PX, SourceError, check_size,
};
pub use heif::INSTALL as INSTALL_FFMPEG;

pub use budget::{MemoryBudget, Reservation};
pub use jpeg::{mended as mended_jpeg, segments as jpeg_segments};
pub use list::{
    ListError, PHOTO_EXTENSIONS, files_below, list_photos, natural_order, skipped_kinds,
};
pub use rgb::{stored_from_upright, turn_upright, upright_from_stored};

use crate::{Frame, geometry::Point};
use budget::{Budget, READING_BYTES};
use error::{reduction, reduction_to_read};
use heif::Heif;
use image::{
    ColorType, DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, RgbImage,
    metadata::Orientation,
};
use jpeg::Layout;
use rgb::{decode_png, into_rgb_on_white};
use setsight_files::small_file::is_device;
use std::borrow::Cow;
use std::io::{Cursor, ErrorKind, Read};
use std::sync::{Arc, atomic::AtomicBool};
use std::{fs::File, path::Path};

/// Memory for a picture's colour profile, comments and other metadata.
const MAX_HEADER_BYTES: u64 = 16 << 20;

/// A decoded photo, and how its file stores it.
#[derive(Clone, Debug)]
pub struct Photo {
    /// The upright picture.
    pub frame: Frame,
    /// The EXIF orientation that was applied.
    pub orientation: Orientation,
    /// Width in pixels as stored, before the orientation was applied.
    pub stored_width: u32,
    /// Height in pixels as stored, before the orientation was applied.
    pub stored_height: u32,
    /// Pixels of the file per pixel of the picture in each direction: 1, but 2, 4 or 8 of a JPEG or
    /// a HEIC in tiles that is larger than any stage needs, and of one that is decoded to be read.
    pub reduced: u32,
    /// The file of a picture that is smaller than [`load_photo`] makes it: a complete and undamaged JPEG.
    pub file: Option<Arc<Vec<u8>>>,
    /// Whether the file ends before the picture does, so that its lower edge may be missing.
    pub is_cut_off: bool,
    /// The first row of pixels, as stored, that may be wrong because the file's data are damaged or missing.
    pub damaged_from: Option<u32>,
}

impl Photo {
    /// A picture that is no file's, as it is.
    pub fn of_picture(frame: Frame) -> Self {
        let (stored_width, stored_height) = frame.dimensions();
        let orientation = Orientation::NoTransforms;
        Self {
            frame,
            orientation,
            stored_width,
            stored_height,
            reduced: 1,
            file: None,
            is_cut_off: false,
            damaged_from: None,
        }
    }

    /// The same photo with twice as many pixels each way; `None` if it has no more.
    pub fn decode_larger(&self) -> Option<Self> {
        let file = self.file.as_ref()?;
        let stop = AtomicBool::new(false);
        let budget = Budget::new(pixel_count(self.stored_width, self.stored_height), &stop);
        let scales = (self.reduced / 2, self.least_reduced());
        let (image, reduced) = jpeg::decode_again(file, scales, &budget)?;
        let frame = turn_upright(image, self.orientation);
        Some(Self { frame, reduced, file: None, ..*self }.with_file(|| Arc::clone(file)))
    }

    /// The photo at full resolution, as [`load_photo`] gives it; `None` if this is it.
    pub fn decode_full(&self) -> Option<Self> {
        self.file.as_ref().and_then(|file| decode(file).ok())
    }

    /// The photo without its picture, and the picture.
    pub fn into_parts(self) -> (Self, Frame) {
        let Self { frame, .. } = self;
        (Self { frame: Frame::default(), ..self }, frame)
    }

    /// The photo at full resolution, without its picture.
    pub fn without_reduction(&self) -> Self {
        let reduced = self.least_reduced();
        Self { frame: Frame::default(), file: None, reduced, ..*self }
    }

    /// Width and height of its picture.
    pub fn picture_px(&self) -> (u32, u32) {
        let (width, height) = self.upright_px();
        (width.div_ceil(self.reduced), height.div_ceil(self.reduced))
    }

    /// With its file, if that has more pixels than are here.
    fn with_file(mut self, file: impl FnOnce() -> Arc<Vec<u8>>) -> Self {
        self.file = (self.reduced > self.least_reduced()).then(file);
        self
    }

    /// What [`Self::reduced`] is at full resolution.
    fn least_reduced(&self) -> u32 {
        reduction(self.stored_width, self.stored_height)
    }

    /// How places in the picture become such in the upright photo, in the file's own pixels. A side that is no
    /// multiple of [`Self::reduced`] ends within the last pixel, which a turn may make the first.
    pub fn file_from_picture(&self) -> impl Fn(Point) -> Point + Copy {
        let (by, orientation) = (self.reduced, self.orientation);
        let (width, height) = (self.stored_width, self.stored_height);
        let back = stored_from_upright(orientation, width.div_ceil(by), height.div_ceil(by));
        let turn = upright_from_stored(orientation, width, height);
        move |p| turn(back(p) * f64::from(by))
    }

    /// The way back.
    pub fn picture_from_file(&self) -> impl Fn(Point) -> Point + Copy {
        let (by, orientation) = (self.reduced, self.orientation);
        let (width, height) = (self.stored_width, self.stored_height);
        let back = stored_from_upright(orientation, width, height);
        let turn = upright_from_stored(orientation, width.div_ceil(by), height.div_ceil(by));
        move |p| turn(back(p) / f64::from(by))
    }

    /// Whether something at these places, in the upright photo in the file's own pixels, may be other than what the
    /// camera saw, because the file's data are damaged there.
    pub fn is_damaged_at(&self, places: &[Point]) -> bool {
        /// A block that is damaged shows in its neighbours, where chroma has fewer samples.
        const NEAR_PX: f64 = 8.0;
        let stored = stored_from_upright(self.orientation, self.stored_width, self.stored_height);
        self.damaged_from
            .is_some_and(|row| places.iter().any(|&p| stored(p).y + NEAR_PX >= f64::from(row)))
    }

    /// Width and height of the upright picture in the file's own pixels.
    pub fn upright_px(&self) -> (u32, u32) {
        let (width, height) = (self.stored_width, self.stored_height);
        Stored { width, height, orientation: self.orientation }.upright_px()
    }
}

/// How a file stores its picture. HEIC and AVIF count as stored upright, because their container
/// gives size and rotation together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stored {
    /// Width in pixels as stored, before the orientation is applied.
    pub width: u32,
    /// Height in pixels as stored, before the orientation is applied.
    pub height: u32,
    /// The EXIF orientation that makes it upright.
    pub orientation: Orientation,
}

impl Stored {
    /// How many times smaller a picture of this size and format is decoded in each direction.
    fn reduction(&self, format: ImageFormat) -> u32 {
        if format == ImageFormat::Jpeg { reduction(self.width, self.height) } else { 1 }
    }

    /// A photo of this picture, which is yet to be turned.
    fn photo(&self, image: RgbImage, reduced: u32, is_cut_off: bool) -> Photo {
        Photo {
            frame: turn_upright(image, self.orientation),
            orientation: self.orientation,
            stored_width: self.width,
            stored_height: self.height,
            reduced,
            file: None,
            is_cut_off,
            damaged_from: None,
        }
    }

    /// Width and height of the upright picture, in pixels.
    pub fn upright_px(&self) -> (u32, u32) {
        use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
        match self.orientation {
            Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH => (self.height, self.width),
            _ => (self.width, self.height),
        }
    }
}

/// Reads a photo and turns it upright.
///
/// # Errors
/// See [`SourceError`].
pub fn load(path: &Path) -> Result<Frame, SourceError> {
    load_photo(path).map(|photo| photo.frame)
}

/// Reads a photo, turns it upright, and returns how it was stored.
///
/// # Errors
/// See [`SourceError`].
pub fn load_photo(path: &Path) -> Result<Photo, SourceError> {
    decode(&bytes_of(path)?)
}

/// Reads a photo to be read: a large one as small as most boards need, see [`Photo::decode_larger`].
///
/// # Errors
/// See [`SourceError`].
pub fn load_to_read(path: &Path) -> Result<Photo, SourceError> {
    let bytes = bytes_of(path)?;
    let photo = decode_at(&bytes, to_read, &AtomicBool::new(false), |_| Vec::new())?;
    Ok(photo.with_file(|| Arc::new(bytes)))
}

/// The same to the end of an input that is no file, such as a pipe.
///
/// # Errors
/// See [`SourceError`].
pub fn read(input: impl Read) -> Result<Photo, SourceError> {
    let mut bytes = Vec::new();
    let most = MAX_FILE_BYTES + 1;
    input.take(most).read_to_end(&mut bytes).map_err(SourceError::Unreadable)?;
    if bytes.len() as u64 == most {
        return Err(SourceError::TooManyBytes { bytes: most });
    }
    decode_to_read(&bytes, &AtomicBool::new(false))
}

impl MemoryBudget {
    /// Reads a photo to be read, upright, once there is room for all of it and for so many `copies` of its size that
    /// the caller will make. What needs more than there is at all is read when nobody else holds any.
    ///
    /// # Errors
    /// [`SourceError`], with the reason.
    pub fn load(&self, path: &Path, copies: u64) -> Result<(Photo, Reservation<'_>), SourceError> {
        let length = path.metadata().map_or(0, |metadata| metadata.len());
        let mut reservation = self.take(length + READING_BYTES);
        let mut bytes = bytes_of(path)?;
        let (pixels, decoding) = decoding_bytes(&bytes)?;
        let needed = length + READING_BYTES + decoding.max(3 * pixels * (1 + copies));
        if !reservation.try_grow(needed) {
            // Who waits holds nothing: else two could wait for each other.
            drop((bytes, reservation));
            reservation = self.take(needed);
            bytes = bytes_of(path)?;
        }
        let stop = AtomicBool::new(false);
        let photo = decode_at(&bytes, to_read, &stop, |length| self.spare(length))?;
        Ok((photo.with_file(|| Arc::new(bytes)), reservation))
    }
}

/// How a photo's file stores it; decodes only the header.
///
/// # Errors
/// See [`SourceError`].
pub fn measure(path: &Path) -> Result<Stored, SourceError> {
    let bytes = bytes_of(path)?;
    let bytes = mended(&bytes);
    match Heif::open(&bytes)? {
        Some(heif) => {
            let (width, height) = heif.upright_px()?;
            Ok(Stored { width, height, orientation: Orientation::NoTransforms })
        }
        None => open(&bytes).map(|(_, stored, ..)| stored),
    }
}

/// The bytes of a photo's file.
///
/// # Errors
/// [`SourceError`]: it cannot be read, is no ordinary file, or is too large.
pub fn bytes_of(path: &Path) -> Result<Vec<u8>, SourceError> {
    // Check before opening: opening a pipe would wait for its other end.
    if is_device(path) {
        return Err(SourceError::NotAFile);
    }
    let metadata = std::fs::metadata(path).map_err(SourceError::Unreadable)?;
    if !metadata.is_file() {
        return Err(SourceError::NotAFile);
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(SourceError::TooManyBytes { bytes: metadata.len() });
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    let file = File::open(path).map_err(SourceError::Unreadable)?;
    // Files under /proc claim 0 bytes and may be endless.
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(SourceError::Unreadable)?;
    Ok(bytes)
}

/// Decodes a photo from its file's bytes.
///
/// # Errors
/// See [`SourceError`].
pub fn decode(bytes: &[u8]) -> Result<Photo, SourceError> {
    decode_until(bytes, &AtomicBool::new(false))
}

/// Decodes a photo from its file's bytes, unless `stop` is set before it is done.
///
/// # Errors
/// See [`SourceError`]; [`ErrorKind::Interrupted`] if it was stopped.
pub fn decode_until(bytes: &[u8], stop: &AtomicBool) -> Result<Photo, SourceError> {
    decode_at(bytes, |_| 1, stop, |_| Vec::new())
}

/// Decodes a photo from its file's bytes to be read, as [`load_to_read`] does, unless `stop` is set before it is
/// done.
///
/// # Errors
/// See [`decode_until`].
pub fn decode_to_read(bytes: &[u8], stop: &AtomicBool) -> Result<Photo, SourceError> {
    let photo = decode_at(bytes, to_read, stop, |_| Vec::new())?;
    Ok(photo.with_file(|| Arc::new(bytes.to_vec())))
}

/// How many times smaller a photo is decoded to be read, if it can be.
fn to_read(stored: &Stored) -> u32 {
    reduction_to_read(stored.width, stored.height)
}

/// Decodes a photo, so many times smaller as is wished where that is fast, in memory that `spare` may have of at
/// least so many bytes.
fn decode_at(
    bytes: &[u8],
    wished: impl FnOnce(&Stored) -> u32,
    stop: &AtomicBool,
    spare: impl FnOnce(usize) -> Vec<u8>,
) -> Result<Photo, SourceError> {
    if let Some(heif) = Heif::open(bytes)? {
        let frame = heif.decode(&Budget::new(heif.pixels()?, stop))?;
        let reduced = heif.reduction();
        let (stored_width, stored_height) =
            if reduced > 1 { heif.upright_px()? } else { frame.dimensions() };
        let stored = Stored {
            width: stored_width,
            height: stored_height,
            orientation: Orientation::NoTransforms,
        };
        return Ok(stored.photo(frame, reduced, false));
    }
    let bytes = &*mended(bytes);
    let (decoder, stored, format, name) = open(bytes)?;
    let reduced = stored.reduction(format);
    let is_unusual = format == ImageFormat::Jpeg && Layout::detect(bytes)? == Layout::Unusual;
    let budget = Budget::new(pixel_count(stored.width, stored.height), stop);
    budget.check()?;
    let wished = wished(&stored).max(reduced);
    if format == ImageFormat::Jpeg && wished > 1 {
        if let Some(image) = jpeg::decode_scaled(bytes, wished, &budget) {
            return Ok(stored.photo(image, wished, false));
        }
        budget.check()?;
    }
    let image = match format {
        ImageFormat::Png => {
            drop(decoder);
            decode_png(bytes)
        }
        ImageFormat::Jpeg if reduced > 1 || is_unusual => {
            drop(decoder);
            jpeg::decode_reduced(bytes, reduced, &budget).map(Some)
        }
        ImageFormat::Jpeg if decoder.color_type() == ColorType::Rgb8 => {
            rgb_of(decoder, spare).map(Some)
        }
        _ => DynamicImage::from_decoder(decoder).map(|image| match image {
            // Windows programs leave the fourth byte of a pixel at 0 and say that it is alpha.
            _ if format == ImageFormat::Bmp && !rgb::shows(&image) => Some(image.into_rgb8()),
            _ => into_rgb_on_white(image),
        }),
    };
    budget.check()?;
    let image = image.map_err(|error| explain(name, bytes, error))?;
    let image = image.ok_or(SourceError::Transparent)?;
    let ends = format != ImageFormat::Jpeg
        || jpeg::is_complete(
            bytes,
            &image,
            (stored.width, stored.height),
            reduced > 1 || is_unusual,
        );
    if !ends && jpeg::is_cut_off(bytes, &image) {
        return Err(SourceError::Truncated { format: name });
    }
    let damaged_from = if format == ImageFormat::Jpeg { jpeg::damaged_from(bytes) } else { None };
    Ok(Photo { damaged_from, ..stored.photo(image, reduced, !ends) })
}

/// Decodes a picture that is 8-bit RGB.
fn rgb_of(
    decoder: impl ImageDecoder,
    spare: impl FnOnce(usize) -> Vec<u8>,
) -> Result<RgbImage, ImageError> {
    let (width, height) = decoder.dimensions();
    let length = 3 * width as usize * height as usize;
    let mut rgb = spare(length);
    if rgb.capacity() < length {
        rgb = vec![0; length];
    } else {
        // Where the file ends early, nothing of another photo may show.
        rgb.clear();
        rgb.resize(length, 0);
    }
    decoder.read_image(&mut rgb)?;
    Ok(RgbImage::from_raw(width, height, rgb).expect("three bytes a pixel"))
}

/// The pixels of a photo, and the most bytes that decoding it takes beside its file.
fn decoding_bytes(bytes: &[u8]) -> Result<(u64, u64), SourceError> {
    if let Some(heif) = Heif::open(bytes)? {
        return heif.decoding_bytes();
    }
    let bytes = &*mended(bytes);
    let (decoder, stored, format, _) = open(bytes)?;
    let in_file = pixel_count(stored.width, stored.height);
    let reduced = stored.reduction(format);
    let pixel_count = pixel_count(stored.width.div_ceil(reduced), stored.height.div_ceil(reduced));
    let rgb = 3 * pixel_count;
    let turned = if stored.orientation == Orientation::NoTransforms { 0 } else { rgb };
    let decoding = match format {
        // The result alone, or with it an interlaced picture of another kind, of four bytes a pixel at most.
        ImageFormat::Png => {
            let is_rgb = matches!(decoder.color_type(), ColorType::Rgb8 | ColorType::Rgb16);
            let is_interlaced = bytes.get(28) == Some(&1);
            if is_interlaced && !is_rgb { 4 * pixel_count + rgb } else { rgb }
        }
        // What a progressive one says comes in several passes, of 16 bits each, that are kept.
        ImageFormat::Jpeg if jpeg::is_progressive(bytes) => 2 * 3 * in_file + rgb,
        // The planes of its components, or its data without markers, beside the result.
        ImageFormat::Jpeg if reduced > 1 => rgb + rgb.max(bytes.len() as u64),
        _ if decoder.color_type() == ColorType::Rgb8 => rgb,
        // The picture as it was, with alpha also as 8-bit RGBA, and the result.
        _ if decoder.color_type().has_alpha() => decoder.total_bytes() + 4 * pixel_count + rgb,
        _ => decoder.total_bytes() + rgb,
    };
    Ok((pixel_count, decoding.max(rgb + turned)))
}

fn pixel_count(width: u32, height: u32) -> u64 {
    u64::from(width) * u64::from(height)
}

/// A file as the decoders want it, see [`mended_jpeg`]; of a TIFF of several pictures they take the first.
fn mended(bytes: &[u8]) -> Cow<'_, [u8]> {
    match jpeg::mended(bytes) {
        Cow::Borrowed(bytes) => tags::at_picture(bytes),
        mended => mended,
    }
}

/// A picture before its pixels are decoded: decoder, size and turn, format and its name.
fn open(
    bytes: &[u8],
) -> Result<(impl ImageDecoder, Stored, ImageFormat, &'static str), SourceError> {
    if bytes.is_empty() {
        return Err(SourceError::Empty);
    }
    let (format, name) = format_of(bytes)?;
    let fail = |error| explain(name, bytes, error);
    if format == ImageFormat::WebP && bytes.len() < webp_length(bytes) {
        return Err(SourceError::Truncated { format: name });
    }
    if format == ImageFormat::Tiff && tags::has_tiled_planes(bytes) {
        return Err(SourceError::OtherFormat { format: tags::kind_of(bytes) });
    }
    let header = match format {
        ImageFormat::Jpeg if Layout::detect(bytes)? == Layout::Unusual => jpeg::usual_header(bytes),
        _ => Cow::Borrowed(bytes),
    };
    let mut reader = ImageReader::with_format(Cursor::new(header), format);
    // Limit for the data before the pixels: a colour profile of some kilobytes may unpack to
    // gigabytes.
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_HEADER_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(fail)?;
    let (width, height) = decoder.dimensions();
    match format {
        ImageFormat::Jpeg => jpeg::check(width, height, bytes)?,
        _ => check_size(width, height)?,
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_FILE_BYTES);
    decoder.set_limits(limits).map_err(fail)?;
    // If the EXIF block is damaged, the photo is read without its orientation.
    let orientation = tags::orientation(bytes, format)
        .or_else(|| decoder.orientation().ok())
        .unwrap_or(Orientation::NoTransforms);
    Ok((decoder, Stored { width, height, orientation }, format, name))
}

/// Recognises the format by the first bytes.
fn format_of(bytes: &[u8]) -> Result<(ImageFormat, &'static str), SourceError> {
    Ok(match image::guess_format(bytes) {
        Ok(ImageFormat::Jpeg) => (ImageFormat::Jpeg, "JPEG"),
        Ok(ImageFormat::Png) => (ImageFormat::Png, "PNG"),
        Ok(ImageFormat::WebP) => (ImageFormat::WebP, "WebP"),
        Ok(ImageFormat::Bmp) => (ImageFormat::Bmp, "BMP"),
        Ok(ImageFormat::Tiff) => (ImageFormat::Tiff, "TIFF"),
        // The decoder of TIFF reads that of more than four gigabytes, too.
        _ if bytes.starts_with(b"II+\0") || bytes.starts_with(b"MM\0+") => {
            (ImageFormat::Tiff, "TIFF")
        }
        _ if let Some(format) = unread_format(bytes) => {
            return Err(SourceError::OtherFormat { format });
        }
        _ => {
            let start = String::from_utf8_lossy(&bytes[..bytes.len().min(16)]).into_owned();
            return Err(SourceError::NotAPicture { start: format!("{start:?}") });
        }
    })
}

/// The name of a format that is known and not read.
fn unread_format(bytes: &[u8]) -> Option<&'static str> {
    const STARTS: [(&[u8], &str); 7] = [
        (b"GIF8", "GIF"),
        (b"\xff\x0a", "JPEG XL"),
        (b"\0\0\0\x0cJXL ", "JPEG XL"),
        (b"\0\0\0\x0cjP  ", "JPEG 2000"),
        (b"\xff\x4f\xff\x51", "JPEG 2000"),
        (b"II\xbc\x01", "JPEG XR"),
        (b"8BPS", "Photoshop"),
    ];
    STARTS.iter().find(|(start, _)| bytes.starts_with(start)).map(|&(_, format)| format)
}

/// Converts a decoder's error.
fn explain(format: &'static str, bytes: &[u8], error: ImageError) -> SourceError {
    if format == "TIFF" && matches!(error, ImageError::Unsupported(_)) {
        return SourceError::OtherFormat { format: tags::kind_of(bytes) };
    }
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(e) = cause {
        let io = e.downcast_ref::<std::io::Error>();
        if io.is_some_and(|e| e.kind() == ErrorKind::UnexpectedEof) {
            return SourceError::Truncated { format };
        }
        cause = e.source();
    }
    let reason = error.to_string();
    // Decoders with error types of their own describe truncation only in words.
    let words =
        ["unexpected end", "unexpected eof", "premature end", "exhausted data", "fill whole"];
    let lower = reason.to_lowercase();
    if words.iter().any(|word| lower.contains(word)) {
        return SourceError::Truncated { format };
    }
    SourceError::Corrupt { format, reason }
}

/// The length that a WebP file states, in bytes (RIFF: 8 bytes, then the content).
fn webp_length(bytes: &[u8]) -> usize {
    let length = bytes.get(4..8).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
    (length as usize).saturating_add(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{ImageBuffer, Luma, Rgb, Rgba, RgbaImage};

    fn bytes_of(image: DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        image.write_to(&mut out, format).unwrap();
        out.into_inner()
    }

    /// A smooth picture in which every pixel differs from its neighbours; it survives JPEG
    /// compression.
    fn slope() -> RgbImage {
        RgbImage::from_fn(96, 64, |x, y| Rgb([(2 * x) as u8, (3 * y) as u8, 128]))
    }

    #[test]
    fn every_format_is_recognised_by_its_content() {
        use ImageFormat::*;
        for format in [Jpeg, Png, WebP, Bmp, Tiff] {
            let photo = decode(&bytes_of(slope().into(), format)).unwrap();
            assert_eq!(photo.frame.dimensions(), (96, 64), "{format:?}");
            let worst = photo.frame.iter().zip(slope().iter()).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(worst.unwrap() <= if format == Jpeg { 12 } else { 0 }, "{format:?}: {worst:?}");
        }
    }

    #[test]
    fn deep_grey_and_transparent_pictures_become_rgb() {
        let deep = ImageBuffer::from_pixel(40, 40, Rgb([0xffffu16, 0x8080, 0]));
        let photo = decode(&bytes_of(DynamicImage::ImageRgb16(deep), ImageFormat::Png)).unwrap();
        assert_eq!(photo.frame[(20, 20)], Rgb([255, 128, 0]));
        let grey = ImageBuffer::from_pixel(40, 40, Luma([77u8]));
        let photo = decode(&bytes_of(DynamicImage::ImageLuma8(grey), ImageFormat::Jpeg)).unwrap();
        assert_eq!(photo.frame[(20, 20)], Rgb([77, 77, 77]));
        let glass = ImageBuffer::from_pixel(40, 40, Rgba([255u8, 0, 0, 128]));
        let photo = decode(&bytes_of(DynamicImage::ImageRgba8(glass), ImageFormat::Png)).unwrap();
        assert_eq!(photo.frame[(20, 20)], Rgb([255, 127, 127]));
    }

    #[test]
    fn full_transparency_is_refused_except_in_a_bmp_that_has_none() {
        use ImageFormat::{Bmp, Png, Tiff, WebP};
        let clear = RgbaImage::from_fn(40, 30, |x, y| Rgba([6 * x as u8, 8 * y as u8, 77, 0]));
        let mut one = clear.clone();
        one[(7, 7)].0[3] = 255;
        let deep = DynamicImage::ImageRgba8(clear.clone()).into_rgba16();
        let grey = DynamicImage::ImageRgba8(clear.clone()).into_luma_alpha8();
        for (image, format, is_refused) in [
            (DynamicImage::from(clear.clone()), Png, true),
            (clear.clone().into(), WebP, true),
            (clear.clone().into(), Tiff, true),
            (clear.clone().into(), Bmp, false),
            (deep.into(), Png, true),
            (grey.into(), Png, true),
            (one.clone().into(), Png, false),
            (one.clone().into(), WebP, false),
            (one.into(), Bmp, false),
        ] {
            let read = decode(&bytes_of(image, format));
            let is_error = matches!(read, Err(SourceError::Transparent));
            assert_eq!(is_error, is_refused, "{format:?}: {read:?}");
        }
        let photo = decode(&bytes_of(clear.into(), Bmp)).unwrap();
        assert_eq!(photo.frame[(20, 20)], Rgb([120, 160, 77]));
    }

    #[test]
    fn cut_files_are_called_cut() {
        use ImageFormat::*;
        for format in [Jpeg, Png, WebP, Bmp, Tiff] {
            let bytes = bytes_of(slope().into(), format);
            let result = decode(&bytes[..bytes.len() / 2]);
            assert!(matches!(result, Err(SourceError::Truncated { .. })), "{format:?}: {result:?}");
        }
    }

    #[test]
    fn a_jpeg_that_lacks_only_its_end_marker_is_read() {
        let bytes = bytes_of(slope().into(), ImageFormat::Jpeg);
        assert!(decode(&bytes[..bytes.len() - 2]).unwrap().is_cut_off);
        assert!(!decode(&bytes).unwrap().is_cut_off);
    }

    #[test]
    fn what_is_no_photo_is_refused_with_the_reason() {
        assert_refused(b"", "empty (0 bytes)");
        assert_refused(b"Dear diary, today", "starts with \"Dear diary, toda");
        for (start, name) in [
            (&b"GIF89a......"[..], "GIF picture"),
            (b"\xff\x0a\xf8\xbe\x01", "JPEG XL picture"),
            (b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL picture"),
            (b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000 picture"),
            (b"II\xbc\x01 \0\0\0", "JPEG XR picture"),
            (b"8BPS\0\x01", "Photoshop picture"),
        ] {
            assert_refused(start, name);
            assert_refused(start, "convert it to JPEG or PNG");
        }
        assert_refused(b"\0\0\0\x18ftypheic\0\0\0\0", "cut off: the HEIC data");
        assert_refused(
            &bytes_of(RgbImage::new(1, 1).into(), ImageFormat::Png),
            "1x1 pixels, too small",
        );
        assert!(matches!(load(Path::new("/")), Err(SourceError::NotAFile)));
        assert!(matches!(load(Path::new("/no/such")), Err(SourceError::Unreadable(_))));
    }

    fn assert_refused(bytes: &[u8], part: &str) {
        let message = decode(bytes).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }

    #[test]
    fn a_huge_picture_is_refused_before_it_is_decoded() {
        // Only the header of a BMP: 10,000 x 10,000 in 24 bits.
        let mut header = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
        header.extend(10_000u32.to_le_bytes());
        header.extend(10_000u32.to_le_bytes());
        header.extend([1, 0, 24, 0]);
        header.extend([0; 24]);
        let message = decode(&header).unwrap_err().to_string();
        assert!(message.contains("10000x10000, 100 megapixels; at most 64"), "{message}");
    }
}
