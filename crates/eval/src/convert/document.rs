//! A file of labels, opened as what its name says: JSON, XML or a table.

use super::draft::Pictures;
use serde_json::Value;
use setsight_files::small_file::{MAX_DATA_BYTES, read_json, read_text};
use setsight_photo::labels::{Table, table_of};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Most bytes of XML, which holds the labels of one photo.
const MAX_XML_BYTES: u64 = 16 << 20;
/// Most attributes of a tag: the parser compares each with all others.
const MAX_ATTRIBUTES: usize = 100;

/// A file of labels.
pub(super) struct Document<'a> {
    /// Its path.
    pub path: &'a Path,
    /// What it holds.
    pub content: Content,
}

/// What a file of labels holds.
pub(super) enum Content {
    /// A JSON document.
    Json(Value),
    /// An XML document's text.
    Xml(String),
    /// A table with a first line of column names.
    Table(Table),
}

impl<'a> Document<'a> {
    /// Opens a file; `None` if its name is not that of such a file.
    ///
    /// # Errors
    /// A message without the file's name: it cannot be read, or is not what its name says.
    pub(super) fn open(path: &'a Path) -> Option<Result<Self, String>> {
        let extension = path.extension().and_then(OsStr::to_str)?.to_ascii_lowercase();
        let unreadable = |error: io::Error| format!("cannot be read: {error}");
        let content = match extension.as_str() {
            "json" => read_json(path).map_err(unreadable).and_then(|text| {
                let document = serde_json::from_str(&text);
                document.map(Content::Json).map_err(|error| format!("is no JSON: {error}"))
            }),
            "xml" => {
                let text = read_text(path, MAX_XML_BYTES).map_err(unreadable);
                text.and_then(|text| check_tags(&text).map(|()| Content::Xml(text)))
            }
            "csv" | "tsv" => read_text(path, MAX_DATA_BYTES).map_err(unreadable).and_then(|text| {
                let table = table_of(text.as_bytes());
                table.map(Content::Table).map_err(|error| format!("is no table: {error}"))
            }),
            _ => return None,
        };
        Some(content.map(|content| Self { path, content }))
    }

    /// The picture that the file calls by this name.
    ///
    /// # Errors
    /// A message if there is no such picture, or several.
    pub(super) fn picture(&self, pictures: &Pictures, name: &str) -> Result<PathBuf, String> {
        pictures.find(self.path.parent().unwrap_or(Path::new(".")), name)
    }
}

/// Refuses XML with a tag of more attributes than any format has.
fn check_tags(xml: &str) -> Result<(), String> {
    let (mut is_tag, mut attributes, mut quote) = (false, 0, None);
    for byte in xml.bytes() {
        match (quote, byte) {
            // It stands within no value.
            (_, b'<') => (is_tag, attributes, quote) = (true, 0, None),
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'>') => is_tag = false,
            (None, b'"' | b'\'') if is_tag => quote = Some(byte),
            (None, b'=') if is_tag => attributes += 1,
            _ => {}
        }
        if attributes > MAX_ATTRIBUTES {
            return Err(format!("has a tag of more than {MAX_ATTRIBUTES} attributes"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_tags;

    #[test]
    fn tags_have_few_attributes_and_text_may_have_any() {
        let tag = |count: usize| {
            let all: String = (0..count).map(|n| format!(" a{n}='a=\">'")).collect();
            format!("<?xml version=\"1.0\"?><annotation><b{all}/></annotation>")
        };
        assert_eq!(check_tags(&tag(100)), Ok(()));
        assert!(check_tags(&tag(101)).is_err() && check_tags(&tag(80_000)).is_err());
        assert!(check_tags(&format!("<!-- don't -->=\"{}", tag(101))).is_err());
        assert_eq!(check_tags(&format!("<a>{}</a>", "don't\" ".repeat(500))), Ok(()));
    }
}
