//! Parameters of the tracker.

use crate::evidence::SharedError;
use setsight_vision::{Pipeline, TableFacts, board};

/// Parameters of the tracker. Times are in milliseconds of the frames' own time.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Longest time between two detections when nothing changes.
    pub idle_ms: f64,
    /// Shortest time between two detections.
    pub busy_ms: f64,
    /// Time after which the motion's patches are chosen again.
    pub patches_ms: f64,
    /// Share of the picture that must change to trigger a detection.
    pub change: f64,
    /// Correlation of two thumbnails from which a card counts as unchanged.
    pub alike: f64,
    /// Correlation below which something else is there.
    pub unlike: f64,
    /// Weight of the evidence and probability from which a card is not read again.
    pub settled: (f32, f32),
    /// Number of readings after which an unchanged card is not read again, whatever the result.
    pub most_readings: u32,
    /// Change of a place from frame to frame, in grey levels, up to which it is still.
    pub still_levels: f64,
    /// Correlation from frame to frame above which a place is still, whatever its change.
    pub still_correlation: f64,
    /// A place that resembles the table and was still for this long holds no card.
    pub bare_ms: f64,
    /// A place without a visible card that was still for this long holds no card, whatever it looks
    /// like: even a resting hand moves.
    pub hidden_still_ms: f64,
    /// A card that was hidden for this long is removed.
    pub hidden_ms: f64,
    /// A place that was read as no card is not read again for this long, unless it changes.
    pub no_card_ms: f64,
    /// Detections in a row that must miss a card with an unchanged picture before it is removed, if
    /// its place is bare. After more misses, the card counts as hidden.
    pub misses: u32,
    /// Number of contradicting results after which the displayed code changes.
    pub contradictions: u32,
    /// Time constant with which a drawn outline approaches the measured one.
    pub smooth_ms: f64,
    /// Texture, relative to the best of the last seconds, up to which a reading has no weight, and
    /// from which it counts in full.
    pub focus: (f32, f32),
    /// What readings of one card have in common; as measured in `docs/lab/live.md`.
    pub shared_error: SharedError,
    /// From this time between two frames on, in milliseconds, a detection is applied to the frame
    /// that it was asked for: there is time for it, and by the next frame the table may have moved
    /// beyond following.
    pub slow_ms: f64,
    /// Parameters for settling the board.
    pub board: board::Params,
    /// The prior for the table's facts, before the first frame.
    pub facts: TableFacts,
}

impl Params {
    /// The default parameters, with a pipeline's board parameters and its prior for the table.
    pub fn of(pipeline: &Pipeline) -> Self {
        let board = board::Params { repeats: board::Repeats::Moved, ..pipeline.board };
        Self { board, facts: pipeline.facts.clone(), ..Self::default() }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            idle_ms: 500.0,
            busy_ms: 60.0,
            patches_ms: 1_000.0,
            // Fourteen of 3,600 cells; a card covers about forty.
            change: 0.004,
            alike: 0.85,
            unlike: 0.7,
            settled: (1.8, 0.97),
            most_readings: 6,
            still_levels: 3.0,
            still_correlation: 0.95,
            bare_ms: 60.0,
            hidden_still_ms: 1_500.0,
            hidden_ms: 5_000.0,
            no_card_ms: 2_000.0,
            misses: 3,
            contradictions: 3,
            smooth_ms: 90.0,
            focus: (0.35, 0.75),
            shared_error: [0.70, 0.68, 0.98, 0.64],
            slow_ms: 150.0,
            board: board::Params { repeats: board::Repeats::Moved, ..board::Params::default() },
            facts: TableFacts::default(),
        }
    }
}
