//! What is to be said of a photo that could be read.

use serde::Serialize;
use setsight_photo::source::Photo;
use std::fmt;

/// What is wrong with a photo though it could be read. [`fmt::Display`] says it in English.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum Warning {
    /// The file ends before the picture does.
    CutOff,
    /// The picture is so long and narrow that no card in it is large enough to be found.
    Elongated {
        /// How many times longer than wide it is, rounded down.
        ratio: u32,
    },
}

/// Sides of a picture from which on cards are too small for the finders, which look at all of it.
const MOST_ELONGATED: u32 = 5;

impl Warning {
    /// All that is to be said of a photo on which so many cards were found.
    pub(crate) fn of(photo: &Photo, cards: usize) -> Vec<Self> {
        let (width, height) = photo.frame.dimensions();
        let (long, short) = (width.max(height), width.min(height).max(1));
        let is_elongated = cards == 0 && long > MOST_ELONGATED * short;
        let elongated = is_elongated.then_some(Self::Elongated { ratio: long / short });
        photo.is_cut_off.then_some(Self::CutOff).into_iter().chain(elongated).collect()
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutOff => f.write_str(
                "the JPEG data end early, so that its lower edge may be missing; copy it again from where it came",
            ),
            Self::Elongated { .. } => f.write_str(
                "no cards are found in a picture this long and narrow if they fill only a part of it; cut that \
                 part out",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{RgbImage, metadata::Orientation};

    #[test]
    fn several_things_are_said_at_once() {
        let said = |(width, height), is_cut_off, cards| {
            let frame = RgbImage::new(width, height);
            let orientation = Orientation::NoTransforms;
            let (stored_width, stored_height, reduced) = (width, height, 1);
            let photo =
                Photo { frame, orientation, stored_width, stored_height, reduced, is_cut_off };
            Warning::of(&photo, cards)
        };
        assert_eq!(said((640, 480), false, 0), []);
        assert_eq!(said((64, 640), false, 1), [], "it has cards");
        assert_eq!(said((64, 640), true, 0), [Warning::CutOff, Warning::Elongated { ratio: 10 }]);
    }
}
