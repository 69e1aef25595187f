//! AdamW on plain arrays.
//!
//! A network here has at most some hundred thousand weights, so a step costs almost nothing
//! compared with the gradients. Plain arrays can be saved in a checkpoint without loss.
//!
//! And the maximum likelihood fit of a softmax whose scores are linear in the weights, by Newton's steps.

use super::checkpoint::{Role, Weights};
use nalgebra::{DMatrix, DVector, DVectorView};
use std::f32::consts::PI;

/// Hyperparameters of a run.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Schedule {
    /// Highest learning rate.
    pub learning_rate: f32,
    /// Steps over which the learning rate rises from 0.
    pub warm_up: u64,
    /// Total number of steps; the learning rate falls along a cosine to a hundredth (Loshchilov and
    /// Hutter 2017).
    pub steps: u64,
    /// Weight decay, decoupled from the gradient (Loshchilov and Hutter 2019).
    pub weight_decay: f32,
    /// Maximum norm of the gradient over all arrays; longer gradients are clipped to it.
    pub longest_gradient: f32,
    /// Decay of the running average of the weights. The average is what is validated and kept
    /// (Polyak and Juditsky 1992, here with exponential decay).
    pub average: f32,
}

/// Decay rates of Adam's first and second moments (Kingma and Ba 2015).
const BETA: [f32; 2] = [0.9, 0.999];
const EPSILON: f32 = 1e-8;
/// Decay of a norm's running mean and variance.
const FOLLOW: f32 = 0.95;
/// Learning rate at the end, as a fraction of the highest.
const LAST: f32 = 0.01;

/// The weights and the optimiser's state. All of it goes into a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// Steps taken.
    pub step: u64,
    pub weights: Weights,
    /// Mean of gradients.
    pub first: Weights,
    /// Mean of squared gradients.
    pub second: Weights,
    /// Running average of the weights.
    pub average: Weights,
}

impl State {
    /// The state before the first step.
    pub(crate) fn new(weights: Weights) -> Self {
        let zeros = weights.zeros_like();
        Self { step: 0, first: zeros.clone(), second: zeros, average: weights.clone(), weights }
    }

    /// Updates the running statistics of the norms from a batch: index of the array of means,
    /// means, variances.
    pub(crate) fn follow(&mut self, statistics: &[(usize, Vec<f32>, Vec<f32>)]) {
        // Early averages are poor estimates, so the first batches get a larger share.
        let share = (1.0 - FOLLOW).max(1.0 / (self.step + 1) as f32);
        for (at, means, variances) in statistics {
            for (array, values) in self.weights.arrays[*at..].iter_mut().zip([means, variances]) {
                for (a, b) in array.values.iter_mut().zip(values) {
                    *a += (b - *a) * share;
                }
            }
        }
    }

    /// Takes one step along the gradients; returns whether they were finite. Gradients that are not
    /// finite change nothing.
    pub(crate) fn step(&mut self, gradients: &Weights, schedule: &Schedule) -> bool {
        self.step += 1;
        let length: f64 = gradients
            .arrays
            .iter()
            .flat_map(|array| array.values.iter().map(|v| f64::from(*v) * f64::from(*v)))
            .sum();
        let length = length.sqrt() as f32;
        if !length.is_finite() {
            return false;
        }
        let shorten = (schedule.longest_gradient / length.max(1e-12)).min(1.0);
        let rate = schedule.rate(self.step);
        let correction = BETA.map(|beta| 1.0 - beta.powf(self.step as f32));
        let arrays = self.weights.arrays.iter_mut().zip(&gradients.arrays);
        let moments = self.first.arrays.iter_mut().zip(&mut self.second.arrays);
        for ((array, gradient), (first, second)) in arrays.zip(moments) {
            if !array.role.is_trained() {
                continue;
            }
            let decay = if array.role == Role::Weight { schedule.weight_decay } else { 0.0 };
            for (((w, g), m), v) in array
                .values
                .iter_mut()
                .zip(&gradient.values)
                .zip(&mut first.values)
                .zip(&mut second.values)
            {
                let g = g * shorten;
                *m = BETA[0] * *m + (1.0 - BETA[0]) * g;
                *v = BETA[1] * *v + (1.0 - BETA[1]) * g * g;
                let root = (*v / correction[1]).sqrt() + EPSILON;
                *w -= rate * (*m / correction[0] / root + decay * *w);
            }
        }
        // The average's window grows with the number of steps at first.
        let past = schedule.average.min(self.step as f32 / (self.step + 10) as f32);
        self.average.approach(&self.weights, 1.0 - past);
        true
    }
}

impl Schedule {
    /// The learning rate of a step, counted from 1.
    pub(crate) fn rate(&self, step: u64) -> f32 {
        let rise = step as f32 / self.warm_up.max(1) as f32;
        let part = step as f32 / self.steps.max(1) as f32;
        let fall = LAST + (1.0 - LAST) * 0.5 * (1.0 + (PI * part.min(1.0)).cos());
        self.learning_rate * rise.min(1.0) * fall
    }
}

/// One observation.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The feature vector of each option; the weights multiply it.
    pub features: Vec<Vec<f64>>,
    /// Index of the observed option.
    pub truth: usize,
    pub weight: f64,
}

impl Choice {
    /// A choice between no (0) and yes (1), as in a logistic model.
    pub(crate) fn yes_or_no(features: Vec<f64>, yes: bool, weight: f64) -> Self {
        let features = vec![vec![0.0; features.len()], features];
        Self { features, truth: usize::from(yes), weight }
    }
}

/// The weights that maximise the likelihood of the observations, with a Gaussian prior around
/// `prior` of weight `strength` in samples. The likelihood is log-concave, so Newton's method with
/// step halving finds the only maximum.
pub(crate) fn fit(choices: &[Choice], prior: &[f64], strength: f64) -> Vec<f64> {
    const STEPS: usize = 50;
    let prior = DVector::from_column_slice(prior);
    let mut weights = prior.clone();
    let mut loss = loss_of(choices, &weights, &prior, strength);
    for _ in 0..STEPS {
        let (gradient, hessian) = derivatives(choices, &weights, &prior, strength);
        let Some(step) = hessian.cholesky().map(|c| c.solve(&gradient)) else { break };
        let mut length = 1.0;
        let better = loop {
            let next = &weights - length * &step;
            let next_loss = loss_of(choices, &next, &prior, strength);
            if next_loss < loss {
                break Some((next, next_loss));
            }
            length /= 2.0;
            if length < 1e-6 {
                break None;
            }
        };
        let Some((next, next_loss)) = better else { break };
        let gain = loss - next_loss;
        (weights, loss) = (next, next_loss);
        if gain < 1e-9 * (1.0 + loss.abs()) {
            break;
        }
    }
    weights.iter().copied().collect()
}

/// Probability of each option.
fn probabilities(choice: &Choice, weights: &DVector<f64>) -> Vec<f64> {
    let scores: Vec<f64> = choice
        .features
        .iter()
        .map(|f| f.iter().zip(weights.iter()).map(|(f, w)| f * w).sum::<f64>())
        .collect();
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let odds: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
    let sum: f64 = odds.iter().sum();
    odds.into_iter().map(|o| o / sum).collect()
}

fn loss_of(choices: &[Choice], weights: &DVector<f64>, prior: &DVector<f64>, strength: f64) -> f64 {
    choices
        .iter()
        .map(|choice| {
            -choice.weight * probabilities(choice, weights)[choice.truth].max(1e-300).ln()
        })
        .sum::<f64>()
        + 0.5 * strength * (weights - prior).norm_squared()
}

fn derivatives(
    choices: &[Choice],
    weights: &DVector<f64>,
    prior: &DVector<f64>,
    strength: f64,
) -> (DVector<f64>, DMatrix<f64>) {
    let d = weights.len();
    let mut gradient = strength * (weights - prior);
    let mut hessian = DMatrix::identity(d, d) * strength;
    for choice in choices {
        let p = probabilities(choice, weights);
        let mut mean = DVector::zeros(d);
        for (f, p) in choice.features.iter().zip(&p) {
            let f = DVectorView::from_slice(f, d);
            mean.axpy(*p, &f, 1.0);
            hessian.ger(choice.weight * p, &f, &f, 1.0);
        }
        hessian.ger(-choice.weight, &mean, &mean, 1.0);
        let truth = DVectorView::from_slice(&choice.features[choice.truth], d);
        gradient.axpy(choice.weight, &mean, 1.0);
        gradient.axpy(-choice.weight, &truth, 1.0);
    }
    (gradient, hessian)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Array;

    fn schedule() -> Schedule {
        Schedule {
            learning_rate: 0.1,
            warm_up: 5,
            steps: 300,
            weight_decay: 0.0,
            longest_gradient: 10.0,
            average: 0.9,
        }
    }

    fn one(values: Vec<f32>) -> Weights {
        let array = |name: &str, role, values: Vec<f32>| {
            let shape = vec![values.len()];
            Array { name: name.into(), role, shape, values }
        };
        Weights {
            arrays: vec![
                array("w", Role::Weight, values.clone()),
                array("mean", Role::Mean, vec![0.0; values.len()]),
                array("variance", Role::Variance, vec![1.0; values.len()]),
            ],
        }
    }

    #[test]
    fn a_bowl_is_walked_down_and_means_are_followed() {
        let mut state = State::new(one(vec![3.0, -2.0]));
        for _ in 0..300 {
            let mut gradients = state.weights.clone();
            gradients.arrays[0].values[1] *= 50.0;
            state.follow(&[(1, vec![5.0, 6.0], vec![2.0, 2.0])]);
            assert!(state.step(&gradients, &schedule()));
        }
        for weights in [&state.weights, &state.average] {
            assert!(weights.arrays[0].values.iter().all(|w| w.abs() < 0.02), "{weights:?}");
        }
        assert!((state.weights.arrays[1].values[1] - 6.0).abs() < 1e-3);
        assert!((state.weights.arrays[2].values[0] - 2.0).abs() < 1e-3);
    }

    #[test]
    fn endless_gradients_change_nothing() {
        let mut state = State::new(one(vec![1.0]));
        let before = state.weights.clone();
        let mut gradients = before.zeros_like();
        gradients.arrays[0].values[0] = f32::NAN;
        assert!(!state.step(&gradients, &schedule()));
        assert_eq!(state.weights, before);
    }

    #[test]
    fn the_rate_rises_and_falls() {
        let s = schedule();
        assert!(s.rate(1) < s.rate(5) && s.rate(5) > s.rate(100) && s.rate(100) > s.rate(299));
        assert!((s.rate(300) - 0.001).abs() < 1e-6);
    }

    /// A coin that shows 1 three times in four has log odds of ln 3.
    #[test]
    fn the_weights_of_a_coin_are_its_log_odds() {
        let tosses = [1, 1, 1, 0].map(|truth| Choice {
            features: vec![vec![0.0], vec![1.0]],
            truth,
            weight: 100.0,
        });
        let weights = fit(&tosses, &[0.0], 1e-6);
        assert!((weights[0] - 3f64.ln()).abs() < 1e-4, "{weights:?}");
        // The prior stays without observations, and a strong prior outweighs a few.
        assert_eq!(fit(&[], &[0.7], 1.0), [0.7]);
        let drawn = fit(&tosses, &[0.0], 1e6);
        assert!(drawn[0] > 0.0 && drawn[0] < 0.01, "{drawn:?}");
    }

    #[test]
    fn a_feature_that_says_nothing_gets_no_weight() {
        let choices: Vec<Choice> = (0..400)
            .map(|i| {
                let (x, noise) = ((i % 20) as f64 / 10.0 - 1.0, ((i / 20) % 2) as f64);
                // The share of yes follows a logistic function with slope 2.
                let yes = (i / 40) as f64 / 10.0 + 0.05 < 1.0 / (1.0 + (-2.0 * x).exp());
                let features = vec![vec![0.0; 2], vec![x, noise - 0.5]];
                Choice { features, truth: usize::from(yes), weight: 1.0 }
            })
            .collect();
        let weights = fit(&choices, &[0.0, 0.0], 1e-3);
        assert!((weights[0] - 2.0).abs() < 0.4 && weights[1].abs() < 0.05, "{weights:?}");
    }
}
