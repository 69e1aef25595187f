//! The face of a card, drawn from its geometry.
//!
//! Colours are linear reflectances, (R, G, B), from 0 for black to 1 for a perfect white. The face
//! is evaluated analytically for each pixel, and every edge is averaged over the pixel's footprint.
//! There is no texture, so no limit of resolution.

use super::{
    color::{linear_from_srgb, linear_rgb, srgb_byte},
    dice::{self, Dice, Span},
    ink::{self, Footprint, Symbols, coverage, rounded_rectangle},
};
use image::{Rgb, RgbImage};
use setsight_game::cards::{
    Card, Deck, Number,
    deck::{Fill, FillKind},
    outline::{CARD_LONG_MM, CARD_SHORT_MM},
};
use std::sync::Arc;

/// The print and cut of a deck. Lengths in millimetres of the card.
#[derive(Clone, Debug, PartialEq)]
pub struct Print {
    /// The deck.
    pub deck: Arc<Deck>,
    /// Distance fields of its symbols.
    pub symbols: Arc<Symbols>,
    /// Linear reflectance of the stock.
    pub stock: [f64; 3],
    /// Linear reflectance of the inks, indexed by [`Color::index`](setsight_game::cards::Color::index).
    pub inks: [[f64; 3]; 3],
    /// The fills of its shadings, indexed by [`Shading::index`](setsight_game::cards::Shading::index).
    pub fills: [Fill; 3],
    /// Position of the first stripe, in pitches.
    pub phase: f64,
    /// Scale of the symbols relative to the measured ones.
    pub symbol_scale: f64,
    /// Spacing of the symbols relative to the measured one.
    pub spacing_scale: f64,
    /// Radius of the card's corners.
    pub corner_mm: f64,
    /// Offset of the print from the card's centre.
    pub offset_mm: (f64, f64),
    /// Reflectance of the card's cut edge relative to its stock.
    pub edge: f64,
    /// Wear of its edges, 0 (new) to 1: rough and dirty, most of all at the corners.
    pub wear: f64,
}

impl Default for Print {
    /// The most common printing of the classic deck, new.
    fn default() -> Self {
        Self::new(Deck::classic())
    }
}

impl Print {
    /// The most common printing of a deck, new.
    pub fn new(deck: Arc<Deck>) -> Self {
        Self {
            symbols: Symbols::for_deck(&deck),
            stock: [0.86, 0.86, 0.85],
            inks: [0, 1, 2].map(|i| linear_rgb(deck.inks[i].printings[0])),
            fills: [0, 1, 2].map(|i| deck.fills[i].fill),
            deck,
            phase: 0.0,
            symbol_scale: 1.0,
            spacing_scale: 1.0,
            corner_mm: 4.2,
            offset_mm: (0.0, 0.0),
            edge: 0.9,
            wear: 0.0,
        }
    }

    /// A random printing of a deck. `variety` 0 gives the most common one, 1 the full range of real
    /// cards.
    pub fn random(deck: Arc<Deck>, dice: &mut Dice, variety: f64) -> Self {
        let plain = Self::new(deck);
        let inks_of_deck = &plain.deck.inks;
        let choice = dice.below(inks_of_deck[0].printings.len());
        let mut spread = |size: f64| 1.0 + size * variety * dice.between(-1.0, 1.0);
        let brightness = spread(0.05);
        let stock = plain.stock.map(|v| v * brightness * spread(0.012));
        let shade = [spread(0.3), spread(0.3), spread(0.2)];
        let inks = [0, 1, 2].map(|color| {
            let printing = linear_rgb(inks_of_deck[color].printings[choice]);
            [0, 1, 2].map(|channel| {
                let printed = printing[channel];
                let usual = plain.inks[color][channel];
                let mixed = usual + (printed - usual) * variety.min(1.0);
                (mixed * shade[color] * spread(0.2)).clamp(0.002, 0.85)
            })
        });
        let (wider, coarser, denser) = (spread(0.2), spread(0.08), spread(0.2));
        let fills = plain.fills.map(|fill| Fill {
            outline_mm: fill.outline_mm * wider,
            pitch_mm: fill.pitch_mm * coarser,
            duty: fill.duty * denser,
            ..fill
        });
        Self {
            stock,
            inks,
            fills,
            phase: dice.unit() * variety,
            symbol_scale: 1.0 + 0.05 * variety * dice.between(-1.0, 1.0),
            spacing_scale: 1.0 + 0.04 * variety * dice.between(-1.0, 1.0),
            corner_mm: plain.corner_mm * (1.0 + 0.25 * variety * dice.between(-1.0, 1.0)),
            offset_mm: (
                0.7 * variety * dice.between(-1.0, 1.0),
                0.5 * variety * dice.between(-1.0, 1.0),
            ),
            edge: 0.9 + 0.08 * variety * dice.between(-1.0, 1.0),
            wear: 0.0,
            ..plain
        }
    }

    /// Draws a random outline width, between the range's ends in millimetres for the classic deck.
    /// Other decks' own widths get a factor by the same position in the range.
    pub fn draw_outline(&mut self, range: Span, dice: &mut Dice) {
        let value = dice.within(range);
        let part = (value - range.low) / (range.high - range.low).max(1e-9);
        for (fill, named) in self.fills.iter_mut().zip(&self.deck.fills) {
            fill.outline_mm = if self.deck.is_classic() {
                value
            } else {
                named.fill.outline_mm * (0.8 + 0.6 * part)
            };
        }
    }

    /// Draws a random inked fraction of the stripes for the classic deck; other decks' fills get
    /// a factor by the same position in the range.
    pub fn draw_duty(&mut self, range: Span, dice: &mut Dice) {
        let value = dice.within(range);
        let part = (value - range.low) / (range.high - range.low).max(1e-9);
        for (fill, named) in self.fills.iter_mut().zip(&self.deck.fills) {
            let scaled = named.fill.duty * (0.75 + 0.45 * part);
            fill.duty = if self.deck.is_classic() { value } else { scaled };
        }
    }

    /// Distance between neighbouring symbols' centres, in millimetres.
    fn spacing_mm(&self) -> f64 {
        self.deck.symbol_spacing * CARD_LONG_MM * self.spacing_scale
    }

    /// Centres of a card's symbols, in millimetres from the card's centre.
    pub fn symbol_centers_mm(&self, number: Number) -> Vec<(f64, f64)> {
        let centers = self.deck.symbol_centers(number).into_iter();
        centers
            .map(|center| {
                (self.offset_mm.0 + center * CARD_LONG_MM * self.spacing_scale, self.offset_mm.1)
            })
            .collect()
    }
}

/// A pixel's view of a card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacePixel {
    /// Linear reflectance.
    pub color: [f64; 3],
    /// Fraction of the pixel that the card covers, 0 to 1.
    pub cover: f64,
}

/// A pixel wider than this is split into four, because an edge is no longer straight inside it.
const SPLIT_MM: f64 = 0.6;

/// The face at `(x, y)`, in millimetres from the card's centre, with the long side along x.
pub fn face(card: Card, print: &Print, x: f64, y: f64, pixel: &Footprint) -> FacePixel {
    let size = pixel.along((1.0, 0.0)).max(pixel.along((0.0, 1.0)));
    let clear = rounded_rectangle(x, y, CARD_LONG_MM / 2.0, CARD_SHORT_MM / 2.0, print.corner_mm);
    if clear.mm > size {
        return FacePixel { color: print.stock, cover: 0.0 };
    }
    let near_edge = clear.mm > -size - EDGE_MM;
    if size <= SPLIT_MM || (!near_edge && !near_ink(card, print, x, y, size)) {
        return face_once(card, print, x, y, pixel);
    }
    let half = pixel.half();
    let (mut color, mut cover) = ([0.0; 3], 0.0);
    for (i, j) in [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)] {
        let part = face_once(
            card,
            print,
            x + i * half.right.0 + j * half.down.0,
            y + i * half.right.1 + j * half.down.1,
            &half,
        );
        cover += part.cover / 4.0;
        for (sum, value) in color.iter_mut().zip(part.color) {
            *sum += value * part.cover / 4.0;
        }
    }
    if cover > 0.0 {
        color = color.map(|v| v / cover);
    }
    FacePixel { color, cover }
}

/// Width of the visible cut edge.
const EDGE_MM: f64 = 0.35;

fn nearest_symbol(card: Card, print: &Print, x: f64) -> f64 {
    let spacing = print.spacing_mm();
    let last = card.number.index() as f64;
    let k = ((x - print.offset_mm.0) / spacing + last / 2.0).round().clamp(0.0, last);
    print.offset_mm.0 + (k - last / 2.0) * spacing
}

fn near_ink(card: Card, print: &Print, x: f64, y: f64, size: f64) -> bool {
    let scale = print.symbol_scale;
    let (dx, dy) = ((x - nearest_symbol(card, print, x)) / scale, (y - print.offset_mm.1) / scale);
    let Some(d) = print.symbols.distance(card.shape, dx, dy) else { return false };
    let fill = &print.fills[card.shading.index()];
    let (outer, inner) = (d.mm * scale, d.mm * scale + fill.outline_mm);
    outer.abs() < size || (fill.kind != FillKind::Solid && inner.abs() < size)
}

fn face_once(card: Card, print: &Print, x: f64, y: f64, pixel: &Footprint) -> FacePixel {
    let (half_long, half_short) = (CARD_LONG_MM / 2.0, CARD_SHORT_MM / 2.0);
    let border = rounded_rectangle(x, y, half_long, half_short, print.corner_mm);
    let across = pixel.along(border.gradient);
    let cover = coverage(border.mm, across);
    let mut color = print.stock;
    if cover > 0.0 {
        let edge = cover - coverage(border.mm + EDGE_MM, across).min(cover);
        let edge = edge / cover;
        color = color.map(|v| v * (1.0 - edge * (1.0 - print.edge)));
        if print.wear > 0.0 && border.mm > -WORN_MM {
            let worn = worn(card, print, x, y, border.mm);
            for (v, dirt) in color.iter_mut().zip([0.45, 0.42, 0.36]) {
                *v += (dirt - *v) * worn;
            }
        }
    }
    let amount = ink_amount(card, print, x, y, pixel);
    if amount > 0.0 {
        let ink = print.inks[card.color.index()];
        for (value, ink) in color.iter_mut().zip(ink) {
            *value += (ink * print.stock[1] - *value) * amount;
        }
    }
    FacePixel { color, cover }
}

/// Maximum distance of wear from the border.
const WORN_MM: f64 = 3.0;

/// Fraction of the stock that is rubbed away at a place `mm` (negative) inside the border, 0 to 1.
fn worn(card: Card, print: &Print, x: f64, y: f64, mm: f64) -> f64 {
    let corner = (x.abs() / (CARD_LONG_MM / 2.0)).min(1.0).powi(6)
        * (y.abs() / (CARD_SHORT_MM / 2.0)).min(1.0).powi(6);
    let rough = dice::value(card.index() as u64 ^ 0x57_0a_11, x / 1.7, y / 1.7);
    let deep = print.wear * (0.4 + 0.6 * rough + 2.2 * corner);
    (deep * (1.0 + mm / (0.5 + 2.5 * corner)).max(0.0)).clamp(0.0, 0.8)
}

/// Inked fraction of the pixel, 0 to 1.
fn ink_amount(card: Card, print: &Print, x: f64, y: f64, pixel: &Footprint) -> f64 {
    let scale = print.symbol_scale;
    let (dx, dy) = (x - nearest_symbol(card, print, x), y - print.offset_mm.1);
    let Some(d) = print.symbols.distance(card.shape, dx / scale, dy / scale) else { return 0.0 };
    let across = pixel.along(d.gradient);
    let outer = coverage(d.mm * scale, across);
    let fill = &print.fills[card.shading.index()];
    if outer == 0.0 || fill.kind == FillKind::Solid {
        return outer;
    }
    let inner = coverage(d.mm * scale + fill.outline_mm, across);
    let inside = ink::inked(fill, print.phase, (dx, dy), pixel);
    outer - inner + inner * inside
}

/// How much of each pixel is inked, 0 to 1, row by row, where the whole card fills `columns` x `rows`; looked
/// at within `window` alone (left, top, right, bottom), blank elsewhere.
pub fn ink_map(
    card: Card,
    print: &Print,
    (columns, rows): (usize, usize),
    [left, top, right, bottom]: [usize; 4],
) -> Vec<f32> {
    let (wide, high) = (CARD_LONG_MM / columns as f64, CARD_SHORT_MM / rows as f64);
    let pixel = Footprint { right: (wide, 0.0), down: (0.0, high) };
    let mut map = vec![0.0; columns * rows];
    for j in top..bottom {
        for i in left..right {
            let x = (i as f64 + 0.5 - columns as f64 / 2.0) * wide;
            let y = (j as f64 + 0.5 - rows as f64 / 2.0) * high;
            map[j * columns + i] = ink_amount(card, print, x, y, &pixel) as f32;
        }
    }
    map
}

/// A card's face from straight above in even light, `long_px` wide with the long side horizontal.
/// In sRGB, with the stock scaled to `white` (0 to 255); `outside` is the colour outside the
/// rounded corners.
///
/// # Panics
/// If `long_px` is below 8.
pub fn picture(card: Card, print: &Print, long_px: u32, white: u8, outside: [u8; 3]) -> RgbImage {
    assert!(long_px >= 8, "a card of {long_px} pixels shows nothing");
    let mm = CARD_LONG_MM / f64::from(long_px);
    let short_px = (CARD_SHORT_MM / mm).round() as u32;
    let gain = linear_from_srgb(f64::from(white) / 255.0) / print.stock[1];
    let outside = linear_rgb(outside);
    let pixel = Footprint { right: (mm, 0.0), down: (0.0, mm) };
    RgbImage::from_fn(long_px, short_px, |i, j| {
        let x = (f64::from(i) + 0.5 - f64::from(long_px) / 2.0) * mm;
        let y = (f64::from(j) + 0.5 - f64::from(short_px) / 2.0) * mm;
        let printed = face(card, print, x, y, &pixel);
        Rgb([0, 1, 2].map(|c| {
            srgb_byte(outside[c] * (1.0 - printed.cover) + printed.color[c] * gain * printed.cover)
        }))
    })
}

/// Points spread over a card's symbols, in millimetres from the card's centre, for measuring their
/// visible fraction.
pub fn symbol_probes(card: Card, print: &Print) -> Vec<(f64, f64)> {
    let mut probes = Vec::new();
    for (middle_x, middle_y) in print.symbol_centers_mm(card.number) {
        for row in -8..=8 {
            for column in -4..=4 {
                let (x, y) = (f64::from(column) * 2.2, f64::from(row) * 2.3);
                if print.symbols.distance(card.shape, x, y).is_some_and(|d| d.mm < 0.0) {
                    probes.push((
                        middle_x + x * print.symbol_scale,
                        middle_y + y * print.symbol_scale,
                    ));
                }
            }
        }
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_game::cards::{Color, Shading, Shape};

    fn dominant(color: Color, rgb: [u8; 3]) -> bool {
        let [r, g, b] = rgb.map(i32::from);
        match color {
            Color::Green => g > r + 30 && g > b + 20,
            Color::Purple => b > g + 30 && r > g,
            Color::Red => r > g + 60 && r > b + 60,
        }
    }

    #[test]
    fn every_card_shows_its_count_colour_and_shading() {
        let print = Print::default();
        for card in Card::deck() {
            let face = picture(card, &print, 356, 250, [0, 0, 0]);
            assert_eq!(face.dimensions(), (356, 228));
            // A line through the middle crosses each symbol once.
            let mut runs = 0;
            let mut blank = 99;
            for x in 10..346 {
                if (110..118).any(|y| face.get_pixel(x, y)[1] < 215) {
                    if blank > 20 && card.shading != Shading::Open {
                        runs += 1;
                    }
                    if blank > 3 && card.shading == Shading::Open {
                        runs += 1;
                    }
                    blank = 0;
                } else {
                    blank += 1;
                }
            }
            let count = card.number.index() + 1;
            let expected = if card.shading == Shading::Open { 2 * count } else { count };
            assert_eq!(runs, expected, "{card}");
            if card.shading == Shading::Filled && card.number != Number::Two {
                assert!(dominant(card.color, face.get_pixel(178, 114).0), "{card}");
            }
        }
    }

    #[test]
    fn a_small_card_is_the_mean_of_a_large_one() {
        // 27 cards: all shadings and shapes. The small picture does not resolve the stripes.
        for shading in Shading::ALL {
            for shape in Shape::ALL {
                let card = Card { number: Number::Three, shading, color: Color::Red, shape };
                let [small, large] = [44, 445].map(|long_px| {
                    let face = picture(card, &Print::default(), long_px, 250, [0; 3]);
                    let sum: f64 =
                        face.pixels().map(|p| linear_from_srgb(f64::from(p[1]) / 255.0)).sum();
                    sum / f64::from(face.width() * face.height())
                });
                assert!((small / large - 1.0).abs() < 0.02, "{card}: {small} {large}");
            }
        }
    }

    #[test]
    fn half_a_turn_changes_nothing_but_the_stripes_phase() {
        let card: Card = "2fps".parse().unwrap();
        let face = picture(card, &Print::default(), 200, 250, [0; 3]);
        let turned = image::imageops::rotate180(&face);
        let worst = face.iter().zip(turned.iter()).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(worst <= Some(2), "{worst:?}");
    }
}
