//! Lists the photos that paths and folders on a command line stand for, in natural order.

use setsight_files::devices::is_device;
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// File name extensions that count as photos inside a folder. Files named on the command line are
/// read whatever their names.
pub const PHOTO_EXTENSIONS: [&str; 14] = [
    "jpg", "jpeg", "jpe", "jfif", "png", "webp", "bmp", "dib", "tif", "tiff", "heic", "heif",
    "hif", "avif",
];

/// Why a path gives no photos.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The path does not exist or cannot be read.
    #[error("{}: cannot be read: {reason}; expected a photo or a folder of photos", .path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// The folder contains no photos.
    #[error(
        "{}: no photos in this folder{}; looked for names that end in .jpg, .heic, .png, .webp, .avif, .bmp or .tif",
        .path.display(),
        if *.recursive { " or below it" } else { "" }
    )]
    NoPhotos {
        /// The folder.
        path: PathBuf,
        /// Whether its subfolders were searched too.
        recursive: bool,
    },
}

/// The photos that `paths` stand for, in the given order; folders are sorted by [`natural_order`]
/// (the files of a folder and of its subfolders together). Hidden files and folders are skipped,
/// and so are the folders in `except`, which hold results.
pub fn list_photos(
    paths: &[PathBuf],
    recursive: bool,
    except: &[&Path],
) -> Vec<Result<PathBuf, ListError>> {
    let except: Vec<PathBuf> = except.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            list_folder(path, recursive, &except, &mut found);
        } else if !is_device(path)
            && let Err(error) = path.metadata()
        {
            let reason = error.to_string();
            found.push(Err(ListError::Unreadable { path: path.clone(), reason }));
        } else {
            found.push(Ok(path.clone()));
        }
    }
    found
}

fn list_folder(
    folder: &Path,
    recursive: bool,
    except: &[PathBuf],
    found: &mut Vec<Result<PathBuf, ListError>>,
) {
    let before = found.len();
    let wanted = |entry: &DirEntry| {
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let results = entry.file_type().is_dir()
            && entry.path().canonicalize().is_ok_and(|path| except.contains(&path));
        entry.depth() == 0 || !(hidden || results)
    };
    let walk = WalkDir::new(folder)
        .min_depth(1)
        .max_depth(if recursive { usize::MAX } else { 1 })
        .follow_links(true)
        .sort_by(|a, b| natural_order(a.file_name(), b.file_name()));
    for entry in walk.into_iter().filter_entry(wanted) {
        match entry {
            Ok(entry) if entry.file_type().is_dir() || !has_photo_name(entry.path()) => {}
            Ok(entry) => found.push(Ok(entry.into_path())),
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_path_buf();
                let reason =
                    error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                found.push(Err(ListError::Unreadable { path, reason }));
            }
        }
    }
    if found.len() == before {
        found.push(Err(ListError::NoPhotos { path: folder.to_path_buf(), recursive }));
    }
}

fn has_photo_name(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    extension.is_some_and(|e| PHOTO_EXTENSIONS.contains(&e.as_str()))
}

/// Orders file names as people count: `2.jpg` before `10.jpg`, `b` after `A`. Names that differ
/// only in case or leading zeros are ordered by their bytes, so that no two different names compare
/// equal.
pub fn natural_order(a: &OsStr, b: &OsStr) -> Ordering {
    let (left, right) = (a.to_string_lossy(), b.to_string_lossy());
    let (mut l, mut r) = (left.as_ref(), right.as_ref());
    loop {
        let (Some(lc), Some(rc)) = (l.chars().next(), r.chars().next()) else {
            return l.len().cmp(&r.len()).then_with(|| a.cmp(b));
        };
        let order = if lc.is_ascii_digit() && rc.is_ascii_digit() {
            let (ln, rn) = (number(&mut l), number(&mut r));
            ln.len().cmp(&rn.len()).then_with(|| ln.cmp(rn))
        } else {
            l = &l[lc.len_utf8()..];
            r = &r[rc.len_utf8()..];
            lc.to_lowercase().cmp(rc.to_lowercase())
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Removes the digits at the start of a text, and returns them without leading zeros.
fn number<'a>(text: &mut &'a str) -> &'a str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    digits.trim_start_matches('0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn sorted(names: &[&str]) -> Vec<String> {
        let mut names: Vec<_> = names.iter().map(|n| n.to_string()).collect();
        names.sort_by(|a, b| natural_order(a.as_ref(), b.as_ref()));
        names
    }

    #[test]
    fn names_sort_as_people_count() {
        let expected =
            ["1.jpg", "2.jpg", "10.jpg", "A1.jpg", "a2.jpg", "B.jpg", "IMG_9.jpg", "img_010.jpg"];
        let mut shuffled = expected;
        shuffled.reverse();
        assert_eq!(sorted(&shuffled), expected);
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in "[aB01é]{0,5}", b in "[aB01é]{0,5}", c in "[aB01é]{0,5}") {
            let cmp = |x: &str, y: &str| natural_order(x.as_ref(), y.as_ref());
            prop_assert_eq!(cmp(&a, &b), cmp(&b, &a).reverse());
            prop_assert_eq!(cmp(&a, &b) == Ordering::Equal, a == b);
            if cmp(&a, &b).is_le() && cmp(&b, &c).is_le() {
                prop_assert!(cmp(&a, &c).is_le());
            }
        }
    }

    #[test]
    fn folders_are_listed_in_order_without_what_is_no_photo() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::create_dir_all(root.join("out")).unwrap();
        for name in ["10.jpg", "9.JPG", "labels.json", ".hidden.jpg", "sub/a b é.png", "out/9.jpg"]
        {
            fs::write(root.join(name), b"x").unwrap();
        }
        let names = |recursive, except: &[&Path]| -> Vec<String> {
            list_photos(&[root.to_path_buf()], recursive, except)
                .into_iter()
                .map(|p| {
                    p.unwrap().strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/")
                })
                .collect()
        };
        assert_eq!(names(false, &[]), ["9.JPG", "10.jpg"]);
        assert_eq!(names(true, &[&root.join("out")]), ["9.JPG", "10.jpg", "sub/a b é.png"]);
        let sub = list_photos(&[root.join("none"), root.join("labels.json")], false, &[]);
        assert!(matches!(sub[0], Err(ListError::Unreadable { .. })));
        assert!(sub[1].is_ok(), "a file that is named itself is taken");
        fs::create_dir(root.join("empty")).unwrap();
        let empty = list_photos(&[root.join("empty")], false, &[]);
        assert!(matches!(empty[0], Err(ListError::NoPhotos { recursive: false, .. })));
    }
}
