//! How well the pipeline reads labelled photos: matching, figures and a report.
//!
//! A labelled card ends in exactly one of four ways ([`Verdict`]): right, wrong, unsure or missed.
//! A reading that matches no label is a *false card*. Labels are taken at their word: a card that
//! lies in view without a label counts as false when it is read.

mod baseline;
mod charts;
pub mod check;
mod dataset;
mod evaluation;
mod figures;
mod matching;
mod mistakes;
mod outcome;
mod pictures;
mod reliability;
mod report;
mod run;

pub use baseline::{Baseline, Comparison};
pub use dataset::{LabelledPhoto, find_photos};
pub use evaluation::{Evaluation, SideBySide};
pub use figures::{Figures, median};
pub use matching::{Match, Verdict, compare};
pub use mistakes::Mistake;
pub use outcome::PhotoOutcome;
pub use report::Report;
pub use run::{PhotoResult, evaluate_photo};
