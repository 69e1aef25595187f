//! `setsight train`: the networks, from drawn tables and labelled crops.

mod common;
mod fuse;
mod own;
mod reader;
mod tables;

use crate::cli::common::Outcome;

/// Arguments of `train`.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        setsight train --add my-photos --out my-models\n  \
        setsight models use my-models\n\n\
        The first command takes corrected photos (the window writes labels.json beside them), trains the \
        shipped reader on with them, and writes a complete folder of models with a table of what that was \
        worth. The subcommands train single networks, for experts."
)]
pub struct Args {
    #[command(flatten)]
    own: own::Args,
    #[command(subcommand)]
    subcommand: Option<Subcommand>,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Train the network that reads a card
    Reader(reader::Args),
    /// Train the network that finds cards, on drawn tables
    Finder(tables::FinderArgs),
    /// Train the network that judges whether an outline is a card's own, on drawn tables
    Refiner(tables::RefinerArgs),
    /// Fit how the network and the classical reader are joined, and when a card is unsure
    Fuse(fuse::Args),
}

/// Trains.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.subcommand {
        None => own::run(&args.own),
        Some(Subcommand::Reader(args)) => reader::run(args),
        Some(Subcommand::Finder(args)) => tables::finder(args),
        Some(Subcommand::Refiner(args)) => tables::refiner(args),
        Some(Subcommand::Fuse(args)) => fuse::run(args),
    }
}
