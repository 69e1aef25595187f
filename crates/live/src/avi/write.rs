//! Writes Motion JPEG in AVI: every frame is a JPEG of its own (RIFF, Microsoft's Multimedia
//! Programming Interface 1.0, and the AVI RIFF file reference). It needs no codec, and the same
//! frames give the same bytes on every machine.

use image::RgbImage;
use setsight_photo::encode;
use std::io::{self, Seek, SeekFrom, Write};

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
        let bytes = |from: u64, to: u64| (to - from) as u32;
        tag(b"RIFF", &[first.map_or(0, |part| bytes(8, part.end))]);
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
        tag(b"LIST", &[first.map_or(0, |part| bytes(part.movi_at, part.movi_end))]);
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
    use super::super::AviReader;
    use super::*;
    use image::Rgb;
    use std::io::Cursor;

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

    #[test]
    fn a_long_film_goes_on_in_parts_and_one_that_breaks_off_plays_so_far() {
        let levels = |bytes: &[u8]| {
            let mut avi = AviReader::open(bytes).unwrap().unwrap();
            let mut levels = Vec::new();
            while let Ok(Some((jpeg, _))) = avi.next_jpeg() {
                let image = image::load_from_memory_with_format(&jpeg, image::ImageFormat::Jpeg);
                levels.push(image.unwrap().into_rgb8()[(30, 20)].0[0] / 20);
            }
            levels
        };
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
