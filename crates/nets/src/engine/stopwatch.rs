//! Wall clock and CPU time, where there are such.

use std::time::Duration;
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
