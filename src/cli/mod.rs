//! The commands: arguments in, results on stdout, messages on stderr.

#[cfg(feature = "program")]
mod app;
mod common;
mod compare;
#[cfg(feature = "program")]
mod dataset;
mod deal;
#[cfg(feature = "program")]
mod deck;
#[cfg(feature = "program")]
mod eval;
#[cfg(feature = "program")]
mod export;
#[cfg(feature = "program")]
mod film;
mod general;
#[cfg(feature = "program")]
mod live;
#[cfg(feature = "program")]
mod models;
#[cfg(feature = "package")]
mod pages;
#[cfg(feature = "program")]
mod photos;
#[cfg(feature = "program")]
mod render;
#[cfg(feature = "program")]
mod scan;
mod sets;
mod simulate;
mod stop;
mod terminal;
mod timed;
#[cfg(feature = "program")]
mod train;

#[cfg(feature = "program")]
mod version;

#[cfg(feature = "package")]
use clap::CommandFactory;
#[cfg(feature = "program")]
use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use common::{BadCall, Outcome, told};
use setsight_files::say;
#[cfg(feature = "program")]
use std::io::Write;
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
    /// Read photos: find the cards, read them, and draw every set
    #[cfg(feature = "program")]
    Scan(scan::Args),
    /// Watch a table through a camera, or read a film
    #[cfg(feature = "program")]
    Live(live::Args),
    /// Measure how well labelled photos are read
    #[cfg(feature = "program")]
    Eval(eval::Args),
    /// Bring labels from elsewhere, and see what is wrong with labels before training on them
    #[cfg(feature = "program")]
    Dataset(dataset::Args),
    /// Find the sets among cards given as codes: all of them, hints, or why three cards are none
    Sets(sets::Args),
    /// Play the generalised game: v values, p properties, n sets to find
    General(general::Args),
    /// Compare the solvers of the generalised game, or test its dealer
    Compare(compare::Args),
    /// Play the contest's game: a file of deals, or a random one
    Deal(deal::Args),
    /// Play many games at random and count
    Simulate(simulate::Args),
    /// Teach it a deck of your own, from photos of its cards
    #[cfg(feature = "program")]
    Deck(deck::Args),
    /// Draw labelled tables of cards from a seed
    #[cfg(feature = "program")]
    Render(render::Args),
    /// Train on your own photos, or train the networks anew
    #[cfg(feature = "program")]
    Train(Box<train::Args>),
    /// Choose which models to read with
    #[cfg(feature = "program")]
    Models(models::Args),
    /// Open the window: photos, their sets, hints, corrections
    #[cfg(feature = "program")]
    App(app::Args),
    /// Write the trained networks for other programs and machines
    #[cfg(feature = "program")]
    Export(export::Args),
    /// Write manual pages and completions of shells
    #[cfg(feature = "package")]
    #[command(hide = true)]
    Pages(pages::Args),
}

/// Runs the program and gives its exit code: 0 all good, 1 something failed and was named, 2 the
/// call was wrong.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A closed pipe under --help is no error of ours.
            let _ = error.print();
            #[cfg(feature = "program")]
            if error.kind() == ErrorKind::DisplayVersion
                && std::env::args().any(|a| a == "--verbose")
            {
                let _ = std::io::stdout().write_all(version::verbose().as_bytes());
            }
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    stop::listen();
    let result = match cli.command {
        #[cfg(feature = "program")]
        Command::Scan(args) => scan::run(args),
        #[cfg(feature = "program")]
        Command::Live(args) => live::run(args),
        #[cfg(feature = "program")]
        Command::Eval(args) => eval::run(args),
        #[cfg(feature = "program")]
        Command::Models(args) => models::run(args),
        #[cfg(feature = "program")]
        Command::Dataset(args) => dataset::run(args),
        Command::Sets(args) => sets::run(args),
        Command::General(args) => general::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Deal(args) => deal::run(args),
        Command::Simulate(args) => simulate::run(args),
        #[cfg(feature = "program")]
        Command::Deck(args) => deck::run(args),
        #[cfg(feature = "program")]
        Command::Render(args) => render::run(args),
        #[cfg(feature = "program")]
        Command::Train(args) => train::run(*args),
        #[cfg(feature = "program")]
        Command::App(args) => app::run(args),
        #[cfg(feature = "program")]
        Command::Export(args) => export::run(args),
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
