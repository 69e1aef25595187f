//! The three shapes as the reader compares them: inner points, edge points with normals, moments.

use crate::card::{CARD_LONG_PX, CARD_SHORT_PX};
use setsight_game::cards::{Deck, Edition, Shape};
use std::sync::LazyLock;

/// A 2 x 2 matrix, row by row.
pub(crate) type Matrix2 = [[f32; 2]; 2];

/// Distance between neighbouring inner points, in pixels of the card image.
pub(crate) const GRID_PX: f32 = 3.0;

/// One shape, centred on the origin, in pixels of the card image.
pub struct Template {
    /// Points inside, on a grid of [`GRID_PX`].
    pub inside: Vec<[f32; 2]>,
    /// The same points as rows: first point and number of points.
    pub rows: Vec<([f32; 2], usize)>,
    /// Points on the outer edge of the print, evenly spaced.
    pub edge: Vec<[f32; 2]>,
    /// Outward unit normal at each point of the edge.
    pub normal: Vec<[f32; 2]>,
    /// Second moments about the centre, in square pixels.
    pub covariance: Matrix2,
    /// Square root of the second moments; its inverse follows.
    root: Matrix2,
    inverse_root: Matrix2,
}

/// The shapes and distances that a deck's cards are compared with.
pub struct Masks {
    /// The shapes in [`Shape::ALL`] order, then the mirrored squiggle, which no card shows.
    pub templates: [Template; 4],
    /// Distance between the centres of neighbouring symbols, in pixels of the card image.
    pub spacing_px: f32,
}

impl Masks {
    /// The masks of any deck.
    pub(crate) fn new(deck: &Deck) -> Self {
        let long = CARD_LONG_PX as f32;
        let [d, o, s] = Shape::ALL.map(|shape| {
            let outline = deck.outline(shape);
            let points = outline.map(|(x, y)| [x as f32 * long, y as f32 * CARD_SHORT_PX as f32]);
            Vec::from(points)
        });
        let mirrored = s.iter().rev().map(|&[x, y]| [-x, y]).collect();
        Self {
            templates: [d, o, s, mirrored].map(Template::new),
            spacing_px: deck.symbol_spacing as f32 * long,
        }
    }

    /// The masks of an edition; those of the classic deck if it is unknown.
    pub fn of_edition(edition: Edition) -> &'static Self {
        static CLASSIC: LazyLock<Masks> = LazyLock::new(|| Masks::new(&Deck::classic()));
        static RECTANGLES: LazyLock<Masks> = LazyLock::new(|| Masks::new(&Deck::rectangles()));
        match edition {
            Edition::Classic | Edition::Unknown => &CLASSIC,
            Edition::Rectangles => &RECTANGLES,
        }
    }
}

impl Template {
    fn new(polygon: Vec<[f32; 2]>) -> Self {
        let mut inside = Vec::new();
        let mut rows: Vec<([f32; 2], usize)> = Vec::new();
        let reach = 40;
        for j in -reach..reach {
            let mut open = false;
            for i in -reach..reach {
                let p = [(i as f32 + 0.5) * GRID_PX, (j as f32 + 0.5) * GRID_PX];
                let within = contains(&polygon, p);
                match rows.last_mut() {
                    Some(row) if within && open => row.1 += 1,
                    _ if within => rows.push((p, 1)),
                    _ => {}
                }
                if within {
                    inside.push(p);
                }
                open = within;
            }
        }
        let n = inside.len() as f32;
        let moment = |a: usize, b: usize| inside.iter().map(|p| p[a] * p[b]).sum::<f32>() / n;
        let covariance = [[moment(0, 0), moment(0, 1)], [moment(0, 1), moment(1, 1)]];
        let edge = evenly(&polygon, 40);
        let normal = (0..edge.len())
            .map(|i| {
                let (a, b) = (edge[(i + edge.len() - 1) % edge.len()], edge[(i + 1) % edge.len()]);
                let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
                let length = dx.hypot(dy);
                // The outlines run anticlockwise on the screen, so outwards is to the right.
                [-dy / length, dx / length].map(|v| v * orientation(&polygon))
            })
            .collect();
        let root = square_root(covariance);
        Self { inside, rows, edge, normal, covariance, root, inverse_root: inverse(root) }
    }

    /// The linear map from this shape's second moments to the given ones that turns as little as
    /// possible: the optimal transport between two normal distributions.
    pub(crate) fn image_from_template(&self, covariance: Matrix2) -> Matrix2 {
        let inner = square_root(product(product(self.root, covariance), self.root));
        product(product(self.inverse_root, inner), self.inverse_root)
    }
}

/// Applies a matrix to a vector.
pub(crate) fn apply(m: Matrix2, [x, y]: [f32; 2]) -> [f32; 2] {
    [m[0][0] * x + m[0][1] * y, m[1][0] * x + m[1][1] * y]
}

/// Determinant.
pub(crate) fn determinant(m: Matrix2) -> f32 {
    m[0][0] * m[1][1] - m[0][1] * m[1][0]
}

fn product(a: Matrix2, b: Matrix2) -> Matrix2 {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j]))
}

fn inverse(m: Matrix2) -> Matrix2 {
    let d = determinant(m);
    [[m[1][1] / d, -m[0][1] / d], [-m[1][0] / d, m[0][0] / d]]
}

/// Square root of a positive definite matrix (Cayley-Hamilton).
fn square_root(m: Matrix2) -> Matrix2 {
    let s = determinant(m).max(0.0).sqrt();
    let t = (m[0][0] + m[1][1] + 2.0 * s).max(1e-12).sqrt();
    [[(m[0][0] + s) / t, m[0][1] / t], [m[1][0] / t, (m[1][1] + s) / t]]
}

/// Whether a polygon contains a point (even-odd rule).
fn contains(polygon: &[[f32; 2]], [x, y]: [f32; 2]) -> bool {
    let mut inside = false;
    for (i, &[ax, ay]) in polygon.iter().enumerate() {
        let [bx, by] = polygon[(i + 1) % polygon.len()];
        if (ay > y) != (by > y) && x < ax + (bx - ax) * (y - ay) / (by - ay) {
            inside = !inside;
        }
    }
    inside
}

/// -1 for a polygon that runs clockwise on the screen, 1 for anticlockwise.
fn orientation(polygon: &[[f32; 2]]) -> f32 {
    let area: f32 = (0..polygon.len())
        .map(|i| (polygon[i], polygon[(i + 1) % polygon.len()]))
        .map(|([ax, ay], [bx, by])| ax * by - bx * ay)
        .sum();
    -area.signum()
}

/// `count` evenly spaced points along a closed polygon.
fn evenly(polygon: &[[f32; 2]], count: usize) -> Vec<[f32; 2]> {
    let n = polygon.len();
    let side = |i: usize| {
        let ([ax, ay], [bx, by]) = (polygon[i], polygon[(i + 1) % n]);
        (bx - ax).hypot(by - ay)
    };
    let total: f32 = (0..n).map(side).sum();
    let (mut at, mut behind) = (0, 0.0);
    (0..count)
        .map(|k| {
            let want = (k as f32 + 0.5) * total / count as f32;
            while behind + side(at) < want && at + 1 < n {
                behind += side(at);
                at += 1;
            }
            let t = ((want - behind) / side(at)).clamp(0.0, 1.0);
            let (a, b) = (polygon[at], polygon[(at + 1) % n]);
            [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_point_out() {
        for template in Edition::KNOWN.iter().flat_map(|e| &Masks::of_edition(*e).templates) {
            for (p, n) in template.edge.iter().zip(&template.normal) {
                assert!((n[0].hypot(n[1]) - 1.0).abs() < 1e-3);
                let polygon = &template.edge;
                assert!(contains(polygon, [p[0] - 3.0 * n[0], p[1] - 3.0 * n[1]]), "{p:?} {n:?}");
                assert!(!contains(polygon, [p[0] + 3.0 * n[0], p[1] + 3.0 * n[1]]), "{p:?} {n:?}");
            }
        }
    }

    #[test]
    fn the_map_carries_the_moments() {
        for template in Edition::KNOWN.iter().flat_map(|e| &Masks::of_edition(*e).templates) {
            let want = [[130.0, 20.0], [20.0, 400.0]];
            let m = template.image_from_template(want);
            let transposed = [[m[0][0], m[1][0]], [m[0][1], m[1][1]]];
            let got = product(product(m, template.covariance), transposed);
            for i in 0..4 {
                assert!((got[i / 2][i % 2] - want[i / 2][i % 2]).abs() < 0.5, "{got:?}");
            }
        }
    }
}
