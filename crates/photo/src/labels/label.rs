//! One photo's labels, and the turn between the stored and the upright photo.

use super::{COPIES, DatasetError, UNCHECKED, nearest};
use crate::geometry::{Point, Quad};
use crate::source::{Photo, stored_from_upright, upright_from_stored};
use image::metadata::Orientation;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use setsight_game::cards::{Card, Deck, MAX_ON_TABLE};
use std::path::Path;

/// One photo and the cards in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PhotoLabel {
    /// File name, relative to the folder.
    pub file: String,
    /// Width of the file as stored, before any EXIF rotation, in pixels.
    pub width: u32,
    /// Height of the file as stored, in pixels.
    pub height: u32,
    /// Why the photo is hard: `perspective`, `white_background`, ...
    #[serde(default)]
    pub tags: Vec<String>,
    /// Name of the deck on the table; the classic one if omitted.
    #[serde(default = "classic", skip_serializing_if = "is_classic")]
    pub deck: String,
    /// Whether the picture is mirrored left to right; false if omitted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub mirrored: bool,
    /// Every card in view.
    #[serde(deserialize_with = "few")]
    pub cards: Vec<CardLabel>,
}

/// As many as lie on one table: what looks for sets and neighbours among them takes time with their cube.
pub(super) fn few<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    d: D,
) -> Result<Vec<T>, D::Error> {
    let all = Vec::deserialize(d)?;
    if all.len() > MAX_ON_TABLE {
        let count = all.len();
        let message = format!("{count} cards in one photo; at most {MAX_ON_TABLE} are read");
        return Err(D::Error::custom(message));
    }
    Ok(all)
}

fn classic() -> String {
    Deck::NAMES[0].to_owned()
}

fn is_classic(deck: &str) -> bool {
    deck == Deck::NAMES[0]
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// One card of a photo. Coordinates in pixels of the file as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardLabel {
    /// Its code.
    #[serde(with = "as_code")]
    pub code: Card,
    /// Its centre.
    pub center: Point,
    /// Its corners where known; their order is not reliable.
    pub corners: Option<Quad>,
    /// Who assigned the code; a person if omitted.
    #[serde(rename = "said_by", default, skip_serializing_if = "LabelledBy::is_person")]
    pub labelled_by: LabelledBy,
}

/// Who assigned a card's code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelledBy {
    /// A person.
    #[default]
    Person,
    /// The reader; nobody has confirmed it yet.
    Reader,
}

impl LabelledBy {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    fn is_person(&self) -> bool {
        *self == Self::Person
    }
}

impl PhotoLabel {
    pub(super) fn check(&self, path: &Path) -> Result<(), DatasetError> {
        match self.twice() {
            None => Ok(()),
            Some((code, first, second)) => Err(DatasetError::Twice {
                path: path.to_path_buf(),
                photo: self.file.clone(),
                code,
                first,
                second,
            }),
        }
    }

    /// Whether a person has confirmed that all visible cards are labelled correctly. Only such
    /// photos are used for evaluation and training. Labels without the tag [`UNCHECKED`] count as
    /// confirmed.
    pub fn is_checked(&self) -> bool {
        !self.tags.iter().any(|tag| tag == UNCHECKED)
    }

    /// Whether a person says that it shows a card more than once.
    pub(super) fn has_copies(&self) -> bool {
        self.tags.iter().any(|tag| tag == COPIES)
    }

    /// The first card that is labelled twice although the photo has not the tag [`COPIES`], with the
    /// indices of both labels, counted from 1.
    pub fn twice(&self) -> Option<(Card, usize, usize)> {
        if self.has_copies() {
            return None;
        }
        self.cards.iter().enumerate().find_map(|(second, card)| {
            let first = self.cards[..second].iter().position(|c| c.code == card.code)?;
            Some((card.code, first + 1, second + 1))
        })
    }

    /// The cards in pixels of a decoded photo, which may be reduced.
    pub fn cards_in(&self, photo: &Photo) -> Vec<CardLabel> {
        let place = photo.picture_from_file();
        self.upright_cards(photo.orientation)
            .into_iter()
            .map(|card| CardLabel {
                center: place(card.center),
                corners: card.corners.map(|quad| quad.map(place)),
                ..card
            })
            .collect()
    }

    /// Like [`Self::upright_cards`], in a picture that many times smaller ([`Photo::reduced`]).
    pub fn reduced_cards(&self, orientation: Orientation, reduced: u32) -> Vec<CardLabel> {
        let by = f64::from(reduced);
        self.upright_cards(orientation)
            .into_iter()
            .map(|card| CardLabel {
                center: card.center / by,
                corners: card.corners.map(|quad| quad.map(|p| p / by)),
                ..card
            })
            .collect()
    }

    /// The cards in pixels of the upright photo, corners clockwise starting with a long side.
    /// `orientation` is the one in the photo's file.
    pub fn upright_cards(&self, orientation: Orientation) -> Vec<CardLabel> {
        let turn = upright_from_stored(orientation, self.width, self.height);
        self.cards
            .iter()
            .map(|card| CardLabel {
                code: card.code,
                center: turn(card.center),
                corners: card.corners.map(|quad| Quad::from_unordered(quad.0.map(turn)).as_card()),
                labelled_by: card.labelled_by,
            })
            .collect()
    }
}

impl CardLabel {
    /// A label in pixels of the file as stored (width and height in pixels), from corners in the
    /// upright photo.
    pub fn stored(
        code: Card,
        corners_in_upright: Quad,
        orientation: Orientation,
        stored_width: u32,
        stored_height: u32,
    ) -> Self {
        let turn = stored_from_upright(orientation, stored_width, stored_height);
        let corners = Quad::new(corners_in_upright.0.map(turn));
        let labelled_by = LabelledBy::Person;
        Self { code, center: corners.center(), corners: Some(corners), labelled_by }
    }
}

/// Completes labels without corners with the outlines at their centres: one outline per label,
/// nearest first, up to [`super::MATCH_RADIUS`] of the outline's long side. Labels without a near outline
/// stay as they are. All coordinates are in pixels of the upright photo, corners clockwise starting
/// with a long side.
pub fn with_corners(mut labels: Vec<CardLabel>, outlines: &[Quad]) -> Vec<CardLabel> {
    let centres: Vec<Point> = labels.iter().map(|label| label.center).collect();
    let found: Vec<Point> = outlines.iter().map(Quad::center).collect();
    // Labels with corners take part, so that no other label gets their outline.
    let long_side =
        |i: usize, j: usize| labels[i].corners.as_ref().unwrap_or(&outlines[j]).long_side();
    let outline_of_label = nearest(&centres, &found, long_side);
    for (label, outline) in labels.iter_mut().zip(outline_of_label) {
        label.corners = label.corners.or(outline.map(|j| outlines[j]));
    }
    labels
}

/// Serialises a card as its code, for serde's `with`.
pub mod as_code {
    use super::Card;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes the code.
    pub fn serialize<S: Serializer>(card: &Card, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(card)
    }
    /// Reads a code.
    ///
    /// # Errors
    /// It is none.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Card, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn labels_turn_upright_and_back(exif in 1u8..=8, x in 0.0..300.0f64, y in 0.0..200.0f64) {
            let orientation = Orientation::from_exif(exif).unwrap();
            let corners = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + Point::new(x, y)));
            let (code, labelled_by) = ("2spd".parse().unwrap(), LabelledBy::Person);
            let card =
                CardLabel { code, center: corners.center(), corners: Some(corners), labelled_by };
            let photo = PhotoLabel {
                file: "table 1.jpg".into(),
                width: 400,
                height: 300,
                tags: Vec::new(),
                deck: classic(),
                mirrored: false,
                cards: vec![card],
            };
            let upright = photo.upright_cards(orientation).remove(0);
            let quad = upright.corners.unwrap();
            prop_assert!(quad.signed_area() > 0.0 && quad.long_side() > quad.short_side());
            prop_assert!(quad.center().distance(upright.center) < 1e-9);
            let stored = CardLabel::stored(upright.code, quad, orientation, 400, 300);
            prop_assert!(stored.center.distance(corners.center()) < 1e-9);
            for p in stored.corners.unwrap().0 {
                prop_assert!(corners.0.iter().any(|q| q.distance(p) < 1e-9));
            }
        }
    }
}
