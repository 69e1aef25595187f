//! Whether a picture is mirrored, as webcams and front cameras store it: one hidden fact of a whole
//! photo, which every squiggle on the table tells.
//!
//! A squiggle has a handedness; mirrored it passes for an oval, clearly. Diamonds and ovals look alike in
//! a mirror. So the cards are read once more in a flipped picture, and the reading that shows squiggles
//! is believed.

use super::reader::{Cards, Reader};
use crate::cards::Shape;
use crate::geometry::{Point, Quad};
use crate::pipeline::data::{CardImage, CardOutline, Frame, Reading};
use crate::pipeline::engine::NetworkError;
use crate::pipeline::rectify;
use image::imageops;

/// Whether pictures are mirrored, as far as it is known before they are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mirrored {
    /// They are not.
    No,
    /// They are.
    Yes,
    /// Their squiggles tell.
    #[default]
    Auto,
}

impl Mirrored {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::No, Self::Yes, Self::Auto];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Yes => "yes",
            Self::Auto => "auto",
        }
    }
}

/// Reads the cards of a photo; also whether it is mirrored.
///
/// # Errors
/// A network that does not run.
pub fn read(
    reader: &dyn Reader,
    cards: &Cards,
    mirrored: Mirrored,
) -> Result<(Vec<Reading>, bool), NetworkError> {
    if mirrored == Mirrored::Yes {
        return Ok((flipped(reader, cards)?, true));
    }
    let as_is = reader.read(cards)?;
    if mirrored == Mirrored::No || !lacks_squiggles(&as_is) {
        return Ok((as_is, false));
    }
    let flipped = flipped(reader, cards)?;
    let is_mirrored = log_odds_mirrored(&as_is, &flipped) > 0.0;
    Ok((if is_mirrored { flipped } else { as_is }, is_mirrored))
}

/// What a reader says of the cards in the mirrored picture, in their order.
fn flipped(reader: &dyn Reader, cards: &Cards) -> Result<Vec<Reading>, NetworkError> {
    let width = f64::from(cards.frame.image.width());
    let frame = Frame { image: imageops::flip_horizontal(&cards.frame.image) };
    let flip = |outline: &CardOutline| {
        let p = outline.corners_in_image.0.map(|p| Point::new(width - p.x, p.y));
        // Clockwise again, the same long side first.
        let corners_in_image = Quad::new([p[1], p[0], p[3], p[2]]).higher_corner_first();
        CardOutline { corners_in_image, ..*outline }
    };
    let outlines: Vec<CardOutline> = cards.outlines.iter().map(flip).collect();
    let images: Vec<CardImage> =
        outlines.iter().map(|outline| rectify::rectify(&frame, outline)).collect();
    reader.read(&Cards { frame: &frame, outlines: &outlines, images: &images })
}

/// Probability of a card with squiggles.
fn squiggle(reading: &Reading) -> f32 {
    reading.is_card * reading.values[3][Shape::Squiggle.index()]
}

/// Whether a table shows so few squiggles that it may be mirrored: a third of a deck has them, and of
/// twelve cards that are not mirrored fewer than one in nine is a squiggle once in twenty times.
fn lacks_squiggles(readings: &[Reading]) -> bool {
    let cards: f32 = readings.iter().map(|reading| reading.is_card).sum();
    let squiggles: f32 = readings.iter().map(squiggle).sum();
    cards > 0.0 && squiggles < (cards / 9.0).max(0.5)
}

/// Log odds that a picture is mirrored, by what is said of its cards as they are and in a mirror: Bayes'
/// rule, each squiggle a witness of its own.
fn log_odds_mirrored(as_is: &[Reading], flipped: &[Reading]) -> f32 {
    /// Three of 35 public sources are mirrored.
    const BEFORE: f32 = -2.4;
    /// How often a squiggle is seen where there is none.
    const MISTAKEN: f32 = 0.02;
    let told = as_is.iter().zip(flipped).map(|(as_is, flipped)| {
        ((squiggle(flipped) + MISTAKEN) / (squiggle(as_is) + MISTAKEN)).ln()
    });
    BEFORE + told.sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Property;
    use image::{Rgb, RgbImage};

    /// Says by the brightness of a card's left half against its right: a squiggle where the left one is
    /// brighter, an oval where the right one is, a diamond where they are alike.
    struct Handed;
    impl Reader for Handed {
        fn read(&self, cards: &Cards) -> Result<Vec<Reading>, NetworkError> {
            let of = |card: &CardImage| {
                let half = |right: bool| {
                    let pixels = card.pixels.enumerate_pixels();
                    let of_half = pixels.filter(|(x, ..)| (*x >= card.pixels.width() / 2) == right);
                    of_half.map(|(.., p)| i64::from(p.0[0])).sum::<i64>()
                };
                let shape = match half(false) - half(true) {
                    d if d > 100_000 => Shape::Squiggle,
                    d if d < -100_000 => Shape::Oval,
                    _ => Shape::Diamond,
                };
                let mut reading = Reading { is_card: 0.99, ..Reading::UNKNOWN };
                let values = std::array::from_fn(|v| if v == shape.index() { 0.98 } else { 0.01 });
                reading.values[Property::Shape as usize] = values;
                reading
            };
            Ok(cards.images.iter().map(of).collect())
        }
    }

    /// A row of cards, each white with a dark bar: on the left (L), the right (R), or none.
    fn shapes(ends: &str, mirrored: Mirrored) -> (Vec<usize>, bool) {
        let mut image = RgbImage::from_pixel(100 * ends.len() as u32, 80, Rgb([40, 90, 50]));
        for (i, end) in ends.chars().enumerate() {
            for y in 10..70 {
                for x in 0..90 {
                    let dark = match end {
                        'L' => (10..25).contains(&x),
                        'R' => (65..80).contains(&x),
                        _ => false,
                    };
                    let level = if dark { 60 } else { 230 };
                    image.put_pixel(100 * i as u32 + x, y, Rgb([level; 3]));
                }
            }
        }
        let frame = Frame { image };
        let outlines: Vec<CardOutline> = (0..ends.len())
            .map(|i| {
                let at = Point::new(100.0 * i as f64, 10.0);
                CardOutline::at(Quad::rectangle(90.0, 60.0).map(|p| p + at))
            })
            .collect();
        let images: Vec<CardImage> =
            outlines.iter().map(|outline| rectify::rectify(&frame, outline)).collect();
        let cards = Cards { frame: &frame, outlines: &outlines, images: &images };
        let (readings, is_mirrored) = read(&Handed, &cards, mirrored).unwrap();
        let best = |reading: &Reading| {
            let shape = reading.values[3];
            (0..3).max_by(|&a, &b| shape[a].total_cmp(&shape[b])).unwrap()
        };
        (readings.iter().map(best).collect(), is_mirrored)
    }

    #[test]
    fn squiggles_tell_a_mirror() {
        let [diamond, oval, squiggle] = Shape::ALL.map(Shape::index);
        let plain = shapes("RRL-", Mirrored::Auto);
        assert_eq!(plain, (vec![squiggle, squiggle, oval, diamond], false));
        let mirror = shapes("LLL-", Mirrored::Auto);
        assert_eq!(mirror, (vec![squiggle, squiggle, squiggle, diamond], true));
        // Nothing tells: as it usually is.
        assert_eq!(shapes("---", Mirrored::Auto), (vec![diamond; 3], false));
        assert_eq!(shapes("", Mirrored::Auto), (Vec::new(), false));
        // Asked for, whatever is seen.
        assert_eq!(shapes("RR", Mirrored::Yes), (vec![oval; 2], true));
        assert_eq!(shapes("LL", Mirrored::No), (vec![oval; 2], false));
    }
}
