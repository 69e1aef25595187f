//! Detects the format of labels and reads them.

use super::document::{Content, Document, Format, Pictures, Read};
use super::draft::{self, Drafts};
use super::error::ConvertError;
use super::{folders, json, label_studio, table, xml, yolo};
use setsight_game::cards::Card;
use setsight_photo::labels::{CROP_LABELS, PHOTO_LABELS};
use setsight_photo::source::{self, ListError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

impl Format {
    /// All formats, in the order in which a file is tried.
    pub const ALL: [Self; 8] = [
        folders::FORMAT,
        json::COCO,
        yolo::FORMAT,
        xml::VOC,
        xml::CVAT,
        json::LABELME,
        label_studio::FORMAT,
        table::FORMAT,
    ];
}

/// The labels found, not checked yet.
#[derive(Debug)]
pub struct Found {
    pub format: Format,
    /// The folder that holds them.
    pub(super) from: PathBuf,
    pub(super) drafts: Drafts,
    /// Links that lead nowhere, which may stand beside labels.
    pub(super) lost_links: Vec<PathBuf>,
}

impl Found {
    /// Number of pictures to check.
    pub fn pictures(&self) -> usize {
        self.drafts.photos.len()
    }
}

/// Detects the format of the labels in a file or folder, and reads them.
pub fn find(from: &Path, format: Option<Format>) -> Result<Found, ConvertError> {
    let unreadable = |source| ConvertError::Unreadable { path: from.to_path_buf(), source };
    let is_file = from.metadata().map_err(unreadable)?.is_file();
    let root = if is_file { root_of(from) } else { from.to_path_buf() };
    root.read_dir().map_err(unreadable)?;
    let (mut files, mut lost, mut lost_links) = (Vec::new(), Vec::new(), Vec::new());
    for file in source::files_below(&root, true, &[]) {
        match file {
            Ok(file) => files.push(file),
            Err(ListError::Unreadable { path, .. }) if leads_nowhere(&path) => {
                lost_links.push(path);
            }
            Err(error) => lost.push(error.to_string()),
        }
    }
    let pictures = Pictures::among(&files);
    let wanted = |one: Format| format.is_none_or(|format| format == one);
    let one = [from.to_path_buf()];
    let InFiles { mut forms, strange, ours } =
        in_files(if is_file { &one } else { &files }, &pictures, &wanted);
    if wanted(yolo::FORMAT) {
        let names = yolo::lists_among(if is_file { &one } else { &files });
        if !names.is_empty() {
            forms.push((yolo::FORMAT, yolo::read(&names, &files)));
        }
    }
    // If this format was requested, any picture counts; names that are not cards are reported later.
    let in_folders = files.iter().any(|file| {
        draft::is_picture(file) && (format.is_some() || folders::says_a_card(&root, file))
    });
    if wanted(folders::FORMAT) && !is_file && in_folders {
        forms.push((folders::FORMAT, folders::read(&root, &files)));
    }
    let path = from.to_path_buf();
    match (forms.len(), format) {
        (1, _) => {
            let (format, mut drafts) = forms.remove(0);
            drafts.problems.extend(lost);
            Ok(Found { format, from: root, drafts, lost_links })
        }
        (0, Some(format)) => Err(ConvertError::Other { path, format, strange }),
        (0, None) => Err(match ours {
            // Other programs use these file names too, so they count only if no other format
            // matches.
            Some(ours) => ConvertError::Ours(ours),
            None => ConvertError::Unknown { path, strange },
        }),
        _ => {
            let forms: Vec<&str> = forms.iter().map(|(format, _)| format.name).collect();
            Err(ConvertError::Several { path, forms: forms.join(" and ") })
        }
    }
}

/// Whether a path is a link to what does not exist.
fn leads_nowhere(path: &Path) -> bool {
    path.is_symlink()
        && path
            .metadata()
            .is_err_and(|error: io::Error| error.kind() != ErrorKind::PermissionDenied)
}

/// What files that say what they are hold.
#[derive(Default)]
struct InFiles {
    /// The labels of each format.
    forms: Vec<(Format, Drafts)>,
    /// Files that cannot be read, with the reason.
    strange: Vec<String>,
    /// A file in the program's own form.
    ours: Option<PathBuf>,
}

fn in_files(files: &[PathBuf], pictures: &Pictures, wanted: &dyn Fn(Format) -> bool) -> InFiles {
    let mut found = InFiles::default();
    for path in files {
        let document = match Document::open(path) {
            None => continue,
            Some(Ok(document)) => document,
            Some(Err(why)) => {
                found.strange.push(format!("{}: {why}", path.display()));
                continue;
            }
        };
        if is_ours(&document) {
            found.ours.get_or_insert_with(|| path.clone());
            continue;
        }
        for format in Format::ALL.into_iter().filter(|format| wanted(*format)) {
            let Read::File(read) = format.read else { continue };
            let mut drafts = Drafts::default();
            let Some(read) = read(&document, pictures, &mut drafts) else { continue };
            if let Err(why) = read {
                drafts.problem(path, &why);
            }
            match found.forms.iter_mut().find(|(other, _)| *other == format) {
                Some((_, all)) => all.extend(drafts),
                None => found.forms.push((format, drafts)),
            }
            break;
        }
    }
    found
}

/// Whether a file is in the program's own form: the photos of a `labels.json`, or a `labels.csv`
/// with codes alone.
fn is_ours(document: &Document) -> bool {
    let name = document.path.file_name().unwrap_or_default();
    match &document.content {
        Content::Json(json) => name == PHOTO_LABELS && json["photos"].is_array(),
        Content::Table(table) => {
            name == CROP_LABELS
                && table.columns == ["file", "code"]
                && table
                    .rows
                    .iter()
                    .all(|(_, row)| row.get(1).is_some_and(|code| code.parse::<Card>().is_ok()))
        }
        Content::Xml(_) => false,
    }
}

/// The folder that the pictures' paths in a label file start from: its own folder, or the parent if
/// that is `annotations/` or `labels/`.
fn root_of(file: &Path) -> PathBuf {
    let parent = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match parent.parent() {
        Some(above) if is_apart(parent) && !above.as_os_str().is_empty() => above.to_path_buf(),
        _ => parent.to_path_buf(),
    }
}

/// Whether a folder holds labels alone, and the pictures lie beside it.
fn is_apart(folder: &Path) -> bool {
    let name = folder.file_name().map(|name| name.to_ascii_lowercase()).unwrap_or_default();
    name == "annotations" || name == "labels"
}
