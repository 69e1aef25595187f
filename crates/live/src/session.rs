//! Runs a camera: capture and tracking on their own threads, and the newest view for a user
//! interface.

use super::camera::Shot;
use super::capture::{self, Captured, Job, Patience};
use super::counter::Counter;
use super::input::{Controls, Input};
use super::latest::{Latest, Taken};
use super::record::Recorder;
use super::view::{LiveCommand, LiveSource, LiveView, Notice, Recording, RecordingState};
use super::watch::{FILM_PACE, Pace, Watch, Watched};
use image::imageops;
use setsight_photo::Frame;
use setsight_vision::PipelineError;
use setsight_vision::track::{Eyes, Params};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Called from another thread when there is a new view.
pub type Wake = Box<dyn Fn() + Send>;

/// A running camera. Dropping it releases the camera.
pub struct Session {
    view: Arc<Mutex<Arc<LiveView>>>,
    commands: Sender<LiveCommand>,
    stop: Arc<Latest<()>>,
    tracker: Option<JoinHandle<()>>,
}

/// How long the tracking thread waits for a frame before it checks for commands.
const WAIT: Duration = Duration::from_millis(50);

impl Session {
    /// Starts capture and tracking.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn start(
        input: Input,
        eyes: Arc<dyn Eyes>,
        params: Params,
        wake: Wake,
    ) -> std::io::Result<Self> {
        let view = Arc::new(Mutex::new(Arc::new(LiveView::default())));
        let stop = Arc::new(Latest::default());
        let (commands, asked) = channel();
        let shown = Arc::clone(&view);
        let stopped = Arc::clone(&stop);
        let watch = Watch::new(Arc::clone(&eyes), params.clone(), Pace::Ready)?;
        let tracker = std::thread::Builder::new().name("track".into()).spawn(move || {
            let show = |view: LiveView| {
                *shown.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(view);
                wake();
            };
            Tracking {
                eyes,
                params,
                watch,
                counter: Counter::default(),
                asked,
                patience: Patience::default(),
                controls: Controls::default(),
                number: 0,
                quarters: 0,
                zero_ms: 0.0,
                recorder: None,
                recording: None,
            }
            .run(input, &stopped, &show);
        })?;
        Ok(Self { view, commands, stop, tracker: Some(tracker) })
    }
}

impl LiveSource for Session {
    fn view(&mut self) -> Arc<LiveView> {
        Arc::clone(&self.view.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn command(&mut self, command: LiveCommand) {
        // The receiver lives until this session is dropped.
        let _ = self.commands.send(command);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop.close();
        if let Some(tracker) = self.tracker.take() {
            let _ = tracker.join();
        }
    }
}

/// The state of the tracking thread.
struct Tracking {
    eyes: Arc<dyn Eyes>,
    params: Params,
    watch: Watch,
    counter: Counter,
    asked: Receiver<LiveCommand>,
    patience: Patience,
    controls: Controls,
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

/// What to run next.
enum Next {
    Other(Input),
    /// The same film again, after it has ended.
    Again,
}

impl Tracking {
    fn run(mut self, mut input: Input, stop: &Latest<()>, show: &dyn Fn(LiveView)) {
        let began = Instant::now();
        while !stop.is_closed() {
            let frames: Arc<Latest<Captured>> = Arc::default();
            // The cameras are created for each source, on the capture thread.
            let (out, chosen, patience) = (Arc::clone(&frames), input.clone(), self.patience);
            let controls = self.controls.clone();
            let capture = std::thread::Builder::new().name("capture".into()).spawn(move || {
                let (cameras, choice) = (&*chosen.cameras(&controls), &chosen.choice());
                let out = &*out;
                capture::run(Job { cameras, choice, opened: None, out, patience, began });
            });
            let capture = match capture {
                Ok(capture) => capture,
                Err(error) => {
                    let title = format!("the camera cannot be watched: {error}");
                    let notice = Some(Notice::of(title, "close other programs and try again"));
                    show(LiveView { notice, ..LiveView::default() });
                    return;
                }
            };
            let next = self.watch_one(&input, &frames, stop, show);
            frames.close();
            self.controls.film.pause(false); // A paused film would not notice that it is unused.
            // A camera that hangs in a read is left to end by itself.
            if capture.is_finished() || stop.is_closed() {
                drop(capture);
            }
            match next {
                Some(Next::Other(other)) => {
                    self.stop_recording(None);
                    input = other;
                    self.controls = Controls::default();
                    self.counter.reset();
                }
                Some(Next::Again) => {}
                None => return,
            }
        }
    }

    /// Runs one source; returns what to run next, or `None` at the end.
    fn watch_one(
        &mut self,
        input: &Input,
        frames: &Latest<Captured>,
        stop: &Latest<()>,
        show: &dyn Fn(LiveView),
    ) -> Option<Next> {
        let mut last = LiveView::default();
        let mut frozen = false;
        let mut ended = false;
        let is_film = matches!(input, Input::Film(_));
        let place = |controls: &Controls| is_film.then(|| controls.film.place());
        let mut previous: Option<Instant> = None;
        // The last table and its time, with which a new game begins.
        let mut seen = None;
        loop {
            if stop.is_closed() {
                self.stop_recording(None);
                return None;
            }
            while let Ok(command) = self.asked.try_recv() {
                match command {
                    LiveCommand::Freeze(hold) => {
                        frozen = hold;
                        last.frozen = hold;
                    }
                    LiveCommand::NewGame => {
                        self.stop_recording(None);
                        self.counter.reset();
                        if let Some((table, time_ms)) = &seen {
                            self.counter.update(table, *time_ms);
                        }
                        last.score = self.counter.score();
                    }
                    LiveCommand::Turn(quarters) => {
                        if self.quarters != quarters % 4 {
                            self.stop_recording(None);
                        }
                        self.quarters = quarters % 4;
                    }
                    LiveCommand::Pause(pause) => {
                        self.controls.film.pause(pause);
                        last.film = place(&self.controls);
                    }
                    LiveCommand::Seek(to_ms) => {
                        self.stop_recording(None);
                        self.controls.film.seek(to_ms);
                        // The game starts again, or continues at another place.
                        self.counter.reset();
                        if ended {
                            return Some(Next::Again);
                        }
                    }
                    LiveCommand::Record(film) => self.start_recording(&film),
                    LiveCommand::StopRecording => self.stop_recording(None),
                    LiveCommand::Set(wish) => self.controls.camera.set(wish),
                    LiveCommand::Choose(input) => return Some(Next::Other(input)),
                }
                last.recording.clone_from(&self.recording);
                show(last.clone());
            }
            let taken = if ended { Taken::Nothing } else { frames.take(WAIT) };
            match taken {
                Taken::Item(Captured::Shot(shot)) => {
                    let view = match self.follow(shot) {
                        Ok((shot, watched)) => {
                            seen = Some((watched.tracked.clone(), shot.time_ms));
                            let now = Instant::now();
                            let apart = previous.map(|p| now.duration_since(p).as_secs_f64());
                            previous = Some(now);
                            let fps = apart.filter(|&s| s > 0.0).map_or(last.fps, |s| {
                                if last.fps == 0.0 {
                                    1.0 / s
                                } else {
                                    last.fps + (1.0 / s - last.fps) * 0.1
                                }
                            });
                            let view = LiveView {
                                number: self.number,
                                film: place(&self.controls),
                                time_ms: shot.time_ms,
                                score: self.counter.score(),
                                latency_ms: shot.taken.elapsed().as_secs_f64() * 1e3,
                                fps,
                                frozen,
                                offer: self.controls.camera.offer(),
                                ..LiveView::of(shot.frame, watched)
                            };
                            self.record_line(&view);
                            LiveView { recording: self.recording.clone(), ..view }
                        }
                        Err(error) => {
                            let title = format!("a frame could not be read: {error}");
                            let notice = Some(Notice::of(title, "free some memory"));
                            LiveView { notice, ..last.clone() }
                        }
                    };
                    self.number += 1;
                    if frozen {
                        // The game goes on while the picture is frozen.
                        last.score = view.score;
                        last.recording = view.recording;
                    } else {
                        last = view;
                        show(last.clone());
                    }
                }
                Taken::Item(Captured::Trouble(notice)) => {
                    last.notice = Some(notice);
                    show(last.clone());
                }
                Taken::Item(Captured::End) => {
                    ended = true;
                    last.ended = true;
                    show(last.clone());
                }
                Taken::Nothing if ended => {
                    if !stop.pause(WAIT) {
                        return None;
                    }
                }
                Taken::Nothing => {}
                Taken::Closed => return None,
            }
        }
    }

    /// Tracks the cards of one frame.
    fn follow(&mut self, mut shot: Shot) -> Result<(Shot, Watched), PipelineError> {
        if self.quarters != 0 {
            shot.frame = turned(shot.frame, self.quarters);
            shot.jpeg = None;
        }
        if let Some(recorder) = &mut self.recorder {
            if recorder.frames() == 0 {
                self.zero_ms = shot.time_ms;
            }
            shot.time_ms -= self.zero_ms;
            match recorder.record(shot.clone()) {
                Ok(recorded) => shot = recorded,
                Err(error) => self.stop_recording(Some(error.to_string())),
            }
        } else {
            shot.time_ms -= self.zero_ms;
        }
        let watched = self.watch.frame(&shot.frame, shot.time_ms)?;
        self.counter.update(&watched.tracked, shot.time_ms);
        Ok((shot, watched))
    }

    /// Begins to record. To make the film give the same lines, tracking starts without knowledge of
    /// the table, and detections are applied at the pace of a film.
    fn start_recording(&mut self, film: &Path) {
        self.stop_recording(None);
        let recording = |state| Recording { film: film.to_owned(), length_ms: 0.0, state };
        let watch = Watch::new(Arc::clone(&self.eyes), self.params.clone(), FILM_PACE);
        let begun = Recorder::create(film).map_err(|error| error.to_string());
        self.recording = Some(match (begun, watch) {
            (Ok(recorder), Ok(watch)) => {
                self.recorder = Some(recorder);
                self.watch = watch;
                self.counter.reset();
                recording(RecordingState::Running)
            }
            (Err(reason), _) => recording(RecordingState::Failed(reason)),
            (_, Err(error)) => recording(RecordingState::Failed(error.to_string())),
        });
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

    /// Ends the recording, if there is one: on request, or for the given reason.
    fn stop_recording(&mut self, reason: Option<String>) {
        let Some(mut recorder) = self.recorder.take() else { return };
        self.watch.set_pace(Pace::Ready);
        let reason = match recorder.end() {
            Ok(()) => reason,
            Err(error) => reason.or_else(|| Some(error.to_string())),
        };
        if let Some(told) = &mut self.recording {
            told.state = reason.map_or(RecordingState::Kept, RecordingState::Failed);
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
