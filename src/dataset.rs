//! Labels on disk: a folder of photos with `labels.json`, or of crops with `labels.csv`.

use crate::cards::Card;
use crate::geometry::{Point, Quad};
use serde::{Deserialize, Serialize};

/// `labels.json` of a folder of photos.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PhotoLabels {
    /// Where the photos are from, free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<serde_json::Value>,
    /// One entry a photo.
    pub photos: Vec<PhotoLabel>,
}

/// One photo and the cards in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PhotoLabel {
    /// File name, relative to the folder.
    pub file: String,
    /// Width of the file as stored, before any EXIF turn, in pixels.
    pub width: u32,
    /// Height of the file as stored, in pixels.
    pub height: u32,
    /// What makes the photo hard: `perspective`, `white_background`, ...
    #[serde(default)]
    pub tags: Vec<String>,
    /// Every card in view.
    pub cards: Vec<CardLabel>,
}

/// One card of a photo. Coordinates in pixels of the file as stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CardLabel {
    /// Its code.
    #[serde(with = "as_code")]
    pub code: Card,
    /// Its centre.
    pub center: Point,
    /// Its corners where known; their order is not reliable.
    pub corners: Option<Quad>,
}

mod as_code {
    use super::Card;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(card: &Card, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(card)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Card, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}
