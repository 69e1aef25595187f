//! Frames of a film on disk.

use super::camera::{Camera, CameraChoice, CameraError, CameraInfo, Cameras, Shot, frame_of};
use opencv::core::Mat;
use opencv::videoio::{self, VideoCapture, VideoCaptureTrait, VideoCaptureTraitConst};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why a film cannot be read. Its name is the caller's to add.
#[derive(Debug, thiserror::Error)]
pub enum VideoError {
    /// Not there, or not to be read.
    #[error("cannot be read: {0}; expected a film such as one that setsight render --video makes")]
    Unreadable(#[source] std::io::Error),
    /// A folder, a device, a pipe.
    #[error("is no ordinary file; expected a film")]
    NotAFile,
    /// No film that this OpenCV can decode.
    #[error(
        "is no film that can be decoded here; Motion JPEG in .avi always can: ffmpeg -i FILE -c:v mjpeg \
         -q:v 3 film.avi"
    )]
    NotAFilm,
}

/// A film, frame by frame.
pub struct Video {
    capture: VideoCapture,
    fps: f64,
    next: u64,
    last_ms: f64,
    picture: Mat,
}

/// Assumed of a film that does not say its own.
const FPS: f64 = 30.0;

impl Video {
    /// Opens a film.
    ///
    /// # Errors
    /// [`VideoError`].
    pub fn open(path: &Path) -> Result<Self, VideoError> {
        let metadata = std::fs::metadata(path).map_err(VideoError::Unreadable)?;
        if !metadata.is_file() {
            return Err(VideoError::NotAFile);
        }
        std::fs::File::open(path).map_err(VideoError::Unreadable)?;
        let open = || -> opencv::Result<Option<Self>> {
            // OpenCV takes a % in a name for a numbered series; a path from the root has no other
            // meaning than itself.
            let mut capture = VideoCapture::from_file(path, videoio::CAP_FFMPEG)?;
            if !capture.is_opened()? {
                capture = VideoCapture::from_file(path, videoio::CAP_OPENCV_MJPEG)?;
            }
            if !capture.is_opened()? {
                capture = VideoCapture::from_file(path, videoio::CAP_ANY)?;
            }
            if !capture.is_opened()? {
                return Ok(None);
            }
            let fps = capture.get(videoio::CAP_PROP_FPS)?;
            let fps = if fps.is_finite() && (0.1..=1000.0).contains(&fps) { fps } else { FPS };
            Ok(Some(Self { capture, fps, next: 0, last_ms: -1.0, picture: Mat::default() }))
        };
        open().ok().flatten().ok_or(VideoError::NotAFilm)
    }

    /// Frames a second, as the film says.
    pub fn fps(&self) -> f64 {
        self.fps
    }
}

impl Camera for Video {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        let there = self.capture.read(&mut self.picture).unwrap_or(false);
        let frame = if there { frame_of(&self.picture).ok().flatten() } else { None };
        let Some(frame) = frame else { return Ok(None) };
        let taken = Instant::now();
        // The film's own times where it has them and they rise.
        let counted = self.next as f64 * 1e3 / self.fps;
        let told = self.capture.get(videoio::CAP_PROP_POS_MSEC).unwrap_or(-1.0);
        let near = (told - counted).abs() <= 2e3 / self.fps;
        let time_ms = if near || told <= self.last_ms || !told.is_finite() {
            counted.max(self.last_ms)
        } else {
            told
        };
        self.next += 1;
        self.last_ms = time_ms;
        Ok(Some(Shot { frame: Arc::new(frame), time_ms, taken }))
    }
}

/// A film in place of a camera: each frame comes at its own time.
#[derive(Clone, Debug)]
pub struct FilmCamera {
    /// The film.
    pub path: std::path::PathBuf,
}

struct Playing {
    video: Video,
    began: Instant,
}

impl Cameras for FilmCamera {
    fn list(&self) -> Vec<CameraInfo> {
        vec![CameraInfo { number: 0, name: self.path.display().to_string() }]
    }

    fn open(&self, _: &CameraChoice) -> Result<Box<dyn Camera>, CameraError> {
        let camera = self.path.display().to_string();
        let video = Video::open(&self.path).map_err(|_| CameraError::Unopened { camera })?;
        Ok(Box::new(Playing { video, began: Instant::now() }))
    }
}

impl Camera for Playing {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        let Some(mut shot) = self.video.read()? else { return Ok(None) };
        let due = self.began + Duration::from_secs_f64(shot.time_ms.max(0.0) / 1e3);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        shot.taken = Instant::now();
        Ok(Some(shot))
    }
}
