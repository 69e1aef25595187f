//! Measures time that no stage should count.

use super::stopwatch::Stopwatch;
use std::{cell::Cell, time::Duration};

thread_local! {
    static SO_FAR: Cell<(Duration, Duration)> =
        const { Cell::new((Duration::ZERO, Duration::ZERO)) };
}

/// Runs a preparation whose result is kept, such as loading a network for the first photo. No stage
/// counts its time; otherwise the first photo would seem slow.
pub fn uncounted<T>(make: impl FnOnce() -> T) -> T {
    let watch = Stopwatch::start();
    let made = make();
    let (elapsed, cpu) = SO_FAR.get();
    SO_FAR.set((elapsed + watch.wall(), cpu + watch.cpu()));
    made
}

/// The time that this thread has spent so far in [`uncounted`]: wall clock and CPU.
pub fn uncounted_so_far() -> (Duration, Duration) {
    SO_FAR.get()
}
