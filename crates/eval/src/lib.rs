//! Evaluation of the pipeline on labelled photos: matching, figures and a report.
//!
//! A labelled card has exactly one of four outcomes ([`Verdict`](setsight_labels::Verdict)): right, wrong, unsure or missed.
//! A reading that matches no label is a *false card*. Labels are taken as complete: a visible card
//! without a label counts as false when it is read.

#![warn(unreachable_pub)]

mod baseline;
mod check_report;
pub mod drawn_card;
mod evaluation;
mod figures;
pub mod gain;
pub mod html;
mod outcome;
mod pictures;
pub mod plots;
mod reliability;
mod report;
mod run;
pub mod sheet;

pub use baseline::{Baseline, BaselineError, Comparison};
pub use check_report::CheckReport;
pub use evaluation::{Evaluation, SideBySide};
pub use figures::Figures;
pub use outcome::PhotoOutcome;
pub use report::Report;
pub use run::{Evaluated, Item, PhotoResult, evaluate, evaluate_photo, plan};
