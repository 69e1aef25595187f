//! The window measured at work: it scrolls and leafs through the photos by itself.

use crate::photos::Photos;
use crate::shared::keys::Action;
use crate::shared::tab::Tab;
use crate::window::Window;
use cpu_time::ThreadTime;
use eframe::egui::Context;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Thumbnails that the strip moves on by in a second, in points.
const SCROLL_SPEED: f32 = 2500.0;
/// From one photo to the next.
const LEAF: Duration = Duration::from_millis(700);

/// A measurement under way.
pub struct Measure {
    since: Instant,
    last_frame: Instant,
    last_leaf: Instant,
    length: Duration,
    /// In milliseconds: from the start of each frame to that of the next, what drawing took of it,
    /// and processor time of the window's thread.
    frames: Vec<[f32; 3]>,
    /// Of this thread, at the last frame.
    cpu: ThreadTime,
}

impl Measure {
    /// For so many seconds from now.
    pub fn new(seconds: u16) -> Self {
        let now = Instant::now();
        let length = Duration::from_secs(seconds.into());
        Self {
            since: now,
            last_frame: now,
            last_leaf: now,
            length,
            frames: Vec::new(),
            cpu: ThreadTime::now(),
        }
    }

    /// Before each frame: notes the last one, moves on. `work` is what the last frame took for
    /// drawing, in seconds. The figures, once the time is over.
    pub fn step(&mut self, ctx: &Context, window: &mut Window, work: Option<f32>) -> Option<Value> {
        ctx.request_repaint();
        let now = Instant::now();
        let between = now.duration_since(self.last_frame).as_secs_f32();
        self.last_frame = now;
        let cpu = self.cpu.elapsed().as_secs_f32();
        self.cpu = ThreadTime::now();
        self.frames.push([between, work.unwrap_or(0.0), cpu].map(|seconds| 1e3 * seconds));
        let so_far = now.duration_since(self.since);
        let photos = window.tabs.get_mut::<Photos>();
        photos.shelf.strip.scroll_to = Some(so_far.as_secs_f32() * SCROLL_SPEED);
        if now.duration_since(self.last_leaf) > LEAF {
            self.last_leaf = now;
            photos.act(Action::NextPhoto, &mut window.desk);
        }
        (so_far > self.length).then(|| self.figures(window))
    }

    fn figures(&self, window: &Window) -> Value {
        // The first frames set up the graphics; nobody can do anything in them yet.
        let frames = self.frames.get(5..).unwrap_or_default();
        let shelf = &window.tab::<Photos>().shelf;
        let (photos, read) = shelf.progress();
        let first = shelf.first_thumb.map(|time| time.as_secs_f64());
        json!({
            "photos": photos,
            "read": read,
            "seconds": self.since.elapsed().as_secs_f64(),
            "first_thumbnail_s": first,
            "frames": frames.len(),
            "between_frames_ms": quantiles(frames.iter().map(|f| f[0])),
            "work_in_frame_ms": quantiles(frames.iter().map(|f| f[1])),
            "cpu_in_frame_ms": quantiles(frames.iter().map(|f| f[2])),
            "peak_memory_mb": peak_memory_mb(),
        })
    }
}

/// Median, 95th and 99th percentile, largest.
fn quantiles(values: impl Iterator<Item = f32>) -> Value {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    let at = |share: f64| values.get(((values.len() as f64 - 1.0) * share).round() as usize);
    json!({"p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "max": at(1.0)})
}

/// The most memory that this process has had in use, where the system says so.
fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_taken_from_the_sorted_values() {
        let values = quantiles((0..=100).rev().map(|v| v as f32));
        assert_eq!(values, json!({"p50": 50.0, "p95": 95.0, "p99": 99.0, "max": 100.0}));
        assert_eq!(quantiles([].into_iter())["max"], Value::Null);
    }
}
