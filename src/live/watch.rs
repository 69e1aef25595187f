//! From frames to tables: the tracker on the caller's thread, looks on a thread of their own.

use crate::pipeline::track::grey::Grey;
use crate::pipeline::track::{Detections, Eyes, Params, Request, Table, Tracker, detect};
use crate::pipeline::{Frame, PipelineError, StageClock, StageTime};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;

/// When a look is taken in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As soon as it is there: for cameras.
    Ready,
    /// At the first frame that is this much later than the one looked at, in milliseconds of the
    /// frames' own time, and not before: for films, so that the same film always gives the same
    /// lines, however fast the machine.
    After(f64),
}

/// The pace for films: three frames at 30 a second.
pub const FILM_PACE: Pace = Pace::After(90.0);

/// What one frame gave.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The table as it is drawn.
    pub table: Table,
    /// `grey` and `track` of this frame, and the stages of a look that was taken in at it.
    pub times: Vec<StageTime>,
    /// How many cards that look read.
    pub read: usize,
}

/// Tracks cards from frame to frame.
pub struct Watch {
    tracker: Tracker,
    pace: Pace,
    jobs: Option<SyncSender<(Arc<Frame>, Request)>>,
    looks: Receiver<Result<(Detections, Vec<StageTime>), PipelineError>>,
    looker: Option<JoinHandle<()>>,
    asked_ms: Option<f64>,
}

impl Watch {
    /// With eyes that find and read.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn new(eyes: Arc<dyn Eyes>, params: Params, pace: Pace) -> std::io::Result<Self> {
        // One look at a time: the tracker asks for the next when it has taken in the last.
        let (jobs, todo) = sync_channel::<(Arc<Frame>, Request)>(1);
        let (done, looks) = sync_channel(1);
        let looker = std::thread::Builder::new().name("look".into()).spawn(move || {
            for (frame, ask) in todo {
                let mut clock = StageClock::default();
                let found = detect(&*eyes, &frame, &ask, &mut clock);
                if done.send(found.map(|found| (found, clock.times))).is_err() {
                    return;
                }
            }
        })?;
        let tracker = Tracker::new(params);
        Ok(Self { tracker, pace, jobs: Some(jobs), looks, looker: Some(looker), asked_ms: None })
    }

    /// Takes looks in at another pace from now on.
    pub fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
    }

    /// Takes in the next frame.
    ///
    /// # Errors
    /// Those of the finder; the next frame may do better.
    pub fn frame(&mut self, frame: &Arc<Frame>, time_ms: f64) -> Result<Watched, PipelineError> {
        let mut clock = StageClock::default();
        let grey = Arc::new(clock.time("grey", || Grey::of(frame))?);
        clock.time("track", || self.tracker.follow(grey, time_ms));
        let found = match (self.asked_ms, self.pace) {
            (None, _) => None,
            (Some(_), Pace::Ready) => match self.looks.try_recv() {
                Ok(found) => Some(found),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => panic!("a look failed: its message is above"),
            },
            (Some(asked), Pace::After(wait)) if time_ms >= asked + wait => {
                // The thread ends early only by a panic, which has told its own message.
                Some(self.looks.recv().expect("a look failed: its message is above"))
            }
            (Some(_), Pace::After(_)) => None,
        };
        let mut times = Vec::new();
        let mut read = 0;
        if let Some(found) = found {
            self.asked_ms = None;
            match found {
                Ok((found, looked)) => {
                    read = found.read;
                    times = looked;
                    clock.time("learn", || self.tracker.learn(found));
                }
                Err(error) => {
                    self.tracker.forget_look();
                    return Err(error);
                }
            }
        }
        if self.asked_ms.is_none()
            && let Some(jobs) = &self.jobs
            && let Some(ask) = clock.time("ask", || self.tracker.ask())
            && jobs.send((Arc::clone(frame), ask)).is_ok()
        {
            self.asked_ms = Some(time_ms);
        }
        let table = clock.time("table", || self.tracker.table());
        let mut all = clock.times;
        all.extend(times);
        Ok(Watched { table, times: all, read })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.jobs = None; // Ends the thread once its look is done.
        while self.looks.recv().is_ok() {}
        if let Some(looker) = self.looker.take() {
            let _ = looker.join();
        }
    }
}
