//! Random changes of a context crop: its outline with errors as large as a finder's; and its lighting: brightness,
//! colour, and the edge of a shadow across it.

use rand::RngExt;
use rand_pcg::Pcg64;
use setsight_game::cards::outline::SYMBOL_SPACING;
use setsight_nets::refiner::{HEIGHT, OUTLINE_PX, WIDTH};
use setsight_photo::geometry::{Homography, Point, Quad};
use setsight_vision::refiner::outline_in_short_sides;

/// Increased whenever the same seed gives other errors.
pub(crate) const VERSION: u32 = 2;

/// Standard deviations of an outline's error. Lengths are relative to the short side of a card of
/// the same area seen from above.
struct Spread {
    /// Shift of its centre, in x and in y.
    center: f64,
    /// Each entry of the linear map that rotates, stretches and shears it.
    linear: f64,
    /// Shift of each corner by itself, in x and in y.
    corner: f64,
}

/// The error left where the card's sides were found.
const FINE: Spread = Spread { center: 0.02, linear: 0.015, corner: 0.01 };
/// The error of the finder's network.
const USUAL: Spread = Spread { center: 0.08, linear: 0.07, corner: 0.03 };
/// The network's error in a heap, or for a card seen at a flat angle.
const WIDE: Spread = Spread { center: 0.18, linear: 0.14, corner: 0.06 };

/// Standard deviation of the rotation of some outlines, in radians.
const TURN: f64 = 0.25;

/// A card's outline with a random error; `None` if it has no area. The error is the same in all
/// directions of the picture, not of the card: a finder that works on the whole picture errs as
/// much along a foreshortened side as along the other.
pub(crate) fn outline(truth: &Quad, rng: &mut Pcg64) -> Option<Quad> {
    let (spread, is_shifted) = match rng.random_range(0..10) {
        0..3 => (FINE, false),
        // The symbols were found but assigned to wrong places in the row.
        3..5 => (FINE, true),
        5..8 => (USUAL, false),
        _ => (WIDE, false),
    };
    // A card with little of its sides in view may be detected at the wrong angle.
    let turn = if rng.random_range(0..10) == 0 { TURN * normal(rng) } else { 0.0 };
    let steps = if is_shifted { [-2.0, -1.0, 1.0, 2.0][rng.random_range(0..4)] } else { 0.0 };
    let reference = outline_in_short_sides();
    let shift = Point::new(steps * SYMBOL_SPACING / 2.0 * OUTLINE_PX.0 / OUTLINE_PX.1, 0.0);
    let shifted = Homography::between(&reference, truth)?
        .apply_quad(&Quad::new(reference.0.map(|p| p + shift)));
    off_by(&spread, turn, &shifted, rng)
}

/// An outline with a very small error; `None` if it has no area.
pub(crate) fn nearly(outline: &Quad, rng: &mut Pcg64) -> Option<Quad> {
    off_by(&FINE, 0.0, outline, rng)
}

fn off_by(spread: &Spread, turn: f64, truth: &Quad, rng: &mut Pcg64) -> Option<Quad> {
    let (sin, cos) = turn.sin_cos();
    let unit_px = (truth.signed_area().abs() * OUTLINE_PX.1 / OUTLINE_PX.0).sqrt();
    let mut two = |deviation: f64| Point::new(normal(rng), normal(rng)) * deviation;
    let middle = truth.0.iter().fold(Point::default(), |sum, p| sum + *p / 4.0);
    let center = middle + two(spread.center * unit_px);
    let (along, down) = (two(spread.linear), two(spread.linear));
    let corners = truth.0.map(|p| {
        let from = p - middle;
        let from = Point::new(from.x * cos - from.y * sin, from.x * sin + from.y * cos);
        center + from + along * from.x + down * from.y + two(spread.corner * unit_px)
    });
    let quad = Quad::new(corners);
    (quad.is_convex() && quad.signed_area() > 1.0).then_some(quad)
}

/// A normally distributed number by Box and Muller (1958), clipped at three standard deviations.
fn normal(rng: &mut Pcg64) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    (radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()).clamp(-3.0, 3.0)
}

/// Increased whenever the same seed gives other lighting.
pub(crate) const SHADING_VERSION: u32 = 1;

/// Share of the views with an added shadow, besides the drawn shadows.
const SHADED: f64 = 0.25;

/// Gains of each pixel's channels, for 8-bit sRGB or the same scaled to 0 to 1.
pub(crate) struct Light {
    gain: [f32; 3],
    shadow: Option<Shadow>,
}

/// A half plane with less light.
struct Shadow {
    /// Unit vector into the shadow, in pixels.
    normal: (f32, f32),
    /// Position of the middle of its edge along the normal.
    at_px: f32,
    /// Width of its edge.
    width_px: f32,
    /// The fraction of light left in each channel.
    left: [f32; 3],
}

impl Light {
    pub(crate) fn new(rng: &mut Pcg64) -> Self {
        let light = 1.0 + 0.1 * normal(rng);
        let gain = [0; 3].map(|_| (light * (1.0 + 0.05 * normal(rng))).max(0.3) as f32);
        let shadow = rng.random_bool(SHADED).then(|| Shadow::new(rng));
        Self { gain, shadow }
    }

    /// A value in this light; `i` is its index row by row through one plane after the other.
    pub(crate) fn on(&self, i: usize, value: f32) -> f32 {
        const PLANE: usize = WIDTH * HEIGHT;
        let (channel, place) = (i / PLANE, i % PLANE);
        let shadow = self.shadow.as_ref().map_or(1.0, |shadow| {
            let inside = shadow.depth((place % WIDTH) as f32, (place / WIDTH) as f32);
            1.0 - inside * (1.0 - shadow.left[channel])
        });
        (value * self.gain[channel] * shadow).min(1.0)
    }
}

impl Shadow {
    /// A shadow whose edge crosses the outline.
    fn new(rng: &mut Pcg64) -> Self {
        let (sin, cos) = rng.random_range(0.0..std::f32::consts::TAU).sin_cos();
        let x = (0.2 + 0.6 * rng.random::<f32>()) * WIDTH as f32;
        let y = (0.2 + 0.6 * rng.random::<f32>()) * HEIGHT as f32;
        let left = rng.random_range(0.35..0.85f32);
        // The sky or the room lights a shadow, and their colour seldom equals the lamp's.
        let left = [0; 3].map(|_| (left * (1.0 + 0.06 * normal(rng) as f32)).clamp(0.2, 1.0));
        let width_px = rng.random_range(0.5..14.0f32);
        Self { normal: (cos, sin), at_px: x * cos + y * sin, width_px, left }
    }

    /// Depth of a pixel in the shadow, 0 to 1.
    fn depth(&self, x: f32, y: f32) -> f32 {
        let along = (x + 0.5) * self.normal.0 + (y + 0.5) * self.normal.1;
        ((along - self.at_px) / self.width_px + 0.5).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn outlines_are_off_and_still_of_the_card() {
        let card = Quad::new(
            [(30.0, 20.0), (120.0, 30.0), (115.0, 90.0), (25.0, 80.0)]
                .map(|(x, y)| Point::new(x, y)),
        );
        let mut rng = Pcg64::seed_from_u64(7);
        let mut off: Vec<f64> = Vec::new();
        let mut turned = 0;
        for _ in 0..500 {
            let rough = outline(&card, &mut rng).unwrap();
            let [off_angle, angle] = [&rough, &card].map(|quad| {
                let [a, b, c, d] = quad.0;
                let along = b - a + c - d;
                along.y.atan2(along.x)
            });
            turned += u32::from((off_angle - angle).abs() > 0.25);
            off.push(rough.center().distance(card.center()) / card.short_side());
        }
        off.sort_by(f64::total_cmp);
        assert!(off[100] < 0.06 && off[250] > 0.06 && (0.3..0.9).contains(&off[480]), "{off:?}");
        assert!((8..60).contains(&turned), "{turned}");
        let again = outline(&card, &mut Pcg64::seed_from_u64(3));
        assert_eq!(again, outline(&card, &mut Pcg64::seed_from_u64(3)));
    }

    #[test]
    fn a_shadow_leaves_one_side_as_it_was_and_darkens_the_other() {
        let shadow = Shadow { normal: (1.0, 0.0), at_px: 48.0, width_px: 4.0, left: [0.5; 3] };
        let light = Light { gain: [1.0, 1.0, 1.5], shadow: Some(shadow) };
        let at = |channel: usize, x: usize| light.on((channel * HEIGHT + 20) * WIDTH + x, 0.8);
        assert_eq!([at(0, 40), at(0, 60)], [0.8, 0.4]);
        // Clips in the light, but not in the shadow.
        assert_eq!(at(2, 40), 1.0);
        assert!((at(2, 60) - 0.6).abs() < 1e-6);
        assert!(at(1, 48) < 0.8 && at(1, 48) > 0.4);
    }

    #[test]
    fn a_quarter_of_the_views_are_shaded() {
        let mut rng = Pcg64::seed_from_u64(5);
        let lights: Vec<Light> = (0..400).map(|_| Light::new(&mut rng)).collect();
        let shaded = lights.iter().filter(|light| light.shadow.is_some()).count();
        assert!((70..130).contains(&shaded), "{shaded}");
        for Light { gain, shadow } in lights {
            let is_shaded = shadow.is_some();
            let (shaded, plain) = (Light { gain, shadow }, Light { gain, shadow: None });
            let left = (0..3 * WIDTH * HEIGHT).map(|i| shaded.on(i, 0.4) / plain.on(i, 0.4));
            let least = left.fold(1.0, f32::min);
            assert!(
                if is_shaded { (0.19..0.97).contains(&least) } else { least == 1.0 },
                "{least}"
            );
        }
    }
}
