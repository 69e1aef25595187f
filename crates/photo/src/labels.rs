//! Labels on disk: a folder of photos with `labels.json` ([`LabelFile`]), or of crops with
//! `labels.csv` ([`read_crop_labels`]).
//!
//! Labels use the pixels of the file as stored; everything else in this crate uses the upright
//! photo. [`PhotoLabel::upright_cards`] and [`CardLabel::stored`] convert.

mod crop_labels;
mod label;
mod label_file;
mod merge;

use crate::source::natural_order;
use setsight_files::whole_file::write_atomic;
use setsight_game::cards::Card;
use std::io;
use std::path::{Component, Path, PathBuf};

pub use crop_labels::{
    CropLabel, CropLine, Table, check_crop_files, load_crop, read_crop_labels, read_crop_lines,
    table_of, write_crop_labels,
};
pub use label::{CardLabel, LabelledBy, PhotoLabel, as_code, with_corners};
pub use label_file::{ForeignMembers, LabelFile, PhotoEntry, check_photo_files};
pub use merge::{Clash, MATCH_RADIUS, merged, nearest, same};

/// What is wrong with a card that is labelled twice, by the indices of its labels, counted from 1.
pub fn labelled_twice(code: Card, first: usize, second: usize) -> String {
    format!(
        "card {code} is labelled twice, as card {first} and card {second}; correct one of them, or give the \
         photo the tag \"{COPIES}\" if it shows the card twice"
    )
}

/// Name of the labels in a folder of photos.
pub const PHOTO_LABELS: &str = "labels.json";
/// Tag of a photo whose labels nobody has confirmed; such a photo is not ground truth.
pub const UNCHECKED: &str = "unchecked";
/// Tag of a photo that shows a card more than once, as of found sets beside their board; without it such
/// labels are refused.
pub const COPIES: &str = "copies";
/// Name of the labels in a folder of crops.
pub const CROP_LABELS: &str = "labels.csv";

/// Why labels cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum DatasetError {
    /// The labels' file cannot be read.
    #[error("{}: cannot be read: {source}; expected a labelled folder", .path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// The labels' file cannot be written.
    #[error("{}: cannot be written: {source}", .path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    /// `labels.json` is no JSON.
    #[error("{}: not labels as they should be: {reason}", .path.display())]
    NotJson { path: PathBuf, reason: String },
    /// `labels.json` is JSON without a list of photos.
    #[error("{}: not labels as they should be: it holds no list \"photos\"", .0.display())]
    NoPhotos(PathBuf),
    /// No labels in a folder, nor in a folder directly in it.
    #[error(
        "{}: no {PHOTO_LABELS} or {CROP_LABELS} in this folder or its subfolders", .0.display()
    )]
    NoLabels(PathBuf),
    /// The file has a wrong format, or a code is invalid.
    #[error("{}: {reason}", .path.display())]
    Malformed { path: PathBuf, reason: String },
    /// A card is labelled twice, and the photo has not the tag [`COPIES`].
    #[error("{}: {photo}: {}", .path.display(), labelled_twice(*.code, *.first, *.second))]
    Twice { path: PathBuf, photo: String, code: Card, first: usize, second: usize },
    /// A labelled photo or crop is missing.
    #[error(
        "{}: {file} is labelled but not in the folder; put it there or take its labels out",
        .path.display()
    )]
    MissingFile { path: PathBuf, file: String },
}

/// Whether a file that labels name lies elsewhere than in their folder or below it, by its name. Labels may name
/// such, as those of other programs do; the reader reports it.
pub fn leads_outside(file: &str) -> bool {
    let mut depth = 0usize;
    for part in Path::new(file).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

/// A sentence about such pictures; `None` where there are none.
pub fn outside_warning(pictures: &[PathBuf]) -> Option<String> {
    let first = pictures.first()?.display();
    let what = match pictures.len() {
        1 => format!("{first} lies"),
        n => format!("{n} labelled pictures lie"),
    };
    let such_as = if pictures.len() > 1 { format!(", such as {first}") } else { String::new() };
    Some(format!(
        "{what} outside of the folder of the labels{such_as}; they are read all the same, and a report shows \
         parts of them"
    ))
}

/// Name of one of the folders, counted from 0, into which the pictures of a large folder are dealt, each with its
/// own labels.
pub fn numbered_folder(number: usize) -> String {
    format!("{number:04}")
}

/// The folder itself if it has a file with one of these names, otherwise each of its direct
/// subfolders that has, in the order of their names, or the [`numbered_folder`]s of one that has not. There may
/// be none.
///
/// # Errors
/// [`DatasetError::Unreadable`]: the folder.
pub fn labelled_folders(folder: &Path, names: &[&str]) -> Result<Vec<PathBuf>, DatasetError> {
    let is_labelled = |folder: &Path| names.iter().any(|name| has_labels(folder, name));
    if is_labelled(folder) {
        return Ok(vec![folder.to_path_buf()]);
    }
    let mut paths = paths_in(folder)
        .map_err(|source| DatasetError::Unreadable { path: folder.to_path_buf(), source })?;
    paths.sort_by(|a, b| natural_order(a.as_os_str(), b.as_os_str()));
    Ok(paths
        .into_iter()
        .flat_map(|folder| {
            if is_labelled(&folder) {
                return vec![folder];
            }
            let numbered = (0..).map(|number| folder.join(numbered_folder(number)));
            numbered.take_while(|folder| is_labelled(folder)).collect()
        })
        .collect())
}

fn paths_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// Whether a folder has labels of this name. A pipe or device counts: to read it is then refused
/// with the reason.
pub fn has_labels(folder: &Path, name: &str) -> bool {
    folder.join(name).metadata().is_ok_and(|metadata| !metadata.is_dir())
}

/// Writes a file of labels, completely or not at all.
fn write_all(path: &Path, bytes: &[u8]) -> Result<(), DatasetError> {
    write_atomic(path, bytes)
        .map_err(|source| DatasetError::Unwritable { path: path.to_path_buf(), source })
}

fn check_files<'a>(
    folder: &Path,
    labels: &str,
    mut files: impl Iterator<Item = &'a String>,
) -> Result<(), DatasetError> {
    match files.find(|file| !folder.join(file).is_file()) {
        Some(file) => {
            Err(DatasetError::MissingFile { path: folder.join(labels), file: file.clone() })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The labelled folders in a folder, by their paths in it.
    fn found(dir: &Path) -> Vec<PathBuf> {
        let found = labelled_folders(dir, &[PHOTO_LABELS]).unwrap().into_iter();
        found.map(|path| path.strip_prefix(dir).unwrap().to_owned()).collect()
    }

    fn label(folder: &Path) {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(PHOTO_LABELS), "{}").unwrap();
    }

    #[test]
    fn labelled_folders_are_found_also_in_numbered_parts() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        assert!(found(dir).is_empty());
        let [first, second] = [0, 1].map(numbered_folder);
        for name in ["10", "2", "parts/0000", "parts/0001", "parts/other", "2/below"] {
            label(&dir.join(name));
        }
        let parts = [&first, &second].map(|number| Path::new("parts").join(number));
        let mut expected = vec![PathBuf::from("2"), PathBuf::from("10")];
        expected.extend(parts);
        assert_eq!(found(dir), expected);
        label(dir);
        assert_eq!(found(dir), [PathBuf::new()]);
    }
}
