//! Motion JPEG in AVI: films, read and written without a codec, every frame a JPEG of its own (RIFF;
//! Microsoft's Multimedia Programming Interface 1.0 and AVI RIFF file reference, and OpenDML 1.02 for
//! films beyond a gigabyte). A film is read from front to back, so it may be a pipe or lack its index;
//! the same frames give the same bytes on every machine.

use image::RgbImage;
use setsight_photo::{encode, source::jpeg_segments};
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Prefix of a frame's own time in a comment segment of its JPEG.
const STAMP: &[u8] = b"setsight time_ms ";

/// Adds a time in milliseconds to a JPEG, as a comment segment. AVI stores one rate for all frames,
/// but a camera's frames are not evenly spaced; this keeps the exact time of each.
pub(crate) fn stamped(jpeg: &[u8], time_ms: f64) -> Vec<u8> {
    // The comment goes behind the JFIF segment, which must stay first.
    let mut at = 2;
    jpeg_segments(jpeg, |marker, content| {
        if marker == 0xe0 {
            at += 4 + content.len();
        }
        false
    });
    let text = [STAMP, time_ms.to_string().as_bytes()].concat();
    let head = [0xff, 0xfe, 0, text.len() as u8 + 2];
    [&jpeg[..at], &head, &text, &jpeg[at..]].concat()
}

/// Latest time that a frame may state, in milliseconds: a hundred days.
pub(crate) const MOST_MS: f64 = 100.0 * 86_400e3;

/// The time that [`stamped`] wrote into a JPEG, in milliseconds; `None` also if no film is that long.
pub fn stamp_of(jpeg: &[u8]) -> Option<f64> {
    let mut time = None;
    jpeg_segments(jpeg, |marker, content| {
        time = content.strip_prefix(STAMP).filter(|_| marker == 0xfe);
        time.is_none() && marker != 0xda
    });
    std::str::from_utf8(time?).ok()?.parse().ok().filter(|time| (0.0..=MOST_MS).contains(time))
}

/// Why no frame follows.
#[derive(Debug)]
pub enum AviEnd {
    /// The film ends before the number of frames that its header promises.
    CutShort,
    /// The file cannot be read further.
    Io(io::Error),
}

impl From<io::Error> for AviEnd {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::CutShort,
            _ => Self::Io(error),
        }
    }
}

/// Reads an AVI film of Motion JPEG.
pub struct AviReader<R> {
    input: R,
    /// The first two characters of the names of the frames' chunks, such as `00dc`.
    stream: [u8; 2],
    /// Frames per second.
    fps: f64,
    /// Number of frames that the header promises; 0 if it gives none.
    promised: u64,
    number: u64,
}

/// Name and length of a list or chunk, in bytes without the padding byte.
type Head = ([u8; 4], u32);

/// A longer header is rejected: no film has one.
const MOST_HEAD_BYTES: u32 = 1 << 20;
/// A longer frame is rejected: no film has one.
const MOST_FRAME_BYTES: u32 = 64 << 20;

impl<R: Read> AviReader<R> {
    /// Reads the header. `None`: not an AVI film, or not Motion JPEG.
    ///
    /// # Errors
    /// The input cannot be read.
    pub fn open(mut input: R) -> io::Result<Option<Self>> {
        let mut start = [0; 12];
        if read_all(&mut input, &mut start)? < 12
            || &start[..4] != b"RIFF"
            || &start[8..] != b"AVI "
        {
            return Ok(None);
        }
        let (mut film, mut promised) = (None, 0);
        loop {
            let Some((name, length)) = chunk(&mut input)? else { return Ok(None) };
            match &name {
                b"LIST" => {
                    let mut kind = [0; 4];
                    input.read_exact(&mut kind)?;
                    match &kind {
                        b"movi" => break,
                        b"hdrl" if (4..MOST_HEAD_BYTES).contains(&length) => {
                            let mut head = vec![0; padded(length) - 4];
                            input.read_exact(&mut head)?;
                            (film, promised) = (motion_jpeg(&head), frames(&head));
                        }
                        _ => skip(&mut input, padded(length).saturating_sub(4))?,
                    }
                }
                _ => skip(&mut input, padded(length))?,
            }
        }
        Ok(film.map(|(stream, fps)| Self { input, stream, fps, promised, number: 0 }))
    }

    /// The next frame's JPEG and its number in the film; `None` at the end.
    ///
    /// # Errors
    /// See [`AviEnd`].
    pub fn next_jpeg(&mut self) -> Result<Option<(Vec<u8>, u64)>, AviEnd> {
        loop {
            let Some((name, length)) = chunk(&mut self.input)? else {
                return if self.number < self.promised { Err(AviEnd::CutShort) } else { Ok(None) };
            };
            match &name {
                // Frames may be grouped into lists, and a long film continues in a second RIFF part
                // of the file.
                b"LIST" | b"RIFF" => {
                    let mut kind = [0; 4];
                    self.input.read_exact(&mut kind)?;
                    if !matches!(&kind, b"rec " | b"movi" | b"AVIX") {
                        skip(&mut self.input, padded(length).saturating_sub(4))?;
                    }
                }
                [a, b, b'd', b'c' | b'b'] if [*a, *b] == self.stream => {
                    let number = self.number;
                    self.number += 1;
                    if length > MOST_FRAME_BYTES {
                        return Err(AviEnd::CutShort);
                    }
                    let mut jpeg = vec![0; padded(length)];
                    self.input.read_exact(&mut jpeg)?;
                    jpeg.truncate(length as usize);
                    // An empty chunk repeats the previous frame.
                    if !jpeg.is_empty() {
                        return Ok(Some((jpeg, number)));
                    }
                }
                _ => skip(&mut self.input, padded(length))?,
            }
        }
    }
}

impl<R> AviReader<R> {
    /// Continues the same film from another reader at the same position.
    pub(crate) fn over<S>(self, input: S) -> AviReader<S> {
        let Self { stream, fps, promised, number, .. } = self;
        AviReader { input, stream, fps, promised, number }
    }

    /// Number of frames that the header promises, if it gives one.
    pub fn frames(&self) -> Option<u64> {
        (self.promised > 0).then_some(self.promised)
    }

    /// Frames per second according to the header.
    pub fn fps(&self) -> f64 {
        self.fps
    }
}

fn padded(length: u32) -> usize {
    length as usize + (length % 2) as usize
}

/// Reads until the buffer is full or the input ends; returns the number of bytes.
fn read_all(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The next chunk's name and length; `None` at the end of the file.
fn chunk(input: &mut impl Read) -> io::Result<Option<Head>> {
    let mut head = [0; 8];
    match read_all(input, &mut head)? {
        // A padding byte may end the file.
        0 | 1 => Ok(None),
        8 => {
            let [a, b, c, d, length @ ..] = head;
            Ok(Some(([a, b, c, d], u32::from_le_bytes(length))))
        }
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn skip(input: &mut impl Read, bytes: usize) -> io::Result<()> {
    let bytes = bytes as u64;
    let skipped = io::copy(&mut input.take(bytes), &mut io::sink())?;
    if skipped < bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

/// The chunks in a list's body: names and contents.
fn chunks(mut body: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    std::iter::from_fn(move || {
        let head = body.get(..8)?;
        let name = [head[0], head[1], head[2], head[3]];
        let length = number(head, 4)?;
        let inside = body.get(8..8 + length as usize)?;
        body = body.get(8 + padded(length)..).unwrap_or_default();
        Some((name, inside))
    })
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Number of frames that the main header promises.
fn frames(head: &[u8]) -> u64 {
    let main = chunks(head).find(|(name, _)| name == b"avih");
    main.and_then(|(_, main)| number(main, 16)).unwrap_or(0).into()
}

/// The stream that holds Motion JPEG, as its chunks name it, and its frames per second.
fn motion_jpeg(head: &[u8]) -> Option<([u8; 2], f64)> {
    let streams = chunks(head).filter(|(name, body)| name == b"LIST" && body.starts_with(b"strl"));
    streams.enumerate().find_map(|(i, (_, body))| {
        let inside = |wanted: &[u8; 4]| chunks(&body[4..]).find(|(name, _)| name == wanted);
        let (_, header) = inside(b"strh")?;
        let (_, format) = inside(b"strf")?;
        let codec = format.get(16..20)?;
        let is_jpeg =
            [&b"MJPG"[..], b"JPEG", b"AVRN"].iter().any(|c| codec.eq_ignore_ascii_case(c));
        if !header.starts_with(b"vids") || !is_jpeg {
            return None;
        }
        let (scale, rate) = (number(header, 20)?, number(header, 24)?);
        let name = format!("{i:02}").into_bytes();
        Some(([name[0], name[1]], f64::from(rate) / f64::from(scale.max(1))))
    })
}

/// Writes a film frame by frame. The file can be played at any time, up to the last frame written.
pub struct AviWriter<W: Write + Seek> {
    out: W,
    size_px: (u32, u32),
    fps: f64,
    quality: u8,
    /// For each frame of the first part, the offset of its chunk from the `movi` tag and its length
    /// in bytes.
    index: Vec<(u32, u32)>,
    parts: Vec<Part>,
    frames: u32,
    largest: u32,
    /// Bytes written.
    at: u64,
    most_part_bytes: u64,
}

/// A part of the file. The format's sizes have 32 bits, so a long film continues in another part
/// (OpenDML 1.02).
struct Part {
    riff_at: u64,
    movi_at: u64,
    /// Offsets of the end of the last frame and of the end of the part.
    movi_end: u64,
    end: u64,
}

/// Bytes before the first frame's chunk.
const HEADER_BYTES: u64 = 12 + 12 + 64 + 12 + 64 + 48 + 12;
/// Size at which a new part begins, as OpenDML advises.
const MOST_PART_BYTES: u64 = 1 << 30;

impl<W: Write + Seek> AviWriter<W> {
    /// Begins a film. `fps` is rounded to a thousandth; `quality` is the JPEG quality, 1 to 100.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn new(out: W, size_px: (u32, u32), fps: f64, quality: u8) -> io::Result<Self> {
        let (index, parts) = (Vec::new(), Vec::new());
        let most_part_bytes = MOST_PART_BYTES;
        let (frames, largest, at) = (0, 0, HEADER_BYTES);
        let mut avi =
            Self { out, size_px, fps, quality, index, parts, frames, largest, at, most_part_bytes };
        let head = avi.head();
        debug_assert_eq!(head.len() as u64, HEADER_BYTES);
        avi.out.write_all(&head)?;
        avi.parts.push(Part {
            riff_at: 0,
            movi_at: HEADER_BYTES - 4,
            movi_end: HEADER_BYTES,
            end: HEADER_BYTES,
        });
        Ok(avi)
    }

    /// The header before the first frame. Numbers not yet available are 0; players accept that.
    fn head(&self) -> Vec<u8> {
        let (width, height) = self.size_px;
        let rate = (self.fps * 1e3).round() as u32;
        let mut head = Vec::with_capacity(HEADER_BYTES as usize);
        let mut tag = |text: &[u8; 4], numbers: &[u32]| {
            head.extend_from_slice(text);
            numbers.iter().for_each(|n| head.extend_from_slice(&n.to_le_bytes()));
        };
        let first = self.parts.first();
        tag(b"RIFF", &[first.map_or(0, |part| (part.end - 8) as u32)]);
        tag(b"AVI ", &[]);
        tag(b"LIST", &[4 + 64 + 12 + 64 + 48]);
        tag(b"hdrl", &[]);
        // Microseconds per frame, bytes per second, padding, flags (has an index), frames, initial
        // frames, streams, buffer, size.
        let micros = (1e6 / self.fps).round() as u32;
        let (frames, buffer) = (self.frames, self.largest);
        tag(b"avih", &[56, micros, 0, 0, 0x10, frames, 0, 1, buffer, width, height, 0, 0, 0, 0]);
        tag(b"LIST", &[4 + 64 + 48]);
        tag(b"strl", &[]);
        tag(b"strh", &[56]);
        tag(b"vids", &[]);
        // Flags, priority, initial frames, scale and rate, start, length, buffer, quality, sample
        // size, frame rectangle.
        let extent = width | height << 16;
        tag(b"MJPG", &[0, 0, 0, 1_000, rate, 0, frames, buffer, u32::MAX, 0, 0, extent]);
        // The bitmap header: its size, width, height, planes and bits, compression.
        tag(b"strf", &[40, 40, width, height, 1 | 24 << 16]);
        tag(b"MJPG", &[width * height * 3, 0, 0, 0, 0]);
        tag(b"LIST", &[first.map_or(0, |part| (part.movi_end - part.movi_at) as u32)]);
        tag(b"movi", &[]);
        head
    }

    /// Changes the frame rate, for films whose rate is only measured while recording.
    pub(crate) fn set_fps(&mut self, fps: f64) {
        self.fps = fps;
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// The output cannot be written, or the frame has another size.
    pub fn frame(&mut self, image: &RgbImage) -> io::Result<()> {
        if image.dimensions() != self.size_px {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a frame of another size"));
        }
        self.jpeg(&encode::jpeg(image, self.quality).map_err(io::Error::other)?)
    }

    /// Adds a frame that is already a JPEG of the film's size.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn jpeg(&mut self, jpeg: &[u8]) -> io::Result<()> {
        let begun = self.parts.last().map_or(0, |part| part.riff_at);
        if self.at - begun + jpeg.len() as u64 > self.most_part_bytes {
            self.next_part()?;
        }
        // One write per frame, so that a killed program leaves only whole frames.
        let mut chunk = b"00dc".to_vec();
        chunk.extend_from_slice(&(jpeg.len() as u32).to_le_bytes());
        chunk.extend_from_slice(jpeg);
        if jpeg.len() % 2 == 1 {
            chunk.push(0); // Chunks begin at even offsets.
        }
        self.write(&chunk)?;
        let first = self.parts.len() == 1;
        let part = self.parts.last_mut().expect("the first stands since the beginning");
        if first {
            let begun = self.at - chunk.len() as u64;
            self.index.push(((begun - part.movi_at) as u32, jpeg.len() as u32));
        }
        (part.movi_end, part.end) = (self.at, self.at);
        self.frames += 1;
        self.largest = self.largest.max(jpeg.len() as u32);
        Ok(())
    }

    /// Begins another part.
    fn next_part(&mut self) -> io::Result<()> {
        self.write_index()?;
        let (riff_at, movi_at) = (self.at, self.at + 20);
        self.write(b"RIFF\0\0\0\0AVIXLIST\0\0\0\0movi")?;
        self.parts.push(Part { riff_at, movi_at, movi_end: self.at, end: self.at });
        Ok(())
    }

    /// Writes the index after the first part, unless it is already there. A film plays without an
    /// index, but players cannot seek in it.
    pub(crate) fn write_index(&mut self) -> io::Result<()> {
        let [part] = &self.parts[..] else { return Ok(()) };
        if part.end > part.movi_end {
            return Ok(());
        }
        let mut bytes = b"idx1".to_vec();
        bytes.extend_from_slice(&(16 * self.index.len() as u32).to_le_bytes());
        for &(offset, length) in &self.index {
            bytes.extend_from_slice(b"00dc");
            // Flag: every frame is a key frame.
            for number in [0x10, offset, length] {
                bytes.extend_from_slice(&u32::to_le_bytes(number));
            }
        }
        self.write(&bytes)?;
        self.parts[0].end = self.at;
        Ok(())
    }

    /// Writes all bytes or, as far as the film is concerned, none: after an error it seeks back.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.out.write_all(bytes);
        match written {
            Ok(()) => self.at += bytes.len() as u64,
            Err(_) => _ = self.out.seek(SeekFrom::Start(self.at))?,
        }
        written
    }

    /// Writes the index and fills in the sizes; returns the output.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_index()?;
        Ok(self.close()?.0)
    }

    /// Fills in the sizes without writing an index. Returns the output and the film's length in
    /// bytes; after an error the caller should truncate the file there.
    pub(crate) fn close(mut self) -> io::Result<(W, u64)> {
        self.fill_in()?;
        Ok((self.out, self.at))
    }

    fn fill_in(&mut self) -> io::Result<()> {
        let head = self.head();
        self.out.rewind()?;
        self.out.write_all(&head)?;
        for part in &self.parts[1..] {
            let sizes = [
                (part.riff_at + 4, part.end - part.riff_at - 8),
                (part.movi_at - 4, part.movi_end - part.movi_at),
            ];
            for (place, bytes) in sizes {
                self.out.seek(SeekFrom::Start(place))?;
                self.out.write_all(&(bytes as u32).to_le_bytes())?;
            }
        }
        self.out.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{ImageFormat, Rgb, RgbImage, codecs::jpeg::JpegEncoder};
    use std::io::Cursor;

    #[test]
    fn a_stamped_picture_is_the_same_picture_and_keeps_its_time() {
        let mut jpeg = Vec::new();
        let image = RgbImage::from_fn(64, 48, |x, y| Rgb([3 * x as u8, 5 * y as u8, 90]));
        JpegEncoder::new_with_quality(&mut jpeg, 90).encode_image(&image).unwrap();
        assert_eq!(stamp_of(&jpeg), None);
        for time_ms in [0.0, 1e3 / 3.0, 3_600_000.000_123] {
            let stamped = stamped(&jpeg, time_ms);
            assert_eq!(stamp_of(&stamped), Some(time_ms));
            assert_eq!(decoded(&stamped), decoded(&jpeg));
        }
        assert_eq!(stamp_of(b""), None);
        assert_eq!(stamp_of(&jpeg[..30]), None);
    }

    #[test]
    fn sizes_and_index_agree_with_what_is_written() {
        let mut avi = AviWriter::new(Cursor::new(Vec::new()), (64, 48), 12.5, 80).unwrap();
        for i in 0..3u8 {
            avi.frame(&RgbImage::from_fn(64, 48, |x, y| Rgb([x as u8 * 3, y as u8 * 4, 90 * i])))
                .unwrap();
        }
        assert!(avi.frame(&RgbImage::new(32, 48)).is_err());
        let bytes = avi.finish().unwrap().into_inner();
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!(number(4) + 8, bytes.len());
        assert_eq!((number(24 + 24), number(24 + 64 + 12 + 40)), (3, 3), "frames");
        assert_eq!(number(24 + 64 + 12 + 32), 12_500);
        let movi = HEADER_BYTES as usize - 4;
        assert_eq!(&bytes[movi..movi + 4], b"movi");
        let index = movi + number(movi - 4);
        assert_eq!(&bytes[index..index + 4], b"idx1");
        assert_eq!(number(index + 4), 48);
        for i in 0..3 {
            let entry = index + 8 + 16 * i;
            let chunk = movi + number(entry + 8);
            assert_eq!(&bytes[chunk..chunk + 4], b"00dc");
            assert_eq!(number(chunk + 4), number(entry + 12));
            let jpeg = &bytes[chunk + 8..chunk + 8 + number(chunk + 4)];
            let format = image::ImageFormat::Jpeg;
            let image = image::load_from_memory_with_format(jpeg, format).unwrap().into_rgb8();
            assert!(image[(30, 20)].0[2].abs_diff(90 * i as u8) < 20);
        }
    }

    /// The brightness of each frame, in steps of 20.
    fn levels(bytes: &[u8]) -> Vec<u8> {
        let mut avi = AviReader::open(bytes).unwrap().unwrap();
        let mut levels = Vec::new();
        while let Ok(Some((jpeg, _))) = avi.next_jpeg() {
            levels.push(decoded(&jpeg).into_rgb8()[(30, 20)].0[0] / 20);
        }
        levels
    }

    fn decoded(jpeg: &[u8]) -> image::DynamicImage {
        image::load_from_memory_with_format(jpeg, ImageFormat::Jpeg).unwrap()
    }

    #[test]
    fn a_long_film_goes_on_in_parts_and_one_that_breaks_off_plays_so_far() {
        let mut avi = AviWriter::new(Cursor::new(Vec::new()), (64, 48), 10.0, 95).unwrap();
        avi.most_part_bytes = 3_000;
        let all: Vec<u8> = (1..11).collect();
        for &level in &all {
            avi.frame(&RgbImage::from_pixel(64, 48, Rgb([20 * level + 8; 3]))).unwrap();
        }
        assert!(avi.parts.len() > 2);
        // A program killed here has written neither an index nor sizes.
        let unfinished = avi.out.get_ref().clone();
        assert_eq!(levels(&unfinished), all);
        assert_eq!(levels(&unfinished[..unfinished.len() - 20]), all[..9]);
        avi.set_fps(12.5);
        let bytes = avi.finish().unwrap().into_inner();
        assert_eq!(levels(&bytes), all);
        let read = AviReader::open(&bytes[..]).unwrap().unwrap();
        assert_eq!((read.fps(), read.frames()), (12.5, Some(10)));
        let mut at = 0;
        while at < bytes.len() {
            assert_eq!(&bytes[at..at + 4], b"RIFF");
            at += 8 + u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        }
        assert_eq!(at, bytes.len(), "parts follow each other");
    }
}
