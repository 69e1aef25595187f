//! Locates a card's sides exactly, by border lines near the expected sides.
//!
//! The symbols predict the sides to within a few hundredths of the card. Near each predicted side,
//! a small Hough transform over the line's two ends searches for a line in all three channels (a
//! border may be a step to a dark cloth or a faint shadow on a white table). Without such a line,
//! the predicted side is kept.

use super::plane::{CARD_ASPECT, Pose, TablePlane};
use super::working_image::{Working, WorkingQuad};
use crate::probability::{median, rank};
use nalgebra::{Matrix3, Vector3};
use setsight_photo::geometry::Point;

/// Parameters for finding sides.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Largest distance from the expected side, in card short sides. A card's own symbols begin at
    /// 0.16.
    pub reach: f64,
    /// Standard deviation of the expected side's position, in card short sides.
    pub expected_deviation: f64,
    /// Threshold of a line's support, 0 to 1: its mean edge strength minus that of its
    /// surroundings.
    pub support: f64,
    /// Largest distance from the best fitting rectangle, in short sides, at which a line still
    /// belongs to the card.
    pub agreement: f64,
    /// Mean distance of the corners, in short sides, from which a card does not lie on the table of
    /// the others.
    pub elsewhere: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            reach: 0.13,
            expected_deviation: 0.06,
            support: 0.18,
            agreement: 0.04,
            elsewhere: f64::INFINITY,
        }
    }
}

/// A side found in the picture, as two points in working pixels, each a fifth of the side from an
/// end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Side {
    /// The point near the side's first corner and the point near its second.
    pub points: [Point; 2],
    /// The line's mean edge strength minus that of its surroundings, 0 to 1.
    pub support: f64,
}

/// Number of samples along a side, away from the round corners.
const SAMPLES: usize = 24;
const FIRST_SAMPLE: f64 = 0.10;
/// Positions of [`Side::points`] on the side.
const POINTS_AT: [f64; 2] = [0.2, 0.8];

/// Searches for the four sides of a card near an expected quad.
pub(crate) fn find_sides(
    working: &Working,
    expected: &WorkingQuad,
    params: &Params,
) -> [Option<Side>; 4] {
    let short_px = expected.short_side().min(expected.long_side());
    let mut profiles = Profiles {
        rgb: working.rgb.as_raw(),
        width: working.width,
        height: working.height,
        edge: Vec::new(),
        preferred: Vec::new(),
    };
    [0, 1, 2, 3].map(|i| {
        let (a, b) = (expected.0[i], expected.0[(i + 1) % 4]);
        profiles.find_side(a, b, short_px, params)
    })
}

/// Weight of an edge whose inner side is darker, relative to the edge of a white card on a darker
/// table. In a narrow gap between two cards, one edge is this card's and the other is the
/// neighbour's. If there is only one edge, as on a table brighter than the cards, its support is
/// not reduced.
const DARKER_INSIDE: f32 = 0.8;

/// Offset in pixels, at one sample, of a line that rises by `slope` over the whole side.
fn risen(slope: i32, sample: usize) -> isize {
    (slope as f32 / (SAMPLES - 1) as f32 * sample as f32).round() as isize
}

struct Profiles<'a> {
    rgb: &'a [u8],
    width: usize,
    height: usize,
    /// Edge strength, 0 to 1, for each sample along the side and each offset across it.
    edge: Vec<f32>,
    /// Edge strength with [`DARKER_INSIDE`] applied, for choosing between two edges.
    preferred: Vec<f32>,
}

impl Profiles<'_> {
    fn find_side(&mut self, a: Point, b: Point, short_px: f64, params: &Params) -> Option<Side> {
        let length = a.distance(b);
        if length < 8.0 || short_px < 8.0 {
            return None;
        }
        let reach = (params.reach * short_px).clamp(3.0, 40.0).round() as i32;
        let offsets = (2 * reach + 1) as usize;
        let outwards = -((b - a) / length).perpendicular();
        let at = |t: f64, d: f64| a.lerp(b, t) + outwards * d;
        let place =
            |k: usize| FIRST_SAMPLE + (1.0 - 2.0 * FIRST_SAMPLE) * k as f64 / (SAMPLES - 1) as f64;
        let inside = self.sample(reach, &place, &at);
        if inside < SAMPLES / 2 {
            return None;
        }
        let mean = self.edge.iter().sum::<f32>() / self.edge.len() as f32;
        let deviation = (params.expected_deviation * short_px).max(1.5);
        let off_squared: Vec<f64> =
            (0..offsets).map(|i| ((i as f64 - f64::from(reach)) / deviation).powi(2)).collect();
        let mut best = (f64::MIN, 0, 0);
        // A side turns by no more than the predicted direction's error. Lines of one slope are
        // adjacent in memory, so they are summed together.
        let steepest = (offsets / 2) as i32;
        let mut sums: Vec<f32> = Vec::with_capacity(offsets);
        for slope in -steepest..=steepest {
            let (least, end) =
                (slope.min(0).unsigned_abs() as usize, offsets - slope.max(0) as usize);
            sums.clear();
            sums.resize(end - least, 0.0);
            for k in 0..SAMPLES {
                let start = (k * offsets + least).wrapping_add_signed(risen(slope, k));
                for (sum, edge) in sums.iter_mut().zip(&self.preferred[start..start + end - least])
                {
                    *sum += edge;
                }
            }
            for (first, sum) in (least..end).zip(&sums) {
                let last = first.wrapping_add_signed(slope as isize);
                let score = f64::from(sum / SAMPLES as f32 - mean)
                    - 0.05 * (off_squared[first] + off_squared[last]) / 2.0;
                if score > best.0 {
                    best = (score, first, last);
                }
            }
        }
        let (_, first, last) = best;
        let slope = last as i32 - first as i32;
        let on_line =
            |k: usize| self.edge[(k * offsets + first).wrapping_add_signed(risen(slope, k))];
        let support = f64::from((0..SAMPLES).map(on_line).sum::<f32>() / SAMPLES as f32 - mean);
        if support < params.support {
            return None;
        }
        let (from, to) = self.sharpen(first, last, offsets)?;
        Some(Side {
            points: POINTS_AT.map(|t| {
                let k = (t - FIRST_SAMPLE) / (1.0 - 2.0 * FIRST_SAMPLE);
                at(t, from + (to - from) * k - f64::from(reach))
            }),
            support,
        })
    }

    /// Fills in the edge strengths; returns the number of samples completely inside the picture.
    fn sample(
        &mut self,
        reach: i32,
        place: &impl Fn(usize) -> f64,
        at: &impl Fn(f64, f64) -> Point,
    ) -> usize {
        let offsets = (2 * reach + 1) as usize;
        self.edge.clear();
        self.edge.resize(SAMPLES * offsets, 0.0);
        let mut inside = 0;
        let mut line = vec![[0f32; 3]; offsets + 2];
        for k in 0..SAMPLES {
            let t = place(k);
            let point = |i: usize| at(t, (i as i32 - 1 - reach) as f64);
            // A straight line lies in the picture if both its ends do.
            if !self.has_around(point(0)) || !self.has_around(point(offsets + 1)) {
                continue;
            }
            inside += 1;
            for (i, value) in line.iter_mut().enumerate() {
                *value = self.bilinear(point(i));
            }
            for i in 0..offsets {
                let rise: [f32; 3] = std::array::from_fn(|c| line[i + 2][c] - line[i][c]);
                let change: f32 = rise.iter().map(|c| c.abs()).sum();
                let brighter_outwards = rise.iter().sum::<f32>() > 0.0;
                self.edge[k * offsets + i] = if brighter_outwards { -change } else { change };
            }
        }
        // Normalise by the local texture: three times the median change has half strength.
        let half = (3.0 * rank(self.edge.iter().map(|e| e.abs()), 0.5)).max(9.0);
        self.preferred.clear();
        for e in &mut self.edge {
            let strength = e.abs() / (e.abs() + half);
            self.preferred.push(if *e < 0.0 { DARKER_INSIDE * strength } else { strength });
            *e = strength;
        }
        inside
    }

    /// Whether the four pixels around a place are in the picture.
    fn has_around(&self, p: Point) -> bool {
        let inside =
            |v: f64, pixels: usize| (0.0..pixels.saturating_sub(1) as f64).contains(&(v - 0.5));
        inside(p.x, self.width) && inside(p.y, self.height)
    }

    /// The color at a place, between the four pixels around it, which are in the picture.
    #[inline]
    fn bilinear(&self, p: Point) -> [f32; 3] {
        let (x, y) = (p.x - 0.5, p.y - 0.5);
        let (left, top) = (x as usize, y as usize);
        let (fx, fy) = ((x - left as f64) as f32, (y - top as f64) as f32);
        let i = 3 * (top * self.width + left);
        let (upper, lower) = (&self.rgb[i..][..6], &self.rgb[i + 3 * self.width..][..6]);
        let mut color = [0.0; 3];
        for (c, value) in color.iter_mut().enumerate() {
            let [above, below] = [upper, lower]
                .map(|row| f32::from(row[c]) * (1.0 - fx) + f32::from(row[3 + c]) * fx);
            *value = above * (1.0 - fy) + below * fy;
        }
        color
    }

    /// Least squares line through the centres of mass of the edge near the given line. Returns its
    /// offsets at the first and the last sample, in pixels from the innermost offset.
    fn sharpen(&self, first: usize, last: usize, offsets: usize) -> Option<(f64, f64)> {
        let (mut n, mut sk, mut skk, mut sd, mut skd) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for k in 0..SAMPLES {
            let u = k as f64 / (SAMPLES - 1) as f64;
            let near = (first as f64 + (last as f64 - first as f64) * u).round() as usize;
            let window = near.saturating_sub(2)..(near + 3).min(offsets);
            let (mut mass, mut moment) = (0.0, 0.0);
            for i in window {
                let e = f64::from(self.edge[k * offsets + i]).powi(2);
                mass += e;
                moment += e * i as f64;
            }
            if mass < 1e-3 {
                continue;
            }
            let d = moment / mass;
            n += mass;
            sk += mass * u;
            skk += mass * u * u;
            sd += mass * d;
            skd += mass * u * d;
        }
        let det = n * skk - sk * sk;
        if det < 1e-9 {
            return None;
        }
        let slope = (n * skd - sk * sd) / det;
        let start = (sd - slope * sk) / n;
        Some((start, start + slope))
    }
}

/// A card whose sides have been searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refined {
    /// Corners in working pixels.
    pub quad: WorkingQuad,
    /// Which sides were found in the picture and agree with a card on the table.
    pub confirmed: [bool; 4],
    pub(super) sides: [Option<Side>; 4],
}

impl Refined {
    /// Number of sides found, 0 to 4.
    pub(crate) fn sides_found(&self) -> usize {
        self.confirmed.iter().filter(|&&is_confirmed| is_confirmed).count()
    }

    /// Searches for the sides near `expected` and fits the card to them. On a given table a card
    /// has three degrees of freedom, so two sides determine the others, and a side that does not
    /// agree with the rest belongs to something else.
    pub(crate) fn locate(
        working: &Working,
        expected: &WorkingQuad,
        table: Option<&TablePlane>,
        params: &Params,
    ) -> Self {
        let sides = find_sides(working, expected, params);
        let table = table.filter(|table| table.misfit(expected) < params.elsewhere);
        Self::fit(expected, sides, table, params)
    }

    /// Refits the card on an improved table, and searches again for the missing sides at their new
    /// predicted places. What lies elsewhere stays as it is.
    pub(crate) fn again(&self, working: &Working, table: &TablePlane, params: &Params) -> Self {
        if table.misfit(&self.quad) >= params.elsewhere {
            return *self;
        }
        let refit = Self::fit(&self.quad, self.sides, Some(table), params);
        if refit.confirmed == [true; 4] {
            return refit;
        }
        let pose = fit_pose(&refit.quad, &refit.sides, table, params);
        Self::locate(working, &table.quad_in_working(&pose), Some(table), params)
    }

    fn fit(
        expected: &WorkingQuad,
        sides: [Option<Side>; 4],
        table: Option<&TablePlane>,
        params: &Params,
    ) -> Self {
        let mut base = *expected;
        let mut confirmed = sides.map(|side| side.is_some());
        if let Some(table) = table {
            let pose = fit_pose(expected, &sides, table, params);
            base = table.quad_in_working(&pose);
            for (i, side) in sides.iter().enumerate() {
                if let Some(side) = side {
                    let off = side.points.map(|p| distance_outside(table, &pose, i, p).abs());
                    confirmed[i] = off[0].max(off[1]) < params.agreement;
                }
            }
        }
        let line = |i: usize| match (&sides[i], confirmed[i]) {
            (Some(side), true) => side.points,
            _ => [base.0[i], base.0[(i + 1) % 4]],
        };
        let corners =
            [0, 1, 2, 3].map(|i| intersection(line((i + 3) % 4), line(i)).unwrap_or(base.0[i]));
        let quad = WorkingQuad::from_corners(corners);
        // Nearly parallel lines may intersect anywhere: a far corner means that the lines were not
        // sides.
        let limit = 0.25 * base.short_side();
        let wild = quad.0.iter().zip(&base.0).any(|(a, b)| a.distance(*b) > limit);
        if wild || !quad.is_convex() {
            return Self { quad: base, confirmed: [false; 4], sides };
        }
        Self { quad, confirmed, sides }
    }
}

/// Signed distance, on the table, of an image point from side `i` of a card at `pose`; positive
/// outside.
fn distance_outside(table: &TablePlane, pose: &Pose, i: usize, p: Point) -> f64 {
    let (sin, cos) = (pose.angle + std::f64::consts::FRAC_PI_2 * (i as f64 - 1.0)).sin_cos();
    let half = if i.is_multiple_of(2) { 0.5 } else { CARD_ASPECT / 2.0 };
    (table.table_from_working.apply(p) - pose.center).dot(Point::new(cos, sin)) - half
}

/// Fits centre and angle to the sides' points by Gauss-Newton, with robust weights that reject a
/// wrong side, and a weak prior at the place that the symbols predict.
fn fit_pose(
    expected: &WorkingQuad,
    sides: &[Option<Side>; 4],
    table: &TablePlane,
    params: &Params,
) -> Pose {
    let start = Pose::nearest(&table.table_from_working.apply_quad(expected));
    let pull = (params.agreement / params.expected_deviation).powi(2);
    let mut pose = start;
    for round in 0..8 {
        let mut normal = Matrix3::from_diagonal(&Vector3::new(pull, pull, 0.3 * pull));
        let mut right = Vector3::new(
            pull * (start.center.x - pose.center.x),
            pull * (start.center.y - pose.center.y),
            0.3 * pull * (start.angle - pose.angle),
        );
        // Tolerate larger deviations in the first rounds.
        let tolerance = params.agreement * if round < 3 { 2.0 } else { 1.0 };
        for (i, side) in sides.iter().enumerate() {
            let Some(side) = side else { continue };
            for p in side.points {
                let angle = pose.angle + std::f64::consts::FRAC_PI_2 * (i as f64 - 1.0);
                let (sin, cos) = angle.sin_cos();
                let v = table.table_from_working.apply(p) - pose.center;
                let residual = distance_outside(table, &pose, i, p);
                let gradient = Vector3::new(-cos, -sin, v.dot(Point::new(-sin, cos)));
                let weight =
                    side.support.min(0.5) * 2.0 / (1.0 + (residual / tolerance).powi(2)).powi(2);
                normal += gradient * gradient.transpose() * weight;
                right -= gradient * (weight * residual);
            }
        }
        let Some(step) = normal.lu().solve(&right) else { break };
        pose.center = pose.center + Point::new(step[0], step[1]);
        pose.angle += step[2];
    }
    pose
}

fn intersection(a: [Point; 2], b: [Point; 2]) -> Option<Point> {
    let (da, db) = (a[1] - a[0], b[1] - b[0]);
    let det = da.cross(db);
    (det.abs() > 1e-9 * da.norm() * db.norm()).then(|| a[0] + da * ((b[0] - a[0]).cross(db) / det))
}

/// Position of the rim between the centre (0) and the side (1).
const INWARDS: f64 = 0.9;

/// Colours (R, G, B) of points on a card's rim, `count` along each side, from the position `first`
/// to its mirror image, in sides. Points outside the picture are left out.
pub(super) fn rim(quad: &WorkingQuad, working: &Working, first: f64, count: usize) -> Vec<[u8; 3]> {
    let (rgb, width, height) = (working.rgb.as_raw(), working.width, working.height);
    let center = quad.center();
    let mut colors = Vec::with_capacity(4 * count);
    for i in 0..4 {
        let (a, b) = (quad.0[i], quad.0[(i + 1) % 4]);
        for k in 0..count {
            let t = first + (1.0 - 2.0 * first) * k as f64 / (count - 1) as f64;
            let p = center.lerp(a.lerp(b, t), INWARDS);
            if p.x >= 0.0 && p.y >= 0.0 && p.x < width as f64 && p.y < height as f64 {
                let at = 3 * (p.y as usize * width + p.x as usize);
                colors.push([rgb[at], rgb[at + 1], rgb[at + 2]]);
            }
        }
    }
    colors
}

/// Share of the rim, just inside the sides (in working pixels), whose colour is close to the rim's
/// median, 0 to 1: a card is blank there, in one colour. Points outside the picture do not count.
pub(crate) fn even_rim(quad: &WorkingQuad, working: &Working) -> f64 {
    let colors = rim(quad, working, 0.08, 10);
    if colors.is_empty() {
        return 0.0;
    }
    let median = [0, 1, 2].map(|c| median(colors.iter().map(|px| px[c])));
    let alike = colors
        .iter()
        .filter(|px| (0..3).all(|c| (f64::from(px[c]) - median[c]).abs() < 0.12 * median[c] + 6.0));
    alike.count() as f64 / colors.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};
    use setsight_photo::geometry::Quad;

    /// A light card on a dark cloth, both slightly uneven, with its sides at the given x and y.
    fn photo(left: f64, top: f64, right: f64, bottom: f64) -> Working {
        let cover = |from: f64, to: f64, i: u32| {
            let (a, b) = (f64::from(i), f64::from(i) + 1.0);
            (to.min(b) - from.max(a)).clamp(0.0, 1.0)
        };
        let image = RgbImage::from_fn(400, 300, |x, y| {
            let card = cover(left, right, x) * cover(top, bottom, y);
            let grain = f64::from((x * 7 + y * 13) % 5);
            let level = 60.0 + grain + card * 170.0;
            Rgb([level as u8; 3])
        });
        Working::new(&image, 400.0)
    }

    fn card_at(x: f64, y: f64) -> WorkingQuad {
        WorkingQuad::from_corners(Quad::rectangle(154.0, 100.0).0.map(|p| p + Point::new(x, y)))
    }

    #[test]
    fn sides_are_found_below_a_pixel() {
        let working = photo(100.4, 80.7, 254.4, 180.7);
        let expected = card_at(96.0, 85.0);
        let found = Refined::locate(&working, &expected, None, &Params::default());
        assert_eq!(found.confirmed, [true; 4]);
        let truth = [(100.4, 80.7), (254.4, 80.7), (254.4, 180.7), (100.4, 180.7)];
        for (corner, (x, y)) in found.quad.0.iter().zip(truth) {
            assert!(corner.distance(Point::new(x, y)) < 0.4, "{corner:?} is not {x}, {y}");
        }
    }

    #[test]
    fn without_a_line_the_expected_side_stays() {
        let working = photo(0.0, 0.0, 0.0, 0.0);
        let expected = card_at(90.0, 90.0);
        let found = Refined::locate(&working, &expected, None, &Params::default());
        assert_eq!((found.quad, found.confirmed), (expected, [false; 4]));
    }

    #[test]
    fn a_line_that_is_no_side_of_a_card_is_let_go() {
        // The table's plane is the picture itself, in units of the card's short side.
        let scale = 100.0;
        let working_from_table = setsight_photo::geometry::Homography(
            nalgebra::Matrix3::from_diagonal(&Vector3::new(scale, scale, 1.0)),
        );
        let table = TablePlane {
            working_from_table,
            table_from_working: working_from_table.inverse().unwrap(),
        };
        let expected = card_at(100.0, 80.0);
        let side = |i: usize, shift: Point| {
            let (a, b) = (expected.0[i] + shift, expected.0[(i + 1) % 4] + shift);
            Some(Side { points: POINTS_AT.map(|t| a.lerp(b, t)), support: 0.5 })
        };
        let none = Point::default();
        let stray = Point::new(11.0, 0.0);
        let sides = [side(0, none), side(1, stray), side(2, none), side(3, none)];
        let card = Refined::fit(&expected, sides, Some(&table), &Params::default());
        assert_eq!(card.confirmed, [true, false, true, true]);
        for (found, truth) in card.quad.0.iter().zip(expected.0) {
            assert!(found.distance(truth) < 2.0, "{found:?} {truth:?}");
        }
    }
}
