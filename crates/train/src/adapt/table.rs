//! A person's photo as training data for the finder: scaled and cropped at random, with its cards.

use crate::finder::{scenes::Drawn, target::SeenCard};
use setsight_game::cards::{Card, Edition, deck::Deck};
use setsight_photo::geometry::{Homography, Point, Quad, median};
use setsight_photo::print::dice::{Dice, Purpose};
use setsight_photo::{Frame, pixels::resized};
use std::sync::Arc;

/// Long side of the median card in the stored picture, in pixels: the largest size that is shown.
const KEPT_CARD_PX: f64 = 75.0;
/// Range of the median card's long side in training pictures, in pixels.
const SHOWN_CARD_PX: (f64, f64) = (34.0, 75.0);
/// Stated fraction in view of a card without known corners; at this value it is optional for the
/// finder.
const EITHER: f64 = 0.2;
/// Why resizing cannot fail.
const WHOLE: &str = "a picture holds all of its pixels";

/// A labelled photo, downscaled.
#[derive(Clone, Debug)]
pub struct OwnTable {
    size_px: (u32, u32),
    rgb: Vec<u8>,
    /// Long side of its median card, in pixels of the stored picture.
    card_px: f64,
    cards: Vec<SeenCard>,
}

impl OwnTable {
    /// From a photo with its cards' corners, and the centres of cards without known corners, in
    /// pixels of the upright photo. There is no table if no card has corners.
    pub(crate) fn new(
        frame: &Frame,
        placed: &[(Card, Quad)],
        unplaced: &[Point],
        edition: Edition,
    ) -> Option<Self> {
        let median = median(placed.iter().map(|(_, quad)| quad.long_side()))?;
        let scale = (KEPT_CARD_PX / median).min(1.0);
        let deck = edition.deck().unwrap_or_else(Deck::classic);
        let mut cards: Vec<SeenCard> =
            placed.iter().map(|(card, quad)| whole(*card, quad, &deck)).collect();
        cards.extend(unplaced.iter().map(|&center| {
            let corners = Quad::unit_card().map(|p| center + p * median);
            SeenCard { card: Card::from_index(0), corners, in_view: EITHER, symbols: Vec::new() }
        }));
        let (width, height) = frame.dimensions();
        let side = |px: u32| (f64::from(px) * scale).round().max(1.0) as u32;
        let size_px = (side(width), side(height));
        let rgb = resized(frame.as_raw(), (width, height), size_px).expect(WHOLE);
        let cards = cards.iter().map(|card| moved(card, scale)).collect();
        Some(Self { size_px, rgb, card_px: median * scale, cards })
    }

    /// The `index`-th training picture, `size_px` columns and rows. The cards get a random size;
    /// the scaled photo is cropped if it is too large, and its border is repeated if it is too
    /// small.
    pub(crate) fn shown(&self, seed: u64, index: u64, size_px: (u32, u32)) -> Drawn {
        let mut dice = Dice::new(seed, index, Purpose::Ranges);
        let (low, high) = SHOWN_CARD_PX;
        let scale = dice.between(low.ln(), high.ln()).exp() / self.card_px;
        let side = |px: u32| (f64::from(px) * scale).round().max(1.0) as u32;
        let scaled_px = (side(self.size_px.0), side(self.size_px.1));
        let pixels = resized(&self.rgb, self.size_px, scaled_px).expect(WHOLE);
        let mut corner = |scaled: u32, shown: u32| {
            ((f64::from(scaled) - f64::from(shown)) * dice.unit()).round() as i64
        };
        let (left, top) = (corner(scaled_px.0, size_px.0), corner(scaled_px.1, size_px.1));
        let mut rgb = Vec::with_capacity(3 * (size_px.0 * size_px.1) as usize);
        for y in 0..i64::from(size_px.1) {
            let y = (y + top).clamp(0, i64::from(scaled_px.1) - 1);
            for x in 0..i64::from(size_px.0) {
                let x = (x + left).clamp(0, i64::from(scaled_px.0) - 1);
                let at = 3 * (y * i64::from(scaled_px.0) + x) as usize;
                rgb.extend_from_slice(&pixels[at..at + 3]);
            }
        }
        let shift = Point::new(-left as f64, -top as f64);
        let place = |card: &SeenCard| {
            let card = moved(card, scale);
            let corners = card.corners.map(|p| p + shift);
            let symbols: Vec<(Point, f64)> = card
                .symbols
                .iter()
                .map(|&(p, _)| (p + shift, f64::from(u8::from(inside(p + shift, size_px)))))
                .collect();
            let in_view = card.in_view * part_inside(&corners, size_px);
            SeenCard { corners, symbols, in_view, ..card }
        };
        Drawn {
            size_px: (size_px.0 as usize, size_px.1 as usize),
            rgb: Arc::from(rgb),
            gain: [1.0; 3],
            mirrored: [false; 2],
            cards: self.cards.iter().map(place).collect(),
            others: Vec::new(),
        }
    }

    /// The pixels, for a fingerprint.
    pub(crate) fn pixels(&self) -> &[u8] {
        &self.rgb
    }
}

/// An uncovered card, with symbols where its deck prints them.
fn whole(card: Card, quad: &Quad, deck: &Deck) -> SeenCard {
    let corners = quad.as_card();
    let symbols = Homography::between(&Quad::unit_card(), &corners).map(|image_from_card| {
        let centers = deck.symbol_centers(card.number).into_iter();
        centers.map(|x| (image_from_card.apply(Point::new(x, 0.0)), 1.0)).collect()
    });
    SeenCard { card, corners, in_view: 1.0, symbols: symbols.unwrap_or_default() }
}

fn moved(card: &SeenCard, scale: f64) -> SeenCard {
    let symbols = card.symbols.iter().map(|&(p, seen)| (p * scale, seen)).collect();
    SeenCard { corners: card.corners.scaled(scale), symbols, ..*card }
}

fn inside(p: Point, size_px: (u32, u32)) -> bool {
    p.x >= 0.0 && p.y >= 0.0 && p.x < f64::from(size_px.0) && p.y < f64::from(size_px.1)
}

/// Fraction of a card inside the picture, measured on a grid of points.
fn part_inside(quad: &Quad, size_px: (u32, u32)) -> f64 {
    const GRID: usize = 8;
    let Some(image_from_card) = Homography::between(&Quad::unit_card(), quad) else {
        return 0.0;
    };
    let at = |i: usize| (i as f64 + 0.5) / GRID as f64 - 0.5;
    let points = (0..GRID * GRID).map(|i| Point::new(at(i % GRID), at(i / GRID)));
    let seen = points.filter(|p| inside(image_from_card.apply(*p), size_px)).count();
    seen as f64 / (GRID * GRID) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    /// A grey table of 1,200 x 900 pixels with a white card of 200 x 128 at (500, 400).
    fn table() -> OwnTable {
        let mut image = RgbImage::from_pixel(1_200, 900, Rgb([90; 3]));
        let corner = Point::new(500.0, 400.0);
        for (x, y, pixel) in image.enumerate_pixels_mut() {
            if (500..700).contains(&x) && (400..528).contains(&y) {
                *pixel = Rgb([250; 3]);
            }
        }
        let quad = Quad::rectangle(200.0, 128.0).map(|p| p + corner);
        let card = "3fgd".parse().unwrap();
        let unplaced = [Point::new(900.0, 200.0)];
        OwnTable::new(&image, &[(card, quad)], &unplaced, Edition::Classic).unwrap()
    }

    #[test]
    fn a_card_is_shown_where_its_label_says() {
        let table = table();
        let (mut whole, mut cut) = (0, 0);
        for index in 0..40 {
            let shown = table.shown(1, index, (320, 256));
            assert_eq!(shown, table.shown(1, index, (320, 256)), "by seed and index");
            let card = &shown.cards[0];
            let long = card.corners.long_side();
            assert!((SHOWN_CARD_PX.0 - 1.0..SHOWN_CARD_PX.1 + 1.0).contains(&long), "{long}");
            if card.in_view < 1.0 {
                cut += 1;
                continue;
            }
            whole += 1;
            assert_eq!(card.symbols.len(), 3);
            let brightness = |p: Point| shown.rgb[3 * (p.y as usize * 320 + p.x as usize)];
            let within = card.corners.map(|p| card.corners.center().lerp(p, 0.85));
            assert!(within.0.iter().all(|p| brightness(*p) > 200), "the card");
            let beside = card.corners.map(|p| card.corners.center().lerp(p, 1.2));
            let seen: Vec<_> = beside.0.iter().filter(|p| inside(**p, (320, 256))).collect();
            assert!(seen.iter().all(|p| brightness(**p) < 120), "the table");
        }
        assert!(whole > 5, "{whole} whole, {cut} cut");
    }

    #[test]
    fn a_card_without_a_place_may_be_found_or_not() {
        let shown = table().shown(1, 0, (320, 256));
        assert!(shown.cards[1].in_view <= EITHER);
    }
}
