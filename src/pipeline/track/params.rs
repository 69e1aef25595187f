//! How cards are tracked.

use crate::pipeline::board;
use crate::pipeline::classify::table_facts::TableFacts;
use crate::pipeline::compose::Pipeline;

/// How cards are tracked. Times in milliseconds of the frames' own clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Longest time between two looks when nothing seems to happen.
    pub idle_ms: f64,
    /// Shortest time between two looks.
    pub busy_ms: f64,
    /// Patches for the motion are chosen anew after so long.
    pub patches_ms: f64,
    /// Part of the picture that must change for a look to be due.
    pub change: f64,
    /// Likeness of two glances at one unchanged card.
    pub alike: f64,
    /// Likeness below which something else is there.
    pub unlike: f64,
    /// A card whose evidence is worth so many readings and so probable is not read again.
    pub settled: (f32, f32),
    /// Readings after which an unchanged card is not read again, whatever they say.
    pub most_readings: u32,
    /// Change of a place from frame to frame, in grey levels, below which nothing moves there.
    pub still_levels: f64,
    /// Or correlation from frame to frame above which nothing moves there.
    pub still_correlation: f64,
    /// A place that looks like the table and was still for so long holds no card.
    pub bare_ms: f64,
    /// A place without a card to be seen that was still for so long holds none, whatever it
    /// looks like: a resting hand moves.
    pub hidden_still_ms: f64,
    /// A card that could not be seen for so long is given up.
    pub hidden_ms: f64,
    /// What was read and is no card is not read again for so long, if it does not change.
    pub no_card_ms: f64,
    /// Looks in a row that must not find a card that looks unchanged before it is taken for gone,
    /// where its place is bare; more of them, and it counts as hidden.
    pub misses: u32,
    /// Looks that must contradict before a code on the screen changes.
    pub contradictions: u32,
    /// Time in which a drawn outline goes most of the way to the measured one.
    pub smooth_ms: f64,
    /// Texture, relative to the best of late, below which a reading counts for nothing, and above
    /// which it counts in full.
    pub focus: (f32, f32),
    /// What makes readings a board.
    pub board: board::Params,
    /// What is believed of the table before the first frame.
    pub facts: TableFacts,
}

impl Params {
    /// The usual ones, with how a pipeline makes a board of its readings, and what it believes beforehand.
    pub fn of(pipeline: &Pipeline) -> Self {
        Self { board: pipeline.board, facts: pipeline.facts, ..Self::default() }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            idle_ms: 500.0,
            busy_ms: 60.0,
            patches_ms: 1_000.0,
            // Fourteen cells of 3,600: a card is about forty.
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
            board: board::Params::default(),
            facts: TableFacts::default(),
        }
    }
}
