//! Evaluation of the pipeline on labelled photos: matching, figures and a report.
//!
//! A labelled card has exactly one of four outcomes ([`Verdict`](setsight_labels::Verdict)): right, wrong, unsure or missed.
//! A reading that matches no label is a *false card*. Labels are taken as complete: a visible card
//! without a label counts as false when it is read.

#![warn(unreachable_pub)]
#![allow(missing_docs, reason = "a name of the program's own crates need not be said twice")]

mod baseline;
pub mod drawn_card;
mod evaluation;
mod figures;
pub mod gain;
pub mod html;
pub mod plots;
mod report;
mod run;

pub use baseline::{Baseline, BaselineError, Comparison};
pub use evaluation::{Evaluation, SideBySide};
pub use figures::{Figures, PhotoOutcome};
pub use report::{CheckReport, Report};
pub use run::{Evaluated, Item, PhotoResult, evaluate, evaluate_photo, plan};
