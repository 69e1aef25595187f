//! Classifies the colours of all cards of a photo together.
//!
//! Within one photo, the hue of an ink scatters little. From photo to photo it shifts, for all
//! cards in a similar way. So the three colours are three distributions of angle and length, whose
//! centres are shifted by the light and the camera of this photo; the prior of that joint shift was
//! fitted on labelled crops. Expectation maximisation finds the most probable shift (MAP
//! adaptation). The distributions are Student's t, so that one misread symbol does not dominate.

use super::weights::{COLOR_CENTER, COLOR_MOVE, COLOR_SCATTER};
use crate::probability::softmax;
use nalgebra::{Matrix2, SMatrix, SVector, Vector2};

type Matrix6 = SMatrix<f64, 6, 6>;
type Vector6 = SVector<f64, 6>;

/// Number of iterations of expectation maximisation.
const ROUNDS: usize = 6;
/// Degrees of freedom of the t distributions.
const FREEDOM: f64 = 4.0;
/// Noise of a hue across its direction, in units of the length, measured on altered copies of crops
/// (6 degrees at a length of 0.03, 3.8 at 0.055).
const NOISE: f64 = 0.005;

/// The hue of one card and its weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hue {
    /// See [`super::features::hue_of`].
    pub hue: [f32; 2],
    /// Probability that it is the hue of a card, 0 to 1.
    pub weight: f32,
}

/// The probabilities of green, purple and red for each card.
pub(super) fn read_together(hues: &[Hue]) -> Vec<[f32; 3]> {
    let scatter = COLOR_SCATTER.map(|[a, b, c]| Matrix2::new(a, b, b, c).map(f64::from));
    let spread = Matrix6::from_fn(|i, j| f64::from(COLOR_MOVE[i][j]));
    let Some(spread_inverse) = spread.try_inverse() else {
        return vec![[1.0 / 3.0; 3]; hues.len()];
    };
    // Expectation maximisation finds a local maximum: start from no shift, and from shifts to
    // either side along the two principal directions of the prior.
    let eigen = spread.symmetric_eigen();
    let mut order: Vec<usize> = (0..6).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let mut starts = vec![Vector6::zeros()];
    for &i in &order[..2] {
        let way = eigen.eigenvectors.column(i) * (1.5 * eigen.eigenvalues[i].max(0.0).sqrt());
        starts.push(way);
        starts.push(-way);
    }
    let model = Model { scatter, spread_inverse };
    let best = starts
        .into_iter()
        .map(|start| model.adapt(hues, start))
        .max_by(|a, b| a.evidence.total_cmp(&b.evidence))
        .expect("there is a first start");
    hues.iter()
        .map(|h| {
            softmax(std::array::from_fn(|k| model.log_density(h, k, &best, &best.doubt) as f32))
        })
        .collect()
}

struct Model {
    scatter: [Matrix2<f64>; 3],
    spread_inverse: Matrix6,
}

/// The estimated shift of the colours in a photo.
struct Move {
    by: Vector6,
    /// Covariance of the remaining uncertainty.
    doubt: Matrix6,
    evidence: f64,
}

impl Model {
    fn adapt(&self, hues: &[Hue], start: Vector6) -> Move {
        let mut state = Move { by: start, doubt: Matrix6::zeros(), evidence: f64::MIN };
        for _ in 0..ROUNDS {
            let mut precision = self.spread_inverse;
            let mut pull = Vector6::zeros();
            for h in hues {
                let shares = self.shares(h, &state).0;
                for (k, share) in shares.into_iter().enumerate() {
                    let off = offset(h, k, &Vector6::zeros());
                    let spread = self.scatter_of(h, k);
                    let Some(inverse) = spread.try_inverse() else { continue };
                    let distance = square(offset(h, k, &state.by), &inverse);
                    let weight =
                        share * f64::from(h.weight) * (FREEDOM + 2.0) / (FREEDOM + distance);
                    let mut block = precision.fixed_view_mut::<2, 2>(2 * k, 2 * k);
                    block += inverse * weight;
                    let mut part = pull.fixed_rows_mut::<2>(2 * k);
                    part += inverse * off * weight;
                }
            }
            let Some(doubt) = precision.try_inverse() else { break };
            state.by = doubt * pull;
            state.doubt = doubt;
        }
        let prior = -0.5 * (state.by.transpose() * self.spread_inverse * state.by)[0];
        let likelihood: f64 =
            hues.iter().map(|h| f64::from(h.weight) * self.shares(h, &state).1).sum();
        state.evidence = prior + likelihood;
        state
    }

    /// A colour's scatter plus the noise of this hue; pale hues have more noise.
    fn scatter_of(&self, h: &Hue, k: usize) -> Matrix2<f64> {
        let noise = NOISE / f64::from(h.hue[1]).exp();
        self.scatter[k] + Matrix2::identity() * (noise * noise)
    }

    /// The posterior of each colour for a hue, and the logarithm of the hue's density.
    fn shares(&self, h: &Hue, state: &Move) -> ([f64; 3], f64) {
        let logs: [f64; 3] =
            std::array::from_fn(|k| self.log_density(h, k, state, &Matrix6::zeros()));
        let highest = logs.into_iter().fold(f64::MIN, f64::max);
        let raised = logs.map(|l| (l - highest).exp());
        let sum: f64 = raised.iter().sum();
        (raised.map(|d| d / sum), highest + sum.ln())
    }

    /// Logarithm of a colour's density at a hue; `doubt` adds the uncertainty of the shift.
    fn log_density(&self, h: &Hue, k: usize, state: &Move, doubt: &Matrix6) -> f64 {
        let spread = self.scatter_of(h, k) + doubt.fixed_view::<2, 2>(2 * k, 2 * k);
        let Some(inverse) = spread.try_inverse() else { return f64::MIN };
        let distance = square(offset(h, k, &state.by), &inverse);
        -0.5 * spread.determinant().max(1e-12).ln()
            - (FREEDOM + 2.0) / 2.0 * (1.0 + distance / FREEDOM).ln()
    }
}

/// Vector from a colour's shifted centre to a hue; the angle is wrapped to half a turn either way.
fn offset(h: &Hue, k: usize, by: &Vector6) -> Vector2<f64> {
    use std::f64::consts::{PI, TAU};
    let [angle, length] = COLOR_CENTER[k].map(f64::from);
    let turn = f64::from(h.hue[0]) - angle - by[2 * k];
    Vector2::new((turn + PI).rem_euclid(TAU) - PI, f64::from(h.hue[1]) - length - by[2 * k + 1])
}

/// Squared Mahalanobis length of a vector; takes the inverse of the covariance.
fn square(v: Vector2<f64>, inverse: &Matrix2<f64>) -> f64 {
    (v.transpose() * inverse * v)[0]
}
