//! The interface of both finders.

use super::data::CardOutline;
use super::stage::StageSink;
use setsight_nets::engine::NetworkError;
use setsight_photo::Frame;
use std::io;

/// Detects the cards of a photo.
pub trait CardFinder: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Returns the cards of a photo, the likeliest first. `sink`, if there is one, receives
    /// pictures of the intermediate results.
    ///
    /// # Errors
    /// See [`FindError`].
    fn find(
        &self,
        frame: &Frame,
        sink: Option<&dyn StageSink>,
    ) -> Result<Vec<CardOutline>, FindError>;
}

/// Why detection failed.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// OpenCV failed, for instance for lack of memory.
    #[error(transparent)]
    Image(#[from] opencv::Error),
    /// The network does not run.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A picture of an intermediate result could not be written.
    #[error(transparent)]
    Sink(#[from] io::Error),
}
