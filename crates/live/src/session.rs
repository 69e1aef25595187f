//! A session: one source after the other, followed until its end or a stop, and reported to a sink, view by
//! view.

use super::camera::{Camera, CameraError, CameraOffer, CameraWish, Shot};
use super::capture::{Captured, Taken};
use super::follow::{FILM_PACE, Pace, Watch, Watched};
use super::input::{Controls, FramePace, Frames, Input, notice_if_it_panics};
use super::video::{FilmControl, FilmPlace};
use super::{follow::Follower, record::RecordError};
use setsight_photo::Frame;
use setsight_track::{Detector, Params, TrackedTable, counter::Score};
use setsight_vision::StageTime;
use std::io;
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The current state.
#[derive(Clone, Debug, Default)]
pub struct LiveView {
    /// The newest frame that was tracked.
    pub frame: Option<Arc<Frame>>,
    /// The frame's number, from 0.
    pub number: u64,
    /// The frame's time in milliseconds.
    pub time_ms: f64,
    /// The table as tracked up to this frame.
    pub tracked: TrackedTable,
    /// The count of the game so far.
    pub score: Score,
    /// The time of each stage for this frame.
    pub times: Vec<StageTime>,
    /// Time from the frame to this view, in milliseconds.
    pub latency_ms: f64,
    /// Recent frames per second.
    pub fps: f64,
    /// Whether the picture is frozen; the game is still tracked.
    pub frozen: bool,
    /// The state of the film, if the source is one.
    pub film: Option<FilmPlace>,
    pub ended: bool,
    /// The current recording, or the last one.
    pub recording: Option<Recording>,
    pub offer: CameraOffer,
    /// What is wrong, if anything.
    pub notice: Option<Notice>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The film; its lines are beside it.
    pub film: PathBuf,
    pub length_ms: f64,
    pub state: RecordingState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordingState {
    Running,
    /// It has ended and is complete.
    Kept,
    /// It has ended for this reason; everything recorded before is kept.
    Failed(String),
}

impl Recording {
    pub fn is_running(&self) -> bool {
        self.state == RecordingState::Running
    }
}

impl LiveView {
    /// The view of a frame, without its number and its time.
    pub(crate) fn from_watched(frame: Arc<Frame>, watched: Watched) -> Self {
        let Watched { tracked, times, .. } = watched;
        Self { frame: Some(frame), tracked, times, ..Self::default() }
    }
}

/// A message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What is wrong.
    pub title: String,
    /// What to do about it.
    pub advice: String,
    /// What it is about, for callers that phrase it themselves.
    pub error: Option<CameraError>,
    /// Whether it is tried again every second.
    pub tried_again: bool,
}

impl Notice {
    /// Something that is not the camera's fault.
    pub fn new(title: String, advice: &str) -> Self {
        Self { title, advice: advice.to_owned(), error: None, tried_again: false }
    }
}

impl From<&CameraError> for Notice {
    fn from(error: &CameraError) -> Self {
        let error_is = Some(error.clone());
        Self { error: error_is, ..Self::new(error.to_string(), error.advice()) }
    }
}

/// Commands to a running camera.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveCommand {
    /// Freeze the picture, or resume it.
    Freeze(bool),
    NewGame,
    /// Pause the film, or resume it.
    Pause(bool),
    /// Seek in the film, to a time in milliseconds.
    Seek(f64),
    /// Rotate the source's pictures by this number of quarter turns to the right.
    Turn(u8),
    /// Record the game as this film; a new game begins with the recording.
    Record(PathBuf),
    StopRecording,
    /// Change the camera's settings.
    Set(CameraWish),
    /// Switch to another camera or film.
    Choose(Input),
}

/// A source of views: a camera, or a script in tests.
pub trait LiveSource {
    fn view(&mut self) -> Arc<LiveView>;
    fn command(&mut self, command: LiveCommand);
}

/// How long a frame is waited for before commands and a stop are looked at.
const WAIT: Duration = Duration::from_millis(50);

/// Most commands that wait; those beyond are lost. A person gives one or two between two frames.
const MOST_COMMANDS: usize = 256;

/// Takes the views of a session.
pub trait Sink {
    /// Takes the view as it is now; `Break` ends the session.
    fn show(&mut self, view: &LiveView, event: SessionEvent) -> ControlFlow<()>;
}

/// What is new in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEvent {
    Frame,
    /// Something is wrong, see [`LiveView::notice`]; frames may follow.
    Trouble,
    /// No more frames will come from this source.
    End,
    /// A command was obeyed.
    Changed,
}

/// A game that is watched, on the caller's thread ([`Self::run`]) or on its own ([`Self::start`]).
pub struct Session {
    follower: Follower,
    pace: FramePace,
    controls: Controls,
    began: Instant,
}

impl Session {
    /// A session that has had no frame yet; `detector` finds and reads the cards.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn new(detector: Arc<dyn Detector>, params: Params, pace: FramePace) -> io::Result<Self> {
        let detections = match pace {
            FramePace::Newest => Pace::Ready,
            FramePace::Every => FILM_PACE,
        };
        let follower = Follower::new(Watch::new(detector, params, detections)?, detections);
        Ok(Self { follower, pace, controls: Controls::default(), began: Instant::now() })
    }

    /// The rate at which single pictures are a film, in pictures a second; without it they state it
    /// themselves, see [`super::video::Rate`].
    pub fn set_fps(&mut self, fps: f64) {
        self.controls.film = Arc::new(FilmControl::with_fps(fps));
    }

    /// Opens a source for [`Self::run`]: for callers that give up if it is not there.
    ///
    /// # Errors
    /// See [`CameraError`].
    pub fn open(&self, input: &Input) -> Result<Box<dyn Camera>, CameraError> {
        input.open(self.pace, &self.controls)
    }

    /// Records the game from its first frame on.
    ///
    /// # Errors
    /// The recording cannot be written.
    pub fn record(&mut self, film: &Path) -> Result<(), RecordError> {
        self.follower.record(film)
    }

    /// Watches `input`, which may be open already, until `stop` is set or `sink` breaks. At the end
    /// all threads that look at frames have ended. Returns the last recording.
    pub fn run(
        mut self,
        mut input: Input,
        mut opened: Option<Box<dyn Camera>>,
        commands: &Receiver<LiveCommand>,
        stop: &AtomicBool,
        sink: &mut dyn Sink,
    ) -> Option<Recording> {
        loop {
            let opened = opened.take();
            let next = match Frames::start(&input, opened, self.pace, &self.controls, self.began) {
                Ok(frames) => {
                    let is_film = matches!(input, Input::Film(_));
                    Watching::new(&mut self, frames, is_film, sink).run(commands, stop)
                }
                Err(error) => {
                    let title = format!("the camera cannot be watched: {error}");
                    let notice = Notice::new(title, "close other programs and try again");
                    let view = LiveView { notice: Some(notice), ..LiveView::default() };
                    let _ = sink.show(&view, SessionEvent::Trouble);
                    Next::Stop
                }
            };
            match next {
                Next::Other(other) => {
                    input = other;
                    self.controls = Controls::default();
                }
                Next::Again => {}
                Next::Stop => {
                    self.follower.stop_recording(None);
                    return self.follower.recording().cloned();
                }
            }
            self.follower.begin_anew();
        }
    }

    /// Watches `input` on a thread of its own; `wake` is called there when there is a new view.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(self, input: Input, wake: Wake) -> io::Result<RunningSession> {
        let view = Arc::new(Mutex::new(Arc::new(LiveView::default())));
        let stop = Arc::new(AtomicBool::new(false));
        let (commands, asked) = sync_channel(MOST_COMMANDS);
        let mut newest = Newest { view: Arc::clone(&view), wake };
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new().name("track".into()).spawn(move || {
            let notice = notice_if_it_panics(|| {
                drop(self.run(input, None, &asked, &stopped, &mut newest));
            });
            if let Some(notice) = notice {
                let view = LiveView { notice: Some(notice), ..LiveView::default() };
                let _ = newest.show(&view, SessionEvent::Trouble);
            }
        })?;
        Ok(RunningSession { view, commands, stop, thread: Some(thread) })
    }
}

/// Why a source is left.
enum Next {
    /// For another source.
    Other(Input),
    /// The same film again, after it has ended.
    Again,
    Stop,
}

/// One source that is watched.
struct Watching<'a> {
    session: &'a mut Session,
    frames: Frames,
    is_film: bool,
    sink: &'a mut dyn Sink,
    /// The view that was shown last.
    view: LiveView,
    rate: FrameRate,
    /// Whether no more frames will come.
    is_over: bool,
    /// Frames from before this moment are of another place in the film.
    sought: Option<Instant>,
}

impl<'a> Watching<'a> {
    fn new(
        session: &'a mut Session,
        frames: Frames,
        is_film: bool,
        sink: &'a mut dyn Sink,
    ) -> Self {
        let (view, rate) = (LiveView::default(), FrameRate::default());
        Self { session, frames, is_film, sink, view, rate, is_over: false, sought: None }
    }

    fn run(mut self, commands: &Receiver<LiveCommand>, stop: &AtomicBool) -> Next {
        let next = loop {
            if let Break(next) = self.step(commands, stop) {
                break next;
            }
        };
        // A paused film would not notice that it is no longer used.
        self.session.controls.film.pause(false);
        next
    }

    /// Obeys what was asked, and follows the next frame if there is one.
    fn step(&mut self, commands: &Receiver<LiveCommand>, stop: &AtomicBool) -> ControlFlow<Next> {
        if stop.load(Ordering::Relaxed) {
            return Break(Next::Stop);
        }
        while let Ok(command) = commands.try_recv() {
            self.run_command(command)?;
            self.show(SessionEvent::Changed)?;
        }
        if self.is_over {
            thread::sleep(WAIT);
            return Continue(());
        }
        match self.frames.take(WAIT) {
            Taken::Item(Captured::Shot(shot)) => self.follow(shot),
            Taken::Item(Captured::Trouble(notice)) => self.trouble(notice),
            Taken::Item(Captured::End) => {
                self.view.ended = true;
                self.end()
            }
            Taken::Closed => self.end(),
            Taken::Nothing => Continue(()),
        }
    }

    fn run_command(&mut self, command: LiveCommand) -> ControlFlow<Next> {
        let (follower, controls) = (&mut self.session.follower, &self.session.controls);
        match command {
            LiveCommand::Freeze(hold) => self.view.frozen = hold,
            LiveCommand::NewGame => {
                follower.new_game();
                self.view.score = follower.score();
            }
            LiveCommand::Turn(quarters) => follower.turn(quarters),
            LiveCommand::Pause(pause) => {
                controls.film.pause(pause);
                self.view.film = self.place();
            }
            LiveCommand::Seek(to_ms) => {
                self.sought = Some(controls.film.seek(to_ms));
                if self.is_over {
                    return Break(Next::Again);
                }
                // The game starts again, or continues at another place.
                follower.begin_anew();
            }
            LiveCommand::Record(film) => {
                // What went wrong is in the view's recording.
                let _ = follower.record(&film);
            }
            LiveCommand::StopRecording => follower.stop_recording(None),
            LiveCommand::Set(wish) => controls.camera.set(wish),
            LiveCommand::Choose(input) => return Break(Next::Other(input)),
        }
        self.view.recording = self.session.follower.recording().cloned();
        Continue(())
    }

    fn follow(&mut self, shot: Shot) -> ControlFlow<Next> {
        if self.sought.is_some_and(|sought| shot.taken < sought) {
            return Continue(());
        }
        let followed = match self.session.follower.follow(shot) {
            Ok(followed) => followed,
            Err(error) => {
                let title = format!("a frame could not be read: {error}");
                return self.trouble(Notice::new(title, "free some memory"));
            }
        };
        let fps = self.rate.after_a_frame();
        if self.view.frozen {
            // The game goes on while the picture is frozen.
            self.view.score = followed.score;
            self.view.recording = followed.recording;
            return Continue(());
        }
        let offer = self.session.controls.camera.offer();
        self.view = LiveView { film: self.place(), fps, offer, ..followed };
        self.show(SessionEvent::Frame)
    }

    fn trouble(&mut self, notice: Notice) -> ControlFlow<Next> {
        self.view.notice = Some(notice);
        self.show(SessionEvent::Trouble)
    }

    fn end(&mut self) -> ControlFlow<Next> {
        self.is_over = true;
        self.show(SessionEvent::End)
    }

    fn show(&mut self, event: SessionEvent) -> ControlFlow<Next> {
        self.sink.show(&self.view, event).map_break(|()| Next::Stop)
    }

    fn place(&self) -> Option<FilmPlace> {
        self.is_film.then(|| self.session.controls.film.place())
    }
}

/// Recent frames per second.
#[derive(Default)]
struct FrameRate {
    last: Option<Instant>,
    fps: f64,
}

impl FrameRate {
    /// The rate, now that another frame was followed.
    fn after_a_frame(&mut self) -> f64 {
        let now = Instant::now();
        let apart_s = self.last.replace(now).map(|last| now.duration_since(last).as_secs_f64());
        if let Some(apart_s) = apart_s.filter(|&apart_s| apart_s > 0.0) {
            let weight = if self.fps == 0.0 { 1.0 } else { 0.1 };
            self.fps += (1.0 / apart_s - self.fps) * weight;
        }
        self.fps
    }
}

/// Called from another thread when there is a new view.
pub(crate) type Wake = Box<dyn Fn() + Send>;

/// The sink of a user interface: keeps the newest view.
struct Newest {
    view: Arc<Mutex<Arc<LiveView>>>,
    wake: Wake,
}

impl Sink for Newest {
    fn show(&mut self, view: &LiveView, _: SessionEvent) -> ControlFlow<()> {
        *self.view.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(view.clone());
        (self.wake)();
        Continue(())
    }
}

/// A session on a thread of its own. Dropping it releases the camera.
pub struct RunningSession {
    view: Arc<Mutex<Arc<LiveView>>>,
    commands: SyncSender<LiveCommand>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl LiveSource for RunningSession {
    fn view(&mut self) -> Arc<LiveView> {
        Arc::clone(&self.view.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn command(&mut self, command: LiveCommand) {
        let _ = self.commands.try_send(command);
    }
}

impl RunningSession {
    /// A second place from which the session is seen and commanded. It does not keep it running.
    pub fn observer(&self) -> Observer {
        Observer { view: Arc::clone(&self.view), commands: self.commands.clone(), held: None }
    }
}

/// Looks at a session that somebody else runs: a phone's, in the window. It begins games and records
/// them, and holds the picture for itself alone; what would change the other's pictures is left out.
#[derive(Clone)]
pub struct Observer {
    view: Arc<Mutex<Arc<LiveView>>>,
    commands: SyncSender<LiveCommand>,
    held: Option<Arc<LiveView>>,
}

impl LiveSource for Observer {
    fn view(&mut self) -> Arc<LiveView> {
        match &self.held {
            Some(held) => Arc::clone(held),
            None => Arc::clone(&self.view.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    fn command(&mut self, command: LiveCommand) {
        match command {
            LiveCommand::Freeze(false) => self.held = None,
            LiveCommand::Freeze(true) => self.held = Some(self.view()),
            LiveCommand::NewGame | LiveCommand::Record(_) | LiveCommand::StopRecording => {
                // Nobody is there to obey once the session has ended.
                let _ = self.commands.try_send(command);
            }
            LiveCommand::Turn(_)
            | LiveCommand::Pause(_)
            | LiveCommand::Seek(_)
            | LiveCommand::Set(_)
            | LiveCommand::Choose(_) => {}
        }
    }
}

impl Drop for RunningSession {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
