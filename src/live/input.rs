//! What is watched, as a user says it.

use super::camera::{CameraChoice, Cameras};
use super::control::CameraControl;
use super::network::{Address, NetworkCamera};
use super::system::SystemCameras;
use super::video::{FilmCamera, FilmControl};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// What is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A camera of this machine.
    Camera(CameraChoice),
    /// A camera of the network.
    Network(Address),
    /// A film: what [`super::video::Video::open`] takes.
    Film(PathBuf),
}

/// What moves and sets what is watched, from another thread.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    /// Of a film.
    pub film: Arc<FilmControl>,
    /// Of a camera of this machine.
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
        }
    }
}

impl Input {
    /// What opens it. A film comes at its own pace, as a camera would give it, and is held and moved
    /// by its control.
    pub fn cameras(&self, controls: &Controls) -> Box<dyn Cameras> {
        match self {
            Self::Camera(_) => Box::new(SystemCameras { control: Arc::clone(&controls.camera) }),
            Self::Network(address) => Box::new(NetworkCamera::at(address.clone())),
            Self::Film(path) => {
                let control = Arc::clone(&controls.film);
                Box::new(FilmCamera { path: path.clone(), control })
            }
        }
    }

    /// Which of them.
    pub fn choice(&self) -> CameraChoice {
        match self {
            Self::Camera(choice) => choice.clone(),
            Self::Network(_) | Self::Film(_) => CameraChoice::First,
        }
    }
}
