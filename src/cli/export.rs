//! `setsight export`: trained networks for other programs and other machines.

mod h7;

use super::Outcome;
use clap::Subcommand;

/// Arguments of `export`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// A folder for the OpenMV Cam H7: the card reader as 8-bit integers, its scripts, a self-test
    H7(h7::Args),
}

/// Exports, or checks what was exported.
///
/// # Errors
/// What the export says.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.what {
        What::H7(args) => h7::run(args),
    }
}
