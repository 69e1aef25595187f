//! `ffmpeg` as a process that ends with this program, however that ends, and the newest frame of a camera that it
//! reads: all the time, on a thread of its own, so that old frames do not pile up and a silent camera is noticed.

use super::{Ffmpeg, FfmpegError, Input};
use crate::latest::{Latest, Taken};
use image::RgbImage;
use setsight_files::programs::in_background;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::{io, time::Duration};

/// The program's name, searched for on the PATH.
pub(super) const PROGRAM: &str = "ffmpeg";

/// A running `ffmpeg`. It ends with the last of its clones.
#[derive(Clone)]
pub(super) struct Process(Arc<Running>);

struct Running(Mutex<Child>);

/// All that run, for the program's end.
static ALL: Mutex<Vec<Weak<Running>>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The command, without arguments. On Linux the kernel ends the process when the thread that
/// started it is gone, even where the program was killed; `setpriv` asks it to.
pub(super) fn command() -> Command {
    #[cfg(target_os = "linux")]
    if is_on_path(PROGRAM) && is_on_path("setpriv") {
        let mut command = in_background("setpriv");
        command.args(["--pdeathsig", "KILL", PROGRAM]);
        return command;
    }
    in_background(PROGRAM)
}

#[cfg(target_os = "linux")]
fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

impl Process {
    /// Takes over a process that was just started.
    pub(super) fn of(child: Child) -> Self {
        let process = Self(Arc::new(Running(Mutex::new(child))));
        let mut all = locked(&ALL);
        all.retain(|running| running.strong_count() > 0);
        all.push(Arc::downgrade(&process.0));
        process
    }

    /// Ends it.
    pub(super) fn end(&self) {
        self.0.end();
    }

    /// Waits until it has ended.
    pub(super) fn wait(&self) -> io::Result<ExitStatus> {
        loop {
            // Not locked while it runs, so that it can be ended.
            if let Some(status) = locked(&self.0.0).try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Running {
    fn end(&self) {
        let mut child = locked(&self.0);
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Ends every `ffmpeg` that this program runs. For the end of the program, which does not wait for
/// threads that still read.
pub fn end_all() {
    let all: Vec<Arc<Running>> = locked(&ALL).iter().filter_map(Weak::upgrade).collect();
    all.iter().for_each(|running| running.end());
}

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
