//! The construction of other objects on a table.
//!
//! Every object consists of flat layers, from the table upwards. Lengths are in millimetres,
//! colours are linear reflectances.
//!
//! Among them are printed things with signs that resemble one or two symbols but are not cards: buttons on a
//! screen, pills in a blister pack, pictograms on a box, a rules leaflet with small pictures of
//! cards.

use super::catalogue::{INKS, NEAR_BLACK, WHITE, layer, paint, symbol_of};
use crate::{camera::TablePoint, light::Light};
use setsight_game::cards::Shape;
use setsight_photo::geometry::Point;
use setsight_photo::print::dice::{self, Dice};
use setsight_photo::print::ink::{self, coverage, rounded_rectangle, stripes};

/// The print on a layer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Print {
    Plain,
    /// Lines of writing.
    Text {
        pitch_mm: f64,
        ink: [f64; 3],
        seed: u64,
    },
    /// Crossed lines, as on the backs of cards.
    Lattice {
        pitch_mm: f64,
        ink: [f64; 3],
    },
    /// Ruled lines along x, and also along y if `crossed`.
    Ruled {
        pitch_mm: f64,
        crossed: bool,
        ink: [f64; 3],
    },
    /// Keys of a keyboard: rounded squares on the layer's colour.
    Keys {
        pitch_mm: f64,
        ink: [f64; 3],
    },
    /// The wire of a notebook along x: dark holes, a bright wire over each.
    Spiral {
        pitch_mm: f64,
        wire: [f64; 3],
    },
    /// Some words, as in a logo or a name.
    Word {
        ink: [f64; 3],
        seed: u64,
    },
}

/// A rounded rectangle; a circle if the radius is half of both sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    pub(super) offset: Point,
    pub(super) half: (f64, f64),
    pub(super) radius: f64,
    pub(super) color: [f64; 3],
    pub(super) print: Print,
    pub(super) gloss: f64,
    pub(super) form: Form,
    /// Unit vector of its x axis within the object.
    pub(super) turn: (f64, f64),
    /// Whether it is curved like a finger or a pen, and so darker towards its long sides.
    pub(super) bent: bool,
}

/// The outline of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// A rounded rectangle.
    Box,
    /// One of the game's symbols, scaled by this factor.
    Symbol(Shape, f64),
    /// The border of a rounded rectangle, with this width in millimetres.
    Frame(f64),
}

/// An object: layers from the table upwards, the largest first.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) center: Point,
    pub(super) along: Point,
    pub(super) height_mm: f64,
    pub(super) layers: Vec<Layer>,
    /// Whether its outline resembles a card's, like a sheet or a box.
    pub(super) like_card: bool,
    /// Radius around its centre that contains it and its shadow.
    pub(super) reach_mm: f64,
}

impl Object {
    pub(super) fn local(&self, p: Point) -> Point {
        let off = p - self.center;
        Point::new(off.dot(self.along), self.along.cross(off))
    }

    pub(super) fn corners(&self) -> [Point; 4] {
        let (a, b) = self.layers[0].half;
        [(-a, -b), (a, -b), (a, b), (-a, b)]
            .map(|(x, y)| self.center + self.along * x + self.along.perpendicular() * y)
    }

    /// Draws it and its shadow into one pixel; returns the fraction of the pixel that it covers, 0
    /// to 1.
    pub(super) fn draw(&self, pixel: &mut [f32; 4], point: &TablePoint, light: &Light) -> f64 {
        let base = &self.layers[0];
        let p = self.local(point.place);
        // Beyond the reach of its shadow and of its largest layer.
        let reach = self.reach_mm + 2.0 * point.size_mm;
        if p.dot(p) > reach * reach {
            return 0.0;
        }
        let shadow_at = self.local(point.place - light.away * (0.8 * self.height_mm));
        let shadow =
            rounded_rectangle(shadow_at.x, shadow_at.y, base.half.0, base.half.1, base.radius);
        let soft = (0.6 * self.height_mm + 0.6).max(point.size_mm);
        let dark = (1.0 - light.card_shadow.2 * coverage(shadow.mm, 2.0 * soft)) as f32;
        for value in &mut pixel[..3] {
            *value *= dark;
        }
        let mut covered: f64 = 0.0;
        for layer in &self.layers {
            let off = p - layer.offset;
            let (c, s) = layer.turn;
            let q = Point::new(off.x * c + off.y * s, off.y * c - off.x * s);
            let cover = layer.cover_at(q, point.size_mm);
            if cover > 0.0 {
                covered = covered.max(cover);
                let color = layer.color_at(q, point.size_mm);
                for c in 0..3 {
                    pixel[c] += (color[c] as f32 - pixel[c]) * cover as f32;
                }
                pixel[3] += (layer.gloss as f32 - pixel[3]) * cover as f32;
            }
        }
        covered
    }
}

impl Layer {
    /// Fraction that it covers of a pixel of size `pixel_mm`, 0 to 1.
    fn cover_at(&self, q: Point, pixel_mm: f64) -> f64 {
        let wide = pixel_mm * 1.2;
        match self.form {
            Form::Symbol(shape, scale) => ink::distance(shape, q.x / scale, q.y / scale)
                .map_or(0.0, |d| coverage(d.mm * scale, wide)),
            form => {
                let d = rounded_rectangle(q.x, q.y, self.half.0, self.half.1, self.radius).mm;
                let outer = coverage(d, wide);
                match form {
                    Form::Frame(width) if outer > 0.0 => outer - coverage(d + width, wide),
                    _ => outer,
                }
            }
        }
    }

    fn color_at(&self, q: Point, pixel_mm: f64) -> [f64; 3] {
        let (amount, ink) = match self.print {
            Print::Plain if self.bent => {
                let t = (q.y / self.half.1).clamp(-1.0, 1.0);
                return self.color.map(|v| v * (0.45 + 0.55 * (1.0 - 0.9 * t * t).sqrt()));
            }
            Print::Plain => return self.color,
            Print::Ruled { pitch_mm, crossed, ink } => {
                let thin = 0.5 / pitch_mm;
                let a = stripes(q.y, pixel_mm, pitch_mm, thin);
                let b = if crossed { stripes(q.x, pixel_mm, pitch_mm, thin) } else { 0.0 };
                (a.max(b), ink)
            }
            Print::Keys { pitch_mm, ink } => {
                // Each row is shifted a little to the right, as on a typewriter.
                let row = (q.y / pitch_mm).round();
                let a = stripes(q.x + 0.3 * row * pitch_mm, pixel_mm, pitch_mm, 0.8);
                (a * stripes(q.y, pixel_mm, pitch_mm, 0.8), ink)
            }
            Print::Spiral { pitch_mm, wire } => {
                let x = (q.x / pitch_mm - (q.x / pitch_mm).round()) * pitch_mm;
                let on = coverage(x.abs() - 0.13 * pitch_mm, pixel_mm);
                let hole = coverage(x.hypot(q.y + 0.5 * self.half.1) - 0.24 * pitch_mm, pixel_mm);
                let dark = self.color.map(|v| v * (1.0 - 0.9 * hole));
                return [0, 1, 2].map(|c| dark[c] + (wire[c] - dark[c]) * on);
            }
            Print::Word { ink, seed } => {
                let letter = 0.55 * self.half.1;
                let stroke = dice::value(seed, q.x / letter * 2.4, q.y / letter * 1.2);
                let on = (0.5 + 6.0 * stroke).clamp(0.0, 1.0);
                let line = q.y.abs() < 0.8 * self.half.1 && q.x.abs() < 0.92 * self.half.0;
                (if line { on } else { 0.0 }, ink)
            }
            Print::Text { pitch_mm, ink, seed } => {
                let line = (q.y / pitch_mm).round();
                let word = dice::value(seed, q.x / pitch_mm * 0.8, line * 7.3);
                let margin = q.x.abs() < self.half.0 * 0.85 && q.y.abs() < self.half.1 * 0.88;
                let on = if margin { (0.5 + 4.0 * (word + 0.35)).clamp(0.0, 1.0) } else { 0.0 };
                (0.75 * on * stripes(q.y, pixel_mm, pitch_mm, 0.4), ink)
            }
            Print::Lattice { pitch_mm, ink } => {
                let a = stripes(q.x + q.y, 1.4 * pixel_mm, pitch_mm, 0.35);
                let b = stripes(q.x - q.y, 1.4 * pixel_mm, pitch_mm, 0.35);
                (a + b - a * b, ink)
            }
        };
        [0, 1, 2].map(|c| self.color[c] + (ink[c] - self.color[c]) * amount)
    }
}

/// A thing of this kind.
pub(super) fn flyer(dice: &mut Dice) -> Object {
    let white = WHITE.map(|v| v * dice.between(0.85, 1.1));
    match dice.below(6) {
        0 => sign(dice, white),
        1 => buttons(dice),
        2 => blister(dice),
        3 => rules(dice, white),
        4 => packing(dice, white),
        _ => page(dice, white),
    }
}

fn ink(dice: &mut Dice) -> [f64; 3] {
    match dice.below(3) {
        0 => INKS[dice.below(3)],
        1 => NEAR_BLACK,
        _ => paint(dice),
    }
}

/// An oval or its outline, upright or lying, `half` millimetres from its centre to its sides.
fn oval(dice: &mut Dice, half: (f64, f64), color: [f64; 3]) -> Layer {
    let body = layer(half, half.0.min(half.1), color);
    if dice.chance(0.5) { body.framed(half.0.min(half.1) * dice.between(0.1, 0.35)) } else { body }
}

/// One, two or three signs in a row: ovals, diamonds, squiggles, squares.
fn signs(dice: &mut Dice, layers: &mut Vec<Layer>, at: (f64, f64), scale: f64, color: [f64; 3]) {
    let count = 1 + dice.below(3);
    let (kind, apart) = (dice.below(5), dice.between(21.0, 30.0) * scale);
    let framed = dice.chance(0.4);
    for k in 0..count {
        let x = at.0 + (k as f64 - 0.5 * (count as f64 - 1.0)) * apart;
        let half = (9.0 * scale, 18.5 * scale);
        let sign = match kind {
            0 | 1 => layer(half, half.0, color),
            2 => layer((half.0, half.1 * 0.8), 0.5, color),
            3 => layer((half.0, half.0), half.0, color),
            _ => symbol_of(Shape::ALL[dice.below(3)], scale, color),
        };
        let sign = if framed && kind < 4 { sign.framed(1.4 * scale) } else { sign };
        layers.push(sign.at(x, at.1));
    }
}

/// A note or a label with a pair of signs and a word.
fn sign(dice: &mut Dice, white: [f64; 3]) -> Object {
    let half = (dice.between(36.0, 80.0), dice.between(24.0, 60.0));
    let body = if dice.chance(0.8) { white } else { paint(dice) };
    let mut layers = vec![layer(half, dice.between(0.3, 4.0), body)];
    let scale = dice.between(0.35, 1.0).min(half.1 / 24.0);
    let color = ink(dice);
    let (x, y) = (half.0 * dice.between(-0.3, 0.3), half.1 * dice.between(-0.2, 0.1));
    signs(dice, &mut layers, (x, y), scale, color);
    if dice.chance(0.7) {
        let word = layer((half.0 * 0.6, half.1 * 0.12), 0.0, body);
        let seed = dice.bits();
        layers.push(word.at(0.0, 0.8 * half.1).printed(Print::Word { ink: color, seed }));
    }
    if dice.chance(0.3) {
        layers.push(layer((half.0 - 2.5, half.1 - 2.5), 2.0, color).framed(0.8));
    }
    Object::new(0.2, layers, true)
}

/// A phone or a tablet: rows of buttons and switches.
fn buttons(dice: &mut Dice) -> Object {
    let half = if dice.chance(0.6) { (73.0, 36.0) } else { (115.0, 80.0) };
    let glass = if dice.chance(0.5) { [0.75, 0.77, 0.8] } else { [0.02, 0.02, 0.025] };
    let mut layers = vec![
        layer(half, 8.0, NEAR_BLACK).shiny(0.6),
        layer((half.0 - 4.0, half.1 - 3.0), 5.0, glass).shiny(0.5),
    ];
    let size = dice.between(4.0, 8.0);
    let tall = size * dice.between(1.0, 2.1);
    let (step_x, step_y) = (size * dice.between(2.4, 3.6), tall * dice.between(2.3, 3.0));
    let one = ink(dice);
    let mut y = -half.1 + 5.0 + tall;
    while y < half.1 - 4.0 - tall {
        let mut x = -half.0 + 7.0 + size;
        while x < half.0 - 6.0 - size {
            if dice.chance(0.8) && layers.len() < 42 {
                let color = if dice.chance(0.6) { one } else { paint(dice) };
                layers.push(oval(dice, (size, tall), color).at(x, y).shiny(0.5));
            }
            x += step_x;
        }
        y += step_y;
    }
    Object::new(8.0, layers, true)
}

/// Pills in a blister pack.
fn blister(dice: &mut Dice) -> Object {
    let (columns, rows) = (3 + dice.below(3), 2 + dice.below(2));
    let pill = (dice.between(3.5, 6.0), dice.between(6.0, 10.0));
    let half = (columns as f64 * pill.0 * 1.7, rows as f64 * pill.1 * 1.45);
    let foil = [dice.between(0.4, 0.75); 3];
    let mut layers = vec![layer(half, 3.0, foil).shiny(0.6)];
    let color = if dice.chance(0.4) { WHITE } else { ink(dice) };
    for row in 0..rows {
        for column in 0..columns {
            let [x, y] = [(column, columns), (row, rows)]
                .map(|(k, n)| (2.0 * k as f64 + 1.0 - n as f64) / n as f64);
            let at = (half.0 * x, half.1 * y);
            let rim = layer((pill.0 * 1.2, pill.1 * 1.15), pill.0 * 1.2, foil.map(|v| v * 0.8));
            layers.push(rim.at(at.0, at.1).shiny(0.6));
            if dice.chance(0.85) {
                layers.push(layer(pill, pill.0, color).at(at.0, at.1).shiny(0.4));
            }
        }
    }
    Object::new(5.0, layers, true)
}

/// A rules leaflet: lines of text and small pictures of cards.
fn rules(dice: &mut Dice, white: [f64; 3]) -> Object {
    let half = (dice.between(55.0, 105.0), dice.between(45.0, 75.0));
    let sheet = layer(half, 0.5, white).printed(Print::Text {
        pitch_mm: dice.between(2.6, 4.5),
        ink: NEAR_BLACK,
        seed: dice.bits(),
    });
    let mut layers = vec![sheet];
    let scale = dice.between(0.22, 0.42);
    let card = (44.5 * scale, 28.5 * scale);
    for row in 0..1 + dice.below(2) {
        let y = half.1 * (-0.45 + 0.85 * row as f64);
        for k in -1..=1 {
            let x = f64::from(k) * (2.0 * card.0 + 5.0);
            let rim = layer((card.0 + 0.8, card.1 + 0.8), 2.0, NEAR_BLACK.map(|v| v + 0.15));
            layers.push(rim.at(x, y));
            layers.push(layer(card, 1.8, white).at(x, y));
            let color = INKS[dice.below(3)];
            signs(dice, &mut layers, (x, y), 0.9 * scale, color);
        }
    }
    Object::new(0.3, layers, true)
}

/// A box with pictograms: two ovals, a recycling mark, a name.
fn packing(dice: &mut Dice, white: [f64; 3]) -> Object {
    let half = (dice.between(45.0, 90.0), dice.between(32.0, 60.0));
    let body = if dice.chance(0.5) { paint(dice) } else { white };
    let mut layers = vec![layer(half, 1.5, body).shiny(0.3)];
    for _ in 0..2 + dice.below(3) {
        let (x, y) = (half.0 * dice.between(-0.7, 0.7), half.1 * dice.between(-0.6, 0.5));
        let color = if dice.chance(0.5) { ink(dice) } else { white };
        let scale = dice.between(0.25, 0.8);
        signs(dice, &mut layers, (x, y), scale, color);
    }
    let word = layer((half.0 * 0.6, half.1 * 0.18), 0.0, body);
    let (color, seed) = (ink(dice), dice.bits());
    layers.push(word.at(0.0, 0.75 * half.1).printed(Print::Word { ink: color, seed }));
    Object::new(dice.between(4.0, 30.0), layers, true)
}

/// A page of a magazine: large type, whose O and 0 are ovals.
fn page(dice: &mut Dice, white: [f64; 3]) -> Object {
    let half = (dice.between(60.0, 120.0), dice.between(50.0, 85.0));
    let mut layers = vec![layer(half, 0.5, white)];
    let text = layer((half.0 * 0.9, half.1 * 0.4), 0.0, white);
    let pitch_mm = dice.between(3.0, 5.0);
    let seed = dice.bits();
    layers.push(text.at(0.0, half.1 * 0.5).printed(Print::Text {
        pitch_mm,
        ink: NEAR_BLACK,
        seed,
    }));
    let color = ink(dice);
    let size = dice.between(4.0, 13.0);
    let mut x = -half.0 + 2.5 * size;
    while x < half.0 - 1.5 * size {
        let letter = match dice.below(4) {
            0 | 1 => layer((0.62 * size, size), 0.62 * size, color).framed(0.24 * size),
            2 => layer((0.14 * size, size), 0.0, color),
            _ => layer((0.6 * size, size), 0.1 * size, color).framed(0.22 * size),
        };
        layers.push(letter.at(x, -0.5 * half.1));
        x += size * 1.7;
    }
    Object::new(0.3, layers, true)
}
