//! Wall clock and CPU time, where available, and time to exclude from every stage.

use std::{cell::Cell, time::Duration};
#[cfg(target_arch = "wasm32")]
use web_time::Instant;
#[cfg(not(target_arch = "wasm32"))]
use {cpu_time::ThreadTime, std::time::Instant};

/// Measures time from its start on. In WebAssembly, which knows no CPU time, that is the wall clock's.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Instant,
    #[cfg(not(target_arch = "wasm32"))]
    cpu: ThreadTime,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self {
            wall: Instant::now(),
            #[cfg(not(target_arch = "wasm32"))]
            cpu: ThreadTime::now(),
        }
    }

    /// Wall clock time since the start.
    pub fn wall(&self) -> Duration {
        self.wall.elapsed()
    }

    /// CPU time of this thread since the start.
    pub fn cpu(&self) -> Duration {
        #[cfg(not(target_arch = "wasm32"))]
        return self.cpu.elapsed();
        #[cfg(target_arch = "wasm32")]
        self.wall()
    }
}

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
