//! Evaluation of the pipeline on labelled photos: matching, figures and a report.
//!
//! A labelled card has exactly one of four outcomes ([`Verdict`]): right, wrong, unsure or missed.
//! A reading that matches no label is a *false card*. Labels are taken as complete: a visible card
//! without a label counts as false when it is read.

#![warn(unreachable_pub)]

mod baseline;
pub mod check;
pub mod convert;
mod crops;
mod dataset;
pub mod drawn_card;
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
pub mod plots;
mod reliability;
mod report;
mod run;
pub mod sheet;

pub use baseline::{Baseline, Comparison};
pub use crops::{Evaluated, evaluate_crops};
pub use dataset::{
    Dataset, LabelledCrop, LabelledPhoto, checked_photos, find_labelled, find_photos,
};
pub use evaluation::{Evaluation, SideBySide};
pub use figures::Figures;
pub use matching::{Verdict, compare};
pub use outcome::PhotoOutcome;
pub use report::Report;
pub use run::{Item, PhotoResult, evaluate, evaluate_photo, plan};
