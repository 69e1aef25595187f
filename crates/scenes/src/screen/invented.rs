//! Boards of invented decks as apps on screens draw them: any outlines, inks and fillings on cards of
//! any form and colour, among the buttons and panels of a page.
//!
//! `outlines` holds the ranges of outlines, `look` those of everything else about a deck and its cards;
//! this module deals, places and draws.

mod look;
mod outlines;

use super::draw::{Field, Ground, Mark, WORDS, bytes, glow, mix, page, plate, scaled};
use super::style::{Color, Inside, Shadow, accent, grey, hsl};
use crate::{distractors::annotations::write, sensor};
use image::{ImageFormat, RgbImage};
use look::{Look, card_size};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::print::dice::{Dice, Purpose, Span};
use setsight_photo::{encode, pixels};

/// A picture of a screen with a board of an invented deck.
#[derive(Clone, Debug)]
pub struct InventedBoard {
    /// 8-bit sRGB, after its JPEG if it had one.
    pub image: RgbImage,
    /// The cards, without those that a window covers.
    pub cards: Vec<InventedCard>,
    /// Things about as large as a card that are not on the board: buttons, icons, small copies of cards.
    /// Corners in pixels, clockwise from the upper left.
    pub strays: Vec<Quad>,
}

/// A card of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct InventedCard {
    /// In pixels, clockwise from the upper left.
    pub corners: Quad,
    /// Which of the deck's three values it has, in the order of
    /// [`Property::ALL`](setsight_game::cards::Property::ALL): number (less one), filling, ink, outline.
    pub class: [usize; 4],
}

/// What a filling looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Filling {
    pub kind: FillingKind,
    /// The inked part of what is inside the outline, 0 to 1.
    pub coverage: f64,
}

/// A kind of filling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FillingKind {
    Solid,
    Empty,
    Stripes,
    Tint,
    Dots,
    Crosshatch,
    Gradient,
    /// One half of the symbol.
    Half,
    /// Little figures in rows.
    Motif,
    Checks,
    /// A smaller one of the outline, inked.
    Inset,
    /// A smaller one of the outline, left blank.
    Hole,
    Rings,
    Zigzag,
    /// Short strokes at random angles.
    Strokes,
    Noise,
}

/// A card's long side in the picture, and the picture's longest side.
const LONG_PX: Span = Span::new(24.0, 300.0);
const MOST_PX: f64 = 1400.0;
/// Pixels drawn for one of the picture, of screens that are shown larger or smaller.
const RESIZED: (f64, Span) = (0.3, Span::new(0.6, 1.4));
#[rustfmt::skip]
const COUNTS: [(usize, f64); 8] =
    [(12, 14.0), (9, 2.0), (15, 2.0), (16, 1.0), (18, 1.0), (21, 0.7), (6, 0.7), (0, 2.0)];
/// Width by height of a board.
const BOARDS: [(Span, f64); 3] =
    [(Span::new(0.4, 0.75), 3.0), (Span::new(0.75, 1.3), 2.0), (Span::new(1.3, 2.1), 4.0)];
/// Between cards, in short sides.
#[rustfmt::skip]
const GAPS: [(Span, f64); 4] = [
    (Span::new(0.0, 0.04), 1.0), (Span::new(0.04, 0.16), 4.0), (Span::new(0.16, 0.45), 2.0),
    (Span::new(0.45, 0.9), 0.4),
];
/// Around the board in short sides, and the width in cards of a strip at one side for other things.
const MARGIN: Span = Span::new(0.03, 0.6);
const STRIP: (f64, Span) = (0.55, Span::new(0.5, 1.7));
/// How many values a property shows.
const VALUES: [(usize, f64); 3] = [(3, 0.87), (2, 0.08), (1, 0.05)];
const COPIES: f64 = 0.1;
const JPEG: (f64, Span) = (0.5, Span::new(35.0, 96.0));
const TINTED: f64 = 0.08;
const CURSOR: f64 = 0.12;
const WINDOW: f64 = 0.07;

/// Board number `index` of a series.
///
/// # Panics
/// The JPEG encoder fails, in practice only for lack of memory.
pub fn board(seed: u64, index: u64) -> InventedBoard {
    let dice = |purpose| Dice::new(seed, index, purpose);
    let mut layout = dice(Purpose::Layout);
    let classes = deal(&mut layout);
    let plan = Plan::random(classes.len(), &mut layout);
    let mut taste = dice(Purpose::Screen);
    let look = Look::random(plan.card, &mut taste);
    let mut image = page(&plan.ground(&look), plan.size_px(), &mut dice(Purpose::Table));
    let mut strays = plan.strays(&mut image, &look, &mut dice(Purpose::Distractors));
    let mut cards = vec![];
    for (k, (&class, &center)) in classes.iter().zip(&plan.cells).enumerate() {
        let is_chosen = taste.chance(look.chosen.part);
        let (a, b) = look.card(&mut image, class, center, 1.0, is_chosen);
        if look.letter > 0.0 {
            let at = a + Point::new(0.4, 0.8) * look.letter;
            let ink = if look.stock.iter().sum::<f64>() > 1.5 { [30; 3] } else { [225; 3] };
            write(
                &mut image,
                0,
                &char::from(b'A' + k as u8).to_string(),
                at,
                look.letter,
                ink,
                1.0,
            );
        }
        cards.push(InventedCard { corners: rectangle(a, b), class });
    }
    let mut covers = dice(Purpose::Covers);
    if covers.chance(CURSOR) {
        plan.cursor(&mut image, &mut covers);
    }
    if covers.chance(WINDOW) {
        let window = plan.window(&mut image, look.dark, &mut covers);
        let is_free = |quad: &Quad| quad.shared_area(&window) < 0.1 * quad.signed_area();
        cards.retain(|card| is_free(&card.corners));
        strays.retain(is_free);
    }
    let drawn_px = image.dimensions();
    let image = developed(image, 1.0 / plan.resized, &mut dice(Purpose::Sensor));
    let [x, y] = [(image.width(), drawn_px.0), (image.height(), drawn_px.1)]
        .map(|(to, from)| f64::from(to) / f64::from(from));
    let moved = |quad: &Quad| Quad::new(quad.0.map(|p| Point::new(p.x * x, p.y * y)));
    cards.iter_mut().for_each(|card| card.corners = moved(&card.corners));
    InventedBoard { image, cards, strays: strays.iter().map(moved).collect() }
}

/// The classes of a board's cards, some of which may be alike.
fn deal(dice: &mut Dice) -> Vec<[usize; 4]> {
    const FEWEST: usize = 6;
    let count = match dice.pick(&COUNTS) {
        0 => FEWEST + dice.below(16),
        count => count,
    };
    let mut all: Vec<[usize; 4]> = vec![];
    while all.len() < FEWEST {
        let kept = [0; 4].map(|_: usize| {
            let mut values = vec![0, 1, 2];
            dice.shuffle(&mut values);
            values.truncate(dice.pick(&VALUES));
            values
        });
        all = (0..81)
            .map(|k| [k / 27, k / 9 % 3, k / 3 % 3, k % 3])
            .filter(|c| c.iter().zip(&kept).all(|(v, kept)| kept.contains(v)))
            .collect();
    }
    dice.shuffle(&mut all);
    all.truncate(count);
    if dice.chance(COPIES) {
        (0..1 + dice.below(3)).for_each(|k| all[k] = all[k + 3]);
        dice.shuffle(&mut all);
    }
    all
}

fn rectangle(a: Point, b: Point) -> Quad {
    Quad::new([a, Point::new(b.x, a.y), b, Point::new(a.x, b.y)])
}

/// The picture as a user has it, this many times as large.
fn developed(mut image: RgbImage, scale: f64, dice: &mut Dice) -> RgbImage {
    let (from, side) = (image.dimensions(), |v: u32| (f64::from(v) * scale).round() as u32);
    let to = (side(from.0), side(from.1));
    if to != from {
        let bytes = pixels::resized(&image, from, to).expect("three bytes a pixel");
        image = RgbImage::from_raw(to.0, to.1, bytes).expect("as many pixels");
    }
    if dice.chance(TINTED) {
        let gains = [0; 3].map(|_: usize| dice.between(0.72, 1.0));
        for pixel in image.pixels_mut() {
            pixel.0 = [0, 1, 2].map(|c: usize| (f64::from(pixel[c]) * gains[c]).round() as u8);
        }
    }
    if !dice.chance(JPEG.0) {
        return image;
    }
    if dice.chance(0.3) {
        image = sensor::halved_chroma(&image, dice.between(0.4, 1.2) as f32);
    }
    let jpeg = encode::jpeg(&image, dice.within(JPEG.1) as u8).expect("a picture of a fair size");
    image::load_from_memory_with_format(&jpeg, ImageFormat::Jpeg).expect("our JPEG").into_rgb8()
}

/// Where everything is on the page, in pixels as drawn.
struct Plan {
    card: Point,
    cells: Vec<Point>,
    /// Places of the board without a card.
    free: Vec<Point>,
    gap: Point,
    bounds: (Point, Point),
    size: Point,
    /// A strip of the page for other things.
    strip: Option<(Point, Point)>,
    /// Pixels drawn for one of the picture.
    resized: f64,
}

impl Plan {
    fn random(count: usize, dice: &mut Dice) -> Self {
        let long = LONG_PX.low * (LONG_PX.high / LONG_PX.low).powf(dice.unit());
        let resized = if dice.chance(RESIZED.0) { dice.within(RESIZED.1) } else { 1.0 };
        let card = card_size(1.0, dice);
        let short = card.x.min(card.y);
        let gap = dice.pick(&GAPS);
        let gap = dice.within(gap) * short;
        let gap = Point::new(gap * dice.between(0.7, 1.3), gap * dice.between(0.7, 1.3));
        let cell = card + gap;
        let aspect = dice.pick(&BOARDS);
        let columns = (count as f64 * dice.within(aspect) * cell.y / cell.x).sqrt().round();
        let columns = (columns as usize).clamp(1, count);
        let rows = count.div_ceil(columns);
        // Left, top, right, bottom.
        let mut margins = [0; 4].map(|_: usize| dice.within(MARGIN) * short);
        let strip = dice.chance(STRIP.0).then(|| dice.below(4));
        if let Some(side) = strip {
            margins[side] += dice.within(STRIP.1) * if side % 2 == 0 { card.x } else { card.y };
        }
        let low = Point::new(margins[0], margins[1]);
        let board = Point::new(columns as f64 * cell.x, rows as f64 * cell.y) - gap;
        let size = low + board + Point::new(margins[2], margins[3]);
        let scale = resized * long.min(MOST_PX / size.x.max(size.y));
        let mut places: Vec<Point> = (0..rows * columns)
            .map(|k| Point::new((k % columns) as f64 * cell.x, (k / columns) as f64 * cell.y))
            .map(|p| (low + card / 2.0 + p) * scale)
            .collect();
        // Cards that were taken leave holes; a last row may be in the middle.
        let left = rows * columns - count;
        if dice.chance(0.2) {
            dice.shuffle(&mut places);
        } else if dice.chance(0.3) {
            let middle = Point::new(0.5 * left as f64 * cell.x * scale, 0.0);
            places[(rows - 1) * columns..].iter_mut().for_each(|p| *p = *p + middle);
            places.truncate(count);
        }
        let (end, around) = (low + board, 0.06 * short);
        let strip = strip.map(|side| match side {
            0 => (Point::new(around, around), Point::new(low.x - around, size.y - around)),
            1 => (Point::new(around, around), Point::new(size.x - around, low.y - around)),
            2 => (Point::new(end.x + around, around), Point::new(size.x - around, size.y - around)),
            _ => (Point::new(around, end.y + around), Point::new(size.x - around, size.y - around)),
        });
        Self {
            card: card * scale,
            free: places.split_off(count.min(places.len())),
            cells: places,
            gap: gap * scale,
            bounds: (low * scale, end * scale),
            size: size * scale,
            strip: strip.map(|(a, b)| (a * scale, b * scale)),
            resized,
        }
    }

    fn size_px(&self) -> (u32, u32) {
        (self.size.x.ceil() as u32, self.size.y.ceil() as u32)
    }

    fn ground(&self, look: &Look) -> Ground {
        let down = Point::new(0.0, 0.5 * (self.card.y + self.gap.y));
        Ground {
            page: look.page,
            dark: look.dark,
            unit: self.card.x.min(self.card.y),
            gap: self.gap.y,
            bounds: self.bounds,
            under: self.cells.iter().map(|&center| center + down).collect(),
        }
    }

    /// Draws what is about as large as a card: in the strip, and in free places of the board.
    fn strays(&self, image: &mut RgbImage, look: &Look, dice: &mut Dice) -> Vec<Quad> {
        let mut quads = vec![];
        let tone = accent(look.dark, dice);
        if let Some((a, b)) = self.strip.filter(|(a, b)| a.x < b.x && a.y < b.y) {
            if dice.chance(0.4) {
                plate(image, (a, b), look.radius, mix(look.page[0], tone, dice.between(0.05, 0.4)));
            }
            let room = b - a;
            let is_panel = dice.chance(0.45);
            let part = if is_panel { dice.between(0.25, 0.7) } else { dice.between(0.45, 1.0) };
            let form = if is_panel || dice.chance(0.4) {
                self.card
            } else {
                Point::new(dice.between(0.7, 1.8), dice.between(0.3, 1.1))
                    * self.card.x.min(self.card.y)
            };
            let fits = (room.x / form.x).min(room.y / form.y) * 0.94;
            let step = form * part.min(fits) * dice.between(1.06, 1.3);
            let columns = ((room.x / step.x) as usize).max(1);
            let rows = ((room.y / step.y) as usize).max(1);
            let first = a + Point::new(room.x - columns as f64 * step.x, 0.0)
                * dice.pick(&[(0.5, 1.0), (0.0, 1.0)]);
            let kind = if is_panel { Stray::Copy } else { Stray::random(dice) };
            // What is much smaller than a card is not taken for one.
            let is_large = part.min(fits) * form.x.min(form.y) > 0.2 * self.card.x.min(self.card.y);
            let most = if is_large { 3 * (1 + dice.below(4)) } else { 0 };
            for k in 0..(rows * columns).min(most) {
                let at = Point::new((k % columns) as f64 + 0.5, (k / columns) as f64 + 0.5);
                let center = first + Point::new(at.x * step.x, at.y * step.y);
                let kind = if is_panel || dice.chance(0.6) { kind } else { Stray::random(dice) };
                quads.push(kind.draw(image, look, (center, form * part.min(fits)), tone, dice));
            }
        }
        if dice.chance(0.6) {
            for &center in &self.free {
                quads.push(Stray::random(dice).draw(image, look, (center, self.card), tone, dice));
            }
        }
        quads
    }

    fn cursor(&self, image: &mut RgbImage, dice: &mut Dice) {
        let size = (0.2 * self.card.x.min(self.card.y)).max(8.0) * dice.between(0.7, 1.3);
        #[rustfmt::skip]
        let hand = [(-0.35, -0.5), (0.35, 0.15), (0.05, 0.18), (0.2, 0.46), (0.05, 0.5), (-0.1, 0.22), (-0.35, 0.42)];
        let field = Field::new(&scaled(&hand, 0.7 * size, size), 0.0, 2.0, 0.5);
        let (ink, edge) =
            if dice.chance(0.6) { (grey(1.0), grey(0.0)) } else { (grey(0.0), grey(1.0)) };
        let mark = Mark { edge, lines: (0.7, 0.3), ..Mark::solid(&field, ink) };
        // On a card's border, where it hides little.
        let at = self.cells[dice.below(self.cells.len())] + self.card * 0.5;
        mark.draw(image, at, 1.0);
    }

    /// A window over the board; returns its place.
    fn window(&self, image: &mut RgbImage, dark: bool, dice: &mut Dice) -> Quad {
        let half =
            Point::new(self.card.x * dice.between(0.5, 1.6), self.card.y * dice.between(0.4, 1.1));
        let center =
            Point::new(self.size.x * dice.between(0.2, 0.8), self.size.y * dice.between(0.2, 0.8));
        let (a, b) = (center - half, center + half);
        if dice.chance(0.4) {
            let light = dice.between(0.4, 0.8);
            image.iter_mut().for_each(|v| *v = (f64::from(*v) * light) as u8);
        }
        let size = half.x.min(half.y) * 0.3;
        let shadow = Shadow { offset: (0.0, 0.2 * size), soft: size, depth: 0.5 };
        glow(image, (a, b), 0.3 * size, &shadow, grey(0.0));
        plate(
            image,
            (a, b),
            dice.between(0.0, 0.5) * size,
            if dark { grey(0.2) } else { grey(0.97) },
        );
        for line in 0..1 + dice.below(3) {
            let at = Point::new(a.x + 0.5 * size, a.y + (1.0 + 1.3 * line as f64) * size);
            super::draw::words(image, at, 0.8 * size, dark, dice);
        }
        rectangle(a, b)
    }
}

/// Something about as large as a card.
#[derive(Clone, Copy)]
enum Stray {
    /// A smaller copy of a card.
    Copy,
    Button,
    /// An icon, a card's back, or a free place.
    Icon,
}

impl Stray {
    fn random(dice: &mut Dice) -> Self {
        dice.pick(&[(Self::Button, 3.0), (Self::Icon, 4.0), (Self::Copy, 0.7)])
    }

    fn draw(
        self,
        image: &mut RgbImage,
        look: &Look,
        (center, size): (Point, Point),
        tone: Color,
        dice: &mut Dice,
    ) -> Quad {
        let (a, b) = (center - size / 2.0, center + size / 2.0);
        let short = size.x.min(size.y);
        let radius = short * dice.between(0.0, 0.5);
        let color = if dice.chance(0.7) { tone } else { hsl(360.0 * dice.unit(), 0.7, 0.5) };
        let ink = if color.iter().sum::<f64>() > 1.6 { grey(0.05) } else { grey(0.96) };
        match self {
            Self::Copy => {
                let class = [0; 4].map(|_: usize| dice.below(3));
                let scale = (size.x / look.size.x).min(size.y / look.size.y).min(0.7);
                let (a, b) = look.card(image, class, center, scale, false);
                return rectangle(a, b);
            }
            Self::Button => {
                let word = WORDS[dice.below(WORDS.len())];
                let height = (0.6 * short).min(1.6 * size.x / (word.len() as f64 + 1.0));
                plate(image, (a, b), radius, color);
                let at = Point::new(center.x - 0.27 * height * word.len() as f64, center.y);
                write(image, dice.below(2), word, at, height, bytes(ink), 1.0);
            }
            Self::Icon => {
                let line = Point::new(1.0, 1.0) * (0.03 * short).max(1.0);
                plate(image, (a, b), 0.4 * radius, color);
                if dice.chance(0.5) {
                    let inner = mix(color, look.page[0], dice.between(0.6, 1.0));
                    plate(image, (a + line, b - line), 0.4 * radius, inner);
                }
                if dice.chance(0.65) {
                    let super::draw::Outline { points, round } = outlines::outline(dice);
                    let points = scaled(&points, 0.6 * short, 0.6 * short);
                    let step = (short / 40.0).max(0.5);
                    let field = Field::new(&points, 0.3 * short * round, 2.0, step);
                    Mark::solid(&field, ink).draw(image, center, 1.0);
                }
            }
        }
        rectangle(a, b)
    }
}

impl Look {
    /// Draws a card; returns its upper left and its lower right corner.
    fn card(
        &self,
        image: &mut RgbImage,
        class: [usize; 4],
        center: Point,
        scale: f64,
        is_chosen: bool,
    ) -> (Point, Point) {
        let [number, filling, ink, outline] = class;
        let scale = scale * if is_chosen { self.chosen.grows } else { 1.0 };
        let half = self.size * (0.5 * scale);
        let (a, b) = (center - half, center + half);
        let radius = self.radius * scale;
        if let Some(Shadow { offset, soft, depth }) = self.shadow {
            let shadow =
                Shadow { offset: (offset.0 * scale, offset.1 * scale), soft: soft * scale, depth };
            glow(image, (a, b), radius, &shadow, grey(0.0));
        }
        let mut stock = self.stock;
        let mut border = self.border;
        if is_chosen {
            stock = mix(stock, self.chosen.frame, self.chosen.tint);
            border =
                Some((self.chosen.frame, self.chosen.frame_width * self.size.x.min(self.size.y)));
        }
        let mut boxes = |off: f64, color: Color| {
            let inset = Point::new(off, off) * scale;
            plate(image, (a + inset, b - inset), (radius - off * scale).max(0.0), color);
        };
        let edge = border.map_or(0.0, |(color, width)| {
            boxes(0.0, color);
            width
        });
        boxes(edge, stock);
        if let Some((color, off, width)) = self.frame {
            boxes(edge + off, color);
            boxes(edge + off + width, stock);
        }
        let texture = &self.textures[filling];
        let is_pale = texture.fact.coverage < 0.25;
        let mark = Mark {
            field: &self.fields[outline],
            inside: &texture.inside,
            ink: self.inks[ink],
            edge: if is_pale { self.inks[ink] } else { self.edges[ink] },
            lines: (texture.stroke * self.outer, texture.stroke * (1.0 - self.outer)),
            dashes: texture.dashes,
            shadow: self.symbol_shadow,
        };
        let (places, smaller) = self.symbols(number);
        for place in places {
            let at = center + place * scale;
            if texture.under > 0.0 {
                let inside = &Inside::Tint(texture.under);
                Mark { inside, lines: (0.0, 0.0), ..mark }.draw(image, at, scale * smaller);
            }
            let shadow = mark.shadow.filter(|_| texture.under == 0.0);
            Mark { shadow, ..mark }.draw(image, at, scale * smaller);
        }
        (a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;
    use sha2::{Digest, Sha256};

    #[test]
    fn a_board_stays_as_it_is() {
        let digest = Sha256::digest(&*board(5, 2).image);
        let hash: String = digest.iter().map(|b| format!("{b:02x}")).collect();
        assert!(hash.starts_with("2f69a66fcb6b9f4f"), "{hash}");
        assert_ne!(board(5, 3).image, board(6, 3).image);
    }

    #[test]
    fn cards_lie_in_the_picture_and_differ() {
        let (mut copied, mut strays) = (0, 0);
        for index in 0..60 {
            let board = board(11, index);
            let (width, height) = board.image.dimensions();
            assert!(width.max(height) <= 1401, "{index}: {width} x {height}");
            let (columns, rows) =
                (-0.01..=f64::from(width) + 0.01, -0.01..=f64::from(height) + 0.01);
            let quads = board.cards.iter().map(|card| &card.corners).chain(&board.strays);
            for quad in quads {
                assert!(
                    quad.0.iter().all(|p| columns.contains(&p.x) && rows.contains(&p.y)),
                    "{index}: {quad:?}"
                );
                assert!(quad.signed_area() > 0.0, "{index}: {quad:?}");
            }
            let classes = board.cards.iter().map(|card| card.class);
            let different = classes.clone().collect::<std::collections::BTreeSet<_>>().len();
            copied += usize::from(different < board.cards.len());
            strays += board.strays.len();
        }
        assert!((1..20).contains(&copied) && strays > 60);
    }

    /// Connected regions of pixels that are not of the card's colour.
    fn regions(image: &RgbImage, stock: Color) -> usize {
        let (width, height) = (image.width() as usize, image.height() as usize);
        let mut left: Vec<bool> = image
            .pixels()
            .map(|p| p.0.iter().zip(bytes(stock)).any(|(a, b)| a.abs_diff(b) > 40))
            .collect();
        let mut count = 0;
        while let Some(start) = left.iter().position(|ink| *ink) {
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                if std::mem::take(&mut left[at]) {
                    let (x, y) = (at % width, at / width);
                    let next =
                        [(x + 1, y), (x.wrapping_sub(1), y), (x, y + 1), (x, y.wrapping_sub(1))];
                    let inside = next.into_iter().filter(|p| p.0 < width && p.1 < height);
                    open.extend(inside.map(|p| p.1 * width + p.0));
                }
            }
            count += 1;
        }
        count
    }

    #[test]
    fn cards_are_drawn_as_their_class_says() {
        let mut counted = 0;
        for index in 0..150 {
            let size = Point::new(240.0, 160.0);
            let mut look = Look::random(size, &mut Dice::new(3, index, Purpose::Screen));
            (look.border, look.frame, look.shadow, look.symbol_shadow) = (None, None, None, None);
            (look.page, look.radius) = ([look.stock; 2], 0.0);
            let drawn = |class: [usize; 4]| {
                let mut image = RgbImage::from_pixel(240, 160, Rgb(bytes(look.stock)));
                look.card(&mut image, class, size / 2.0, 1.0, false);
                image
            };
            let one = drawn([0, 0, 0, 0]);
            for other in [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]] {
                assert_ne!(one, drawn(other), "{index}: {other:?}");
            }
            let along = look.pitch.0;
            let is_row = look.places[2].iter().all(|place| place.1 == 0.0);
            let reach = look.fields[0].extent();
            let is_apart = along.x > 2.0 * reach.0 || along.y > 2.0 * reach.1;
            let is_solid = look.textures[0].fact.kind == FillingKind::Solid;
            if is_apart && is_solid && is_row && look.crowded == 1.0 {
                let parts = regions(&one, look.stock);
                for number in 1..3 {
                    let found = regions(&drawn([number, 0, 0, 0]), look.stock);
                    assert_eq!(found, parts * (number + 1), "{index}: {number}");
                }
                counted += 1;
            }
        }
        assert!(counted > 8, "{counted}");
    }
}
