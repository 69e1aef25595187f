//! The table as one plane: how large a card is, depending on where it lies.

use crate::geometry::Point;
use nalgebra::{Matrix3, Vector3};

/// Size of a card across the picture of a plane.
///
/// Under a homography whose line at infinity is `1 + a x + b y = 0` the area of a small patch
/// scales with `(1 + a x + b y)^-3`, so a card's length follows the power -3/2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeField {
    log_size_at_origin: f64,
    /// Line at infinity, for positions in long sides of the picture.
    tilt: Point,
}

impl SizeField {
    /// Robust fit (iteratively reweighted Gauss-Newton with Cauchy-like weights) to positions, in
    /// long sides of the picture, and logarithms of card lengths. Fewer than four of them give the
    /// median size everywhere.
    pub fn fit(sizes: &[(Point, f64)]) -> Self {
        /// Deviation of a log size that halves its weight's root.
        const TOLERANCE: f64 = 0.2;
        let mut logs: Vec<f64> = sizes.iter().map(|s| s.1).collect();
        logs.sort_by(f64::total_cmp);
        let median = logs.get(logs.len() / 2).copied().unwrap_or_default();
        let mut field = Self { log_size_at_origin: median, tilt: Point::default() };
        if sizes.len() < 4 {
            return field;
        }
        for _ in 0..10 {
            // A weak pull to a fronto-parallel table keeps few cards from inventing a tilt.
            let mut normal = Matrix3::from_diagonal(&Vector3::new(1e-6, 0.3, 0.3));
            let mut right = Vector3::new(0.0, -0.3 * field.tilt.x, -0.3 * field.tilt.y);
            for &(at, log_size) in sizes {
                let residual = log_size - field.log_size(at);
                let weight = (1.0 + (residual / TOLERANCE).powi(2)).powi(-2);
                let denominator = field.depth(at);
                let gradient =
                    Vector3::new(1.0, -1.5 * at.x / denominator, -1.5 * at.y / denominator);
                normal += gradient * gradient.transpose() * weight;
                right += gradient * (weight * residual);
            }
            let Some(step) = normal.lu().solve(&right) else { break };
            field.log_size_at_origin += step[0];
            field.tilt = field.tilt + Point::new(step[1], step[2]);
        }
        field
    }

    /// Logarithm of a card's length at a position (in long sides of the picture).
    pub fn log_size(&self, at: Point) -> f64 {
        self.log_size_at_origin - 1.5 * self.depth(at).ln()
    }

    fn depth(&self, at: Point) -> f64 {
        // Beyond the horizon there is no table; stay short of it.
        (1.0 + self.tilt.dot(at)).max(0.15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Homography, Quad};

    #[test]
    fn a_tilted_plane_is_found_despite_outliers() {
        let tilted =
            Quad([(0.3, 0.1), (0.7, 0.1), (1.0, 0.8), (0.0, 0.8)].map(|(x, y)| Point::new(x, y)));
        let image_from_table = Homography::between(&Quad::rectangle(1.0, 1.0), &tilted).unwrap();
        let card = |x: f64, y: f64| {
            let d = 0.01;
            let corner = |dx, dy| image_from_table.apply(Point::new(x + dx, y + dy));
            let quad = Quad([corner(-d, -d), corner(d, -d), corner(d, d), corner(-d, d)]);
            (quad.center(), quad.signed_area().sqrt().ln())
        };
        let mut sizes: Vec<_> =
            (0..12).map(|i| card(f64::from(i % 4) / 3.0, f64::from(i / 4) / 2.0)).collect();
        let truth = sizes.clone();
        sizes[5].1 += 1.0;
        sizes[7].1 -= 1.2;
        let field = SizeField::fit(&sizes);
        for (at, log_size) in truth {
            assert!((field.log_size(at) - log_size).abs() < 0.06, "{at:?}");
        }
    }
}
