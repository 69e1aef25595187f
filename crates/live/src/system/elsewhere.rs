//! Cameras on macOS, listed and read by `ffmpeg`, and on Windows, by the program of `crates/camera` where that works,
//! else by `ffmpeg` as well.

use crate::{
    camera::{Camera, CameraControl, CameraError, CameraInfo, Shot},
    ffmpeg::{self, FfmpegError, Input, NewestFrame},
};
use setsight_files::programs::in_background;
use std::time::{Duration, Instant};
use std::{path::PathBuf, process::Stdio, sync::Arc};

/// A camera that is silent for this long has failed.
const PATIENCE: Duration = Duration::from_secs(5);

/// ffmpeg's name for the system's interface.
const INTERFACE: &str = if cfg!(target_os = "macos") { "avfoundation" } else { "dshow" };

#[cfg_attr(test, allow(dead_code, reason = "tests parse only"))]
pub(super) fn list() -> Vec<CameraInfo> {
    if let Some((_, cameras)) = helper() {
        return cameras;
    }
    let source = if cfg!(target_os = "macos") { "" } else { "dummy" };
    let asked = ["-hide_banner", "-f", INTERFACE, "-list_devices", "true", "-i", source];
    listed(&ffmpeg::stderr_of(&asked))
}

/// Why cameras cannot be listed although some may be connected.
#[cfg_attr(test, allow(dead_code, reason = "tests parse only"))]
pub(super) fn cannot_list() -> Option<CameraError> {
    // Without arguments, ffmpeg prints its usage.
    (helper().is_none() && ffmpeg::stderr_of(&[]).is_empty())
        .then(|| CameraError::NoFfmpeg { camera: "a camera of this system".to_owned() })
}

/// The program of `crates/camera` and the cameras that it names, where it lies beside this one and Media Foundation
/// is there.
fn helper() -> Option<(PathBuf, Vec<CameraInfo>)> {
    let program = std::env::current_exe().ok()?.with_file_name("setsight-camera.exe");
    if !cfg!(windows) || !program.is_file() {
        return None;
    }
    let output = in_background(&program).arg("list").stdin(Stdio::null()).output().ok()?;
    let cameras = helped(&String::from_utf8_lossy(&output.stdout));
    output.status.success().then_some((program, cameras))
}

/// The cameras that the helper names: a number, a tab and a name in each line.
fn helped(output: &str) -> Vec<CameraInfo> {
    let lines = output.lines().filter_map(|line| line.split_once('\t'));
    lines
        .filter_map(|(number, name)| {
            Some(CameraInfo { number: number.parse().ok()?, name: name.to_owned() })
        })
        .collect()
}

/// The cameras in ffmpeg's list of devices: `[0] FaceTime HD Camera` on macOS,
/// `"HD Webcam" (video)` on Windows.
fn listed(output: &str) -> Vec<CameraInfo> {
    let mut cameras = Vec::new();
    let mut video = false;
    for line in output.lines() {
        // `[AVFoundation indev @ 0x7f8] [0] FaceTime HD Camera`
        let Some((_, text)) = line.split_once("] ") else { continue };
        if let Some(name) = text.strip_suffix("\" (video)").and_then(|t| t.trim().strip_prefix('"'))
        {
            cameras.push(CameraInfo { number: cameras.len() as u32, name: name.to_owned() });
        } else if text.ends_with("devices:") {
            video = text.contains("video");
        } else if let Some((number, name)) =
            text.strip_prefix('[').and_then(|text| text.split_once("] "))
            && let (true, Ok(number)) = (video, number.parse())
            && !name.starts_with("Capture screen")
        {
            cameras.push(CameraInfo { number, name: name.to_owned() });
        }
    }
    cameras
}

#[cfg_attr(test, allow(dead_code, reason = "tests parse only"))]
// ffmpeg cannot set exposure and focus, and its names of sizes differ between systems.
pub(super) fn open(
    info: &CameraInfo,
    _: &Arc<CameraControl>,
) -> Result<Box<dyn Camera>, CameraError> {
    let camera = || info.name.clone();
    let number = info.number.to_string();
    let name = format!("video={}", info.name);
    let device = if cfg!(target_os = "macos") { number } else { name };
    let helper = helper();
    let input = match &helper {
        Some((program, _)) => Input::Helper(program, info.number),
        None => Input::Camera { interface: INTERFACE, device: &device },
    };
    let ffmpeg = NewestFrame::start(input);
    let ffmpeg = ffmpeg.map_err(|error| wrong(error, camera()))?;
    // Errors only show at the first frame.
    let first = ffmpeg.next_frame(PATIENCE).ok_or_else(|| silent(camera()))?;
    first.map_err(|error| wrong(error, camera()))?;
    Ok(Box::new(OtherCamera { ffmpeg, name: camera(), opened: Instant::now() }))
}

fn wrong(error: FfmpegError, camera: String) -> CameraError {
    match error {
        FfmpegError::Missing => CameraError::NoFfmpeg { camera },
        FfmpegError::Unstarted(error) => {
            CameraError::Unopened { camera, reason: error.to_string() }
        }
        FfmpegError::Message(reason) => CameraError::Unopened { camera, reason },
    }
}

fn silent(camera: String) -> CameraError {
    CameraError::Silent { camera, seconds: PATIENCE.as_secs() }
}

struct OtherCamera {
    ffmpeg: NewestFrame,
    name: String,
    opened: Instant,
}

impl Camera for OtherCamera {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        match self.ffmpeg.next_frame(PATIENCE) {
            Some(Ok(Some(image))) => Ok(Some(Shot::now(image, self.opened))),
            Some(_) => Err(CameraError::Unplugged { camera: self.name.clone() }),
            None => Err(silent(self.name.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_have_their_names_on_macos_and_windows() {
        let names = |output: &str| -> Vec<String> {
            listed(output).iter().map(CameraInfo::to_string).collect()
        };
        let macos = "[AVFoundation indev @ 0x7f8] AVFoundation video devices:\n\
                     [AVFoundation indev @ 0x7f8] [0] FaceTime HD Camera\n\
                     [AVFoundation indev @ 0x7f8] [1] Desk View Camera\n\
                     [AVFoundation indev @ 0x7f8] [2] Capture screen 0\n\
                     [AVFoundation indev @ 0x7f8] AVFoundation audio devices:\n\
                     [AVFoundation indev @ 0x7f8] [0] MacBook Microphone\n";
        assert_eq!(names(macos), ["0  FaceTime HD Camera", "1  Desk View Camera"]);
        let windows = "[dshow @ 000001] \"HD Webcam\" (video)\n\
                       [dshow @ 000001]   Alternative name \"@device_pnp_\"\n\
                       [dshow @ 000001] \"Microphone\" (audio)\n";
        assert_eq!(names(windows), ["0  HD Webcam"]);
        assert!(listed("ffmpeg: command not found").is_empty());
        let helped: Vec<String> =
            helped("0\tHD Webcam\r\n1\tOBS\r\n").iter().map(CameraInfo::to_string).collect();
        assert_eq!(helped, ["0  HD Webcam", "1  OBS"]);
    }
}
