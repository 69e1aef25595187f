//! Random lighting changes of a context crop: brightness, colour, and the edge of a shadow across
//! it.

use super::jitter::normal;
use rand::RngExt;
use rand_pcg::Pcg64;
use setsight_nets::refiner::{HEIGHT, WIDTH};

/// Increased whenever the same seed gives other lighting.
pub(crate) const VERSION: u32 = 1;

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
    /// A random lighting.
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
