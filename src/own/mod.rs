//! Training on a person's own cards: from the networks in use and some corrected photos to a complete
//! folder of models, and what that was worth.
//!
//! | file | what it holds |
//! |---|---|
//! | [`photos`] | labelled photos and crops, and which of them show one scene |
//! | [`table`] | a photo as the finder learns from it |
//! | [`adapt`] | the training: folds, the networks, how the evidence is joined |
//! | [`worth`] | before and after, on what was kept aside and on drawn tables |
//! | [`report`] | that as a table, as JSON and as a page |

pub mod adapt;
pub mod photos;
pub mod report;
pub mod table;
pub mod worth;
