//! Reads the frames of a film: a file, a pipe, or a folder of pictures.

pub use super::pictures::Rate;
use super::{
    camera::{Camera, CameraChoice, CameraError, CameraInfo, Cameras, Shot},
    ffmpeg::{Ffmpeg, FfmpegError, INSTALL, Input},
    jpeg::{self, Jpegs, Piece},
    pictures::Pictures,
};
use crate::avi::{self, AviEnd, AviReader};
use image::RgbImage;
use setsight_photo::source::MIN_SIDE_PX;
use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Why a film cannot be read. The caller adds its name.
#[derive(Debug, thiserror::Error)]
pub enum VideoError {
    #[error("cannot be read: {0}; expected a film")]
    Unreadable(#[source] io::Error),
    #[error("is not an ordinary file; expected a film, a pipe, or a folder of pictures")]
    NotAFile,
    #[error(
        "holds no pictures; expected a folder of frames in the order of their names, or a pattern such \
         as frames/%04d.png"
    )]
    NoPictures,
    #[error("cannot be decoded as a film: {0}")]
    NotAFilm(String),
    #[error("is decoded by the program ffmpeg, which is not on the PATH; {INSTALL}")]
    NoFfmpeg,
    #[error("is cut off or damaged after {:.1} s: {reason}", .after_ms / 1e3)]
    Damaged { after_ms: f64, reason: String },
}

/// Reads a film frame by frame.
pub struct Video {
    /// Its path, for messages.
    name: String,
    source: Source,
    /// Frames per second, for frames without a time.
    fps: f64,
    /// Added to the times that the source gives.
    offset_ms: f64,
    last_ms: Option<f64>,
    /// The first frame, which is read when the film is opened.
    first: Option<(RgbImage, Option<f64>)>,
}

enum Source {
    /// Frames before `from_ms` are skipped.
    Avi {
        avi: AviReader<Box<dyn Read + Send>>,
        from_ms: f64,
    },
    Jpegs(Jpegs<Box<dyn Read + Send>>),
    Pictures(Pictures),
    Ffmpeg(Ffmpeg),
}

/// Frames per second of a source that does not state any.
const FPS: f64 = 30.0;
/// The name that means standard input.
const STDIN: &str = "-";

impl Video {
    /// Opens a film: a file, a named pipe, a folder of pictures, a pattern of their names with `%d`
    /// or `%04d`, or `-` for standard input. Reads its first frame.
    ///
    /// # Errors
    /// See [`VideoError`].
    pub fn open(path: &Path) -> Result<Self, VideoError> {
        Self::open_at(path, 0.0, None)
    }

    /// Opens a film at a time, in milliseconds: its first frame is the first one at or after that
    /// time. A source that cannot be reopened continues from its current place. `fps` is the rate of
    /// single pictures, which else state it themselves; a film has its own.
    pub(crate) fn open_at(path: &Path, from_ms: f64, fps: Option<f64>) -> Result<Self, VideoError> {
        Ok(Self { name: path.display().to_string(), ..Self::of_path(path, from_ms, fps)? })
    }

    fn of_path(path: &Path, from_ms: f64, fps: Option<f64>) -> Result<Self, VideoError> {
        if path.as_os_str() == STDIN {
            return Self::from_bytes(Box::new(io::stdin()), None, 0.0);
        }
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(_) if Pictures::is_pattern(path) => return Self::of_pictures(path, from_ms, fps),
            Err(error) => return Err(VideoError::Unreadable(error)),
        };
        if metadata.is_dir() {
            return Self::of_pictures(path, from_ms, fps);
        }
        if !(metadata.is_file() || is_pipe(&metadata)) {
            return Err(VideoError::NotAFile);
        }
        let file = File::open(path).map_err(VideoError::Unreadable)?;
        Self::from_bytes(Box::new(file), metadata.is_file().then_some(path), from_ms)
    }

    fn of_pictures(path: &Path, from_ms: f64, fps: Option<f64>) -> Result<Self, VideoError> {
        let mut pictures = Pictures::open(path).ok_or(VideoError::NoPictures)?;
        let fps = fps.unwrap_or_else(|| pictures.rate().fps);
        let first = (from_ms * fps / 1e3).ceil().max(0.0);
        pictures.skip(first as usize);
        Self::begun(Source::Pictures(pictures), fps, first * 1e3 / fps)
    }

    /// From a stream of bytes; `path` is the file to reopen, if there is one.
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
                // Another codec or a broken file: ffmpeg decodes it or gives a better message.
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
            FfmpegError::Message(words) => VideoError::NotAFilm(words),
        })?;
        Self::begun(Source::Ffmpeg(ffmpeg), FPS, offset_ms)
    }

    /// Reads the first frame, so that a film that cannot be played is reported when it is opened.
    fn begun(source: Source, fps: f64, offset_ms: f64) -> Result<Self, VideoError> {
        let name = String::new();
        let mut video = Self { name, source, fps, offset_ms, last_ms: None, first: None };
        video.first = match video.picture() {
            Ok(None) => return Err(VideoError::NotAFilm("it holds no frame".to_owned())),
            Err(VideoError::Damaged { reason, .. }) => return Err(VideoError::NotAFilm(reason)),
            other => other?,
        };
        let (width, height) = video.first.as_ref().map_or((0, 0), |(image, _)| image.dimensions());
        if width.min(height) < MIN_SIDE_PX {
            return Err(VideoError::NotAFilm(format!("it is of {width}x{height} pixels")));
        }
        Ok(video)
    }

    /// The next picture, and its own time in milliseconds, if it has one.
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
                        let time_ms =
                            avi::stamp_of(&bytes).unwrap_or(number as f64 * 1e3 / self.fps);
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
                Some(Piece::Png) => Err(damaged("a picture is a PNG".to_owned())),
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
                FfmpegError::Message(words) => damaged(words),
                FfmpegError::Missing => VideoError::NoFfmpeg,
                FfmpegError::Unstarted(error) => damaged(error.to_string()),
            }),
        }
    }

    /// Length of the film in milliseconds, if the film states it.
    pub(crate) fn length_ms(&self) -> Option<f64> {
        match &self.source {
            Source::Avi { avi, .. } => avi.frames().map(|frames| frames as f64 * 1e3 / self.fps),
            Source::Ffmpeg(ffmpeg) => ffmpeg.length_ms(),
            Source::Jpegs(_) | Source::Pictures(_) => None,
        }
    }

    /// The next frame; `None` at the end. Times never decrease.
    ///
    /// # Errors
    /// [`VideoError::Damaged`]: there should be more frames, but they cannot be read.
    pub fn next_shot(&mut self) -> Result<Option<Shot>, VideoError> {
        let Some((image, stamp_ms)) = self.picture()? else { return Ok(None) };
        let taken = Instant::now();
        let step_ms = 1e3 / self.fps;
        let stamp_ms = stamp_ms.filter(|stamp_ms| stamp_ms.abs() <= avi::MOST_MS);
        let time_ms = match (stamp_ms, self.last_ms) {
            (Some(stamp_ms), last) => (stamp_ms + self.offset_ms).max(last.unwrap_or(f64::MIN)),
            (None, Some(last)) => last + step_ms,
            (None, None) => self.offset_ms,
        };
        self.last_ms = Some(time_ms);
        Ok(Some(Shot { frame: Arc::new(image), time_ms, taken, jpeg: None, times: Vec::new() }))
    }
}

/// Longest beginning of a film that is kept, in bytes: the header that a film announces may be
/// longer than any that there is.
const MOST_KEPT_BYTES: usize = 4 << 20;

/// Keeps the bytes that were read, so that they can be read again.
struct Kept<R> {
    input: R,
    kept: Vec<u8>,
}

impl<R: Read + Send + 'static> Kept<R> {
    /// A reader that starts again at the beginning.
    fn again(self) -> Box<dyn Read + Send> {
        Box::new(io::Cursor::new(self.kept).chain(self.input))
    }
}

impl<R: Read> Read for Kept<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.kept.len() > MOST_KEPT_BYTES {
            return Err(io::Error::other("its header does not end"));
        }
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
        self.next_shot().map_err(|error| film_error(&self.name, &error))
    }
}

fn film_error(name: &str, error: &VideoError) -> CameraError {
    CameraError::Film { reason: format!("{name} {error}") }
}

/// How many single pictures there are in a folder or of a pattern, and how many of them make a
/// second, as far as they say; `None` for films of other kinds.
pub fn rate_of_pictures(path: &Path) -> Option<(usize, Rate)> {
    let is_series = path.is_dir() || !path.exists() && Pictures::is_pattern(path);
    let pictures = Pictures::open(path).filter(|_| is_series)?;
    Some((pictures.len(), pictures.rate()))
}

/// Opens a film at a time, in milliseconds; `fps` as for [`Video::open_at`].
pub(crate) fn open_film(path: &Path, from_ms: f64, fps: Option<f64>) -> Result<Video, CameraError> {
    Video::open_at(path, from_ms, fps)
        .map_err(|error| film_error(&path.display().to_string(), &error))
}

/// The state of a film that is playing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FilmPlace {
    /// Time of the last frame shown, in milliseconds of the film.
    pub at_ms: f64,
    /// Length in milliseconds, if the film states it.
    pub length_ms: Option<f64>,
    pub paused: bool,
}

/// Pauses a film that plays on another thread, and seeks in it.
#[derive(Debug, Default)]
pub struct FilmControl {
    inner: Mutex<(FilmPlace, Option<f64>)>,
    /// Pictures a second of a film of single pictures, if they are not to say it themselves.
    pub(crate) fps: Option<f64>,
}

impl FilmControl {
    fn lock(&self) -> MutexGuard<'_, (FilmPlace, Option<f64>)> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Controls a film of single pictures of which so many make a second.
    pub(crate) fn with_fps(fps: f64) -> Self {
        Self { fps: Some(fps), ..Self::default() }
    }

    /// The current state.
    pub(crate) fn place(&self) -> FilmPlace {
        self.lock().0
    }

    /// Pauses or resumes the film.
    pub(crate) fn pause(&self, pause: bool) {
        self.lock().0.paused = pause;
    }

    /// Continues at the given time, in milliseconds of the film. Returns the present moment: frames
    /// that arrived before it are of the place that was left.
    pub(crate) fn seek(&self, to_ms: f64) -> Instant {
        let mut inner = self.lock();
        inner.1 = Some(to_ms.max(0.0));
        Instant::now()
    }
}

/// Plays a film like a camera: each frame arrives at its own time.
#[derive(Clone, Debug)]
pub struct FilmCamera {
    pub path: PathBuf,
    /// Pauses the film and seeks in it.
    pub control: Arc<FilmControl>,
}

struct Playing {
    video: Video,
    film: FilmCamera,
    opened: Instant,
    /// A moment, and the film's time at that moment, in milliseconds.
    anchor: (Instant, f64),
}

impl Cameras for FilmCamera {
    fn list(&self) -> Vec<CameraInfo> {
        vec![CameraInfo { number: 0, name: self.path.display().to_string() }]
    }

    fn open(&self, _: &CameraChoice) -> Result<Box<dyn Camera>, CameraError> {
        let from_ms = self.control.lock().1.take().unwrap_or(0.0);
        let video = open_film(&self.path, from_ms, self.control.fps)?;
        self.control.lock().0.length_ms = video.length_ms();
        let now = Instant::now();
        Ok(Box::new(Playing { video, film: self.clone(), opened: now, anchor: (now, from_ms) }))
    }
}

/// How often a paused film checks whether to continue.
const HELD: Duration = Duration::from_millis(20);

impl Playing {
    /// The film's next frame, after a change of place if one is wanted; waits while it is paused.
    /// Whether the place has changed is kept in `moved`: then a paused film shows one frame.
    fn next(&mut self, moved: &mut bool) -> Result<Option<Shot>, CameraError> {
        loop {
            let (place, to_ms) = {
                let mut control = self.film.control.lock();
                (control.0, control.1.take())
            };
            if let Some(to_ms) = to_ms {
                // A film that ends before that time starts again.
                let (path, fps) = (&self.film.path, self.film.control.fps);
                self.video = open_film(path, to_ms, fps).or_else(|_| open_film(path, 0.0, fps))?;
                self.anchor = (Instant::now(), to_ms);
                *moved = true;
            }
            if !place.paused || *moved {
                return self.video.read();
            }
            let held = Instant::now();
            std::thread::sleep(HELD);
            self.anchor.0 += held.elapsed();
        }
    }
}

impl Camera for Playing {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        let mut moved = false;
        loop {
            let Some(mut shot) = self.next(&mut moved)? else { return Ok(None) };
            let at_ms = shot.time_ms;
            let after_ms = (at_ms - self.anchor.1).max(0.0);
            let due = self.anchor.0 + Duration::from_secs_f64(after_ms / 1e3);
            while self.film.control.lock().1.is_none() && Instant::now() < due {
                std::thread::sleep(due.saturating_duration_since(Instant::now()).min(HELD));
            }
            let mut control = self.film.control.lock();
            // Another place was wanted in the meantime.
            if control.1.is_some() {
                continue;
            }
            control.0.at_ms = at_ms;
            shot.taken = Instant::now();
            // After seeking back, the frames' own times would decrease.
            shot.time_ms = shot.taken.duration_since(self.opened).as_secs_f64() * 1e3;
            return Ok(Some(shot));
        }
    }
}
