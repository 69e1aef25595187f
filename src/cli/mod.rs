//! The commands: arguments in, results on stdout, messages on stderr; and what shells and `man` show of them.

mod caps;
mod common;
mod compare;
#[cfg(windows)]
mod console;
mod deal;
mod general;
mod page;
mod sets;
mod simulate;
mod stop;
mod table;
mod terminal;
mod timed;

use anyhow::Context;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;
use common::{Outcome, error_message};
use setsight_files::{printable, printable::print_lines, say};
use setsight_photo::source::list_photos;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::{ffi::OsString, fmt::Write as _, process::ExitCode};

/// Reads a table of SET cards from a photo, finds the sets and shows them.
#[derive(Parser)]
#[command(name = "setsight", version, after_help = AFTER_HELP)]
#[command(override_usage = "setsight PHOTO...\n       setsight COMMAND [OPTIONS]")]
struct Cli {
    /// With --version: also what runs the networks, and which networks there are
    #[arg(long)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "Environment:
  NO_COLOR           no colours in the text
  CLICOLOR_FORCE     colours into files and pipes, too
  COLUMNS            width of boards in characters [default: 80]
  SETSIGHT_ENGINE    what runs the networks: onnxruntime or embedded
  ORT_DYLIB_PATH     the library of ONNX Runtime, if it is elsewhere
  RAYON_NUM_THREADS  threads for training

COMMAND --help-all shows rarely needed options, too.

Exit code: 0 success, 1 something failed and was named, 2 the call was wrong, 130 stopped at once.";

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Table(table::Command),
    /// Find the sets among cards (codes), or say why three are not one
    Sets(sets::Args),
    /// Play the generalised game: v values, p properties, n sets to find
    General(general::Args),
    /// Compare the solvers of the generalised game, or test its dealer
    Compare(compare::Args),
    /// Count and deal boards without a set, up to the largest
    Caps(caps::Args),
    /// Play the contest's game: a file of deals, or a random one
    Deal(deal::Args),
    /// Play many games at random and count
    Simulate(simulate::Args),
    /// Print what a shell needs to complete commands and options
    Completions(CompletionsArgs),
    /// Print the manual page, or write all of them
    Man(ManArgs),
}

/// The commands as `--help` lists them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Look", &["scan", "live", "serve", "app"]),
    ("Play", &["sets", "deal"]),
    ("Measure and train", &["eval", "dataset", "deck", "render", "train", "models", "export"]),
    ("Science", &["general", "compare", "caps", "simulate"]),
    ("Help", &["man", "completions"]),
];

/// The program's commands and options, with the commands in groups.
fn command() -> clap::Command {
    let command = Cli::command();
    let mut groups = String::new();
    for (group, names) in GROUPS {
        let lines = names.iter().filter_map(|name| command.find_subcommand(name)).map(|command| {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            format!("  {:<12} {}\n", command.get_name(), about.lines().next().unwrap_or_default())
        });
        let _ = write!(groups, "{group}:\n{}\n", lines.collect::<String>());
    }
    let help = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    );
    let command = command.help_template(help);
    // Where it sees no terminal, as before a pager, clap takes 100 columns, and the pager's terminal breaks words.
    if io::stdout().is_terminal() { command } else { command.term_width(terminal::width()) }
}

/// Shows the options of those who maintain the program, too.
const HELP_ALL: &str = "--help-all";

fn with_all_shown(command: clap::Command) -> clap::Command {
    command.mut_args(|option| option.hide(false)).mut_subcommands(with_all_shown)
}

/// The arguments, with the command where none is named: photos and folders are read, and nothing at all means
/// the window, where there is a desktop. On Windows photos that are dropped on the program are its arguments,
/// by their absolute paths, and are for the window, too.
fn insert_default_command(
    program: &clap::Command,
    mut all: impl Iterator<Item = OsString>,
) -> Vec<OsString> {
    let name = all.next();
    let rest: Vec<OsString> = all.collect();
    let command = default_command(program, &rest).map(OsString::from);
    name.into_iter().chain(command).chain(rest).collect()
}

fn default_command(program: &clap::Command, arguments: &[OsString]) -> Option<&'static str> {
    #[cfg(windows)]
    if console::is_exclusive() && arguments.iter().all(|argument| Path::new(argument).is_absolute())
    {
        return Some("app");
    }
    let Some(first) = arguments.first() else { return Some(command_without_arguments()) };
    if first == "--" && arguments.len() > 1 {
        return Some("scan");
    }
    if is_of_scan(program, first) && !arguments.iter().any(|word| is_command(program, word)) {
        return Some("scan");
    }
    let is_option = first.as_encoded_bytes().starts_with(b"-");
    let path = Path::new(first);
    let ends_as_folder = first.to_string_lossy().ends_with(std::path::is_separator);
    let is_path = ends_as_folder
        || path.components().count() > 1
        || path.extension().is_some()
        || path.exists();
    (!is_option && !is_command(program, first) && is_path).then_some("scan")
}

fn is_command(program: &clap::Command, word: &OsString) -> bool {
    word.to_str().is_some_and(|name| name == "help" || program.find_subcommand(name).is_some())
}

/// Whether a word before the photos is for `scan`: one of its options, or `-` for a photo from stdin.
fn is_of_scan(program: &clap::Command, word: &OsString) -> bool {
    let Some(word) = word.to_str() else { return false };
    let scan = program.find_subcommand("scan").into_iter();
    let mut options = scan.flat_map(clap::Command::get_arguments);
    word == "-"
        || options.any(|option| match word.strip_prefix("--") {
            Some(long) => option.get_long() == long.split('=').next(),
            None => option.get_short().is_some_and(|short| word.starts_with(&format!("-{short}"))),
        })
}

fn command_without_arguments() -> &'static str {
    if setsight_desktop::is_available() {
        return "app";
    }
    "--help"
}

/// Runs the program and gives its exit code: 0 all good, 1 something failed and was named, 2 the
/// call was wrong.
pub fn main() -> ExitCode {
    let (all, arguments): (Vec<_>, Vec<_>) =
        std::env::args_os().partition(|argument| argument == HELP_ALL);
    let program = if all.is_empty() { command() } else { with_all_shown(command()) };
    let help = all.first().map(|_| OsString::from("--help"));
    let arguments = insert_default_command(&program, arguments.into_iter().chain(help));
    let parse = |arguments: &[OsString]| {
        let matches = program.clone().try_get_matches_from(arguments)?;
        Cli::from_arg_matches(&matches)
    };
    let cli = match parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // It repeats the words of the call, which may be names of others: the same again of escaped ones.
            let escaped =
                |word: &OsString| OsString::from(&*printable::line(&word.to_string_lossy()));
            let escaped = arguments.iter().map(escaped).collect::<Vec<_>>();
            let error = parse(&escaped).err().unwrap_or(error);
            // A closed pipe under --help is no error of ours.
            let _ = error.print();
            let is_first_look = std::env::args_os().len() == 1;
            let here = is_first_look.then(|| list_photos(&[".".into()], false, &[]));
            let photos = here.into_iter().flatten().flatten().count();
            if photos > 0 {
                let photos = printable::counted(photos, "photo");
                say!("");
                say!(
                    "{photos} in this folder; to read what is there: setsight scan . --out found --open"
                );
            }
            if error.kind() == ErrorKind::DisplayVersion
                && std::env::args().any(|a| a == "--verbose")
            {
                let _ = print_lines(&table::models::verbose());
            }
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let has_threads =
        matches!(cli.command, Command::Table(_) | Command::Compare(_) | Command::Simulate(_));
    if has_threads {
        let is_server = matches!(cli.command, Command::Table(table::Command::Serve(_)));
        common::settle_heaps(is_server);
    }
    stop::listen();
    if has_threads {
        common::settle_threads();
    }
    let result = match cli.command {
        Command::Table(command) => command.run(),
        Command::Sets(args) => sets::run(args),
        Command::General(args) => general::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Caps(args) => caps::run(args),
        Command::Deal(args) => deal::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Completions(args) => completions(&args, command()),
        Command::Man(args) => man(&args, command()),
    };
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::SomeFailed) => ExitCode::from(1),
        Ok(Outcome::AllMissing) => ExitCode::from(2),
        // The reader of the output has closed it: no error of ours.
        Err(error) if terminal::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say!("error: {}", error_message(&error));
            // A bad call that only the command itself could notice.
            ExitCode::from(if common::is_of_call(&error) { 2 } else { 1 })
        }
    }
}

/// Arguments of `completions`.
#[derive(clap::Args)]
#[command(after_help = "Example:
  setsight completions bash > ~/.local/share/bash-completion/completions/setsight")]
struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Arguments of `man`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight man | man -l -
  setsight man --out ~/.local/share/man/man1")]
struct ManArgs {
    /// Where to put a page for the program and for each command, instead of printing the first
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints a shell's completions.
fn completions(args: &CompletionsArgs, mut program: clap::Command) -> anyhow::Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut program, "setsight", &mut text);
    print(&text)
}

/// Prints the manual page, or writes all of them.
fn man(args: &ManArgs, program: clap::Command) -> anyhow::Result<Outcome> {
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
