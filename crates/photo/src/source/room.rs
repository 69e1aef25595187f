//! One memory for all photos that are read side by side.

use std::sync::{Condvar, Mutex, PoisonError};

/// What photos may hold together, in bytes: eight of 12 megapixels, or the largest there are one by one.
const ROOM_BYTES: u64 = 512 << 20;
/// What reading a photo takes beside the photo: shrunk copies, crops of cards, the networks' inputs. It does not
/// grow with the photo.
pub(super) const READING_BYTES: u64 = 16 << 20;

/// Memory that photos take before they are decoded, by what their headers say, and give back when they are
/// done with. Who finds no room waits.
#[derive(Debug)]
pub struct Room {
    all: u64,
    left: Mutex<u64>,
    freed: Condvar,
}

/// A photo's part of a [`Room`]. Hold it as long as the photo.
#[derive(Debug)]
pub struct Held<'a> {
    room: &'a Room,
    bytes: u64,
}

impl Default for Room {
    fn default() -> Self {
        Self::new(ROOM_BYTES)
    }
}

impl Room {
    /// Room for so many bytes.
    pub fn new(all: u64) -> Self {
        Self { all, left: Mutex::new(all), freed: Condvar::new() }
    }

    pub(super) fn take(&self, bytes: u64) -> Held<'_> {
        let bytes = bytes.min(self.all);
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        while *left < bytes {
            left = self.freed.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
        *left -= bytes;
        Held { room: self, bytes }
    }
}

impl Held<'_> {
    pub(super) fn try_grow(&mut self, bytes: u64) -> bool {
        let more = bytes.min(self.room.all).saturating_sub(self.bytes);
        let mut left = self.room.left.lock().unwrap_or_else(PoisonError::into_inner);
        let grows = *left >= more;
        if grows {
            *left -= more;
            self.bytes += more;
        }
        grows
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        *self.room.left.lock().unwrap_or_else(PoisonError::into_inner) += self.bytes;
        self.room.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn photos_without_room_wait_and_none_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        RgbImage::new(640, 480).save(&path).unwrap();
        // Room for two of them, and for no third.
        let one = READING_BYTES + 3 * 640 * 480 + path.metadata().unwrap().len();
        let room = Room::new(2 * one + one / 2);
        let (at_once, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let (photo, _held) = room.load(&path, 0).unwrap();
                    most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    assert_eq!(photo.stored_width, 640);
                    at_once.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(most.into_inner(), 2);
        assert_eq!(room.left.into_inner().unwrap(), 2 * one + one / 2);
    }

    #[test]
    fn what_needs_more_than_there_is_is_read_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        RgbImage::new(64, 48).save(&path).unwrap();
        let room = Room::new(1000);
        let (_, held) = room.load(&path, 3).unwrap();
        assert_eq!((held.bytes, *room.left.lock().unwrap()), (1000, 0));
        drop(held);
        assert!(room.load(std::path::Path::new("/no/such"), 0).is_err());
        assert_eq!(*room.left.lock().unwrap(), 1000);
    }
}
