//! What the trainings share: where a run is kept, and how its end is told.

use crate::cli::common::{BadCall, SEED};
use crate::cli::stop;
use anyhow::Context;
use setsight_files::small_file::{MAX_WEIGHTS_BYTES, read_small};
use setsight_files::{print_result, say};
use setsight_game::cards::Edition;
use setsight_nets::engine::file_of;
use setsight_nets::onnx;
use setsight_nets::{Kind, Metadata};
use setsight_train::{
    CONFIG, Ended, First, Keeping, Plan, Settings, Task, Trained, best_weights, train,
};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// The group of options of one.
const RUN: &str = "The run";

/// Where a run is kept.
#[derive(clap::Args)]
pub struct RunArgs {
    /// Folder of the run: its configuration, checkpoint and curves; made when it does not exist
    #[arg(help_heading = RUN, short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Go on with the run in the folder; give the other options again as it was begun with
    #[arg(help_heading = RUN, long)]
    pub resume: bool,
    /// Same seed, same network, to the bit
    #[arg(help_heading = RUN, long, default_value_t = SEED)]
    pub seed: u64,
    /// Stop after this step as Ctrl-C would, to go on later
    #[arg(hide = true, help_heading = RUN, long, value_name = "STEP")]
    pub stop_after: Option<u64>,
    /// Minutes between checkpoints at most
    #[arg(hide = true, help_heading = RUN, long, value_name = "MINUTES", default_value_t = 2.0, value_parser = positive::<f64>)]
    pub checkpoint_every: f64,
}

impl RunArgs {
    /// The path of a file that is written at the end of a run, and that must not be there before.
    pub fn new_file(&self, name: &str) -> Result<PathBuf, BadCall> {
        let path = self.out.join(name);
        if path.exists() && !self.resume && !self.out.join(CONFIG).exists() {
            return Err(BadCall(format!(
                "{}: is there already; give another --out",
                path.display()
            )));
        }
        Ok(path)
    }

    /// Trains, and tells how it ended: the trained network, or none after Ctrl-C.
    pub fn train(&self, task: &impl Task, settings: &Settings) -> anyhow::Result<Option<Trained>> {
        let minutes = self.checkpoint_every.clamp(0.01, 1e4);
        let keeping = Keeping {
            folder: &self.out,
            resume: self.resume,
            stop: stop::asked(),
            stop_after: self.stop_after,
            checkpoint_every: Duration::from_secs_f64(60.0 * minutes),
            quiet: false,
            on_step: None,
        };
        match train(task, settings, &keeping)? {
            Ended::Done(trained) => Ok(Some(*trained)),
            Ended::Stopped { step } => {
                say!(
                    "stopped after step {step} of {}; go on with the same call and --resume",
                    settings.schedule.steps
                );
                Ok(None)
            }
        }
    }
}

/// What a run begins with, from the folder of another run or from an ONNX file; also what the network says
/// of itself, if it is finished.
pub fn first_of(path: &Path, kind: Kind, plan: &Plan) -> anyhow::Result<(First, Option<Metadata>)> {
    if path.is_dir() {
        let weights = best_weights(path, plan)?;
        let finished = read_small(&path.join(file_of(kind)), MAX_WEIGHTS_BYTES);
        let metadata = finished.ok().and_then(|bytes| Some(onnx::decode(&bytes).ok()?.1));
        return Ok((First::Run(weights), metadata));
    }
    let bytes = read_small(path, MAX_WEIGHTS_BYTES)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let (graph, metadata) =
        onnx::decode(&bytes).with_context(|| format!("{} cannot be used", path.display()))?;
    if metadata.kind != kind {
        let (found, wanted) = (metadata.kind.name(), kind.name());
        return Err(BadCall(format!("{}: a {found}, expected a {wanted}", path.display())).into());
    }
    Ok((First::Network(graph), Some(metadata)))
}

/// The edition that a source was said to show; the classic one where nothing was said.
pub fn edition_of(told: &[(String, Edition)], source: &str) -> Edition {
    told.iter().find(|(name, _)| name == source).map_or(Edition::Classic, |(_, edition)| *edition)
}

/// A finite number above 0, for clap.
pub fn positive<T: FromStr + Copy + Into<f64>>(text: &str) -> Result<T, String> {
    let number = text.parse::<T>().ok().filter(|&number| {
        let number: f64 = number.into();
        number.is_finite() && number > 0.0
    });
    number.ok_or_else(|| "expected a number above 0".to_owned())
}

/// `SOURCE=EDITION`, for clap.
pub fn edition_of_source(text: &str) -> Result<(String, Edition), String> {
    let told = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, edition) = told.ok_or("expected SOURCE=EDITION, as in old-deck=rectangles")?;
    let edition = Edition::named(edition).ok_or_else(|| {
        format!("{edition}: no edition; expected {}", Edition::ALL.map(Edition::name).join(", "))
    })?;
    Ok((name.to_owned(), edition))
}

/// Prints what came of a run, of which the network was written to `path`.
pub fn tell(path: &Path, trained: &Trained, settings: &Settings) {
    let best = trained.history.iter().find(|entry| entry.step == trained.step);
    let figure = |(name, share): &(String, f64)| format!(", {name} {:.2} %", 100.0 * share);
    let figures: String = best.into_iter().flat_map(|entry| &entry.figures).map(figure).collect();
    let _ = print_result!(
        "{}: best at step {} of {}, loss {:.4} in validation{figures}, {:.1} minutes",
        path.display(),
        trained.step,
        settings.schedule.steps,
        trained.loss,
        trained.seconds / 60.0
    );
}
