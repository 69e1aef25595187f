//! What the commands share about terminals: colours, width, closed pipes.

use setsight_game::cards::picture::Ink;
use std::io::{self, IsTerminal};

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Letters instead
    Never,
}

impl ColorChoice {
    /// What stdout is to be written with.
    pub fn ink(self) -> Ink {
        let colored = match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => shows_colors(&io::stdout()),
        };
        if colored { Ink::Ansi } else { Ink::Plain }
    }
}

/// Whether a stream leads to a terminal that shows colours, and nobody has asked for none.
pub fn shows_colors(stream: &impl IsTerminal) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let colored = stream.is_terminal() && !set("NO_COLOR") && !dumb;
    // Windows' consoles are asked to understand colours; a file takes them as they are.
    #[cfg(windows)]
    if colored {
        let _ = anstyle_query::windows::enable_ansi_colors();
    }
    colored
}

/// Characters across: the shell's `COLUMNS`, else the traditional 80.
pub fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    columns.filter(|&columns| columns > 0).unwrap_or(80)
}

/// Whether an error says that nobody reads our output any more.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// A seed for a run that asked for none; short enough to be typed again.
pub fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library keys its hashers from the system's randomness.
    std::collections::hash_map::RandomState::new().build_hasher().finish() >> 40
}
