//! How well the pipeline reads labelled photos: matching, figures and a report.
//!
//! A labelled card ends in exactly one of four ways ([`Verdict`]): right, wrong, unsure or missed.
//! A reading that matches no label is a *false card*. Labels are taken at their word: a card that
//! lies in view without a label counts as false when it is read.

mod dataset;
mod figures;
mod matching;
mod report;
mod run;

pub use dataset::{LabelledPhoto, find_photos};
pub use figures::{Evaluation, Figures, median};
pub use matching::{MATCH_RADIUS, Match, Verdict, compare};
pub use report::Report;
pub use run::{PhotoResult, evaluate_photo};
