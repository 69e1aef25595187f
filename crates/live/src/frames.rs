//! The frames of a source, read on a thread of their own.

use super::{
    camera::{Camera, Shot},
    capture::{self, Captured, Job, Patience},
    input::{Controls, FramePace, Input},
    latest::{Latest, Taken},
    view::Notice,
};
use setsight_vision::Trace;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{io, panic::AssertUnwindSafe, sync::Arc};

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
                    let read = || match opened.map_or_else(|| input.open(pace, &controls), Ok) {
                        Ok(camera) => read_every(camera, &out),
                        Err(error) => drop(out.send(Captured::Trouble(Notice::from(&error)))),
                    };
                    if let Some(notice) = notice_if_it_panics(read) {
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

/// Runs the work of a thread; if it panics, gives what the user is told.
pub(crate) fn notice_if_it_panics(work: impl FnOnce()) -> Option<Notice> {
    // What it was working on is not used again.
    std::panic::catch_unwind(AssertUnwindSafe(work)).err().map(|_| {
        let title = "an error in this program ended the watching".to_owned();
        Notice::of(title, "choose the camera or film again; its message is on the terminal")
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
