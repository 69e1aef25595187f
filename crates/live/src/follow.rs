//! The path of one frame to its view: turned, recorded, tracked, counted. The tracker runs on the
//! caller's thread, detections on their own thread.

use super::camera::Shot;
use super::record::{RecordError, Recorder};
use super::session::{LiveView, Recording, RecordingState};
use image::imageops;
use setsight_photo::Frame;
use setsight_track::counter::{Counter, Score};
use setsight_track::{Detections, Detector, Grey, Params, Request, TrackedTable, Tracker, detect};
use setsight_vision::{PipelineError, StageTime, Trace};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::{path::Path, sync::Arc, thread::JoinHandle};

/// Follows one game from frame to frame.
pub(crate) struct Follower {
    watch: Watch,
    /// When detections are applied while nothing is recorded.
    pace: Pace,
    counter: Counter,
    /// The last table and its time, with which a new game begins.
    last: Option<(TrackedTable, f64)>,
    /// Number of frames so far, from all sources.
    number: u64,
    /// Number of quarter turns to the right that are applied to the pictures.
    quarters: u8,
    /// Subtracted from the frames' times, in milliseconds: a recording begins at 0.
    zero_ms: f64,
    recorder: Option<Recorder>,
    /// The state of the recording, as shown to the user.
    recording: Option<Recording>,
}

impl Follower {
    /// Follows by means of a tracker that has that pace.
    pub(crate) fn new(watch: Watch, pace: Pace) -> Self {
        Self {
            watch,
            pace,
            counter: Counter::default(),
            last: None,
            number: 0,
            quarters: 0,
            zero_ms: 0.0,
            recorder: None,
            recording: None,
        }
    }

    /// Follows the next frame. The view says nothing about its source.
    pub(crate) fn follow(&mut self, shot: Shot) -> Result<LiveView, PipelineError> {
        let number = self.number;
        self.number += 1;
        let Shot { frame, time_ms, taken, times, .. } = self.recorded(self.turned(shot));
        let watched = self.watch.frame(&frame, time_ms)?;
        self.counter.update(&watched.tracked, time_ms);
        self.last = Some((watched.tracked.clone(), time_ms));
        let watched = Watched { times: [times, watched.times].concat(), ..watched };
        let view = LiveView {
            number,
            time_ms,
            score: self.counter.score(),
            latency_ms: taken.elapsed().as_secs_f64() * 1e3,
            ..LiveView::from_watched(frame, watched)
        };
        self.record_line(&view);
        Ok(LiveView { recording: self.recording.clone(), ..view })
    }

    /// The count of the game so far.
    pub(crate) fn score(&self) -> Score {
        self.counter.score()
    }

    /// The current recording, or the last one.
    pub(crate) fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()
    }

    /// Begins a new game with the table as it lies there.
    pub(crate) fn new_game(&mut self) {
        self.stop_recording(None);
        self.counter.reset();
        if let Some((table, time_ms)) = &self.last {
            self.counter.update(table, *time_ms);
        }
    }

    /// Begins anew, as if no frame had come yet: other frames come, or the same ones again.
    pub(crate) fn begin_anew(&mut self) {
        self.stop_recording(None);
        self.watch.restart();
        self.counter.reset();
        self.last = None;
    }

    /// Turns the pictures from now on by quarter turns to the right.
    pub(crate) fn turn(&mut self, quarters: u8) {
        if self.quarters != quarters % 4 {
            self.stop_recording(None);
        }
        self.quarters = quarters % 4;
    }

    /// Begins to record. To make the film give the same lines, tracking starts without knowledge of
    /// the table, and detections are applied at the pace of a film.
    pub(crate) fn record(&mut self, film: &Path) -> Result<(), RecordError> {
        self.stop_recording(None);
        let recorder = Recorder::create(film);
        let state = match &recorder {
            Ok(_) => RecordingState::Running,
            Err(error) => RecordingState::Failed(error.to_string()),
        };
        self.recording = Some(Recording { film: film.to_owned(), length_ms: 0.0, state });
        self.recorder = Some(recorder?);
        self.watch.restart();
        self.watch.set_pace(FILM_PACE);
        self.counter.reset();
        Ok(())
    }

    /// Ends the recording, if there is one: on request, or for the given reason.
    pub(crate) fn stop_recording(&mut self, reason: Option<String>) {
        let Some(mut recorder) = self.recorder.take() else { return };
        self.watch.set_pace(self.pace);
        let reason = match recorder.end() {
            Ok(()) => reason,
            Err(error) => reason.or_else(|| Some(error.to_string())),
        };
        if let Some(recording) = &mut self.recording {
            recording.state = reason.map_or(RecordingState::Kept, RecordingState::Failed);
        }
    }

    /// The picture as it is to be seen.
    fn turned(&self, shot: Shot) -> Shot {
        match self.quarters {
            0 => shot,
            // It is no longer the picture of its JPEG.
            quarters => Shot { frame: turned(shot.frame, quarters), jpeg: None, ..shot },
        }
    }

    /// The frame as recorded, if there is a recording, on the recording's clock.
    fn recorded(&mut self, mut shot: Shot) -> Shot {
        let Some(recorder) = &mut self.recorder else {
            shot.time_ms -= self.zero_ms;
            return shot;
        };
        if recorder.frames() == 0 {
            self.zero_ms = shot.time_ms;
        }
        shot.time_ms -= self.zero_ms;
        match recorder.record(shot.clone()) {
            Ok(recorded) => recorded,
            Err(error) => {
                self.stop_recording(Some(error.to_string()));
                shot
            }
        }
    }

    fn record_line(&mut self, view: &LiveView) {
        let Some(recorder) = &mut self.recorder else { return };
        match recorder.line(view) {
            Ok(()) => {
                let length_ms = recorder.length_ms();
                self.recording.iter_mut().for_each(|recording| recording.length_ms = length_ms);
            }
            Err(error) => self.stop_recording(Some(error.to_string())),
        }
    }
}

/// A frame rotated to the right by quarter turns.
fn turned(frame: Arc<Frame>, quarters: u8) -> Arc<Frame> {
    match quarters % 4 {
        0 => frame,
        1 => Arc::new(imageops::rotate90(&*frame)),
        2 => Arc::new(imageops::rotate180(&*frame)),
        _ => Arc::new(imageops::rotate270(&*frame)),
    }
}

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
        let grey = Arc::new(trace.stage("grey", |_| Grey::new(frame)));
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
                trace.stage("learn", |_| self.tracker.apply_detections(found));
                Ok(read)
            }
            Err(error) => {
                self.tracker.cancel_detection();
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

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    #[test]
    fn frames_are_turned_to_the_right() {
        let mut frame = RgbImage::new(64, 48);
        frame[(0, 0)] = Rgb([200; 3]);
        let frame = Arc::new(frame);
        for (quarters, place) in
            [(0, (0, 0)), (1, (47, 0)), (2, (63, 47)), (3, (0, 63)), (4, (0, 0))]
        {
            assert_eq!(turned(Arc::clone(&frame), quarters)[place].0[0], 200, "{quarters}");
        }
    }
}
