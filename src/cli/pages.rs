//! `setsight pages`: manual pages and completions, for whoever makes a package.

use crate::cli::common::Outcome;
use anyhow::Context;
use clap_complete::{Shell, generate_to};
use std::path::PathBuf;

/// Arguments of `pages`.
#[derive(clap::Args)]
pub struct Args {
    /// An existing folder, for `man1/` and a folder for each shell
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes them for the program.
///
/// # Errors
/// A folder that cannot be written into.
pub fn run(args: Args, program: clap::Command) -> anyhow::Result<Outcome> {
    write(&args, program)
        .with_context(|| format!("{} cannot be written into", args.folder.display()))?;
    Ok(Outcome::Done)
}

fn write(args: &Args, mut program: clap::Command) -> std::io::Result<()> {
    let folder = |name: &str| {
        let folder = args.folder.join(name);
        std::fs::create_dir_all(&folder).map(|()| folder)
    };
    clap_mangen::generate_to(program.clone(), folder("man1")?)?;
    for (shell, name) in [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")] {
        generate_to(shell, &mut program, "setsight", folder(name)?)?;
    }
    Ok(())
}
