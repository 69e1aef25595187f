//! The few things that the pages need to be safe and to find their pictures.

use std::path::Path;

/// Text as it may stand in HTML, in attributes too.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(c),
        }
    }
    out
}

/// A path as a reference in a page: relative as it is, absolute as `file:`. All but letters,
/// digits and a few signs become their bytes in per cent (RFC 3986), so that any name works.
pub fn href(path: &Path) -> String {
    let mut out = String::new();
    if path.is_absolute() {
        out += "file://";
    }
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            b'\\' if cfg!(windows) => out.push('/'),
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_kind_are_safe() {
        assert_eq!(escape("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
        assert_eq!(href(Path::new("a b#é.jpg")), "a%20b%23%C3%A9.jpg");
        assert_eq!(href(Path::new("/x/50%.jpg")), "file:///x/50%25.jpg");
    }
}
