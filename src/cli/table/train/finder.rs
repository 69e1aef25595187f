//! `setsight train finder`.

use super::common::{RunArgs, first_of, tell};
use crate::cli::common::Outcome;
use anyhow::Context;
use setsight_files::whole_file::write_whole;
use setsight_nets::engine::file_of;
use setsight_nets::onnx;
use setsight_nets::{Kind, Metadata};
use setsight_train::First;
use setsight_train::parts::finder::{self, BATCH, Finder, Options};
use std::path::PathBuf;

/// Arguments of `train finder`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight train finder --out runs/finder\n  \
    setsight train finder --out runs/finder --resume\n  \
    setsight train finder --out runs/quick --scenes 4000")]
pub struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Begin with the best weights of another run, or with a network: a run's folder or a finder.onnx
    #[arg(hide = true, long, value_name = "RUN|FILE")]
    start_from: Option<PathBuf>,
    /// Drawn tables to show, half of them new ones, half in a mirror
    #[arg(hide = true,
        long, value_name = "N", default_value_t = finder::SCENES,
        value_parser = clap::value_parser!(u64).range(BATCH as u64..)
    )]
    scenes: u64,
    /// Steps of 8 tables between validations
    #[arg(hide = true, long, value_name = "N", default_value_t = finder::VALIDATE_EVERY, value_parser = clap::value_parser!(u64).range(1..))]
    validate_every: u64,
    /// Tables on which each validation judges
    #[arg(hide = true, long, value_name = "N", default_value_t = finder::VALIDATION_SCENES, value_parser = clap::value_parser!(u64).range(1..))]
    validation_scenes: u64,
}

/// Trains the finder.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let path = args.run.new_file(file_of(Kind::Finder))?;
    let seed = args.run.seed;
    let options = Options { validation_scenes: args.validation_scenes, ..Options::new(seed) };
    let mut settings = finder::settings(seed, args.scenes, args.start_from.is_some());
    settings.validate_every = args.validate_every;
    let (first, began_as) = match &args.start_from {
        Some(path) => first_of(path, Kind::Finder, &finder::plan())?,
        None => (First::Chance, None),
    };
    let task = Finder::new(&options, first);
    let Some(trained) = args.run.train(&task, &settings)? else {
        return Ok(Outcome::SomeFailed);
    };
    let metadata = Metadata {
        kind: Kind::Finder,
        version: env!("CARGO_PKG_VERSION").into(),
        training_set: task.fingerprint(args.scenes),
        command: command(&args, began_as),
        seed,
    };
    write_whole(&path, &onnx::encode(&trained.graph, &metadata))
        .with_context(|| format!("cannot write {}", path.display()))?;
    tell(&path, &trained, &settings);
    Ok(Outcome::Done)
}

/// Without folders: they are of one machine.
fn command(args: &Args, began_as: Option<Metadata>) -> String {
    let go_on = if args.start_from.is_some() { " --start-from FIRST" } else { "" };
    let (seed, scenes) = (args.run.seed, args.scenes);
    let command = format!("setsight train finder --seed {seed}{go_on} --scenes {scenes}");
    // What began it, if that run came to its end.
    match began_as {
        Some(first) => format!("{command} (FIRST: {})", first.command),
        None => command,
    }
}
