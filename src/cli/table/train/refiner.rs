//! `setsight train refiner`.

use super::common::{RunArgs, first_of, tell};
use crate::cli::common::Outcome;
use anyhow::Context;
use setsight_files::whole_file::write_whole;
use setsight_nets::engine::{Models, file_of};
use setsight_nets::onnx;
use setsight_nets::{Kind, Metadata};
use setsight_train::First;
use setsight_train::parts::finder::draw_covered;
use setsight_train::parts::refiner::{self, Found, Refiner};
use std::path::{Path, PathBuf};

/// Arguments of `train refiner`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight train refiner --out runs/refiner\n  \
    setsight train refiner --out runs/refiner --resume\n  \
    setsight train refiner --out runs/second --start-from runs/refiner\n  \
    setsight train refiner --out runs/quick --steps 600")]
pub struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Go on from another run or a network, a run's folder or a refiner.onnx, with harder outlines of no
    /// card
    #[arg(hide = true, long, value_name = "RUN|FILE")]
    start_from: Option<PathBuf>,
    /// Half of the outlines are where the finder of these models puts cards: a folder of models
    #[arg(hide = true, long, value_name = "MODELS")]
    found_by: Option<PathBuf>,
    /// Part of a card, 0 to 1, that must be in view to learn from it
    #[arg(hide = true, long, value_name = "PART", default_value_t = refiner::LEAST_IN_VIEW, value_parser = part)]
    least_in_view: f64,
    /// Steps of 64 cards to train for, one or two new tables in each
    #[arg(long, value_name = "N", default_value_t = refiner::STEPS, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Steps between validations
    #[arg(hide = true, long, value_name = "N", default_value_t = refiner::VALIDATE_EVERY, value_parser = clap::value_parser!(u64).range(1..))]
    validate_every: u64,
    /// Tables on which each validation judges
    #[arg(hide = true, long, value_name = "N", default_value_t = refiner::VALIDATION_TABLES, value_parser = clap::value_parser!(u64).range(1..))]
    validation_tables: u64,
}

/// Trains the refiner.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let path = args.run.new_file(file_of(Kind::Refiner))?;
    let seed = args.run.seed;
    let mut settings = refiner::settings(seed, args.steps, args.start_from.is_some());
    settings.validate_every = args.validate_every;
    let (first, began_as) = match &args.start_from {
        Some(path) => first_of(path, Kind::Refiner, &refiner::plan())?,
        None => (First::Chance, None),
    };
    let finder = args.found_by.as_deref().map(finder).transpose()?;
    let task = Refiner::new(seed, first, args.least_in_view, finder, args.validation_tables);
    let Some(trained) = args.run.train(&task, &settings)? else {
        return Ok(Outcome::SomeFailed);
    };
    let metadata = Metadata {
        kind: Kind::Refiner,
        version: env!("CARGO_PKG_VERSION").into(),
        training_set: task.fingerprint(args.steps),
        command: command(&args, began_as),
        seed,
    };
    write_whole(&path, &onnx::encode(&trained.graph, &metadata))
        .with_context(|| format!("cannot write {}", path.display()))?;
    tell(&path, &trained, &settings);
    Ok(Outcome::Done)
}

fn finder(models: &Path) -> anyhow::Result<Found> {
    let models = Models::Folder(models.to_owned());
    let table = draw_covered(0, 0, refiner::SIZE_PX);
    let finder = setsight_vision::parts::shared_refiner(&models)
        .and_then(|refiner| setsight_vision::parts::learned(&models, refiner))
        .context("--found-by needs a folder with finder.onnx and, better, refiner.onnx")?;
    Ok(Found::by(Box::new(finder), &table)?)
}

/// Without folders: they are of one machine.
fn command(args: &Args, began_as: Option<Metadata>) -> String {
    let go_on = if args.start_from.is_some() { " --start-from FIRST" } else { "" };
    let found = if args.found_by.is_some() { " --found-by MODELS" } else { "" };
    let (seed, least, steps) = (args.run.seed, args.least_in_view, args.steps);
    let mut command = format!(
        "setsight train refiner --seed {seed}{go_on}{found} --least-in-view {least} --steps {steps}"
    );
    // What began it, if that run came to its end.
    if let Some(first) = began_as {
        command += &format!(" (FIRST: {})", first.command);
    }
    command
}

fn part(text: &str) -> Result<f64, String> {
    let part: f64 = text.parse().map_err(|_| "expected a number from 0 to 1".to_owned())?;
    if (0.0..=1.0).contains(&part) { Ok(part) } else { Err("expected a number from 0 to 1".into()) }
}
