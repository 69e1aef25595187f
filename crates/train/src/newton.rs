//! Maximum likelihood fit of a softmax whose scores are linear in the weights.

use nalgebra::{DMatrix, DVector, DVectorView};

/// One observation.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The feature vector of each option; the weights multiply it.
    pub features: Vec<Vec<f64>>,
    /// Index of the observed option.
    pub truth: usize,
    /// Weight of the observation.
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
    let score = |f: &Vec<f64>| f.iter().zip(weights.iter()).map(|(f, w)| f * w).sum::<f64>();
    let scores: Vec<f64> = choice.features.iter().map(score).collect();
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let odds: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
    let sum: f64 = odds.iter().sum();
    odds.into_iter().map(|o| o / sum).collect()
}

fn loss_of(choices: &[Choice], weights: &DVector<f64>, prior: &DVector<f64>, strength: f64) -> f64 {
    let unlikely = |choice: &Choice| {
        -choice.weight * probabilities(choice, weights)[choice.truth].max(1e-300).ln()
    };
    choices.iter().map(unlikely).sum::<f64>() + 0.5 * strength * (weights - prior).norm_squared()
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

    /// A coin that shows 1 three times in four has log odds of ln 3.
    #[test]
    fn the_weights_of_a_coin_are_its_log_odds() {
        let toss = |truth| Choice { features: vec![vec![0.0], vec![1.0]], truth, weight: 100.0 };
        let tosses = [toss(1), toss(1), toss(1), toss(0)];
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
