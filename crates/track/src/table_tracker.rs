//! Following the cards on a table through the frames of a camera or a film.

use crate::{Grey, Params, TrackedTable, Tracker, detect};
use image::RgbImage;
use setsight_photo::source;
use setsight_vision::{Pipeline, ReadError, ReadOptions, Trace};
use std::{sync::Arc, time::Duration};

/// Follows the cards on a table through the frames of a camera or a film. Each card keeps its
/// identity while it lies there, and its readings add up, so that what is said becomes surer.
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
    /// A tracker with the default options, which knows no card yet.
    ///
    /// # Errors
    /// No engine can run the networks.
    pub fn new() -> Result<Self, ReadError> {
        Self::with(&ReadOptions::default())
    }

    /// A tracker with these options, which knows no card yet.
    ///
    /// # Errors
    /// The networks cannot be loaded, or the options contradict each other.
    pub fn with(options: &ReadOptions) -> Result<Self, ReadError> {
        let pipeline = options.build()?;
        let tracker = Tracker::new(Params::of(&pipeline));
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
            self.tracker = Tracker::new(Params::of(&self.pipeline));
        }
        let grey = Arc::new(Grey::of(frame));
        self.tracker.follow(grey, time.as_secs_f64() * 1e3);
        if let Some(request) = self.tracker.ask() {
            match detect(&self.pipeline, frame, &request, &mut Trace::default()) {
                Ok(found) => self.tracker.learn(found),
                Err(error) => {
                    self.tracker.forget_look();
                    return Err(error.into());
                }
            }
        }
        Ok(self.tracker.table())
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
