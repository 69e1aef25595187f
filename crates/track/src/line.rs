//! A tracked table as JSON.

use crate::{TrackedTable, counter::Score};
use serde_json::{Value, json};
use setsight_vision::{StageTime, output};

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
    line["seen"] = json!(score.seen);
    line["left"] = json!(score.left);
    line["taken"] = json!(taken.collect::<Vec<_>>());
    line
}
