//! The camera's pose, and the mapping from the table to pixels and back.

use super::params::Params;
use nalgebra::{Matrix3, Rotation3, Vector3};
use setsight_game::cards::outline::CARD_LONG_MM;
use setsight_photo::geometry::{Homography, Point, Quad, bounding_box};
use setsight_photo::print::{dice::Dice, ink::Footprint};

/// A pinhole camera with radial distortion that views the table.
///
/// Three spaces: the *table* in millimetres; the *ideal* picture of a pinhole camera; the *image*
/// after the lens. From image to ideal, a point moves along its radius from the centre by the
/// factor `1 + k r^2`, with r = 1 at the picture's corner (the division-free form of Brown's first
/// term).
#[derive(Clone, Debug)]
pub(super) struct View {
    ideal_from_table: Homography,
    table_from_ideal: Matrix3<f64>,
    /// Focal length in pixels.
    focal: f64,
    distortion: f64,
    middle: Point,
    radius: f64,
    /// The point of the table below the camera, and the camera's height above it.
    eye: Point,
    height_mm: f64,
    /// Angle between the line of sight and the table's normal.
    pub(super) tilt: f64,
}

/// A point on the table seen by a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct TablePoint {
    pub place: Point,
    /// The pixel's footprint on the table, in millimetres.
    pub footprint: Footprint,
    /// Its size: the square root of its area.
    pub size_mm: f64,
}

impl View {
    /// A random pose in which the cards, given by their corners in millimetres, fill the picture as
    /// `params` ask.
    pub(super) fn random(params: &Params, cards: &[Quad], dice: &mut Dice) -> Self {
        let (width, height) = (f64::from(params.size_px.0), f64::from(params.size_px.1));
        let tilt = dice.within(params.tilt);
        let roll = dice.within(params.roll);
        let pan = 0.15 * tilt * dice.normal();
        let focal = dice.within(params.focal) * width.max(height);
        let fill = dice.within(params.fill);
        let long_side = params.long_side_px.map(|span| dice.within(span));
        let (jitter_x, jitter_y) = (dice.between(-0.8, 0.8), dice.between(-0.8, 0.8));
        let distortion = dice.within(params.distortion);
        // A rotation about x moves the picture's upper part away: the far side of the table is at
        // the top.
        let rotation = Rotation3::from_axis_angle(&Vector3::y_axis(), pan)
            * Rotation3::from_axis_angle(&Vector3::x_axis(), -tilt)
            * Rotation3::from_axis_angle(&Vector3::z_axis(), roll);
        let turned: Vec<Vector3<f64>> = if cards.is_empty() {
            Quad::new(
                [(-200.0, -200.0), (200.0, -200.0), (200.0, 200.0), (-200.0, 200.0)]
                    .map(|(x, y)| Point::new(x, y)),
            )
            .0
            .iter()
            .map(|p| rotation * Vector3::new(p.x, p.y, 0.0))
            .collect()
        } else {
            let corners = cards.iter().flat_map(|q| q.0);
            corners.map(|p| rotation * Vector3::new(p.x, p.y, 0.0)).collect()
        };
        let size = (width, height);
        let placed = |z| placed(&turned, z, (jitter_x, jitter_y), focal, size);
        let nearest = turned.iter().map(|v| -v.z).fold(0.0, f64::max) * 1.25 + 60.0;
        let (mut near, mut far) = (nearest, nearest + 40_000.0);
        for _ in 0..34 {
            let z = (near + far) / 2.0;
            let (low, high) = bounds(&turned, placed(z), focal, size);
            if (high.x - low.x).max(high.y - low.y) > fill { near = z } else { far = z }
        }
        let mut z = far;
        if let Some(long_side) = long_side {
            z = z.max(focal * CARD_LONG_MM / long_side);
        }
        let mut shift = placed(z);
        if params.aim_off > 0.0 {
            shift.x += params.aim_off * dice.normal() * width / focal * z;
            shift.y += params.aim_off * dice.normal() * height / focal * z;
        }
        let r = rotation.matrix();
        let pinhole =
            Matrix3::new(focal, 0.0, width / 2.0, 0.0, focal, height / 2.0, 0.0, 0.0, 1.0);
        let ideal_from_table =
            pinhole * Matrix3::from_columns(&[r.column(0).into(), r.column(1).into(), shift]);
        let eye = -(r.transpose() * shift);
        Self {
            ideal_from_table: Homography(ideal_from_table),
            table_from_ideal: ideal_from_table.try_inverse().unwrap_or_else(Matrix3::identity),
            focal,
            distortion,
            middle: Point::new(width / 2.0, height / 2.0),
            radius: width.hypot(height) / 2.0,
            eye: Point::new(eye.x, eye.y),
            height_mm: eye.z.abs(),
            tilt: tilt.hypot(pan),
        }
    }

    /// From camera coordinates (right, down, ahead) to the ideal picture.
    fn pinhole(&self) -> Matrix3<f64> {
        let (f, m) = (self.focal, self.middle);
        Matrix3::new(f, 0.0, m.x, 0.0, f, m.y, 0.0, 0.0, 1.0)
    }

    fn with_pose(&self, camera_from_table: Matrix3<f64>) -> Self {
        let ideal_from_table = self.pinhole() * camera_from_table;
        // The first two columns are those of a rotation; the third is the translation.
        let (x, y) = (camera_from_table.column(0), camera_from_table.column(1));
        let shift = camera_from_table.column(2);
        let eye = Vector3::new(-x.dot(&shift), -y.dot(&shift), -x.cross(&y).dot(&shift));
        Self {
            ideal_from_table: Homography(ideal_from_table),
            table_from_ideal: ideal_from_table.try_inverse().unwrap_or_else(Matrix3::identity),
            eye: Point::new(eye.x, eye.y),
            height_mm: eye.z.abs(),
            tilt: x.cross(&y).z.clamp(-1.0, 1.0).acos(),
            ..self.clone()
        }
    }

    fn camera_from_table(&self) -> Matrix3<f64> {
        self.pinhole().try_inverse().unwrap_or_else(Matrix3::identity) * self.ideal_from_table.0
    }

    /// The same camera, rotated about its own axes (radians) and shifted along them (millimetres).
    pub(super) fn drifted(&self, turn: Vector3<f64>, shift: Vector3<f64>) -> Self {
        let mut pose = self.camera_from_table();
        let moved = pose.column(2) - shift;
        pose.set_column(2, &moved);
        self.with_pose(Rotation3::from_scaled_axis(turn).matrix() * pose)
    }

    /// The same camera without lens distortion, with another picture size and pixels `finer` times
    /// as fine; the picture's centre stays in place.
    pub(super) fn ideal(&self, finer: f64, size_px: (usize, usize)) -> Self {
        let pose = self.camera_from_table();
        let (width, height) = (size_px.0 as f64, size_px.1 as f64);
        let camera = Self {
            focal: self.focal * finer,
            distortion: 0.0,
            middle: Point::new(width / 2.0, height / 2.0),
            radius: width.hypot(height) / 2.0,
            ..self.clone()
        };
        camera.with_pose(pose)
    }

    fn ideal_from_image(&self, p: Point) -> Point {
        let off = p - self.middle;
        self.middle + off * (1.0 + self.distortion * off.dot(off) / (self.radius * self.radius))
    }

    fn image_from_ideal(&self, p: Point) -> Point {
        let target = p - self.middle;
        let mut off = target;
        // Fixed-point iteration: each step adds two digits at such small distortions.
        for _ in 0..10 {
            let bend = self.distortion * off.dot(off) / (self.radius * self.radius);
            off = target / (1.0 + bend);
        }
        self.middle + off
    }

    /// The image point of a place of the table, or of the point `height_mm` above it.
    pub(super) fn image_from_table(&self, place: Point, height_mm: f64) -> Point {
        let apparent = place + (place - self.eye) * (height_mm / (self.height_mm - height_mm));
        self.image_from_ideal(self.ideal_from_table.apply(apparent))
    }

    /// The place on the table directly below a point `height_mm` high that hides the place
    /// `apparent`.
    pub(super) fn below(&self, apparent: Point, height_mm: f64) -> Point {
        apparent - (apparent - self.eye) * (height_mm / self.height_mm)
    }

    /// The point of the table seen at a pixel's centre. The footprint ignores the lens, which
    /// changes the size of a pixel only slightly.
    pub(super) fn table_from_image(&self, image: Point) -> TablePoint {
        let p = self.ideal_from_image(image);
        let m = &self.table_from_ideal;
        let w = m[(2, 0)] * p.x + m[(2, 1)] * p.y + m[(2, 2)];
        let x = (m[(0, 0)] * p.x + m[(0, 1)] * p.y + m[(0, 2)]) / w;
        let y = (m[(1, 0)] * p.x + m[(1, 1)] * p.y + m[(1, 2)]) / w;
        let right = ((m[(0, 0)] - x * m[(2, 0)]) / w, (m[(1, 0)] - y * m[(2, 0)]) / w);
        let down = ((m[(0, 1)] - x * m[(2, 1)]) / w, (m[(1, 1)] - y * m[(2, 1)]) / w);
        TablePoint {
            place: Point::new(x, y),
            footprint: Footprint { right, down },
            size_mm: (right.0 * down.1 - right.1 * down.0).abs().sqrt(),
        }
    }
}

/// The bounding box of the cards in the picture, as fractions of it, at a given shift.
fn bounds(
    turned: &[Vector3<f64>],
    shift: Vector3<f64>,
    focal: f64,
    (width, height): (f64, f64),
) -> (Point, Point) {
    bounding_box(turned.iter().map(|v| {
        let p = v + shift;
        Point::new(focal * p.x / p.z / width, focal * p.y / p.z / height)
    }))
}

/// The shift at a distance, off centre by up to the remaining margin.
fn placed(
    turned: &[Vector3<f64>],
    z: f64,
    jitter: (f64, f64),
    focal: f64,
    (width, height): (f64, f64),
) -> Vector3<f64> {
    let mut shift = Vector3::new(0.0, 0.0, z);
    for _ in 0..5 {
        let (low, high) = bounds(turned, shift, focal, (width, height));
        let (extent, middle) = (high - low, (low + high) / 2.0);
        let room = [extent.x, extent.y].map(|extent| (0.98 - extent).max(0.0) / 2.0);
        shift.x += (jitter.0 * room[0] - middle.x) * width / focal * z;
        shift.y += (jitter.1 * room[1] - middle.y) * height / focal * z;
    }
    shift
}

#[cfg(test)]
mod tests {
    use super::super::params::Kind;
    use super::*;
    use proptest::prelude::*;
    use setsight_photo::print::dice::{Purpose, Span};

    fn view(seed: u64, fill: f64) -> (View, Vec<Quad>) {
        let mut params = Params::for_kind(Kind::Mixed);
        params.fill = Span::only(fill);
        let cards: Vec<Quad> = [(0.0, 0.0), (150.0, -40.0), (-100.0, 120.0)]
            .map(|(x, y)| {
                Quad::new(Quad::rectangle(89.0, 57.0).0.map(|p| p + Point::new(x - 44.5, y - 28.5)))
            })
            .to_vec();
        let view = View::random(&params, &cards, &mut Dice::new(seed, 0, Purpose::Camera));
        (view, cards)
    }

    proptest! {
        #[test]
        fn projection_and_its_inverse_agree(seed: u64, x in 0.0..1280.0f64, y in 0.0..960.0f64) {
            let (view, _) = view(seed, 0.9);
            let point = view.table_from_image(Point::new(x, y));
            let back = view.image_from_table(point.place, 0.0);
            // Beyond the horizon the mapping has no inverse.
            prop_assume!(point.place.norm() < 5e3);
            prop_assert!(back.distance(Point::new(x, y)) < 1e-3, "{back:?}");
        }
    }

    /// At some extreme angles the iteration does not converge and cards leave the picture: about
    /// one view in twenty thousand. More iterations would change the tables of existing seeds.
    #[test]
    fn the_cards_fill_the_picture_and_stay_in_it() {
        const VIEWS: u64 = 20_000;
        let missed: Vec<u64> = (0..VIEWS).filter(|&seed| !is_filled(seed)).collect();
        assert!(missed.len() < 5, "{missed:?}");
    }

    fn is_filled(seed: u64) -> bool {
        let fill = 0.5 + 0.43 * (seed % 97) as f64 / 97.0;
        let (view, cards) = view(seed, fill);
        let in_image = cards.iter().flat_map(|q| q.0).map(|p| view.image_from_table(p, 0.0));
        let (low, high) = bounding_box(in_image);
        let filled = ((high.x - low.x) / 1280.0).max((high.y - low.y) / 960.0);
        let is_inside = low.x > 0.0 && high.x < 1280.0 && low.y > 0.0 && high.y < 960.0;
        is_inside && (filled - fill).abs() < 0.05
    }

    #[test]
    fn a_camera_that_drifts_and_returns_sees_the_same() {
        let (view, _) = view(5, 0.8);
        let places = [(0.0, 0.0), (150.0, -40.0), (-100.0, 120.0)].map(|(x, y)| Point::new(x, y));
        let still = view.drifted(Vector3::zeros(), Vector3::zeros());
        let turned = view.drifted(Vector3::new(0.0, 0.0, 0.02), Vector3::new(9.0, 0.0, 0.0));
        let fine = view.ideal(1.5, (2400, 1800));
        for place in places {
            let (a, b) = (view.image_from_table(place, 3.0), still.image_from_table(place, 3.0));
            assert!(a.distance(b) < 1e-6, "{a:?} {b:?}");
            let moved = a.distance(turned.image_from_table(place, 3.0));
            assert!(moved > 3.0 && moved < 80.0, "{moved}");
            // Finer pixels around the centre; only the lens differs.
            let off = fine.image_from_table(place, 0.0) - Point::new(1200.0, 900.0);
            let old = view.ideal_from_table.apply(place) - view.middle;
            assert!(off.distance(old * 1.5) < 1e-6);
        }
        assert!((still.height_mm - view.height_mm).abs() < 1e-6);
        assert!(still.eye.distance(view.eye) < 1e-6);
    }

    #[test]
    fn a_raised_corner_appears_farther_from_the_eye() {
        let (view, _) = view(3, 0.8);
        let place = Point::new(120.0, 40.0);
        let raised = view.image_from_table(place, 5.0);
        let point = view.table_from_image(raised);
        assert!(point.place.distance(view.eye) > place.distance(view.eye));
        assert!(view.below(point.place, 5.0).distance(place) < 0.5);
    }
}
