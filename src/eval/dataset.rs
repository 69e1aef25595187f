//! Labelled photos of one folder or of a folder of folders.

use crate::dataset::{DatasetError, PHOTO_LABELS, PhotoLabel, PhotoLabels};
use crate::pipeline::source::natural_order;
use std::path::{Path, PathBuf};

/// A photo and its labels.
#[derive(Clone, Debug)]
pub struct LabelledPhoto {
    /// The file.
    pub path: PathBuf,
    /// Its labels, in pixels of the file as stored.
    pub label: PhotoLabel,
    /// Where it is from: the labels' own word for it, else the folder's name.
    pub source: String,
}

/// The photos of a folder with `labels.json`, or of all such folders directly in it, in the order
/// of their names and, within one, of the labels.
///
/// # Errors
/// [`DatasetError`]: no labels there, or bad ones.
pub fn find_photos(dataset: &Path) -> Result<Vec<LabelledPhoto>, DatasetError> {
    let unreadable = |source| DatasetError::Unreadable { path: dataset.to_path_buf(), source };
    if dataset.join(PHOTO_LABELS).is_file() {
        return photos_of(dataset);
    }
    let mut folders: Vec<PathBuf> = std::fs::read_dir(dataset)
        .map_err(unreadable)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    folders.retain(|folder| folder.join(PHOTO_LABELS).is_file());
    folders.sort_by(|a, b| natural_order(a.as_os_str(), b.as_os_str()));
    if folders.is_empty() {
        let reason = format!(
            "no {PHOTO_LABELS} in this folder, nor in a folder directly in it; expected a folder of \
             labelled photos"
        );
        return Err(DatasetError::Malformed { path: dataset.to_path_buf(), reason });
    }
    let mut photos = Vec::new();
    for folder in folders {
        photos.extend(photos_of(&folder)?);
    }
    Ok(photos)
}

fn photos_of(folder: &Path) -> Result<Vec<LabelledPhoto>, DatasetError> {
    let labels = PhotoLabels::read(folder)?;
    let source = match labels.source {
        Some(serde_json::Value::String(source)) => source,
        _ => folder
            .canonicalize()
            .ok()
            .and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()))
            .unwrap_or_else(|| folder.display().to_string()),
    };
    let photo = |label: PhotoLabel| LabelledPhoto {
        path: folder.join(&label.file),
        label,
        source: source.clone(),
    };
    Ok(labels.photos.into_iter().map(photo).collect())
}
