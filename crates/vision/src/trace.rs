//! Observes a reading: how long each stage takes, and what its pictures show.

use image::RgbImage;
use setsight_nets::engine::{Stopwatch, cpu_elsewhere, uncounted_so_far};
use std::{io, time::Duration};

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

/// Takes the picture of a stage, with the stage's name.
type OnPicture<'a> = Box<dyn FnMut(&str, &RgbImage) -> io::Result<()> + 'a>;

/// Observes the stages that run on this thread: records their times and, if there is an observer, passes
/// on the pictures that they draw for people. Without one, the default, nothing is drawn.
///
/// # Examples
/// ```
/// use setsight_vision::{Pipeline, Trace};
///
/// let frame = image::RgbImage::new(320, 240);
/// let mut shown = Vec::new();
/// let mut trace = Trace::default().on_picture(|stage, _| {
///     shown.push(stage.to_owned());
///     Ok(())
/// });
/// setsight_vision::ReadingPlan::default().build()?.read(&frame, &mut trace)?;
/// assert!(trace.times.iter().any(|time| time.stage == "rectify"));
/// drop(trace);
/// assert_eq!(shown.last().unwrap(), "board");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Trace<'a> {
    /// The times, in the order in which the stages began.
    pub times: Vec<StageTime>,
    on_picture: Option<OnPicture<'a>>,
}

impl<'a> Trace<'a> {
    /// Calls `on_picture` with each stage's name and picture from now on. Its error ends the reading. In
    /// WebAssembly there is none, see [`Self::picture`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn on_picture(
        mut self,
        on_picture: impl FnMut(&str, &RgbImage) -> io::Result<()> + 'a,
    ) -> Self {
        self.on_picture = Some(Box::new(on_picture));
        self
    }
}

impl Trace<'_> {
    /// Runs a stage and records its time, of one that runs again with what it took before. The pictures that it draws
    /// meanwhile count.
    pub fn stage<T>(&mut self, stage: &'static str, run: impl FnOnce(&mut Self) -> T) -> T {
        let (elsewhere, before) = (cpu_elsewhere(), uncounted_so_far());
        let watch = Stopwatch::start();
        let result = run(self);
        let (elapsed, cpu) = (watch.wall(), watch.cpu());
        let cpu = cpu + (cpu_elsewhere() - elsewhere);
        let after = uncounted_so_far();
        let ms =
            |all: Duration, uncounted: Duration| all.saturating_sub(uncounted).as_secs_f64() * 1e3;
        let (elapsed_ms, cpu_ms) = (ms(elapsed, after.0 - before.0), ms(cpu, after.1 - before.1));
        match self.times.iter_mut().find(|time| time.stage == stage) {
            Some(time) => {
                time.elapsed_ms += elapsed_ms;
                time.cpu_ms += cpu_ms;
            }
            None => self.times.push(StageTime { stage, elapsed_ms, cpu_ms }),
        }
        result
    }

    /// Whether somebody looks at the pictures.
    pub fn shows_pictures(&self) -> bool {
        self.on_picture.is_some()
    }

    /// Draws the picture of a stage and hands it on, if somebody looks.
    ///
    /// # Errors
    /// The observer could not take it, for instance because it cannot be written.
    pub fn picture(&mut self, stage: &str, draw: impl FnOnce() -> RgbImage) -> io::Result<()> {
        // Else all that draws, and its font, would be part of the module that browsers load.
        if cfg!(target_arch = "wasm32") {
            return Ok(());
        }
        match &mut self.on_picture {
            Some(on_picture) => on_picture(stage, &draw()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_nets::engine::stopwatch::uncounted;

    #[test]
    fn what_is_made_ready_counts_in_no_stage() {
        let mut trace = Trace::default();
        let slept = Duration::from_millis(20);
        let watch = Stopwatch::start();
        trace.stage("segment", |_| uncounted(|| std::thread::sleep(slept)));
        // Whatever the load of the machine, the sleep is part of the elapsed time, but not of the
        // counted time.
        let all = watch.wall().as_secs_f64() * 1e3;
        let counted = trace.times[0].elapsed_ms;
        assert!(counted <= all - 20.0, "{counted} of {all}");
    }
}
