//! What reads photos for the window: one small trait, so that tests can put a fake in its place.

use crate::cards::Deck;
use crate::deck_learning;
use crate::geometry::Quad;
use crate::pipeline::engine::{Models, used};
use crate::pipeline::source::{self, Photo, SourceError};
use crate::pipeline::{
    CardImage, FinderChoice, Frame, Pipeline, Reading, Scan, StageClock, StageSink, StageTime,
    TableFacts,
};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Reads photos on threads in the background.
pub trait Eye: Send + Sync {
    /// Decodes a photo.
    ///
    /// # Errors
    /// It is none that can be read.
    fn load(&self, path: &Path) -> Result<Photo, SourceError> {
        source::load_photo(path)
    }

    /// From now on cards are those of a deck of the user's own, or those that the program knows.
    fn use_deck(&self, deck: Option<&'static Deck>) {
        let _ = deck;
    }

    /// Reads one card that a person has shown.
    ///
    /// # Errors
    /// In words for the user.
    fn read_card(
        &self,
        frame: &Frame,
        corners_in_image: Quad,
        facts: TableFacts,
    ) -> Result<(CardImage, Reading), String>;

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

/// A pipeline, or why there is none.
type Made = Arc<Result<Pipeline, String>>;

/// The stages of the program itself, made when first needed: a window opens before its reader.
#[derive(Default)]
pub struct PipelineEye {
    /// With the models and the deck that it was made for: others may be chosen while the window is
    /// open.
    pipeline: Mutex<Option<(Models, OwnDeck, Made)>>,
    deck: Mutex<OwnDeck>,
}

/// A deck of the user's own.
type OwnDeck = Option<&'static Deck>;

impl PipelineEye {
    fn pipeline(&self) -> Made {
        let models = used::models();
        let deck = *self.deck.lock().unwrap_or_else(PoisonError::into_inner);
        let mut made = self.pipeline.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some((of, for_deck, pipeline)) if *of == models && *for_deck == deck => {
                Arc::clone(pipeline)
            }
            _ => {
                let pipeline = Arc::new(Self::make(&models, deck));
                *made = Some((models, deck, Arc::clone(&pipeline)));
                pipeline
            }
        }
    }

    /// The one place that says what reads the window's photos.
    fn make(models: &Models, deck: OwnDeck) -> Result<Pipeline, String> {
        // Photos are read side by side; OpenCV's own threads within each would only be in their
        // way. It fails where OpenCV has no threads to begin with.
        let _ = opencv::core::set_num_threads(1);
        if let Some(deck) = deck {
            let made = deck_learning::pipeline(deck, FinderChoice::default(), None);
            return made.map_err(|error| error.to_string());
        }
        Pipeline::with_defaults(models).map_err(|error| {
            used::remedy().map_or(error.to_string(), |remedy| format!("{remedy}: {error}"))
        })
    }
}

impl Eye for PipelineEye {
    fn use_deck(&self, deck: Option<&'static Deck>) {
        *self.deck.lock().unwrap_or_else(PoisonError::into_inner) = deck;
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

    fn read(
        &self,
        frame: &Frame,
        sink: Option<&dyn StageSink>,
    ) -> Result<(Scan, Vec<StageTime>), String> {
        let mut clock = StageClock::default();
        let pipeline = self.pipeline();
        let pipeline = pipeline.as_ref().as_ref().map_err(Clone::clone)?;
        let scan = pipeline.read(frame, &mut clock, sink).map_err(|error| error.to_string())?;
        Ok((scan, clock.times))
    }
}
