//! How photos and frames are read.

use super::ReadError;
use crate::{FinderChoice, Mirrored, Pipeline, ReaderChoice, plan::ReadingPlan};
use setsight_game::cards::Deck;
use setsight_nets::engine::{self, EngineChoice, Models};
use std::{path::PathBuf, sync::Arc};

/// How photos and frames are read, for [`PhotoReader::with`](super::PhotoReader::with) and trackers. The
/// default suits photos of any table.
///
/// # Examples
/// ```
/// # std::env::set_current_dir("../../datasets/samples").unwrap();
/// use setsight_game::cards::Deck;
/// use setsight_vision::{Mirrored, PhotoReader, ReadOptions};
///
/// let options = ReadOptions::default().deck(Deck::classic()).mirrored(Mirrored::No);
/// let table = PhotoReader::with(&options)?.read_file("1-plain-on-wood.jpg")?.table;
/// assert!(!table.is_mirrored());
/// # Ok::<(), setsight_vision::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReadOptions {
    plan: ReadingPlan,
    engine: EngineChoice,
}

impl Default for ReadOptions {
    fn default() -> Self {
        // What the user of the program `setsight` has chosen does not concern other programs.
        let plan = ReadingPlan::with_models(Models::Shipped);
        Self { plan, engine: EngineChoice::default() }
    }
}

impl ReadOptions {
    /// The deck on the table. Without this, the cards show which of the built-in decks it is.
    pub fn deck(mut self, deck: Arc<Deck>) -> Self {
        self.plan.deck = Some(deck);
        self
    }

    /// Whether pictures are mirrored, as webcams often store them. By default the squiggles decide.
    pub fn mirrored(mut self, mirrored: Mirrored) -> Self {
        self.plan.mirrored = mirrored;
        self
    }

    /// The finder: a network by default.
    pub fn finder(mut self, finder: FinderChoice) -> Self {
        self.plan.finder = finder;
        self
    }

    /// The reader: networks and measurement by default.
    pub fn reader(mut self, reader: ReaderChoice) -> Self {
        self.plan.reader = reader;
        self
    }

    /// A folder of networks that `setsight train` wrote, instead of those inside the crate.
    pub fn models(mut self, folder: impl Into<PathBuf>) -> Self {
        self.plan.models = Some(Models::Folder(folder.into()));
        self
    }

    /// What runs the networks. A process has one engine: the first network that is loaded decides,
    /// and asking for another one later is an error.
    pub fn engine(mut self, engine: EngineChoice) -> Self {
        self.engine = engine;
        self
    }

    /// Loads the networks and assembles the stages.
    ///
    /// # Errors
    /// No engine can run the networks, they cannot be loaded, or the options contradict each other.
    pub fn build(&self) -> Result<Pipeline, ReadError> {
        engine::require(self.engine)?;
        Ok(self.plan.build()?)
    }
}
