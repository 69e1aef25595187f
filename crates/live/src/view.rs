//! A snapshot of a camera's table, for user interfaces.

use super::control::{CameraOffer, CameraWish};
use super::{camera::CameraError, input::Input, video::FilmPlace, watch::Watched};
use setsight_photo::Frame;
use setsight_track::{TrackedTable, counter::Score};
use setsight_vision::StageTime;
use std::{path::PathBuf, sync::Arc};

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
    /// Whether the film has ended.
    pub ended: bool,
    /// The current recording, or the last one.
    pub recording: Option<Recording>,
    /// The settings that the camera offers.
    pub offer: CameraOffer,
    /// What is wrong, if anything.
    pub notice: Option<Notice>,
}

/// A recording of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The film; its lines are beside it.
    pub film: PathBuf,
    /// Its length in milliseconds.
    pub length_ms: f64,
    /// Its state.
    pub state: RecordingState,
}

/// The state of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordingState {
    /// It is in progress.
    Running,
    /// It has ended and is complete.
    Kept,
    /// It has ended for this reason; everything recorded before is kept.
    Failed(String),
}

impl Recording {
    /// Whether it is in progress.
    pub fn is_running(&self) -> bool {
        self.state == RecordingState::Running
    }
}

impl LiveView {
    /// The view of a frame, without its number and its time.
    pub(crate) fn of(frame: Arc<Frame>, watched: Watched) -> Self {
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
    /// What it is about, for whoever has other words for it.
    pub error: Option<CameraError>,
    /// Whether it is tried again every second.
    pub tried_again: bool,
}

impl Notice {
    /// Something that is not the camera's fault.
    pub fn of(title: String, advice: &str) -> Self {
        Self { title, advice: advice.to_owned(), error: None, tried_again: false }
    }
}

impl From<&CameraError> for Notice {
    fn from(error: &CameraError) -> Self {
        let error_is = Some(error.clone());
        Self { error: error_is, ..Self::of(error.to_string(), error.advice()) }
    }
}

/// Commands to a running camera.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveCommand {
    /// Freeze the picture, or resume it.
    Freeze(bool),
    /// Begin a new game.
    NewGame,
    /// Pause the film, or resume it.
    Pause(bool),
    /// Seek in the film, to a time in milliseconds.
    Seek(f64),
    /// Rotate the source's pictures by this number of quarter turns to the right.
    Turn(u8),
    /// Record the game as this film; a new game begins with the recording.
    Record(PathBuf),
    /// End the recording.
    StopRecording,
    /// Change the camera's settings.
    Set(CameraWish),
    /// Switch to another camera or film.
    Choose(Input),
}

/// A source of views: a camera, or a script in tests.
pub trait LiveSource {
    /// The newest view.
    fn view(&mut self) -> Arc<LiveView>;
    /// Sends a command.
    fn command(&mut self, command: LiveCommand);
}
