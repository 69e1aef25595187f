//! What the commands on photos share: the choice of a reader, jobs, stopping, progress.

use super::BadCall;
use crate::pipeline::Pipeline;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

/// What reads the cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ReaderChoice {
    /// By measuring: no network
    #[default]
    Classical,
    /// By a network
    Neural,
    /// Both, joined
    Fused,
}

impl ReaderChoice {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classical => "classical",
            Self::Neural => "neural",
            Self::Fused => "fused",
        }
    }

    /// The stages with this reader.
    ///
    /// # Errors
    /// This build has no such reader.
    pub fn pipeline(self) -> anyhow::Result<Pipeline> {
        match self {
            Self::Classical => Ok(Pipeline::classical()),
            Self::Neural | Self::Fused => {
                let name = self.name();
                Err(BadCall(format!(
                    "--reader {name}: this build has no network to read with; use --reader classical"
                ))
                .into())
            }
        }
    }
}

/// Photos side by side: as asked for, else one for each core.
pub fn jobs(asked: Option<u16>) -> usize {
    // Photos run side by side; OpenCV's own threads within each would only be in their way. It
    // fails where OpenCV has no threads to begin with.
    let _ = opencv::core::set_num_threads(1);
    asked.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from)
}

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Lets the first Ctrl-C end the run after the photos in hand, and the second at once.
pub fn stop_on_ctrl_c() -> &'static AtomicBool {
    // Fails only if a handler is set already, which then is this one.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
        eprintln!("\nstopping after what is in hand (Ctrl-C again: at once)");
    });
    &STOP
}

/// A bar on stderr for more than one photo, if that is a terminal.
pub fn progress(photos: usize) -> ProgressBar {
    let target =
        if photos > 1 { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(photos as u64), target);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} photos, {eta} left");
    bar.with_style(style.expect("a template that is well formed"))
}
