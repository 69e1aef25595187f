//! `setsight pages`: manual pages and completions, for whoever makes a package.

use super::{Cli, Outcome};
use anyhow::Context;
use clap::CommandFactory;
use clap_complete::{Shell, generate_to};
use std::path::PathBuf;

/// Arguments of `pages`.
#[derive(clap::Args)]
pub struct Args {
    /// An existing folder, for `man1/` and a folder for each shell
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes them.
///
/// # Errors
/// A folder that cannot be written into.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    write(&args).with_context(|| format!("{} cannot be written into", args.folder.display()))?;
    Ok(Outcome::Done)
}

fn write(args: &Args) -> std::io::Result<()> {
    let folder = |name: &str| {
        let folder = args.folder.join(name);
        std::fs::create_dir_all(&folder).map(|()| folder)
    };
    clap_mangen::generate_to(Cli::command(), folder("man1")?)?;
    for (shell, name) in [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")] {
        generate_to(shell, &mut Cli::command(), "setsight", folder(name)?)?;
    }
    Ok(())
}
