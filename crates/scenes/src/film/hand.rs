//! A hand and forearm, flat above the table: capsules of skin and a soft shadow.

use super::super::camera::View;
use super::super::distractors::placement::for_pixels;
use super::super::light::Light;
use setsight_photo::geometry::Point;

/// Linear reflectance of skin, from light to dark.
const SKINS: [[f64; 3]; 4] =
    [[0.62, 0.40, 0.30], [0.50, 0.29, 0.20], [0.32, 0.17, 0.11], [0.13, 0.065, 0.042]];

/// A hand over the table, in millimetres.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    /// Tip of the middle finger.
    tip: Point,
    /// Unit vector from the tip to the elbow.
    back: Point,
    /// Colour of skin.
    skin: [f32; 3],
}

/// Height of a hand above the table, which offsets its shadow.
const HEIGHT_MM: f64 = 22.0;
/// Width of the shadow's penumbra.
const PENUMBRA_MM: f64 = 16.0;
/// Length of the hand and forearm.
const ARM_MM: f64 = 620.0;
/// Maximum distance of its outline from its axis.
const WIDEST_MM: f64 = 62.0;

impl Hand {
    /// A hand whose middle finger points at `tip`; `back` is the direction towards the elbow.
    pub(super) fn new(tip: Point, back: Point, skin: usize) -> Self {
        let skin = SKINS[skin % SKINS.len()].map(|v| v as f32);
        Self { tip, back, skin }
    }

    /// Signed distance to its outline, negative inside.
    fn distance(&self, place: Point) -> f64 {
        let off = place - self.tip;
        // Coordinates along the arm from the tip, and across it.
        let p = Point::new(off.dot(self.back), self.back.cross(off));
        let capsule = |a: (f64, f64), b: (f64, f64), radius: f64| {
            let (a, b) = (Point::new(a.0, a.1), Point::new(b.0, b.1));
            let along = b - a;
            let t = ((p - a).dot(along) / along.dot(along)).clamp(0.0, 1.0);
            p.distance(a.lerp(b, t)) - radius
        };
        [
            capsule((9.0, 0.0), (75.0, 4.0), 9.0),        // middle finger
            capsule((16.0, -21.0), (78.0, -14.0), 8.8),   // index finger
            capsule((17.0, 20.0), (78.0, 20.0), 8.5),     // ring finger
            capsule((36.0, 40.0), (86.0, 33.0), 7.5),     // little finger
            capsule((72.0, -52.0), (120.0, -25.0), 10.5), // thumb
            capsule((100.0, 8.0), (140.0, 6.0), 38.0),    // palm
            capsule((170.0, 4.0), (ARM_MM, 4.0), 30.0),   // forearm
        ]
        .into_iter()
        .fold(f64::INFINITY, f64::min)
    }

    /// Whether it hides a place of the table.
    pub(super) fn covers(&self, place: Point) -> bool {
        self.distance(place) < 0.0
    }

    /// The corners of its bounding box in the picture.
    fn around(&self, view: &View, more_mm: f64) -> [Point; 4] {
        let side = self.back.perpendicular() * (WIDEST_MM + more_mm);
        let (near, far) =
            (self.tip - self.back * more_mm, self.tip + self.back * (ARM_MM + 30.0 + more_mm));
        [near + side, near - side, far + side, far - side].map(|p| view.image_from_table(p, 0.0))
    }

    /// Whether any of it is in the picture.
    pub(super) fn is_in_view(&self, view: &View, size: (usize, usize)) -> bool {
        let inside =
            |p: Point| p.x > 0.0 && p.y > 0.0 && p.x < size.0 as f64 && p.y < size.1 as f64;
        inside(view.image_from_table(self.tip, 0.0))
            || inside(view.image_from_table(self.tip + self.back * 120.0, 0.0))
            || inside(view.image_from_table(self.tip + self.back * 300.0, 0.0))
    }

    /// Draws its shadow and then itself into a picture of reflectances.
    pub(super) fn draw(
        &self,
        pixels: &mut [[f32; 4]],
        size: (usize, usize),
        view: &View,
        light: &Light,
    ) {
        let around = self.around(view, 2.0 * HEIGHT_MM + PENUMBRA_MM);
        let depth = (0.5 + 0.6 * light.card_shadow.2).min(0.8);
        for_pixels(&around, size, |x, y| {
            let seen = view.table_from_image(Point::new(x as f64 + 0.5, y as f64 + 0.5));
            let pixel = &mut pixels[y * size.0 + x];
            let thrown = self.distance(seen.place - light.away * HEIGHT_MM);
            let t = (0.5 - thrown / PENUMBRA_MM).clamp(0.0, 1.0);
            let dark = (1.0 - depth * t * t * (3.0 - 2.0 * t)) as f32;
            let own = self.distance(seen.place);
            let cover = (0.5 - own / seen.size_mm).clamp(0.0, 1.0) as f32;
            // Shaded towards its borders, with slight wrinkles.
            let round = (1.0 - (1.0 + own / 14.0).clamp(0.0, 1.0).powi(2) * 0.55) as f32;
            let wrinkle =
                setsight_photo::print::dice::value(77, seen.place.x / 5.0, seen.place.y / 5.0);
            let shade = round * (1.0 + 0.06 * wrinkle as f32);
            for (value, skin) in pixel.iter_mut().zip(self.skin) {
                *value *= dark;
                *value += (skin * shade - *value) * cover;
            }
            pixel[3] += (0.05 - pixel[3]) * cover;
        });
    }
}
