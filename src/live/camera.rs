//! Cameras: what gives frames, how one is chosen, and what can be wrong with them.

use super::ffmpeg::INSTALL;
use crate::pipeline::Frame;
use image::RgbImage;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// A frame and its time.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The picture.
    pub frame: Arc<Frame>,
    /// From [`Camera::read`]: since the camera was opened or the film began. Whoever opens cameras one
    /// after the other puts all their frames on one clock.
    pub time_ms: f64,
    /// When it was there, on the clock.
    pub taken: Instant,
    /// The JPEG that the picture was decoded from, where it was: a recording takes it as it is.
    pub jpeg: Option<Arc<[u8]>>,
}

impl Shot {
    /// A picture that is there now, from a camera that was opened then.
    pub fn now(image: RgbImage, opened: Instant) -> Self {
        let taken = Instant::now();
        let time_ms = taken.duration_since(opened).as_secs_f64() * 1e3;
        Self { frame: Arc::new(Frame { image }), time_ms, taken, jpeg: None }
    }
}

/// Something that gives frames.
pub trait Camera: Send {
    /// The next frame, waiting for it; `None` at the end of a film.
    ///
    /// # Errors
    /// It gives no frames any more.
    fn read(&mut self) -> Result<Option<Shot>, CameraError>;
}

/// What opens cameras.
pub trait Cameras: Send {
    /// The cameras that are there.
    fn list(&self) -> Vec<CameraInfo>;
    /// Opens one.
    ///
    /// # Errors
    /// [`CameraError`], with what to do.
    fn open(&self, choice: &CameraChoice) -> Result<Box<dyn Camera>, CameraError>;
}

/// A camera that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CameraInfo {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
}

impl fmt::Display for CameraInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}", self.number, self.name)
    }
}

/// Which camera.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CameraChoice {
    /// The first there is.
    #[default]
    First,
    /// By number.
    Number(u32),
    /// By a part of its name, in either case.
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

/// What is wrong with a camera, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CameraError {
    /// There is none at all.
    #[error("no camera is connected")]
    None,
    /// There are cameras, but not this one.
    #[error("there is no {choice}; there is {}", listed(.have))]
    NoSuch {
        /// What was asked for.
        choice: String,
        /// What is there.
        have: Vec<CameraInfo>,
    },
    /// A name that several cameras bear.
    #[error("\"{name}\" may be {}", listed(.have))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// The cameras with that name.
        have: Vec<CameraInfo>,
    },
    /// Another program uses it.
    #[error("camera {camera} is in use by another program")]
    Busy {
        /// Which.
        camera: String,
    },
    /// This user may not use it.
    #[error("camera {camera} may not be used by this user")]
    Permission {
        /// Which.
        camera: String,
    },
    /// It stopped giving frames.
    #[error("camera {camera} is unplugged or switched off")]
    Unplugged {
        /// Which.
        camera: String,
    },
    /// It is there and gives nothing.
    #[error("{camera} has sent no picture for {seconds} s")]
    Silent {
        /// Which.
        camera: String,
        /// For how long.
        seconds: u64,
    },
    /// It gives frames in which nothing is to be seen.
    #[error("camera {camera} gives black pictures")]
    Black {
        /// Which.
        camera: String,
    },
    /// What it gives cannot be decoded.
    #[error("{camera} sends pictures that are not whole")]
    Broken {
        /// Which.
        camera: String,
    },
    /// It cannot be opened for another reason.
    #[error("camera {camera} cannot be opened: {reason}")]
    Unopened {
        /// Which.
        camera: String,
        /// In words.
        reason: String,
    },
    /// Nobody answers at this address of the network, or no more.
    #[error("{address} does not answer: {reason}")]
    Unreachable {
        /// Without a password.
        address: String,
        /// In words.
        reason: String,
    },
    /// It wants another name and password.
    #[error("{address} asks for a name and a password, or refuses these (HTTP {status})")]
    Denied {
        /// Without a password.
        address: String,
        /// The answer's code.
        status: u16,
    },
    /// It wants a name and a password in a way that only `ffmpeg` knows here.
    #[error("{address} asks for a name and a password (HTTP 401, by digest)")]
    Digest {
        /// Without a password.
        address: String,
    },
    /// It answers, but not with pictures.
    #[error("{address} sends no pictures: {reason}")]
    NoPictures {
        /// Without a password.
        address: String,
        /// In words.
        reason: String,
    },
    /// Only `ffmpeg` can read it.
    #[error("{camera} is read by the program ffmpeg, which is not on the PATH")]
    NoFfmpeg {
        /// Which.
        camera: String,
    },
    /// A film that cannot be played, or not to its end.
    #[error("{reason}")]
    Film {
        /// In words, with its name.
        reason: String,
    },
}

fn listed(cameras: &[CameraInfo]) -> String {
    let names: Vec<String> =
        cameras.iter().map(|camera| format!("{} ({})", camera.number, camera.name)).collect();
    names.join(", ")
}

impl CameraError {
    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::None => "connect one, take a phone's, or read a film",
            Self::NoSuch { .. } | Self::Ambiguous { .. } => {
                "choose by number; setsight live --list shows all cameras"
            }
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
            Self::Unopened { .. } => {
                "try another one (setsight live --list), or unplug it and plug it in again"
            }
            Self::Unreachable { .. } => {
                "start the camera app, see that both are in one network, and compare the address with \
                 the one that the app shows"
            }
            Self::Denied { .. } | Self::Digest { .. } => {
                "give them in the address: http://NAME:PASSWORD@PHONE:8080/video"
            }
            Self::NoPictures { .. } => {
                "take the address of its Motion JPEG stream, such as http://PHONE:8080/video, or one \
                 that begins with rtsp://"
            }
            Self::NoFfmpeg { .. } => INSTALL,
            Self::Film { .. } => "see whether it plays elsewhere",
        }
    }

    /// Whether trying again may help without anybody's doing at this program.
    pub fn may_pass(&self) -> bool {
        !matches!(
            self,
            Self::NoSuch { .. }
                | Self::Ambiguous { .. }
                | Self::NoFfmpeg { .. }
                | Self::Film { .. }
        )
    }
}

/// Which of the cameras is meant.
///
/// # Errors
/// None is, or several are.
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

    #[test]
    fn every_error_says_what_to_do() {
        let camera = || "Lid".to_owned();
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
            CameraError::Digest { address: camera() },
            CameraError::NoPictures { address: camera(), reason: "text".into() },
        ] {
            assert!(error.may_pass());
            assert!(!error.advice().contains("again every second"), "whoever tries again says so");
            assert!(error.advice().len() > 12 && !error.to_string().is_empty());
        }
    }
}
