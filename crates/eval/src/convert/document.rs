//! A file of labels, opened as what its name says: JSON, XML or a table.

use super::numbers::number;
use super::pictures::Pictures;
use serde_json::Value;
use setsight_files::json_fault;
use setsight_files::small_file::{MAX_DATA_BYTES, read_text_bytes};
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
                document
                    .map(Content::Json)
                    .map_err(|error| format!("is no JSON: {}", json_fault(&error)))
            },
            "xml" => |text| Ok(Content::Xml(text.to_owned())),
            "csv" | "tsv" => |text| {
                let table = table_of(text.as_bytes());
                table.map(Content::Table).map_err(|error| format!("is no table: {error}"))
            },
            _ => return None,
        };
        let text = text_at(path, MAX_DATA_BYTES);
        Some(text.and_then(|text| open(&text)).map(|content| Self { path, content }))
    }

    /// The picture that the file calls by this name.
    ///
    /// # Errors
    /// A message if there is no such picture, or several.
    pub(super) fn picture(&self, pictures: &Pictures, name: &str) -> Result<PathBuf, String> {
        pictures.find(self.path.parent().unwrap_or(Path::new(".")), name)
    }

    /// The picture of a file that is of one picture alone. Some programs leave out its name or its
    /// extension, or keep that of before it was renamed; then the two files are called alike.
    ///
    /// # Errors
    /// A message if there is no such picture, or several.
    pub(super) fn own_picture(&self, pictures: &Pictures, name: &str) -> Result<PathBuf, String> {
        let called = self.picture(pictures, name);
        called.or_else(|why| pictures.called_like(self.path).ok_or(why))
    }
}

/// The text of a file, which may be in the letters of Windows 1252, as older programs write them.
///
/// # Errors
/// A message without the file's name.
pub(super) fn text_at(path: &Path, limit: u64) -> Result<String, String> {
    let bytes = read_text_bytes(path, limit).map_err(|e| format!("cannot be read: {e}"))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if error.as_bytes().contains(&0) => Err("is no text".to_owned()),
        Err(error) => Ok(error.as_bytes().iter().map(|&byte| windows_1252(byte)).collect()),
    }
}

fn windows_1252(byte: u8) -> char {
    const FROM_80: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    match byte {
        0x80..0xa0 => FROM_80[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// A number in JSON, perhaps as text.
pub(super) fn number_of(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| number(value.as_str()?))
}

/// A list of numbers in JSON.
pub(super) fn numbers_of(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(number_of).collect()
}

/// A text in JSON that is not empty.
pub(super) fn text_of(value: &Value) -> Option<String> {
    let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned).or_else(|| value.is_number().then(|| value.to_string()))
}
