//! The construction of other objects on a table.
//!
//! Every object consists of flat layers, from the table upwards. Lengths are in millimetres,
//! colours are linear reflectances.

use crate::{camera::TablePoint, light::Light};
use setsight_game::cards::Shape;
use setsight_photo::print::ink::{self, coverage, rounded_rectangle, stripes};
use setsight_photo::{geometry::Point, print::dice};

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
    pub(super) fn draw(&self, pixel: &mut [f32; 4], seen: &TablePoint, light: &Light) -> f64 {
        let base = &self.layers[0];
        let p = self.local(seen.place);
        // Beyond the reach of its shadow and of its largest layer.
        let reach = self.reach_mm + 2.0 * seen.size_mm;
        if p.dot(p) > reach * reach {
            return 0.0;
        }
        let shadow_at = self.local(seen.place - light.away * (0.8 * self.height_mm));
        let shadow =
            rounded_rectangle(shadow_at.x, shadow_at.y, base.half.0, base.half.1, base.radius);
        let soft = (0.6 * self.height_mm + 0.6).max(seen.size_mm);
        let dark = (1.0 - light.card_shadow.2 * coverage(shadow.mm, 2.0 * soft)) as f32;
        for value in &mut pixel[..3] {
            *value *= dark;
        }
        let mut covered: f64 = 0.0;
        for layer in &self.layers {
            let off = p - layer.offset;
            let (c, s) = layer.turn;
            let q = Point::new(off.x * c + off.y * s, off.y * c - off.x * s);
            let cover = layer.cover_at(q, seen.size_mm);
            if cover > 0.0 {
                covered = covered.max(cover);
                let color = layer.color_at(q, seen.size_mm);
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
