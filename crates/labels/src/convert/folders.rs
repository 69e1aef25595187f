//! Crops in a folder for each card, or in folders in folders for each property.

use super::document::{Format, Read};
use super::draft::{DraftCrop, Drafts, is_picture};
use setsight_game::cards::{Card, Property};
use std::path::{Path, PathBuf};

pub(super) const FORMAT: Format = Format {
    name: "folders",
    looks_like: "A folder for each card with its crops, such as 2spd/1.jpg or one/red/oval/solid/1.jpg",
    read: Read::Folders,
};

/// Whether a picture's folders name a card.
pub(super) fn says_a_card(root: &Path, picture: &Path) -> bool {
    class_of(root, picture).is_some_and(|class| Card::from_name(&class).is_ok())
}

/// The class of a picture is the name of its folder, at any depth, because classification data are
/// often split into parts first (`train/2spd/a.jpg`). Folders for each property are taken together
/// (`train/one/red/oval/solid/a.jpg`).
pub(super) fn read(root: &Path, files: &[PathBuf]) -> Drafts {
    let mut drafts = Drafts::default();
    for file in files.iter().filter(|file| is_picture(file)) {
        match class_of(root, file) {
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

/// The names of the fewest folders, from the innermost on, that name a card; else that of the
/// innermost. `None` for a picture in the root.
fn class_of(root: &Path, picture: &Path) -> Option<String> {
    let folder = picture.parent()?.strip_prefix(root).ok()?;
    let names: Vec<_> = folder.iter().map(|name| name.to_string_lossy()).collect();
    let innermost = names.last()?;
    let most = names.len().min(Property::ALL.len());
    let mut classes = (1..=most).map(|count| names[names.len() - count..].join(" "));
    classes.find(|class| Card::from_name(class).is_ok()).or_else(|| Some(innermost.to_string()))
}
