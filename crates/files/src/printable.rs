//! Makes untrusted text, such as file names, safe for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

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

/// A table cell that spreadsheets do not take for a formula: an apostrophe goes before a text that
/// could be one (OWASP, "CSV injection").
pub fn cell(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Writes an escaped line to stderr, and ignores errors such as a closed terminal.
pub fn to_stderr(text: std::fmt::Arguments<'_>) {
    use std::io::Write as _;
    let text = text.to_string();
    let _ = writeln!(std::io::stderr().lock(), "{}", lines(&text));
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
    fn formulas_are_text() {
        assert_eq!(cell("=1+1"), "'=1+1");
        assert_eq!(cell("a=1"), "a=1");
    }
}
