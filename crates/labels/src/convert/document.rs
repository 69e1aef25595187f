//! A file of labels, opened as what its name says (JSON, XML or a table), the pictures that it names, and what
//! a format of such files is.

use super::draft::{Drafts, is_picture};
use serde_json::Value;
use setsight_files::json_fault;
use setsight_files::small_file::{MAX_DATA_BYTES, check_json, read_text};
use setsight_photo::labels::{Table, table_of};
use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, ffi::OsStr, fmt};

/// Most tags and texts of XML: of some fifty thousand cards.
const MAX_XML_NODES: u32 = 1_000_000;
/// Most attributes of a tag: the parser compares each with all others.
const MAX_ATTRIBUTES: usize = 100;
/// Most namespaces that a file may declare.
const MAX_NAMESPACES: usize = 100;

/// A file of labels.
pub(super) struct Document<'a> {
    pub path: &'a Path,
    /// What it holds.
    pub content: Content,
}

/// What a file of labels holds.
pub(super) enum Content {
    Json(Value),
    /// An XML document's text.
    Xml(String),
    /// A table with a first line of column names.
    Table(Table),
}

impl<'a> Document<'a> {
    /// Opens a file; `None` if its name is not that of such a file.
    pub(super) fn open(path: &'a Path) -> Option<Result<Self, String>> {
        let extension = path.extension().and_then(OsStr::to_str)?.to_ascii_lowercase();
        type Open = fn(String) -> Result<Content, String>;
        let (limit, open): (u64, Open) = match extension.as_str() {
            "json" => (MAX_DATA_BYTES, |text| {
                check_json(&text).map_err(|error| format!("cannot be read: {error}"))?;
                let document = serde_json::from_str(&text);
                document
                    .map(Content::Json)
                    .map_err(|error| format!("is not JSON: {}", json_fault(&error)))
            }),
            "xml" => (MAX_DATA_BYTES, |text| check_tags(&text).map(|()| Content::Xml(text))),
            "csv" | "tsv" => (MAX_DATA_BYTES, |text| {
                let table = table_of(text.as_bytes());
                table.map(Content::Table).map_err(|error| format!("is not a table: {error}"))
            }),
            _ => return None,
        };
        Some(text_at(path, limit).and_then(open).map(|content| Self { path, content }))
    }

    /// The picture that the file calls by this name.
    pub(super) fn picture(&self, pictures: &Pictures, name: &str) -> Result<PathBuf, String> {
        pictures.find(self.path.parent().unwrap_or(Path::new(".")), name)
    }
}

pub(super) fn text_at(path: &Path, limit: u64) -> Result<String, String> {
    read_text(path, limit).map_err(|error| format!("cannot be read: {error}"))
}

/// A list of numbers in JSON.
pub(super) fn numbers_of(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}

/// A finite number in a text.
pub(super) fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// A text in JSON that is not empty.
pub(super) fn text_of(value: &Value) -> Option<String> {
    let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned).or_else(|| value.is_number().then(|| value.to_string()))
}

pub(super) fn xml_of(text: &str) -> Result<roxmltree::Document<'_>, roxmltree::Error> {
    let options = roxmltree::ParsingOptions { nodes_limit: MAX_XML_NODES, ..Default::default() };
    roxmltree::Document::parse_with_options(text, options)
}

/// Refuses XML with a tag of more attributes than any format has, or with more namespaces.
fn check_tags(xml: &str) -> Result<(), String> {
    let (mut is_tag, mut attributes, mut quote) = (false, 0, None);
    // Each costs at every tag below it.
    if xml.matches("xmlns").count() > MAX_NAMESPACES {
        return Err(format!("declares more than {MAX_NAMESPACES} namespaces"));
    }
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

/// Resolves picture names in labels.
pub(super) struct Pictures<'a>(BTreeMap<String, Vec<&'a PathBuf>>);

impl<'a> Pictures<'a> {
    /// For these files.
    pub(super) fn among(files: &'a [PathBuf]) -> Self {
        let mut by_name: BTreeMap<String, Vec<&PathBuf>> = BTreeMap::new();
        for file in files.iter().filter(|file| is_picture(file)) {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            by_name.entry(name).or_default().push(file);
        }
        Self(by_name)
    }

    /// The picture that labels in `folder` call `name`: the file at that path, otherwise the only
    /// file with that base name, because programs store the paths of their own machine. Of several,
    /// the only one whose path ends with the name.
    pub(super) fn find(&self, folder: &Path, name: &str) -> Result<PathBuf, String> {
        if name.trim().is_empty() {
            return Err("names no photo; write its file's name there".to_owned());
        }
        let direct = folder.join(name);
        if direct.is_file() {
            return Ok(direct);
        }
        // The path may come from Windows.
        let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let called = self.0.get(last).map_or(&[][..], Vec::as_slice);
        let by_path: Vec<_> = called.iter().filter(|picture| picture.ends_with(name)).collect();
        match (called, by_path.as_slice()) {
            ([only], _) => Ok((*only).clone()),
            (_, [only]) => Ok((**only).clone()),
            ([], _) => Err(format!(
                "{name} is labelled but not there; call the photo exactly so, put it beside the \
                 labels, or take its labels out"
            )),
            _ => {
                let all: Vec<String> = called.iter().map(|p| p.display().to_string()).collect();
                Err(format!(
                    "{name} may be any of {}; give them different names, or convert their folders \
                     one by one",
                    all.join(", ")
                ))
            }
        }
    }
}

/// A format of labels: one of those in [`Format::ALL`], which are known by their names.
#[derive(Clone, Copy)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    pub looks_like: &'static str,
    pub(super) read: Read,
}

/// How labels of a format are found and read.
#[derive(Clone, Copy)]
pub(super) enum Read {
    /// They stand in files that say what they are. Reads those of a file, if it is of this form; a message
    /// without the file's name if it is, but not as it should be.
    File(fn(&Document, &Pictures, &mut Drafts) -> Option<Result<(), String>>),
    /// A file of names says that text files beside the pictures hold them.
    Yolo,
    /// Names of folders say what is in them.
    Folders,
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
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
        let nested: String = (0..101).map(|n| format!("<b xmlns:a{n}='{n}'>")).collect();
        assert!(check_tags(&format!("<annotation>{nested}")).is_err());
        assert_eq!(check_tags(&format!("<a>{}</a>", "don't\" ".repeat(500))), Ok(()));
    }
}
