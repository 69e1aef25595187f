//! Decodes AV1 pictures by the program `ffmpeg`, which films need anyway. AVIF photos are rare, and
//! an AV1 decoder would be larger than the rest of this program.

use super::error::{MAX_PIXELS, SourceError};
use image::RgbImage;
use setsight_files::programs::in_background;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::{process::Stdio, time::Duration};

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
        let mut said = String::new();
        let _ = stderr.by_ref().take(10_000).read_to_string(&mut said);
        let _ = heard.send(said);
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
            let said = complaints.recv().unwrap_or_default();
            let words = said.lines().next().map(|line| line.rsplit("] ").next().unwrap_or(line));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_programs_the_format_is_not_read_here() {
        for (kind, word) in [
            (ErrorKind::NotFound, "format"),
            (ErrorKind::Unsupported, "format"),
            (ErrorKind::PermissionDenied, "unreadable"),
        ] {
            assert_eq!(not_run(&kind.into()).word(), word, "{kind}");
        }
    }
}
