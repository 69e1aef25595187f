//! The source of frames, as the user specifies it, and its frames, read on a thread of their own.

use super::camera::{Camera, CameraChoice, CameraControl, CameraError, Cameras, Shot};
use super::capture::{self, Captured, Job, Latest, Patience, Taken};
use super::network::{Address, NetworkCamera};
use super::video::{self, FilmCamera, FilmControl};
use super::{feed::Feed, session::Notice, system::SystemCameras};
use setsight_vision::Trace;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fmt, io, panic::AssertUnwindSafe, path::PathBuf, sync::Arc};

/// The source of frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A camera of this machine.
    Camera(CameraChoice),
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
    /// [`super::follow::FILM_PACE`].
    Every,
}

/// Controls the source from another thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controls {
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

/// Frames decoded ahead of the tracker, where every frame counts.
const AHEAD: usize = 4;
/// How long a reader that is no longer needed is waited for. One that hangs in a read, as a silent
/// pipe's does, is left to end by itself.
const FAREWELL: Duration = Duration::from_millis(100);

/// A source that is being read. Dropping it ends the reading.
pub(crate) struct Frames {
    queue: Option<Queue>,
    reader: Option<JoinHandle<()>>,
}

enum Queue {
    Newest(Arc<Latest<Captured>>),
    Every(Receiver<Captured>),
}

impl Frames {
    /// Starts to read `opened`, or what `input` opens. The newest frames get times since `began`;
    /// where every frame counts, they keep the film's own.
    pub(crate) fn start(
        input: &Input,
        opened: Option<Box<dyn Camera>>,
        pace: FramePace,
        controls: &Controls,
        began: Instant,
    ) -> io::Result<Self> {
        let (input, controls) = (input.clone(), controls.clone());
        let thread = thread::Builder::new().name("capture".into());
        let (queue, reader) = match pace {
            FramePace::Newest => {
                let slot: Arc<Latest<Captured>> = Arc::default();
                let out = Arc::clone(&slot);
                let reader = thread.spawn(move || {
                    let (cameras, choice) = (&*input.cameras(&controls), &input.choice());
                    let (out, patience) = (&*out, Patience::default());
                    let job = Job { cameras, choice, opened, out, patience, began };
                    if let Some(notice) = notice_if_it_panics(|| capture::run(job)) {
                        out.put(Captured::Trouble(notice));
                    }
                    out.close();
                });
                (Queue::Newest(slot), reader)
            }
            FramePace::Every => {
                let (out, frames) = sync_channel(AHEAD);
                let reader = thread.spawn(move || {
                    let notice = notice_if_it_panics(|| {
                        match opened.map_or_else(|| input.open(pace, &controls), Ok) {
                            Ok(camera) => read_every(camera, &out),
                            Err(error) => drop(out.send(Captured::Trouble(Notice::from(&error)))),
                        }
                    });
                    if let Some(notice) = notice {
                        let _ = out.send(Captured::Trouble(notice));
                    }
                });
                (Queue::Every(frames), reader)
            }
        };
        Ok(Self { queue: Some(queue), reader: Some(reader?) })
    }

    /// The next frame or message, which is waited for up to the given time.
    pub(crate) fn take(&self, wait: Duration) -> Taken<Captured> {
        match &self.queue {
            Some(Queue::Newest(slot)) => slot.take(wait),
            Some(Queue::Every(frames)) => match frames.recv_timeout(wait) {
                Ok(captured) => Taken::Item(captured),
                Err(RecvTimeoutError::Timeout) => Taken::Nothing,
                Err(RecvTimeoutError::Disconnected) => Taken::Closed,
            },
            None => Taken::Closed,
        }
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        if let Some(Queue::Newest(slot)) = &self.queue {
            slot.close();
        }
        self.queue = None;
        let Some(reader) = self.reader.take() else { return };
        let ends = Instant::now() + FAREWELL;
        while !reader.is_finished() && Instant::now() < ends {
            thread::sleep(Duration::from_millis(2));
        }
        if reader.is_finished() {
            let _ = reader.join();
        }
    }
}

/// Runs the work of a thread; if it panics, gives the notice for the user.
pub(crate) fn notice_if_it_panics(work: impl FnOnce()) -> Option<Notice> {
    // What it was working on is not used again.
    std::panic::catch_unwind(AssertUnwindSafe(work)).err().map(|_| {
        let title = "an error in this program ended the watching".to_owned();
        Notice::new(title, "choose the camera or film again; its message is on the terminal")
    })
}

/// Passes on every frame with the time that its reading took, until the end, an error, or until
/// nobody takes them.
fn read_every(mut camera: Box<dyn Camera>, out: &SyncSender<Captured>) {
    loop {
        let mut trace = Trace::default();
        let captured = match trace.stage("load", |_| camera.read()) {
            Ok(Some(shot)) => Captured::Shot(Shot { times: trace.times, ..shot }),
            Ok(None) => Captured::End,
            Err(error) => Captured::Trouble(Notice::from(&error)),
        };
        let is_last = !matches!(captured, Captured::Shot(_));
        if out.send(captured).is_err() || is_last {
            return;
        }
    }
}
