//! Turns frames into tables: the tracker runs on the caller's thread, detections on their own
//! thread.

use setsight_photo::Frame;
use setsight_track::{Detections, Detector, Grey, Params, Request, TrackedTable, Tracker, detect};
use setsight_vision::{PipelineError, StageTime, Trace};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::{sync::Arc, thread::JoinHandle};

/// When the results of a detection are applied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As soon as they are available: for cameras. Where frames come slowly
    /// ([`Tracker::is_slow`]), they are waited for.
    Ready,
    /// At the first frame that is at least this much later than the frame of the detection, in
    /// milliseconds of the frames' own time: for films, so that the same film always gives the same
    /// lines, whatever the speed of the machine. Slow ones wait at the frame itself, as cameras do.
    After(f64),
}

/// The pace for films: three frames at 30 per second.
pub const FILM_PACE: Pace = Pace::After(90.0);

/// The results for one frame.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The table as tracked up to this frame.
    pub tracked: TrackedTable,
    /// The times of `grey` and `track` for this frame, and of the stages of a detection applied at
    /// this frame.
    pub times: Vec<StageTime>,
    /// Number of cards that this detection read.
    pub read: usize,
}

/// Tracks cards from frame to frame.
pub struct Watch {
    tracker: Tracker,
    params: Params,
    pace: Pace,
    jobs: Option<SyncSender<(Arc<Frame>, Request)>>,
    found: Receiver<Result<(Detections, Vec<StageTime>), PipelineError>>,
    detector: Option<JoinHandle<()>>,
    asked_ms: Option<f64>,
}

impl Watch {
    /// Starts the detection thread; `detector` finds and reads the cards.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn new(detector: Arc<dyn Detector>, params: Params, pace: Pace) -> std::io::Result<Self> {
        // One detection at a time: the tracker requests the next after it has applied the last.
        let (jobs, todo) = sync_channel::<(Arc<Frame>, Request)>(1);
        let (done, found) = sync_channel(1);
        let detector = std::thread::Builder::new().name("detect".into()).spawn(move || {
            for (frame, ask) in todo {
                let mut trace = Trace::default();
                let found = detect(&*detector, &frame, &ask, &mut trace);
                if done.send(found.map(|found| (found, trace.times))).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self {
            tracker: Tracker::new(params.clone()),
            params,
            pace,
            jobs: Some(jobs),
            found,
            detector: Some(detector),
            asked_ms: None,
        })
    }

    /// Forgets the table: the next frame is the first.
    pub(crate) fn restart(&mut self) {
        if self.asked_ms.take().is_some() {
            // Whatever was found belongs to the table that is forgotten.
            let _ = self.found.recv().expect("a detection failed: its message is above");
        }
        self.tracker = Tracker::new(self.params.clone());
    }

    /// Changes the pace from now on.
    pub(crate) fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
    }

    /// Tracks the next frame.
    ///
    /// # Errors
    /// The detection failed; a later frame may succeed.
    pub fn frame(&mut self, frame: &Arc<Frame>, time_ms: f64) -> Result<Watched, PipelineError> {
        let mut trace = Trace::default();
        let grey = Arc::new(trace.stage("grey", |_| Grey::of(frame)));
        trace.stage("track", |_| self.tracker.follow(grey, time_ms));
        let is_slow = self.tracker.is_slow();
        let is_ready = match (self.asked_ms, self.pace) {
            (None, _) => false,
            (Some(asked), Pace::After(wait)) => is_slow || time_ms >= asked + wait,
            (Some(_), Pace::Ready) => true,
        };
        let mut times = Vec::new();
        let mut read = 0;
        if is_ready {
            let waits = is_slow || self.pace != Pace::Ready;
            read += self.learn(waits, &mut times, &mut trace)?;
        }
        if self.asked_ms.is_none()
            && let Some(jobs) = &self.jobs
            && let Some(ask) = trace.stage("ask", |_| self.tracker.ask())
            && jobs.send((Arc::clone(frame), ask)).is_ok()
        {
            self.asked_ms = Some(time_ms);
            if is_slow {
                read += self.learn(true, &mut times, &mut trace)?;
            }
        }
        let tracked = trace.stage("table", |_| self.tracker.table());
        let mut all = trace.times;
        all.extend(times);
        Ok(Watched { tracked, times: all, read })
    }
}

impl Watch {
    /// Applies the detection that was asked for once it is there; gives the number of cards read.
    fn learn(
        &mut self,
        waits: bool,
        times: &mut Vec<StageTime>,
        trace: &mut Trace<'_>,
    ) -> Result<usize, PipelineError> {
        // The thread ends early only by a panic, which has printed its own message.
        const FAILED: &str = "a detection failed: its message is above";
        let found = if waits {
            self.found.recv().expect(FAILED)
        } else {
            match self.found.try_recv() {
                Ok(found) => found,
                Err(TryRecvError::Empty) => return Ok(0),
                Err(TryRecvError::Disconnected) => panic!("{FAILED}"),
            }
        };
        self.asked_ms = None;
        match found {
            Ok((found, looked)) => {
                let read = found.read;
                times.extend(looked);
                trace.stage("learn", |_| self.tracker.learn(found));
                Ok(read)
            }
            Err(error) => {
                self.tracker.forget_look();
                Err(error)
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.jobs = None; // Ends the thread after its current detection.
        while self.found.recv().is_ok() {}
        if let Some(detector) = self.detector.take() {
            let _ = detector.join();
        }
    }
}
