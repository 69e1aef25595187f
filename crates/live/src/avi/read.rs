//! Reads Motion JPEG in AVI (RIFF; Microsoft's AVI RIFF file reference, and OpenDML 1.02 for films
//! beyond a gigabyte). The file is read from front to back, so it may be a pipe or lack its index.

use std::io::{self, Read};

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
