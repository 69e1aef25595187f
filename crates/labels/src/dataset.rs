//! Labelled photos of one folder or of a folder of folders.

use setsight_photo::labels::{
    CROP_LABELS, CropLabel, DatasetError, LabelFile, PHOTO_LABELS, PhotoLabel, check_crop_files,
    labelled_folders, leads_outside, outside_warning, read_crop_labels,
};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct LabelledPhoto {
    pub path: PathBuf,
    /// Its labels, in pixels of the file as stored.
    pub label: PhotoLabel,
    /// The source that the labels name, otherwise the folder's name.
    pub source: String,
}

/// A crop of one card and its label.
#[derive(Clone, Debug)]
pub struct LabelledCrop {
    pub path: PathBuf,
    pub label: CropLabel,
    /// The folder's name.
    pub source: String,
}

/// The labelled photos of a dataset.
#[derive(Clone, Debug, Default)]
pub struct FoundPhotos {
    /// Photos with confirmed labels, which are ground truth.
    pub photos: Vec<LabelledPhoto>,
    /// Photos whose labels nobody has confirmed as complete.
    pub unchecked: Vec<PathBuf>,
    /// Those of the first that lie elsewhere than in the folder of their labels.
    pub outside: Vec<PathBuf>,
}

impl FoundPhotos {
    /// What to say before the photos are read: which are left out, and which are outside the folder.
    pub fn remarks(&self) -> impl Iterator<Item = String> {
        self.left_out().into_iter().chain(outside_warning(&self.outside))
    }

    /// A sentence that says which photos are left out, and why; `None` if none are.
    fn left_out(&self) -> Option<String> {
        let names: Vec<String> =
            self.unchecked.iter().map(|path| path.display().to_string()).collect();
        (!names.is_empty()).then(|| {
            format!("not checked by a person and left out: {} ({CHECK_THEM})", names.join(", "))
        })
    }
}

/// Instructions for unchecked photos.
const CHECK_THEM: &str = "say \"All cards are right\" of each in the window, under Correct, or take the tag \
     \"unchecked\" out of its labels";

/// The photos of a folder with `labels.json`, or of all such folders directly in it, in the order
/// of their names and, within one, of the labels.
pub fn find_photos(dataset: &Path) -> Result<FoundPhotos, DatasetError> {
    let folders = labelled_folders(dataset, &[PHOTO_LABELS])?;
    if folders.is_empty() {
        let reason = format!(
            "no {PHOTO_LABELS} in this folder or its subfolders; expected a folder of labelled photos"
        );
        return Err(DatasetError::Malformed { path: dataset.to_path_buf(), reason });
    }
    let mut found = FoundPhotos::default();
    for folder in folders {
        let FoundPhotos { photos, unchecked, outside } = photos_of(&folder)?;
        found.photos.extend(photos);
        found.unchecked.extend(unchecked);
        found.outside.extend(outside);
    }
    check_that_some_are_checked(dataset, found.photos.len(), found.unchecked.len())?;
    Ok(found)
}

fn check_that_some_are_checked(
    dataset: &Path,
    checked: usize,
    unchecked: usize,
) -> Result<(), DatasetError> {
    if checked > 0 || unchecked == 0 {
        return Ok(());
    }
    let reason =
        format!("nobody has checked any of its labelled photos ({unchecked}): {CHECK_THEM}");
    Err(DatasetError::Malformed { path: dataset.to_path_buf(), reason })
}

/// A dataset whose photos are read a folder at a time: labels of a million photos take more than a gigabyte.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// The folders with labelled photos, each with the number of those that are ground truth.
    pub folders: Vec<(PathBuf, usize)>,
    pub crops: Vec<LabelledCrop>,
    /// What to say before the pictures are read.
    pub remarks: Vec<String>,
}

/// Looks at all labelled photos and crops of a folder, or of all folders directly in it, and shows `each` the
/// photos that are ground truth.
pub fn find_labelled(
    dataset: &Path,
    each: &mut dyn FnMut(&LabelledPhoto),
) -> Result<Dataset, DatasetError> {
    let mut crops = Vec::new();
    for folder in labelled_folders(dataset, &[CROP_LABELS])? {
        let labels = read_crop_labels(&folder)?;
        check_crop_files(&folder, &labels)?;
        let source = name_of(&folder);
        crops.extend(labels.into_iter().map(|label| LabelledCrop {
            path: folder.join(&label.file),
            label,
            source: source.clone(),
        }));
    }
    let with_photos = labelled_folders(dataset, &[PHOTO_LABELS])?;
    if with_photos.is_empty() && crops.is_empty() {
        return Err(DatasetError::NoLabels(dataset.to_path_buf()));
    }
    let (mut folders, mut skipped) = (Vec::new(), FoundPhotos::default());
    for folder in with_photos {
        let FoundPhotos { photos, unchecked, outside } = photos_of(&folder)?;
        photos.iter().for_each(&mut *each);
        folders.push((folder, photos.len()));
        skipped.unchecked.extend(unchecked);
        skipped.outside.extend(outside);
    }
    let checked = folders.iter().map(|(_, checked)| checked).sum();
    check_that_some_are_checked(dataset, checked, skipped.unchecked.len())?;
    Ok(Dataset { folders, crops, remarks: skipped.remarks().collect() })
}

/// The photos of one folder that are ground truth, in the order in which [`find_labelled`] shows them.
pub fn checked_photos(folder: &Path) -> Result<Vec<LabelledPhoto>, DatasetError> {
    Ok(photos_of(folder)?.photos)
}

fn name_of(folder: &Path) -> String {
    let full = folder.canonicalize().ok();
    let name = full.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    name.unwrap_or_else(|| folder.display().to_string())
}

fn photos_of(folder: &Path) -> Result<FoundPhotos, DatasetError> {
    let labels = LabelFile::read(folder)?;
    let (photos, unchecked): (Vec<_>, Vec<_>) =
        labels.photos()?.into_iter().partition(PhotoLabel::is_checked);
    let source = match labels.source() {
        Some(source) => source.to_owned(),
        None => name_of(folder),
    };
    let outside = photos.iter().filter(|label| leads_outside(&label.file));
    let outside = outside.map(|label| folder.join(&label.file)).collect();
    Ok(FoundPhotos {
        photos: photos
            .into_iter()
            .map(|label| LabelledPhoto {
                path: folder.join(&label.file),
                label,
                source: source.clone(),
            })
            .collect(),
        unchecked: unchecked.into_iter().map(|label| folder.join(label.file)).collect(),
        outside,
    })
}
