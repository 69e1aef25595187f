//! The print of a symbol: signed distances to its outline, and the fraction of a pixel that they
//! cover.

use setsight_game::cards::{
    Deck, Shape,
    deck::{Sides, Symbol},
    outline::{CARD_LONG_MM, CARD_SHORT_MM, closed_spline},
};
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
    /// The fields of a deck. Those of the known decks are computed only once.
    pub(crate) fn of(deck: &Deck) -> Arc<Self> {
        static KNOWN: [OnceLock<Arc<Symbols>>; 2] = [const { OnceLock::new() }; 2];
        let known = [Deck::classic(), Deck::rectangles()];
        let new =
            || Arc::new(Self([0, 1, 2].map(|i| Field::new(&deck.shapes[i], deck.symbol_size))));
        match known.iter().position(|known| **known == *deck) {
            Some(place) => Arc::clone(KNOWN[place].get_or_init(new)),
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
    static CLASSIC: LazyLock<Arc<Symbols>> = LazyLock::new(|| Symbols::of(&Deck::classic()));
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
    // Ink from 0 to t, in periods, for stripes that start at 0.
    let ink = |t: f64| {
        let whole = super::noise::whole_below(t) as f64;
        whole * duty + (t - whole).min(duty)
    };
    let (centre, width) = (y / pitch + duty / 2.0, (width / pitch).max(1e-4));
    ((ink(centre + width / 2.0) - ink(centre - width / 2.0)) / width).clamp(0.0, 1.0)
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
}
