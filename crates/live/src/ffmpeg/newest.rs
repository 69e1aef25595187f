//! The newest frame of a camera that `ffmpeg` reads. It is read all the time, on a thread of its own,
//! so that old frames do not pile up and a silent camera is noticed.

use super::process::Process;
use super::{Ffmpeg, FfmpegError, Input};
use crate::latest::{Latest, Taken};
use image::RgbImage;
use std::sync::Arc;
use std::time::Duration;

/// A camera's frames. Dropping it ends the process.
pub(crate) struct NewestFrame {
    slot: Arc<Slot>,
    process: Process,
}

/// `None`: the stream has ended.
type Slot = Latest<Result<Option<RgbImage>, FfmpegError>>;

impl NewestFrame {
    /// Begins to read.
    pub(crate) fn start(input: Input) -> Result<Self, FfmpegError> {
        let mut ffmpeg = Ffmpeg::start(input)?;
        let process = ffmpeg.process.clone();
        let slot = Arc::<Slot>::default();
        let out = Arc::clone(&slot);
        std::thread::spawn(move || {
            loop {
                let next = ffmpeg.next_frame().map(|next| next.map(|(image, _)| image));
                let is_last = !matches!(next, Ok(Some(_)));
                // A picture that still waits is taken first.
                while is_last && !out.is_empty() && out.pause(Duration::from_millis(5)) {}
                if !out.put(next) || is_last {
                    return;
                }
            }
        });
        Ok(Self { slot, process })
    }

    /// The newest frame, or why none will come, as [`Ffmpeg::next_frame`]; `None` if the camera is
    /// silent for longer than the patience.
    pub(crate) fn next_frame(
        &self,
        patience: Duration,
    ) -> Option<Result<Option<RgbImage>, FfmpegError>> {
        match self.slot.take(patience) {
            Taken::Item(next) => Some(next),
            Taken::Nothing | Taken::Closed => None,
        }
    }
}

impl Drop for NewestFrame {
    fn drop(&mut self) {
        self.slot.close();
        self.process.end();
    }
}
