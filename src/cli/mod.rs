//! The commands: arguments in, results on stdout, messages on stderr.

#[cfg(feature = "program")]
mod advice;
mod caps;
mod common;
mod compare;
#[cfg(windows)]
mod console;
mod deal;
mod general;
mod merge;
#[cfg(feature = "program")]
mod page;
#[cfg(feature = "package")]
mod pages;
mod paper;
mod part;
mod sets;
mod simulate;
mod stop;
#[cfg(feature = "program")]
mod table;
mod terminal;
mod timed;

#[cfg(feature = "package")]
use clap::CommandFactory;
#[cfg(feature = "program")]
use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use common::{BadCall, Outcome, told};
#[cfg(feature = "program")]
use setsight_files::print_result;
use setsight_files::say;
use std::ffi::OsString;
#[cfg(all(windows, feature = "program"))]
use std::path::Path;
use std::process::ExitCode;

/// Reads a table of SET cards from a photo, finds the sets and shows them.
#[derive(Parser)]
#[command(name = "setsight", version, propagate_version = true, after_help = AFTER_HELP)]
struct Cli {
    /// With --version: also what runs the networks, and which networks there are
    #[arg(long)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "Environment:
  NO_COLOR           no colours in the text
  COLUMNS            width of boards in characters [default: 80]
  SETSIGHT_ENGINE    what runs the networks: onnxruntime or embedded
  ORT_DYLIB_PATH     the library of ONNX Runtime, where it lies elsewhere
  RAYON_NUM_THREADS  threads of a training

Exit code: 0 all is done, 1 something failed and was named, 2 the call was wrong, 130 stopped at once.";

#[derive(Subcommand)]
enum Command {
    #[cfg(feature = "program")]
    #[command(flatten)]
    Table(table::Command),
    /// Find the sets among cards given as codes: all of them, hints, or why three cards are none
    Sets(sets::Args),
    /// Play the generalised game: v values, p properties, n sets to find
    General(general::Args),
    /// Compare the solvers of the generalised game, or test its dealer
    Compare(compare::Args),
    /// Count and deal boards of the generalised game without a set, up to the largest
    Caps(caps::Args),
    /// Play the contest's game: a file of deals, or a random one
    Deal(deal::Args),
    /// Play many games at random and count
    Simulate(simulate::Args),
    /// Put together what parts of a work have found (--shard, --resume)
    Merge(merge::Args),
    /// Write manual pages and completions of shells
    #[cfg(feature = "package")]
    #[command(hide = true)]
    Pages(pages::Args),
}

/// What the program is called with. A double click calls it with nothing, and photos that are dropped on it with
/// their whole paths alone; either means the window.
fn arguments() -> impl Iterator<Item = OsString> {
    let mut all = std::env::args_os();
    let name = all.next();
    #[cfg(all(windows, feature = "program"))]
    let command = (console::is_own()
        && std::env::args_os().skip(1).all(|argument| Path::new(&argument).is_absolute()))
    .then(|| OsString::from("app"));
    #[cfg(not(all(windows, feature = "program")))]
    let command = None;
    name.into_iter().chain(command).chain(all)
}

/// Runs the program and gives its exit code: 0 all good, 1 something failed and was named, 2 the
/// call was wrong.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(error) => {
            // A closed pipe under --help is no error of ours.
            let _ = error.print();
            #[cfg(feature = "program")]
            if error.kind() == ErrorKind::DisplayVersion
                && std::env::args().any(|a| a == "--verbose")
            {
                let _ = print_result!("{}", table::version::verbose().trim_end());
            }
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    stop::listen();
    let result = match cli.command {
        #[cfg(feature = "program")]
        Command::Table(command) => command.run(),
        Command::Sets(args) => sets::run(args),
        Command::General(args) => general::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Caps(args) => caps::run(args),
        Command::Deal(args) => deal::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Merge(args) => merge::run(&args),
        #[cfg(feature = "package")]
        Command::Pages(args) => pages::run(args, Cli::command()),
    };
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::SomeFailed) => ExitCode::from(1),
        // Whoever read our output has seen enough: no error of ours.
        Err(error) if terminal::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say!("error: {}", told(&error));
            // A bad call that only the command itself could notice.
            ExitCode::from(if error.is::<BadCall>() { 2 } else { 1 })
        }
    }
}
