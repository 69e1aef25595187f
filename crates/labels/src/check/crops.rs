//! Reads labelled crops together on one table.

use super::item::{Checked, Doubt, Kind, Picture, Wrong};
use crate::crops;
use crate::mistakes;
use setsight_game::cards::Card;
use setsight_nets::engine::sha256;
use setsight_photo::labels::load_crop;
use setsight_photo::source;
use setsight_vision::{Pipeline, PipelineError};
use std::path::PathBuf;

/// Checks crops that are read together.
pub(super) fn check(
    pipeline: &Pipeline,
    crops: &[(PathBuf, Card)],
    with_pictures: bool,
) -> Result<Checked, PipelineError> {
    let mut checked = Checked::default();
    let mut pictures = Vec::new();
    let mut labels: Vec<&(PathBuf, Card)> = Vec::new();
    for label in crops {
        let (path, card) = label;
        match load_crop(path) {
            Ok(picture) => {
                pictures.push(picture);
                labels.push(label);
            }
            Err(error) => {
                let reason = error.to_string();
                checked.wrong.push(Wrong { path: path.clone(), reason });
                continue;
            }
        }
        if let Ok(bytes) = source::bytes_of(path) {
            let (path, sha256) = (path.clone(), sha256(&bytes));
            checked.seen.push(Picture { path, sha256, labelled: [*card].into() });
        }
    }
    if pictures.is_empty() {
        return Ok(checked);
    }
    let together = crops::read(pipeline, &pictures)?;
    for (i, (path, labelled)) in labels.into_iter().enumerate() {
        let read = match &together.cards[i] {
            Some(card) if card.unsure => {
                checked.unsure += 1;
                continue;
            }
            Some(card) if card.card == *labelled => continue,
            Some(card) => Some((card.card, card.confidence)),
            None => None,
        };
        let mistake = with_pictures.then(|| {
            let (outline, image, said) = &together.crops[i];
            let read = read.map(|(card, confidence)| (card, confidence, false));
            mistakes::of_crop(&together.frame, outline, image, said, *labelled, read)
        });
        checked.doubts.push(Doubt {
            path: path.clone(),
            kind: if read.is_some() { Kind::OtherCard } else { Kind::NoCard },
            labelled: Some(*labelled),
            read,
            center_in_image: None,
            mistake,
        });
    }
    Ok(checked)
}
