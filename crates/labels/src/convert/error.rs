//! The errors of a conversion.

use super::document::Format;
use setsight_photo::labels::DatasetError;
use std::path::PathBuf;

/// Why labels cannot be found, converted or written.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    #[error("{}: cannot be read: {source}; expected labels or a folder of them", .path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{} is already in the program's own format; there is nothing to convert", .0.display())]
    Ours(PathBuf),
    #[error(
        "{}: no labels of a known form there; looked for a folder for each card (2spd/1.jpg), the \
         files of COCO, YOLO (beside data.yaml or classes.txt), Pascal VOC, CVAT, LabelMe and Label \
         Studio, and CSV tables with the columns file and code", .path.display()
    )]
    Unknown {
        path: PathBuf,
        /// Files that could hold labels and cannot be read, with the reason.
        strange: Vec<String>,
    },
    #[error(
        "{}: no labels in the format {} found; expected: {}", .path.display(), .format.name,
        .format.looks_like
    )]
    Other {
        path: PathBuf,
        format: Format,
        /// Files that could hold labels and cannot be read, with the reason.
        strange: Vec<String>,
    },
    #[error(
        "{}: labels in several formats ({forms}); say which you mean",
        .path.display()
    )]
    Several { path: PathBuf, forms: String },
    /// All errors, each with its file.
    #[error("{}", .0.first().map_or("", String::as_str))]
    Problems(Vec<String>),
    #[error(
        "{}: no picture is labelled there: no photo has a card; some exports leave out turned boxes and polygons, so \
         export another format if you drew any", .0.display()
    )]
    Empty(PathBuf),
    #[error(
        "{}: no photo there has all its cards labelled with corners, which boxes need; correct photos in the \
         window, which finds the corners", .0.display()
    )]
    NoCorners(PathBuf),
    #[error("no class {class} in the labels to leave out; there are: {classes}")]
    NoSuchClass { class: String, classes: String },
    #[error("stopped: {done} of {all} pictures looked at, nothing written")]
    Stopped { done: usize, all: usize },
    #[error("{} already exists; name another folder, or move it away", .0.display())]
    Exists(PathBuf),
    #[error("{} is not empty; pictures are copied into a new folder alone: name one", .0.display())]
    NotEmpty(PathBuf),
    #[error("{}: its name is not UTF-8 text, which labels cannot hold; rename it", .0.display())]
    Name(PathBuf),
    #[error("{} and another picture would both be called {name}; rename one of them", .path.display())]
    SameName { path: PathBuf, name: String },
    #[error("{}: cannot be written: {source}", .path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    /// The label file cannot be written.
    #[error(transparent)]
    Labels(#[from] DatasetError),
    #[error("stopped: nothing is written")]
    WritingStopped,
}

impl ConvertError {
    /// Files that could hold labels and cannot be read, with the reason.
    pub fn strange(&self) -> &[String] {
        match self {
            Self::Unknown { strange, .. } | Self::Other { strange, .. } => strange,
            _ => &[],
        }
    }
}
