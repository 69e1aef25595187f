//! What reads photos for the window: one small trait, so that tests can put a fake in its place.

use crate::shared::reasons;
use setsight_game::cards::Deck;
use setsight_nets::engine::{Models, used};
use setsight_photo::source::{self, Photo, SourceError};
use setsight_photo::{Frame, geometry::Quad};
use setsight_vision::{CardImage, PhotoReading, Pipeline, Reading, ReadingPlan, TableFacts, Trace};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Reads photos on threads in the background.
pub trait Eye: Send + Sync {
    /// Decodes a photo.
    fn load(&self, path: &Path) -> Result<Photo, SourceError> {
        source::load_photo(path)
    }

    /// From now on cards are those of this deck, or of any that the program knows.
    fn use_deck(&self, deck: Option<Arc<Deck>>) {
        let _ = deck;
    }

    /// Reads one card that a person has shown.
    fn read_card(
        &self,
        frame: &Frame,
        corners_in_image: Quad,
        facts: TableFacts,
    ) -> Result<(CardImage, Reading), String>;

    /// Reads a photo; `trace` receives each stage's time and picture.
    fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String>;
}

/// A pipeline, or why there is none.
type Made = Arc<Result<Pipeline, String>>;

/// The stages of the program itself, made when first needed: a window opens before its reader.
#[derive(Default)]
pub struct PipelineEye {
    plan: Mutex<ReadingPlan>,
    /// With the plan and the chosen models that it was made for: others may be chosen while the
    /// window is open.
    made: Mutex<Option<(ReadingPlan, Models, Made)>>,
}

impl PipelineEye {
    /// Reads by this plan; its deck is the one that is used last.
    pub(crate) fn of(plan: ReadingPlan) -> Self {
        Self { plan: Mutex::new(plan), made: Mutex::default() }
    }

    fn pipeline(&self) -> Made {
        let plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let chosen = used::models();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some((of, with, pipeline)) if *of == plan && *with == chosen => Arc::clone(pipeline),
            _ => {
                let pipeline = Arc::new(plan.build().map_err(|error| reasons::plan(&error)));
                *made = Some((plan, chosen, Arc::clone(&pipeline)));
                pipeline
            }
        }
    }
}

impl Eye for PipelineEye {
    fn use_deck(&self, deck: Option<Arc<Deck>>) {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner).deck = deck;
    }

    fn read_card(
        &self,
        frame: &Frame,
        corners_in_image: Quad,
        facts: TableFacts,
    ) -> Result<(CardImage, Reading), String> {
        let pipeline = self.pipeline();
        let pipeline = pipeline.as_ref().as_ref().map_err(Clone::clone)?;
        pipeline.read_card(frame, corners_in_image, facts).map_err(|error| error.to_string())
    }

    fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String> {
        let pipeline = self.pipeline();
        let pipeline = pipeline.as_ref().as_ref().map_err(Clone::clone)?;
        pipeline.read_photo(photo, trace).map_err(|error| error.to_string())
    }
}
