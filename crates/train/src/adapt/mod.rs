//! Training on a person's own cards: from the current networks and some corrected photos to a
//! complete folder of models, and a measurement of the gain.
//!
//! | file | what it holds |
//! |---|---|
//! | [`photos`] | labelled photos and crops, which of them show one scene, and a photo as training data for the finder |
//! | [`training`] | folds, networks, fusion |
//!
//! The crate `setsight-eval` measures the gain of a training.

pub(crate) mod photos;
pub(crate) mod training;
