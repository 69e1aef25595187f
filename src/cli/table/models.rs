//! `setsight models`: which weights this user reads with.

use crate::cli::common::BadCall;
use crate::cli::common::Outcome;
use anyhow::Context;
use setsight_eval::{gain::Verdict, gain_report};
use setsight_files::print_result;
use setsight_nets::engine::{Models, used};
use setsight_vision::ReadingPlan;
use std::path::PathBuf;

/// Arguments of `models`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  setsight models use my-models\n  setsight models show\n  setsight models reset"
)]
pub struct Args {
    #[command(subcommand)]
    subcommand: Subcommand,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Read with the models of a folder from now on, in every command and in the window
    Use(UseArgs),
    /// Read with those inside the program again
    Reset,
    /// Say which are in use
    Show,
}

#[derive(clap::Args)]
struct UseArgs {
    /// A folder that `setsight train --add` wrote
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Though they were measured to be worse than those before
    #[arg(long)]
    though_worse: bool,
}

/// Chooses or tells.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.subcommand {
        Subcommand::Use(args) => {
            ReadingPlan::with_models(Models::Folder(args.folder.clone())).build()?;
            if !args.though_worse
                && let Some(worth) = gain_report::of_folder(&args.folder)
                && worth.verdict == Verdict::Worse
            {
                return Err(BadCall(format!(
                    "{}: measured to be worse than those they were trained on from:\n{worth}\nuse them all \
                     the same with --though-worse",
                    args.folder.display()
                ))
                .into());
            }
            let chosen = used::choose(&args.folder)
                .with_context(|| format!("{} cannot be chosen", args.folder.display()))?;
            let chosen = chosen.display();
            print_result!("{chosen} is read with from now on")?;
        }
        Subcommand::Reset => {
            used::reset().context("the choice cannot be forgotten")?;
            print_result!("those inside the program are read with from now on")?;
        }
        Subcommand::Show => match used::chosen() {
            Some(folder) => print_result!("{}", folder.display())?,
            None => print_result!("those inside the program")?,
        },
    }
    Ok(Outcome::Done)
}
