//! Whether a picture shows the colours of its cards at all: not if it is grey, and not if a narrow
//! light makes all inks alike.

use super::table_facts::{Colors, TableFacts};
use crate::conditions::Conditions;
use crate::data::{CardImage, Reading};
use setsight_game::cards::Property;

/// Chroma below which four of five inks lie in a grey picture, see [`Conditions::chroma`].
const GREY: f32 = 0.12;
/// Distance from their middle below which four of five inks are alike.
const ALIKE: f32 = 0.05;
/// Cards from which alike inks mean a narrow light, and not cards of one colour.
const ENOUGH: usize = 6;
/// An ink is measured on cards with at least this contrast.
const LEAST_CONTRAST: f32 = 0.15;

/// Makes the colour of all cards unknown if the picture does not show it.
pub fn settle(
    images: &[CardImage],
    mut readings: Vec<Reading>,
    before: TableFacts,
) -> (Vec<Reading>, TableFacts) {
    let told = told(images, &readings, before.colors);
    if told != Colors::Told {
        for reading in &mut readings {
            reading.values[Property::Color as usize] = [1.0 / 3.0; 3];
        }
    }
    (readings, TableFacts { colors: told, ..before })
}

fn told(images: &[CardImage], readings: &[Reading], before: Colors) -> Colors {
    let cards: Vec<(Conditions, &Reading)> = images
        .iter()
        .zip(readings)
        .filter(|(_, reading)| reading.is_card >= 0.5)
        .map(|(image, reading)| {
            let is_measured = reading.conditions != Conditions::UNKNOWN;
            (if is_measured { reading.conditions } else { image.conditions() }, reading)
        })
        .filter(|(conditions, _)| conditions.contrast >= LEAST_CONTRAST)
        .collect();
    if cards.is_empty() {
        return before;
    }
    if upper(cards.iter().map(|(c, _)| c.chroma)) < GREY {
        return Colors::Grey;
    }
    let middle: [f32; 2] = [0, 1].map(|i| median(cards.iter().map(|(c, _)| c.ink[i])));
    let off = |c: &Conditions| (c.ink[0] - middle[0]).hypot(c.ink[1] - middle[1]);
    let spread = upper(cards.iter().map(|(c, _)| off(c)));
    if cards.len() >= ENOUGH && spread < ALIKE && names_several(&cards) {
        return Colors::Alike;
    }
    Colors::Told
}

/// Whether the cards are read as of more than one colour, although their inks do not differ.
fn names_several(cards: &[(Conditions, &Reading)]) -> bool {
    let mut mass = [0.0f32; 3];
    for (_, reading) in cards {
        for (sum, p) in mass.iter_mut().zip(reading.values[Property::Color as usize]) {
            *sum += p;
        }
    }
    let most = mass.iter().copied().fold(0.0, f32::max);
    most < 0.9 * cards.len() as f32
}

/// The value that a fifth of the values reach.
fn upper(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() * 4 / 5).copied().unwrap_or(0.0)
}

fn median(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{CARD_LONG_PX, CARD_SHORT_PX};
    use image::{Rgb, RgbImage};

    fn card(ink: [u8; 3]) -> CardImage {
        let mut pixels = RgbImage::from_pixel(CARD_LONG_PX, CARD_SHORT_PX, Rgb([230; 3]));
        for (x, y) in (76..116).flat_map(|x| (30..98).map(move |y| (x, y))) {
            pixels.put_pixel(x, y, Rgb(ink));
        }
        let white_in_image = [230.0; 3];
        CardImage { pixels, white_in_image, light_cast: 0.0, long_side_in_image_px: 100.0 }
    }

    /// A card that is read as one of this colour, whatever it shows.
    fn read_as(color: usize) -> Reading {
        let mut reading = Reading { is_card: 0.99, ..Reading::UNKNOWN };
        reading.values[2] = std::array::from_fn(|v| if v == color { 0.98 } else { 0.01 });
        reading
    }

    #[test]
    fn a_colour_that_the_picture_does_not_show_is_unknown() {
        let settled = |inks: &[[u8; 3]], read: &[usize]| {
            let images: Vec<CardImage> = inks.iter().map(|ink| card(*ink)).collect();
            let readings = read.iter().map(|&color| read_as(color)).collect();
            let (readings, facts) = settle(&images, readings, TableFacts::default());
            (facts.colors, readings.iter().all(|r| r.values[2] == [1.0 / 3.0; 3]))
        };
        let (red, green, grey) = ([210, 40, 50], [40, 160, 80], [80, 82, 81]);
        assert_eq!(settled(&[red, green], &[2, 0]), (Colors::Told, false));
        assert_eq!(settled(&[grey; 3], &[2, 0, 1]), (Colors::Grey, true));
        // Six inks that look alike and are read as of two colours; of one they may be.
        assert_eq!(settled(&[red; 6], &[2, 0, 2, 0, 2, 0]), (Colors::Alike, true));
        assert_eq!(settled(&[red; 6], &[2; 6]), (Colors::Told, false));
    }
}
