//! Cameras: the source of frames, the choice of a camera, its settings, and what can be wrong with one.

use super::ffmpeg::INSTALL;
use image::RgbImage;
use serde::{Deserialize, Serialize};
use setsight_photo::Frame;
use setsight_vision::StageTime;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, time::Instant};

/// A frame and its time.
#[derive(Clone, Debug)]
pub struct Shot {
    pub frame: Arc<Frame>,
    /// Milliseconds since the camera was opened or the film began, as [`Camera::read`] gives it. A
    /// caller that opens several cameras in turn moves all their frames to one clock.
    pub time_ms: f64,
    /// When the frame arrived, by the system's clock.
    pub taken: Instant,
    /// The JPEG that the picture was decoded from, if any; a recording stores it unchanged.
    pub jpeg: Option<Arc<[u8]>>,
    /// The time that reading it took, where that was measured.
    pub times: Vec<StageTime>,
}

impl Shot {
    /// A picture that arrives now, from a camera that was opened at `opened`.
    pub(crate) fn now(image: RgbImage, opened: Instant) -> Self {
        let taken = Instant::now();
        let time_ms = taken.duration_since(opened).as_secs_f64() * 1e3;
        Self { frame: Arc::new(image), time_ms, taken, jpeg: None, times: Vec::new() }
    }
}

/// A source of frames.
pub trait Camera: Send {
    /// Waits for the next frame; `None` at the end of a film.
    fn read(&mut self) -> Result<Option<Shot>, CameraError>;
}

/// Lists and opens cameras.
pub trait Cameras: Send {
    fn list(&self) -> Vec<CameraInfo>;
    fn open(&self, choice: &CameraChoice) -> Result<Box<dyn Camera>, CameraError>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CameraInfo {
    pub number: u32,
    pub name: String,
}

impl fmt::Display for CameraInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}", self.number, self.name)
    }
}

/// The camera that the user wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CameraChoice {
    #[default]
    First,
    Number(u32),
    /// The camera whose name contains this text, ignoring case.
    Name(String),
}

impl From<&str> for CameraChoice {
    fn from(text: &str) -> Self {
        text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Number)
    }
}

impl fmt::Display for CameraChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("the first camera"),
            Self::Number(number) => write!(f, "camera {number}"),
            Self::Name(name) => write!(f, "camera \"{name}\""),
        }
    }
}

/// What is wrong with a camera; [`CameraError::advice`] says what to do. Addresses are without passwords.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CameraError {
    #[error("no camera is connected")]
    None,
    #[error("there is no {choice}; there is {}", listed(.have))]
    NoSuch { choice: String, have: Vec<CameraInfo> },
    #[error("\"{name}\" may be {}", listed(.have))]
    Ambiguous { name: String, have: Vec<CameraInfo> },
    #[error("camera {camera} is in use by another program")]
    Busy { camera: String },
    #[error("camera {camera} may not be used by this user")]
    Permission { camera: String },
    #[error("camera {camera} is unplugged or switched off")]
    Unplugged { camera: String },
    #[error("{camera} has sent no picture for {seconds} s")]
    Silent { camera: String, seconds: u64 },
    #[error("camera {camera} gives black pictures")]
    Black { camera: String },
    #[error("{camera} sends incomplete pictures")]
    Broken { camera: String },
    /// The camera cannot be opened for another reason.
    #[error("camera {camera} cannot be opened: {reason}")]
    Unopened { camera: String, reason: String },
    #[error("{address} does not answer: {reason}")]
    Unreachable { address: String, reason: String },
    #[error("{address} asks for a name and a password, or refuses these (HTTP {status})")]
    Denied { address: String, status: u16 },
    #[error("{address} sends no pictures: {reason}")]
    NoPictures { address: String, reason: String },
    #[error("{camera} is read by the program ffmpeg, which is not on the PATH")]
    NoFfmpeg { camera: String },
    /// A film cannot be played, or not to its end.
    #[error("{reason}")]
    Film { reason: String },
}

fn listed(cameras: &[CameraInfo]) -> String {
    let names: Vec<String> =
        cameras.iter().map(|camera| format!("{} ({})", camera.number, camera.name)).collect();
    names.join(", ")
}

impl CameraError {
    /// What the user can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::None => "connect one, use a phone, or read a film",
            Self::NoSuch { .. } | Self::Ambiguous { .. } => "choose by number",
            Self::Busy { .. } => "close the other program",
            Self::Permission { .. } => {
                "on Linux: sudo usermod -aG video $USER, then log in again; on macOS: System Settings, \
                 Privacy & Security, Camera"
            }
            Self::Unplugged { .. } => "plug it in again",
            Self::Silent { .. } => "see whether it is still on and its app still open",
            Self::Black { .. } => "open its shutter, take off its cap, or turn on the light",
            Self::Broken { .. } => {
                "use another cable or stand nearer to the router, or choose a smaller picture in its app"
            }
            Self::Unopened { .. } => "try another one, or unplug it and plug it in again",
            Self::Unreachable { .. } => {
                "start the camera app, see that both are in one network, and compare the address with \
                 the one that the app shows"
            }
            Self::Denied { .. } => {
                "give them in the address: http://NAME:PASSWORD@PHONE:8080/video"
            }
            Self::NoPictures { .. } => {
                "take the address of its Motion JPEG stream, such as http://PHONE:8080/video, or one \
                 that begins with rtsp://"
            }
            Self::NoFfmpeg { .. } => INSTALL,
            Self::Film { .. } => "check that it plays in another program",
        }
    }

    /// Whether trying again may help without any change to the program's settings.
    pub(crate) fn may_pass(&self) -> bool {
        !matches!(
            self,
            Self::NoSuch { .. }
                | Self::Ambiguous { .. }
                | Self::NoFfmpeg { .. }
                | Self::Film { .. }
        )
    }
}

/// Finds the camera that the user wants.
///
/// # Errors
/// No camera matches, or several do.
pub fn choose(have: &[CameraInfo], choice: &CameraChoice) -> Result<CameraInfo, CameraError> {
    if have.is_empty() {
        return Err(CameraError::None);
    }
    let no_such = || CameraError::NoSuch { choice: choice.to_string(), have: have.to_vec() };
    match choice {
        CameraChoice::First => Ok(have[0].clone()),
        CameraChoice::Number(number) => {
            have.iter().find(|camera| camera.number == *number).cloned().ok_or_else(no_such)
        }
        CameraChoice::Name(name) => {
            let part = name.to_lowercase();
            let exact: Vec<_> = have.iter().filter(|c| c.name.to_lowercase() == part).collect();
            let some: Vec<_> =
                have.iter().filter(|c| c.name.to_lowercase().contains(&part)).collect();
            match (&exact[..], &some[..]) {
                ([one], _) | ([], [one]) => Ok((*one).clone()),
                (_, []) => Err(no_such()),
                (_, several) => Err(CameraError::Ambiguous {
                    name: name.clone(),
                    have: several.iter().map(|c| (*c).clone()).collect(),
                }),
            }
        }
    }
}

/// The settings that the user wants. `None` leaves the choice to the camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CameraWish {
    /// Width and height of the pictures, in pixels.
    pub size_px: Option<(u32, u32)>,
    /// Exposure in the camera's own unit, within [`CameraOffer::exposure`].
    pub exposure: Option<i64>,
    /// Focus in the camera's own unit, within [`CameraOffer::focus`].
    pub focus: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CameraOffer {
    /// Picture sizes in pixels, smallest first.
    pub sizes_px: Vec<(u32, u32)>,
    /// Range of the exposure, if it can be set.
    pub exposure: Option<Span>,
    /// Range of the focus, if it can be set.
    pub focus: Option<Span>,
}

/// The range of a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Smallest value.
    pub least: i64,
    /// Largest value.
    pub most: i64,
    /// Value when the camera was opened.
    pub now: i64,
}

/// Passes settings between the user interface and the thread that reads the camera.
#[derive(Debug, Default)]
pub struct CameraControl {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    wish: CameraWish,
    /// Whether the wish has not been passed to the open camera yet.
    changed: bool,
    offer: CameraOffer,
}

#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "elsewhere cameras are read without controls")
)]
impl CameraControl {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the wish, for now and for whenever the camera is opened again.
    pub(crate) fn set(&self, wish: CameraWish) {
        let mut inner = self.lock();
        inner.changed |= inner.wish != wish;
        inner.wish = wish;
    }

    /// The settings that the camera offers; empty before it is open.
    pub(crate) fn offer(&self) -> CameraOffer {
        self.lock().offer.clone()
    }

    /// Called by the camera's thread when it opens the camera: the current wish.
    pub(crate) fn wish(&self) -> CameraWish {
        let mut inner = self.lock();
        inner.changed = false;
        inner.wish
    }

    /// Called by the camera's thread: the wish, if it has changed.
    pub(crate) fn changed(&self) -> Option<CameraWish> {
        let mut inner = self.lock();
        std::mem::take(&mut inner.changed).then_some(inner.wish)
    }

    /// Called by the camera's thread: publishes the settings that the camera offers.
    pub(crate) fn tell(&self, offer: CameraOffer) {
        self.lock().offer = offer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<CameraInfo> {
        [(0, "HD Webcam"), (2, "USB Microscope")]
            .map(|(number, name)| CameraInfo { number, name: name.into() })
            .to_vec()
    }

    #[test]
    fn a_camera_is_chosen_by_number_or_name() {
        let number = |choice: &str| choose(&two(), &choice.into()).map(|camera| camera.number);
        assert_eq!(number("2"), Ok(2));
        assert_eq!(number("microscope"), Ok(2));
        assert_eq!(number("hd webcam"), Ok(0));
        assert_eq!(choose(&two(), &CameraChoice::First).unwrap().number, 0);
        let message = number("7").unwrap_err().to_string();
        assert_eq!(message, "there is no camera 7; there is 0 (HD Webcam), 2 (USB Microscope)");
        assert!(matches!(number("b"), Err(CameraError::Ambiguous { .. })));
        assert!(!number("b").unwrap_err().may_pass());
        assert_eq!(choose(&[], &CameraChoice::First), Err(CameraError::None));
    }

    fn camera() -> String {
        "Lid".to_owned()
    }

    #[test]
    fn every_error_says_what_to_do() {
        for error in [
            CameraError::None,
            CameraError::Busy { camera: camera() },
            CameraError::Permission { camera: camera() },
            CameraError::Unplugged { camera: camera() },
            CameraError::Black { camera: camera() },
            CameraError::Unopened { camera: camera(), reason: "it is a file".into() },
            CameraError::Silent { camera: camera(), seconds: 5 },
            CameraError::Broken { camera: camera() },
            CameraError::Unreachable { address: camera(), reason: "nobody is there".into() },
            CameraError::Denied { address: camera(), status: 401 },
            CameraError::NoPictures { address: camera(), reason: "text".into() },
        ] {
            assert!(error.may_pass());
            assert!(!error.advice().contains("again every second"), "whoever tries again says so");
            assert!(error.advice().len() > 12 && !error.to_string().is_empty());
        }
    }

    #[test]
    fn a_wish_is_new_once_and_holds_when_the_camera_is_opened_again() {
        let control = CameraControl::default();
        assert_eq!(control.changed(), None);
        let wish = CameraWish { focus: Some(40), ..CameraWish::default() };
        control.set(wish);
        control.set(wish);
        assert_eq!((control.changed(), control.changed()), (Some(wish), None));
        assert_eq!(control.wish(), wish);
    }
}
