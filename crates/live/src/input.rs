//! The source of frames, as the user specifies it.

use super::camera::{Camera, CameraChoice, CameraError, Cameras};
use super::network::{Address, NetworkCamera};
use super::video::{self, FilmCamera, FilmControl};
use super::{control::CameraControl, feed::Feed, system::SystemCameras};
use std::{fmt, path::PathBuf, sync::Arc};

/// The source of frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A camera of this machine.
    Camera(CameraChoice),
    /// A network camera.
    Network(Address),
    /// A film: anything that [`super::video::Video::open`] accepts.
    Film(PathBuf),
    /// Pictures that another part of the program hands in.
    Feed(Feed),
}

/// Which frames of a source are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramePace {
    /// The newest frame only, as they come; a film plays at its own time. Detections are used as
    /// soon as they are there.
    Newest,
    /// Every frame, in order, as fast as they are followed. Detections are used at
    /// [`super::watch::FILM_PACE`].
    Every,
}

/// Controls the source from another thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controls {
    /// Controls a film.
    pub film: Arc<FilmControl>,
    /// Controls a camera of this machine.
    pub camera: Arc<CameraControl>,
}

impl Default for Input {
    fn default() -> Self {
        Self::Camera(CameraChoice::First)
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Camera(choice) => write!(f, "{choice}"),
            Self::Network(address) => write!(f, "{address}"),
            Self::Film(path) => write!(f, "{}", path.display()),
            Self::Feed(feed) => write!(f, "{feed}"),
        }
    }
}

impl Input {
    /// The cameras that open this source. A film plays at its own pace, like a camera; its control
    /// pauses it and seeks in it.
    pub(crate) fn cameras(&self, controls: &Controls) -> Box<dyn Cameras> {
        match self {
            Self::Camera(_) => Box::new(SystemCameras { control: Arc::clone(&controls.camera) }),
            Self::Network(address) => Box::new(NetworkCamera::at(address.clone())),
            Self::Feed(feed) => Box::new(feed.clone()),
            Self::Film(path) => {
                let control = Arc::clone(&controls.film);
                Box::new(FilmCamera { path: path.clone(), control })
            }
        }
    }

    /// Opens this source, for the pace at which it is followed.
    pub(crate) fn open(
        &self,
        pace: FramePace,
        controls: &Controls,
    ) -> Result<Box<dyn Camera>, CameraError> {
        match (self, pace) {
            (Self::Film(path), FramePace::Every) => {
                Ok(Box::new(video::open_film(path, 0.0, controls.film.fps)?))
            }
            _ => self.cameras(controls).open(&self.choice()),
        }
    }

    /// The camera among [`Self::cameras`] that is meant.
    pub(crate) fn choice(&self) -> CameraChoice {
        match self {
            Self::Camera(choice) => choice.clone(),
            Self::Network(_) | Self::Film(_) | Self::Feed(_) => CameraChoice::First,
        }
    }
}
