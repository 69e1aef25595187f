//! Fills inside a symbol's outline: stripes, dots, strokes, tints.
//!
//! Every pattern is averaged over the pixel; a pattern too fine for the pixel becomes its mean
//! tint.

use super::dice::mix;
use super::ink::{coverage, stripes};
use setsight_game::cards::deck::{Fill, FillKind};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Inked fraction of a pixel centred at `at`, in millimetres from the symbol's centre, 0 to 1.
/// `phase` is the position of the first stripe, in pitches.
pub fn inked(fill: &Fill, phase: f64, at: (f64, f64), pixel: &Footprint) -> f64 {
    let (x, y) = at;
    let (pitch, duty) = (fill.pitch_mm, fill.duty);
    let off = phase * pitch;
    match fill.kind {
        FillKind::Solid => 1.0,
        FillKind::None => 0.0,
        FillKind::Stripes => stripes(y - off, pixel.along((0.0, 1.0)), pitch, duty),
        FillKind::Bars => stripes(x - off, pixel.along((1.0, 0.0)), pitch, duty),
        FillKind::Crosshatch => {
            // Each of the two sets of lines inks less than `duty`, because crossings are inked
            // once.
            let one_way = 1.0 - (1.0 - duty).max(0.0).sqrt();
            let (u, v) = ((x + y) * FRAC_1_SQRT_2, (x - y) * FRAC_1_SQRT_2);
            let diagonal = FRAC_1_SQRT_2;
            let a = stripes(u - off, pixel.along((diagonal, diagonal)), pitch, one_way);
            let b = stripes(v - off, pixel.along((diagonal, -diagonal)), pitch, one_way);
            a + b - a * b
        }
        FillKind::Checks => {
            let a = stripes(x - off, pixel.along((1.0, 0.0)), 2.0 * pitch, 0.5);
            let b = stripes(y - off, pixel.along((0.0, 1.0)), 2.0 * pitch, 0.5);
            a * b + (1.0 - a) * (1.0 - b)
        }
        FillKind::Dots => tinted(fill, pixel, |wide| dots(x - off, y, pitch, duty, wide)),
        FillKind::Strokes => tinted(fill, pixel, |wide| strokes(x - off, y, pitch, duty, wide)),
        FillKind::Gradient => {
            /// Approximate distance from the middle of a symbol to its ends.
            const REACH_MM: f64 = 18.0;
            (duty * (1.0 + y / REACH_MM)).clamp(0.0, 1.0)
        }
    }
}

/// The pattern if a pixel resolves it, its mean if not, and a blend in between.
fn tinted(fill: &Fill, pixel: &Footprint, pattern: impl Fn(f64) -> f64) -> f64 {
    let wide = pixel.along((1.0, 0.0)).max(pixel.along((0.0, 1.0)));
    let lost = ((wide / fill.pitch_mm - 0.45) / 0.55).clamp(0.0, 1.0);
    if lost >= 1.0 {
        return fill.duty;
    }
    let sharp = pattern(wide);
    sharp + (fill.duty - sharp) * lost
}

/// Round dots in rows, every second row shifted by half a pitch.
fn dots(x: f64, y: f64, pitch: f64, duty: f64, wide: f64) -> f64 {
    let radius = pitch * (duty / PI).sqrt();
    let row = (y / pitch).round();
    let dot = |row: f64| {
        let shift = if row.rem_euclid(2.0) < 0.5 { 0.0 } else { 0.5 };
        let column = (x / pitch - shift).round() + shift;
        coverage((x - column * pitch).hypot(y - row * pitch) - radius, wide)
    };
    (dot(row) + dot(row - 1.0) + dot(row + 1.0)).min(1.0)
}

/// Length of a stroke without its round ends, in pitches.
const STROKE: f64 = 0.9;
/// Maximum offset of a stroke from the middle of its cell, in pitches.
const STRAY: f64 = 0.325;
/// Maximum bend of a stroke, in pitches.
const BEND: f64 = 0.225;

/// Short strokes with round ends at random angles, one in each cell of the pitch. A cell's stroke
/// is the same on every card, as if printed from one plate.
fn strokes(x: f64, y: f64, pitch: f64, duty: f64, wide: f64) -> f64 {
    let (column, row) = ((x / pitch).floor(), (y / pitch).floor());
    // Random strokes with area a per cell would leave a fraction exp(-a) blank; these mostly avoid
    // each other (the factor is fitted).
    let duty = duty.clamp(0.0, 0.95);
    let area = duty + 0.3 * (-(1.0 - duty).ln() - duty);
    let half_width = 0.5 * pitch * ((STROKE * STROKE + PI * area).sqrt() - STROKE) / (0.5 * PI);
    let mut blank = 1.0;
    for j in -1..=1 {
        for i in -1..=1 {
            let (column, row) = (column + f64::from(i), row + f64::from(j));
            let key = mix(column as i64 as u64 ^ (row as i64 as u64).rotate_left(32));
            let part = |shift: u32| f64::from((key >> shift) as u16) / 65_536.0;
            let angle = PI * part(0);
            let middle = |at: f64, stray: f64| (at + 0.5 + 2.0 * STRAY * (stray - 0.5)) * pitch;
            let (cx, cy) = (middle(column, part(16)), middle(row, part(32)));
            let (ux, uy) = (angle.cos(), angle.sin());
            let (dx, dy) = (x - cx, y - cy);
            let half = 0.5 * STROKE * pitch;
            let along = (dx * ux + dy * uy).clamp(-half, half);
            // A stroke is slightly curved.
            let bend = 2.0 * BEND * pitch * (part(48) - 0.5) * (1.0 - (along / half).powi(2));
            let off = (dx - along * ux + bend * uy).hypot(dy - along * uy - bend * ux);
            blank *= 1.0 - coverage(off - half_width, wide);
        }
    }
    1.0 - blank
}

/// The footprint of a pixel: the vectors on the card for one step right and one step down in the
/// picture, in millimetres.
#[derive(Clone, Copy, Debug)]
pub struct Footprint {
    /// One step right, in millimetres on the card.
    pub right: (f64, f64),
    /// One step down, in millimetres on the card.
    pub down: (f64, f64),
}

impl Footprint {
    /// Extent of the pixel along a unit vector.
    pub(crate) fn along(&self, (x, y): (f64, f64)) -> f64 {
        (self.right.0 * x + self.right.1 * y).abs() + (self.down.0 * x + self.down.1 * y).abs()
    }

    /// A footprint of half the size each way.
    pub(crate) fn half(self) -> Self {
        let half = |(x, y): (f64, f64)| (x / 2.0, y / 2.0);
        Self { right: half(self.right), down: half(self.down) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(fill: &Fill, pixel_mm: f64) -> f64 {
        let pixel = Footprint { right: (pixel_mm, 0.0), down: (0.0, pixel_mm) };
        let n = 160;
        let at = |i: usize| (i as f64 / n as f64 - 0.5) * 24.0 + 0.003;
        let sum: f64 = (0..n * n).map(|k| inked(fill, 0.3, (at(k % n), at(k / n)), &pixel)).sum();
        sum / (n * n) as f64
    }

    #[test]
    fn patterns_ink_as_much_as_they_say_at_any_size() {
        for kind in FillKind::ALL {
            let duty = match kind {
                FillKind::Solid => 1.0,
                FillKind::None => 0.0,
                FillKind::Checks => 0.5,
                _ => 0.45,
            };
            let fill = Fill { kind, outline_mm: 1.0, pitch_mm: 1.2, duty };
            for pixel_mm in [0.05, 0.3, 0.8, 1.5] {
                let mean = mean(&fill, pixel_mm);
                assert!((mean - duty).abs() < 0.05, "{} at {pixel_mm} mm: {mean}", kind.name());
            }
        }
    }
}
