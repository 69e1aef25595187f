//! Text that others may have chosen, file names above all, made harmless for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with what moves a terminal's cursor, changes its colours or worse spelt out (`\\u{1b}`). Line
/// breaks stay where `lines` says so.
fn spelt(text: &str, lines: bool) -> Cow<'_, str> {
    // Marks that turn the direction of writing can make a name look like another.
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

/// One line of text, harmless.
#[cfg(feature = "vision")]
pub fn line(text: &str) -> Cow<'_, str> {
    spelt(text, false)
}

/// Text of several lines, harmless.
pub fn lines(text: &str) -> Cow<'_, str> {
    spelt(text, true)
}

/// A cell of a table that spreadsheets do not take for a formula: what would be one is text behind an
/// apostrophe (OWASP, "CSV injection").
#[cfg(feature = "vision")]
pub fn cell(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Writes a line to stderr, harmless; that nobody reads it is no error.
pub fn to_stderr(text: std::fmt::Arguments<'_>) {
    use std::io::Write as _;
    let text = text.to_string();
    let _ = writeln!(std::io::stderr().lock(), "{}", lines(&text));
}

/// A message to stderr, as `eprintln!` writes it, for a terminal that may be gone and names that may be
/// anything.
macro_rules! say {
    ($($text:tt)*) => { $crate::printable::to_stderr(format_args!($($text)*)) };
}
pub(crate) use say;

#[cfg(all(test, feature = "vision"))]
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
