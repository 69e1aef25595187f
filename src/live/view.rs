//! A snapshot of what a camera sees, for whoever shows it.

use super::camera::{CameraChoice, CameraError};
use super::counter::Score;
use crate::pipeline::track::TrackedCard;
use crate::pipeline::{Frame, ReadCard, StageTime, TableFacts};
use crate::sets::Set;
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
    /// All sets among the sure ones, as indices into `cards`.
    pub sets: Vec<Set>,
    /// Which edition lies on the table, and whether the camera mirrors.
    pub facts: TableFacts,
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
    /// What is wrong, if something is.
    pub notice: Option<Notice>,
}

impl LiveView {
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
}

impl From<&CameraError> for Notice {
    fn from(error: &CameraError) -> Self {
        Self { title: error.to_string(), advice: error.advice().to_owned() }
    }
}

/// What can be asked of a running camera.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveCommand {
    /// Hold the picture, or let it run.
    Freeze(bool),
    /// Begin a new game.
    NewGame,
    /// Take another camera.
    Choose(CameraChoice),
}

/// Something that is watched: a camera in life, a script in tests.
pub trait LiveSource {
    /// The newest view.
    fn view(&mut self) -> Arc<LiveView>;
    /// Asks something of it.
    fn command(&mut self, command: LiveCommand);
}
