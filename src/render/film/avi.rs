//! Motion JPEG in AVI: every frame a JPEG of its own (RIFF, Microsoft's Multimedia Programming
//! Interface 1.0, and the AVI RIFF file reference). Written here, the same frames give the same
//! bytes on every machine, and no codec is needed.

use image::RgbImage;
use image::codecs::jpeg::JpegEncoder;
use std::io::{self, Seek, SeekFrom, Write};

/// A film in the making.
pub struct AviWriter<W: Write + Seek> {
    out: W,
    size_px: (u32, u32),
    quality: u8,
    /// Where each frame's chunk begins, from the `movi` tag, and how many bytes it holds.
    index: Vec<(u32, u32)>,
    /// Bytes written.
    at: u64,
}

/// Bytes before the first frame's chunk.
const HEADER_BYTES: u64 = 12 + 12 + 64 + 12 + 64 + 48 + 12;
/// Where the `movi` tag stands: offsets in the index count from there.
const MOVI_AT: u64 = HEADER_BYTES - 4;
/// Largest file that the format's sizes can tell, less room for the index.
const MOST_BYTES: u64 = u32::MAX as u64 - (64 << 20);

impl<W: Write + Seek> AviWriter<W> {
    /// Begins a film. `fps` is kept to a thousandth; `quality` is that of the JPEGs, 1 to 100.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn new(mut out: W, size_px: (u32, u32), fps: f64, quality: u8) -> io::Result<Self> {
        let (width, height) = size_px;
        let rate = (fps * 1e3).round() as u32;
        let mut head = Vec::with_capacity(HEADER_BYTES as usize);
        let mut tag = |text: &[u8; 4], numbers: &[u32]| {
            head.extend_from_slice(text);
            numbers.iter().for_each(|n| head.extend_from_slice(&n.to_le_bytes()));
        };
        // Sizes and counts that are 0 here are filled in at the end.
        tag(b"RIFF", &[0]);
        tag(b"AVI ", &[]);
        tag(b"LIST", &[4 + 64 + 12 + 64 + 48]);
        tag(b"hdrl", &[]);
        // Microseconds a frame, bytes a second, padding, flags (has an index), frames, initial
        // frames, streams, buffer, size.
        let micros = (1e6 / fps).round() as u32;
        tag(b"avih", &[56, micros, 0, 0, 0x10, 0, 0, 1, 0, width, height, 0, 0, 0, 0]);
        tag(b"LIST", &[4 + 64 + 48]);
        tag(b"strl", &[]);
        tag(b"strh", &[56]);
        tag(b"vids", &[]);
        // Flags, priority, initial frames, scale and rate, start, length, buffer, quality, sample
        // size, frame rectangle.
        let extent = width | height << 16;
        tag(b"MJPG", &[0, 0, 0, 1_000, rate, 0, 0, 0, u32::MAX, 0, 0, extent]);
        // A bitmap's header: its size, width, height, planes and bits, compression.
        tag(b"strf", &[40, 40, width, height, 1 | 24 << 16]);
        tag(b"MJPG", &[width * height * 3, 0, 0, 0, 0]);
        tag(b"LIST", &[0]);
        tag(b"movi", &[]);
        debug_assert_eq!(head.len() as u64, HEADER_BYTES);
        out.write_all(&head)?;
        Ok(Self { out, size_px, quality, index: Vec::new(), at: HEADER_BYTES })
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// What cannot be written; a film beyond four gigabytes; a frame of another size.
    pub fn frame(&mut self, image: &RgbImage) -> io::Result<()> {
        if image.dimensions() != self.size_px {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a frame of another size"));
        }
        let mut jpeg = Vec::new();
        JpegEncoder::new_with_quality(&mut jpeg, self.quality)
            .encode_image(image)
            .map_err(io::Error::other)?;
        let bytes = jpeg.len() as u32;
        if jpeg.len() % 2 == 1 {
            jpeg.push(0); // Chunks begin at even places.
        }
        if self.at + jpeg.len() as u64 > MOST_BYTES {
            let message = "the film is longer than four gigabytes, which AVI cannot hold";
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        self.out.write_all(b"00dc")?;
        self.out.write_all(&bytes.to_le_bytes())?;
        self.out.write_all(&jpeg)?;
        self.index.push(((self.at - MOVI_AT) as u32, bytes));
        self.at += 8 + jpeg.len() as u64;
        Ok(())
    }

    /// Writes the index and fills in the sizes; gives back what was written to.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        let movi_bytes = (self.at - MOVI_AT) as u32;
        self.out.write_all(b"idx1")?;
        let count = self.index.len() as u32;
        self.out.write_all(&(16 * count).to_le_bytes())?;
        for &(offset, bytes) in &self.index {
            self.out.write_all(b"00dc")?;
            // Every frame stands by itself.
            for number in [0x10, offset, bytes] {
                self.out.write_all(&u32::to_le_bytes(number))?;
            }
        }
        let file_bytes = (self.at + 8 + 16 * u64::from(count) - 8) as u32;
        let largest = self.index.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0);
        let list = 24;
        for (place, number) in [
            (4, file_bytes),
            (list + 8 + 4 * 4, count),             // avih: frames
            (list + 8 + 4 * 7, largest),           // avih: buffer
            (list + 64 + 12 + 8 + 4 * 8, count),   // strh: length
            (list + 64 + 12 + 8 + 4 * 9, largest), // strh: buffer
            (MOVI_AT - 4, movi_bytes),
        ] {
            self.out.seek(SeekFrom::Start(place))?;
            self.out.write_all(&number.to_le_bytes())?;
        }
        self.out.seek(SeekFrom::End(0))?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
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
        let movi = MOVI_AT as usize;
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
}
