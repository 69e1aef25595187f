//! What goes to disk: a game as a film, with its lines of JSON beside it, or one frame with its line.
//!
//! The film holds exactly the pixels that were tracked, and each frame's own time, so that reading
//! the film gives the same lines. Pictures that arrive as JPEG are stored unchanged. Others are
//! first encoded as JPEG, and the decoded JPEG is what is tracked.

use super::{camera::Shot, jpeg, session::LiveView};
use crate::avi::{self, AviWriter};
use serde_json::json;
use setsight_files::whole_file::write_atomic;
use setsight_photo::encode::{self, JPEG_QUALITY};
use setsight_track::line_of;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fs::File, sync::Arc};

/// Why recording cannot begin or continue.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("{0}: a recording is written as AVI; call it {1}")]
    NoAvi(String, String),
    #[error("{0} already exists; give another name, or remove it")]
    Exists(String),
    #[error("{0} cannot be written: {1}")]
    Unwritable(String, #[source] io::Error),
    #[error("the camera's pictures have become another size, which one film cannot hold")]
    OtherSize,
    #[error("a picture could not be made a JPEG: {0}")]
    NoJpeg(String),
}

/// A recording in progress. Dropping it ends it.
pub(crate) struct Recorder {
    film: PathBuf,
    lines: File,
    state: State,
    size_px: (u32, u32),
    frames: u64,
    last_ms: f64,
}

enum State {
    /// Nothing has been recorded yet.
    Begun(File),
    Running(AviWriter<File>),
    Ended,
}

/// The film's frames per second until the actual rate is measured.
const FPS: f64 = 30.0;

pub fn lines_of(film: &Path) -> PathBuf {
    film.with_extension("jsonl")
}

/// Checks whether a recording can be written to this path.
///
/// # Errors
/// The name is not an AVI's, or the film or its lines exist already.
pub fn check(film: &Path) -> Result<(), RecordError> {
    if film.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("avi")) {
        return Err(RecordError::NoAvi(shown(film), shown(&film.with_extension("avi"))));
    }
    match [film.to_owned(), lines_of(film)].iter().find(|path| path.exists()) {
        Some(existing) => Err(RecordError::Exists(shown(existing))),
        None => Ok(()),
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn new_file(path: &Path) -> Result<File, RecordError> {
    File::create_new(path).map_err(|error| {
        let name = path.display().to_string();
        match error.kind() {
            io::ErrorKind::AlreadyExists => RecordError::Exists(name),
            _ => RecordError::Unwritable(name, error),
        }
    })
}

impl Recorder {
    /// Begins a recording. Creates the film and the file for its lines.
    pub(crate) fn create(film: &Path) -> Result<Self, RecordError> {
        check(film)?;
        let lines = new_file(&lines_of(film))?;
        let file = new_file(film).inspect_err(|_| {
            let _ = std::fs::remove_file(lines_of(film));
        })?;
        let (state, film) = (State::Begun(file), film.to_owned());
        Ok(Self { film, lines, state, size_px: (0, 0), frames: 0, last_ms: 0.0 })
    }

    /// Number of frames so far.
    pub(crate) fn frames(&self) -> u64 {
        self.frames
    }

    /// Time of the last frame in milliseconds; the first frame is at 0.
    pub(crate) fn length_ms(&self) -> f64 {
        self.last_ms
    }

    /// Records a frame; its time counts from the first frame. The returned frame must be used for
    /// tracking.
    pub(crate) fn record(&mut self, mut shot: Shot) -> Result<Shot, RecordError> {
        let (bytes, shot) = match shot.jpeg.take() {
            Some(bytes) => (bytes, shot),
            None => {
                let bytes = encode::jpeg(&shot.frame, JPEG_QUALITY);
                let bytes = bytes.map_err(|error| RecordError::NoJpeg(error.to_string()))?;
                let image = jpeg::decode(&bytes).map_err(RecordError::NoJpeg)?;
                (bytes.into(), Shot { frame: Arc::new(image), ..shot })
            }
        };
        let size_px = shot.frame.dimensions();
        if self.frames > 0 && self.size_px != size_px {
            return Err(RecordError::OtherSize);
        }
        let stamped = avi::stamped(&bytes, shot.time_ms);
        self.write(size_px, &stamped)
            .map_err(|error| RecordError::Unwritable(self.film.display().to_string(), error))?;
        (self.size_px, self.last_ms) = (size_px, shot.time_ms);
        self.frames += 1;
        Ok(shot)
    }

    fn write(&mut self, size_px: (u32, u32), jpeg: &[u8]) -> io::Result<()> {
        if let State::Begun(file) = &self.state {
            self.state =
                State::Running(AviWriter::new(file.try_clone()?, size_px, FPS, JPEG_QUALITY)?);
        }
        match &mut self.state {
            State::Running(avi) => avi.jpeg(jpeg),
            State::Begun(_) | State::Ended => Err(io::Error::other("the recording has ended")),
        }
    }

    /// Records the line of the last frame.
    pub(crate) fn line(&mut self, view: &LiveView) -> Result<(), RecordError> {
        let number = self.frames.saturating_sub(1);
        let line = line(&LiveView { number, ..view.clone() });
        self.lines.write_all(format!("{line}\n").as_bytes()).map_err(|error| {
            RecordError::Unwritable(lines_of(&self.film).display().to_string(), error)
        })
    }

    /// Ends the recording and completes the film. A film without frames is removed.
    pub(crate) fn end(&mut self) -> Result<(), RecordError> {
        let ended = match std::mem::replace(&mut self.state, State::Ended) {
            State::Ended => return Ok(()),
            State::Begun(_) => std::fs::remove_file(&self.film)
                .and_then(|()| std::fs::remove_file(lines_of(&self.film))),
            State::Running(mut avi) => {
                if self.frames > 1 && self.last_ms > 0.0 {
                    // So that other players show it at about its true speed.
                    let fps = (self.frames - 1) as f64 * 1e3 / self.last_ms;
                    avi.set_fps(fps.clamp(0.1, 1_000.0));
                }
                // A full disk may have no room for the index; the film plays without it.
                let _ = avi.write_index();
                avi.close().and_then(|(file, length)| file.set_len(length))
            }
        };
        ended.map_err(|error| RecordError::Unwritable(self.film.display().to_string(), error))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.end(); // Callers that need the error call `end` first.
    }
}

/// The line of JSON of a view: that of its table, see [`line_of`], and `latency_ms`, the time from
/// the frame to the line.
pub fn line(view: &LiveView) -> serde_json::Value {
    let LiveView { number, time_ms, tracked, score, times, latency_ms, .. } = view;
    let mut line = line_of(*number, *time_ms, tracked, score, times);
    line["latency_ms"] = json!((latency_ms * 100.0).round() / 100.0);
    line
}

/// Writes the frame of a view, lossless, and its line of JSON, under the next free number:
/// `table-0001.png` and `table-0001.json`.
///
/// # Errors
/// There is no frame yet, or the folder is not writable.
pub fn save(view: &LiveView, folder: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let Some(frame) = &view.frame else {
        return Err(io::Error::new(io::ErrorKind::NotFound, "there is no picture yet"));
    };
    std::fs::create_dir_all(folder)?;
    let (picture, record) = (1..)
        .map(|n: u32| folder.join(format!("table-{n:04}")))
        .map(|stem| (stem.with_extension("png"), stem.with_extension("json")))
        .find(|(picture, record)| !picture.exists() && !record.exists())
        .ok_or_else(|| io::Error::other("no number is free"))?;
    write_atomic(&picture, &encode::png(frame).map_err(io::Error::other)?)?;
    write_atomic(&record, format!("{}\n", line(view)).as_bytes())?;
    Ok((picture, record))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};
    use setsight_track::TrackedTable;
    use setsight_vision::TableReading;

    #[test]
    fn nothing_is_written_over() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("kept");
        assert!(save(&LiveView::default(), &folder).is_err());
        let image = RgbImage::from_pixel(64, 48, Rgb([10, 200, 30]));
        let frame = Some(Arc::new(image));
        let table = TableReading::new(Vec::new(), (64, 48));
        let tracked = TrackedTable { table, ..TrackedTable::default() };
        let (number, time_ms) = (41, 1366.666);
        let view = LiveView { frame, number, time_ms, tracked, ..LiveView::default() };
        let (first, _) = save(&view, &folder).unwrap();
        let (second, record) = save(&view, &folder).unwrap();
        assert_ne!(first, second);
        assert_eq!(image::open(second).unwrap().into_rgb8()[(5, 5)], Rgb([10, 200, 30]));
        let text = std::fs::read_to_string(record).unwrap();
        assert!(
            text.starts_with(r#"{"version":1,"frame":41,"time_ms":1366.67,"width":64,"height":48"#),
            "{text}"
        );
    }
}
