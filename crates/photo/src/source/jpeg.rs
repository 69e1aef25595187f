//! JPEG: what cameras leave out, put before it or behind it, and photos larger than any stage needs.

mod damage;
mod huffman;
mod scaled;

use super::budget::{Budget, Clock};
use super::error::{MAX_PIXELS, MAX_REDUCED_PIXELS, SourceError, check_size_within};
pub(super) use damage::damaged_from;
use image::error::{DecodingError, ImageFormatHint};
use image::{DynamicImage, GrayImage, ImageError, ImageFormat, RgbImage};
use jpeg_decoder::{Decoder, PixelFormat};
use memchr::memchr;
use std::borrow::Cow;
use std::io::{self, Read};

/// Memory that the passes of a progressive JPEG may take before its picture is made.
const MAX_PASSES_BYTES: u64 = 512 << 20;
/// Most scans of a JPEG: each may cost a pass over all pixels, however few bytes it has. Encoders make a dozen.
const MAX_SCANS: usize = 100;
/// Most pixels for each byte of a JPEG. Each block of 64 pixels takes a bit at least; this is 128 times as many pixels,
/// because the upper part of a photo that was cut off is read, too.
const MAX_PIXELS_PER_BYTE: u64 = 128 * 8 * 64;
const SCAN: u8 = 0xda;
const START: [u8; 3] = [0xff, 0xd8, 0xff];
const END: [u8; 2] = [0xff, 0xd9];

/// A JPEG as decoders want it: without what a server put before it, and with the Huffman tables that
/// webcams leave out, as Motion JPEG may. Other files stay as they are.
pub fn mended(bytes: &[u8]) -> Cow<'_, [u8]> {
    let jpeg = bytes.trim_ascii_start();
    if !jpeg.starts_with(&START) {
        return Cow::Borrowed(bytes);
    }
    if has_tables(jpeg) {
        return Cow::Borrowed(jpeg);
    }
    // With this application marker, decoders supply the standard tables.
    Cow::Owned([&jpeg[..2], b"\xff\xe0\x00\x07AVI1\0", &jpeg[2..]].concat())
}

/// Whether the JPEG contains its own Huffman tables.
fn has_tables(jpeg: &[u8]) -> bool {
    let mut last = 0;
    segments(jpeg, |marker, _| {
        last = marker;
        marker != 0xc4 && marker != SCAN
    });
    last != SCAN
}

/// How the components of a JPEG are laid out in units and scans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Layout {
    /// As nearly every encoder does.
    Usual,
    /// Chroma finer than luma, or the components of a sequential picture in scans of their own: the decoder of
    /// whole pictures shows stripes.
    Unusual,
}

impl Layout {
    /// Of a JPEG of a kind that is decoded rightly.
    ///
    /// # Errors
    /// [`SourceError::OtherFormat`] names any other kind.
    pub(super) fn detect(bytes: &[u8]) -> Result<Self, SourceError> {
        let (mut kind, mut frame, mut scan) = (0, &[][..], &[][..]);
        segments(bytes, |marker, content| {
            match marker {
                0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf | 0xf7 => {
                    (kind, frame) = (marker, content)
                }
                SCAN => scan = content,
                _ => {}
            }
            marker != SCAN
        });
        let format = match (kind, frame.first()) {
            (0xc3, _) => "JPEG (lossless)",
            (0xf7, _) => "JPEG-LS",
            (0xc9..=0xcb, _) => "JPEG (arithmetic coding)",
            (0xc5..=0xc7 | 0xcd..=0xcf, _) => "JPEG (hierarchical)",
            (0xc0..=0xc2, Some(9..=16)) => "JPEG (12-bit)",
            _ => "",
        };
        if !format.is_empty() {
            return Err(SourceError::OtherFormat { format });
        }
        let parts = frame.get(6..).unwrap_or_default().as_chunks::<3>().0;
        let sampling: Vec<(u8, u8)> =
            parts.iter().map(|part| (part[1] >> 4, part[1] & 15)).collect();
        let in_first = scan.first().map_or(sampling.len(), |&count| usize::from(count));
        let is_parted = kind != 0xc2 && in_first < sampling.len();
        let is_usual = match sampling[..] {
            [first] => first == (1, 1),
            [first, ref colors @ .., last] => {
                let is_supported = matches!(first, (1 | 2, 1 | 2) | (4, 1 | 2) | (1, 4));
                let is_coarse = colors.iter().all(|&color| color == (1, 1));
                is_supported
                    && is_coarse
                    && last == if sampling.len() == 4 { first } else { (1, 1) }
            }
            // Nothing is decoded of it.
            [] => true,
        };
        if is_usual && !is_parted {
            return Ok(Self::Usual);
        }
        // The other decoder takes a component alone for as wide as its units are.
        let most = sampling.iter().fold((1, 1), |most, one| (most.0.max(one.0), most.1.max(one.1)));
        if (is_parted || kind == 0xc2)
            && sampling.iter().any(|&(h, v)| (h != 1 && h != most.0) || (v != 1 && v != most.1))
        {
            return Err(SourceError::OtherFormat { format: "JPEG (unusual sampling)" });
        }
        Ok(Self::Unusual)
    }
}

/// A JPEG's header for a decoder that knows only usual layouts.
pub(super) fn usual_header(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut frame = 0..0;
    segments(bytes, |marker, content| {
        if matches!(marker, 0xc0..=0xc2) && content.len() > 6 {
            let begin = content.as_ptr() as usize - bytes.as_ptr() as usize;
            frame = begin + 6..begin + content.len();
        }
        marker != SCAN
    });
    let mut header = bytes.to_vec();
    header[frame].as_chunks_mut::<3>().0.iter_mut().for_each(|part| part[1] = 0x11);
    Cow::Owned(header)
}

/// Refuses a JPEG whose size rules out a photo of a table, or that would take more memory or time than there is.
pub(super) fn check(width: u32, height: u32, bytes: &[u8]) -> Result<(), SourceError> {
    let pixels = u64::from(width) * u64::from(height);
    let passes = if pixels > MAX_PIXELS && is_progressive(bytes) { 6 * pixels } else { 0 };
    if passes > MAX_PASSES_BYTES {
        return Err(SourceError::TooLarge { width, height });
    }
    check_size_within(MAX_REDUCED_PIXELS, width, height)?;
    if bytes.len() as u64 * MAX_PIXELS_PER_BYTE < pixels {
        return Err(SourceError::Truncated { format: "JPEG" });
    }
    let mut scans = 0;
    segments(bytes, |marker, _| {
        scans += usize::from(marker == SCAN);
        scans <= MAX_SCANS
    });
    if scans > MAX_SCANS {
        let reason = format!("it has more than {MAX_SCANS} scans");
        return Err(SourceError::Corrupt { format: "JPEG", reason });
    }
    Ok(())
}

/// Decodes a JPEG so many times smaller in each direction, by a smaller inverse transform of its
/// blocks.
pub(super) fn decode_reduced(
    bytes: &[u8],
    by: u32,
    budget: &Budget<'_>,
) -> Result<RgbImage, ImageError> {
    let bytes = &*without_unseen_scans(bytes, by);
    let mut decoder = Decoder::new(Timed { bytes, reads: 0, clock: budget.clock() });
    decoder.set_max_decoding_buffer_size((4 * MAX_PIXELS) as usize);
    decoder.read_info().map_err(|error| jpeg_error(error.into()))?;
    let info = decoder.info().ok_or_else(|| jpeg_error("it has no size".into()))?;
    let [width, height] = [info.width, info.height].map(|side| u32::from(side).div_ceil(by) as u16);
    let (width, height) = decoder.scale(width, height).map_err(|error| jpeg_error(error.into()))?;
    let pixels = decoder.decode().map_err(|error| jpeg_error(error.into()))?;
    let (width, height) = (u32::from(width), u32::from(height));
    let image = match info.pixel_format {
        PixelFormat::RGB24 => RgbImage::from_raw(width, height, pixels),
        PixelFormat::L8 => GrayImage::from_raw(width, height, pixels)
            .map(|grey| DynamicImage::ImageLuma8(grey).into_rgb8()),
        _ => return Err(jpeg_error("of this size, only colour and grey are read".into())),
    };
    image.ok_or_else(|| jpeg_error("it has another size than it says".into()))
}

/// A JPEG without the scans that hardly show in a picture so many times smaller in each direction (ITU T.81, G.1.2):
/// frequencies that its inverse transform does not take, and the lowest bits of the others. No scan that stays
/// depends on them.
fn without_unseen_scans(bytes: &[u8], by: u32) -> Cow<'_, [u8]> {
    const MARKER_AND_LENGTH: usize = 4;
    let is_seen = |first: u8, bits: u8| match by {
        _ if by == 1 || first == 0 => true,
        2 => bits >> 4 == 0 || bits & 15 > 0,
        // The transform of 2 x 2 takes the first five in zigzag order.
        4 => bits >> 4 == 0 && first < 5,
        _ => false,
    };
    // Where each part begins, and whether it is kept.
    let mut parts = vec![(0, true)];
    segments(bytes, |marker, content| {
        let is_kept =
            marker != SCAN || !matches!(*content, [.., first, _, bits] if !is_seen(first, bits));
        if !content.is_empty() && parts.last().is_some_and(|part| part.1 != is_kept) {
            let at = content.as_ptr() as usize - bytes.as_ptr() as usize - MARKER_AND_LENGTH;
            parts.push((at, is_kept));
        }
        true
    });
    if parts.len() == 1 {
        return Cow::Borrowed(bytes);
    }
    let ends = parts[1..].iter().map(|part| part.0).chain([bytes.len()]);
    let kept = parts.iter().zip(ends).filter(|(part, _)| part.1);
    let mut kept = kept.map(|(part, end)| &bytes[part.0..end]).collect::<Vec<_>>().concat();
    if !parts[parts.len() - 1].1 {
        kept.extend(END);
    }
    Cow::Owned(kept)
}

fn jpeg_error(error: Box<dyn std::error::Error + Send + Sync>) -> ImageError {
    let format = ImageFormatHint::Exact(ImageFormat::Jpeg);
    ImageError::Decoding(DecodingError::new(format, error))
}

/// The same for a JPEG that is complete and undamaged, by whatever is fastest for its kind; `None` for the rest.
pub(super) fn decode_scaled(bytes: &[u8], by: u32, budget: &Budget<'_>) -> Option<RgbImage> {
    scaled::decode(bytes, by, budget).or_else(|| {
        if !is_progressive(bytes) || jpeg_end(bytes) != JpegEnd::Marked {
            return None;
        }
        let bytes = &*without_unseen_scans(bytes, by);
        if damaged_from(bytes).is_none() { decode_reduced(bytes, by, budget).ok() } else { None }
    })
}

/// Decodes a JPEG that [`decode_scaled`] has decoded before: `by` times smaller in each direction if that is fast, or
/// else as little smaller as may be; and how many times smaller it is. `None` if a scan not yet checked is damaged.
pub(super) fn decode_again(
    bytes: &[u8],
    (by, least): (u32, u32),
    budget: &Budget<'_>,
) -> Option<(RgbImage, u32)> {
    let bytes = &*mended(bytes);
    if is_progressive(bytes) && damaged_from(&without_unseen_scans(bytes, by)).is_some() {
        return None;
    }
    let scaled = match by {
        1 => None,
        _ if is_progressive(bytes) => decode_reduced(bytes, by, budget).ok(),
        _ => scaled::decode(bytes, by, budget),
    };
    if let Some(image) = scaled {
        return Some((image, by));
    }
    let image = if least > 1 || Layout::detect(bytes).ok()? == Layout::Unusual {
        decode_reduced(bytes, least, budget).ok()?
    } else {
        image::load_from_memory_with_format(bytes, ImageFormat::Jpeg).ok()?.into_rgb8()
    };
    budget.check().ok().map(|()| (image, least))
}

/// The bytes of a JPEG, until the time for it is spent.
struct Timed<'a> {
    bytes: &'a [u8],
    reads: u32,
    clock: Clock<'a>,
}

impl Read for Timed<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        /// Single bytes are read, and asking for the time takes as long as decoding many.
        const READS: u32 = 1024;
        self.reads += 1;
        if self.reads.is_multiple_of(READS) {
            self.clock.check().map_err(io::Error::other)?;
        }
        self.bytes.read(to)
    }
}

/// Whether all of a JPEG is there: it ends with the end marker, or something else follows that no
/// pixel depends on, as some phones append without that marker. Of a picture that is not decoded by the
/// decoder of complete pictures only the end is checked.
pub(super) fn is_complete(
    bytes: &[u8],
    decoded: &RgbImage,
    stored_px: (u32, u32),
    is_by_other: bool,
) -> bool {
    /// So few bytes of a picture still hold some of its blocks.
    const TAIL: usize = 16;
    if jpeg_end(bytes) == JpegEnd::Marked && holds(bytes, stored_px) {
        return true;
    }
    if is_by_other || jpeg_end(bytes) == JpegEnd::Marked {
        return false;
    }
    let less = &bytes[..bytes.len().saturating_sub(TAIL)];
    let again = image::load_from_memory_with_format(less, ImageFormat::Jpeg);
    again.is_ok_and(|again| again.into_rgb8() == *decoded)
}

/// Whether so many bytes can hold so many pixels: each block of 8x8 takes two bits at least, but in a progressive
/// JPEG.
fn holds(bytes: &[u8], (width, height): (u32, u32)) -> bool {
    let blocks = u64::from(width.div_ceil(8)) * u64::from(height.div_ceil(8));
    8 * bytes.len() as u64 >= 2 * blocks || is_progressive(bytes)
}

/// Whether a JPEG ends early. The decoder fills missing parts with grey, as browsers do. A file
/// that lacks only its end marker is accepted, because some webcams write such files.
pub(super) fn is_cut_off(bytes: &[u8], decoded: &RgbImage) -> bool {
    match jpeg_end(bytes) {
        JpegEnd::Marked => false,
        JpegEnd::MissingInProgressive => true,
        JpegEnd::Missing => {
            // The rows of the last 8 x 8 blocks of the luma plane; no photo is this uniform.
            let rows = 8 * 3 * decoded.width() as usize;
            let tail = &decoded.as_raw()[decoded.as_raw().len().saturating_sub(rows)..];
            tail.iter().all(|&v| v == tail[0])
        }
    }
}

#[derive(Debug, PartialEq)]
enum JpegEnd {
    Marked,
    Missing,
    MissingInProgressive,
}

pub(super) fn is_progressive(bytes: &[u8]) -> bool {
    let mut progressive = false;
    segments(bytes, |marker, _| {
        progressive |= is_progressive_frame(marker);
        // Its frame stands before the first scan, and all of the data behind.
        marker != SCAN
    });
    progressive
}

const fn is_progressive_frame(marker: u8) -> bool {
    matches!(marker, 0xc2 | 0xc6 | 0xca | 0xce)
}

fn jpeg_end(bytes: &[u8]) -> JpegEnd {
    let mut progressive = false;
    let ends = segments(bytes, |marker, _| {
        progressive |= is_progressive_frame(marker);
        true
    });
    match (ends, progressive) {
        (true, _) => JpegEnd::Marked,
        (false, true) => JpegEnd::MissingInProgressive,
        (false, false) => JpegEnd::Missing,
    }
}

/// Walks over the segments of a JPEG to its end marker (ITU T.81, annex B), as long as `go_on` says so of
/// each by its marker and content; whether the end was reached.
pub fn segments<'a>(bytes: &'a [u8], mut go_on: impl FnMut(u8, &'a [u8]) -> bool) -> bool {
    let mut at = 2; // behind the start marker
    loop {
        // Skip to the next marker, past fill bytes, stuffed zeros and restart markers within a
        // scan.
        let Some(skip) = bytes.get(at..).and_then(|rest| memchr(0xff, rest)) else {
            return false;
        };
        at += skip + 1;
        match bytes.get(at) {
            Some(0x00 | 0x01 | 0xd0..=0xd8) => at += 1,
            Some(0xff) | None => {}
            Some(0xd9) => return true,
            Some(&marker) => {
                let length = bytes
                    .get(at + 1..at + 3)
                    .map_or(2, |b| usize::from(b[0]) << 8 | usize::from(b[1]));
                let end = at + 1 + length.max(2);
                if !go_on(marker, bytes.get(at + 3..end).unwrap_or_default()) {
                    return false;
                }
                at = end;
            }
        }
    }
}

#[cfg(test)]
#[path = "jpeg/tests/corpus.rs"]
mod corpus;

#[cfg(test)]
mod tests {
    use super::super::decode;
    use super::*;
    use image::{Rgb, codecs::jpeg::JpegEncoder};
    use std::sync::atomic::AtomicBool;

    fn jpeg(width: u32, height: u32) -> Vec<u8> {
        let image = RgbImage::from_fn(width, height, |x, y| {
            Rgb([(255 * x / width) as u8, (255 * y / height) as u8, 128])
        });
        let mut bytes = Vec::new();
        JpegEncoder::new_with_quality(&mut bytes, 90).encode_image(&image).unwrap();
        bytes
    }

    #[test]
    fn scans_that_a_smaller_picture_does_not_show_are_left_out() {
        let scan = |first: u8, bits: u8| {
            let last = if first == 0 { 0 } else { 63 };
            vec![0xff, SCAN, 0, 8, 1, 1, 0, first, last, bits, 0x55, 0xff, 0x00, first, bits]
        };
        let frame = [&START[..2], &[0xff, 0xc2, 0, 3, 8]].concat();
        let tables = [0xff, 0xc4, 0, 3, 7];
        let scans = |of: &[(u8, u8)]| {
            let scans = of.iter().flat_map(|&(first, bits)| scan(first, bits));
            [&frame[..], &tables, &scans.collect::<Vec<u8>>(), &END].concat()
        };
        let full = scans(&[(0, 1), (1, 2), (6, 2), (1, 0x21), (0, 0x10), (1, 0x10), (6, 0)]);
        assert_eq!(without_unseen_scans(&full, 1), full);
        for (by, kept) in [
            (2, &[(0, 1), (1, 2), (6, 2), (1, 0x21), (0, 0x10), (6, 0)][..]),
            (4, &[(0, 1), (1, 2), (0, 0x10)]),
            (8, &[(0, 1), (0, 0x10)]),
        ] {
            assert_eq!(without_unseen_scans(&full, by), scans(kept));
            assert_eq!(without_unseen_scans(&scans(kept), by), scans(kept));
        }
        // Cut off within a header.
        let cut = &full[..full.len() - 12];
        let kept = [(0, 1), (1, 2), (6, 2), (1, 0x21), (0, 0x10)];
        assert_eq!(without_unseen_scans(cut, 2), scans(&kept));
    }

    #[test]
    fn what_cameras_leave_out_or_add_is_no_damage() {
        let full = jpeg(96, 64);
        let expected = decode(&full).unwrap().frame;
        let mut bare = full[..2].to_vec();
        let mut at = 2;
        loop {
            let length = 2 + usize::from(u16::from_be_bytes([full[at + 2], full[at + 3]]));
            match full[at + 1] {
                0xc4 => {}
                0xda => break bare.extend_from_slice(&full[at..]),
                _ => bare.extend_from_slice(&full[at..at + length]),
            }
            at += length;
        }
        assert!(bare.len() + 100 < full.len(), "tables were left out");
        let end = full.len() - 2;
        let trailer = [&full[..end], &b"SEFH and what else a phone writes"[..]].concat();
        for jpeg in [bare, [&b"\r\n"[..], &full].concat(), trailer] {
            let photo = decode(&jpeg).unwrap();
            assert_eq!((photo.frame, photo.is_cut_off), (expected.clone(), false));
        }
        assert!(decode(&full[..end]).unwrap().is_cut_off);
    }

    #[test]
    fn reduced_pictures_show_the_same() {
        let bytes = jpeg(1003, 517);
        let going = AtomicBool::new(false);
        let budget = Budget::new(1003 * 517, &going);
        let full = decode(&bytes).unwrap().frame;
        for by in [2, 4, 8] {
            let small = decode_reduced(&bytes, by, &budget).unwrap();
            assert_eq!(small.dimensions(), (1003u32.div_ceil(by), 517u32.div_ceil(by)));
            let worst = small.enumerate_pixels().map(|(x, y, small)| {
                let [x, y] = [(x, 1003), (y, 517)].map(|(v, side)| (by * v + by / 2).min(side - 1));
                let full = full[(x, y)];
                small.0.iter().zip(full.0).map(|(a, b)| a.abs_diff(b)).max().unwrap()
            });
            assert!(worst.max().unwrap() <= 12, "{by}");
        }
    }

    #[test]
    fn time_that_is_spent_and_a_stop_end_the_decoding() {
        let bytes = jpeg(1003, 517);
        let stop = AtomicBool::new(false);
        let mut budget = Budget::new(1003 * 517, &stop);
        budget.limit = std::time::Duration::ZERO;
        assert!(decode_reduced(&bytes, 2, &budget).is_err());
        let error = budget.check().unwrap_err().to_string();
        assert!(error.contains("more than 0 s of processor time"), "{error}");

        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let error = super::super::decode_until(&bytes, &stop).unwrap_err();
        assert!(
            matches!(error, SourceError::Unreadable(e) if e.kind() == io::ErrorKind::Interrupted)
        );
    }

    #[test]
    fn damage_is_reported_at_any_size() {
        let bytes = jpeg(2048, 1536);
        let cut = bytes.len() / 2;
        let damaged = [&bytes[..cut], &bytes[cut + 9..]].concat();
        for (bytes, expected) in [(&bytes, None), (&damaged, Some(0))] {
            let small = super::super::decode_to_read(bytes, &AtomicBool::new(false)).unwrap();
            let larger = small.decode_larger().unwrap_or_else(|| small.clone());
            let found = [decode(bytes).unwrap(), small, larger].map(|photo| photo.damaged_from);
            assert_eq!(found, [expected; 3]);
        }
    }

    #[test]
    fn kinds_that_are_not_read_are_named() {
        let full = jpeg(96, 64);
        let at = full.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
        for (marker, bits, name) in [
            (0xc3, 8, "JPEG (lossless)"),
            (0xf7, 8, "JPEG-LS"),
            (0xc9, 8, "JPEG (arithmetic coding)"),
            (0xca, 8, "JPEG (arithmetic coding)"),
            (0xc5, 8, "JPEG (hierarchical)"),
            (0xc1, 12, "JPEG (12-bit)"),
        ] {
            let mut bytes = full.clone();
            (bytes[at + 1], bytes[at + 4]) = (marker, bits);
            let message = decode(&bytes).unwrap_err().to_string();
            let expected = format!("is a {name} picture, which is not read; convert it to");
            assert!(message.starts_with(&expected), "{message}");
        }
    }

    #[test]
    fn more_scans_than_any_encoder_makes_are_refused() {
        let full = jpeg(96, 64);
        let at = full.windows(2).position(|two| two == [0xff, SCAN]).unwrap();
        let (head, scan) = (&full[..at], &full[at..full.len() - 2]);
        for (count, is_read) in [(1, true), (100, true), (101, false), (20_000, false)] {
            let bytes = [head, &scan.repeat(count), &[0xff, 0xd9]].concat();
            let read = decode(&bytes);
            let message = read.err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(
                message.contains("it has more than 100 scans"),
                !is_read,
                "{count}: {message}"
            );
        }
    }

    #[test]
    fn a_size_that_the_data_cannot_fill_is_reported() {
        let mut bytes = jpeg(1600, 1200);
        assert!(!decode(&bytes).unwrap().is_cut_off);
        let at = bytes.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
        bytes[at + 5..at + 9].copy_from_slice(&[0x58, 0x48, 0x58, 0x48]);
        let photo = decode(&bytes).unwrap();
        assert_eq!((photo.stored_width, photo.is_cut_off), (22_600, true));
        // 511 megapixels of nothing would take seconds.
        let error = decode(&bytes[..7_000]).unwrap_err();
        assert!(matches!(error, SourceError::Truncated { .. }), "{error}");
    }

    #[test]
    fn sizes_beyond_memory_and_sense_are_refused() {
        let bytes = [0; 4_000];
        assert!(check(9248, 6936, &bytes).is_ok() && check(16_384, 12_288, &bytes).is_ok());
        assert!(check(65_535, 65_535, b"").is_err() && check(12, 9000, b"").is_err());
    }
}
