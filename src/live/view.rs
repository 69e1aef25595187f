//! A snapshot of what a camera sees, for whoever shows it.

use super::camera::CameraError;
use super::control::{CameraOffer, CameraWish};
use super::counter::Score;
use super::input::Input;
use super::video::FilmPlace;
use super::watch::Watched;
use crate::pipeline::track::{Table, TrackedCard};
use crate::pipeline::{Frame, ReadCard, StageTime, TableFacts};
use crate::sets::Set;
use std::path::PathBuf;
use std::sync::Arc;

/// What is seen now.
#[derive(Clone, Debug, Default)]
pub struct LiveView {
    /// The newest frame that was tracked.
    pub frame: Option<Arc<Frame>>,
    /// Its number, from 0.
    pub number: u64,
    /// Its time.
    pub time_ms: f64,
    /// The cards on the table, in reading order.
    pub cards: Vec<TrackedCard>,
    /// All sets among the sure ones that are to be seen, as indices into `cards`.
    pub sets: Vec<Set>,
    /// Which edition lies on the table, and whether the camera mirrors.
    pub facts: TableFacts,
    /// Sets that rest: a card of theirs is covered.
    pub resting: Vec<Set>,
    /// Whether the table has been looked at: before, nothing is known of it.
    pub looked: bool,
    /// The game so far.
    pub score: Score,
    /// How long each stage of this frame took.
    pub times: Vec<StageTime>,
    /// From the frame to this view.
    pub latency_ms: f64,
    /// Frames a second of late.
    pub fps: f64,
    /// Whether the picture is held; the game is followed on.
    pub frozen: bool,
    /// Where the film is, if it is one.
    pub film: Option<FilmPlace>,
    /// Whether it has ended.
    pub ended: bool,
    /// What is recorded, or was recorded last.
    pub recording: Option<Recording>,
    /// What can be set at the camera.
    pub offer: CameraOffer,
    /// What is wrong, if something is.
    pub notice: Option<Notice>,
}

/// A game that is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The film; its lines are beside it.
    pub film: PathBuf,
    /// How long it is.
    pub length_ms: f64,
    /// How it is with it.
    pub state: RecordingState,
}

/// How it is with a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordingState {
    /// It goes on.
    Running,
    /// It has ended, and is kept.
    Kept,
    /// It has ended for this reason; what was recorded before is kept.
    Failed(String),
}

impl Recording {
    /// Whether it goes on.
    pub fn is_running(&self) -> bool {
        self.state == RecordingState::Running
    }
}

impl LiveView {
    /// What a frame gave, without its number and its time.
    pub fn of(frame: Arc<Frame>, watched: Watched) -> Self {
        let Table { cards, sets, resting, looked, .. } = watched.table;
        let frame = Some(frame);
        Self { frame, cards, sets, resting, looked, times: watched.times, ..Self::default() }
    }

    /// The cards as a photo's.
    pub fn read_cards(&self) -> Vec<ReadCard> {
        self.cards.iter().map(|card| card.card.clone()).collect()
    }
}

/// Something to tell whoever looks at the camera's picture.
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
    pub(crate) fn of(title: String, advice: &str) -> Self {
        Self { title, advice: advice.to_owned(), error: None, tried_again: false }
    }
}

impl From<&CameraError> for Notice {
    fn from(error: &CameraError) -> Self {
        let error_is = Some(error.clone());
        Self { error: error_is, ..Self::of(error.to_string(), error.advice()) }
    }
}

/// What can be asked of a running camera.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveCommand {
    /// Hold the picture, or let it run.
    Freeze(bool),
    /// Begin a new game.
    NewGame,
    /// Hold the film, or let it run.
    Pause(bool),
    /// Show the film from this time on, in milliseconds of it.
    Seek(f64),
    /// Turn its pictures by so many quarters of a turn to the right, from how they come.
    Turn(u8),
    /// Record the game, which begins anew with it, as this film.
    Record(PathBuf),
    /// End the recording.
    StopRecording,
    /// Set the camera so.
    Set(CameraWish),
    /// Take another camera or film.
    Choose(Input),
}

/// Something that is watched: a camera in life, a script in tests.
pub trait LiveSource {
    /// The newest view.
    fn view(&mut self) -> Arc<LiveView>;
    /// Asks something of it.
    fn command(&mut self, command: LiveCommand);
}
