//! The formats' common form: pictures with classes at places, not checked yet.

use super::outline::Outline;
use setsight_photo::source::PHOTO_EXTENSIONS;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Labels found in a folder or file.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    /// Labelled photos, in the order of their files.
    pub photos: Vec<DraftPhoto>,
    /// Labelled crops.
    pub crops: Vec<DraftCrop>,
    /// Photos that nobody labelled.
    pub skipped: Vec<String>,
    /// Errors, each with its file.
    pub problems: Vec<String>,
}

/// A photo and its labels.
#[derive(Debug)]
pub(super) struct DraftPhoto {
    /// The photo's file.
    pub path: PathBuf,
    /// The file with the labels.
    pub told_in: PathBuf,
    /// The picture size given in the labels, in pixels.
    pub told_px: Option<(u32, u32)>,
    /// The unit of the marks' coordinates.
    pub unit: Unit,
    /// Labelled objects: cards, and perhaps others.
    pub marks: Vec<Mark>,
}

/// A picture of one card.
#[derive(Debug)]
pub(super) struct DraftCrop {
    /// The picture's file.
    pub path: PathBuf,
    /// The class name in the labels.
    pub class: String,
    /// Where that is said.
    pub at: String,
}

impl Drafts {
    /// Adds the labels of a picture; a problem where it was not found.
    pub(super) fn add_photo(
        &mut self,
        told_in: &Path,
        picture: Result<PathBuf, String>,
        told_px: Option<(f64, f64)>,
        marks: Vec<Mark>,
    ) {
        match picture {
            Ok(path) => self.photos.push(DraftPhoto {
                path,
                told_in: told_in.to_path_buf(),
                told_px: told_px
                    .map(|(width, height)| (width as u32, height as u32))
                    .filter(|&(width, height)| width > 0 && height > 0),
                unit: Unit::Pixels,
                marks,
            }),
            Err(reason) => self.problem(told_in, &reason),
        }
    }

    /// Adds an error in a file.
    pub(super) fn problem(&mut self, file: &Path, why: &str) {
        self.problems.push(format!("{}: {why}", file.display()));
    }

    /// Notes a photo that a file lists and nobody labelled. `at` says where it stands there.
    pub(super) fn skip(&mut self, file: &Path, at: &str) {
        self.skipped.push(format!("{}: {at}", file.display()));
    }

    /// Adds all of others.
    pub(super) fn extend(&mut self, others: Self) {
        self.photos.extend(others.photos);
        self.crops.extend(others.crops);
        self.skipped.extend(others.skipped);
        self.problems.extend(others.problems);
    }
}

/// A unit of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Pixels from the picture's top left corner.
    Pixels,
    /// Fractions of the picture's width and height, 0 to 1.
    Shares,
}

/// A labelled object.
#[derive(Debug)]
pub(super) struct Mark {
    /// The class name in the labels; empty if nobody gave it one.
    pub class: String,
    /// Its place.
    pub outline: Outline,
    /// Where it stands in the file of labels, such as `line 3`.
    pub at: String,
}

/// Whether a file has the extension of a picture.
pub(super) fn is_picture(path: &Path) -> bool {
    PHOTO_EXTENSIONS.iter().any(|extension| has_extension(path, extension))
}

/// Whether a file has this extension, in whatever case.
pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|own| own.eq_ignore_ascii_case(extension))
}
