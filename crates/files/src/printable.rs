//! Makes untrusted text, such as file names, safe for a terminal, and says what is wrong with JSON in words for
//! people who did not write the program.

use serde_json::error::Category;
use std::borrow::Cow;
use std::fmt::Display;

/// Whether a character moves a terminal's cursor, changes its state, or can make one name look like another (the
/// bidirectional controls).
fn harms(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Escapes those that harm (`\\u{1b}`).
fn spelt(text: &str, harms: impl Fn(char) -> bool, spell: fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(&harms) {
        return Cow::Borrowed(text);
    }
    let chars = text.chars();
    Cow::Owned(chars.map(|c| if harms(c) { spell(c) } else { String::from(c) }).collect())
}

fn as_in_rust(c: char) -> String {
    format!("\\u{{{:x}}}", u32::from(c))
}

/// One line of text, escaped.
pub fn line(text: &str) -> Cow<'_, str> {
    spelt(text, harms, as_in_rust)
}

/// JSON with the same characters spelt as JSON spells them, which loses nothing: they stand in its texts alone.
pub fn json(value: &impl Display) -> String {
    spelt(&value.to_string(), harms, |c| format!("\\u{:04x}", u32::from(c))).into_owned()
}

/// A number with its noun, of which the plural has an s.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    format!("{count} {noun}{}", plural(count))
}

/// The end of a regular noun after this number.
pub fn plural<N: PartialEq + From<u8>>(count: N) -> &'static str {
    if count == N::from(1) { "" } else { "s" }
}

/// Whether spreadsheets may take a table cell for a formula (OWASP, "CSV injection"): some take the wide forms of
/// East Asian writing for the same.
pub fn is_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

/// A table cell, escaped as a line is: an apostrophe goes before what could be a formula.
pub fn cell(text: &str) -> Cow<'_, str> {
    if is_formula(text) { Cow::Owned(format!("'{}", line(text))) } else { line(text) }
}

/// Writes an escaped line to stderr, and ignores errors such as a closed terminal. Of a line without measure, as
/// the untrusted text may be, its beginning and its end are written.
pub fn to_stderr(text: std::fmt::Arguments<'_>) {
    use std::io::Write as _;
    let text = text.to_string();
    let _ = writeln!(std::io::stderr().lock(), "{}", line(&shortened(&text)));
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
    writeln!(std::io::stdout().lock(), "{}", line(&text))
}

/// Writes lines of the program's own to stdout, escaped; untrusted text in them must be escaped already, or it could
/// make lines of its own.
///
/// # Errors
/// As [`to_stdout`].
pub fn print_lines(text: &str) -> std::io::Result<()> {
    text.trim_end().split('\n').try_for_each(|line| to_stdout(format_args!("{line}")))
}

/// Prints a line that may hold untrusted text to stdout like `println!`, but escapes it and gives
/// the error of writing.
#[macro_export]
macro_rules! print_result {
    ($($text:tt)*) => { $crate::printable::to_stdout(format_args!($($text)*)) };
}

/// Prints a message of one line to stderr like `eprintln!`, but escapes it and ignores write errors.
#[macro_export]
macro_rules! say {
    ($($text:tt)*) => { $crate::printable::to_stderr(format_args!($($text)*)) };
}

/// Says what is wrong, and where in the file that is known.
pub fn json_fault(error: &serde_json::Error) -> String {
    let place = format!("line {}, column {}", error.line(), error.column());
    match error.classify() {
        Category::Eof => format!("it ends too early, in {place}"),
        Category::Syntax => format!("it cannot be understood from {place} on"),
        Category::Io | Category::Data => {
            let text = error.to_string();
            // Of a value that was parsed before, the place is not known.
            let suffix = format!(" at line {} column {}", error.line(), error.column());
            match text.strip_suffix(&suffix) {
                Some(words) if error.line() > 0 => format!("{}, in {place}", in_words(words)),
                _ => in_words(&text),
            }
        }
    }
}

/// A message of serde's in words; any other message stays as it is.
fn in_words(message: &str) -> String {
    if let Some(member) = message.strip_prefix("missing field ") {
        return format!("{} is missing", member.replace('`', "\""));
    }
    let fault = ["invalid type: ", "invalid value: ", "invalid length "];
    let Some(rest) = fault.iter().find_map(|kind| message.strip_prefix(kind)) else {
        return message.to_owned();
    };
    let (found, expected) = rest.split_once(", expected ").unwrap_or((rest, ""));
    let found = match found.split_once(' ') {
        Some(("integer" | "boolean", value)) => value.replace('`', ""),
        Some(("floating", value)) => value.trim_start_matches("point ").replace('`', ""),
        Some(("string", value)) => format!("the text {value}"),
        _ => match found {
            "sequence" => "a list".to_owned(),
            "map" => "an object".to_owned(),
            length if length.parse::<usize>().is_ok() => format!("a list of {length}"),
            other => other.to_owned(),
        },
    };
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    format!("{found} is there; expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_spelt_out() {
        assert_eq!(line("plain näme 牌.jpg"), "plain näme 牌.jpg");
        assert_eq!(line("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\u{a}c");
        let value = serde_json::json!({"file": "a\u{9b}\u{202e}\n\u{7f}é"});
        let text = json(&value);
        assert_eq!(text, r#"{"file":"a\u009b\u202e\n\u007fé"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
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
        assert_eq!(cell("a\u{1b}"), "a\\u{1b}");
        for start in ["＝", "＋", "－", "＠"] {
            assert_eq!(cell(&format!("{start}1")), format!("'{start}1"));
        }
        assert_eq!(cell("a=1"), "a=1");
    }

    #[test]
    fn faults_are_explained_in_plain_words() {
        let number = |text: &str| json_fault(&serde_json::from_str::<u32>(text).unwrap_err());
        assert_eq!(number(""), "it ends too early, in line 1, column 0");
        assert_eq!(number("\n x"), "it cannot be understood from line 2, column 2 on");
        assert_eq!(
            number("-1"),
            "-1 is there; expected a whole number from 0 on, in line 1, column 2"
        );
        assert_eq!(in_words("missing field `code`"), "\"code\" is missing");
        let cases = [
            (
                "invalid type: string \"x\", expected f64",
                "the text \"x\" is there; expected a number",
            ),
            ("invalid type: map, expected a sequence", "an object is there; expected a list"),
            ("invalid type: null, expected struct Card", "null is there; expected an object"),
            ("invalid length 1, expected 2 numbers", "a list of 1 is there; expected 2 numbers"),
            ("\"2xpd\": 'x' at place 2", "\"2xpd\": 'x' at place 2"),
        ];
        for (message, words) in cases {
            assert_eq!(in_words(message), words);
        }
    }
}
