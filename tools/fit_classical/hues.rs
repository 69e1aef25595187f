//! The three colours as distributions of hue (angle, logarithm of length), and how light moves them.

use nalgebra::{Matrix2, SMatrix, SVector, Vector2};
use std::collections::BTreeMap;

type Matrix6 = SMatrix<f64, 6, 6>;
type Vector6 = SVector<f64, 6>;
/// A source and a light in it.
type Light = (usize, (i32, i32));

/// One crop or an altered copy of it.
#[derive(Clone, Copy)]
pub struct Sighting {
    pub source: usize,
    /// Light of the crop, as steps of the white's chromaticity.
    pub light: (i32, i32),
    pub color: usize,
    pub hue: [f32; 2],
    /// For an altered copy: the hue of the crop as it is.
    pub unaltered: Option<[f32; 2]>,
}

/// Three cameras are few to know how far others lie: their moves are widened by this factor of
/// variance.
const UNSEEN_CAMERAS: f64 = 1.5;
/// Roughly where the angles lie: each is taken the short way round from here.
const ANGLES: [f64; 3] = [2.6, -1.3, 0.0];
/// A change larger than this is a misread symbol, not light: left out.
const LARGEST_CHANGE: f64 = 1.0;
/// Scale of Student's distribution with four degrees of freedom from its covariance.
const STUDENT: f64 = 0.5;
/// Crops of each colour that a light needs.
const LEAST_PER_COLOR: usize = 3;

pub struct Hues {
    pub center: [Vector2<f64>; 3],
    pub scatter: [Matrix2<f64>; 3],
    pub moves: Matrix6,
}

impl Hues {
    /// Centres are means over sources of means over lights. Scatter is what is left within a light,
    /// moves are what differs between lights and sources; of what altering a crop changes, half goes to
    /// each.
    pub fn fit(sightings: &[Sighting]) -> Self {
        let mut lights: BTreeMap<Light, [Vec<Vector2<f64>>; 3]> = BTreeMap::new();
        let mut altered: [Vec<Vector2<f64>>; 3] = Default::default();
        for s in sightings {
            let unwrapped = |hue: [f32; 2]| {
                use std::f64::consts::{PI, TAU};
                let turn = f64::from(hue[0]) - ANGLES[s.color];
                Vector2::new(ANGLES[s.color] + (turn + PI).rem_euclid(TAU) - PI, f64::from(hue[1]))
            };
            let hue = unwrapped(s.hue);
            match s.unaltered {
                None => lights.entry((s.source, s.light)).or_default()[s.color].push(hue),
                Some(before) => {
                    let change = hue - unwrapped(before);
                    if change.norm() < LARGEST_CHANGE {
                        altered[s.color].push(change);
                    }
                }
            }
        }
        lights.retain(|_, colors| colors.iter().all(|hues| hues.len() >= LEAST_PER_COLOR));
        let mean = |v: &[Vector2<f64>]| v.iter().sum::<Vector2<f64>>() / v.len() as f64;
        let mut by_source: BTreeMap<usize, Vec<Vector6>> = BTreeMap::new();
        let mut within = [Matrix2::zeros(); 3];
        let mut counts = [0.0; 3];
        for ((source, _), colors) in &lights {
            let mut place = Vector6::zeros();
            for (k, hues) in colors.iter().enumerate() {
                let m = mean(hues);
                place[2 * k] = m.x;
                place[2 * k + 1] = m.y;
                for h in hues {
                    within[k] += (h - m) * (h - m).transpose();
                }
                counts[k] += hues.len() as f64 - 1.0;
            }
            by_source.entry(*source).or_default().push(place);
        }
        let sources = by_source.len() as f64;
        let center: Vector6 = by_source
            .values()
            .map(|places| places.iter().sum::<Vector6>() / places.len() as f64)
            .sum::<Vector6>()
            / sources;
        let mut moves: Matrix6 = by_source
            .values()
            .map(|places| {
                places.iter().map(|p| (p - center) * (p - center).transpose()).sum::<Matrix6>()
                    / places.len() as f64
            })
            .sum::<Matrix6>()
            * (UNSEEN_CAMERAS / sources);
        let mut scatter = [Matrix2::zeros(); 3];
        for k in 0..3 {
            let n = altered[k].len().max(1) as f64;
            let change = altered[k].iter().map(|d| d * d.transpose()).sum::<Matrix2<f64>>() / n;
            scatter[k] = (within[k] / counts[k] + change / 2.0) * STUDENT;
            let mut block = moves.fixed_view_mut::<2, 2>(2 * k, 2 * k);
            block += change / 2.0 + Matrix2::identity() * 5e-3;
        }
        let center = [0, 1, 2].map(|k| Vector2::new(center[2 * k], center[2 * k + 1]));
        Self { center, scatter, moves }
    }

    /// Probabilities of the three colours for one card alone.
    pub fn probabilities(&self, hue: [f32; 2]) -> Vec<f64> {
        use std::f64::consts::{PI, TAU};
        let densities: Vec<f64> = (0..3)
            .map(|k| {
                let noise = 0.005 / f64::from(hue[1]).exp();
                let spread = self.scatter[k]
                    + self.moves.fixed_view::<2, 2>(2 * k, 2 * k)
                    + Matrix2::identity() * (noise * noise);
                let turn = f64::from(hue[0]) - self.center[k].x;
                let at = Vector2::new(
                    (turn + PI).rem_euclid(TAU) - PI,
                    f64::from(hue[1]) - self.center[k].y,
                );
                let inverse = spread.try_inverse().unwrap_or_else(Matrix2::identity);
                let distance = (at.transpose() * inverse * at)[0];
                (1.0 + distance / 4.0).powi(-3) / spread.determinant().sqrt()
            })
            .collect();
        let sum: f64 = densities.iter().sum();
        densities.into_iter().map(|d| d / sum).collect()
    }

    /// As Rust constants.
    pub fn source(&self) -> String {
        let line = |values: &[f64]| {
            let words: Vec<String> =
                values.iter().map(|v| format!("{:?}", ((v * 1e5).round() / 1e5) as f32)).collect();
            format!("    [{}],\n", words.join(", "))
        };
        let centers: String = self.center.iter().map(|c| line(&[c.x, c.y])).collect();
        let scatter: String =
            self.scatter.iter().map(|s| line(&[s[(0, 0)], s[(0, 1)], s[(1, 1)]])).collect();
        let moves: String =
            (0..6).map(|i| line(&(0..6).map(|j| self.moves[(i, j)]).collect::<Vec<_>>())).collect();
        format!(
            "\n/// Centre of each colour: angle in radians, logarithm of length.\n#[rustfmt::skip]\npub const COLOR_CENTER: [[f32; 2]; 3] = [\n{centers}];\n\
             \n/// Scale matrix of each colour within one photo: angle angle, angle length, length length.\n#[rustfmt::skip]\npub const COLOR_SCATTER: [[f32; 3]; 3] = [\n{scatter}];\n\
             \n/// Covariance of the three centres from photo to photo: angle and length of each colour in turn.\n#[rustfmt::skip]\npub const COLOR_MOVE: [[f32; 6]; 6] = [\n{moves}];\n"
        )
    }
}
