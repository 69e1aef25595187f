//! Crops in a folder for each card, or in folders in folders for each property.

use super::draft::{DraftCrop, Drafts, is_picture};
use super::find::{Format, Read};
use setsight_game::cards::Vocabulary;
use std::path::{Path, PathBuf};

/// This format.
pub(super) const FORMAT: Format = Format {
    name: "folders",
    looks_like: "A folder for each card with its crops, such as 2spd/1.jpg or one/red/oval/full/1.jpg",
    read: Read::Folders,
};

/// The card that a picture's folders name, if they name one.
pub(super) fn says_a_card(root: &Path, picture: &Path, words: &Vocabulary) -> bool {
    class_of(root, picture, words).is_some_and(|class| words.card(&class).is_ok())
}

/// The class of a picture is the name of its folder, at any depth, because classification data are
/// often split into parts first (`train/2spd/a.jpg`). Folders for each property are taken together
/// (`train/one/red/oval/full/a.jpg`).
pub(super) fn read(root: &Path, files: &[PathBuf], words: &Vocabulary) -> Drafts {
    let mut drafts = Drafts::default();
    for file in files.iter().filter(|file| is_picture(file)) {
        match class_of(root, file, words) {
            Some(class) => {
                let at = file.display().to_string();
                drafts.crops.push(DraftCrop { path: file.clone(), class, at });
            }
            None => drafts.problems.push(format!(
                "{}: lies in no card's folder; expected one for each card, such as 2spd/",
                file.display()
            )),
        }
    }
    drafts
}

/// The names of the fewest folders, from the innermost on, that name a card; as many as hold known
/// words if they name none. `None` for a picture in the root.
fn class_of(root: &Path, picture: &Path, words: &Vocabulary) -> Option<String> {
    let folder = picture.parent()?.strip_prefix(root).ok()?;
    let mut names = folder.iter().rev().map(|name| name.to_string_lossy());
    let mut class = names.next()?.into_owned();
    for name in names {
        if words.card(&class).is_ok() || !words.knows(&class) || !words.knows(&name) {
            break;
        }
        class = format!("{name} {class}");
    }
    Some(class)
}
