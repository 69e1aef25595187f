//! What the commands share about terminals: colours, width, closed pipes.

use setsight_game::cards::picture::Ink;
use std::io::{self, IsTerminal};

/// How cards are drawn on stdout.
pub fn ink() -> Ink {
    Ink { colored: shows_colors(&io::stdout()), boxed: shows_boxes(&io::stdout()) }
}

/// Whether a stream gets colours: a terminal that shows them, unless NO_COLOR asks for none, and anything
/// if CLICOLOR_FORCE asks for them.
pub fn shows_colors(stream: &impl IsTerminal) -> bool {
    let forced =
        std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let colored = (stream.is_terminal() && !dumb || forced) && !is_set("NO_COLOR");
    // Windows' consoles are asked to understand colours; a file takes them as they are.
    #[cfg(windows)]
    if colored {
        let _ = anstyle_query::windows::enable_ansi_colors();
    }
    colored
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
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

/// A text for stdout, of which a terminal gets lines that fit: they break between words, and what follows stands below
/// the first word after the colon, as below the cards of "set 1: ". Boards, which have no colon, are left.
pub fn fitted(text: String) -> String {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return text;
    }
    let columns = terminal_size::terminal_size_of(stdout).map(|(width, _)| usize::from(width.0));
    let width = columns.filter(|&columns| columns > 0).unwrap_or_else(width);
    text.split_inclusive('\n').map(|line| broken(line, width)).collect()
}

fn broken(line: &str, width: usize) -> String {
    /// A longer name before the colon would leave too little beside it.
    const MOST_BEFORE: usize = 20;
    let Some((head, _)) = line.split_once(": ") else { return line.to_owned() };
    let before = shown(head) + 2;
    let indent = if before <= MOST_BEFORE { before } else { 4 };
    let (mut text, mut used) = (String::new(), 0);
    for word in line.split_inclusive(' ') {
        let length = shown(word.trim_end());
        if used > indent && used + length > width {
            text.truncate(text.trim_end().len());
            text += &format!("\n{:indent$}", "");
            used = indent;
        }
        text += word;
        used += shown(word);
    }
    text
}

/// How many characters a terminal shows of a text with colours.
fn shown(text: &str) -> usize {
    let colors: usize =
        text.split('\x1b').skip(1).filter_map(|code| Some(code.find('m')? + 2)).sum();
    text.chars().count() - colors
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
    fn a_line_breaks_between_words_below_the_first_after_the_colon() {
        for (line, expected) in [
            ("set 1: 1 red, 2 blue, 3 green\n", "set 1: 1 red, 2\n       blue, 3\n       green\n"),
            ("set 1: \x1b[1m1 red\x1b[0m, 2\n", "set 1: \x1b[1m1 red\x1b[0m, 2\n"),
            ("+------+  +------+\n", "+------+  +------+\n"),
            (
                "a-photo-with-a-long-name.jpg: 12 cards\n",
                "a-photo-with-a-long-name.jpg:\n    12 cards\n",
            ),
        ] {
            assert_eq!(broken(line, 15), expected);
        }
    }

    #[test]
    fn the_locale_decides_whether_more_than_ascii_is_shown() {
        let says = |set: &[(&str, &str)]| {
            is_utf8(|name| Some(set.iter().find(|(of, _)| *of == name)?.1.to_owned()))
        };
        assert!(says(&[("LANG", "de_DE.UTF-8")]) && says(&[("LC_CTYPE", "C.utf8")]));
        assert!(says(&[("LC_ALL", ""), ("LANG", "en_GB.UTF-8")]));
        assert!(!says(&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]));
        assert!(!says(&[("LANG", "de_DE.ISO-8859-1")]) && !says(&[]));
    }
}
