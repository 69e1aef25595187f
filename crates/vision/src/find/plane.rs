//! The table as one plane: the size of a card, depending on where it lies.

use super::working_image::WorkingQuad;
use nalgebra::{Matrix3, Vector3};
use setsight_photo::geometry::{Homography, Point, Quad};

/// The size of a card at each place of the picture of a plane.
///
/// Under a homography whose line at infinity is `1 + a x + b y = 0`, the area of a small patch
/// scales with `(1 + a x + b y)^-3`, so a card's length scales with the power -3/2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeField {
    log_size_at_origin: f64,
    /// Coefficients a, b of the line at infinity, for positions in long sides of the picture.
    tilt: Point,
}

impl SizeField {
    /// Robust fit (iteratively reweighted Gauss-Newton with Cauchy-like weights). Each entry of
    /// `sizes` is a position in long sides of the picture, the logarithm of a card's length, and a
    /// weight. Fewer than four entries give the weighted median size everywhere.
    pub fn fit(sizes: &[(Point, f64, f64)]) -> Self {
        /// Deviation of a log size that halves the square root of its weight.
        const TOLERANCE: f64 = 0.2;
        /// A weak prior towards a fronto-parallel table prevents a spurious tilt from few cards.
        const PULL: f64 = 0.05;
        let median = weighted_median(sizes);
        let mut field = Self { log_size_at_origin: median, tilt: Point::default() };
        if sizes.len() < 4 {
            return field;
        }
        for round in 0..14 {
            // Tolerate larger deviations first: the tilt that causes them is not yet fitted.
            let tolerance = if round < 4 { 2.0 * TOLERANCE } else { TOLERANCE };
            let mut normal = Matrix3::from_diagonal(&Vector3::new(1e-6, PULL, PULL));
            let mut right = Vector3::new(0.0, -PULL * field.tilt.x, -PULL * field.tilt.y);
            for &(at, log_size, weight) in sizes {
                let residual = log_size - field.log_size(at);
                let weight = weight * (1.0 + (residual / tolerance).powi(2)).powi(-2);
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

    /// Logarithm of a card's length at a position, in long sides of the picture.
    pub(crate) fn log_size(&self, at: Point) -> f64 {
        self.log_size_at_origin - 1.5 * self.depth(at).ln()
    }

    /// The homography that makes the plane's parallel lines parallel again, from a picture whose
    /// long side is `long_side_px`. It determines the plane up to an affine map.
    fn affine_from_image(&self, long_side_px: f64) -> Homography {
        let t = self.tilt / long_side_px;
        Homography(Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, t.x, t.y, 1.0))
    }

    fn depth(&self, at: Point) -> f64 {
        // There is no table beyond the horizon; stay short of it.
        (1.0 + self.tilt.dot(at)).max(0.15)
    }
}

fn weighted_median(sizes: &[(Point, f64, f64)]) -> f64 {
    let mut sorted: Vec<(f64, f64)> = sizes.iter().map(|s| (s.1, s.2)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = sorted.iter().map(|s| s.1).sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (log_size, weight) in sorted {
        below += weight;
        if below >= half {
            return log_size;
        }
    }
    0.0
}

/// Long side of a card in short sides, as measured (57 x 89 mm would give 1.56).
pub(crate) const CARD_ASPECT: f64 = 1.54;

/// A card's place on the table, in units of the card's short side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Centre of the card on the table.
    pub center: Point,
    /// Direction of its long side, in radians; half a turn more gives the same card.
    pub angle: f64,
}

impl Pose {
    /// The card's corners on the table.
    pub fn quad_on_table(&self) -> Quad {
        let (sin, cos) = self.angle.sin_cos();
        let w = Point::new(cos, sin) * (CARD_ASPECT / 2.0);
        let h = Point::new(-sin, cos) * 0.5;
        let c = self.center;
        Quad::new([c - w - h, c + w - h, c + w + h, c - w + h])
    }

    /// The pose of the card nearest to four corners in a card's order.
    pub fn nearest(quad: &Quad) -> Self {
        let [a, b, c, d] = quad.0;
        // Average long edges and short edges turned by 90 degrees into one direction, each weighted
        // by its length.
        let along = (b - a) + (c - d) - (c - b).perpendicular() - (d - a).perpendicular();
        Self { center: (a + b + c + d) / 4.0, angle: along.y.atan2(along.x) }
    }
}

/// The table's plane in the picture.
#[derive(Clone, Copy, Debug)]
pub struct TablePlane {
    /// From table coordinates (unit: a card's short side) to the working image.
    pub working_from_table: Homography,
    /// From the working image to table coordinates.
    pub table_from_working: Homography,
}

impl TablePlane {
    /// The homography that best maps the given cards (corners in a card's order, with weights) to
    /// rectangles of one size. It starts from the tilt of the size field and the cards' mean
    /// metric. Cards off the plane lose their weight. `None` if the cards do not determine a plane.
    pub fn fit(cards: &[(WorkingQuad, f64)], field: &SizeField, long_side_px: f64) -> Option<Self> {
        if cards.is_empty() {
            return None;
        }
        let affine_from_image = field.affine_from_image(long_side_px);
        let metric = metric_of(cards, &affine_from_image)?;
        let start = Self::from_table_from_working(metric.after(&affine_from_image))?;
        start.improved(cards)
    }

    /// Refits the plane to better corners, alternating between fitting rectangles to the cards and
    /// the homography to the rectangles. With fewer than three cards, which do not determine a
    /// tilt, it returns the plane unchanged. `None` if the fit fails.
    pub(crate) fn improved(&self, cards: &[(WorkingQuad, f64)]) -> Option<Self> {
        /// Mean corner error, in short sides, at which a card's weight is a quarter.
        const TOLERANCE: f64 = 0.10;
        const ROUNDS: usize = 40;
        if cards.len() < 3 {
            return Some(*self);
        }
        let mut table_from_working = self.table_from_working;
        let mut pairs = Vec::with_capacity(4 * cards.len());
        let mut weights = Vec::with_capacity(4 * cards.len());
        for _ in 0..ROUNDS {
            pairs.clear();
            weights.clear();
            for &(quad, weight) in cards {
                let on_table = table_from_working.apply_quad(&quad);
                let target = Pose::nearest(&on_table).quad_on_table();
                let error = corner_error(&on_table, &target);
                let robust = weight * (1.0 + (error / TOLERANCE).powi(2)).powi(-2);
                for (from, to) in quad.0.into_iter().zip(target.0) {
                    pairs.push((from, to));
                    weights.push(robust);
                }
            }
            table_from_working = Homography::fit(&pairs, &weights)?;
        }
        Self::from_table_from_working(table_from_working)
    }

    fn from_table_from_working(table_from_working: Homography) -> Option<Self> {
        Some(Self { working_from_table: table_from_working.inverse()?, table_from_working })
    }

    /// Maps a vector at a point of the image to the table.
    pub fn vector_on_table(&self, at: Point, vector: Point) -> Point {
        jacobian(&self.table_from_working, at, vector)
    }

    /// The card nearest to an outline whose misfit is below `elsewhere`.
    pub(crate) fn card_near(&self, outline: &WorkingQuad, elsewhere: f64) -> Option<WorkingQuad> {
        let on_table = self.table_from_working.apply_quad(outline);
        let pose = Pose::nearest(&on_table);
        let is_near = corner_error(&on_table, &pose.quad_on_table()) < elsewhere;
        is_near.then(|| self.quad_in_working(&pose))
    }

    /// How an outline fits this table: its misfit, and the natural logarithm of its size in relation to a
    /// card at that place.
    pub(crate) fn fit_of(&self, outline: &WorkingQuad) -> (f64, f64) {
        let on_table: Quad = self.table_from_working.apply_quad(outline);
        (self.misfit(outline), log_size(&on_table) - CARD_ASPECT.ln())
    }

    /// Mean distance of a quad's corners from those of the nearest card on this table, in short
    /// sides.
    pub(crate) fn misfit(&self, quad: &WorkingQuad) -> f64 {
        let on_table = self.table_from_working.apply_quad(quad);
        corner_error(&on_table, &Pose::nearest(&on_table).quad_on_table())
    }

    /// The image of a card at a pose.
    pub(crate) fn quad_in_working(&self, pose: &Pose) -> WorkingQuad {
        self.working_from_table.apply_quad(&pose.quad_on_table())
    }
}

/// Natural logarithm of the long side of a card with this quad's area.
pub(crate) fn log_size<S>(quad: &Quad<S>) -> f64 {
    (quad.signed_area().abs() * CARD_ASPECT).max(1e-9).ln() / 2.0
}

fn corner_error(a: &Quad, b: &Quad) -> f64 {
    a.0.iter().zip(&b.0).map(|(a, b)| a.distance(*b)).sum::<f64>() / 4.0
}

/// The derivative of the map at a point, applied to a vector.
fn jacobian(map: &Homography, at: Point, vector: Point) -> Point {
    let m = &map.0;
    let image = map.apply(at);
    let depth = m[(2, 0)] * at.x + m[(2, 1)] * at.y + m[(2, 2)];
    let change = m[(2, 0)] * vector.x + m[(2, 1)] * vector.y;
    let straight = Point::new(
        m[(0, 0)] * vector.x + m[(0, 1)] * vector.y,
        m[(1, 0)] * vector.x + m[(1, 1)] * vector.y,
    );
    (straight - image * change) / depth
}

/// The linear map after which the cards' sides are as nearly as possible [`CARD_ASPECT`] and 1 long
/// and perpendicular: reweighted least squares in the three entries of its Gram matrix.
fn metric_of(cards: &[(WorkingQuad, f64)], affine_from_image: &Homography) -> Option<Homography> {
    let sides: Vec<(Point, Point, f64)> = cards
        .iter()
        .map(|&(quad, weight)| {
            let [a, b, c, d] = quad.0.map(|p| affine_from_image.apply(p));
            ((b - a + c - d) / 2.0, (c - b + d - a) / 2.0, weight)
        })
        .collect();
    // Scale lengths to about one, so that the errors below are relative.
    let mut areas: Vec<f64> = sides.iter().map(|(w, h, _)| w.cross(*h).abs()).collect();
    areas.sort_by(f64::total_cmp);
    let unit = (areas[areas.len() / 2] / CARD_ASPECT).sqrt();
    let mut gram = Vector3::new(1.0, 0.0, 1.0);
    for round in 0..6 {
        let (mut normal, mut right) = (Matrix3::zeros(), Vector3::zeros());
        for &(w, h, weight) in &sides {
            let (w, h) = (w / unit / CARD_ASPECT, h / unit);
            let rows = [
                (Vector3::new(w.x * w.x, 2.0 * w.x * w.y, w.y * w.y), 1.0),
                (Vector3::new(h.x * h.x, 2.0 * h.x * h.y, h.y * h.y), 1.0),
                (Vector3::new(w.x * h.x, w.x * h.y + w.y * h.x, w.y * h.y), 0.0),
            ];
            let error: f64 = rows.iter().map(|(r, t)| (r.dot(&gram) - t).powi(2)).sum();
            let robust = if round == 0 { weight } else { weight / (1.0 + error / 0.05).powi(2) };
            for (row, target) in rows {
                normal += row * row.transpose() * robust;
                right += row * (robust * target);
            }
        }
        gram = normal.lu().solve(&right)?;
    }
    // Cholesky decomposition: gram = L' L with L upper triangular preserves the picture's
    // orientation.
    let [xx, xy, yy] = [gram[0], gram[1], gram[2]];
    let rest = yy - xy * xy / xx;
    if xx <= 0.0 || rest <= 0.0 {
        return None;
    }
    let (a, b, d) = (xx.sqrt() / unit, xy / xx.sqrt() / unit, rest.sqrt() / unit);
    Some(Homography(Matrix3::new(a, b, 0.0, 0.0, d, 0.0, 0.0, 0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tilted() -> Homography {
        let quad = Quad::new(
            [(300., 100.), (700., 100.), (1000., 800.), (0., 800.)].map(|(x, y)| Point::new(x, y)),
        );
        Homography::between(&Quad::rectangle(8.0, 6.0), &quad).unwrap()
    }

    fn cards() -> Vec<Pose> {
        (0..12)
            .map(|i| Pose {
                center: Point::new(1.2 + 1.9 * f64::from(i % 4), 1.0 + 1.9 * f64::from(i / 4)),
                angle: 0.3 * f64::from(i),
            })
            .collect()
    }

    #[test]
    fn sizes_follow_the_tilt_despite_outliers() {
        let working_from_table = tilted();
        let mut sizes: Vec<(Point, f64, f64)> = cards()
            .iter()
            .map(|pose| {
                let quad: WorkingQuad = working_from_table.apply_quad(&pose.quad_on_table());
                (quad.center() / 1000.0, quad.signed_area().sqrt().ln(), 1.0)
            })
            .collect();
        let truth = sizes.clone();
        sizes[5].1 += 1.0;
        let field = SizeField::fit(&sizes);
        for (at, log_size, _) in truth {
            // Under such a strong tilt, the weak prior towards a flat table has an effect.
            assert!(
                (field.log_size(at) - log_size).abs() < 0.2,
                "{at:?} {}",
                field.log_size(at) - log_size
            );
        }
    }

    #[test]
    fn the_table_is_found_from_cards_that_lie_anyhow() {
        let working_from_table = tilted();
        let mut quads: Vec<(WorkingQuad, f64)> = cards()
            .iter()
            .map(|pose| (working_from_table.apply_quad(&pose.quad_on_table()), 1.0))
            .collect();
        let truth = quads.clone();
        // Make one outline wrong.
        quads[4].0 = quads[4].0.scaled(1.3);
        let sizes: Vec<(Point, f64, f64)> = quads
            .iter()
            .map(|q| (q.0.center() / 1000.0, q.0.signed_area().sqrt().ln(), 1.0))
            .collect();
        let table = TablePlane::fit(&quads, &SizeField::fit(&sizes), 1000.0).unwrap();
        for (quad, _) in truth {
            assert!(table.misfit(&quad) < 0.02, "{}", table.misfit(&quad));
        }
        let v = table.vector_on_table(Point::new(500.0, 400.0), Point::new(1.0, 0.0));
        let p = table.table_from_working.apply(Point::new(501.0, 400.0))
            - table.table_from_working.apply(Point::new(500.0, 400.0));
        assert!(v.distance(p) < 1e-3 * p.norm());
    }
}
