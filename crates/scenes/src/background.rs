//! The table's surface.

use setsight_game::cards::Shape;
use setsight_photo::print::{
    color::linear_rgb,
    dice::{Dice, Span, lattice, octaves, value},
    ink::{coverage, distance, rounded_rectangle, stripes},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Material {
    /// Planks or a slab, from birch to walnut.
    Wood,
    /// Paint, paper or plastic about as bright as the cards.
    White,
    /// Glass, lacquer or stained wood.
    Black,
    /// Stripes, checks or dots.
    Cloth,
    /// One colour, rough.
    Felt,
    /// Blotches of several colours: carpet, stone, flowers.
    Mottled,
    /// Cloth or oilcloth with white-outlined figures and words.
    Printed,
    /// Tiles with joints.
    Tiles,
}

impl Material {
    pub const ALL: [Self; 8] = [
        Self::Wood,
        Self::White,
        Self::Black,
        Self::Cloth,
        Self::Felt,
        Self::Mottled,
        Self::Printed,
        Self::Tiles,
    ];
}

impl Material {
    /// Whether it has no fine edges, so that it can be drawn at half resolution.
    pub(super) fn is_smooth(self) -> bool {
        !matches!(self, Self::Cloth | Self::Printed | Self::Tiles)
    }
}

/// sRGB of light and dark grain.
const WOODS: [[[u8; 3]; 2]; 7] = [
    [[222, 184, 128], [196, 150, 92]],
    [[204, 152, 92], [168, 112, 60]],
    [[172, 116, 66], [128, 78, 42]],
    [[132, 82, 50], [84, 48, 28]],
    [[96, 58, 38], [52, 30, 20]],
    [[188, 170, 148], [150, 130, 108]],
    [[150, 146, 140], [112, 106, 100]],
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Pattern {
    Stripes,
    Checks,
    Gingham,
    Dots,
}

/// An infinite table top, in millimetres of the table's plane.
#[derive(Clone, Debug)]
pub(super) struct Top {
    pub(super) material: Material,
    base: [f64; 3],
    second: [f64; 3],
    third: [f64; 3],
    seed: u64,
    turn: (f64, f64),
    /// Strength of the grain or weave.
    contrast: f64,
    /// Size of the pattern: plank width, repeat of the cloth, blotch.
    pitch_mm: f64,
    duty: f64,
    pattern: Pattern,
    /// Whether planks have seams, or a black or white table has a grain.
    marked: bool,
    gloss: f64,
}

/// A colour of any hue; `strength` from 0 (grey) to 1 (pure), `brightness` is the linear value of
/// the largest channel.
fn any_color(dice: &mut Dice, strength: Span, brightness: Span) -> [f64; 3] {
    let hue = dice.between(0.0, 6.0);
    let pure = dice.within(strength);
    let bright = dice.within(brightness);
    [0.0, 2.0, 4.0].map(|shift: f64| {
        let around = ((hue + 6.0 - shift) % 6.0 - 3.0).abs();
        let full = (around - 1.0).clamp(0.0, 1.0);
        bright * (1.0 - pure * (1.0 - full))
    })
}

impl Top {
    /// A random table of a material. `stock` is the cards' reflectance, and `white_table` the
    /// reflectance of a white table relative to it.
    #[expect(clippy::too_many_lines, reason = "throws the dice of all materials in one order")]
    pub(super) fn random(
        material: Material,
        stock: [f64; 3],
        white_table: Span,
        dice: &mut Dice,
    ) -> Self {
        let angle = dice.pick(&[(0.0, 3.0), (std::f64::consts::FRAC_PI_2, 2.0), (0.7, 1.0)])
            + 0.12 * dice.normal();
        let mut top = Self {
            material,
            base: [0.0; 3],
            second: [0.0; 3],
            third: [0.0; 3],
            seed: dice.bits(),
            turn: (angle.cos(), angle.sin()),
            contrast: dice.between(0.4, 1.0),
            pitch_mm: dice.between(60.0, 180.0),
            duty: dice.between(0.3, 0.6),
            pattern: dice.pick(&[
                (Pattern::Stripes, 1.0),
                (Pattern::Checks, 1.0),
                (Pattern::Gingham, 1.0),
                (Pattern::Dots, 1.0),
            ]),
            marked: dice.chance(0.5),
            gloss: 0.1,
        };
        match material {
            Material::Wood => {
                let [light, dark] = WOODS[dice.below(WOODS.len())];
                let bright = dice.between(0.8, 1.15);
                top.base = linear_rgb(light).map(|v| v * bright);
                top.second = linear_rgb(dark).map(|v| v * bright);
                top.gloss = dice.between(0.05, 0.5);
            }
            Material::White => {
                let bright = dice.within(white_table);
                let tone = 0.02 * dice.normal();
                top.base = [1.0 + tone, 1.0, 1.0 - tone];
                for (v, stock) in top.base.iter_mut().zip(stock) {
                    *v *= stock * bright;
                }
                top.contrast = dice.between(0.05, 0.7);
                top.pitch_mm = dice.between(1.5, 60.0);
                top.gloss = dice.between(0.0, 0.4);
            }
            Material::Black => {
                let bright = dice.between(0.006, 0.035);
                let tone = 0.12 * dice.normal();
                top.base = [bright * (1.0 + tone), bright, bright * (1.0 - tone)];
                top.gloss = dice.between(0.05, 0.8);
            }
            Material::Cloth => {
                top.base = any_color(dice, Span::new(0.0, 0.8), Span::new(0.08, 0.85));
                top.second = any_color(dice, Span::new(0.0, 0.95), Span::new(0.03, 0.8));
                top.pitch_mm = dice.between(8.0, 60.0);
                top.gloss = 0.02;
            }
            Material::Felt => {
                top.base = any_color(dice, Span::new(0.2, 0.95), Span::new(0.06, 0.45));
                top.gloss = 0.01;
            }
            Material::Mottled => {
                top.base = any_color(dice, Span::new(0.0, 0.7), Span::new(0.05, 0.7));
                top.second = any_color(dice, Span::new(0.0, 0.9), Span::new(0.03, 0.7));
                top.third = any_color(dice, Span::new(0.0, 0.9), Span::new(0.03, 0.8));
                top.pitch_mm = dice.between(6.0, 70.0);
                top.gloss = 0.03;
            }
            Material::Printed => {
                top.base = any_color(dice, Span::new(0.0, 0.9), Span::new(0.03, 0.85));
                top.second = any_color(dice, Span::new(0.2, 0.95), Span::new(0.05, 0.8));
                top.third = if dice.chance(0.75) {
                    [0.85; 3]
                } else {
                    any_color(dice, Span::new(0.0, 0.9), Span::new(0.02, 0.8))
                };
                top.pitch_mm = dice.between(22.0, 110.0);
                top.gloss = dice.between(0.0, 0.3);
            }
            Material::Tiles => {
                top.base = if dice.chance(0.5) {
                    [dice.between(0.4, 0.9); 3]
                } else {
                    any_color(dice, Span::new(0.0, 0.6), Span::new(0.05, 0.8))
                };
                top.second = top.base.map(|v| v * dice.between(0.4, 1.3));
                top.third = [dice.between(0.03, 0.8); 3];
                top.pitch_mm = dice.between(25.0, 120.0);
                top.gloss = dice.between(0.1, 0.6);
            }
        }
        top
    }

    /// Linear reflectance and gloss at a place of the table, for a pixel of `pixel_mm`.
    pub(super) fn at(&self, x: f64, y: f64, pixel_mm: f64) -> [f32; 4] {
        let (u, v) = (x * self.turn.0 + y * self.turn.1, y * self.turn.0 - x * self.turn.1);
        let color = match self.material {
            Material::Wood => self.wood(u, v, pixel_mm),
            Material::White | Material::Black => {
                let mut shade = 1.0
                    + 0.05
                        * self.contrast
                        * octaves(self.seed, (u, v), self.pitch_mm, 0.7, 3, pixel_mm);
                if self.marked {
                    let grain = octaves(self.seed ^ 5, (u * 0.04, v), 6.0, 0.7, 3, pixel_mm);
                    let depth = if self.material == Material::Black { 0.45 } else { 0.035 };
                    shade += depth * self.contrast * grain;
                }
                self.base.map(|b| b * shade)
            }
            Material::Cloth => self.cloth(u, v, pixel_mm),
            Material::Felt => {
                let n = octaves(self.seed, (u, v), 3.0, 0.8, 4, pixel_mm)
                    + 0.4 * value(self.seed ^ 9, u / 90.0, v / 90.0);
                self.base.map(|b| b * (1.0 + 0.12 * self.contrast * n))
            }
            Material::Mottled => {
                let a = octaves(self.seed, (u, v), self.pitch_mm, 0.6, 4, pixel_mm);
                let b = octaves(self.seed ^ 77, (u, v), self.pitch_mm * 0.7, 0.6, 3, pixel_mm);
                let sharp = 1.0 + 5.0 * self.duty;
                let (s, t) = ((0.5 + sharp * a).clamp(0.0, 1.0), (sharp * b - 0.5).clamp(0.0, 1.0));
                [0, 1, 2].map(|c| {
                    let under = self.base[c] + (self.second[c] - self.base[c]) * s;
                    under + (self.third[c] - under) * t
                })
            }
            Material::Printed => self.printed(u, v, pixel_mm),
            Material::Tiles => self.tiles(u, v, pixel_mm),
        };
        let [r, g, b] = color.map(|v| v.clamp(0.001, 1.0) as f32);
        [r, g, b, self.gloss as f32]
    }

    fn wood(&self, u: f64, v: f64, pixel_mm: f64) -> [f64; 3] {
        let plank = if self.marked { (v / self.pitch_mm).floor() } else { 0.0 };
        let seed = self.seed.wrapping_add((plank as i64 as u64).wrapping_mul(0x517c_c1b7));
        let bend = 14.0 * value(seed ^ 1, u / 260.0, v / 70.0);
        let broad = octaves(seed, (u * 0.035, v + bend), 16.0, 0.62, 5, pixel_mm);
        let pores = octaves(seed ^ 2, (u * 0.06, v + bend), 1.2, 0.8, 2, pixel_mm);
        let plank_tone = if self.marked { 0.12 * lattice(seed ^ 3, 0, 0) } else { 0.0 };
        let t = (0.45 + self.contrast * (0.55 * broad + 0.16 * pores) + plank_tone).clamp(0.0, 1.4);
        let mut color = [0, 1, 2].map(|c| self.base[c] + (self.second[c] - self.base[c]) * t);
        if self.marked {
            let off = (v / self.pitch_mm - plank) * self.pitch_mm;
            let near = off.min(self.pitch_mm - off);
            let width = 0.5f64;
            let seam = ((width + pixel_mm / 2.0 - near) / pixel_mm).clamp(0.0, 1.0)
                * (2.0 * width / pixel_mm).min(1.0);
            color = color.map(|v| v * (1.0 - 0.7 * seam));
        }
        color
    }

    /// A figure in each cell of a grid: a round or square shape, a game's symbol or a word, filled
    /// with one colour and outlined in another.
    fn printed(&self, u: f64, v: f64, pixel_mm: f64) -> [f64; 3] {
        let (i, j) = ((u / self.pitch_mm).floor(), (v / self.pitch_mm).floor());
        let chance = |k: u64| 0.5 + 0.5 * lattice(self.seed ^ (k << 40), i as i64, j as i64);
        let size = 0.5 * self.pitch_mm * (0.45 + 0.4 * chance(1));
        let room = 0.5 * self.pitch_mm - size;
        let x = u - (i + 0.5) * self.pitch_mm - room * (2.0 * chance(2) - 1.0);
        let y = v - (j + 0.5) * self.pitch_mm - room * (2.0 * chance(3) - 1.0);
        let turn = std::f64::consts::TAU * chance(4);
        let (sin, cos) = turn.sin_cos();
        let (x, y) = (x * cos + y * sin, y * cos - x * sin);
        let slim = 0.45 + 0.55 * chance(5);
        let rectangle = |radius: f64| {
            let half = 0.9 * size;
            rounded_rectangle(x, y, half * 0.85, half * 0.85 * slim, radius * half * slim).mm
        };
        let kind = (6.0 * chance(6)) as u32;
        let off = match kind {
            0 => rectangle(0.84),
            1 => rectangle(0.2),
            2 => {
                let shape = Shape::ALL[(chance(7) * 3.0) as usize % 3];
                let scale = size / 22.0;
                distance(shape, x / scale, y / scale).map_or(size, |d| d.mm * scale)
            }
            // A head with ears.
            3 => {
                let head = x.hypot(y - 0.15 * size) - 0.55 * size;
                let ear = (x.abs() - 0.42 * size).hypot(y + 0.5 * size) - 0.26 * size;
                head.min(ear)
            }
            // A star, a flower.
            4 => x.hypot(y) - size * (0.55 + 0.2 * (5.0 * y.atan2(x)).cos()),
            _ => rectangle(0.05) + 0.2 * size,
        };
        if kind == 5 {
            let letter = 0.3 * size;
            let ink = value(self.seed ^ 21, x / letter * 1.6, y / letter) * 6.0;
            let on = coverage(off, pixel_mm) * (0.5 + ink).clamp(0.0, 1.0);
            return [0, 1, 2].map(|c| self.base[c] + (self.third[c] - self.base[c]) * on);
        }
        let rim = (0.12 * size).max(0.7);
        let (outer, inner) = (coverage(off - rim, pixel_mm), coverage(off, pixel_mm));
        let fill = if chance(8) < 0.7 { self.second } else { self.base.map(|v| 0.8 - 0.7 * v) };
        let eye = coverage((x.abs() - 0.2 * size).hypot(y) - 0.08 * size, pixel_mm)
            * if kind == 3 { 1.0 } else { 0.0 };
        let shade = 1.0 + 0.1 * self.contrast * value(self.seed ^ 4, u / 130.0, v / 130.0);
        [0, 1, 2].map(|c| {
            let rimmed = self.base[c] + (self.third[c] - self.base[c]) * outer;
            (rimmed + (fill[c] * (1.0 - eye) - rimmed) * inner) * shade
        })
    }

    /// Tiles up to twice as long as wide, in rows with or without offset.
    fn tiles(&self, u: f64, v: f64, pixel_mm: f64) -> [f64; 3] {
        let long = self.pitch_mm * (1.0 + 1.4 * (self.duty - 0.3) / 0.3).min(2.2);
        let row = (v / self.pitch_mm).floor();
        let shift = if self.marked { 0.5 * long * (row.rem_euclid(2.0)) } else { 0.0 };
        let column = ((u + shift) / long).floor();
        let (x, y) = (u + shift - (column + 0.5) * long, v - (row + 0.5) * self.pitch_mm);
        let joint = 0.6 + 2.5 * (self.contrast - 0.4);
        let off = rounded_rectangle(x, y, 0.5 * long - joint, 0.5 * self.pitch_mm - joint, 0.8);
        let tone = 0.5 + 0.5 * lattice(self.seed, column as i64, row as i64);
        let grain = 0.08 * self.contrast * octaves(self.seed ^ 3, (u, v), 24.0, 0.6, 3, pixel_mm);
        let cover = coverage(off.mm, pixel_mm);
        [0, 1, 2].map(|c| {
            let tile = (self.base[c] + (self.second[c] - self.base[c]) * tone) * (1.0 + grain);
            self.third[c] + (tile - self.third[c]) * cover
        })
    }

    fn cloth(&self, u: f64, v: f64, pixel_mm: f64) -> [f64; 3] {
        let stripe = |t: f64| stripes(t, pixel_mm, self.pitch_mm, self.duty);
        let t = match self.pattern {
            Pattern::Stripes => stripe(v),
            Pattern::Checks => {
                let (a, b) = (stripe(u), stripe(v));
                a + b - 2.0 * a * b
            }
            Pattern::Gingham => 0.5 * (stripe(u) + stripe(v)),
            Pattern::Dots => {
                let cell =
                    |t: f64| (t / self.pitch_mm - (t / self.pitch_mm).round()) * self.pitch_mm;
                let off = cell(u).hypot(cell(v)) - 0.5 * self.duty * self.pitch_mm;
                coverage(off, pixel_mm)
            }
        };
        // The weave: threads of 0.9 mm over and under each other.
        let thread = 0.9;
        let visible = (thread / pixel_mm - 1.0).clamp(0.0, 1.0);
        let weave = visible
            * (stripes(u, pixel_mm, thread, 0.5) + stripes(v, pixel_mm, thread, 0.5) - 1.0)
            + 0.7 * value(self.seed ^ 4, u / 130.0, v / 130.0);
        let shade = 1.0 + 0.12 * self.contrast * weave;
        [0, 1, 2].map(|c| (self.base[c] + (self.second[c] - self.base[c]) * t) * shade)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::print::dice::Purpose;

    #[test]
    fn every_material_stays_a_reflectance_and_black_is_darker_than_white() {
        for material in Material::ALL {
            let mut dice = Dice::new(4, 0, Purpose::Table);
            let top = Top::random(material, [0.86; 3], Span::only(1.0), &mut dice);
            let mut mean = 0.0;
            for i in 0..4000 {
                let (x, y) = (f64::from(i % 80) * 3.7, f64::from(i / 80) * 4.1);
                let p = top.at(x, y, 0.5);
                assert!(p.iter().all(|v| (0.0..=1.0).contains(v)), "{material:?}: {p:?}");
                mean += f64::from(p[1]) / 4000.0;
            }
            match material {
                Material::Black => assert!(mean < 0.06, "{mean}"),
                Material::White => assert!(mean > 0.75, "{mean}"),
                _ => {}
            }
        }
    }
}
