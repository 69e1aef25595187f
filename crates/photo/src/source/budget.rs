//! What decoding may take: one memory for all photos that are read side by side, and of each photo the
//! processor's time, with a way to stop it.

use super::error::SourceError;
use crate::Frame;
#[cfg(not(target_arch = "wasm32"))]
use cpu_time::ThreadTime;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::{io::ErrorKind, time::Duration};
#[cfg(target_arch = "wasm32")]
use web_time::Instant as ThreadTime;

/// What photos may hold together, in bytes: eight of 12 megapixels, or the largest there are one by one.
const BUDGET_BYTES: u64 = 512 << 20;
/// What reading a photo takes beside the photo: shrunk copies, crops of cards, the networks' inputs. It does not
/// grow with the photo.
pub(super) const READING_BYTES: u64 = 16 << 20;

/// Memory that photos take before they are decoded, by what their headers say, and give back when they are
/// done with. Who finds no room waits.
#[derive(Debug)]
pub struct MemoryBudget {
    all: u64,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug)]
struct State {
    /// Bytes that nobody holds.
    left: u64,
    /// Memory of the last photos that are done with, for the next ones: a large photo in memory that is new
    /// from the system spends a quarter of its time there. It is not in `left`, and gives way to
    /// whoever needs room.
    spare: VecDeque<Vec<u8>>,
}

impl State {
    /// Whether there are so many bytes, if need be without what is spare.
    fn has(&mut self, bytes: u64) -> bool {
        if self.left < bytes {
            self.left += self.spare.drain(..).map(|spare| spare.capacity() as u64).sum::<u64>();
        }
        self.left >= bytes
    }
}

/// A photo's part of a [`MemoryBudget`]. Hold it as long as the photo.
#[derive(Debug)]
pub struct Reservation<'a> {
    budget: &'a MemoryBudget,
    bytes: u64,
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self::new(BUDGET_BYTES)
    }
}

impl MemoryBudget {
    /// Room for so many bytes.
    pub(crate) fn new(all: u64) -> Self {
        let state = State { left: all, spare: VecDeque::new() };
        Self { all, state: Mutex::new(state), freed: Condvar::new() }
    }

    /// A photo is done with: the next ones may have its memory.
    pub fn done_with(&self, frame: Frame) {
        /// Photos of a folder are of a few sizes, and memory of a size that does not come again is of no use.
        const MOST_SPARE: usize = 2;
        let spare = frame.into_raw();
        let bytes = spare.capacity() as u64;
        let mut state = self.state();
        if state.left >= bytes {
            state.left -= bytes;
            state.spare.push_back(spare);
        }
        while state.spare.len() > MOST_SPARE {
            let oldest = state.spare.pop_front().unwrap_or_default();
            state.left += oldest.capacity() as u64;
        }
    }

    /// Memory of a photo that is done with, of at least so many bytes and at most twice as many; none
    /// if there is none.
    pub(super) fn spare(&self, bytes: usize) -> Vec<u8> {
        let mut state = self.state();
        let fits = bytes..=2 * bytes;
        let found = state.spare.iter().position(|spare| fits.contains(&spare.capacity()));
        let spare = found.and_then(|i| state.spare.remove(i)).unwrap_or_default();
        state.left += spare.capacity() as u64;
        spare
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn take(&self, bytes: u64) -> Reservation<'_> {
        let bytes = bytes.min(self.all);
        let mut state = self.state();
        while !state.has(bytes) {
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.left -= bytes;
        Reservation { budget: self, bytes }
    }
}

impl Reservation<'_> {
    pub(super) fn try_grow(&mut self, bytes: u64) -> bool {
        let more = bytes.min(self.budget.all).saturating_sub(self.bytes);
        let mut state = self.budget.state();
        let grows = state.has(more);
        if grows {
            state.left -= more;
            self.bytes += more;
        }
        grows
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.budget.state().left += self.bytes;
        self.budget.freed.notify_all();
    }
}

/// What any photo may take, also on a slow computer.
const ANY: Duration = Duration::from_secs(5);
/// What each megapixel may take. HEIC, the slowest, takes a tenth of it.
const A_MEGAPIXEL: Duration = Duration::from_millis(200);

/// Time for one photo, of all threads that decode it.
pub(super) struct Budget<'a> {
    pub(super) limit: Duration,
    spent_us: AtomicU64,
    stop: &'a AtomicBool,
}

impl<'a> Budget<'a> {
    /// For so many pixels in the file, until `stop` is set.
    pub(super) fn new(pixels: u64, stop: &'a AtomicBool) -> Self {
        let limit = ANY + A_MEGAPIXEL.mul_f64(pixels as f64 / 1e6);
        Self { limit, spent_us: AtomicU64::new(0), stop }
    }

    /// Counts the time of this thread from now on.
    pub(super) fn clock(&self) -> Clock<'_> {
        Clock { budget: self, last: ThreadTime::now() }
    }

    pub(super) fn check(&self) -> Result<(), SourceError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(SourceError::Unreadable(ErrorKind::Interrupted.into()));
        }
        if Duration::from_micros(self.spent_us.load(Ordering::Relaxed)) > self.limit {
            return Err(SourceError::TooSlow { seconds: self.limit.as_secs() });
        }
        Ok(())
    }
}

/// One thread's part of a [`Budget`].
pub(super) struct Clock<'a> {
    budget: &'a Budget<'a>,
    last: ThreadTime,
}

impl Clock<'_> {
    /// Counts what was spent since the last call.
    pub(super) fn check(&mut self) -> Result<(), SourceError> {
        let spent = std::mem::replace(&mut self.last, ThreadTime::now()).elapsed();
        self.budget.spent_us.fetch_add(spent.as_micros() as u64, Ordering::Relaxed);
        self.budget.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn photos_without_room_wait_and_none_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        RgbImage::new(640, 480).save(&path).unwrap();
        // Room for two of them, and for no third.
        let one = READING_BYTES + 3 * 640 * 480 + path.metadata().unwrap().len();
        let budget = MemoryBudget::new(2 * one + one / 2);
        let (at_once, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let (photo, _reservation) = budget.load(&path, 0).unwrap();
                    most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    assert_eq!(photo.stored_width, 640);
                    at_once.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(most.into_inner(), 2);
        assert_eq!(budget.state().left, 2 * one + one / 2);
    }

    #[test]
    fn what_needs_more_than_the_budget_is_read_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        RgbImage::new(64, 48).save(&path).unwrap();
        let budget = MemoryBudget::new(1000);
        let (_, reservation) = budget.load(&path, 3).unwrap();
        assert_eq!((reservation.bytes, budget.state().left), (1000, 0));
        drop(reservation);
        assert!(budget.load(std::path::Path::new("/no/such"), 0).is_err());
        assert_eq!(budget.state().left, 1000);
    }

    #[test]
    fn the_memory_of_few_photos_is_kept() {
        let budget = MemoryBudget::new(1 << 20);
        for side in 10..20 {
            budget.done_with(RgbImage::new(side, side));
        }
        let kept: Vec<usize> = budget.state().spare.iter().map(Vec::capacity).collect();
        assert_eq!(kept, [3 * 18 * 18, 3 * 19 * 19], "the last ones");
        assert_eq!(budget.state().left, (1 << 20) - kept.iter().sum::<usize>() as u64);
    }

    #[test]
    fn a_photo_comes_in_the_memory_of_one_that_is_done_with() {
        let dir = tempfile::tempdir().unwrap();
        let [dark, bright] = [40, 200].map(|level| {
            let path = dir.path().join(format!("{level}.jpg"));
            RgbImage::from_pixel(640, 480, image::Rgb([level; 3])).save(&path).unwrap();
            path
        });
        let budget = MemoryBudget::new(READING_BYTES + (2 << 20));
        let (first, reservation) = budget.load(&bright, 0).unwrap();
        let memory = first.frame.as_raw().as_ptr();
        budget.done_with(first.frame);
        drop(reservation);
        assert_eq!(budget.state().spare.len(), 1);
        let (second, reservation) = budget.load(&dark, 0).unwrap();
        assert_eq!(second.frame.as_raw().as_ptr(), memory);
        assert!(second.frame.iter().all(|value| value.abs_diff(40) < 3));
        assert!(budget.state().spare.is_empty());
        // What is spare gives way to who needs all of the room.
        budget.done_with(second.frame);
        drop(reservation);
        drop(budget.take(budget.all));
        assert!(budget.state().spare.is_empty());
        assert_eq!(budget.state().left, budget.all);
    }
}
