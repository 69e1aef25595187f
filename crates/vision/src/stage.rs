//! Measures the stages' times, and receives their pictures.

use cpu_time::ThreadTime;
use image::RgbImage;
use setsight_nets::engine::{cpu_elsewhere, uncounted_so_far};
use std::io;
use std::time::{Duration, Instant};

/// The time of one stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageTime {
    /// `load`, `segment`, `rectify`, `classify`, `board` or `sets`; `overlay` is drawing the
    /// annotated picture and writing it.
    pub stage: &'static str,
    /// Wall clock time.
    pub elapsed_ms: f64,
    /// CPU time of this thread, plus that of other threads that ran networks for it.
    pub cpu_ms: f64,
}

/// Measures the stages that run on this thread.
#[derive(Clone, Debug, Default)]
pub struct StageClock {
    /// The times, in the order in which the stages ran.
    pub times: Vec<StageTime>,
}

impl StageClock {
    /// Runs a stage and records its time.
    pub fn time<T>(&mut self, stage: &'static str, run: impl FnOnce() -> T) -> T {
        let (elsewhere, before) = (cpu_elsewhere(), uncounted_so_far());
        let (start, cpu_start) = (Instant::now(), ThreadTime::now());
        let result = run();
        let (elapsed, cpu) = (start.elapsed(), cpu_start.elapsed());
        let cpu = cpu + (cpu_elsewhere() - elsewhere);
        let after = uncounted_so_far();
        let ms =
            |all: Duration, uncounted: Duration| all.saturating_sub(uncounted).as_secs_f64() * 1e3;
        self.times.push(StageTime {
            stage,
            elapsed_ms: ms(elapsed, after.0 - before.0),
            cpu_ms: ms(cpu, after.1 - before.1),
        });
        result
    }
}

/// Receives the pictures that stages draw for people.
pub trait StageSink {
    /// Receives the picture of one stage.
    ///
    /// # Errors
    /// The picture cannot be written.
    fn picture(&self, stage: &str, picture: &RgbImage) -> io::Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_nets::engine::uncounted::uncounted;

    #[test]
    fn what_is_made_ready_counts_in_no_stage() {
        let mut clock = StageClock::default();
        let slept = Duration::from_millis(20);
        let start = Instant::now();
        clock.time("segment", || uncounted(|| std::thread::sleep(slept)));
        // Whatever the load of the machine, the sleep is part of the elapsed time, but not of the
        // counted time.
        let all = start.elapsed().as_secs_f64() * 1e3;
        let counted = clock.times[0].elapsed_ms;
        assert!(counted <= all - 20.0, "{counted} of {all}");
    }
}
