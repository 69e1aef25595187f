//! Colour casts beyond that of one lamp: tinted pictures, channel cross-talk, two lamps of
//! different colours, and the lateral chromatic aberration of cheap lenses.
//!
//! Casts are applied to the linear light of the whole picture, before lens and sensor.
//! [`CastParams::NONE`] leaves the light unchanged, bit for bit.

use super::{camera::View, params::CastParams};
use setsight_photo::{
    geometry::Point,
    print::{color::black_body, dice::Dice},
};

/// Two lights over the table.
#[derive(Clone, Copy, Debug)]
struct Lamps {
    /// Unit vector on the table from one light to the other.
    toward: Point,
    /// The place where both are equally strong.
    middle: Point,
    /// Width of the transition from one to the other.
    width_mm: f64,
    /// Gains of the channels on each side.
    gains: [[f64; 3]; 2],
}

#[derive(Clone, Debug)]
pub(super) struct Cast {
    /// Colour matrix, row by row: the weights that make up red, green and blue.
    matrix: Option<[[f32; 3]; 3]>,
    lamps: Option<Lamps>,
    fringe: f64,
}

impl Cast {
    /// Draws random casts. `middle` and `reach_mm` are the centre of the cards and their extent.
    pub(super) fn random(
        params: &CastParams,
        dice: &mut Dice,
        (middle, reach_mm): (Point, f64),
    ) -> Self {
        let mut gains = [0; 3].map(|_| params.gain * dice.normal());
        if dice.chance(params.violet) {
            let strength = dice.between(0.6, 1.6);
            gains[0] += strength * dice.between(0.1, 0.3);
            gains[1] -= strength * dice.between(0.15, 0.4);
            gains[2] += strength * dice.between(0.15, 0.45);
        }
        // The camera's exposure compensates the mean gain.
        let mean = gains.iter().sum::<f64>() / 3.0;
        let gains = gains.map(|gain| (gain - mean).clamp(-0.8, 0.8).exp());
        let mut matrix = [[0.0f32; 3]; 3];
        for (i, row) in matrix.iter_mut().enumerate() {
            let leaks = [0, 1, 2].map(|j| {
                let leak = params.cross_talk * dice.normal();
                if i == j { 0.0 } else { leak.clamp(-0.15, 0.25) }
            });
            // White keeps its brightness.
            let kept = 1.0 - leaks.iter().sum::<f64>();
            for (j, value) in row.iter_mut().enumerate() {
                *value = (gains[i] * if i == j { kept } else { leaks[j] }) as f32;
            }
        }
        let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let lamps = dice.chance(params.two_lamps).then(|| {
            let angle = dice.between(0.0, std::f64::consts::TAU);
            let toward = Point::new(angle.cos(), angle.sin());
            let (lamp, window) = (dice.between(1_900.0, 3_000.0), dice.between(8_000.0, 18_000.0));
            let lamp = black_body(lamp);
            let window = black_body(window);
            // The white balance is for a light between the two.
            let between = dice.between(0.3, 0.7);
            let strength = dice.between(0.55, 1.0);
            let gains = [lamp, window].map(|light| {
                [0, 1, 2].map(|c| {
                    let balanced = lamp[c].powf(1.0 - between) * window[c].powf(between);
                    (light[c] / balanced).powf(strength)
                })
            });
            Lamps {
                toward,
                middle: middle + toward * (reach_mm * dice.between(-0.35, 0.35)),
                width_mm: reach_mm * dice.between(0.5, 1.6),
                gains,
            }
        });
        Self {
            matrix: (matrix != identity).then_some(matrix),
            lamps,
            fringe: dice.within(params.fringe) * if dice.chance(0.5) { 1.0 } else { -1.0 },
        }
    }

    /// Applies the casts to a picture's light, row by row.
    pub(super) fn tint(&self, pixels: &mut [[f32; 4]], width: usize, view: &View) {
        if let Some(lamps) = &self.lamps {
            for (i, pixel) in pixels.iter_mut().enumerate() {
                let at = Point::new((i % width) as f64 + 0.5, (i / width) as f64 + 0.5);
                let gains = lamps.at(view.table_from_image(at).place);
                pixel.iter_mut().zip(gains).for_each(|(value, gain)| *value *= gain);
            }
        }
        if let Some(matrix) = &self.matrix {
            for pixel in pixels.iter_mut() {
                let [r, g, b, _] = *pixel;
                for (value, [x, y, z]) in pixel.iter_mut().zip(matrix) {
                    *value = (x * r + y * g + z * b).max(0.0);
                }
            }
        }
        if self.fringe != 0.0 {
            self.fray(pixels, width);
        }
    }

    /// Lateral chromatic aberration: red and blue have another scale than green.
    fn fray(&self, pixels: &mut [[f32; 4]], width: usize) {
        let height = pixels.len() / width;
        let sharp = pixels.to_vec();
        let middle = (0.5 * (width as f64 - 1.0), 0.5 * (height as f64 - 1.0));
        for (k, pixel) in pixels.iter_mut().enumerate() {
            let (dx, dy) = ((k % width) as f64 - middle.0, (k / width) as f64 - middle.1);
            for (c, scale) in [(0, 1.0 - self.fringe), (2, 1.0 + self.fringe)] {
                pixel[c] =
                    interpolated(&sharp, width, middle.0 + dx * scale, middle.1 + dy * scale, c);
            }
        }
    }

    pub(super) fn tag(&self) -> Option<&'static str> {
        if self.lamps.is_some() {
            Some("two_lamps")
        } else {
            self.matrix
                .as_ref()
                .is_some_and(|m| {
                    let white = m.map(|row| row.iter().sum::<f32>());
                    let low = white.iter().copied().fold(f32::INFINITY, f32::min);
                    white.iter().any(|v| v / low > 1.15)
                })
                .then_some("colour_cast")
        }
    }
}

/// A channel between pixels, bilinearly; the border is repeated outside.
fn interpolated(pixels: &[[f32; 4]], width: usize, x: f64, y: f64, c: usize) -> f32 {
    let height = pixels.len() / width;
    let (x, y) = (x.clamp(0.0, width as f64 - 1.0), y.clamp(0.0, height as f64 - 1.0));
    let (i, j) = ((x as usize).min(width - 2), (y as usize).min(height - 2));
    let (u, v) = ((x - i as f64) as f32, (y - j as f64) as f32);
    let [top, low] = [j, j + 1].map(|j| {
        let (a, b) = (pixels[j * width + i][c], pixels[j * width + i + 1][c]);
        a + (b - a) * u
    });
    top + (low - top) * v
}

impl Lamps {
    /// Gains of the channels at a place of the table.
    fn at(&self, place: Point) -> [f32; 3] {
        let t = (0.5 + (place - self.middle).dot(self.toward) / self.width_mm).clamp(0.0, 1.0);
        let t = t * t * (3.0 - 2.0 * t);
        let [lamp, window] = self.gains;
        [0, 1, 2].map(|c| (lamp[c] + (window[c] - lamp[c]) * t) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::print::dice::Purpose;

    fn cast(params: CastParams, index: u64) -> Cast {
        let mut dice = Dice::new(3, index, Purpose::Cast);
        Cast::random(&params, &mut dice, (Point::default(), 250.0))
    }

    #[test]
    fn no_cast_leaves_the_light_alone_and_a_violet_one_is_violet() {
        let none = cast(CastParams::NONE, 0);
        assert!(none.matrix.is_none() && none.lamps.is_none() && none.fringe == 0.0);
        assert_eq!(none.tag(), None);
        for index in 0..20 {
            let violet = cast(CastParams { violet: 1.0, ..CastParams::NONE }, index);
            let [r, g, b] = violet.matrix.unwrap().map(|row| row.iter().sum::<f32>());
            assert!(r > g && b > g, "{r} {g} {b}");
        }
    }

    #[test]
    fn two_lamps_are_orange_and_blue_with_a_smooth_way_between() {
        let lamps = cast(CastParams { two_lamps: 1.0, ..CastParams::NONE }, 1).lamps.unwrap();
        let warmth = |far: f64| {
            let [r, _, b] = lamps.at(lamps.middle + lamps.toward * far);
            r / b
        };
        assert!(warmth(-900.0) > 1.3 && warmth(900.0) < 0.8);
        let steps: Vec<f32> = (-40..40).map(|i| warmth(f64::from(i) * 10.0)).collect();
        assert!(steps.windows(2).all(|w| w[0] >= w[1] && w[0] - w[1] < 0.6), "{steps:?}");
    }

    #[test]
    fn fringes_shift_red_and_blue_apart_and_keep_green() {
        let mut cast = cast(CastParams::NONE, 0);
        cast.fringe = 0.02;
        let (width, height) = (101, 41);
        let mut pixels: Vec<[f32; 4]> = (0..width * height)
            .map(|i| if i % width >= 90 { [0.0; 4] } else { [1.0; 4] })
            .collect();
        cast.fray(&mut pixels, width);
        let row = &pixels[20 * width..21 * width];
        let sum = |c: usize| row.iter().map(|p| p[c]).sum::<f32>();
        assert!(sum(0) > sum(1) + 0.4 && sum(2) < sum(1) - 0.4, "{} {} {}", sum(0), sum(1), sum(2));
        assert_eq!(sum(1), 90.0);
    }
}
