//! Makes untrusted text, such as file names, safe for a terminal.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};

/// Escapes characters that move a terminal's cursor or change its state (`\\u{1b}`). Line breaks
/// and tabs are kept if `lines` is true.
fn spelt(text: &str, lines: bool) -> Cow<'_, str> {
    // Bidirectional control characters can make one name look like another.
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let harms = |c: char| (c.is_control() && !(lines && matches!(c, '\n' | '\t'))) || turns(c);
    if !text.contains(harms) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if harms(c) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// One line of text, escaped.
pub fn line(text: &str) -> Cow<'_, str> {
    spelt(text, false)
}

/// Several lines of text, escaped.
pub fn lines(text: &str) -> Cow<'_, str> {
    spelt(text, true)
}

/// A number with its noun, of which the plural has an s.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    format!("{count} {noun}{}", plural(count))
}

/// The end of a regular noun after this number.
pub fn plural<N: PartialEq + From<u8>>(count: N) -> &'static str {
    if count == N::from(1) { "" } else { "s" }
}

/// A table cell that spreadsheets do not take for a formula: an apostrophe goes before a text that
/// could be one (OWASP, "CSV injection").
pub fn cell(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Writes an escaped line to stderr, and ignores errors such as a closed terminal. Of a line without measure, as
/// the text of others may be, its beginning and its end are written.
pub fn to_stderr(text: std::fmt::Arguments<'_>) {
    use std::io::Write as _;
    let text = text.to_string();
    let shown: Vec<Cow<'_, str>> = text.split('\n').map(shortened).collect();
    let _ = writeln!(std::io::stderr().lock(), "{}", lines(&shown.join("\n")));
}

/// Beginning and end of a line that is too long to be read.
fn shortened(line: &str) -> Cow<'_, str> {
    /// Characters of each; no path and no message of the program's own is as long as both.
    const PART: usize = 4000;
    if line.len() <= 2 * PART {
        return Cow::Borrowed(line);
    }
    let head = line.floor_char_boundary(PART);
    let tail = line.ceil_char_boundary(line.len() - PART);
    let left_out = tail - head;
    Cow::Owned(format!("{} … ({left_out} bytes) … {}", &line[..head], &line[tail..]))
}

/// Writes an escaped line to stdout.
///
/// # Errors
/// The system's error, such as a closed pipe.
pub fn to_stdout(text: std::fmt::Arguments<'_>) -> std::io::Result<()> {
    use std::io::Write as _;
    let text = text.to_string();
    writeln!(std::io::stdout().lock(), "{}", lines(&text))
}

/// Prints a result that may hold text of others to stdout like `println!`, but escapes it and gives
/// the error of writing.
#[macro_export]
macro_rules! print_result {
    ($($text:tt)*) => { $crate::printable::to_stdout(format_args!($($text)*)) };
}

/// Prints a message to stderr like `eprintln!`, but escapes it and ignores write errors.
#[macro_export]
macro_rules! say {
    ($($text:tt)*) => { $crate::printable::to_stderr(format_args!($($text)*)) };
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_spelt_out() {
        assert_eq!(line("plain näme 牌.jpg"), "plain näme 牌.jpg");
        assert_eq!(line("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\u{a}c");
        assert_eq!(lines("a\nb\u{7}"), "a\nb\\u{7}");
        assert_eq!(line("gpj.\u{202e}exe"), "gpj.\\u{202e}exe");
    }

    #[test]
    fn a_line_without_measure_is_shortened() {
        let long = format!("a.csv: {} is no card", "ü".repeat(50_000_000));
        let shown = shortened(&long);
        assert!(
            shown.len() < 9000 && shown.starts_with("a.csv: ü") && shown.ends_with("is no card")
        );
        assert_eq!(shortened("short"), "short");
    }

    #[test]
    fn formulas_are_text() {
        assert_eq!(cell("=1+1"), "'=1+1");
        assert_eq!(cell("a=1"), "a=1");
    }
}
