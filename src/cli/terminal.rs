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
        Ink { colored, boxed: shows_boxes(&io::stdout()) }
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

/// Whether a stream leads to a terminal that shows more than ASCII.
fn shows_boxes(stream: &impl IsTerminal) -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    // Windows' consoles are written to in Unicode, whatever their code page.
    stream.is_terminal() && !dumb && (cfg!(windows) || is_utf8(|name| std::env::var(name).ok()))
}

/// Whether the locale's characters are UTF-8: the first variable that is set counts (POSIX, 8.2).
fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let mut set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable);
    let locale = set.find(|value| !value.is_empty()).unwrap_or_default();
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_says_whether_there_is_more_than_ascii() {
        let says = |set: &[(&str, &str)]| {
            is_utf8(|name| Some(set.iter().find(|(of, _)| *of == name)?.1.to_owned()))
        };
        assert!(says(&[("LANG", "de_DE.UTF-8")]) && says(&[("LC_CTYPE", "C.utf8")]));
        assert!(says(&[("LC_ALL", ""), ("LANG", "en_GB.UTF-8")]));
        assert!(!says(&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]));
        assert!(!says(&[("LANG", "de_DE.ISO-8859-1")]) && !says(&[]));
    }
}
