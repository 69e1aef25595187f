//! How a run reports its progress: a display while it runs, and a table.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::{Deserialize, Serialize};
use setsight_files::say;
use std::{fmt::Write, io::IsTerminal, time::Instant};

/// One validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Steps taken.
    pub step: u64,
    /// Mean training loss since the previous entry.
    pub loss: f64,
    /// Mean parts of the training loss since the previous entry.
    pub parts: Vec<(String, f64)>,
    /// Validation loss of the averaged weights.
    pub validation: f64,
    /// Other validation figures, 0 to 1.
    pub figures: Vec<(String, f64)>,
}

/// Name of the table in the run's folder.
pub(crate) const TABLE: &str = "curve.csv";

/// The table as CSV, one line per validation.
pub(crate) fn table(history: &[Entry]) -> String {
    let mut text = String::from("step,loss,validation");
    if let Some(entry) = history.first() {
        for (name, _) in entry.parts.iter().chain(&entry.figures) {
            let _ = write!(text, ",{name}");
        }
    }
    text.push('\n');
    for entry in history {
        let _ = write!(text, "{},{:.6},{:.6}", entry.step, entry.loss, entry.validation);
        for (_, value) in entry.parts.iter().chain(&entry.figures) {
            let _ = write!(text, ",{value:.6}");
        }
        text.push('\n');
    }
    text
}

/// A bar on a terminal, otherwise one line per validation; both on stderr.
pub(crate) struct Display {
    bar: ProgressBar,
    lines: bool,
    began: Instant,
    first_step: u64,
    steps: u64,
}

impl Display {
    /// For a run of `steps`, of which `done` are already taken.
    pub(crate) fn new(steps: u64, done: u64, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal && !quiet {
            ProgressDrawTarget::stderr_with_hz(4)
        } else {
            ProgressDrawTarget::hidden()
        };
        let style = "{bar:24} step {pos}/{len}, {msg}";
        let bar = ProgressBar::with_draw_target(Some(steps), target)
            .with_style(
                ProgressStyle::with_template(style).expect("a template that is well formed"),
            )
            .with_position(done);
        Self { bar, lines: !quiet, began: Instant::now(), first_step: done, steps }
    }

    /// Call after every step.
    pub(crate) fn step(&self, step: u64, loss: f64) {
        self.bar.set_position(step);
        self.bar.set_message(format!("loss {loss:.3}, {} left", self.left(step)));
    }

    /// Call after every validation.
    pub(crate) fn validated(&self, entry: &Entry) {
        if !self.lines {
            return;
        }
        let figures: String = entry
            .figures
            .iter()
            .map(|(name, value)| format!(", {name} {:.2} %", 100.0 * value))
            .collect();
        let line = format!(
            "step {} of {}: loss {:.4}, in validation {:.4}{figures}; {} left",
            entry.step,
            self.steps,
            entry.loss,
            entry.validation,
            self.left(entry.step)
        );
        self.bar.suspend(|| say!("{line}"));
    }

    /// Removes the bar.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn left(&self, step: u64) -> String {
        let done = step.saturating_sub(self.first_step);
        if done == 0 {
            return "unknown time".into();
        }
        let each = self.began.elapsed().as_secs_f64() / done as f64;
        let seconds = (each * self.steps.saturating_sub(step) as f64).round() as u64;
        format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}
