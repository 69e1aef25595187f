//! Losses with their gradients with respect to a network's output.

/// The loss of a batch.
#[derive(Clone, Debug)]
pub struct Loss {
    /// What is minimised.
    pub total: f32,
    /// Its parts by name, for the display.
    pub parts: Vec<(&'static str, f32)>,
    /// Gradient with respect to the output, in the output's shape.
    pub gradient: Vec<f32>,
}

/// The cross entropy of one choice among `outputs`: minus the sum of `targets`, one for each output,
/// times the logarithms of the softmax. Adds `share` times its gradient.
pub(crate) fn softmax_cross_entropy(
    logits: &[f32],
    outputs: &[usize],
    targets: &[f32],
    share: f32,
    gradient: &mut [f32],
) -> f64 {
    let most = outputs.iter().map(|&i| logits[i]).fold(f32::NEG_INFINITY, f32::max);
    let log_sum = outputs.iter().map(|&i| (logits[i] - most).exp()).sum::<f32>().ln();
    let all: f32 = targets.iter().sum();
    let mut loss = 0.0;
    for (&i, target) in outputs.iter().zip(targets) {
        let log = logits[i] - most - log_sum;
        loss -= f64::from(target * log);
        gradient[i] += share * (all * log.exp() - target);
    }
    loss
}

/// The cross entropy of a logit and a target of 0 to 1, log(1 + e^x) - x y. Adds `share` times its
/// gradient.
pub(crate) fn binary_cross_entropy(logit: f32, target: f32, share: f32, gradient: &mut f32) -> f64 {
    *gradient += share * (sigmoid(logit) - target);
    f64::from(softplus(logit) - logit * target)
}

/// 1 / (1 + e^-x).
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// log(1 + e^x), without overflow.
pub(crate) fn softplus(x: f32) -> f32 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Compares a loss's gradient with differences of the loss. Every `step`-th number is moved.
    pub(crate) fn gradient_is_that_of_differences(
        output: &[f32],
        step: usize,
        loss: impl Fn(Vec<f32>) -> Loss,
    ) {
        let gradient = loss(output.to_vec()).gradient;
        assert_eq!(gradient.len(), output.len());
        for i in (0..output.len()).step_by(step) {
            let at = |by: f32| {
                let mut moved = output.to_vec();
                moved[i] += by;
                f64::from(loss(moved).total)
            };
            let wanted = (at(5e-3) - at(-5e-3)) / 1e-2;
            let found = f64::from(gradient[i]);
            assert!((found - wanted).abs() < 2e-3 + 0.03 * wanted.abs(), "{i}: {found} {wanted}");
        }
    }

    #[test]
    fn choices_and_logits_have_the_gradients_of_differences() {
        let targets = [0.7, 0.1, 0.2];
        gradient_is_that_of_differences(&[0.3, -1.0, 9.0, 2.0, -0.4], 1, |output| {
            let mut gradient = vec![0.0; output.len()];
            let chosen = softmax_cross_entropy(&output, &[3, 0, 1], &targets, 1.0, &mut gradient);
            let told = binary_cross_entropy(output[4], 0.8, 1.0, &mut gradient[4]);
            Loss { total: (chosen + told) as f32, parts: Vec::new(), gradient }
        });
        assert!((softplus(60.0) - 60.0).abs() < 1e-6 && softplus(-60.0) < 1e-20);
    }
}
