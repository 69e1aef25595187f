//! How long each stage takes, and where its picture goes.

use super::engine::cpu_elsewhere;
use cpu_time::ThreadTime;
use image::RgbImage;
use std::io;
use std::time::Instant;

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
        let (start, cpu_start, elsewhere) = (Instant::now(), ThreadTime::now(), cpu_elsewhere());
        let result = run();
        let cpu = cpu_start.elapsed() + (cpu_elsewhere() - elsewhere);
        self.times.push(StageTime {
            stage,
            elapsed_ms: start.elapsed().as_secs_f64() * 1e3,
            cpu_ms: cpu.as_secs_f64() * 1e3,
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
