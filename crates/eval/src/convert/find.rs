//! Detects the format of labels and reads them.

use super::draft::{self, Drafts};
use super::{centres, coco, folders, yolo};
use setsight_game::cards::Card;
use setsight_photo::labels::{CROP_LABELS, PHOTO_LABELS};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A format of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A folder for each card with its crops.
    Folders,
    /// COCO's JSON.
    Coco,
    /// YOLO's text files.
    Yolo,
    /// A table of centres.
    Centres,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Folders, Self::Coco, Self::Yolo, Self::Centres];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Folders => "folders",
            Self::Coco => "coco",
            Self::Yolo => "yolo",
            Self::Centres => "centres",
        }
    }

    /// A description of the format.
    pub fn looks_like(self) -> &'static str {
        match self {
            Self::Folders => "A folder for each card with its crops, such as 2spd/1.jpg",
            Self::Coco => "COCO's JSON with boxes or polygons, or a folder with such files",
            Self::Yolo => "YOLO's text files beside data.yaml or classes.txt: boxes or corners",
            Self::Centres => "A CSV file with the columns file,code,x,y, or a folder with one",
        }
    }
}

/// Why nothing can be converted.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The path is missing or cannot be read.
    #[error("{}: cannot be read: {source}; expected labels or a folder of them", .path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The labels are already in this program's format.
    #[error("{} is in the program's own form already; nothing is to be converted", .0.display())]
    Ours(PathBuf),
    /// No labels of a known format.
    #[error(
        "{}: no labels of a known form there; looked for a folder for each card (2spd/1.jpg), \
         COCO's JSON, YOLO's text files beside data.yaml or classes.txt, and a CSV file that begins \
         with file,code,x,y", .0.display()
    )]
    Unknown(PathBuf),
    /// Labels of another format than requested.
    #[error("{}: no labels of the form {} there; expected: {}", .path.display(), .format.name(), .format.looks_like())]
    Other {
        /// The path.
        path: PathBuf,
        /// The requested format.
        format: Format,
    },
    /// Labels of several formats.
    #[error(
        "{}: labels of several forms there ({forms}); say which is meant, such as --from-format {}",
        .path.display(), .forms.split(' ').next().unwrap_or_default()
    )]
    Several {
        /// The path.
        path: PathBuf,
        /// Their names.
        forms: String,
    },
}

/// The labels found, not checked yet.
#[derive(Debug)]
pub struct Found {
    /// Their format.
    pub format: Format,
    /// The folder that holds them.
    pub(super) from: PathBuf,
    pub(super) drafts: Drafts,
}

impl Found {
    /// Number of pictures to check.
    pub fn len(&self) -> usize {
        self.drafts.photos.len()
    }

    /// Whether there are no pictures.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Detects the format of the labels in a file or folder, and reads them.
///
/// # Errors
/// [`FindError`]: no labels, or labels of another format or of several formats.
pub fn find(from: &Path, format: Option<Format>) -> Result<Found, FindError> {
    let unreadable = |source| FindError::Unreadable { path: from.to_path_buf(), source };
    let is_file = from.metadata().map_err(unreadable)?.is_file();
    let root = if is_file { root_of(from) } else { from.to_path_buf() };
    let files = draft::files_below(&root).map_err(unreadable)?;
    let named = |extension: &str| -> Vec<PathBuf> {
        let is =
            |path: &&PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
        if is_file { vec![from.to_path_buf()] } else { files.iter().filter(is).cloned().collect() }
    };
    let wanted = |one: Format| format.is_none_or(|format| format == one);
    let mut forms: Vec<(Format, Vec<PathBuf>)> = Vec::new();
    let documents = || named("json").into_iter().filter(|path| coco::is_coco(path)).collect();
    let tables = || named("csv").into_iter().filter(|path| centres::is_centres(path)).collect();
    let names = || yolo::names_in(&root).into_iter().collect();
    if wanted(Format::Coco) {
        forms.push((Format::Coco, documents()));
    }
    if wanted(Format::Centres) {
        forms.push((Format::Centres, tables()));
    }
    if wanted(Format::Yolo) {
        forms.push((Format::Yolo, names()));
    }
    if wanted(Format::Folders) && !is_file {
        let card = |file: &&PathBuf| {
            let folder = file.parent().and_then(Path::file_name).and_then(OsStr::to_str);
            let named = folder.is_some_and(|name| Card::from_name(name).is_ok());
            // If the format was requested, any folder counts; names that are not cards are reported
            // later.
            draft::is_picture(file) && (named || format.is_some())
        };
        forms.push((Format::Folders, files.iter().filter(card).take(1).cloned().collect()));
    }
    forms.retain(|(_, at)| !at.is_empty());
    // Other programs use these file names too, so they count only if no other format matches.
    let own = [PHOTO_LABELS, CROP_LABELS].map(|name| root.join(name));
    let ours = own.into_iter().find(|own| own.is_file() && (!is_file || from == own));
    let (format, at) = match (forms.len(), format) {
        (1, _) => forms.remove(0),
        (0, Some(format)) => return Err(FindError::Other { path: from.to_path_buf(), format }),
        (0, None) if ours.is_some() => return Err(FindError::Ours(ours.unwrap_or_default())),
        (0, None) => return Err(FindError::Unknown(from.to_path_buf())),
        _ => {
            let forms: Vec<&str> = forms.iter().map(|(format, _)| format.name()).collect();
            return Err(FindError::Several {
                path: from.to_path_buf(),
                forms: forms.join(" and "),
            });
        }
    };
    let pictures = draft::Pictures::among(&files);
    let drafts = match format {
        Format::Coco => coco::read(&at, &pictures),
        Format::Yolo => yolo::read(&at[0], &files),
        Format::Folders => folders::read(&root, &files),
        Format::Centres => {
            let mut all = Drafts::default();
            for table in &at {
                let one = centres::read(table, &pictures);
                all.photos.extend(one.photos);
                all.problems.extend(one.problems);
            }
            all
        }
    };
    Ok(Found { format, from: root, drafts })
}

/// The folder that the pictures' paths in a label file start from: its own folder, or the parent if
/// that is `annotations/`.
fn root_of(file: &Path) -> PathBuf {
    let parent = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match parent.parent() {
        Some(above) if parent.ends_with("annotations") && !above.as_os_str().is_empty() => {
            above.to_path_buf()
        }
        _ => parent.to_path_buf(),
    }
}
