//! Processor time that decoding a photo may take, and a way to stop it.

use super::error::SourceError;
#[cfg(not(target_arch = "wasm32"))]
use cpu_time::ThreadTime;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{io::ErrorKind, time::Duration};
#[cfg(target_arch = "wasm32")]
use web_time::Instant as ThreadTime;

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
