//! Cameras: what gives frames, which there are, and what can be wrong with them.

use crate::pipeline::Frame;
use opencv::core::{Mat, MatTraitConst, Vec3b};
use opencv::imgproc;
use opencv::videoio::{self, VideoCapture, VideoCaptureTrait, VideoCaptureTraitConst};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A frame and its time.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The picture.
    pub frame: Arc<Frame>,
    /// Since the camera was opened or the film began.
    pub time_ms: f64,
    /// When it was there, on the clock.
    pub taken: Instant,
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
    /// It gives frames in which nothing is to be seen.
    #[error("camera {camera} gives black pictures")]
    Black {
        /// Which.
        camera: String,
    },
    /// It cannot be opened for another reason.
    #[error("camera {camera} cannot be opened")]
    Unopened {
        /// Which.
        camera: String,
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
            Self::None => "connect one, or read a film: setsight live --video FILE",
            Self::NoSuch { .. } | Self::Ambiguous { .. } => {
                "choose by number; setsight live --list shows all cameras"
            }
            Self::Busy { .. } => "close the other program; it is tried again every second",
            Self::Permission { .. } => {
                "on Linux: sudo usermod -aG video $USER, then log in again; on macOS: System Settings, \
                 Privacy & Security, Camera"
            }
            Self::Unplugged { .. } => "plug it in again; it goes on by itself",
            Self::Black { .. } => "open its shutter, take off its cap, or turn on the light",
            Self::Unopened { .. } => {
                "try another one (setsight live --list), or unplug it and plug it in again"
            }
        }
    }

    /// Whether trying again may help without anybody's doing at this program.
    pub fn may_pass(&self) -> bool {
        !matches!(self, Self::NoSuch { .. } | Self::Ambiguous { .. })
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

/// The cameras of this machine, through OpenCV.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemCameras;

/// Asked of a camera; it gives what it can.
const WISHED_PX: (f64, f64) = (1280.0, 720.0);
/// Where Linux lists its cameras.
const LINUX_CAMERAS: &str = "/sys/class/video4linux";
/// Cameras tried by number where none can be listed.
const TRIED: u32 = 4;

impl Cameras for SystemCameras {
    fn list(&self) -> Vec<CameraInfo> {
        if cfg!(target_os = "linux") {
            return listed_by_linux(Path::new(LINUX_CAMERAS));
        }
        let opens = |number: &u32| {
            VideoCapture::new(*number as i32, videoio::CAP_ANY)
                .and_then(|camera| camera.is_opened())
                .unwrap_or(false)
        };
        let named = |number| CameraInfo { number, name: format!("camera {number}") };
        (0..TRIED).filter(opens).map(named).collect()
    }

    fn open(&self, choice: &CameraChoice) -> Result<Box<dyn Camera>, CameraError> {
        let info = choose(&self.list(), choice)?;
        let camera = info.name.clone();
        if let Some(error) = refusal(&device(info.number), &camera) {
            return Err(error);
        }
        let open = || -> opencv::Result<Option<VideoCapture>> {
            let backend =
                if cfg!(target_os = "linux") { videoio::CAP_V4L2 } else { videoio::CAP_ANY };
            let mut capture = VideoCapture::new(info.number as i32, backend)?;
            if !capture.is_opened()? {
                return Ok(None);
            }
            // Compressed frames are the only ones that most cameras send at this size in time; a
            // buffer would only hold old frames. A camera may refuse either.
            let motion_jpeg = videoio::VideoWriter::fourcc('M', 'J', 'P', 'G')?;
            for (property, value) in [
                (videoio::CAP_PROP_FOURCC, f64::from(motion_jpeg)),
                (videoio::CAP_PROP_FRAME_WIDTH, WISHED_PX.0),
                (videoio::CAP_PROP_FRAME_HEIGHT, WISHED_PX.1),
                (videoio::CAP_PROP_BUFFERSIZE, 1.0),
            ] {
                let _ = capture.set(property, value);
            }
            Ok(Some(capture))
        };
        match open() {
            Ok(Some(capture)) => Ok(Box::new(SystemCamera {
                capture,
                name: camera,
                opened: Instant::now(),
                picture: Mat::default(),
            })),
            // There, allowed, and still closed: in use, as a rule.
            Ok(None) if device(info.number).exists() => Err(CameraError::Busy { camera }),
            Ok(None) | Err(_) => Err(CameraError::Unopened { camera }),
        }
    }
}

fn device(number: u32) -> PathBuf {
    PathBuf::from(format!("/dev/video{number}"))
}

/// Why the system refuses a device, where it says so at once.
fn refusal(device: &Path, camera: &str) -> Option<CameraError> {
    const BUSY: i32 = 16;
    const GONE: [i32; 2] = [6, 19];
    let camera = camera.to_owned();
    let error = std::fs::OpenOptions::new().read(true).write(true).open(device).err()?;
    match (error.kind(), error.raw_os_error()) {
        (std::io::ErrorKind::PermissionDenied, _) => Some(CameraError::Permission { camera }),
        (_, Some(BUSY)) => Some(CameraError::Busy { camera }),
        (_, Some(code)) if GONE.contains(&code) => Some(CameraError::Unplugged { camera }),
        // Other systems have no such files.
        _ => None,
    }
}

/// Linux names each camera; of a camera's several devices only the first gives pictures.
fn listed_by_linux(folder: &Path) -> Vec<CameraInfo> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut cameras: Vec<CameraInfo> = entries
        .flatten()
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.strip_prefix("video")?.parse().ok()?;
            let line = |name: &str| std::fs::read_to_string(entry.path().join(name)).ok();
            if line("index").is_some_and(|index| index.trim() != "0") {
                return None;
            }
            let name = line("name").map_or_else(|| format!("camera {number}"), |n| n.trim().into());
            Some(CameraInfo { number, name })
        })
        .collect();
    cameras.sort_by_key(|camera| camera.number);
    cameras
}

struct SystemCamera {
    capture: VideoCapture,
    name: String,
    opened: Instant,
    picture: Mat,
}

impl Camera for SystemCamera {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        let gone = || CameraError::Unplugged { camera: self.name.clone() };
        let there = self.capture.read(&mut self.picture).map_err(|_| gone())?;
        let frame = if there { frame_of(&self.picture).ok().flatten() } else { None };
        let frame = Arc::new(frame.ok_or_else(gone)?);
        let taken = Instant::now();
        let time_ms = taken.duration_since(self.opened).as_secs_f64() * 1e3;
        Ok(Some(Shot { frame, time_ms, taken }))
    }
}

/// A frame from OpenCV's picture (8 bits; B, G, R or grey). `None` for an empty one.
pub(super) fn frame_of(picture: &Mat) -> opencv::Result<Option<Frame>> {
    let (width, height) = (picture.cols(), picture.rows());
    if width < 32 || height < 32 {
        return Ok(None);
    }
    let code = match picture.channels() {
        1 => imgproc::COLOR_GRAY2RGB,
        4 => imgproc::COLOR_BGRA2RGB,
        _ => imgproc::COLOR_BGR2RGB,
    };
    // Straight into the frame's own memory.
    let mut image = image::RgbImage::new(width as u32, height as u32);
    let mut rgb = Mat::new_rows_cols_with_bytes_mut::<Vec3b>(height, width, &mut image)?;
    imgproc::cvt_color_def(picture, &mut rgb, code)?;
    drop(rgb);
    Ok(Some(Frame { image }))
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
    fn linux_names_its_cameras() {
        let home = tempfile::tempdir().unwrap();
        for (folder, index, name) in
            [("video2", "0", "Desk\n"), ("video0", "0", "Lid\n"), ("video1", "1", "Lid\n")]
        {
            let folder = home.path().join(folder);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("index"), index).unwrap();
            std::fs::write(folder.join("name"), name).unwrap();
        }
        let cameras = listed_by_linux(home.path());
        let lines: Vec<String> = cameras.iter().map(CameraInfo::to_string).collect();
        assert_eq!(lines, ["0  Lid", "2  Desk"]);
        assert!(listed_by_linux(Path::new("/no/such/folder")).is_empty());
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
            CameraError::Unopened { camera: camera() },
        ] {
            assert!(error.may_pass());
            assert!(error.advice().len() > 20 && !error.to_string().is_empty());
        }
    }
}
