//! `setsight train`: the networks, from drawn tables and labelled crops.

mod common;
mod finder;
mod fuse;
mod reader;
mod refiner;

use super::Outcome;

/// Arguments of `train`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Train the network that reads a card
    Reader(reader::Args),
    /// Train the network that finds cards, on drawn tables
    Finder(finder::Args),
    /// Train the network that judges whether an outline is a card's own, on drawn tables
    Refiner(refiner::Args),
    /// Fit how the network and the classical reader are joined, and when a card is unsure
    Fuse(fuse::Args),
}

/// Trains.
///
/// # Errors
/// What the training says, see each.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.what {
        What::Reader(args) => reader::run(args),
        What::Finder(args) => finder::run(args),
        What::Refiner(args) => refiner::run(args),
        What::Fuse(args) => fuse::run(args),
    }
}
