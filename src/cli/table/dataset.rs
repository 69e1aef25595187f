//! `setsight dataset`: labels from elsewhere, and what is wrong with labels.

mod check;
mod convert;

use crate::cli::common::Outcome;

/// Arguments of `dataset`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    subcommand: Subcommand,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Make labels of the program's own form of those that other programs write
    Convert(convert::Args),
    /// Say what is wrong, doubtful or missing in labelled photos and crops
    Check(check::Args),
}

/// Does what was asked for.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.subcommand {
        Subcommand::Convert(args) => convert::run(args),
        Subcommand::Check(args) => check::run(args),
    }
}
