//! What all HTML pages share: their frame, and how they refer to files.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use setsight_files::whole_file::refuse_others;
use std::{io, path::Path};
use url::Url;

/// A whole page in English; `style` and `body` are markup already.
pub fn page(title: &str, style: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { (title) } "\n"
                style { (PreEscaped(style)) } "\n"
            }
            body { (body) }
        }
        "\n"
    }
}

/// How the titles of all pages begin that are named `index.html`.
const OURS: &str = "setsight: ";

/// Refuses to replace something else than such a page.
pub fn refuse_other_pages(path: &Path) -> io::Result<()> {
    let page = page(OURS, "", &Markup::default()).into_string();
    let (head, _) = page.split_once("</title>").expect("a page has a title");
    refuse_others(path, head.as_bytes())
}

/// A path as a reference in a page: a relative path stays relative, an absolute one becomes a
/// `file:` URL, also one on a drive or a computer that Windows names. What could mean something else
/// is percent-encoded (RFC 3986), so that any name works.
pub fn href(path: &Path) -> String {
    if let Ok(url) = Url::from_file_path(path) {
        return url.into();
    }
    let mut out = String::new();
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
    fn files_of_any_name_are_found() {
        assert_eq!(href(Path::new("a b#é.jpg")), "a%20b%23%C3%A9.jpg");
        let (path, url) = match cfg!(windows) {
            true => (r"C:\x\50%.jpg", "file:///C:/x/50%25.jpg"),
            false => ("/x/50%.jpg", "file:///x/50%25.jpg"),
        };
        assert_eq!(href(Path::new(path)), url);
    }
}
