//! Crops whose file names say the card: `2spd_1.jpg`, `diamond_green_outlined_one_b1.jpg`.

use super::draft::{DraftCrop, Drafts, is_picture};
use super::find::{Format, Read};
use setsight_game::cards::Vocabulary;
use std::path::{Path, PathBuf};

/// This format.
pub(super) const FORMAT: Format = Format {
    name: "names",
    looks_like: "Crops whose file names say the card, such as 2spd_1.jpg",
    read: Read::Names,
};

/// Whether a picture's file name says a card.
pub(super) fn says_a_card(picture: &Path, words: &Vocabulary) -> bool {
    words.card_within(&stem(picture)).is_some()
}

/// The class of a picture is the card in its name. A name that says none, or could say two, is a
/// class as it is, which is told.
pub(super) fn read(files: &[PathBuf], words: &Vocabulary) -> Drafts {
    let mut drafts = Drafts::default();
    for file in files.iter().filter(|file| is_picture(file)) {
        let stem = stem(file);
        let class = words.card_within(&stem).map_or(stem, |card| card.to_string());
        let at = file.display().to_string();
        drafts.crops.push(DraftCrop { path: file.clone(), class, at });
    }
    drafts
}

fn stem(picture: &Path) -> String {
    picture.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
