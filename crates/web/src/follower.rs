//! Live pictures.

use crate::bytes::rgb_of;
use setsight_track::{TableTracker, TrackedTable, counter::Counter, line_of};
use std::time::Duration;

/// Follows a table through live pictures, and counts the game.
pub struct Follower {
    tracker: TableTracker,
    counter: Counter,
    /// Pictures so far.
    number: u64,
    /// The last table and its time, with which a new game begins.
    last: Option<(TrackedTable, f64)>,
}

impl Follower {
    /// Loads the networks inside the module.
    ///
    /// # Errors
    /// A word: they cannot be run.
    pub fn new() -> Result<Self, &'static str> {
        let tracker = TableTracker::new().map_err(|_| "failed")?;
        Ok(Self { tracker, counter: Counter::default(), number: 0, last: None })
    }

    /// Follows the next picture, height x width x (R, G, B, A): its line of JSON, as `live` prints
    /// it, but without `latency_ms`. `time_ms` must not decrease.
    ///
    /// # Errors
    /// A word for what is wrong. The next picture may be followed.
    pub fn follow(
        &mut self,
        width: u32,
        height: u32,
        rgba: &[u8],
        time_ms: f64,
    ) -> Result<String, &'static str> {
        let frame = rgb_of(width, height, rgba)?;
        let time = Duration::try_from_secs_f64(time_ms / 1e3).map_err(|_| "failed")?;
        let tracked = self.tracker.update(&frame, time).map_err(|_| "failed")?;
        self.counter.update(&tracked, time_ms);
        let line = line_of(self.number, time_ms, &tracked, &self.counter.score(), &[]);
        self.number += 1;
        self.last = Some((tracked, time_ms));
        Ok(line.to_string())
    }

    /// Begins a new game with the cards that lie there.
    pub fn new_game(&mut self) {
        self.counter.reset();
        if let Some((table, time_ms)) = &self.last {
            self.counter.update(table, *time_ms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::path::Path;

    #[test]
    fn cards_stay_the_same_and_are_counted_until_a_new_game() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/samples");
        let picture = image::open(samples.join("1-plain-on-wood.jpg")).unwrap().into_rgba8();
        let (width, height) = picture.dimensions();
        let mut follower = Follower::new().unwrap();
        let mut follow = |time_ms: f64| {
            let line = follower.follow(width, height, &picture, time_ms).unwrap();
            serde_json::from_str::<Value>(&line).unwrap()
        };
        let first = follow(0.0);
        let last = follow(600.0);
        assert_eq!((&first["frame"], &last["frame"]), (&0.into(), &1.into()));
        assert_eq!(first["cards"][3]["id"], last["cards"][3]["id"]);
        assert_eq!((&first["seen"], &last["seen"]), (&0.into(), &12.into()), "{last}");
        follower.new_game();
        let again = follower.follow(width, height, &picture, 633.0).unwrap();
        assert!(again.contains(r#""seen":0,"left":81"#), "{again}");
        assert_eq!(follower.follow(width, height, &picture, f64::NAN).unwrap_err(), "failed");
    }
}
