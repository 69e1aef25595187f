//! Evaluation of the pipeline on labelled photos: matching, figures and a report.
//!
//! A labelled card has exactly one of four outcomes ([`Verdict`]): right, wrong, unsure or missed.
//! A reading that matches no label is a *false card*. Labels are taken as complete: a visible card
//! without a label counts as false when it is read.

mod baseline;
pub mod chart;
mod charts;
pub mod check;
pub mod convert;
mod dataset;
mod evaluation;
mod figures;
pub mod gain;
pub mod gain_report;
pub mod html;
mod matching;
mod median;
mod mistakes;
mod outcome;
mod pictures;
mod reliability;
mod report;
mod run;

pub use baseline::{Baseline, Comparison};
pub use dataset::{LabelledPhoto, find_photos};
pub use evaluation::{Evaluation, SideBySide};
pub use figures::Figures;
pub use matching::{Verdict, compare};
pub use outcome::PhotoOutcome;
pub use report::Report;
pub use run::{PhotoResult, evaluate_photo};
