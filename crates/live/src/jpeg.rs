//! Splits a stream of bytes into JPEGs (ITU-T T.81), and decodes them.
//!
//! The end of a JPEG is found from its own markers alone, because cameras announce wrong lengths,
//! omit boundaries and send incomplete pictures.

use image::{DynamicImage, ImageDecoder, Limits, RgbImage, codecs::jpeg::JpegDecoder};
use setsight_photo::source::{check_size, mended_jpeg};
use std::io::{self, Read};

/// Length in bytes beyond which a JPEG is rejected.
const MOST_BYTES: usize = 64 << 20;
/// Largest number of pixels of a picture from a film or a camera: 8K. Several are in memory at once.
pub(crate) const MAX_FRAME_PIXELS: u64 = 34_000_000;
/// Number of bytes read at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// Extracts complete JPEGs from a stream, whatever lies between them.
pub struct Jpegs<R> {
    input: R,
    bytes: Vec<u8>,
    /// Position in `bytes` where the scan continues.
    at: usize,
    state: State,
    damaged: u64,
    /// Whether a PNG was passed.
    png: bool,
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The next item found in the stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    /// A complete JPEG.
    Whole(Vec<u8>),
    /// A JPEG that began and did not end.
    Half,
    /// A PNG lies between them, which is not read.
    Png,
}

#[derive(Clone, Copy)]
enum State {
    /// Between two JPEGs.
    Outside,
    /// At a marker of the JPEG that begins at the first byte.
    Marker,
    /// In the coded pixels, where the only markers are restart markers.
    Pixels,
}

impl<R: Read> Jpegs<R> {
    /// Starts at the stream's next byte.
    pub fn new(input: R) -> Self {
        Self { input, bytes: Vec::new(), at: 0, state: State::Outside, damaged: 0, png: false }
    }

    /// Number of JPEGs that began and did not end.
    pub(crate) fn damaged(&self) -> u64 {
        self.damaged
    }

    /// The next item; `None` at the end of the stream.
    ///
    /// # Errors
    /// The stream cannot be read.
    pub fn next_piece(&mut self) -> io::Result<Option<Piece>> {
        let before = self.damaged;
        loop {
            if let Some(end) = self.scan() {
                let rest = self.bytes.split_off(end);
                self.at = 0;
                self.state = State::Outside;
                return Ok(Some(Piece::Whole(std::mem::replace(&mut self.bytes, rest))));
            }
            if self.damaged > before {
                return Ok(Some(Piece::Half));
            }
            if std::mem::take(&mut self.png) {
                return Ok(Some(Piece::Png));
            }
            if self.bytes.len() > MOST_BYTES {
                self.broken(self.bytes.len());
            }
            let filled = self.bytes.len();
            self.bytes.resize(filled + CHUNK_BYTES, 0);
            let read = loop {
                match self.input.read(&mut self.bytes[filled..]) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => break other,
                }
            };
            self.bytes.truncate(filled + *read.as_ref().unwrap_or(&0));
            if read? == 0 {
                self.damaged += u64::from(!matches!(self.state, State::Outside));
                return Ok(None);
            }
        }
    }

    /// Gives up the JPEG in progress and drops all bytes before `next`.
    fn broken(&mut self, next: usize) {
        self.damaged += u64::from(!matches!(self.state, State::Outside));
        self.bytes.drain(..next);
        self.at = 0;
        self.state = State::Outside;
    }

    /// Continues the scan in the bytes read so far; returns the end of a complete JPEG.
    fn scan(&mut self) -> Option<usize> {
        loop {
            let rest = &self.bytes[self.at..];
            match self.state {
                State::Outside => {
                    let start = rest.windows(3).position(|three| three == [0xff, 0xd8, 0xff]);
                    let between = &rest[..start.unwrap_or(rest.len())];
                    self.png |= between.windows(PNG.len()).any(|bytes| bytes == PNG);
                    let Some(start) = start else {
                        // A signature may be split between two reads.
                        self.bytes.drain(..self.bytes.len().saturating_sub(PNG.len() - 1));
                        self.at = 0;
                        return None;
                    };
                    self.bytes.drain(..self.at + start);
                    self.at = 2;
                    self.state = State::Marker;
                }
                State::Marker => {
                    let &[first, marker, ..] = rest else { return None };
                    match (first, marker) {
                        (0xff, 0xff) => self.at += 1,
                        (0xff, 0x01 | 0xd0..=0xd7) => self.at += 2,
                        (0xff, 0xd8) => self.broken(self.at),
                        (0xff, 0xc0..=0xfe) if marker != 0xd9 => {
                            let length = rest.get(2..4)?;
                            let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
                            if rest.len() < 2 + length {
                                return None;
                            }
                            self.at += 2 + length;
                            self.state = if marker == 0xda { State::Pixels } else { State::Marker };
                        }
                        _ => self.broken(self.at),
                    }
                }
                State::Pixels => {
                    let Some(found) = rest.iter().position(|&byte| byte == 0xff) else {
                        self.at = self.bytes.len();
                        return None;
                    };
                    self.at += found;
                    match self.bytes.get(self.at + 1)? {
                        0x00 | 0xd0..=0xd7 => self.at += 2,
                        0xff => self.at += 1,
                        0xd9 => return Some(self.at + 2),
                        0xd8 => self.broken(self.at),
                        // The next scan of a progressive JPEG.
                        _ => self.state = State::Marker,
                    }
                }
            }
        }
    }
}

/// Refuses the size of a picture from a film or a camera, whichever way it comes.
pub(crate) fn check_frame(width: u32, height: u32) -> Result<(), String> {
    if u64::from(width) * u64::from(height) > MAX_FRAME_PIXELS {
        let most = MAX_FRAME_PIXELS / 1_000_000;
        return Err(format!("is {width}x{height}; live, at most {most} megapixels are read"));
    }
    check_size(width, height).map_err(|error| error.to_string())
}

/// Decodes a JPEG.
///
/// # Errors
/// The reason: it is broken or cut off, or its size is out of range.
pub fn decode(jpeg: &[u8]) -> Result<RgbImage, String> {
    if !ends(jpeg) {
        return Err("is cut off".to_owned());
    }
    let jpeg = mended_jpeg(jpeg);
    let mut decoder =
        JpegDecoder::new(io::Cursor::new(&*jpeg)).map_err(|error| error.to_string())?;
    let (width, height) = decoder.dimensions();
    check_frame(width, height)?;
    decoder.set_limits(Limits::default()).map_err(|error| error.to_string())?;
    Ok(DynamicImage::from_decoder(decoder).map_err(|error| error.to_string())?.into_rgb8())
}

/// Whether the JPEG ends with the end marker; some cameras pad it with zeros.
fn ends(jpeg: &[u8]) -> bool {
    let filled = jpeg.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    jpeg[..filled].ends_with(&[0xff, 0xd9])
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, codecs::jpeg::JpegEncoder};

    #[test]
    fn shapes_and_sizes_that_no_camera_has_are_refused() {
        assert_eq!(check_frame(7680, 4320), Ok(()));
        for (width, height, why) in [
            (64, 30_000, "a strip"),
            (65_500, 50, "a strip"),
            (8, 8, "too small"),
            (9248, 6936, "at most 34 megapixels"),
        ] {
            let error = check_frame(width, height).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        let strip = RgbImage::new(16, 600);
        let mut bytes = Vec::new();
        JpegEncoder::new_with_quality(&mut bytes, 90).encode_image(&strip).unwrap();
        assert!(decode(&bytes).unwrap_err().contains("a strip"));
    }

    fn jpeg(level: u8) -> Vec<u8> {
        let image = RgbImage::from_fn(64, 48, |x, y| Rgb([level, (3 * x) as u8, (5 * y) as u8]));
        let mut bytes = Vec::new();
        JpegEncoder::new_with_quality(&mut bytes, 90).encode_image(&image).unwrap();
        bytes
    }

    /// Returns a few bytes per read.
    struct Drops<'a>(&'a [u8], usize);
    impl Read for Drops<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(to.len());
            to[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn levels(stream: &[u8], step: usize) -> (Vec<u8>, u64) {
        let mut jpegs = Jpegs::new(Drops(stream, step));
        let mut levels = Vec::new();
        while let Some(piece) = jpegs.next_piece().unwrap() {
            if let Piece::Whole(jpeg) = piece {
                levels.push(decode(&jpeg).unwrap()[(20, 10)].0[0]);
            }
        }
        (levels, jpegs.damaged())
    }

    fn near(levels: &[u8], expected: &[u8]) -> bool {
        levels.len() == expected.len()
            && levels.iter().zip(expected).all(|(a, b)| a.abs_diff(*b) < 12)
    }

    #[test]
    fn complete_ones_are_cut_out_whatever_stands_between() {
        let stream =
            [&b"--b\r\nContent-Length: 7\r\n\r\n"[..], &jpeg(40), b"\r\n--b\r\n\r\n", &jpeg(200)]
                .concat();
        for step in [1, 7, 1_000_000] {
            let (levels, damaged) = levels(&stream, step);
            assert!(near(&levels, &[40, 200]) && damaged == 0, "{step}: {levels:?}");
        }
    }

    #[test]
    fn halves_cost_themselves_alone() {
        let intact = jpeg(120);
        // Cut once in the coded pixels and once in the header.
        for cut in [intact.len() - 40, 30] {
            let stream =
                [&intact[..cut], b"\r\n--b\r\n\r\n", &jpeg(40), &jpeg(200), &intact[..cut]];
            let (levels, damaged) = levels(&stream.concat(), 997);
            assert!(!levels.is_empty() && near(&levels[levels.len() - 1..], &[200]), "{levels:?}");
            assert!(damaged >= 2, "{damaged}");
        }
        assert!(decode(&intact[..intact.len() - 40]).is_err());
        assert!(decode(b"\xff\xd8\xff\xd9").is_err() && decode(b"").is_err());
    }
}
