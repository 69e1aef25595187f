//! Points, quadrilaterals and homographies.
//!
//! Pixel coordinates: x to the right, y down, `(0, 0)` at the *outer corner* of the first pixel, so
//! that its centre is `(0.5, 0.5)`. A transform is named target-from-source: `card_from_image`.

use nalgebra::{DMatrix, DVector, Matrix3, SMatrix, SVector, Vector3};
use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A point or a vector, in the space that the variable's name states.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(from = "[f64; 2]", into = "[f64; 2]")]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

impl Point {
    /// From its two coordinates.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }
    /// Scalar product.
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }
    /// Third component of the vector product: positive when `other` lies clockwise of `self` on
    /// the screen (y down).
    pub fn cross(self, other: Self) -> f64 {
        self.x * other.y - self.y * other.x
    }
    /// Euclidean length.
    pub fn norm(self) -> f64 {
        self.x.hypot(self.y)
    }
    /// Distance to another point.
    pub fn distance(self, other: Self) -> f64 {
        (self - other).norm()
    }
    /// Turned by 90 degrees clockwise on the screen: the x axis becomes the y axis.
    pub const fn perpendicular(self) -> Self {
        Self::new(-self.y, self.x)
    }
    /// Weighted mean: `self` at 0, `other` at 1.
    pub fn lerp(self, other: Self, t: f64) -> Self {
        self + (other - self) * t
    }
}

/// The corners with the least and the greatest coordinates of all points, at infinity if there are
/// none.
pub fn bounding_box(points: impl IntoIterator<Item = Point>) -> (Point, Point) {
    let low = Point::new(f64::INFINITY, f64::INFINITY);
    points.into_iter().fold((low, -low), |(low, high), p| {
        (Point::new(low.x.min(p.x), low.y.min(p.y)), Point::new(high.x.max(p.x), high.y.max(p.y)))
    })
}

/// The centre of a cell of a grid of `steps` by `steps` over the unit square, row by row.
pub fn grid_center(cell: usize, steps: usize) -> Point {
    [cell % steps, cell / steps].map(|i| (i as f64 + 0.5) / steps as f64).into()
}

impl From<[f64; 2]> for Point {
    fn from([x, y]: [f64; 2]) -> Self {
        Self { x, y }
    }
}
impl From<Point> for [f64; 2] {
    fn from(p: Point) -> Self {
        [p.x, p.y]
    }
}
impl Add for Point {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y)
    }
}
impl Sub for Point {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y)
    }
}
impl Mul<f64> for Point {
    type Output = Self;
    fn mul(self, k: f64) -> Self {
        Self::new(self.x * k, self.y * k)
    }
}
impl Div<f64> for Point {
    type Output = Self;
    fn div(self, k: f64) -> Self {
        Self::new(self.x / k, self.y / k)
    }
}
impl Neg for Point {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}

/// The spaces that a [`Quad`] can lie in.
pub mod space {
    /// Pixels of the upright photo; also used for coordinates that lie in no picture: a unit card,
    /// a table.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Image;
    /// Pixels of the photo at working resolution.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Working;
    /// Pixels of the finder network's input.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Input;
}

/// Four corners. A card's corners run clockwise on the screen, and the first edge (corner 0 to 1)
/// is a long side. `S` is the space of the coordinates, so that pixels of different pictures cannot
/// be mixed.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Quad<S = space::Image>(pub [Point; 4], PhantomData<S>);

impl Quad {
    /// From four corners in pixels of the upright photo.
    pub const fn new(corners: [Point; 4]) -> Self {
        Self(corners, PhantomData)
    }

    /// From four corners in any order: put in the order in which they lie around their middle.
    pub fn from_unordered(mut corners: [Point; 4]) -> Self {
        let middle = (corners[0] + corners[1] + corners[2] + corners[3]) / 4.0;
        corners.sort_by(|a, b| {
            let [a, b] = [a, b].map(|p| (p.y - middle.y).atan2(p.x - middle.x));
            a.total_cmp(&b)
        });
        Self::new(corners)
    }

    /// An upright rectangle with its top left corner at the origin, clockwise from there.
    pub const fn rectangle(width: f64, height: f64) -> Self {
        Self::new([
            Point::new(0.0, 0.0),
            Point::new(width, 0.0),
            Point::new(width, height),
            Point::new(0.0, height),
        ])
    }

    /// A card centred on the origin whose sides both have length 1.
    pub const fn unit_card() -> Self {
        Self::new([
            Point::new(-0.5, -0.5),
            Point::new(0.5, -0.5),
            Point::new(0.5, 0.5),
            Point::new(-0.5, 0.5),
        ])
    }
}

impl<S> Quad<S> {
    /// From four corners in the space that the context infers.
    pub const fn from_corners(corners: [Point; 4]) -> Self {
        Self(corners, PhantomData)
    }

    /// Applies a function to each corner; the space stays the same.
    pub fn map(&self, change: impl Fn(Point) -> Point) -> Self {
        Self::from_corners(self.0.map(change))
    }

    /// The corners multiplied by `scale`, in another space. This is the only conversion between
    /// spaces.
    pub fn in_space<T>(&self, scale: f64) -> Quad<T> {
        Quad::from_corners(self.0.map(|p| p * scale))
    }

    /// The largest distance between corners of two outlines of one card, which looks the same after
    /// half a turn.
    pub fn corner_error<T>(&self, other: &Quad<T>) -> f64 {
        let errors = [0, 2].map(|turn| {
            let corners = (0..4).map(|i| self.0[(i + turn) % 4].distance(other.0[i]));
            corners.fold(0.0, f64::max)
        });
        errors[0].min(errors[1])
    }

    /// The same corners, ordered clockwise with a long side first. A card looks the same after half
    /// a turn; of the two orders that remain, this takes the one whose first corner is higher.
    pub fn as_card(self) -> Self {
        let mut corners = self.0;
        if self.signed_area() < 0.0 {
            corners.reverse();
        }
        let edge = |i: usize| corners[i].distance(corners[(i + 1) % 4]);
        if edge(0) + edge(2) < edge(1) + edge(3) {
            corners.rotate_left(1);
        }
        Self::from_corners(corners).higher_corner_first()
    }

    /// A card looks the same after half a turn, so its corners have two possible orders. This takes
    /// the one whose first corner is higher than its third. It never swaps long and short edges: at
    /// a low angle, a card's long side may be the shorter one in the picture.
    pub fn higher_corner_first(self) -> Self {
        let mut corners = self.0;
        if (corners[2].y, corners[2].x) < (corners[0].y, corners[0].x) {
            corners.rotate_left(2);
        }
        Self::from_corners(corners)
    }

    /// Area in squared units, positive when the corners run clockwise on the screen.
    pub fn signed_area(&self) -> f64 {
        let c = &self.0;
        (c[2] - c[0]).cross(c[3] - c[1]) / 2.0
    }

    /// Whether every inner angle is below 180 degrees.
    pub fn is_convex(&self) -> bool {
        let c = &self.0;
        let turns = (0..4).map(|i| (c[(i + 1) % 4] - c[i]).cross(c[(i + 2) % 4] - c[(i + 1) % 4]));
        let (mut positive, mut negative) = (0, 0);
        for turn in turns {
            if turn > 0.0 {
                positive += 1;
            } else {
                negative += 1;
            }
        }
        positive == 4 || negative == 4
    }

    /// The intersection of the diagonals, which is the image of the card's centre; the mean of the
    /// corners if the diagonals are parallel.
    pub fn center(&self) -> Point {
        let c = &self.0;
        let (d1, d2) = (c[2] - c[0], c[3] - c[1]);
        let det = d1.cross(d2);
        if det.abs() < 1e-9 {
            return (c[0] + c[1] + c[2] + c[3]) / 4.0;
        }
        c[0] + d1 * ((c[1] - c[0]).cross(d2) / det)
    }

    /// Mean length of the first and the third edge.
    pub fn long_side(&self) -> f64 {
        (self.0[0].distance(self.0[1]) + self.0[2].distance(self.0[3])) / 2.0
    }

    /// Mean length of the second and the fourth edge.
    pub fn short_side(&self) -> f64 {
        (self.0[1].distance(self.0[2]) + self.0[3].distance(self.0[0])) / 2.0
    }

    /// Whether a point lies inside. Valid for convex quads only.
    pub fn contains(&self, p: Point) -> bool {
        let c = &self.0;
        let sign = self.signed_area().signum();
        (0..4).all(|i| (c[(i + 1) % 4] - c[i]).cross(p - c[i]) * sign >= 0.0)
    }

    /// Every corner multiplied by a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        self.map(|p| p * factor)
    }

    /// Common area of two convex quads, as a share of the smaller one's (Sutherland and Hodgman 1974).
    pub fn shared_area(&self, other: &Self) -> f64 {
        let smaller = self.signed_area().abs().min(other.signed_area().abs());
        if smaller <= 0.0 {
            return 0.0;
        }
        let sign = other.signed_area().signum();
        let mut polygon: Vec<Point> = self.0.to_vec();
        for i in 0..4 {
            let (from, to) = (other.0[i], other.0[(i + 1) % 4]);
            let mut clipped = Vec::with_capacity(8);
            for (k, &p) in polygon.iter().enumerate() {
                let q = polygon[(k + 1) % polygon.len()];
                let [s, t] = [p, q].map(|p| (to - from).cross(p - from) * sign);
                if s >= 0.0 {
                    clipped.push(p);
                }
                if (s >= 0.0) != (t >= 0.0) {
                    clipped.push(p.lerp(q, s / (s - t)));
                }
            }
            polygon = clipped;
            if polygon.is_empty() {
                return 0.0;
            }
        }
        let area: f64 = (0..polygon.len())
            .map(|i| polygon[i].cross(polygon[(i + 1) % polygon.len()]))
            .sum::<f64>()
            / 2.0;
        area.abs() / smaller
    }

    /// Whether two outlines are of one card. Two cards in a heap may have nearly the same centre, but
    /// then their directions differ.
    pub fn is_same_place(&self, other: &Self) -> bool {
        /// Largest mean distance of the corners, in short sides.
        const WITHIN: f64 = 0.3;
        let most = 4.0 * WITHIN * self.short_side();
        // A card looks the same after half a turn.
        [0, 2].iter().any(|turn| {
            (0..4).map(|i| self.0[i].distance(other.0[(i + turn) % 4])).sum::<f64>() < most
        })
    }
}

/// A projective map of the plane, as a matrix acting on column vectors `(x, y, 1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Homography(pub Matrix3<f64>);

impl Homography {
    /// The map that takes each corner of `source` to the same corner of `target`; `None` if three
    /// corners of either are collinear.
    pub fn between<A, B>(source: &Quad<A>, target: &Quad<B>) -> Option<Self> {
        let pairs: [_; 4] = std::array::from_fn(|i| (source.0[i], target.0[i]));
        let system = Normalised::new(&pairs)?;
        let (mut a, mut b) = (SMatrix::<f64, 8, 8>::zeros(), SVector::<f64, 8>::zeros());
        for (i, (row, value)) in pairs.iter().flat_map(|pair| system.rows(*pair)).enumerate() {
            a.set_row(i, &row.into());
            b[i] = value;
        }
        system.homography(&a.lu().solve(&b)?)
    }

    /// Weighted least squares over pairs (source, target), with the last entry fixed at 1 after
    /// both sides are centred and scaled (Hartley 1997). `None` for fewer than four pairs or if the
    /// solution is not unique. Weights must not be negative.
    pub fn fit(pairs: &[(Point, Point)], weights: &[f64]) -> Option<Self> {
        if pairs.len() < 4 {
            return None;
        }
        let system = Normalised::new(pairs)?;
        let mut a = DMatrix::zeros(2 * pairs.len(), 8);
        let mut b = DVector::zeros(2 * pairs.len());
        for (i, (&pair, &w)) in pairs.iter().zip(weights).enumerate() {
            let root = w.sqrt();
            for (j, (row, value)) in system.rows(pair).into_iter().enumerate() {
                for (k, v) in row.into_iter().enumerate() {
                    a[(2 * i + j, k)] = v * root;
                }
                b[2 * i + j] = value * root;
            }
        }
        let normal = a.transpose() * &a;
        let solved = normal.lu().solve(&(a.transpose() * b))?;
        system.homography(&solved.fixed_rows::<8>(0).into())
    }

    /// The image of a point.
    pub fn apply(&self, p: Point) -> Point {
        let v = self.0 * Vector3::new(p.x, p.y, 1.0);
        Point::new(v.x / v.z, v.y / v.z)
    }

    /// The image of a quad's four corners.
    pub fn apply_quad<A, B>(&self, quad: &Quad<A>) -> Quad<B> {
        Quad::from_corners(quad.0.map(|p| self.apply(p)))
    }

    /// The inverse map; `None` if the matrix is singular.
    pub fn inverse(&self) -> Option<Self> {
        self.0.try_inverse().map(Self)
    }

    /// The map that applies `other` first, then `self`.
    pub fn after(&self, other: &Self) -> Self {
        Self(self.0 * other.0)
    }
}

/// The transforms that normalise both sides of pairs of points, and the equations in these
/// coordinates.
struct Normalised {
    from: Matrix3<f64>,
    to: Matrix3<f64>,
}

impl Normalised {
    fn new(pairs: &[(Point, Point)]) -> Option<Self> {
        let from = normaliser(pairs.iter().map(|p| p.0))?;
        let to = normaliser(pairs.iter().map(|p| p.1))?;
        Some(Self { from, to })
    }

    /// The two equations of a pair: coefficients of the first eight entries, and the right side.
    fn rows(&self, (source, target): (Point, Point)) -> [([f64; 8], f64); 2] {
        let (s, t) = (Homography(self.from).apply(source), Homography(self.to).apply(target));
        [
            ([s.x, s.y, 1.0, 0.0, 0.0, 0.0, -s.x * t.x, -s.y * t.x], t.x),
            ([0.0, 0.0, 0.0, s.x, s.y, 1.0, -s.x * t.y, -s.y * t.y], t.y),
        ]
    }

    /// The homography in the original coordinates; `None` if it is singular.
    fn homography(&self, h: &SVector<f64, 8>) -> Option<Homography> {
        let m = Matrix3::new(h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], 1.0);
        let full = self.to.try_inverse()? * m * self.from;
        let determinant = full.determinant();
        (determinant.is_finite() && determinant.abs() > 1e-12 * full.norm().powi(3))
            .then_some(Homography(full))
    }
}

/// The transform that shifts points to their centroid and scales them to a mean distance of sqrt(2)
/// from it; `None` if they coincide.
fn normaliser(points: impl Iterator<Item = Point> + Clone) -> Option<Matrix3<f64>> {
    let n = points.clone().count() as f64;
    let centre = points.clone().fold(Point::default(), |a, p| a + p) / n;
    let spread = points.map(|p| p.distance(centre)).sum::<f64>() / n;
    (spread > 1e-12).then(|| {
        let s = std::f64::consts::SQRT_2 / spread;
        Matrix3::new(s, 0.0, -s * centre.x, 0.0, s, -s * centre.y, 0.0, 0.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A rectangle whose corners move by less than a quarter of its short side stays convex.
    fn quad() -> impl Strategy<Value = Quad> {
        prop::array::uniform8(-14.9..14.9f64).prop_map(|j| {
            let r = Quad::rectangle(90.0, 60.0).0;
            Quad::new([0, 1, 2, 3].map(|i| r[i] + Point::new(j[2 * i], j[2 * i + 1])))
        })
    }

    #[test]
    fn shared_area_is_a_share_of_the_smaller() {
        let card = Quad::rectangle(4.0, 2.0);
        let half = Quad::rectangle(2.0, 2.0);
        assert!((card.shared_area(&half) - 1.0).abs() < 1e-12);
        let shifted = Quad::new(half.0.map(|p| p + Point::new(3.0, 0.0)));
        assert!((card.shared_area(&shifted) - 0.5).abs() < 1e-12);
        let away = Quad::new(half.0.map(|p| p + Point::new(5.0, 0.0)));
        assert_eq!(card.shared_area(&away), 0.0);
    }

    proptest! {
        #[test]
        fn shared_area_is_symmetric(x in -80.0..80.0f64, y in -50.0..50.0f64) {
            let a = Quad::rectangle(77.0, 50.0);
            let b = Quad::new(a.0.map(|p| p + Point::new(x, y)));
            prop_assert!((a.shared_area(&b) - b.shared_area(&a)).abs() < 1e-9);
        }

        #[test]
        fn a_warp_and_its_inverse_agree(q in quad(), x in 5.0..85.0f64, y in 5.0..55.0f64) {
            prop_assert!(q.is_convex());
            let image_from_card = Homography::between(&Quad::rectangle(89.0, 57.0), &q).unwrap();
            let card_from_image = image_from_card.inverse().unwrap();
            let p = Point::new(x, y);
            prop_assert!(card_from_image.apply(image_from_card.apply(p)).distance(p) < 1e-6);
            for (a, b) in Quad::rectangle(89.0, 57.0).0.into_iter().zip(q.0) {
                prop_assert!(image_from_card.apply(a).distance(b) < 1e-6);
            }
        }

        #[test]
        fn a_card_is_clockwise_with_a_long_side_first(q in quad(), turn in 0usize..4, flip: bool) {
            let mut corners = q.0;
            corners.rotate_left(turn);
            if flip { corners.reverse(); }
            let card = Quad::new(corners).as_card();
            prop_assert!(card.signed_area() > 0.0);
            prop_assert!(card.long_side() >= card.short_side());
            prop_assert!(card.center().distance(q.center()) < 1e-9);
        }
    }

    #[test]
    fn corners_on_a_line_have_no_homography() {
        let line = Quad::new([0.0, 1.0, 2.0, 3.0].map(|x| Point::new(x, x)));
        assert_eq!(Homography::between(&Quad::rectangle(1.0, 1.0), &line), None);
    }

    #[test]
    fn the_centre_is_where_the_diagonals_meet() {
        let q = Quad::rectangle(4.0, 2.0);
        assert_eq!(q.center(), Point::new(2.0, 1.0));
        assert!(q.contains(Point::new(1.0, 1.0)) && !q.contains(Point::new(5.0, 1.0)));
    }
}
