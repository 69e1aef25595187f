//! Warnings about photos that could be read.

use crate::card::ReadCard;
use crate::compose::Look;
use image::RgbImage;
use serde::{Deserialize, Serialize};
use setsight_photo::source::Photo;
use std::fmt;

/// What is wrong with a photo though it could be read, or what else its user should know. [`fmt::Display`] gives English sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum Warning {
    /// The file ends before the picture does.
    CutOff,
    /// Data in the middle of the file are damaged, so that what it shows from some row on may be invented.
    Damaged,
    /// No card is found, and the picture is nearly black.
    TooDark,
    /// No card is sure, and what may be cards is too small to be read.
    TooSmall {
        /// Its long side in pixels of the picture.
        long_side_px: u32,
    },
    /// No card is found, though there is something like one: symbols, or a card of another game.
    NothingRead,
    /// One card fills the picture, and its border is not visible.
    CloseUp,
}

/// Shorter cards are not read: their stripes are below a pixel.
const LEAST_LONG_SIDE_PX: u32 = 24;

impl Warning {
    /// All warnings about a photo on which these cards were found.
    pub(crate) fn collect(photo: &Photo, cards: &[ReadCard], look: &Look) -> Vec<Self> {
        let has_sure = cards.iter().any(|card| !card.unsure);
        let place_px = look.place_px.map(|px| px.round() as u32);
        let small_px = place_px.filter(|px| !has_sure && *px < LEAST_LONG_SIDE_PX);
        let of_cards = if cards.is_empty() && is_dark(&photo.frame) {
            Some(Self::TooDark)
        } else if let Some(px) = small_px {
            Some(Self::TooSmall { long_side_px: photo.reduced * px })
        } else if cards.is_empty() {
            place_px.map(|_| Self::NothingRead)
        } else {
            look.is_close_up.then_some(Self::CloseUp)
        };
        let of_file = match photo.damaged_from {
            _ if photo.is_cut_off => Some(Self::CutOff),
            damaged_from => damaged_from.map(|_| Self::Damaged),
        };
        of_file.into_iter().chain(of_cards).collect()
    }
}

/// Whether hardly a pixel is bright enough to be a card's stock.
fn is_dark(picture: &RgbImage) -> bool {
    const BRIGHT: u8 = 40;
    const LEAST_BRIGHT: f64 = 0.01;
    let bright = picture.pixels().filter(|pixel| pixel.0.iter().any(|&level| level >= BRIGHT));
    (bright.count() as f64) < LEAST_BRIGHT * f64::from(picture.width() * picture.height())
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutOff => f.write_str(
                "the JPEG data end early, so that its lower edge may be missing; copy it again from where it came",
            ),
            Self::Damaged => f.write_str(
                "the JPEG data are damaged, so that parts of the picture may be wrong, and the cards there are not \
                 sure; copy it again from where it came",
            ),
            Self::TooDark => f.write_str("the picture is too dark to show cards; light the table"),
            Self::TooSmall { long_side_px } => write!(
                f,
                "what look like cards are about {long_side_px} pixels long, too small to be read; move closer, or take \
                 the picture at full size",
            ),
            Self::NothingRead => f.write_str(
                "there is something like a card, but none can be read; show whole cards with their borders, from above",
            ),
            Self::CloseUp => f.write_str("one card fills the picture, and its border is not visible"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trace;
    use setsight_game::cards::Card;
    use setsight_photo::geometry::Quad;
    use setsight_scenes::{Kind, Params};

    /// A photo of one brightness.
    fn photo((width, height): (u32, u32), level: u8, is_cut_off: bool) -> Photo {
        let frame = RgbImage::from_pixel(width, height, image::Rgb([level; 3]));
        Photo { is_cut_off, ..Photo::of_picture(frame) }
    }

    fn cards_of(count: usize, unsure: bool) -> Vec<ReadCard> {
        let card = ReadCard::new(Quad::rectangle(90.0, 60.0), Card::from_index(0), 0.9, unsure);
        vec![card; count]
    }

    #[test]
    fn a_photo_has_several_warnings_at_once() {
        let warnings = |level, is_cut_off| {
            Warning::collect(&photo((640, 480), level, is_cut_off), &[], &Look::default())
        };
        assert_eq!(warnings(90, false), []);
        assert_eq!(warnings(5, true), [Warning::CutOff, Warning::TooDark]);
    }

    #[test]
    fn damage_is_reported_once() {
        for (is_cut_off, damaged_from, expected) in [
            (false, None, vec![]),
            (false, Some(0), vec![Warning::Damaged]),
            (true, Some(90), vec![Warning::CutOff]),
            (true, None, vec![Warning::CutOff]),
        ] {
            let photo = Photo { damaged_from, ..photo((640, 480), 90, is_cut_off) };
            let warnings = Warning::collect(&photo, &cards_of(1, false), &Look::default());
            assert_eq!(warnings, expected);
        }
    }

    #[test]
    fn what_was_found_instead_of_cards_is_reported() {
        let cases = [
            (0, 90, None, vec![]),
            (0, 90, Some(80.0), vec![Warning::NothingRead]),
            (0, 90, Some(9.6), vec![Warning::TooSmall { long_side_px: 10 }]),
            (0, 5, Some(9.6), vec![Warning::TooDark]),
            (3, 5, Some(80.0), vec![]),
            (3, 90, Some(9.6), vec![Warning::TooSmall { long_side_px: 10 }]),
        ];
        for (cards, level, place_px, expected) in cases {
            let look = Look { is_close_up: false, place_px };
            let cards = cards_of(cards, true);
            assert_eq!(Warning::collect(&photo((640, 480), level, false), &cards, &look), expected);
        }
        let look = Look { is_close_up: true, place_px: Some(9.6) };
        let warnings = Warning::collect(&photo((640, 480), 90, false), &cards_of(1, false), &look);
        assert_eq!(warnings, [Warning::CloseUp]);
    }

    #[test]
    fn advice_that_is_followed_helps() {
        let scene = setsight_scenes::render(&Params::for_kind(Kind::Wood), 7, 0).unwrap();
        let mut dark = scene.image.clone();
        dark.iter_mut().for_each(|level| *level /= 100);
        let small = image::imageops::thumbnail(&scene.image, 24, 18);
        let read = |picture: &RgbImage| {
            let pipeline = crate::ReadingPlan::default().build().unwrap();
            pipeline.read_photo(Photo::of_picture(picture.clone()), &mut Trace::default()).unwrap()
        };
        for (picture, is_expected) in [
            (dark, (|warning| *warning == Warning::TooDark) as fn(&Warning) -> bool),
            (small, |warning| matches!(warning, Warning::TooSmall { .. })),
        ] {
            let table = read(&picture).table;
            assert!(table.cards.iter().all(|card| card.unsure));
            assert!(
                matches!(&table.warnings[..], [only] if is_expected(only)),
                "{:?}",
                table.warnings
            );
        }
        let table = read(&scene.image).table;
        assert!(table.cards.len() >= scene.cards.len() && table.warnings.is_empty());
    }
}
