//! Lists the photos that paths and folders on a command line stand for, in natural order.

use crate::encode::is_result;
use setsight_files::small_file::is_device;
use std::path::{Path, PathBuf};
use std::{cmp::Ordering, collections::BTreeMap, ffi::OsStr};
use walkdir::{DirEntry, WalkDir};

/// File name extensions that count as photos inside a folder. Files named on the command line are
/// read whatever their names.
pub const PHOTO_EXTENSIONS: [&str; 17] = [
    "jpg", "jpeg", "jpe", "jfif", "pjpeg", "pjp", "mpo", "png", "webp", "bmp", "dib", "tif",
    "tiff", "heic", "heif", "hif", "avif",
];

/// File name extensions of labels, notes and results, which belong beside photos.
const COMPANIONS: [&str; 10] =
    ["json", "jsonl", "csv", "txt", "xml", "yaml", "yml", "md", "html", "css"];

/// Where Synology's servers keep small copies of a folder's photos.
const THUMBNAILS: &str = "@eaDir";

/// Most folders below each other.
const MAX_DEPTH: usize = 64;

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
/// and so are pictures with results drawn on them and the folders in `except`, which hold results.
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

/// How many files in the folders among `paths` are taken for no photos, by the ends of their names in small letters,
/// and how many are pictures with results drawn on them; what belongs beside photos, such as labels, is not counted.
pub fn skipped_kinds(
    paths: &[PathBuf],
    recursive: bool,
    except: &[&Path],
) -> (BTreeMap<String, usize>, usize) {
    let except: Vec<PathBuf> = except.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let (mut kinds, mut results) = (BTreeMap::new(), 0);
    for folder in paths.iter().filter(|path| path.is_dir()) {
        for path in files_below(folder, recursive, &except).flatten() {
            let kind = extension(&path);
            if has_photo_name(&path) {
                results += usize::from(is_result(&path));
            } else if !COMPANIONS.contains(&kind.as_str()) {
                *kinds.entry(kind).or_default() += 1;
            }
        }
    }
    (kinds, results)
}

fn list_folder(
    folder: &Path,
    recursive: bool,
    except: &[PathBuf],
    found: &mut Vec<Result<PathBuf, ListError>>,
) {
    let before = found.len();
    for file in files_below(folder, recursive, except) {
        match file {
            Ok(path) if !has_photo_name(&path) || is_result(&path) => {}
            file => found.push(file),
        }
    }
    if found.len() == before {
        found.push(Err(ListError::NoPhotos { path: folder.to_path_buf(), recursive }));
    }
}

/// Whether an entry is listed or entered; a link that is, is added to `followed`.
fn is_wanted(
    entry: &DirEntry,
    root: &Path,
    except: &[PathBuf],
    followed: &mut Vec<PathBuf>,
) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    let name = entry.file_name();
    if name.as_encoded_bytes().starts_with(b".") || name == THUMBNAILS {
        return false;
    }
    if !entry.file_type().is_dir() {
        return true;
    }
    let Ok(real) = entry.path().canonicalize() else { return true };
    if except.contains(&real) {
        return false;
    }
    if entry.path_is_symlink() {
        let is_new = !followed.iter().any(|before| real.starts_with(before));
        if real.starts_with(root) || root.starts_with(&real) || !is_new {
            return false;
        }
        followed.push(real);
    }
    true
}

/// The files in a folder, and below it if asked, in natural order, but for hidden ones and what is in the folders
/// `except`.
///
/// A link to a folder is followed once, and only if it leads out of the folder and not to one that holds it: so
/// none leads round and round, or through the whole machine.
pub fn files_below(
    folder: &Path,
    recursive: bool,
    except: &[PathBuf],
) -> impl Iterator<Item = Result<PathBuf, ListError>> {
    let root = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let mut followed: Vec<PathBuf> = Vec::new();
    let walk = WalkDir::new(folder)
        .min_depth(1)
        .max_depth(if recursive { MAX_DEPTH } else { 1 })
        .follow_links(true)
        .sort_by(|a, b| natural_order(a.file_name(), b.file_name()));
    let unreadable =
        |path: &Path, reason| ListError::Unreadable { path: path.to_path_buf(), reason };
    let wanted =
        walk.into_iter().filter_entry(move |entry| is_wanted(entry, &root, except, &mut followed));
    wanted.filter_map(move |entry| match entry {
        Ok(entry) if entry.file_type().is_dir() => (entry.depth() == MAX_DEPTH).then(|| {
            let reason = format!("it lies more than {MAX_DEPTH} folders deep");
            Err(unreadable(entry.path(), reason))
        }),
        Ok(entry) => Some(Ok(entry.into_path())),
        Err(error) if error.loop_ancestor().is_some() => None,
        Err(error) => {
            let reason = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
            Some(Err(unreadable(error.path().unwrap_or(folder), reason)))
        }
    })
}

fn has_photo_name(path: &Path) -> bool {
    PHOTO_EXTENSIONS.contains(&extension(path).as_str())
}

/// The end of a file's name behind its last dot, in small letters; empty if it has none.
fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
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
    use crate::encode::result_png;
    use image::RgbImage;
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

    #[cfg(unix)]
    #[test]
    fn links_lead_neither_round_nor_everywhere() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let (root, other) = (dir.path().join("root"), dir.path().join("other"));
        for name in ["root/a/1.jpg", "root/b/2.jpg", "other/3.jpg"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"x").unwrap();
        }
        symlink("/", root.join("machine")).unwrap();
        symlink(dir.path(), root.join("above")).unwrap();
        symlink("..", root.join("a/loop")).unwrap();
        symlink("../b", root.join("a/beside")).unwrap();
        symlink(&root, other.join("back")).unwrap();
        symlink(&other, root.join("out")).unwrap();
        symlink(&other, root.join("out again")).unwrap();
        symlink("1.jpg", root.join("a/4.jpg")).unwrap();
        let found = list_photos(std::slice::from_ref(&root), true, &[]);
        let names: Vec<_> = found
            .into_iter()
            .map(|path| path.unwrap().strip_prefix(&root).unwrap().to_owned())
            .collect();
        assert_eq!(names, ["a/1.jpg", "a/4.jpg", "b/2.jpg", "out/3.jpg"].map(PathBuf::from));
    }

    #[test]
    fn what_lies_very_deep_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join(["d"; 70].join("/"));
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("1.jpg"), b"x").unwrap();
        let found = list_photos(&[dir.path().to_path_buf()], true, &[]);
        let message = found[0].as_ref().unwrap_err().to_string();
        assert!(found.len() == 1 && message.contains("more than 64 folders deep"), "{message}");
    }

    #[test]
    fn folders_are_listed_in_order_without_what_is_no_photo() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::create_dir_all(root.join("out")).unwrap();
        fs::create_dir_all(root.join("@eaDir/9.JPG")).unwrap();
        for name in [
            "10.jpg",
            "9.JPG",
            "labels.json",
            ".hidden.jpg",
            "sub/a b é.png",
            "sub/c.mpo",
            "sub/d.pjpeg",
            "out/9.jpg",
            "@eaDir/9.JPG/SYNOPHOTO_THUMB_XL.jpg",
            "a.gif",
            "b.GIF",
            "clip.mp4",
            "README",
            "sub/e.gif",
        ] {
            fs::write(root.join(name), b"x").unwrap();
        }
        let names = |recursive, except: &[&Path]| -> Vec<String> {
            let photos = list_photos(&[root.to_path_buf()], recursive, except).into_iter();
            let paths = photos.map(|path| path.unwrap().strip_prefix(root).unwrap().to_owned());
            paths.map(|path| path.to_string_lossy().replace('\\', "/")).collect()
        };
        assert_eq!(names(false, &[]), ["9.JPG", "10.jpg"]);
        assert_eq!(
            names(true, &[&root.join("out")]),
            ["9.JPG", "10.jpg", "sub/a b é.png", "sub/c.mpo", "sub/d.pjpeg"]
        );
        let kinds = |recursive| -> Vec<(String, usize)> {
            skipped_kinds(&[root.to_path_buf()], recursive, &[]).0.into_iter().collect()
        };
        let kind = |kind: &str, count| (kind.to_owned(), count);
        assert_eq!(kinds(false), [kind("", 1), kind("gif", 2), kind("mp4", 1)]);
        assert_eq!(kinds(true), [kind("", 1), kind("gif", 3), kind("mp4", 1)]);
        for name in ["9-sets.png", "sub/c-sets.png"] {
            fs::write(root.join(name), result_png(&RgbImage::new(4, 3)).unwrap()).unwrap();
        }
        assert_eq!(names(false, &[]), ["9.JPG", "10.jpg"]);
        let results = |recursive| skipped_kinds(&[root.to_path_buf()], recursive, &[]).1;
        assert_eq!([false, true].map(results), [1, 2]);
        let sub = list_photos(&[root.join("none"), root.join("labels.json")], false, &[]);
        assert!(matches!(sub[0], Err(ListError::Unreadable { .. })));
        assert!(sub[1].is_ok(), "a file that is named itself is taken");
        fs::create_dir(root.join("empty")).unwrap();
        let empty = list_photos(&[root.join("empty")], false, &[]);
        assert!(matches!(empty[0], Err(ListError::NoPhotos { recursive: false, .. })));
    }
}
