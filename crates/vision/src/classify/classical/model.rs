//! The small models that turn features into probabilities.
//!
//! Each is a multinomial logit. For the features of a card (shading, colour), every value has its
//! own weights; for the features of a hypothesis (number, shape), all values share one row.

/// Number of terms of [`quadratic`] over `n` features.
pub(crate) const fn quadratic_terms(n: usize) -> usize {
    n + n * (n + 1) / 2
}

/// The features, followed by all their pairwise products.
pub fn quadratic(features: &[f32]) -> Vec<f32> {
    let mut terms = features.to_vec();
    for (i, a) in features.iter().enumerate() {
        terms.extend(features[i..].iter().map(|b| a * b));
    }
    terms
}

/// Logits of each value from the terms of a card. `weights` holds a row for each value; its last
/// entry is the constant.
pub(crate) fn scores_of_card<const V: usize>(weights: &[&[f32]; V], terms: &[f32]) -> [f32; V] {
    weights.map(|row| {
        debug_assert_eq!(row.len(), terms.len() + 1);
        row[terms.len()] + row.iter().zip(terms).map(|(w, t)| w * t).sum::<f32>()
    })
}

/// Logits of three hypotheses, each with its own terms, all with the same weights.
pub(crate) fn scores_of_hypotheses(weights: &[f32], terms: &[Vec<f32>; 3]) -> [f32; 3] {
    terms.each_ref().map(|row| {
        debug_assert_eq!(row.len(), weights.len());
        weights.iter().zip(row).map(|(w, t)| w * t).sum()
    })
}
