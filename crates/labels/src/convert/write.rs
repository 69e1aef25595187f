//! Writes converted labels to a folder.
//!
//! Without copying, labels refer to pictures by relative paths, so that no user file is touched; in
//! the photos' own folder these are plain file names, as the window writes them. With copying, the
//! folder is first completed under a temporary name.

use super::{converted::Converted, error::ConvertError};
use setsight_files::small_file::portable;
use setsight_files::whole_file::{WholeFile, without_name};
use setsight_photo::labels::{
    CROP_LABELS, CropLabel, DatasetError, LabelFile, PHOTO_LABELS, PhotoLabel, write_crop_labels,
};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::{collections::BTreeSet, ffi::OsStr};

impl Converted {
    /// Writes the labels to a folder, which is created if necessary; returns the label file. With
    /// `copy`, the pictures are copied too; `go_on` is called before each, and `false` cancels.
    pub fn write(
        self,
        out: &Path,
        copy: bool,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<PathBuf, ConvertError> {
        if out.is_symlink() && !out.exists() {
            let source = io::Error::new(
                ErrorKind::NotFound,
                "it is a link that leads nowhere; remove it, or name another folder",
            );
            return Err(ConvertError::Unwritable { path: out.to_path_buf(), source });
        }
        for name in [PHOTO_LABELS, CROP_LABELS] {
            let path = out.join(name);
            if path.exists() {
                return Err(ConvertError::Exists(path));
            }
        }
        if copy { self.write_copies(out, go_on) } else { self.write_labels(out) }
    }

    fn write_labels(self, out: &Path) -> Result<PathBuf, ConvertError> {
        let unwritable = |source| ConvertError::Unwritable { path: out.to_path_buf(), source };
        let existed = out.is_dir();
        fs::create_dir_all(out).map_err(unwritable)?;
        let written = (|| {
            let folder = dunce::canonicalize(out).map_err(unwritable)?;
            let names = self.files().map(|path| way_to(&folder, path)).collect::<Result<_, _>>()?;
            self.write_named(out, names)
        })();
        if written.is_err() && !existed {
            // Only removed if empty; a failure to remove it is not the error to report.
            let _ = fs::remove_dir(out);
        }
        written
    }

    fn write_copies(
        self,
        out: &Path,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<PathBuf, ConvertError> {
        let files: Vec<PathBuf> = self.files().cloned().collect();
        in_new_folder(out, |making| {
            let names = plain_names(&files, &self.from)?;
            for (path, name) in files.iter().zip(&names) {
                if !go_on() {
                    return Err(ConvertError::WritingStopped);
                }
                copy_file(path, &making.join(name))?;
            }
            self.write_named(making, names)
        })
    }

    /// The pictures' files, in the order of the labels.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.photos.iter().map(|photo| &photo.0).chain(self.crops.iter().map(|crop| &crop.0))
    }

    fn write_named(self, folder: &Path, names: Vec<String>) -> Result<PathBuf, ConvertError> {
        if !self.photos.is_empty() {
            let photos = self.photos.into_iter().zip(names);
            let photos: Vec<_> =
                photos.map(|((_, photo), file)| PhotoLabel { file, ..photo }).collect();
            LabelFile::create(folder, None, &photos)?;
            return Ok(folder.join(PHOTO_LABELS));
        }
        let crops = self.crops.into_iter().zip(names);
        let crops: Vec<_> = crops.map(|((_, crop), file)| CropLabel { file, ..crop }).collect();
        write_crop_labels(folder, &crops)?;
        Ok(folder.join(CROP_LABELS))
    }
}

/// Makes a folder under a temporary name, lets `write` fill it, and gives it its name; the path of the file there that
/// `write` returns.
pub(super) fn in_new_folder(
    out: &Path,
    write: impl FnOnce(&Path) -> Result<PathBuf, ConvertError>,
) -> Result<PathBuf, ConvertError> {
    let unwritable =
        |path: &Path, source| ConvertError::Unwritable { path: path.to_path_buf(), source };
    if out.exists() && out.read_dir().map_or(true, |mut inside| inside.next().is_some()) {
        return Err(ConvertError::NotEmpty(out.to_path_buf()));
    }
    let above = match out.parent() {
        Some(above) if !above.as_os_str().is_empty() => above,
        _ => Path::new("."),
    };
    fs::create_dir_all(above).map_err(|e| unwritable(above, e))?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".setsight-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The same permissions as any new folder; the umask still applies.
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    let making = builder.tempdir_in(above).map_err(|e| unwritable(above, without_name(&e)))?;
    // Nobody knows the folder in the making.
    let place = |path: PathBuf| match path.strip_prefix(making.path()) {
        Ok(name) => out.join(name),
        Err(_) => path,
    };
    let written = write(making.path()).map_err(|error| match error {
        ConvertError::Unwritable { path, source } => {
            ConvertError::Unwritable { path: place(path), source }
        }
        ConvertError::Labels(DatasetError::Unwritable { path, source }) => {
            ConvertError::Unwritable { path: place(path), source }
        }
        ConvertError::Labels(DatasetError::Malformed { path, reason }) => {
            DatasetError::Malformed { path: place(path), reason }.into()
        }
        other => other,
    })?;
    let name = written.file_name().unwrap_or_default().to_owned();
    if out.exists() {
        fs::remove_dir(out).map_err(|e| unwritable(out, e))?;
    }
    fs::rename(making.path(), out).map_err(|e| unwritable(out, e))?;
    // The folder was renamed, so there is nothing to clean up.
    let _ = making.keep();
    Ok(out.join(name))
}

/// File names in one folder: the file's own name if it is unique, otherwise its path from the
/// top with dashes between folders.
pub(super) fn plain_names(files: &[PathBuf], from: &Path) -> Result<Vec<String>, ConvertError> {
    let names = files.iter().map(|path| text(path.file_name().unwrap_or_default(), path));
    let mut names = names.collect::<Result<Vec<_>, _>>()?;
    let small: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let (mut once, mut often) = (BTreeSet::new(), BTreeSet::new());
    for name in &small {
        if !once.insert(name) {
            often.insert(name);
        }
    }
    let mut taken = BTreeSet::new();
    for ((path, name), small) in files.iter().zip(&mut names).zip(&small) {
        if often.contains(small) {
            let way = path.strip_prefix(from).unwrap_or(path);
            let parts = way.iter().map(|part| text(part, path)).collect::<Result<Vec<_>, _>>()?;
            *name = parts.join("-").trim_start_matches(['/', '-']).to_owned();
        }
        *name = portable(name);
        // Some systems treat a.jpg and A.JPG as one file, and label files must not be
        // overwritten.
        let is_new = taken.insert(name.to_lowercase());
        if !is_new || [PHOTO_LABELS, CROP_LABELS].contains(&name.as_str()) {
            return Err(ConvertError::SameName { path: path.clone(), name: name.clone() });
        }
    }
    Ok(names)
}

/// Copies a picture, completely or not at all.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<(), ConvertError> {
    let copy = || {
        let mut copy = WholeFile::create(to)?;
        io::copy(&mut File::open(from)?, &mut copy)?;
        copy.finish()
    };
    copy().map_err(|source| ConvertError::Unwritable { path: to.to_path_buf(), source })
}

fn text(name: &OsStr, path: &Path) -> Result<String, ConvertError> {
    name.to_str().map(str::to_owned).ok_or_else(|| ConvertError::Name(path.to_path_buf()))
}

/// The relative path from a folder (without symbolic links) to a file, such as `../photos/a.jpg`;
/// absolute if there is none, as between two drives.
fn way_to(folder: &Path, file: &Path) -> Result<String, ConvertError> {
    let file = dunce::canonicalize(file)
        .map_err(|source| ConvertError::Unwritable { path: file.to_path_buf(), source })?;
    let (from, to): (Vec<Component>, Vec<Component>) =
        (folder.components().collect(), file.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return text(file.as_os_str(), &file);
    }
    let up = from[shared..].iter().map(|_| Ok("..".to_owned()));
    let down = to[shared..].iter().map(|part| text(part.as_os_str(), &file));
    Ok(up.chain(down).collect::<Result<Vec<_>, _>>()?.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_file_leads_up_and_down() {
        let world = tempfile::tempdir().unwrap();
        let root = world.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("photos/a b")).unwrap();
        fs::create_dir_all(root.join("labels/mine")).unwrap();
        let photo = root.join("photos/a b/1.jpg");
        fs::write(&photo, b"").unwrap();
        let way = |folder: &str| way_to(&root.join(folder), &photo).unwrap();
        assert_eq!(way("labels/mine"), "../../photos/a b/1.jpg");
        assert_eq!(way("photos"), "a b/1.jpg");
        assert_eq!(way("photos/a b"), "1.jpg");
    }
}
