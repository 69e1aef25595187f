//! What is wrong with JSON, in words for people who did not write the program.

use serde_json::error::Category;

/// Says what is wrong, and where in the file that is known.
pub fn json_fault(error: &serde_json::Error) -> String {
    let place = format!("line {}, column {}", error.line(), error.column());
    match error.classify() {
        Category::Eof => format!("it ends too early, in {place}"),
        Category::Syntax => format!("it cannot be understood from {place} on"),
        Category::Io | Category::Data => {
            let text = error.to_string();
            // Of a value that was parsed before, the place is not known.
            let told = format!(" at line {} column {}", error.line(), error.column());
            match text.strip_suffix(&told) {
                Some(words) if error.line() > 0 => format!("{}, in {place}", in_words(words)),
                _ => in_words(&text),
            }
        }
    }
}

/// A message of serde's in words; others stay as they are.
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
    fn what_is_wrong_is_told_in_plain_words() {
        let number = |text: &str| json_fault(&serde_json::from_str::<u32>(text).unwrap_err());
        assert_eq!(number(""), "it ends too early, in line 1, column 0");
        assert_eq!(number("\n x"), "it cannot be understood from line 2, column 2 on");
        assert_eq!(
            number("-1"),
            "-1 is there; expected a whole number from 0 on, in line 1, column 2"
        );
        assert_eq!(in_words("missing field `code`"), "\"code\" is missing");
        let told = [
            (
                "invalid type: string \"x\", expected f64",
                "the text \"x\" is there; expected a number",
            ),
            ("invalid type: map, expected a sequence", "an object is there; expected a list"),
            ("invalid type: null, expected struct Card", "null is there; expected an object"),
            ("invalid length 1, expected 2 numbers", "a list of 1 is there; expected 2 numbers"),
            ("\"2xpd\": 'x' at place 2", "\"2xpd\": 'x' at place 2"),
        ];
        for (message, words) in told {
            assert_eq!(in_words(message), words);
        }
    }
}
