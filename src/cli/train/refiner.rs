//! `setsight train refiner`.

use super::common::{RunArgs, tell};
use crate::cli::Outcome;
use crate::export::onnx;
use crate::model::{Kind, Metadata};
use crate::train::refiner::{self, Refiner};
use crate::whole_file::write_whole;
use anyhow::Context;

/// Arguments of `train refiner`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight train refiner --out runs/refiner\n  \
    setsight train refiner --out runs/refiner --resume\n  \
    setsight train refiner --out runs/quick --steps 600")]
pub struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Steps of 64 cards to train for, two new tables in each
    #[arg(long, value_name = "N", default_value_t = refiner::STEPS, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Steps between validations
    #[arg(long, value_name = "N", default_value_t = refiner::VALIDATE_EVERY, value_parser = clap::value_parser!(u64).range(1..))]
    validate_every: u64,
    /// Tables on which each validation judges
    #[arg(long, value_name = "N", default_value_t = refiner::VALIDATION_TABLES, value_parser = clap::value_parser!(u64).range(1..))]
    validation_tables: u64,
}

/// Trains the refiner.
///
/// # Errors
/// A run that cannot be kept.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let seed = args.run.seed;
    let mut settings = refiner::settings(seed, args.steps);
    settings.validate_every = args.validate_every;
    let task = Refiner::new(seed, args.validation_tables);
    let Some(trained) = args.run.train(&task, &settings)? else {
        return Ok(Outcome::SomeFailed);
    };
    let path = args.run.out.join("refiner.onnx");
    let metadata = Metadata {
        kind: Kind::Refiner,
        version: env!("CARGO_PKG_VERSION").into(),
        training_set: task.fingerprint(args.steps),
        // Without the folder: it is of one machine.
        command: format!("setsight train refiner --seed {seed} --steps {}", args.steps),
        seed,
    };
    write_whole(&path, &onnx::encode(&trained.graph, &metadata))
        .with_context(|| format!("cannot write {}", path.display()))?;
    tell(&path, &trained, &settings);
    Ok(Outcome::Done)
}
