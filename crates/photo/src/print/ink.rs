//! The print of a symbol: signed distances to its outline, the fraction of a pixel that they cover, and
//! the fills inside it: stripes, dots, strokes, tints.
//!
//! Every pattern is averaged over the pixel; a pattern too fine for the pixel becomes its mean tint.

use super::dice::mix;
use setsight_game::cards::deck::{Fill, FillKind, Sides, Symbol};
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM, closed_spline};
use setsight_game::cards::{Deck, Shape};
use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::sync::{Arc, LazyLock, OnceLock};

/// Distance between the nodes of a distance field.
const STEP_MM: f64 = 0.25;
/// Reach of a field on either side of the symbol's centre: slightly more than half a symbol.
const REACH_X_MM: f64 = 12.0;
const REACH_Y_MM: f64 = 22.0;
const COLUMNS: usize = (2.0 * REACH_X_MM / STEP_MM) as usize + 1;
const ROWS: usize = (2.0 * REACH_Y_MM / STEP_MM) as usize + 1;

/// Signed distance to a symbol's outline, negative inside, on a grid of [`STEP_MM`].
#[derive(Clone, Debug, PartialEq)]
struct Field(Vec<f32>);

/// A distance and the direction in which it increases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// In millimetres, negative inside.
    pub mm: f64,
    /// Its gradient, of length about 1.
    pub gradient: (f64, f64),
}

/// The distance fields of a deck's three symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbols([Field; 3]);

impl Symbols {
    /// The fields of a deck. Those of the built-in decks are computed only once.
    pub(crate) fn for_deck(deck: &Deck) -> Arc<Self> {
        static BUILTIN: [OnceLock<Arc<Symbols>>; 2] = [const { OnceLock::new() }; 2];
        let builtin = [Deck::classic(), Deck::rectangles()];
        let new =
            || Arc::new(Self([0, 1, 2].map(|i| Field::new(&deck.shapes[i], deck.symbol_size))));
        match builtin.iter().position(|each| **each == *deck) {
            Some(place) => Arc::clone(BUILTIN[place].get_or_init(new)),
            None => new(),
        }
    }

    /// Distance from `(x, y)`, in millimetres from the symbol's centre, to the outer edge of its
    /// outline; `None` far from it.
    pub(crate) fn distance(&self, shape: Shape, x: f64, y: f64) -> Option<Distance> {
        self.0[shape.index()].distance(x, y)
    }
}

/// The same for the classic deck.
pub fn distance(shape: Shape, x: f64, y: f64) -> Option<Distance> {
    static CLASSIC: LazyLock<Arc<Symbols>> = LazyLock::new(|| Symbols::for_deck(&Deck::classic()));
    CLASSIC.distance(shape, x, y)
}

impl Field {
    fn new(symbol: &Symbol, size: f64) -> Self {
        let mut outline: Vec<(f64, f64)> = symbol
            .points
            .iter()
            .map(|&(x, y)| (x * CARD_LONG_MM * size, y * CARD_SHORT_MM * size))
            .collect();
        if symbol.sides == Sides::Curved {
            outline = closed_spline(&outline);
        }
        let mut values = vec![0.0; COLUMNS * ROWS];
        let last = values.len() - 1;
        // A half-turn symmetric symbol is measured once for both halves.
        let turned = symbol.is_half_turn_symmetric();
        for k in 0..=if turned { last / 2 } else { last } {
            let x = (k % COLUMNS) as f64 * STEP_MM - REACH_X_MM;
            let y = (k / COLUMNS) as f64 * STEP_MM - REACH_Y_MM;
            let d = polygon_distance(&outline, x, y) as f32;
            values[k] = d;
            if turned {
                values[last - k] = d;
            }
        }
        Self(values)
    }

    fn distance(&self, x: f64, y: f64) -> Option<Distance> {
        let (u, v) = ((x + REACH_X_MM) / STEP_MM, (y + REACH_Y_MM) / STEP_MM);
        if !(u >= 0.0 && v >= 0.0 && u < (COLUMNS - 1) as f64 && v < (ROWS - 1) as f64) {
            return None;
        }
        let (i, j) = (u as usize, v as usize);
        let (fu, fv) = (u - i as f64, v - j as f64);
        let field = &self.0[j * COLUMNS + i..];
        let (a, b) = (f64::from(field[0]), f64::from(field[1]));
        let (c, d) = (f64::from(field[COLUMNS]), f64::from(field[COLUMNS + 1]));
        let (top, bottom) = (a + (b - a) * fu, c + (d - c) * fu);
        let along_x = (b - a) * (1.0 - fv) + (d - c) * fv;
        Some(Distance {
            mm: top + (bottom - top) * fv,
            gradient: (along_x / STEP_MM, (bottom - top) / STEP_MM),
        })
    }
}

/// Signed distance to a closed polygon, negative inside (even-odd rule).
fn polygon_distance(polygon: &[(f64, f64)], x: f64, y: f64) -> f64 {
    let mut nearest = f64::INFINITY;
    let mut inside = false;
    for (i, &(ax, ay)) in polygon.iter().enumerate() {
        let (bx, by) = polygon[(i + 1) % polygon.len()];
        let (ex, ey) = (bx - ax, by - ay);
        let t = (((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey)).clamp(0.0, 1.0);
        let (dx, dy) = (x - ax - t * ex, y - ay - t * ey);
        nearest = nearest.min(dx * dx + dy * dy);
        if (ay > y) != (by > y) && x < ax + (y - ay) * ex / ey {
            inside = !inside;
        }
    }
    if inside { -nearest.sqrt() } else { nearest.sqrt() }
}

/// Fraction of a pixel on the negative side of an edge, 0 to 1. The pixel is `width` wide across
/// the edge, and its centre is `distance` from it.
pub fn coverage(distance: f64, width: f64) -> f64 {
    (0.5 - distance / width.max(1e-6)).clamp(0.0, 1.0)
}

/// Mean over `[y - width / 2, y + width / 2]` of stripes of period `pitch` with inked fraction
/// `duty`, the first centred on 0. 0 to 1.
pub fn stripes(y: f64, width: f64, pitch: f64, duty: f64) -> f64 {
    let (centre, width) = (y / pitch + duty / 2.0, (width / pitch).max(1e-4));
    // Ink from 0 to t, in periods, for stripes that start at 0.
    let [before, after] = [centre - width / 2.0, centre + width / 2.0].map(|t| {
        let periods = super::dice::floor_to_int(t) as f64;
        periods * duty + (t - periods).min(duty)
    });
    ((after - before) / width).clamp(0.0, 1.0)
}

/// Signed distance to a rounded rectangle around the origin, negative inside, and its gradient.
pub fn rounded_rectangle(x: f64, y: f64, half_long: f64, half_short: f64, radius: f64) -> Distance {
    let (qx, qy) = (x.abs() - half_long + radius, y.abs() - half_short + radius);
    let (sx, sy) = (x.signum(), y.signum());
    if qx > 0.0 && qy > 0.0 {
        let length = (qx * qx + qy * qy).sqrt();
        Distance { mm: length - radius, gradient: (sx * qx / length, sy * qy / length) }
    } else if qx > qy {
        Distance { mm: qx - radius, gradient: (sx, 0.0) }
    } else {
        Distance { mm: qy - radius, gradient: (0.0, sy) }
    }
}

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
    let [nearest, above, below] = [row, row - 1.0, row + 1.0].map(|row| {
        let shift = if row.rem_euclid(2.0) < 0.5 { 0.0 } else { 0.5 };
        let column = (x / pitch - shift).round() + shift;
        coverage((x - column * pitch).hypot(y - row * pitch) - radius, wide)
    });
    (nearest + above + below).min(1.0)
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
            let [cx, cy] = [(column, part(16)), (row, part(32))]
                .map(|(at, stray)| (at + 0.5 + 2.0 * STRAY * (stray - 0.5)) * pitch);
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
        Self { right: half(self.right), down: half(self.down) }
    }
}

fn half((x, y): (f64, f64)) -> (f64, f64) {
    (x / 2.0, y / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_the_right_sign_and_size() {
        for shape in Shape::ALL {
            let centre = distance(shape, 0.0, 0.0).unwrap().mm;
            assert!((-10.0..-4.0).contains(&centre), "{shape}: {centre}");
            assert!(distance(shape, 11.0, 0.0).unwrap().mm > 1.0);
            assert_eq!(distance(shape, 30.0, 0.0), None);
        }
        // The oval's straight side, 0.1028 long sides from its axis.
        let side = distance(Shape::Oval, 8.0, 0.0).unwrap();
        assert!((side.mm - (8.0 - 0.1026 * 89.0)).abs() < 0.08, "{side:?}");
        assert!((side.gradient.0 - 1.0).abs() < 0.05 && side.gradient.1.abs() < 0.05);
    }

    #[test]
    fn stripes_keep_their_mean_at_any_width() {
        for width in [0.01, 0.4, 1.0, 3.0, 10.0] {
            let n = 1000;
            let mean: f64 =
                (0..n).map(|i| stripes(i as f64 * 11.0 / n as f64, width, 1.1, 0.4)).sum::<f64>()
                    / n as f64;
            assert!((mean - 0.4).abs() < 2e-3, "{width}: {mean}");
        }
        assert_eq!(stripes(0.0, 0.1, 1.1, 0.4), 1.0);
        assert_eq!(stripes(0.55, 0.1, 1.1, 0.4), 0.0);
    }

    #[test]
    fn a_round_corner_is_cut() {
        let corner = rounded_rectangle(44.5, 28.5, 44.5, 28.5, 4.0);
        assert!((corner.mm - 4.0 * (2f64.sqrt() - 1.0)).abs() < 1e-9);
        assert_eq!(rounded_rectangle(0.0, 27.5, 44.5, 28.5, 4.0).mm, -1.0);
    }

    fn mean(fill: &Fill, pixel_mm: f64) -> f64 {
        let pixel = Footprint { right: (pixel_mm, 0.0), down: (0.0, pixel_mm) };
        let n = 160;
        let places = (0..n * n)
            .map(|k| [k % n, k / n].map(|i| (i as f64 / n as f64 - 0.5) * 24.0 + 0.003).into());
        let sum: f64 = places.map(|place| inked(fill, 0.3, place, &pixel)).sum();
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
