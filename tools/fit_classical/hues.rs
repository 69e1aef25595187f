//! The three colours as normal distributions on the hue's disc, and how light moves them.

use nalgebra::{Matrix2, SMatrix, SVector, Vector2};
use std::collections::BTreeMap;

type Matrix6 = SMatrix<f64, 6, 6>;
type Vector6 = SVector<f64, 6>;

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
        let mut lights: BTreeMap<(usize, (i32, i32)), [Vec<Vector2<f64>>; 3]> = BTreeMap::new();
        let mut altered: [Vec<Vector2<f64>>; 3] = Default::default();
        for s in sightings {
            let hue = Vector2::from(s.hue.map(f64::from));
            match s.unaltered {
                None => lights.entry((s.source, s.light)).or_default()[s.color].push(hue),
                Some(before) => altered[s.color].push(hue - Vector2::from(before.map(f64::from))),
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
            scatter[k] = within[k] / counts[k] + change / 2.0;
            let mut block = moves.fixed_view_mut::<2, 2>(2 * k, 2 * k);
            block += change / 2.0 + Matrix2::identity() * 1e-4;
        }
        let center = [0, 1, 2].map(|k| Vector2::new(center[2 * k], center[2 * k + 1]));
        Self { center, scatter, moves }
    }

    /// Probabilities of the three colours for one card alone.
    pub fn probabilities(&self, hue: [f32; 2]) -> Vec<f64> {
        let hue = Vector2::from(hue.map(f64::from));
        let densities: Vec<f64> = (0..3)
            .map(|k| {
                let spread = self.scatter[k] + self.moves.fixed_view::<2, 2>(2 * k, 2 * k);
                let at = hue - self.center[k];
                let inverse = spread.try_inverse().unwrap_or_else(Matrix2::identity);
                (-0.5 * (at.transpose() * inverse * at)[0]).exp()
                    / (std::f64::consts::TAU * spread.determinant().sqrt())
                    + 0.003
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
            "\n/// Centre of each colour on the hue's disc.\n#[rustfmt::skip]\npub const COLOR_CENTER: [[f32; 2]; 3] = [\n{centers}];\n\
             \n/// Covariance of each colour within one photo: x x, x y, y y.\n#[rustfmt::skip]\npub const COLOR_SCATTER: [[f32; 3]; 3] = [\n{scatter}];\n\
             \n/// Covariance of the three centres from photo to photo: x and y of each colour in turn.\n#[rustfmt::skip]\npub const COLOR_MOVE: [[f32; 6]; 6] = [\n{moves}];\n"
        )
    }
}
