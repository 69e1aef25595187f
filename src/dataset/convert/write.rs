//! Converted labels into a folder.
//!
//! Labels alone name their pictures by the way from the folder to where they lie, so that nothing of
//! the user's is touched; in the photos' own folder those are their plain names, as the window has
//! them. With copies the folder is made whole under another name first.

use super::settle::Converted;
use crate::dataset::{
    CROP_LABELS, CropLabel, DatasetError, PHOTO_LABELS, PhotoLabel, PhotoLabels, write_crop_labels,
};
use crate::whole_file::WholeFile;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Why converted labels are not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Labels are there.
    #[error("{} is there already; give --out another folder, or move it away", .0.display())]
    Exists(PathBuf),
    /// Something is there.
    #[error("{} is not empty; --copy makes a whole folder: give --out a new one", .0.display())]
    NotEmpty(PathBuf),
    /// A name that labels cannot hold.
    #[error("{}: its name is not UTF-8 text, which labels cannot hold; rename it", .0.display())]
    Name(PathBuf),
    /// Two pictures of one name.
    #[error("{} and another picture would both be called {name}; rename one of them", .path.display())]
    SameName {
        /// One of them.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A file or folder that cannot be written.
    #[error("{}: cannot be written: {source}", .path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The labels' own file.
    #[error(transparent)]
    Labels(#[from] DatasetError),
    /// Told to stop.
    #[error("stopped: nothing is written")]
    Stopped,
}

impl Converted {
    /// Writes the labels into a folder, which is made if it is not there; gives their file. With
    /// `copy` the pictures are copied beside them; `go_on` is asked before each.
    ///
    /// # Errors
    /// [`WriteError`]; the folder is then as it was.
    pub fn write(
        self,
        out: &Path,
        copy: bool,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<PathBuf, WriteError> {
        for name in [PHOTO_LABELS, CROP_LABELS] {
            let path = out.join(name);
            if path.exists() {
                return Err(WriteError::Exists(path));
            }
        }
        if copy { self.write_copies(out, go_on) } else { self.write_labels(out) }
    }

    fn write_labels(self, out: &Path) -> Result<PathBuf, WriteError> {
        let unwritable = |source| WriteError::Unwritable { path: out.to_path_buf(), source };
        let was_there = out.is_dir();
        fs::create_dir_all(out).map_err(unwritable)?;
        let written = (|| {
            let folder = out.canonicalize().map_err(unwritable)?;
            let names = self.files().map(|path| way_to(&folder, path)).collect::<Result<_, _>>()?;
            self.write_named(out, names)
        })();
        if written.is_err() && !was_there {
            // Only if it is empty; and if it cannot be removed that is not what went wrong.
            let _ = fs::remove_dir(out);
        }
        written
    }

    fn write_copies(
        self,
        out: &Path,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<PathBuf, WriteError> {
        let unwritable =
            |path: &Path, source| WriteError::Unwritable { path: path.to_path_buf(), source };
        if out.exists() && out.read_dir().map_or(true, |mut inside| inside.next().is_some()) {
            return Err(WriteError::NotEmpty(out.to_path_buf()));
        }
        let names = self.plain_names()?;
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
            // As any other new folder; the umask still applies.
            builder.permissions(fs::Permissions::from_mode(0o777));
        }
        let making = builder.tempdir_in(above).map_err(|e| unwritable(above, e))?;
        for (path, name) in self.files().zip(&names) {
            if !go_on() {
                return Err(WriteError::Stopped);
            }
            copy_file(path, &making.path().join(name)).map_err(|e| unwritable(path, e))?;
        }
        let written = self.write_named(making.path(), names)?;
        let name = written.file_name().unwrap_or_default().to_owned();
        if out.exists() {
            fs::remove_dir(out).map_err(|e| unwritable(out, e))?;
        }
        fs::rename(making.path(), out).map_err(|e| unwritable(out, e))?;
        // It has another name now, and nothing is to be cleaned up.
        let _ = making.keep();
        Ok(out.join(name))
    }

    /// The pictures' files, in the order of the labels.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.photos.iter().map(|photo| &photo.0).chain(self.crops.iter().map(|crop| &crop.0))
    }

    fn write_named(self, folder: &Path, names: Vec<String>) -> Result<PathBuf, WriteError> {
        let mut names = names.into_iter();
        let mut name = || names.next().expect("one for each picture");
        if !self.photos.is_empty() {
            let photos = self.photos.into_iter();
            let photos = photos.map(|(_, photo)| PhotoLabel { file: name(), ..photo }).collect();
            PhotoLabels { source: None, photos }.write(folder)?;
            return Ok(folder.join(PHOTO_LABELS));
        }
        let crops = self.crops.into_iter();
        let crops: Vec<_> = crops.map(|(_, crop)| CropLabel { file: name(), ..crop }).collect();
        write_crop_labels(folder, &crops)?;
        Ok(folder.join(CROP_LABELS))
    }

    /// Names in one folder: a file's own where no other has it, else its way from the top with a dash
    /// for each folder.
    fn plain_names(&self) -> Result<Vec<String>, WriteError> {
        let own = |path: &Path| text(path.file_name().unwrap_or_default(), path);
        let mut names = self.files().map(|path| own(path)).collect::<Result<Vec<_>, _>>()?;
        let small: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        let (mut once, mut often) = (BTreeSet::new(), BTreeSet::new());
        for name in &small {
            if !once.insert(name) {
                often.insert(name);
            }
        }
        let mut taken = BTreeSet::new();
        for ((path, name), small) in self.files().zip(&mut names).zip(&small) {
            if often.contains(small) {
                let way = path.strip_prefix(&self.from).unwrap_or(path);
                let parts =
                    way.iter().map(|part| text(part, path)).collect::<Result<Vec<_>, _>>()?;
                *name = parts.join("-").trim_start_matches(['/', '-']).to_owned();
            }
            // Some systems take a.jpg and A.JPG for one file; and labels must not be written over.
            let is_new = taken.insert(name.to_lowercase());
            if !is_new || [PHOTO_LABELS, CROP_LABELS].contains(&name.as_str()) {
                return Err(WriteError::SameName { path: path.clone(), name: name.clone() });
            }
        }
        Ok(names)
    }
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut whole = WholeFile::create(to)?;
    io::copy(&mut File::open(from)?, &mut whole)?;
    whole.finish()
}

fn text(name: &OsStr, path: &Path) -> Result<String, WriteError> {
    name.to_str().map(str::to_owned).ok_or_else(|| WriteError::Name(path.to_path_buf()))
}

/// The way from a folder (without links in its path) to a file: `../photos/a.jpg`; whole where there
/// is none, as between two drives.
fn way_to(folder: &Path, file: &Path) -> Result<String, WriteError> {
    let unreadable = |source| WriteError::Unwritable { path: file.to_path_buf(), source };
    let file = file.canonicalize().map_err(unreadable)?;
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
