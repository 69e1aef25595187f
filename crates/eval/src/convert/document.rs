//! A file of labels, opened as what its name says: JSON, XML or a table.

use super::draft::Pictures;
use serde_json::Value;
use setsight_files::small_file::{MAX_DATA_BYTES, read_text};
use setsight_photo::labels::{Table, table_of};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

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
        let open: fn(&str) -> Result<Content, String> = match extension.as_str() {
            "json" => |text| {
                let document = serde_json::from_str(text);
                document.map(Content::Json).map_err(|error| format!("is no JSON: {error}"))
            },
            "xml" => |text| Ok(Content::Xml(text.to_owned())),
            "csv" | "tsv" => |text| {
                let table = table_of(text.as_bytes());
                table.map(Content::Table).map_err(|error| format!("is no table: {error}"))
            },
            _ => return None,
        };
        let text = read_text(path, MAX_DATA_BYTES).map_err(|e| format!("cannot be read: {e}"));
        Some(text.and_then(|text| open(&text)).map(|content| Self { path, content }))
    }

    /// The picture that the file calls by this name.
    ///
    /// # Errors
    /// A message if there is no such picture, or several.
    pub(super) fn picture(&self, pictures: &Pictures, name: &str) -> Result<PathBuf, String> {
        pictures.find(self.path.parent().unwrap_or(Path::new(".")), name)
    }
}
