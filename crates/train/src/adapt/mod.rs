//! Training on a person's own cards: from the current networks and some corrected photos to a
//! complete folder of models, and a measurement of the gain.
//!
//! | file | what it holds |
//! |---|---|
//! | [`photos`] | labelled photos and crops, and which of them show one scene |
//! | [`table`] | a photo as training data for the finder |
//! | [`adapt`] | the training: folds, networks, fusion |
//! | [`worth`] | results before and after, on held-out photos and on drawn tables |
//! | [`report`] | those results as a table, as JSON and as a page |

pub mod photos;
pub mod table;
pub mod training;
