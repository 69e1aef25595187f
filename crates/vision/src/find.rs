//! Where cards may lie: from a `Frame` to [`CardOutline`]s.
//!
//! There are two finders. [`learned`] detects cards with a network, [`symbols_first`] without one, by
//! their symbols. Both locate a card's corners the same way: on the [working](working_image) image, the cards
//! together give the table's [`plane`], and each card's [`sides`] are searched for near the place
//! that the plane predicts. These shared parts import neither finder, and no finder the other.

#[cfg(test)]
mod drawn;
pub(crate) mod learned;
pub(crate) mod panels;
pub mod plane;
pub(crate) mod sides;
#[cfg(feature = "opencv")]
pub(crate) mod symbols_first;
#[cfg(not(feature = "opencv"))]
pub(crate) mod symbols_first {
    /// This build has no classical finder.
    pub(crate) fn finder()
    -> Result<Box<dyn super::CardFinder>, crate::finder_and_reader::FinderError> {
        Err(crate::finder_and_reader::FinderError::NoOpenCv)
    }
}
pub(crate) mod working_image;

pub use learned::candidates::{Candidate, Maps, cards};
pub(crate) use learned::is_long;
pub use learned::{Learned, Params, evidence};
pub(crate) use symbols_first::finder as classical;

use crate::{card::CardOutline, trace::Trace};
use setsight_nets::engine::NetworkError;
use setsight_photo::Frame;
use std::{error::Error, io};

/// Detects the cards of a photo.
pub trait CardFinder: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Returns the cards of a photo, the likeliest first. `trace` receives pictures of the
    /// intermediate results.
    fn find(&self, frame: &Frame, trace: &mut Trace<'_>) -> Result<Vec<CardOutline>, FindError>;
}

/// Why detection failed.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// OpenCV, which the classical finder uses, failed, for instance for lack of memory.
    #[error(transparent)]
    OpenCv(Box<dyn Error + Send + Sync>),
    /// The network does not run.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A picture of an intermediate result could not be written.
    #[error(transparent)]
    Picture(#[from] io::Error),
}
