//! Frames of a film: a file, a pipe, or a folder of pictures.

use super::camera::{Camera, CameraChoice, CameraError, CameraInfo, Cameras, Shot};
use super::ffmpeg::{Ffmpeg, FfmpegError, INSTALL, Input};
use super::jpeg::{self, Jpegs, LEAST_SIDE_PX, Piece};
use super::pictures::Pictures;
use crate::avi::{self, AviEnd, AviReader};
use crate::pipeline::Frame;
use image::RgbImage;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Why a film cannot be read. Its name is the caller's to add.
#[derive(Debug, thiserror::Error)]
pub enum VideoError {
    /// Not there, or not to be read.
    #[error("cannot be read: {0}; expected a film such as one that setsight render --video makes")]
    Unreadable(#[source] io::Error),
    /// A device, a socket.
    #[error("is no ordinary file; expected a film, a pipe, or a folder of pictures")]
    NotAFile,
    /// A folder or a pattern without pictures.
    #[error(
        "holds no pictures; expected a folder of frames in the order of their names, or a pattern such \
         as frames/%04d.png"
    )]
    NoPictures,
    /// No film that can be decoded.
    #[error("is no film that can be decoded: {0}")]
    NotAFilm(String),
    /// Only `ffmpeg` can decode it.
    #[error("is decoded by the program ffmpeg, which is not on the PATH; {INSTALL}")]
    NoFfmpeg,
    /// It begins well and ends badly.
    #[error("is cut off or damaged after {:.1} s: {reason}", .after_ms / 1e3)]
    Damaged {
        /// Time of the last whole frame.
        after_ms: f64,
        /// In words.
        reason: String,
    },
}

/// A film, frame by frame.
pub struct Video {
    source: Source,
    /// For a film that does not tell its frames' times.
    fps: f64,
    /// Added to the times that the source tells.
    offset_ms: f64,
    last_ms: Option<f64>,
    /// Read when it was opened.
    first: Option<(RgbImage, Option<f64>)>,
}

enum Source {
    /// Frames before this time are passed over.
    Avi {
        avi: AviReader<Box<dyn Read + Send>>,
        from_ms: f64,
    },
    Jpegs(Jpegs<Box<dyn Read + Send>>),
    Pictures(Pictures),
    Ffmpeg(Ffmpeg),
}

/// Frames a second of what does not say.
const FPS: f64 = 30.0;
/// The name that means standard input.
const STDIN: &str = "-";

impl Video {
    /// Opens a film: a file, a named pipe, a folder of pictures, a pattern of their names with `%d`
    /// or `%04d`, or `-` for standard input. Its first frame is read.
    ///
    /// # Errors
    /// [`VideoError`].
    pub fn open(path: &Path) -> Result<Self, VideoError> {
        Self::open_at(path, 0.0)
    }

    /// Opens a film at a time, in milliseconds: its first frame is the first that is no earlier. What
    /// can be read once only is read from where it stands.
    ///
    /// # Errors
    /// [`VideoError`]; there is no frame so late.
    pub fn open_at(path: &Path, from_ms: f64) -> Result<Self, VideoError> {
        if path.as_os_str() == STDIN {
            return Self::from_bytes(Box::new(io::stdin()), None, 0.0);
        }
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(_) if Pictures::is_pattern(path) => return Self::of_pictures(path, from_ms),
            Err(error) => return Err(VideoError::Unreadable(error)),
        };
        if metadata.is_dir() {
            return Self::of_pictures(path, from_ms);
        }
        if !(metadata.is_file() || is_pipe(&metadata)) {
            return Err(VideoError::NotAFile);
        }
        let file = File::open(path).map_err(VideoError::Unreadable)?;
        Self::from_bytes(Box::new(file), metadata.is_file().then_some(path), from_ms)
    }

    fn of_pictures(path: &Path, from_ms: f64) -> Result<Self, VideoError> {
        let mut pictures = Pictures::open(path).ok_or(VideoError::NoPictures)?;
        let first = (from_ms * FPS / 1e3).ceil().max(0.0);
        pictures.skip(first as usize);
        Self::begun(Source::Pictures(pictures), FPS, first * 1e3 / FPS)
    }

    /// Of bytes as they come; `path` is where they may be had again.
    fn from_bytes(
        bytes: Box<dyn Read + Send>,
        path: Option<&Path>,
        from_ms: f64,
    ) -> Result<Self, VideoError> {
        let mut input = Kept { input: BufReader::with_capacity(1 << 18, bytes), kept: Vec::new() };
        let mut start = [0; 12];
        let started = input.read_exact(&mut start);
        if started.is_ok() && start.starts_with(&[0xff, 0xd8, 0xff]) {
            return Self::begun(Source::Jpegs(Jpegs::new(input.again())), FPS, 0.0);
        }
        if started.is_ok() && start.starts_with(b"RIFF") && start.ends_with(b"AVI ") {
            let mut again = Kept { input: input.again(), kept: Vec::new() };
            let head = AviReader::open(&mut again).map(|avi| avi.map(|avi| avi.over(())));
            match head {
                Ok(Some(avi)) => {
                    let (fps, avi) = (avi.fps(), avi.over(again.input));
                    let fps =
                        if fps.is_finite() && (0.1..=1000.0).contains(&fps) { fps } else { FPS };
                    return Self::begun(Source::Avi { avi, from_ms }, fps, 0.0);
                }
                // Of another codec, or broken: said by who knows more of it.
                Ok(None) | Err(_) => {
                    return Self::by_ffmpeg(Box::new(again.again()), path, from_ms);
                }
            }
        }
        Self::by_ffmpeg(Box::new(input.again()), path, from_ms)
    }

    fn by_ffmpeg(
        bytes: Box<dyn Read + Send>,
        path: Option<&Path>,
        from_ms: f64,
    ) -> Result<Self, VideoError> {
        let offset_ms = if path.is_some() { from_ms } else { 0.0 };
        let input = path.map_or(Input::Bytes(bytes), |path| Input::File(path, from_ms));
        let ffmpeg = Ffmpeg::start(input).map_err(|error| match error {
            FfmpegError::Missing => VideoError::NoFfmpeg,
            FfmpegError::Unstarted(error) => VideoError::NotAFilm(format!("ffmpeg: {error}")),
            FfmpegError::Said(words) => VideoError::NotAFilm(words),
        })?;
        Self::begun(Source::Ffmpeg(ffmpeg), FPS, offset_ms)
    }

    /// What cannot be played is told at once.
    fn begun(source: Source, fps: f64, offset_ms: f64) -> Result<Self, VideoError> {
        let mut video = Self { source, fps, offset_ms, last_ms: None, first: None };
        video.first = match video.picture() {
            Ok(None) => return Err(VideoError::NotAFilm("it holds no frame".to_owned())),
            Err(VideoError::Damaged { reason, .. }) => return Err(VideoError::NotAFilm(reason)),
            other => other?,
        };
        let (width, height) = video.first.as_ref().map_or((0, 0), |(image, _)| image.dimensions());
        if width.min(height) < LEAST_SIDE_PX {
            return Err(VideoError::NotAFilm(format!("it is of {width}x{height} pixels")));
        }
        Ok(video)
    }

    /// The next picture and its own time in milliseconds, where it has one.
    fn picture(&mut self) -> Result<Option<(RgbImage, Option<f64>)>, VideoError> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let after_ms = self.last_ms.unwrap_or(0.0);
        let damaged = |reason: String| VideoError::Damaged { after_ms, reason };
        let unread = |error: io::Error| damaged(error.to_string());
        match &mut self.source {
            Source::Avi { avi, from_ms } => loop {
                match avi.next_jpeg() {
                    Ok(None) => return Ok(None),
                    Ok(Some((bytes, number))) => {
                        let counted_ms = || number as f64 * 1e3 / self.fps;
                        let time_ms = avi::stamp_of(&bytes).unwrap_or_else(counted_ms);
                        if time_ms >= *from_ms {
                            let image = jpeg::decode(&bytes).map_err(damaged)?;
                            return Ok(Some((image, Some(time_ms))));
                        }
                    }
                    Err(AviEnd::CutShort) => {
                        return Err(damaged("the file ends too early".to_owned()));
                    }
                    Err(AviEnd::Io(error)) => return Err(unread(error)),
                }
            },
            Source::Jpegs(jpegs) => match jpegs.next_piece().map_err(unread)? {
                Some(Piece::Whole(bytes)) => {
                    Ok(Some((jpeg::decode(&bytes).map_err(damaged)?, None)))
                }
                Some(Piece::Half) => Err(damaged("a picture is not whole".to_owned())),
                None if jpegs.damaged() > 0 => {
                    Err(damaged(format!("{} pictures are not whole", jpegs.damaged())))
                }
                None => Ok(None),
            },
            Source::Pictures(pictures) => {
                let picture = pictures.next_picture().map_err(damaged)?;
                Ok(picture.map(|image| (image, None)))
            }
            Source::Ffmpeg(ffmpeg) => ffmpeg.next_frame().map_err(|error| match error {
                FfmpegError::Said(words) => damaged(words),
                FfmpegError::Missing => VideoError::NoFfmpeg,
                FfmpegError::Unstarted(error) => damaged(error.to_string()),
            }),
        }
    }

    /// How long the film is, in milliseconds, where it says.
    pub fn length_ms(&self) -> Option<f64> {
        match &self.source {
            Source::Avi { avi, .. } => avi.frames().map(|frames| frames as f64 * 1e3 / self.fps),
            Source::Ffmpeg(ffmpeg) => ffmpeg.length_ms(),
            Source::Jpegs(_) | Source::Pictures(_) => None,
        }
    }

    /// The next frame, `None` at the end. Times never fall.
    ///
    /// # Errors
    /// [`VideoError::Damaged`]: there are no more frames, and there should be.
    pub fn next_shot(&mut self) -> Result<Option<Shot>, VideoError> {
        let Some((image, told_ms)) = self.picture()? else { return Ok(None) };
        let taken = Instant::now();
        let step_ms = 1e3 / self.fps;
        let time_ms = match (told_ms.filter(|told| told.is_finite()), self.last_ms) {
            (Some(told), last) => (told + self.offset_ms).max(last.unwrap_or(f64::MIN)),
            (None, Some(last)) => last + step_ms,
            (None, None) => self.offset_ms,
        };
        self.last_ms = Some(time_ms);
        Ok(Some(Shot { frame: Arc::new(Frame { image }), time_ms, taken, jpeg: None }))
    }
}

/// Keeps what was read, so that it can be read again.
struct Kept<R> {
    input: R,
    kept: Vec<u8>,
}

impl<R: Read + Send + 'static> Kept<R> {
    /// From the beginning.
    fn again(self) -> Box<dyn Read + Send> {
        Box::new(io::Cursor::new(self.kept).chain(self.input))
    }
}

impl<R: Read> Read for Kept<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(to)?;
        self.kept.extend_from_slice(&to[..n]);
        Ok(n)
    }
}

#[cfg(unix)]
fn is_pipe(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}

impl Camera for Video {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        self.next_shot().map_err(|error| CameraError::Film { reason: error.to_string() })
    }
}

/// Where a film is that is played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FilmPlace {
    /// Time of the frame that was shown last, in milliseconds of the film.
    pub at_ms: f64,
    /// Its length in milliseconds, where it says.
    pub length_ms: Option<f64>,
    /// Whether it is held.
    pub paused: bool,
}

/// Holds a film that is played elsewhere, and moves it.
#[derive(Debug, Default)]
pub struct FilmControl {
    inner: Mutex<(FilmPlace, Option<f64>)>,
}

impl FilmControl {
    fn lock(&self) -> MutexGuard<'_, (FilmPlace, Option<f64>)> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it is.
    pub fn place(&self) -> FilmPlace {
        self.lock().0
    }

    /// Holds it, or lets it run.
    pub fn pause(&self, pause: bool) {
        self.lock().0.paused = pause;
    }

    /// Goes on from there, in milliseconds of the film.
    pub fn seek(&self, to_ms: f64) {
        self.lock().1 = Some(to_ms.max(0.0));
    }
}

/// A film in place of a camera: each frame comes at its own time.
#[derive(Clone, Debug)]
pub struct FilmCamera {
    /// The film.
    pub path: PathBuf,
    /// Holds and moves it.
    pub control: Arc<FilmControl>,
}

struct Playing {
    video: Video,
    film: FilmCamera,
    opened: Instant,
    /// A moment, and the film's time that belongs to it.
    anchor: (Instant, f64),
}

impl FilmCamera {
    fn video(&self, from_ms: f64) -> Result<Video, CameraError> {
        let name = self.path.display();
        Video::open_at(&self.path, from_ms)
            .map_err(|error| CameraError::Film { reason: format!("{name} {error}") })
    }
}

impl Cameras for FilmCamera {
    fn list(&self) -> Vec<CameraInfo> {
        vec![CameraInfo { number: 0, name: self.path.display().to_string() }]
    }

    fn open(&self, _: &CameraChoice) -> Result<Box<dyn Camera>, CameraError> {
        let from_ms = self.control.lock().1.take().unwrap_or(0.0);
        let video = self.video(from_ms)?;
        self.control.lock().0.length_ms = video.length_ms();
        let now = Instant::now();
        Ok(Box::new(Playing { video, film: self.clone(), opened: now, anchor: (now, from_ms) }))
    }
}

/// A held film looks so often whether it may go on.
const HELD: Duration = Duration::from_millis(20);

impl Camera for Playing {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        let mut moved = false;
        let shot = loop {
            let (place, to_ms) = {
                let mut control = self.film.control.lock();
                (control.0, control.1.take())
            };
            if let Some(to_ms) = to_ms {
                // One that ends before shows its end.
                self.video = self.film.video(to_ms).or_else(|_| self.film.video(0.0))?;
                self.anchor = (Instant::now(), to_ms);
                moved = true;
            }
            // Moved while it is held, it shows where it is.
            if !place.paused || moved {
                break self.video.next_shot();
            }
            let held = Instant::now();
            std::thread::sleep(HELD);
            self.anchor.0 += held.elapsed();
        };
        let shot = shot.map_err(|error| CameraError::Film { reason: error.to_string() })?;
        let Some(mut shot) = shot else { return Ok(None) };
        let at_ms = shot.time_ms;
        let due = self.anchor.0 + Duration::from_secs_f64((at_ms - self.anchor.1).max(0.0) / 1e3);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        self.film.control.lock().0.at_ms = at_ms;
        shot.taken = Instant::now();
        // Moved back, its frames' own times would fall.
        shot.time_ms = shot.taken.duration_since(self.opened).as_secs_f64() * 1e3;
        Ok(Some(shot))
    }
}
