//! The cameras of this machine: on Linux by the kernel's own interface (Video4Linux 2), on other
//! systems by `ffmpeg`.

use super::camera::CameraControl;
use super::camera::{Camera, CameraChoice, CameraError, CameraInfo, Cameras, choose};
use std::sync::Arc;

#[cfg(any(test, not(target_os = "linux")))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use elsewhere as here;
#[cfg(target_os = "linux")]
use linux as here;

/// The cameras of this machine.
#[derive(Clone, Debug, Default)]
pub struct SystemCameras {
    /// Controls the open camera.
    pub control: Arc<CameraControl>,
}

impl Cameras for SystemCameras {
    fn list(&self) -> Vec<CameraInfo> {
        here::list()
    }

    fn open(&self, choice: &CameraChoice) -> Result<Box<dyn Camera>, CameraError> {
        let have = self.list();
        if have.is_empty()
            && let Some(error) = here::cannot_list()
        {
            return Err(error);
        }
        here::open(&choose(&have, choice)?, &self.control)
    }
}
