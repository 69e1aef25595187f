//! How long each stage takes, and where its picture goes.

use super::engine::{cpu_elsewhere, uncounted_so_far};
use cpu_time::ThreadTime;
use image::RgbImage;
use std::io;
use std::time::{Duration, Instant};

/// How long a stage took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageTime {
    /// `load`, `segment`, `rectify`, `classify`, `board` or `sets`; `overlay` is drawing the
    /// annotated picture and writing it.
    pub stage: &'static str,
    /// On the clock.
    pub elapsed_ms: f64,
    /// Of this thread's CPU, and of what ran networks for it.
    pub cpu_ms: f64,
}

/// Takes the time of stages that run on this thread.
#[derive(Clone, Debug, Default)]
pub struct StageClock {
    /// In the order in which they ran.
    pub times: Vec<StageTime>,
}

impl StageClock {
    /// Runs a stage and notes how long it took.
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

/// Takes the pictures that stages make for people to look at.
pub trait StageSink {
    /// Takes the picture of one stage.
    ///
    /// # Errors
    /// It cannot be written.
    fn picture(&self, stage: &str, picture: &RgbImage) -> io::Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::engine::uncounted;

    #[test]
    fn what_is_made_ready_counts_in_no_stage() {
        let mut clock = StageClock::default();
        let slept = Duration::from_millis(20);
        let start = Instant::now();
        clock.time("segment", || uncounted(|| std::thread::sleep(slept)));
        // However busy the machine is, the sleep is a part of all that went by and not of what counts.
        let all = start.elapsed().as_secs_f64() * 1e3;
        let counted = clock.times[0].elapsed_ms;
        assert!(counted <= all - 20.0, "{counted} of {all}");
    }
}
