//! `setsight completions` and `setsight man`: what shells and `man` show of the commands.

use crate::cli::common::Outcome;
use anyhow::Context;
use clap_complete::Shell;
use clap_mangen::Man;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `completions`.
#[derive(clap::Args)]
#[command(after_help = "Example:
  setsight completions bash > ~/.local/share/bash-completion/completions/setsight")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Arguments of `man`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight man | man -l -
  setsight man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Where to put a page for the program and for each command, instead of printing the first
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints a shell's completions.
pub fn completions(args: &CompletionsArgs, mut program: clap::Command) -> anyhow::Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut program, "setsight", &mut text);
    print(&text)
}

/// Prints the manual page, or writes all of them.
pub fn man(args: &ManArgs, program: clap::Command) -> anyhow::Result<Outcome> {
    if let Some(folder) = &args.out {
        return write_pages(folder, program)
            .map(|()| Outcome::Done)
            .with_context(|| format!("the pages cannot go to {}", folder.display()));
    }
    let mut text = Vec::new();
    Man::new(program).render(&mut text)?;
    print(&text)
}

fn write_pages(folder: &Path, program: clap::Command) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(program, folder)
}

fn print(text: &[u8]) -> anyhow::Result<Outcome> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text).and_then(|()| stdout.flush()).context("cannot write to stdout")?;
    Ok(Outcome::Done)
}
