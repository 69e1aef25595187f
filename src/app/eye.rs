//! What reads photos for the window: one small trait, so that tests can put a fake in its place.

use crate::pipeline::engine::used;
use crate::pipeline::source::{self, Photo};
use crate::pipeline::{Frame, Pipeline, Scan, StageClock, StageSink, StageTime};
use std::path::Path;
use std::sync::OnceLock;

/// Reads photos on threads in the background.
pub trait Eye: Send + Sync {
    /// Decodes a photo. The reason when it cannot be.
    ///
    /// # Errors
    /// In words for the user, without the file's name.
    fn load(&self, path: &Path) -> Result<Photo, String> {
        source::load_photo(path).map_err(|error| error.to_string())
    }

    /// Finds and reads the cards, handing each stage's picture to the sink if there is one.
    ///
    /// # Errors
    /// In words for the user.
    fn read(
        &self,
        frame: &Frame,
        sink: Option<&dyn StageSink>,
    ) -> Result<(Scan, Vec<StageTime>), String>;
}

/// The stages of the program itself, made when first needed: a window opens before its reader.
#[derive(Default)]
pub struct PipelineEye {
    pipeline: OnceLock<Result<Pipeline, String>>,
}

impl PipelineEye {
    /// The one place that says what reads the window's photos.
    fn make() -> Result<Pipeline, String> {
        // Photos are read side by side; OpenCV's own threads within each would only be in their
        // way. It fails where OpenCV has no threads to begin with.
        let _ = opencv::core::set_num_threads(1);
        Pipeline::with_defaults(&used::models()).map_err(|error| error.to_string())
    }
}

impl Eye for PipelineEye {
    fn read(
        &self,
        frame: &Frame,
        sink: Option<&dyn StageSink>,
    ) -> Result<(Scan, Vec<StageTime>), String> {
        let mut clock = StageClock::default();
        let pipeline = self.pipeline.get_or_init(Self::make).as_ref().map_err(Clone::clone)?;
        let scan = pipeline.read(frame, &mut clock, sink).map_err(|error| error.to_string())?;
        Ok((scan, clock.times))
    }
}
