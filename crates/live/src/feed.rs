//! A camera whose pictures another part of the program hands in, such as those that a phone sends.

use super::camera::{Camera, CameraChoice, CameraError, CameraInfo, Cameras, Shot};
use super::capture::{Latest, Taken};
use std::time::{Duration, Instant};
use std::{fmt, sync::Arc};

/// How long a picture is waited for before the camera counts as silent.
const PATIENCE: Duration = Duration::from_secs(5);

/// A slot for pictures, which is a camera to its reader. Clones are the same slot.
#[derive(Clone)]
pub struct Feed {
    name: Arc<str>,
    slot: Arc<Latest<Shot>>,
}

impl Feed {
    /// An empty slot; the name is the camera's.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), slot: Arc::default() }
    }

    /// Hands in a picture, whose time follows from [`Shot::taken`]. It replaces one that was not
    /// taken yet. False once the feed is closed.
    pub fn put(&self, shot: Shot) -> bool {
        self.slot.put(shot)
    }

    /// Ends the camera as a film ends.
    pub fn close(&self) {
        self.slot.close();
    }
}

impl PartialEq for Feed {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.slot, &other.slot)
    }
}

impl Eq for Feed {}

impl fmt::Display for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Feed({})", self.name)
    }
}

impl Cameras for Feed {
    fn list(&self) -> Vec<CameraInfo> {
        vec![CameraInfo { number: 0, name: self.name.to_string() }]
    }

    fn open(&self, _: &CameraChoice) -> Result<Box<dyn Camera>, CameraError> {
        Ok(Box::new(FeedCamera { feed: self.clone(), opened: Instant::now() }))
    }
}

struct FeedCamera {
    feed: Feed,
    opened: Instant,
}

impl Camera for FeedCamera {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        match self.feed.slot.take(PATIENCE) {
            Taken::Item(shot) => {
                let since = shot.taken.saturating_duration_since(self.opened);
                Ok(Some(Shot { time_ms: since.as_secs_f64() * 1e3, ..shot }))
            }
            Taken::Closed => Ok(None),
            Taken::Nothing => {
                let (camera, seconds) = (self.feed.to_string(), PATIENCE.as_secs());
                Err(CameraError::Silent { camera, seconds })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    #[test]
    fn pictures_come_out_with_the_time_since_the_opening() {
        let feed = Feed::new("phone 1");
        let mut camera = feed.open(&CameraChoice::First).unwrap();
        let opened = Instant::now();
        let image = |level| RgbImage::from_pixel(64, 48, Rgb([level; 3]));
        assert!(feed.put(Shot::now(image(10), opened)));
        let later = Shot { taken: opened + Duration::from_secs(2), ..Shot::now(image(20), opened) };
        assert!(feed.put(later));
        let shot = camera.read().unwrap().unwrap();
        assert_eq!(shot.frame.as_raw()[0], 20, "the newest only");
        assert!((shot.time_ms - 2000.0).abs() < 1000.0, "{}", shot.time_ms);
        feed.close();
        assert!(camera.read().unwrap().is_none() && !feed.put(shot));
        assert_ne!(feed, Feed::new("phone 1"));
    }
}
