//! `setsight train finder` and `setsight train refiner`: the networks that learn from drawn tables alone.

use super::common::{Recipe, RunArgs};
use crate::cli::common::Outcome;
use anyhow::Context;
use setsight_nets::{Kind, engine::Models};
use setsight_train::Settings;
use setsight_train::parts::{finder, refiner};
use setsight_vision::find::Learned;
use std::path::{Path, PathBuf};

/// Arguments of `train finder`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight train finder --out runs/finder\n  \
    setsight train finder --out runs/finder --resume\n  \
    setsight train finder --out runs/quick --scenes 4000")]
pub struct FinderArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Drawn tables to show, half of them new ones, half in a mirror
    #[arg(hide = true,
        long, value_name = "N", default_value_t = finder::SCENES,
        value_parser = clap::value_parser!(u64).range(finder::BATCH as u64..)
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
pub fn finder(
    FinderArgs { run, scenes, validate_every, validation_scenes }: FinderArgs,
) -> anyhow::Result<Outcome> {
    run.train(Kind::Finder, &finder::plan(), |first| {
        let options = finder::Options { validation_scenes, ..finder::Options::new(run.seed) };
        let task = finder::Finder::new(&options, first);
        Ok(Some(Recipe {
            settings: Settings {
                validate_every,
                ..finder::settings(run.seed, scenes, run.goes_on())
            },
            training_set: task.fingerprint(scenes),
            options: format!(" --scenes {scenes}"),
            task,
        }))
    })
}

/// Arguments of `train refiner`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight train refiner --out runs/refiner\n  \
    setsight train refiner --out runs/refiner --resume\n  \
    setsight train refiner --out runs/second --start-from runs/refiner\n  \
    setsight train refiner --out runs/quick --steps 600")]
pub struct RefinerArgs {
    #[command(flatten)]
    run: RunArgs,
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

/// Trains the refiner. What goes on from another network learns harder outlines of no card.
pub fn refiner(args: RefinerArgs) -> anyhow::Result<Outcome> {
    let RefinerArgs { run, found_by, least_in_view, steps, validate_every, validation_tables } =
        args;
    run.train(Kind::Refiner, &refiner::plan(), |first| {
        let found = found_by.as_deref().map(found_in).transpose()?;
        let found_told = if found.is_some() { " --found-by MODELS" } else { "" };
        let task = refiner::Refiner::new(run.seed, first, least_in_view, found, validation_tables);
        Ok(Some(Recipe {
            settings: Settings {
                validate_every,
                ..refiner::settings(run.seed, steps, run.goes_on())
            },
            training_set: task.fingerprint(steps),
            options: format!("{found_told} --least-in-view {least_in_view} --steps {steps}"),
            task,
        }))
    })
}

fn found_in(models: &Path) -> anyhow::Result<refiner::Found> {
    let models = Models::Folder(models.to_owned());
    let table = finder::draw_covered(0, 0, refiner::SIZE_PX);
    let finder = setsight_vision::refiner::shared(&models)
        .and_then(|refiner| Learned::load(&models, refiner))
        .context("--found-by needs a folder with finder.onnx and, better, refiner.onnx")?;
    Ok(refiner::Found::by(Box::new(finder), &table)?)
}

fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}
