//! What commands share: formats, seeds, threads, how they end.

use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use setsight_files::say;
use std::io::{self, IsTerminal, Read};
use std::{fs::File, path::Path};

/// How a command prints its figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// One line of JSON
    Json,
}

/// The seed of a command that was given none: the same call gives the same result. Only what is asked to be
/// `--random` draws one, and says it.
pub const SEED: u64 = 1;

/// Most games whose figures are kept one by one.
pub const MOST_GAMES: u64 = 1_000_000;

/// How many at once.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Jobs {
    /// How many to work on at once; 0: as many as there are cores
    #[arg(short, long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(..=1024))]
    jobs: u16,
}

impl Jobs {
    /// At least one.
    pub fn count(self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        if self.jobs == 0 { cores() } else { usize::from(self.jobs) }
    }
}

/// How a command ended; errors of the call itself are clap's.
pub enum Outcome {
    /// All good.
    Done,
    /// Something failed and was named on stderr.
    SomeFailed,
}

/// An error and its causes in one line, with what to do; a cause that is told already is not told again.
pub fn told(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text += ": ";
            text += &cause;
        }
    }
    if let Some(advice) = error.chain().find_map(super::advice::advice) {
        text += "; ";
        text += &advice;
    }
    text
}

/// An error of the caller that clap could not see: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadCall(pub String);

/// The bytes of a file or, without one or with `-`, of stdin, and what to call it. `what` is a noun
/// for what is expected there, such as "file of deals".
pub fn read_input(
    path: Option<&Path>,
    limit: u64,
    what: &str,
) -> anyhow::Result<(Vec<u8>, String)> {
    let path = path.filter(|path| path.as_os_str() != "-");
    let (name, input): (String, Box<dyn Read>) = match path {
        Some(path) => {
            let name = path.display().to_string();
            let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
            (name, Box::new(file))
        }
        None => {
            if io::stdin().is_terminal() {
                say!("type a {what}; end with Ctrl-D");
            }
            ("stdin".to_owned(), Box::new(io::stdin()))
        }
    };
    let mut bytes = Vec::new();
    input.take(limit + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    if bytes.len() as u64 > limit {
        let message = format!("{name}: more than {limit} bytes; that is no {what}");
        return Err(BadCall(message).into());
    }
    Ok((bytes, name))
}

/// An error in writing to a place that the call names: its own if something else would be replaced there.
pub fn unwritten(what: String, error: std::io::Error) -> anyhow::Error {
    match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            BadCall(format!("{what}: {error}; name another place")).into()
        }
        _ => anyhow::Error::new(error).context(what),
    }
}

/// Reads one of some values by its name; `--help` lists all of them.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name_and_help: fn(T) -> (&'static str, &'static str),
) -> impl TypedValueParser<Value = T> {
    let listed = all.iter().map(move |value| {
        let (name, help) = name_and_help(*value);
        PossibleValue::new(name).help(help)
    });
    PossibleValuesParser::new(listed).map(move |said| {
        let named = all.iter().find(|value| name_and_help(**value).0 == said);
        *named.expect("one of those that are listed")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let error = anyhow::anyhow!("no such file").context("photo.jpg cannot be read");
        assert_eq!(told(&error), "photo.jpg cannot be read: no such file");
        let error = Err::<(), _>(error.context("photo.jpg (no such file)")).context("stopped");
        let error = error.unwrap_err();
        assert_eq!(told(&error), "stopped: photo.jpg (no such file): photo.jpg cannot be read");
    }
}
