//! Time that counts in no stage.

use cpu_time::ThreadTime;
use std::cell::Cell;
use std::time::{Duration, Instant};

thread_local! {
    static SO_FAR: Cell<(Duration, Duration)> =
        const { Cell::new((Duration::ZERO, Duration::ZERO)) };
}

/// Makes ready what is then kept, such as a network for its first photo: no stage's time counts it, else
/// the first photo would seem slow.
pub fn uncounted<T>(make: impl FnOnce() -> T) -> T {
    let (start, cpu_start) = (Instant::now(), ThreadTime::now());
    let made = make();
    let (elapsed, cpu) = SO_FAR.get();
    SO_FAR.set((elapsed + start.elapsed(), cpu + cpu_start.elapsed()));
    made
}

/// What this thread has spent so far in [`uncounted`], on the clock and of its CPU.
pub fn uncounted_so_far() -> (Duration, Duration) {
    SO_FAR.get()
}
