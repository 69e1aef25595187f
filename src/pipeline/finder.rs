//! What finds cards, whichever way.

use super::data::{CardOutline, Frame};
use super::engine::NetworkError;
use super::stage::StageSink;
use std::io;

/// Something that finds the cards of a photo.
pub trait CardFinder: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// The cards of a photo, the likeliest first. Pictures of what it sees on the way go to `sink`, if
    /// there is one.
    ///
    /// # Errors
    /// [`FindError`].
    fn find(
        &self,
        frame: &Frame,
        sink: Option<&dyn StageSink>,
    ) -> Result<Vec<CardOutline>, FindError>;
}

/// Why cards could not be looked for.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// OpenCV gave up, for want of memory perhaps.
    #[error(transparent)]
    Image(#[from] opencv::Error),
    /// The network gave no answer.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A picture of what was seen could not be written.
    #[error(transparent)]
    Sink(#[from] io::Error),
}
