//! The path of one frame to its view: turned, recorded, tracked, counted.

use super::{
    camera::Shot,
    record::{RecordError, Recorder},
    view::{LiveView, Recording, RecordingState},
    watch::{FILM_PACE, Pace, Watch, Watched},
};
use image::imageops;
use setsight_photo::Frame;
use setsight_track::TrackedTable;
use setsight_track::counter::{Counter, Score};
use setsight_vision::PipelineError;
use std::{path::Path, sync::Arc};

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
            ..LiveView::of(frame, watched)
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

    /// Begins anew, with nothing seen before: other frames come, or the same ones again.
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
        if let Some(told) = &mut self.recording {
            told.state = reason.map_or(RecordingState::Kept, RecordingState::Failed);
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
                self.recording.iter_mut().for_each(|told| told.length_ms = length_ms);
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
