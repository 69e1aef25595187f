//! HEIC and AVIF, the formats of phone photos: ISO/IEC 23008-12, a container of items and their
//! properties, around HEVC (HEIC) or AV1 (AVIF).
//!
//! HEVC is decoded in safe Rust (`heifer`), tile by tile where the photo is a grid of them
//! ([`grid`]). The container's properties (`irot`, `imir`, `clap`) say how to turn and crop the
//! picture. The EXIF orientation, which most files repeat, must be ignored.
//!
//! AV1 is decoded by the program `ffmpeg`, which films need anyway. AVIF photos are rare, and an AV1
//! decoder would be larger than the rest of this program.

mod grid;
#[cfg(test)]
mod tests;

use super::budget::Budget;
use super::error::{MAX_PIXELS, SourceError, check_size};
use super::rgb::{rgba_on_white, turn_upright};
use grid::Grid;
use heifer::heifer_isobmff::{self, BoxIter, HeifFile, ItemId, RawBox, boxes::Property};
use image::{RgbImage, imageops::crop_imm, metadata::Orientation};
use setsight_files::programs::in_background;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::{collections::HashMap, process::Stdio, time::Duration};

/// Most bytes that list a file's items. The library looks each item up among all, so that its time
/// grows with the square of their number; the largest photo in the usual tiles takes 120 KB.
const MAX_INDEX_BYTES: usize = 512 << 10;

/// Most turns and crops of a picture, each of which copies it. One of each kind is allowed (ISO/IEC 23000-22,
/// 7.3.6.7).
const MAX_TURNS: usize = 6;
/// Most pixels of all pictures that are decoded for one: twice the largest, in tiles and joined, with its plane of
/// transparency.
const MAX_DECODED_PIXELS: u64 = 4 * MAX_PIXELS;

/// A picture before its pixels are decoded.
pub(super) struct Heif<'a> {
    bytes: &'a [u8],
    file: HeifFile<'a>,
    codec: Codec,
    /// The tiles of HEVC that it is joined of, if it is.
    grid: Option<Grid>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Codec {
    Hevc,
    Av1,
}

impl Codec {
    const fn format(self) -> &'static str {
        match self {
            Self::Hevc => "HEIC",
            Self::Av1 => "AVIF",
        }
    }
}

impl<'a> Heif<'a> {
    /// Parses a file; `None` if it is of another kind. The picture's size is then within the
    /// limits, and its data are complete.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Option<Self>, SourceError> {
        let Some(brand) = bytes.get(4..12).and_then(|b| b.strip_prefix(b"ftyp")) else {
            return Ok(None);
        };
        // Films have brands too, but with other names.
        let format = match brand {
            b"avif" | b"avis" => "AVIF",
            b"heic" | b"heix" | b"hevc" | b"hevx" | b"heim" | b"heis" | b"mif1" | b"mif2"
            | b"msf1" | b"miaf" => "HEIC",
            _ => return Ok(None),
        };
        let index = index_bytes(bytes);
        if index > MAX_INDEX_BYTES {
            let reason = format!(
                "the list of its items has {index} bytes; expected at most {MAX_INDEX_BYTES}"
            );
            return Err(SourceError::Corrupt { format, reason });
        }
        let file = HeifFile::parse(bytes).map_err(|error| unreadable(format, error))?;
        let codec = codec(&file)?;
        let grid = if codec == Codec::Hevc { Grid::open(&file)? } else { None };
        let heif = Self { bytes, file, codec, grid };
        heif.check().map(|()| Some(heif))
    }

    /// Width and height of the upright picture, in pixels of the file.
    pub(super) fn upright_px(&self) -> Result<(u32, u32), SourceError> {
        let mut size = self.stored_px()?;
        for property in self.properties(self.file.primary_id)? {
            match property {
                Property::Rotation(1 | 3) => size = (size.1, size.0),
                Property::CleanAperture { .. } => {
                    if let Some((_, _, width, height)) = aperture(property, size) {
                        size = (width, height);
                    }
                }
                _ => {}
            }
        }
        Ok(size)
    }

    /// How many times smaller [`Self::decode`] makes it in each direction.
    pub(super) fn reduction(&self) -> u32 {
        self.grid.as_ref().map_or(1, Grid::reduction)
    }

    /// The pixels of the picture that [`Self::decode`] returns, and the most bytes that it takes.
    pub(super) fn decoding_bytes(&self) -> Result<(u64, u64), SourceError> {
        let (by, size) = (self.reduction(), self.stored_px()?);
        let pixels = u64::from(size.0.div_ceil(by)) * u64::from(size.1.div_ceil(by));
        let bytes = match &self.grid {
            // The result beside its tiles, then beside itself turned.
            Some(grid) => 3 * pixels + grid.working_bytes().max(3 * pixels),
            // Planes of what may be 16 bits, RGBA of them, RGB of that.
            None => 10 * pixels,
        };
        Ok((pixels, bytes))
    }

    /// The pixels of the picture in the file.
    pub(super) fn pixels(&self) -> Result<u64, SourceError> {
        let (width, height) = self.stored_px()?;
        Ok(u64::from(width) * u64::from(height))
    }

    /// Decodes the picture and turns it upright.
    pub(super) fn decode(&self, budget: &Budget<'_>) -> Result<RgbImage, SourceError> {
        budget.check()?;
        match (&self.grid, self.codec) {
            (Some(grid), _) => self.turned(grid.decode(&self.file, self.reduction(), budget)?),
            (None, Codec::Hevc) => self.decode_hevc(),
            (None, Codec::Av1) => self.turned(self.decode_av1()?),
        }
    }

    /// Refuses a file if an item that may be decoded is too large or turned too often, or if data are missing.
    fn check(&self) -> Result<(), SourceError> {
        for item in &self.file.items {
            // Not by its number, by which the library looks it up among all.
            let kinds =
                item.properties.iter().filter_map(|one| usize::from(one.index).checked_sub(1));
            let turns =
                kinds.filter(|&kind| self.file.properties.get(kind).is_some_and(is_turn)).count();
            if turns > MAX_TURNS {
                return Err(self.corrupt(format!(
                    "a picture in it is turned and cropped {turns} times; expected at most {MAX_TURNS}"
                )));
            }
        }
        if self.grid.is_some() {
            // It was looked at with its tiles, and nothing else of the file is decoded.
            return Ok(());
        }
        for item in &self.file.items {
            if let Ok(Some((width, height))) = self.file.image_size(item.id) {
                let pixels = u64::from(width) * u64::from(height);
                if pixels > MAX_PIXELS {
                    return Err(SourceError::TooLarge { width, height });
                }
            }
        }
        let (width, height) = self.size(self.file.primary_id)?;
        check_size(width, height)?;
        if self.decoded_pixels(self.file.primary_id, &mut HashMap::new()) > MAX_DECODED_PIXELS {
            let most = MAX_DECODED_PIXELS / 1_000_000;
            return Err(self.corrupt(format!(
                "the pictures that it is joined of have more than {most} megapixels together"
            )));
        }
        for &item in self.parts().iter().chain([&self.file.primary_id]) {
            self.file.item_data(item).map_err(|error| self.unreadable(error))?;
        }
        Ok(())
    }

    /// The pixels that are decoded for an item, with those that it is joined of, each as often as it is named.
    fn decoded_pixels(&self, item: ItemId, counted: &mut HashMap<ItemId, u64>) -> u64 {
        if let Some(&pixels) = counted.get(&item) {
            return pixels;
        }
        // What is joined of itself is never done.
        counted.insert(item, u64::MAX);
        let item_pixels =
            self.size(item).map_or(0, |(width, height)| u64::from(width) * u64::from(height));
        let parts = self.file.referenced_items(item, b"dimg").iter();
        let pixels = parts
            .fold(item_pixels, |sum, &part| sum.saturating_add(self.decoded_pixels(part, counted)));
        counted.insert(item, pixels);
        pixels
    }

    fn decode_hevc(&self) -> Result<RgbImage, SourceError> {
        let options = heifer::Options { max_threads: 0, max_pixels: MAX_PIXELS };
        let decoded = heifer::decode_rgba8(self.bytes, &options).map_err(|error| match error {
            heifer::Error::Container(error) => self.unreadable(error),
            heifer::Error::Hevc(heifer::heifer_hevc_dec::Error::UnexpectedEof) => {
                SourceError::Truncated { format: self.codec.format() }
            }
            error => self.corrupt(error),
        })?;
        Ok(rgba_on_white(decoded.width, decoded.height, &decoded.data))
    }

    /// Decodes the tiles and joins them. Transparency is ignored: AVIF stores it as a separate
    /// picture.
    fn decode_av1(&self) -> Result<RgbImage, SourceError> {
        let primary = self.file.primary_id;
        let parts = self.parts();
        let (tile_width, tile_height) = self.size(parts[0])?;
        let mut stream = Vec::new();
        for &part in parts {
            // Temporal delimiter, configuration and data (AV1 5.3, and its binding to ISOBMFF 2.3).
            stream.extend([0x12, 0]);
            let configuration = self.properties(part)?.find_map(|property| match property {
                Property::Unknown(kind, bytes) if kind.0 == *b"av1C" => bytes.get(4..),
                _ => None,
            });
            stream.extend(configuration.unwrap_or_default());
            let data = self.file.item_data(part).map_err(|error| self.unreadable(error))?;
            stream.extend_from_slice(&data);
        }
        let frames = decode(stream, (tile_width, tile_height), parts.len())?;
        Ok(match <[RgbImage; 1]>::try_from(frames) {
            Ok([image]) => image,
            Err(tiles) => {
                let grid = self.file.grid(primary).map_err(|error| self.corrupt(error))?;
                let columns = usize::from(grid.columns).max(1);
                let mut joined = RgbImage::new(grid.output_width, grid.output_height);
                for (i, tile) in tiles.iter().enumerate() {
                    let (column, row) = ((i % columns) as i64, (i / columns) as i64);
                    let (x, y) = (column * i64::from(tile_width), row * i64::from(tile_height));
                    image::imageops::replace(&mut joined, tile, x, y);
                }
                joined
            }
        })
    }

    /// Turns and crops a picture as the container's properties say.
    fn turned(&self, mut image: RgbImage) -> Result<RgbImage, SourceError> {
        let by = self.reduction();
        // Its size in pixels of the file, in which crops are given.
        let mut size =
            self.grid.as_ref().map_or(image.dimensions(), |grid| (grid.width, grid.height));
        for property in self.properties(self.file.primary_id)? {
            if let Property::Rotation(1 | 3) = property {
                size = (size.1, size.0);
            }
            image = match property {
                Property::Rotation(1) => turn_upright(image, Orientation::Rotate270),
                Property::Rotation(2) => turn_upright(image, Orientation::Rotate180),
                Property::Rotation(3) => turn_upright(image, Orientation::Rotate90),
                Property::Mirror(true) => turn_upright(image, Orientation::FlipVertical),
                Property::Mirror(false) => turn_upright(image, Orientation::FlipHorizontal),
                Property::CleanAperture { .. } => match aperture(property, size) {
                    Some((x, y, width, height)) => {
                        size = (width, height);
                        let (width, height) = (width.div_ceil(by), height.div_ceil(by));
                        crop_imm(&image, x / by, y / by, width, height).to_image()
                    }
                    None => image,
                },
                _ => image,
            };
        }
        Ok(image)
    }

    /// The coded pictures that the photo consists of: itself, or its tiles.
    fn parts(&self) -> &[ItemId] {
        match self.file.referenced_items(self.file.primary_id, b"dimg") {
            [] => std::slice::from_ref(&self.file.primary_id),
            parts => parts,
        }
    }

    /// Width and height in pixels, before the picture is turned or cropped.
    fn stored_px(&self) -> Result<(u32, u32), SourceError> {
        match &self.grid {
            Some(grid) => Ok((grid.width, grid.height)),
            None => self.size(self.file.primary_id),
        }
    }

    fn size(&self, item: ItemId) -> Result<(u32, u32), SourceError> {
        let size = self.file.image_size(item).map_err(|error| self.unreadable(error))?;
        size.ok_or_else(|| self.corrupt("it does not say its size (`ispe`)"))
    }

    fn properties(&self, item: ItemId) -> Result<impl Iterator<Item = &Property>, SourceError> {
        self.file.item_properties(item).map_err(|error| self.unreadable(error))
    }

    fn unreadable(&self, error: heifer_isobmff::Error) -> SourceError {
        unreadable(self.codec.format(), error)
    }

    fn corrupt(&self, reason: impl ToString) -> SourceError {
        SourceError::Corrupt { format: self.codec.format(), reason: reason.to_string() }
    }
}

/// Whether a property changes what all of the picture's pixels are.
fn is_turn(property: &Property) -> bool {
    matches!(property, Property::CleanAperture { .. } | Property::Rotation(_) | Property::Mirror(_))
}

/// How many bytes say which items a file has, where they are and what belongs to each.
fn index_bytes(bytes: &[u8]) -> usize {
    fn within(content: &[u8]) -> impl Iterator<Item = RawBox<'_>> {
        BoxIter::new(content).map_while(Result::ok)
    }
    let metas = within(bytes).filter(|part| part.header.box_type.0 == *b"meta");
    let parts = metas.flat_map(|meta| within(meta.content.get(4..).unwrap_or_default()));
    parts
        .map(|part| match &part.header.box_type.0 {
            b"iinf" | b"iloc" | b"iref" => part.content.len(),
            b"iprp" => {
                let lists = within(part.content).filter(|list| list.header.box_type.0 == *b"ipma");
                lists.map(|list| list.content.len()).sum()
            }
            _ => 0,
        })
        .sum()
}

/// The codec of the primary picture, or of its first tile.
fn codec(file: &HeifFile) -> Result<Codec, SourceError> {
    let mut item = file.primary_id;
    // A derived picture may refer to another derived one; no camera nests deeper than this.
    for _ in 0..4 {
        let Ok(kind) = file.item(item).map(|item| item.item_type.0) else { break };
        match &kind {
            b"hvc1" | b"hev1" => return Ok(Codec::Hevc),
            b"av01" => return Ok(Codec::Av1),
            b"jpeg" => return Err(SourceError::OtherFormat { format: "JPEG in HEIF" }),
            b"avc1" => return Err(SourceError::OtherFormat { format: "H.264 in HEIF" }),
            _ => match file.referenced_items(item, b"dimg") {
                [first, ..] => item = *first,
                [] => break,
            },
        }
    }
    Err(SourceError::OtherFormat { format: "HEIF of a rare kind" })
}

fn unreadable(format: &'static str, error: heifer_isobmff::Error) -> SourceError {
    match error {
        heifer_isobmff::Error::UnexpectedEof => SourceError::Truncated { format },
        error => SourceError::Corrupt { format, reason: error.to_string() },
    }
}

/// Left, top, width and height in pixels of the visible part (`clap`), rounded as the HEVC decoder
/// does; `None` if the property is another one or the part is empty.
fn aperture(property: &Property, (width, height): (u32, u32)) -> Option<(u32, u32, u32, u32)> {
    let &Property::CleanAperture { width: w, height: h, horiz_offset: x, vert_offset: y } =
        property
    else {
        return None;
    };
    let ((left, width), (top, height)) = (visible(w, x, width), visible(h, y, height));
    (width > 0 && height > 0).then_some((left, top, width, height))
}

/// Start and length of the visible part along a side of `length` pixels.
fn visible(size: (u32, u32), offset: (i32, u32), length: u32) -> (u32, u32) {
    let part = f64::from(size.0) / f64::from(size.1);
    let centre = f64::from(offset.0) / f64::from(offset.1) + (f64::from(length) - 1.0) / 2.0;
    let start = (centre - (part - 1.0) / 2.0).round().max(0.0) as u32;
    let start = start.min(length);
    (start, (part.round() as u32).min(length - start))
}

/// The program's name, searched for on the PATH.
const PROGRAM: &str = "ffmpeg";

/// How to install it.
pub const INSTALL: &str = "install it: sudo apt install ffmpeg (Debian, Ubuntu), sudo dnf install ffmpeg-free \
                           (Fedora), brew install ffmpeg (macOS), winget install ffmpeg (Windows)";

/// Time limit; the largest photo takes some seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Decodes a stream of `count` pictures of the given width and height in pixels (low overhead
/// bitstream format, AV1 5.2).
pub(super) fn decode(
    stream: Vec<u8>,
    (width, height): (u32, u32),
    count: usize,
) -> Result<Vec<RgbImage>, SourceError> {
    let mut command = in_background(PROGRAM);
    command.args(["-hide_banner", "-nostats", "-loglevel", "error", "-protocol_whitelist", "pipe"]);
    command.args(["-max_pixels", &MAX_PIXELS.to_string(), "-f", "obu", "-i", "pipe:0"]);
    command.args(["-fps_mode", "passthrough", "-pix_fmt", "rgb24", "-f", "rawvideo", "pipe:1"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| not_run(&error))?;
    let mut stdin = child.stdin.take().expect("it was asked for");
    // The thread ends when either end of the pipe closes.
    std::thread::spawn(move || stdin.write_all(&stream));
    let mut stderr = child.stderr.take().expect("it was asked for");
    let (heard, complaints) = channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let _ = stderr.by_ref().take(10_000).read_to_string(&mut text);
        let _ = heard.send(text);
    });
    let frame_bytes = 3 * width as usize * height as usize;
    let stdout = child.stdout.take().expect("it was asked for");
    let (done, pixels) = channel();
    std::thread::spawn(move || {
        let expected = frame_bytes * count;
        let mut bytes = Vec::with_capacity(expected + 1);
        // Read one byte more, to detect surplus data.
        let _ = stdout.take(expected as u64 + 1).read_to_end(&mut bytes);
        let _ = done.send((bytes.len() == expected).then_some(bytes));
    });
    let pixels = pixels.recv_timeout(PATIENCE);
    let _ = child.kill(); // It has ended already, or must be stopped.
    let _ = child.wait();
    match pixels {
        Ok(Some(bytes)) => Ok(bytes
            .chunks_exact(frame_bytes)
            .map(|frame| {
                RgbImage::from_raw(width, height, frame.to_vec()).expect("three bytes a pixel")
            })
            .collect()),
        Err(RecvTimeoutError::Timeout) => {
            Err(corrupt(format!("{PROGRAM} does not end, after {} s", PATIENCE.as_secs())))
        }
        Ok(None) | Err(RecvTimeoutError::Disconnected) => {
            let text = complaints.recv().unwrap_or_default();
            let words = text.lines().next().map(|line| line.rsplit("] ").next().unwrap_or(line));
            let words = words.unwrap_or("its pixels are fewer or more than it says");
            Err(corrupt(format!("{PROGRAM} says: {words}")))
        }
    }
}

/// Why the program does not begin. WebAssembly has none, so the page asks the browser.
fn not_run(error: &io::Error) -> SourceError {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::Unsupported => {
            SourceError::NoDecoder { format: "AVIF", program: PROGRAM, install: INSTALL }
        }
        _ => corrupt(format!("{PROGRAM} cannot be run: {error}")),
    }
}

fn corrupt(reason: String) -> SourceError {
    SourceError::Corrupt { format: "AVIF", reason }
}
