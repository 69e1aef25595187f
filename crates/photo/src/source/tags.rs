//! Tags of TIFF (revision 6.0), which EXIF blocks are, too: how a picture is turned, which of a file's pictures is no
//! thumbnail, and what is not read.

use super::jpeg_segments;
use image::{ImageFormat, metadata::Orientation};
use png::Decoder;
use std::borrow::Cow;
use std::io::Cursor;

const SUBFILE: u16 = 254;
const OLD_SUBFILE: u16 = 255;
const COMPRESSION: u16 = 259;
const PHOTOMETRIC: u16 = 262;
const ORIENTATION: u16 = 274;
const PLANES: u16 = 284;
const TILE_WIDTH: u16 = 322;
const OTHER_DIRECTORIES: u16 = 330;
/// Most pictures of a file that are looked at.
const MAX_DIRECTORIES: usize = 64;

/// A directory of tags.
#[derive(Clone, Copy)]
struct Directory<'a> {
    bytes: &'a [u8],
    is_big_endian: bool,
    at: usize,
}

impl<'a> Directory<'a> {
    /// The first of a TIFF or an EXIF block, which WebP of libvips begins as JPEG does.
    fn first(bytes: &'a [u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"Exif\0\0").unwrap_or(bytes);
        let is_big_endian = match bytes.get(..4)? {
            b"II*\0" => false,
            b"MM\0*" => true,
            _ => return None,
        };
        let header = Self { bytes, is_big_endian, at: 4 };
        Some(Self { at: header.number(4, 4)?, ..header })
    }

    fn number(&self, at: usize, length: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..at.checked_add(length)?)?;
        Some(if self.is_big_endian {
            bytes.iter().fold(0, append_byte)
        } else {
            bytes.iter().rev().fold(0, append_byte)
        })
    }

    fn count(&self) -> Option<usize> {
        self.number(self.at, 2)
    }

    /// The first number of a tag, of whatever whole type it is: BYTE, SHORT, LONG or IFD.
    fn get(&self, tag: u16) -> Option<usize> {
        let entries = (0..self.count()?).map(|i| self.at + 2 + 12 * i);
        let at = entries.clone().find(|&at| self.number(at, 2) == Some(usize::from(tag)))?;
        let length = match self.number(at + 2, 2)? {
            1 => 1,
            3 => 2,
            4 | 13 => 4,
            _ => return None,
        };
        let is_here = length * self.number(at + 4, 4)? <= 4;
        self.number(if is_here { at + 8 } else { self.number(at + 8, 4)? }, length)
    }

    fn next(&self) -> Option<Self> {
        let at = self.number(self.at + 2 + 12 * self.count()?, 4)?;
        (at > 0).then_some(Self { at, ..*self })
    }

    fn is_thumbnail(&self) -> bool {
        self.get(SUBFILE).is_some_and(|kind| kind & 1 == 1) || self.get(OLD_SUBFILE) == Some(2)
    }
}

fn append_byte(sum: usize, byte: &u8) -> usize {
    sum << 8 | usize::from(*byte)
}

/// A TIFF whose first directory is that of a picture in full resolution, if it has one.
pub(super) fn at_picture(bytes: &[u8]) -> Cow<'_, [u8]> {
    let picture = Directory::first(bytes).filter(Directory::is_thumbnail).and_then(|first| {
        let below = first.get(OTHER_DIRECTORIES).map(|at| Directory { at, ..first });
        let pages = std::iter::successors(Some(first), Directory::next).take(MAX_DIRECTORIES);
        pages.chain(below).find(|page| page.count().is_some() && !page.is_thumbnail())
    });
    let Some(Directory { at, is_big_endian, .. }) = picture else { return Cow::Borrowed(bytes) };
    let at = at as u32;
    let at = if is_big_endian { at.to_be_bytes() } else { at.to_le_bytes() };
    Cow::Owned([&bytes[..4], &at, &bytes[8..]].concat())
}

/// Whether a TIFF has a plane of tiles for each colour, on which the decoder (tiff 0.11.3) fails an assertion.
pub(super) fn has_tiled_planes(bytes: &[u8]) -> bool {
    let first = Directory::first(bytes);
    first.is_some_and(|first| first.get(PLANES) == Some(2) && first.get(TILE_WIDTH).is_some())
}

/// What a TIFF is that the decoder does not read.
pub(super) fn kind_of(bytes: &[u8]) -> &'static str {
    let tag = |tag| Directory::first(bytes).and_then(|first| first.get(tag));
    if has_tiled_planes(bytes) {
        return "TIFF (a plane of tiles for each colour)";
    }
    match (tag(COMPRESSION), tag(PHOTOMETRIC)) {
        (Some(50_000), _) => "TIFF (Zstandard)",
        (Some(50_001), _) => "TIFF (WebP inside)",
        (Some(33_003 | 33_005 | 34_712), _) => "TIFF (JPEG 2000 inside)",
        (Some(6), _) => "TIFF (old JPEG inside)",
        (_, Some(32_803 | 34_892)) => "TIFF (raw samples)",
        (_, Some(3)) => "TIFF (palette)",
        (_, Some(6)) => "TIFF (YCbCr)",
        (_, Some(8..=10)) => "TIFF (CIELab)",
        _ => "TIFF (unusual)",
    }
}

/// How EXIF turns a picture, if it says so. The decoders know it of one type at one place.
pub(super) fn orientation(bytes: &[u8], format: ImageFormat) -> Option<Orientation> {
    let exif = match format {
        ImageFormat::Jpeg => of_jpeg(bytes),
        ImageFormat::Png => of_png(bytes),
        ImageFormat::WebP => of_webp(bytes),
        ImageFormat::Tiff => Some(Cow::Borrowed(bytes)),
        _ => None,
    };
    let value = Directory::first(&exif?)?.get(ORIENTATION)?;
    Orientation::from_exif(u8::try_from(value).ok()?)
}

fn of_jpeg(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut exif = None;
    jpeg_segments(bytes, |marker, content| {
        if marker == 0xe1 && content.starts_with(b"Exif\0") {
            exif = exif.or(content.get(6..));
        }
        exif.is_none() && marker != 0xda
    });
    exif.map(Cow::Borrowed)
}

fn of_webp(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut rest = bytes.get(12..)?;
    while let Some((head, more)) = rest.split_first_chunk::<8>() {
        let length = u32::from_le_bytes(*head.last_chunk()?) as usize;
        if head.starts_with(b"EXIF") {
            return more.get(..length).map(Cow::Borrowed);
        }
        rest = more.get(length.next_multiple_of(2)..)?;
    }
    None
}

/// Of a PNG it may stand behind the pixels, or in the text that ImageMagick wrote before there was a chunk for it.
fn of_png(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut has_profile = false;
    let mut rest = bytes.get(8..)?;
    while let Some((head, more)) = rest.split_first_chunk::<8>() {
        let length = u32::from_be_bytes(*head.first_chunk()?) as usize;
        let Some(content) = more.get(..length) else { break };
        match &head[4..] {
            b"eXIf" => return Some(Cow::Borrowed(content)),
            b"tEXt" | b"zTXt" => has_profile |= content.starts_with(PROFILE.as_bytes()),
            _ => {}
        }
        rest = more.get(length + 4..).unwrap_or_default();
    }
    if has_profile { of_profile(bytes).map(Cow::Owned) } else { None }
}

/// How the keyword of such a text begins; `exif` or `APP1` follows.
const PROFILE: &str = "Raw profile type ";

/// The bytes of a profile that is written in hexadecimal behind its name and length, a line each.
fn of_profile(bytes: &[u8]) -> Option<Vec<u8>> {
    const MAX_TEXT_BYTES: usize = 1 << 20;
    let mut reader = Decoder::new(Cursor::new(bytes)).read_info().ok()?;
    reader.finish().ok()?;
    let info = reader.info();
    let is_exif = |keyword: &str| matches!(keyword.strip_prefix(PROFILE), Some("exif" | "APP1"));
    let plain = info.uncompressed_latin1_text.iter().find(|text| is_exif(&text.keyword));
    let text = match plain {
        Some(text) => text.text.clone(),
        None => {
            let mut packed =
                info.compressed_latin1_text.iter().find(|text| is_exif(&text.keyword))?.clone();
            packed.decompress_text_with_limit(MAX_TEXT_BYTES).ok()?;
            packed.get_text().ok()?
        }
    };
    let digits = text.trim_start().splitn(3, '\n').nth(2)?.chars().filter_map(|c| c.to_digit(16));
    let digits: Vec<u8> = digits.map(|digit| digit as u8).collect();
    Some(digits.as_chunks().0.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::super::{decode, error::SourceError};
    use super::*;
    use image::{DynamicImage, Rgb, RgbImage};

    /// A directory of such entries (tag, type, value), and what follows it.
    fn tiff(is_big_endian: bool, entries: &[(u16, u16, u32)]) -> Vec<u8> {
        let two = |v: u16| if is_big_endian { v.to_be_bytes() } else { v.to_le_bytes() };
        let four = |v: u32| if is_big_endian { v.to_be_bytes() } else { v.to_le_bytes() };
        let start = if is_big_endian { b"MM" } else { b"II" };
        let mut out = [&start[..], &two(42), &four(8), &two(entries.len() as u16)].concat();
        for &(tag, kind, value) in entries {
            let value = match kind {
                1 => [value as u8, 0, 0, 0],
                3 => [two(value as u16), [0; 2]].concat().try_into().unwrap(),
                _ => four(value),
            };
            out.extend([&two(tag)[..], &two(kind), &four(1), &value].concat());
        }
        out.extend(four(0));
        out
    }

    fn picture(format: ImageFormat) -> Vec<u8> {
        let image = RgbImage::from_fn(64, 32, |x, y| Rgb([4 * x as u8, 8 * y as u8, 9]));
        let mut out = Cursor::new(Vec::new());
        DynamicImage::from(image).write_to(&mut out, format).unwrap();
        out.into_inner()
    }

    /// A WebP in the extended form, which other chunks may follow, with EXIF data.
    fn in_webp(webp: &[u8], exif: &[u8]) -> Vec<u8> {
        let four = |v: usize| (v as u32).to_le_bytes();
        let extended = [8, 0, 0, 0, 63, 0, 0, 31, 0, 0];
        let body =
            [b"WEBPVP8X", &four(10)[..], &extended, &webp[12..], b"EXIF", &four(exif.len()), exif];
        let body = body.concat();
        [b"RIFF", &four(body.len())[..], &body].concat()
    }

    fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let sum = [&name[..], content].concat().iter().fold(!0u32, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ (0xedb8_8320 * (crc & 1)))
        });
        [&(content.len() as u32).to_be_bytes(), &name[..], content, &(!sum).to_be_bytes()].concat()
    }

    #[test]
    fn an_orientation_counts_wherever_and_of_whatever_type_it_is() {
        let exif = |big, kind| tiff(big, &[(256, 4, 64), (274, kind, 6)]);
        let short = exif(false, 3);
        let (jpeg, png, webp) =
            (picture(ImageFormat::Jpeg), picture(ImageFormat::Png), picture(ImageFormat::WebP));
        let segment = |marker: u8, content: &[u8]| {
            [&[0xff, marker], &(content.len() as u16 + 2).to_be_bytes()[..], content].concat()
        };
        let in_jpeg = |before: &[u8], exif: &[u8]| {
            let app1 = segment(0xe1, &[b"Exif\0\0", exif].concat());
            [&jpeg[..2], before, &app1, &jpeg[2..]].concat()
        };
        let end = png.len() - 12;
        let in_png = |at: usize, chunk: Vec<u8>| [&png[..at], &chunk, &png[at..]].concat();
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let profile =
            format!("\nexif\n      {}\n{}\n", 6 + short.len(), hex(b"Exif\0\0") + &hex(&short));
        let text = [b"Raw profile type exif\0", profile.as_bytes()].concat();
        let stored = {
            // A zlib stream of one stored block.
            let (a, b) = profile.bytes().fold((1u32, 0u32), |(a, b), byte| {
                let a = (a + u32::from(byte)) % 65_521;
                (a, (b + a) % 65_521)
            });
            let length = profile.len() as u16;
            let head =
                [&[0x78, 1, 1][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat();
            let sum = (b << 16 | a).to_be_bytes();
            [b"Raw profile type exif\0\0", &head[..], profile.as_bytes(), &sum].concat()
        };
        let behind = [&b"Exif\0\0"[..], &short].concat();
        for (what, bytes) in [
            ("JPEG", in_jpeg(&[], &short)),
            ("JPEG, big-endian", in_jpeg(&[], &exif(true, 3))),
            ("JPEG, LONG", in_jpeg(&[], &exif(false, 4))),
            ("JPEG, LONG, big-endian", in_jpeg(&[], &exif(true, 4))),
            ("JPEG, BYTE", in_jpeg(&[], &exif(false, 1))),
            ("JPEG, BYTE, big-endian", in_jpeg(&[], &exif(true, 1))),
            (
                "JPEG, behind XMP",
                in_jpeg(&segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0<x/>"), &short),
            ),
            ("JPEG, behind a comment", in_jpeg(&segment(0xfe, b"Exif"), &short)),
            ("PNG, before the pixels", in_png(33, chunk(b"eXIf", &short))),
            ("PNG, behind the pixels", in_png(end, chunk(b"eXIf", &short))),
            ("PNG, with JPEG's prefix", in_png(33, chunk(b"eXIf", &behind))),
            ("PNG, LONG", in_png(33, chunk(b"eXIf", &exif(true, 4)))),
            ("PNG, text", in_png(33, chunk(b"tEXt", &text))),
            ("PNG, text behind the pixels", in_png(end, chunk(b"tEXt", &text))),
            ("PNG, packed text", in_png(33, chunk(b"zTXt", &stored))),
            ("WebP", in_webp(&webp, &short)),
            ("WebP, with JPEG's prefix", in_webp(&webp, &behind)),
            ("WebP, LONG", in_webp(&webp, &exif(false, 4))),
        ] {
            let photo = decode(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(photo.orientation, Orientation::Rotate90, "{what}");
            assert_eq!(photo.frame.dimensions(), (32, 64), "{what}");
        }
        for value in [0, 1, 9, 70_000] {
            let photo = decode(&in_jpeg(&[], &tiff(false, &[(274, 4, value)]))).unwrap();
            assert_eq!(photo.orientation, Orientation::NoTransforms, "{value}");
        }
    }

    /// Width and height, grey and entries.
    type Page<'a> = (u32, u8, &'a [(u16, u16, u32)]);

    /// An uncompressed TIFF of pages of one grey each, with the pixels behind each directory.
    fn pages(is_big_endian: bool, pages: &[Page<'_>]) -> Vec<u8> {
        let four = |v: usize| {
            if is_big_endian { (v as u32).to_be_bytes() } else { (v as u32).to_le_bytes() }
        };
        let mut out = tiff(is_big_endian, &[])[..4].to_vec();
        out.extend(four(8));
        for (i, &(side, grey, more)) in pages.iter().enumerate() {
            let length = 6 + 12 * page_entries(0, side, more).len();
            let strip = out.len() + length;
            let directory = tiff(is_big_endian, &page_entries(strip, side, more))[8..].to_vec();
            out.extend(&directory[..length - 4]);
            let next = strip + (side * side) as usize;
            out.extend(four(if i + 1 < pages.len() { next } else { 0 }));
            out.extend(vec![grey; (side * side) as usize]);
        }
        out
    }

    fn page_entries(strip: usize, side: u32, more: &[(u16, u16, u32)]) -> Vec<(u16, u16, u32)> {
        let of_picture = [
            (256, 3, side),
            (257, 3, side),
            (258, 3, 8),
            (259, 3, 1),
            (262, 3, 1),
            (273, 4, strip as u32),
            (277, 3, 1),
            (278, 3, side),
            (279, 4, side * side),
        ];
        let mut entries = [&of_picture[..], more].concat();
        // What a page declares replaces what is usual.
        entries.reverse();
        entries.sort_by_key(|entry| entry.0);
        entries.dedup_by_key(|entry| entry.0);
        entries
    }

    #[test]
    fn the_page_that_is_no_thumbnail_is_the_picture() {
        for is_big_endian in [false, true] {
            let of = |all: &[Page<'_>]| pages(is_big_endian, all);
            for (what, bytes, side) in [
                ("one page", of(&[(32, 9, &[])]), 32),
                ("two pages", of(&[(32, 9, &[]), (64, 5, &[])]), 32),
                ("a thumbnail first", of(&[(32, 9, &[(254, 4, 1)]), (64, 5, &[])]), 64),
                ("of the old kind", of(&[(32, 9, &[(255, 3, 2)]), (64, 5, &[(255, 3, 1)])]), 64),
                ("a page of several", of(&[(32, 9, &[(254, 4, 2)]), (64, 5, &[])]), 32),
                ("nothing but a thumbnail", of(&[(32, 9, &[(254, 4, 1)])]), 32),
                ("the thumbnail behind", of(&[(64, 9, &[]), (32, 5, &[(254, 4, 1)])]), 64),
            ] {
                let photo = decode(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(photo.frame.width(), side, "{what}");
            }
            let turned = of(&[(32, 9, &[(254, 4, 1)]), (64, 5, &[(274, 3, 8)])]);
            assert_eq!(decode(&turned).unwrap().orientation, Orientation::Rotate270);
        }
    }

    #[test]
    fn what_is_not_read_of_tiff_is_named() {
        let colors = (320, 3, 8);
        for (more, name) in [
            (&[(259, 3, 50_000)][..], "TIFF (Zstandard)"),
            (&[(259, 3, 34_712)], "TIFF (JPEG 2000 inside)"),
            (&[(262, 3, 3), colors], "TIFF (palette)"),
            (&[(262, 3, 32_803)], "TIFF (raw samples)"),
            (&[(284, 3, 2), (322, 3, 16)], "TIFF (a plane of tiles for each colour)"),
        ] {
            let bytes = pages(false, &[(32, 9, more)]);
            match decode(&bytes) {
                Err(SourceError::OtherFormat { format }) => assert_eq!(format, name),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
