//! Text files beside pictures, one for each.

use super::account::Oddity;
use super::document::text_at;
use super::draft::{Drafts, Mark, has_extension, is_picture};
use super::outline::Outline;
use setsight_files::small_file::MAX_SETTINGS_BYTES;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A class and its place.
pub(super) type Object = (String, Outline);

/// A form of labels with an object in each line, in pixels.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    /// Whether a line can only be of this form.
    pub is_own: fn(&str) -> bool,
    /// The object in a line; `None` for what is no object.
    ///
    /// # Errors
    /// A message without the file's name and the line's number.
    pub mark: fn(&str) -> Result<Option<Object>, String>,
}

impl Lines {
    /// Whether some of these files hold labels of this form.
    pub(super) fn are_in(&self, files: &[PathBuf]) -> bool {
        let mut texts = files.iter().filter(|file| has_extension(file, "txt"));
        texts.any(|file| {
            let text = text_at(file, MAX_SETTINGS_BYTES).unwrap_or_default();
            text.lines().any(|line| (self.is_own)(line))
        })
    }

    /// Reads the labels in the text files of a folder.
    pub(super) fn read(&self, files: &[PathBuf]) -> Drafts {
        let mut drafts = Drafts::default();
        let pairs = Pairs::of(files, |_| false);
        for (picture, own) in &pairs.pictures {
            let Some(own) = own else {
                drafts.account.add(Oddity::Unlabelled, || picture.display().to_string());
                continue;
            };
            let mark = |line: &str| {
                let mark = (self.mark)(line)?;
                Ok(mark.map(|(class, outline)| Mark { class, outline, at: String::new() }))
            };
            if let Some(marks) = marks_of(own, &mark, &mut drafts) {
                drafts.add_photo(own, Ok(picture.clone()), None, marks);
            }
        }
        for text in pairs.alone {
            let text_of = text_at(&text, MAX_SETTINGS_BYTES).unwrap_or_default();
            if text_of.lines().any(|line| (self.is_own)(line)) {
                drafts.problem(&text, WITHOUT_PHOTO);
            }
        }
        drafts
    }
}

/// What is said of labels of no photo.
pub(super) const WITHOUT_PHOTO: &str =
    "labels without a photo of this name; put the photo beside them or into images/";

/// The objects in the lines of a file; each that is wrong is a problem. `None` if there are such.
pub(super) fn marks_of(
    path: &Path,
    mark: &dyn Fn(&str) -> Result<Option<Mark>, String>,
    drafts: &mut Drafts,
) -> Option<Vec<Mark>> {
    let text = match text_at(path, MAX_SETTINGS_BYTES) {
        Ok(text) => text,
        Err(why) => {
            drafts.problem(path, &why);
            return None;
        }
    };
    let mut marks = Some(Vec::new());
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = format!("line {}", i + 1);
        match mark(line) {
            Ok(mark) => {
                if let (Some(marks), Some(mark)) = (&mut marks, mark) {
                    marks.push(Mark { at, ..mark });
                }
            }
            Err(why) => {
                drafts.problem(path, &format!("{at}: {why}"));
                marks = None;
            }
        }
    }
    marks
}

/// Pictures and the text files with their labels.
pub(super) struct Pairs {
    /// Each picture and its text file.
    pub pictures: Vec<(PathBuf, Option<PathBuf>)>,
    /// Text files of no picture.
    pub alone: Vec<PathBuf>,
}

impl Pairs {
    /// Among these files. Text files that `is_other` are no labels.
    pub(super) fn of(files: &[PathBuf], is_other: impl Fn(&Path) -> bool) -> Self {
        // Names in whatever case: `Images/a.jpg` and `labels/a.TXT`.
        let texts: BTreeMap<String, &PathBuf> = files
            .iter()
            .filter(|file| has_extension(file, "txt") && !is_other(file))
            .map(|file| (small(file), file))
            .collect();
        let mut used = BTreeSet::new();
        let mut pictures = Vec::new();
        for picture in files.iter().filter(|file| is_picture(file)) {
            let ways = labels_apart(picture).into_iter().chain([picture.with_extension("txt")]);
            let own = ways.map(|way| small(&way)).find_map(|way| texts.get_key_value(&way));
            used.extend(own.map(|(way, _)| way.clone()));
            pictures.push((picture.clone(), own.map(|(_, path)| (*path).clone())));
        }
        let alone = texts.iter().filter(|(way, _)| !used.contains(*way));
        Self { pictures, alone: alone.map(|(_, path)| (*path).clone()).collect() }
    }
}

fn small(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}

/// The label files `labels/..txt` for `images/..jpg`, and what other forms call these folders; the
/// last folder with that name is replaced.
fn labels_apart(picture: &Path) -> Vec<PathBuf> {
    const FOLDERS: [(&str, &[&str]); 2] =
        [("images", &["labels", "labelTxt"]), ("image_2", &["label_2"])];
    let parts: Vec<_> = picture.iter().collect();
    let folder =
        |part: &OsStr| FOLDERS.iter().find(|(images, _)| part.eq_ignore_ascii_case(images));
    let found = parts.iter().enumerate().rev().find_map(|(i, part)| Some((i, folder(part)?.1)));
    let Some((place, names)) = found else { return Vec::new() };
    let renamed = |name: &&str| {
        let mut parts = parts.clone();
        parts[place] = OsStr::new(*name);
        parts.into_iter().collect::<PathBuf>().with_extension("txt")
    };
    names.iter().map(renamed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_lie_where_images_do() {
        let labels = |picture: &str| labels_apart(Path::new(picture)).into_iter().next();
        let expected = PathBuf::from("images/x/labels/train/a.b.txt");
        assert_eq!(labels("images/x/images/train/a.b.jpg"), Some(expected));
        assert_eq!(labels("training/image_2/7.png"), Some("training/label_2/7.txt".into()));
        assert_eq!(labels("obj_train_data/a.jpg"), None);
    }
}
