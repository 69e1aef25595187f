//! Checks labels: what is wrong, what is doubtful, what is missing.
//!
//! [`plan`] reads the labels of folders and finds errors in the labels themselves; [`Item::check`]
//! checks them against the pictures, and [`Findings`] collects the results.

mod crops;
mod findings;
mod item;
mod labels;
mod photo;

use setsight_photo::source::MemoryBudget;
use setsight_vision::{Pipeline, PipelineError};

pub use findings::{FEW, Findings};
pub use item::{Checked, Doubt, Item, Kind};
pub use labels::plan;

impl Item {
    /// Checks the item, a photo when there is room for it. Files that cannot be read are reported as errors.
    pub fn check(
        &self,
        pipeline: &Pipeline,
        budget: &MemoryBudget,
        with_pictures: bool,
    ) -> Result<Checked, PipelineError> {
        match self {
            Self::Photo { path, label } => {
                photo::check(pipeline, path, label, budget, with_pictures)
            }
            Self::Crops(crops) => crops::check(pipeline, crops, with_pictures),
        }
    }
}
