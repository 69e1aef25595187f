//! The formats' common form: pictures with classes at places, not checked yet.

use super::outline::Outline;
use setsight_photo::source::{self, PHOTO_EXTENSIONS};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Labels found in a folder or file.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    /// Labelled photos, in the order of their files.
    pub photos: Vec<DraftPhoto>,
    /// Labelled crops: file and class.
    pub crops: Vec<(PathBuf, String)>,
    /// Photos without labels.
    pub unlabelled: Vec<PathBuf>,
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
            Err(reason) => self.problems.push(format!("{}: {reason}", told_in.display())),
        }
    }

    /// Adds all of others.
    pub(super) fn extend(&mut self, others: Self) {
        self.photos.extend(others.photos);
        self.crops.extend(others.crops);
        self.unlabelled.extend(others.unlabelled);
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
    /// The class name in the labels.
    pub class: String,
    /// Its place.
    pub outline: Outline,
}

/// All files in a folder and its subfolders, see [`source::files_below`].
///
/// # Errors
/// A folder that cannot be read.
pub(super) fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let files = source::files_below(folder, true, &[]);
    files.map(|file| file.map_err(io::Error::other)).collect()
}

/// Whether a file has the extension of a picture.
pub(super) fn is_picture(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    extension.is_some_and(|e| PHOTO_EXTENSIONS.contains(&e.as_str()))
}

/// Resolves picture names in labels.
pub(super) struct Pictures<'a> {
    by_name: BTreeMap<&'a OsStr, Vec<&'a PathBuf>>,
    by_stem: BTreeMap<&'a OsStr, Vec<&'a PathBuf>>,
}

impl<'a> Pictures<'a> {
    /// For these files.
    pub(super) fn among(files: &'a [PathBuf]) -> Self {
        let (mut by_name, mut by_stem) = (BTreeMap::new(), BTreeMap::new());
        for file in files.iter().filter(|file| is_picture(file)) {
            let name = file.file_name().unwrap_or_default();
            by_name.entry(name).or_insert_with(Vec::new).push(file);
            let stem = file.file_stem().unwrap_or_default();
            by_stem.entry(stem).or_insert_with(Vec::new).push(file);
        }
        Self { by_name, by_stem }
    }

    /// The picture whose file is called like a file of labels but for the extension: the one beside
    /// it, otherwise the only one.
    pub(super) fn called_like(&self, labels: &Path) -> Option<PathBuf> {
        let alike = self.by_stem.get(labels.file_stem()?)?;
        let beside = alike.iter().find(|picture| picture.parent() == labels.parent());
        let only = || (alike.len() == 1).then(|| &alike[0]);
        beside.or_else(only).map(|picture| picture.to_path_buf())
    }

    /// The picture that labels in `folder` call `name`: the file at that path, otherwise the only
    /// file with that base name, because programs store the paths of their own machine.
    ///
    /// # Errors
    /// A message if there is no such file, or several.
    pub(super) fn find(&self, folder: &Path, name: &str) -> Result<PathBuf, String> {
        let direct = folder.join(name);
        if direct.is_file() {
            return Ok(direct);
        }
        // The path may come from Windows.
        let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let called: &[&PathBuf] = self.by_name.get(OsStr::new(last)).map_or(&[], Vec::as_slice);
        match called {
            [only] => Ok((*only).clone()),
            [] => Err(format!(
                "{name} is labelled but not there; put the photo beside the labels or take its \
                 labels out"
            )),
            several => {
                let all: Vec<String> = several.iter().map(|p| p.display().to_string()).collect();
                Err(format!(
                    "{name} may be any of {}; give them different names, or convert their folders \
                     one by one",
                    all.join(", ")
                ))
            }
        }
    }
}

/// A finite number, perhaps with a decimal comma, as spreadsheets of half of Europe write it.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let value: f64 = match text.split_once(',') {
        Some((whole, part)) if !part.contains([',', '.']) && !whole.contains('.') => {
            format!("{whole}.{part}").parse().ok()?
        }
        _ => text.parse().ok()?,
    };
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_have_a_decimal_comma() {
        assert_eq!(number(" 12,5"), Some(12.5));
        assert_eq!(number("-1.25e1"), Some(-12.5));
        for text in ["1,234,567", "1,234.5", "1.234,5", "nan", "inf", "", "ten"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
