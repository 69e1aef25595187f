//! Compares a region with the three symbols, invariant under affine maps.
//!
//! A region is shifted to its centroid and whitened by its second moments. That undoes an affine
//! view (and nearly a perspective one) except for a rotation, which the principal axes give. In
//! that frame, the region is compared with the symbols by the distances of its edge from the
//! centroid (the centroid distance function; Zhang and Lu 2004).

use super::opencv_versions as polygons;
use opencv::core::{Point2f, Vector};
use setsight_game::cards::Shape;
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM, symbol_outline};
use setsight_photo::geometry::Point;
use std::f64::consts::{PI, TAU};
use std::sync::LazyLock;

/// A region's centroid and principal axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MomentFrame {
    /// Centroid in the image.
    pub center: Point,
    /// Minor principal axis; its length is the standard deviation along it.
    pub minor: Point,
    /// Major principal axis; its length is the standard deviation along it. It points a quarter
    /// turn clockwise (on the screen) from `minor`.
    pub major: Point,
    /// Area in pixels.
    pub area: f64,
}

impl MomentFrame {
    /// The frame of a polygon's area; `None` if it does not extend in two directions.
    pub(crate) fn new(polygon: &[Point]) -> opencv::Result<Option<Self>> {
        let points: Vector<Point2f> =
            polygon.iter().map(|p| Point2f::new(p.x as f32, p.y as f32)).collect();
        let m = polygons::moments_def(&points)?;
        if m.m00 < 4.0 {
            return Ok(None);
        }
        let [xx, xy, yy] = [m.mu20, m.mu11, m.mu02].map(|sum| sum / m.m00);
        let half_difference = (xx - yy) / 2.0;
        let root = half_difference.hypot(xy);
        let (large, small) = ((xx + yy) / 2.0 + root, (xx + yy) / 2.0 - root);
        if small <= 1e-6 {
            return Ok(None);
        }
        // The tangent of twice the major axis's angle is 2 xy / (xx - yy).
        let angle = f64::atan2(xy, half_difference) / 2.0;
        let major = Point::new(angle.cos(), angle.sin());
        Ok(Some(Self {
            center: Point::new(m.m10 / m.m00, m.m01 / m.m00),
            minor: -major.perpendicular() * small.sqrt(),
            major: major * large.sqrt(),
            area: m.m00,
        }))
    }

    /// Ratio of the standard deviations along the major and the minor axis.
    pub(crate) fn elongation(&self) -> f64 {
        self.major.norm() / self.minor.norm()
    }

    /// Ratio of the area to that of the ellipse with the same second moments: 1 for an ellipse,
    /// 0.955 for any rectangle or rhombus, less for ragged shapes.
    pub(crate) fn compactness(&self) -> f64 {
        self.area / (4.0 * PI * self.minor.norm() * self.major.norm())
    }

    /// Maps a vector of the image to the frame.
    pub(crate) fn frame_from_image(&self, v: Point) -> Point {
        [self.minor, self.major].map(|axis| v.dot(axis) / axis.dot(axis)).into()
    }

    /// Maps a vector of the frame to the image.
    pub(crate) fn image_from_frame(&self, v: Point) -> Point {
        self.minor * v.x + self.major * v.y
    }
}

/// The vector turned from the x axis towards the y axis, by an angle in radians.
pub(crate) fn turned(v: Point, angle: f64) -> Point {
    let (sin, cos) = angle.sin_cos();
    Point::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
}

/// Number of directions in which a region is measured.
const DIRECTIONS: i32 = 64;
/// The angle between two of them.
pub(crate) const DIRECTION: f64 = TAU / DIRECTIONS as f64;

/// Squared distances of a region's edge from its centroid, in its frame: one per direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Signature([f64; DIRECTIONS as usize]);

impl Signature {
    /// Measures what a polygon encloses. Where it has several edges in one direction, the farthest
    /// counts.
    pub(crate) fn new(polygon: &[Point], frame: &MomentFrame) -> Self {
        let mut squares = [0.0; DIRECTIONS as usize];
        let corners: Vec<(Point, f64)> = polygon
            .iter()
            .map(|&p| frame.frame_from_image(p - frame.center))
            .map(|p| (p, p.y.atan2(p.x)))
            .collect();
        for (&(a, from), &(b, to)) in corners.iter().zip(corners.iter().cycle().skip(1)) {
            // An edge passes the centroid on the side of the shorter way round.
            let to = from + (to - from + 1.5 * TAU).rem_euclid(TAU) - PI;
            let first = (from.min(to) / DIRECTION).ceil() as i32;
            let last = (from.max(to) / DIRECTION).floor() as i32;
            for direction in first..=last {
                let towards = turned(Point::new(1.0, 0.0), f64::from(direction) * DIRECTION);
                let distance = a.cross(b - a) / towards.cross(b - a);
                let square = &mut squares[direction.rem_euclid(DIRECTIONS) as usize];
                *square = distance.powi(2).max(*square);
            }
        }
        Self(squares)
    }

    /// Intersection over union, 0 to 1, with another region that is turned by a number of
    /// directions.
    fn overlap(&self, other: &Self, turn: i32) -> f64 {
        let shift = turn.rem_euclid(DIRECTIONS) as usize;
        let turned = self.0[shift..].iter().chain(&self.0[..shift]);
        let (mut both, mut either) = (0.0, 0.0);
        for (a, b) in turned.zip(&other.0) {
            both += a.min(*b);
            either += a.max(*b);
        }
        both / either
    }
}

/// The symbol that a region resembles most, if it is turned by a number of [`DIRECTION`]s, and its
/// IoU; `None` if it is rather a rectangle.
pub(crate) fn most_alike(region: &Signature, turn: i32) -> Option<(Shape, f64)> {
    Shape::ALL
        .map(|shape| (shape, region.overlap(&template(shape).signature, turn)))
        .into_iter()
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|(_, iou)| *iou >= region.overlap(&TEMPLATES.rectangle, turn))
}

/// A symbol's signature, and the card's sides in the symbol's moment frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Template {
    signature: Signature,
    /// The card's short side (down the card) in the moment frame.
    pub short_side_in_frame: Point,
    /// The card's long side (to the right) in the moment frame.
    pub long_side_in_frame: Point,
}

/// The template of a shape, computed from its measured outline.
pub(crate) fn template(shape: Shape) -> &'static Template {
    &TEMPLATES.symbols[shape.index()]
}

struct Templates {
    symbols: [Template; 3],
    rectangle: Signature,
}

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    let symbols = Shape::ALL.map(|shape| {
        let (frame, signature) = frame_and_signature(&outline_in_mm(shape));
        Template {
            signature,
            long_side_in_frame: frame.frame_from_image(Point::new(CARD_LONG_MM, 0.0)),
            short_side_in_frame: frame.frame_from_image(Point::new(0.0, CARD_SHORT_MM)),
        }
    });
    let rectangle = [(-5., -10.), (5., -10.), (5., 10.), (-5., 10.)].map(|(x, y)| Point::new(x, y));
    Templates { symbols, rectangle: frame_and_signature(&rectangle).1 }
});

fn outline_in_mm(shape: Shape) -> Vec<Point> {
    symbol_outline(shape)
        .iter()
        .map(|&(x, y)| Point::new(x * CARD_LONG_MM, y * CARD_SHORT_MM))
        .collect()
}

fn frame_and_signature(outline: &[Point]) -> (MomentFrame, Signature) {
    let frame = MomentFrame::new(outline).ok().flatten().expect("a template has extent");
    (frame, Signature::new(outline, &frame))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_symbol_is_most_like_itself_and_far_from_the_rest() {
        for shape in Shape::ALL {
            let region = &template(shape).signature;
            assert_eq!(most_alike(region, 0), Some((shape, 1.0)));
            let rest = Shape::ALL.iter().filter(|other| **other != shape);
            let overlaps = rest.map(|other| region.overlap(&template(*other).signature, 0));
            let rectangle = region.overlap(&TEMPLATES.rectangle, 0);
            assert!(overlaps.fold(rectangle, f64::max) < 0.9, "{shape}");
        }
        assert_eq!(most_alike(&TEMPLATES.rectangle, 0), None);
    }

    #[test]
    fn a_sheared_symbol_is_found_by_turning_its_frame() {
        // A strong shear turns a diamond's principal axes away from the card's axes.
        let shear = |p: Point| Point::new(p.x + 0.35 * p.y, p.y);
        let sheared: Vec<Point> = outline_in_mm(Shape::Diamond).into_iter().map(shear).collect();
        let (frame, signature) = frame_and_signature(&sheared);
        let diamond = template(Shape::Diamond);
        let at = |turn: i32| signature.overlap(&diamond.signature, turn);
        let best = (-4..=4).max_by(|a, b| at(*a).total_cmp(&at(*b))).unwrap();
        assert!(at(best) > 0.97 && at(best) > at(0) + 0.03, "{} {}", at(best), at(0));
        // The card's sides turn with it.
        let side = |v: Point| frame.image_from_frame(turned(v, f64::from(best) * DIRECTION));
        for (found, side) in [
            (side(diamond.long_side_in_frame), Point::new(CARD_LONG_MM, 0.0)),
            (side(diamond.short_side_in_frame), Point::new(0.0, CARD_SHORT_MM)),
        ] {
            let off = found.cross(shear(side)).abs() / found.norm() / shear(side).norm();
            assert!(off < 0.1, "{found:?} {side:?}");
        }
    }

    #[test]
    fn the_card_s_sides_follow_from_every_template() {
        for shape in Shape::ALL {
            let t = template(shape);
            // Published standard deviations: 0.150 to 0.182 short sides, 0.045 to 0.057 long sides.
            assert!((5.2..7.0).contains(&t.short_side_in_frame.norm()), "{t:?}");
            assert!((16.0..24.0).contains(&t.long_side_in_frame.norm()), "{t:?}");
        }
    }
}
