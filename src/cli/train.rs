//! `setsight train`: the networks, from drawn tables and labelled crops.

mod common;
mod reader;

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
}

/// Trains.
///
/// # Errors
/// What the training says, see each.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.what {
        What::Reader(args) => reader::run(args),
    }
}
