//! Whether a picture shows the colours of its cards: not if it is grey, and not if narrow-band light makes all
//! inks alike.

use super::Colors;
use crate::card::{CARD_LONG_PX, CARD_SHORT_PX, CardImage, Reading};
use crate::probability::median;
use crate::rectify::{BALANCED_WHITE, rank};
use setsight_game::cards::Property;

/// Chroma below which four of five inks lie in a grey picture, see [`Ink::chroma`].
const GREY: f32 = 0.12;
/// Distance from their middle below which four of five inks are alike.
const ALIKE: f32 = 0.05;
/// Cards from which alike inks mean a narrow light, and not cards of one colour.
const ENOUGH: usize = 6;
/// An ink is measured on cards on which it is darker than the stock by at least this share of it, in
/// the channel in which that shows most.
const LEAST_CONTRAST: f32 = 0.15;

/// The value of the stock in a balanced picture.
const STOCK: f32 = 255.0 * BALANCED_WHITE;
/// The part of the card, in pixels of its picture, in which symbols lie: left, top, right, bottom.
const BAND: [u32; 4] =
    [CARD_LONG_PX / 16, CARD_SHORT_PX / 5, CARD_LONG_PX * 15 / 16, CARD_SHORT_PX * 4 / 5];
const BAND_WIDTH: usize = (BAND[2] - BAND[0]) as usize;
/// Every third row is looked at.
const ROW_STEP: usize = 3;
/// Open symbols cover this part of the band on a card with a single one.
const LEAST_INKED: f64 = 0.02;

/// The ink of a card, as its balanced picture shows it.
#[derive(Clone, Copy, Debug)]
struct Ink {
    /// Its colour, whatever its brightness: differences of the absorption in the three channels, red
    /// against the rest and green against blue, relative to the largest one.
    color: [f32; 2],
}

impl Ink {
    /// `None` if there is too little ink to measure its colour.
    fn measure(card: &CardImage) -> Option<Self> {
        let darkest = darkest_channel(card);
        let mut levels = [0u32; 256];
        darkest.iter().for_each(|&value| levels[usize::from(value)] += 1);
        let depth = STOCK - rank(&levels, LEAST_INKED) as f32;
        let color = || ink_of(card, &darkest, STOCK - 0.5 * depth);
        (depth >= LEAST_CONTRAST * STOCK).then(|| Self { color: color() })
    }

    /// Length of [`Ink::color`]: 0 for grey, about 0.9 for a saturated ink.
    fn chroma(&self) -> f32 {
        self.color[0].hypot(self.color[1])
    }
}

/// Whether the picture shows the colours of its cards, given a first reading of each; `before` if it shows
/// no ink.
pub(super) fn shown(images: &[CardImage], readings: &[Reading], before: Colors) -> Colors {
    let cards = images.iter().zip(readings).filter(|(_, reading)| reading.is_card >= 0.5);
    let (inks, cards): (Vec<Ink>, Vec<&Reading>) =
        cards.filter_map(|(image, reading)| Some((Ink::measure(image)?, reading))).unzip();
    if cards.is_empty() {
        return before;
    }
    if upper(inks.iter().map(Ink::chroma)) < GREY {
        return Colors::Grey;
    }
    let middle = [0, 1].map(|i| median(inks.iter().map(|ink| ink.color[i])) as f32);
    let spread =
        upper(inks.iter().map(|ink| (ink.color[0] - middle[0]).hypot(ink.color[1] - middle[1])));
    if cards.len() >= ENOUGH && spread < ALIKE && names_several(&cards) {
        return Colors::Alike;
    }
    Colors::Shown
}

/// Whether the cards are read as of more than one colour, although their inks do not differ.
fn names_several(cards: &[&Reading]) -> bool {
    let mut mass = [0.0f32; 3];
    for reading in cards {
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

/// The looked-at pixels of the part with symbols, row by row, each pixel's darkest channel.
fn darkest_channel(card: &CardImage) -> Vec<u8> {
    let mut darkest = Vec::with_capacity(BAND_WIDTH * CARD_SHORT_PX as usize / ROW_STEP);
    for row in rows(card) {
        darkest.extend(row.chunks_exact(3).map(|p| p[0].min(p[1]).min(p[2])));
    }
    darkest
}

/// The looked-at rows of the part with symbols, R, G, B.
fn rows(card: &CardImage) -> impl Iterator<Item = &[u8]> {
    let [left, top, right, bottom] = BAND.map(|v| v as usize);
    let rows = card.pixels.as_raw().chunks_exact(3 * CARD_LONG_PX as usize);
    rows.take(bottom).skip(top).step_by(ROW_STEP).map(move |row| &row[3 * left..3 * right])
}

/// The mean colour of the pixels whose darkest channel is below `limit`, see [`Ink::color`].
fn ink_of(card: &CardImage, darkest: &[u8], limit: f32) -> [f32; 2] {
    let (mut sum, mut n) = ([0u32; 3], 0u32);
    for (row, darkest) in rows(card).zip(darkest.chunks_exact(BAND_WIDTH)) {
        for (pixel, &darkest) in row.chunks_exact(3).zip(darkest) {
            if f32::from(darkest) < limit {
                n += 1;
                sum.iter_mut().zip(pixel).for_each(|(sum, &v)| *sum += u32::from(v));
            }
        }
    }
    let [r, g, b] = sum.map(|sum| 1.0 - sum as f32 / (n.max(1) as f32 * STOCK));
    let most = r.max(g).max(b).max(1e-3);
    [(r - 0.5 * (g + b)) / most, 0.866 * (g - b) / most]
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn inks_are_distinguished_whatever_their_brightness() {
        let color = |ink| Ink::measure(&card(ink)).unwrap();
        let (red, green, purple) = ([210, 40, 50], [40, 160, 80], [110, 50, 140]);
        for (a, b) in [(red, green), (red, purple), (green, purple)] {
            assert!(distance(color(a), color(b)) > 0.4, "{a:?} {b:?}");
        }
        assert!(color(red).chroma() > 0.7 && color([90, 90, 90]).chroma() < 0.02);
        assert!(Ink::measure(&card([229; 3])).is_none(), "no ink");
    }

    fn distance(a: Ink, b: Ink) -> f32 {
        (a.color[0] - b.color[0]).hypot(a.color[1] - b.color[1])
    }

    #[test]
    fn a_picture_shows_its_colours_or_does_not() {
        let shown = |inks: &[[u8; 3]], read: &[usize]| {
            let images: Vec<CardImage> = inks.iter().map(|ink| card(*ink)).collect();
            let readings: Vec<Reading> = read.iter().map(|&color| read_as(color)).collect();
            shown(&images, &readings, Colors::Shown)
        };
        let (red, green, grey) = ([210, 40, 50], [40, 160, 80], [80, 82, 81]);
        assert_eq!(shown(&[red, green], &[2, 0]), Colors::Shown);
        assert_eq!(shown(&[grey; 3], &[2, 0, 1]), Colors::Grey);
        // Six inks that look alike and are read as of two colours; of one they may be.
        assert_eq!(shown(&[red; 6], &[2, 0, 2, 0, 2, 0]), Colors::Alike);
        assert_eq!(shown(&[red; 6], &[2; 6]), Colors::Shown);
    }
}
