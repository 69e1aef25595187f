//! Colour, judged for all cards of a photo together.
//!
//! The hue of an ink scatters little within one photo and more from photo to photo, where it moves
//! for all cards alike. So the three colours are three normal distributions on the hue's disc whose
//! centres have been moved by the light of this photo, and how they move together is known from
//! labelled crops. The most probable move is found by expectation maximisation (MAP adaptation).

use super::model::softmax;
use super::weights::{COLOR_CENTER, COLOR_MOVE, COLOR_SCATTER};
use nalgebra::{Matrix2, SMatrix, SVector, Vector2};

type Matrix6 = SMatrix<f64, 6, 6>;
type Vector6 = SVector<f64, 6>;

/// Rounds of expectation and maximisation.
const ROUNDS: usize = 6;
/// Density of hues that belong to none of the three colours, on a disc of area pi: keeps one
/// misread symbol from ruling.
const OUTLIER_DENSITY: f64 = 0.003;

/// One card's hue and how far it may be trusted.
#[derive(Clone, Copy, Debug)]
pub struct Hue {
    /// See [`super::features::hue_of`].
    pub hue: [f32; 2],
    /// Probability that it is a card's at all, 0 to 1.
    pub weight: f32,
}

/// Probabilities of green, purple and red for each card.
pub fn read_together(hues: &[Hue]) -> Vec<[f32; 3]> {
    let scatter = COLOR_SCATTER.map(|[a, b, c]| Matrix2::new(a, b, b, c).map(f64::from));
    let spread = Matrix6::from_fn(|i, j| f64::from(COLOR_MOVE[i][j]));
    let (Some(spread_inverse), [Some(a), Some(b), Some(c)]) =
        (spread.try_inverse(), scatter.map(|s| s.try_inverse()))
    else {
        return vec![[1.0 / 3.0; 3]; hues.len()];
    };
    let scatter_inverse = [a, b, c];
    // Expectation maximisation finds the nearest peak: start from no move and from moves to either
    // side along the two ways in which the colours move most.
    let eigen = spread.symmetric_eigen();
    let mut order: Vec<usize> = (0..6).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let mut starts = vec![Vector6::zeros()];
    for &i in &order[..2] {
        let way = eigen.eigenvectors.column(i) * (1.5 * eigen.eigenvalues[i].max(0.0).sqrt());
        starts.push(way);
        starts.push(-way);
    }
    let model = Model { scatter, scatter_inverse, spread_inverse };
    let best = starts
        .into_iter()
        .map(|start| model.adapt(hues, start))
        .max_by(|a, b| a.evidence.total_cmp(&b.evidence))
        .expect("there is a first start");
    hues.iter()
        .map(|h| {
            let hue = Vector2::new(f64::from(h.hue[0]), f64::from(h.hue[1]));
            softmax(std::array::from_fn(|k| model.log_density(hue, k, &best) as f32))
        })
        .collect()
}

struct Model {
    scatter: [Matrix2<f64>; 3],
    scatter_inverse: [Matrix2<f64>; 3],
    spread_inverse: Matrix6,
}

/// Where the light of a photo moves the colours to.
struct Move {
    by: Vector6,
    /// What remains unknown of it.
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
                let hue = Vector2::new(f64::from(h.hue[0]), f64::from(h.hue[1]));
                let shares = self.shares(hue, &state).0;
                for (k, share) in shares.into_iter().enumerate() {
                    let weight = share * f64::from(h.weight);
                    let center = Vector2::from(COLOR_CENTER[k].map(f64::from));
                    let inverse = self.scatter_inverse[k] * weight;
                    let mut block = precision.fixed_view_mut::<2, 2>(2 * k, 2 * k);
                    block += inverse;
                    let mut part = pull.fixed_rows_mut::<2>(2 * k);
                    part += inverse * (hue - center);
                }
            }
            let Some(doubt) = precision.try_inverse() else { break };
            state.by = doubt * pull;
            state.doubt = doubt;
        }
        let prior = -0.5 * (state.by.transpose() * self.spread_inverse * state.by)[0];
        let seen: f64 = hues
            .iter()
            .map(|h| {
                let hue = Vector2::new(f64::from(h.hue[0]), f64::from(h.hue[1]));
                f64::from(h.weight) * self.shares(hue, &state).1
            })
            .sum();
        state.evidence = prior + seen;
        state
    }

    /// Share of each colour in a hue, outliers left out, and the logarithm of its density.
    fn shares(&self, hue: Vector2<f64>, state: &Move) -> ([f64; 3], f64) {
        let densities: [f64; 3] = std::array::from_fn(|k| {
            let center = Vector2::from(COLOR_CENTER[k].map(f64::from))
                + Vector2::new(state.by[2 * k], state.by[2 * k + 1]);
            log_normal(hue - center, &self.scatter[k]).exp() / 3.0
        });
        let sum = densities.iter().sum::<f64>() + OUTLIER_DENSITY;
        (densities.map(|d| d / sum), sum.ln())
    }

    /// Logarithm of a colour's density at a hue, with the doubt about the move and outliers counted.
    fn log_density(&self, hue: Vector2<f64>, k: usize, state: &Move) -> f64 {
        let center = Vector2::from(COLOR_CENTER[k].map(f64::from))
            + Vector2::new(state.by[2 * k], state.by[2 * k + 1]);
        let spread = self.scatter[k] + state.doubt.fixed_view::<2, 2>(2 * k, 2 * k);
        (log_normal(hue - center, &spread).exp() + OUTLIER_DENSITY).ln()
    }
}

/// Logarithm of a normal density about zero.
fn log_normal(at: Vector2<f64>, covariance: &Matrix2<f64>) -> f64 {
    let determinant = covariance.determinant().max(1e-12);
    let [a, b, c] = [covariance[(0, 0)], covariance[(0, 1)], covariance[(1, 1)]];
    let square = (c * at.x * at.x - 2.0 * b * at.x * at.y + a * at.y * at.y) / determinant;
    -0.5 * (square + determinant.ln()) - std::f64::consts::TAU.ln()
}
