//! Compares a region with the three symbols in its moment frame.
//!
//! A region is shifted to its centroid and whitened by its second moments. That undoes an affine
//! view (and nearly a perspective one) except for a rotation, which the principal axes give. In
//! that frame, the region is compared with the symbols by the IoU of 32 x 48 masks.

use super::components::Moments;
use setsight_game::cards::Shape;
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM, symbol_outline};
use setsight_photo::geometry::Point;
use std::f64::consts::PI;
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
    /// `None` for a region that does not extend in two directions.
    pub(crate) fn new(moments: &Moments) -> Option<Self> {
        let n = moments.area;
        if n < 4.0 {
            return None;
        }
        let center = Point::new(moments.first[0] / n, moments.first[1] / n);
        let xx = moments.second[0] / n - center.x * center.x;
        let xy = moments.second[1] / n - center.x * center.y;
        let yy = moments.second[2] / n - center.y * center.y;
        let half_difference = (xx - yy) / 2.0;
        let root = half_difference.hypot(xy);
        let (large, small) = ((xx + yy) / 2.0 + root, (xx + yy) / 2.0 - root);
        if small <= 1e-6 {
            return None;
        }
        // The tangent of twice the major axis's angle is 2 xy / (xx - yy).
        let angle = f64::atan2(xy, half_difference) / 2.0;
        let major = Point::new(angle.cos(), angle.sin());
        Some(Self {
            center,
            minor: -major.perpendicular() * small.sqrt(),
            major: major * large.sqrt(),
            area: n,
        })
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

    /// Maps a point of the frame, rotated by `turn` radians, to the image.
    pub(crate) fn image_from_frame(&self, p: Point, turn: f64) -> Point {
        let (sin, cos) = turn.sin_cos();
        self.center + self.minor * (cos * p.x + sin * p.y) + self.major * (-sin * p.x + cos * p.y)
    }
}

/// A region sampled in its moment frame, 32 columns per row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mask([u32; ROWS]);

const COLUMNS: usize = 32;
const ROWS: usize = 48;
/// Mask pixels per standard deviation. The mask covers slightly more than two deviations to each
/// side; the longest shape, the rhombus, extends to 2.45 at its tips only.
const PX_PER_MINOR: f64 = 8.0;
const PX_PER_MAJOR: f64 = 11.0;

/// 15 integer bits are enough for any working image, and 16 fractional bits for 48 steps.
const FIXED_BITS: u32 = 16;
const FIXED_ONE: f64 = (1 << FIXED_BITS) as f64;

impl Mask {
    /// Samples a region (`inside` takes pixel coordinates) in the moment frame, rotated by `turn`
    /// radians.
    pub(crate) fn sample(
        frame: &MomentFrame,
        turn: f64,
        inside: impl Fn(i32, i32) -> bool,
    ) -> Self {
        let mut rows = [0; ROWS];
        let origin = frame.image_from_frame(
            Point::new(
                (0.5 - COLUMNS as f64 / 2.0) / PX_PER_MINOR,
                (0.5 - ROWS as f64 / 2.0) / PX_PER_MAJOR,
            ),
            turn,
        );
        let step_x =
            frame.image_from_frame(Point::new(1.0 / PX_PER_MINOR, 0.0), turn) - frame.center;
        let step_y =
            frame.image_from_frame(Point::new(0.0, 1.0 / PX_PER_MAJOR), turn) - frame.center;
        // Fixed point, because sampling is the finder's inner loop and a shift is a floor.
        let fixed = |p: Point| ((p.x * FIXED_ONE) as i32, (p.y * FIXED_ONE) as i32);
        let (step_across, step_down) = (fixed(step_x), fixed(step_y));
        let mut start = fixed(origin);
        for row in &mut rows {
            let (mut x, mut y) = start;
            for i in 0..COLUMNS {
                *row |= u32::from(inside(x >> FIXED_BITS, y >> FIXED_BITS)) << i;
                x += step_across.0;
                y += step_across.1;
            }
            start = (start.0 + step_down.0, start.1 + step_down.1);
        }
        Self(rows)
    }

    /// Intersection over union, 0 to 1.
    pub(crate) fn overlap(&self, other: &Self) -> f64 {
        let (mut both, mut either) = (0, 0);
        for (a, b) in self.0.iter().zip(&other.0) {
            both += (a & b).count_ones();
            either += (a | b).count_ones();
        }
        f64::from(both) / f64::from(either.max(1))
    }

    fn mirrored(&self) -> Self {
        Self(self.0.map(u32::reverse_bits))
    }
}

/// IoU of a region with each template, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TemplateIou {
    /// With the symbols, in [`Shape::ALL`] order.
    pub symbols: [f64; 3],
    /// With a rectangle.
    pub rectangle: f64,
    /// With a mirrored squiggle, which no card shows.
    pub mirrored_squiggle: f64,
}

impl TemplateIou {
    /// Compares a mask with all templates.
    pub(crate) fn of(mask: &Mask) -> Self {
        let t = &*TEMPLATES;
        Self {
            symbols: [0, 1, 2].map(|i| mask.overlap(&t.symbols[i].mask)),
            rectangle: mask.overlap(&t.rectangle),
            mirrored_squiggle: mask.overlap(&t.mirrored_squiggle),
        }
    }

    /// The symbol with the highest IoU, and that IoU; `None` if a template that is no symbol fits
    /// better.
    pub(crate) fn symbol(&self) -> Option<(Shape, f64)> {
        let (shape, best) = self.best_symbol();
        (best >= self.rectangle && best >= self.mirrored_squiggle).then_some((shape, best))
    }

    /// The symbol with the highest IoU, even if another template fits better.
    pub(crate) fn best_symbol(&self) -> (Shape, f64) {
        let i = (0..3)
            .max_by(|&a, &b| self.symbols[a].total_cmp(&self.symbols[b]))
            .expect("three symbols");
        (Shape::from_index(i), self.symbols[i])
    }
}

/// A symbol's mask, and the card's sides in the symbol's moment frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Template {
    mask: Mask,
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
    rectangle: Mask,
    mirrored_squiggle: Mask,
}

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    // In millimetres on the card.
    let outline = |shape: Shape| -> Vec<Point> {
        let scale = |&(x, y): &(f64, f64)| Point::new(x * CARD_LONG_MM, y * CARD_SHORT_MM);
        symbol_outline(shape).iter().map(scale).collect()
    };
    let symbols = Shape::ALL.map(|shape| {
        let (frame, mask) = frame_and_mask(&outline(shape));
        let in_frame = |side: Point| {
            Point::new(
                side.dot(frame.minor) / frame.minor.dot(frame.minor),
                side.dot(frame.major) / frame.major.dot(frame.major),
            )
        };
        Template {
            mask,
            long_side_in_frame: in_frame(Point::new(CARD_LONG_MM * SAMPLES_PER_MM, 0.0)),
            short_side_in_frame: in_frame(Point::new(0.0, CARD_SHORT_MM * SAMPLES_PER_MM)),
        }
    });
    let (_, rectangle) = frame_and_mask(
        &[(-5., -10.), (5., -10.), (5., 10.), (-5., 10.)].map(|(x, y)| Point::new(x, y)),
    );
    let mirrored_squiggle = symbols[Shape::Squiggle.index()].mask.mirrored();
    Templates { symbols, rectangle, mirrored_squiggle }
});

/// Fine enough that rounding to samples is invisible in a mask.
const SAMPLES_PER_MM: f64 = 32.0;

/// Moment frame (in samples) and mask of a closed polygon, which is given in millimetres.
fn frame_and_mask(outline: &[Point]) -> (MomentFrame, Mask) {
    let outline: Vec<Point> = outline.iter().map(|&p| p * SAMPLES_PER_MM).collect();
    let edges = || outline.iter().zip(outline.iter().cycle().skip(1));
    let inside = |x: i32, y: i32| {
        let p = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
        edges().filter(|(a, b)| crosses_ray(p, **a, **b)).count() % 2 == 1
    };
    // The moments of a polygon follow from Green's theorem, edge by edge.
    let mut moments = Moments::default();
    for (a, b) in edges() {
        let cross = a.cross(*b);
        moments.area += cross / 2.0;
        moments.first[0] += cross * (a.x + b.x) / 6.0;
        moments.first[1] += cross * (a.y + b.y) / 6.0;
        moments.second[0] += cross * (a.x * a.x + a.x * b.x + b.x * b.x) / 12.0;
        moments.second[1] +=
            cross * (a.x * b.y + 2.0 * a.x * a.y + 2.0 * b.x * b.y + b.x * a.y) / 24.0;
        moments.second[2] += cross * (a.y * a.y + a.y * b.y + b.y * b.y) / 12.0;
    }
    // All moments are negative if the outline runs the other way round.
    let sign = moments.area.signum();
    moments.area *= sign;
    moments.first = moments.first.map(|m| m * sign);
    moments.second = moments.second.map(|m| m * sign);
    let mut frame = MomentFrame::new(&moments).expect("a template has extent");
    // A region's axes have no sign; make every template's major axis point down.
    if frame.major.y < 0.0 {
        frame.major = -frame.major;
        frame.minor = -frame.minor;
    }
    let mask = Mask::sample(&frame, 0.0, inside);
    (frame, mask)
}

/// Whether the edge from a to b crosses the ray from `p` to the right.
fn crosses_ray(p: Point, a: Point, b: Point) -> bool {
    (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_symbol_is_most_like_itself_and_far_from_the_others() {
        for shape in Shape::ALL {
            let iou = TemplateIou::of(&template(shape).mask);
            assert_eq!(iou.symbol(), Some((shape, 1.0)));
            let others = (0..3).filter(|&i| i != shape.index()).map(|i| iou.symbols[i]);
            assert!(others.fold(iou.rectangle, f64::max) < 0.9, "{iou:?}");
        }
        let mirrored = TemplateIou::of(&TEMPLATES.mirrored_squiggle);
        assert_eq!(mirrored.symbol(), None);
    }

    #[test]
    fn a_sheared_symbol_is_found_by_turning_its_frame() {
        // A strong shear turns a diamond's principal axes away from the card's axes.
        let shear = |p: Point| Point::new(p.x + 0.35 * p.y, p.y);
        let outline: Vec<Point> = symbol_outline(Shape::Diamond)
            .iter()
            .map(|&(x, y)| shear(Point::new(x * CARD_LONG_MM, y * CARD_SHORT_MM)))
            .collect();
        let (frame, _) = frame_and_mask(&outline);
        let inside = |x: i32, y: i32| {
            let p = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5) / SAMPLES_PER_MM;
            let edges = outline.iter().zip(outline.iter().cycle().skip(1));
            edges.filter(|(a, b)| crosses_ray(p, **a, **b)).count() % 2 == 1
        };
        let at = |turn: f64| TemplateIou::of(&Mask::sample(&frame, turn, inside)).symbols[0];
        let turned = (-6..=6).map(|i| at(f64::from(i) * 0.1)).fold(0.0, f64::max);
        assert!(turned > 0.93 && turned > at(0.0), "{turned} {}", at(0.0));
    }

    #[test]
    fn the_card_s_sides_are_seen_from_every_template() {
        for shape in Shape::ALL {
            let t = template(shape);
            // Published standard deviations: 0.150 to 0.182 short sides, 0.045 to 0.057 long sides.
            assert!((5.2..7.0).contains(&t.short_side_in_frame.norm()), "{t:?}");
            assert!((16.0..24.0).contains(&t.long_side_in_frame.norm()), "{t:?}");
        }
    }
}
