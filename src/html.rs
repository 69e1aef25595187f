//! Escaping of text and paths for HTML pages.

use std::path::Path;

/// Escapes text for use in HTML, including attributes.
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

/// A path as a reference in a page: a relative path stays relative, an absolute one becomes a
/// `file:` URL. All characters except letters, digits and a few others are percent-encoded (RFC
/// 3986), so that any name works.
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
