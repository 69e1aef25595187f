//! Following the cards on a table through the frames of a camera or a film, by the tracker's parameters; and a tracked
//! table as JSON.

use crate::{Grey, TrackedTable, Tracker, counter::Score, detect, evidence::SharedError};
use image::RgbImage;
use serde_json::{Value, json};
use setsight_photo::source;
use setsight_vision::{
    Pipeline, ReadError, ReadOptions, StageTime, TableFacts, Trace, board, output,
};
use std::{sync::Arc, time::Duration};

/// Follows the cards on a table through the frames of a camera or a film. Each card keeps its
/// identity while it lies there, and its readings add up, so that the result becomes surer.
///
/// Only the frames and their times count: the same frames give the same tables, however long the
/// computer takes.
///
/// # Examples
/// ```
/// # std::env::set_current_dir("../../datasets/samples").unwrap();
/// use setsight_track::TableTracker;
/// use std::time::Duration;
///
/// let frame = image::open("1-plain-on-wood.jpg")?.to_rgb8();
/// let mut tracker = TableTracker::new()?;
/// let first = tracker.update(&frame, Duration::ZERO)?;
/// let second = tracker.update(&frame, Duration::from_millis(33))?;
/// assert_eq!(second.table.cards.len(), 12);
/// for ((card, track), (_, before)) in second.cards().zip(first.cards()) {
///     println!("card {}: {}", track.id, card.card.name());
///     assert_eq!(track.id, before.id);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableTracker {
    pipeline: Pipeline,
    tracker: Tracker,
    size_px: (u32, u32),
}

impl TableTracker {
    /// A tracker with the default options, without any card yet.
    ///
    /// # Errors
    /// No engine can run the networks.
    pub fn new() -> Result<Self, ReadError> {
        Self::with(&ReadOptions::default())
    }

    /// A tracker with these options, without any card yet.
    ///
    /// # Errors
    /// The networks cannot be loaded, or the options contradict each other.
    pub fn with(options: &ReadOptions) -> Result<Self, ReadError> {
        let pipeline = options.build()?;
        let tracker = Tracker::new(Params::for_pipeline(&pipeline));
        Ok(Self { pipeline, tracker, size_px: (0, 0) })
    }

    /// Takes in the next frame (8-bit sRGB, upright, height x width x (R, G, B)) and returns the
    /// table as it is now. `time` is the frame's own, from any beginning; it must not decrease.
    ///
    /// Most frames are only followed, which is quick. In one of several, new and doubtful cards are
    /// looked for and read, which takes about as long as reading a photo. A frame of another size
    /// than the last one begins anew.
    ///
    /// # Errors
    /// The frame is too small or too large for a table, or cannot be processed. A later frame may
    /// succeed.
    pub fn update(&mut self, frame: &RgbImage, time: Duration) -> Result<TrackedTable, ReadError> {
        source::check_size(frame.width(), frame.height())?;
        if self.size_px != frame.dimensions() {
            self.size_px = frame.dimensions();
            self.tracker = Tracker::new(Params::for_pipeline(&self.pipeline));
        }
        let grey = Arc::new(Grey::new(frame));
        self.tracker.follow(grey, time.as_secs_f64() * 1e3);
        if let Some(request) = self.tracker.ask() {
            match detect(&self.pipeline, frame, &request, &mut Trace::default()) {
                Ok(found) => self.tracker.apply_detections(found),
                Err(error) => {
                    self.tracker.cancel_detection();
                    return Err(error.into());
                }
            }
        }
        Ok(self.tracker.table())
    }
}

/// The line of JSON of a tracked table: like a photo's, with `frame` and `time_ms` instead of
/// `image`. Each card also has its `id`, which is constant while it lies on the table, and whether
/// it is `hidden`. The line further holds the sets that are `resting` because one of their cards is
/// hidden; whether the table was `looked_at` at all; how many cards were `seen` and how many are
/// `left` in the deck; and the sets `taken`, as codes.
pub fn line_of(
    frame: u64,
    time_ms: f64,
    tracked: &TrackedTable,
    score: &Score,
    times: &[StageTime],
) -> Value {
    let TrackedTable { table, tracks, resting, looked, .. } = tracked;
    let head = [("frame", json!(frame)), ("time_ms", json!((time_ms * 100.0).round() / 100.0))];
    let head = head.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let mut line = output::line_of(head, table, times);
    let cards = line["cards"].as_array_mut().into_iter().flatten();
    for (json, card) in cards.zip(tracks) {
        json["id"] = json!(card.id);
        json["hidden"] = json!(card.hidden);
    }
    let taken = score.taken.iter().map(|set| set.map(|card| card.to_string()));
    line["resting"] = json!(resting.iter().map(|set| set.0).collect::<Vec<_>>());
    line["looked_at"] = json!(looked);
    line["seen"] = json!(score.distinct_cards);
    line["left"] = json!(score.left);
    line["taken"] = json!(taken.collect::<Vec<_>>());
    line
}

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
    /// Parameters for assigning names to cards.
    pub board: board::Params,
    /// The prior for the table's facts, before the first frame.
    pub facts: TableFacts,
}

impl Params {
    /// The default parameters, with a pipeline's board parameters and its prior for the table.
    pub fn for_pipeline(pipeline: &Pipeline) -> Self {
        let board = board::Params { duplicates: board::Duplicates::Transient, ..pipeline.board };
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
            board: board::Params {
                duplicates: board::Duplicates::Transient,
                ..board::Params::default()
            },
            facts: TableFacts::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_vision::{FinderChoice, ReadErrorKind, ReaderChoice};

    #[test]
    fn a_frame_of_another_size_begins_anew() {
        let options = ReadOptions::default();
        let options = options.finder(FinderChoice::Classical).reader(ReaderChoice::Classical);
        let mut tracker = TableTracker::with(&options).unwrap();
        let mut update = |(width, height), ms| {
            tracker.update(&RgbImage::new(width, height), Duration::from_millis(ms))
        };
        for (size_px, ms) in [((320, 240), 0), ((320, 240), 33), ((640, 480), 66)] {
            let tracked = update(size_px, ms).unwrap();
            assert_eq!((tracked.table.size_px, tracked.tracks.len()), (size_px, 0));
            assert!(tracked.looked);
        }
        assert_eq!(update((8, 8), 99).unwrap_err().kind(), ReadErrorKind::TooSmall);
    }
}
