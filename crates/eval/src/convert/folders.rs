//! One folder of crops per card.

use super::draft::{Drafts, is_picture};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The class of a picture is the name of its folder, at any depth, because classification data are
/// often split into parts first (`train/2spd/a.jpg`).
pub fn read(root: &Path, files: &[PathBuf]) -> Drafts {
    let mut drafts = Drafts::default();
    for file in files.iter().filter(|file| is_picture(file)) {
        match file.parent() {
            Some(folder) if folder != root => {
                let class = folder.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
                drafts.crops.push((file.clone(), class.into_owned()));
            }
            _ => drafts.problems.push(format!(
                "{}: lies in no card's folder; expected one for each card, such as 2spd/",
                file.display()
            )),
        }
    }
    drafts
}
