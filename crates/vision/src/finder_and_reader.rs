//! Which finders and readers there are, and which are the default.

use super::find::{CardFinder, Learned};
use super::refiner::RefinerNetwork;
use setsight_nets::Kind;
use setsight_nets::engine::{FUSION, Models, ModelsError, file_of};
use std::sync::Arc;

/// Selects the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReaderChoice {
    /// Classical features, without a network.
    Classical,
    /// The reader network alone, each card by itself.
    Neural,
    /// Networks, and classical features where the networks leave a doubt.
    Fused,
}

impl Default for ReaderChoice {
    /// The cascade, if the program contains the weights it needs.
    fn default() -> Self {
        let is_shipped = Models::Shipped.has(file_of(Kind::Reader)) && Models::Shipped.has(FUSION);
        if is_shipped { Self::Fused } else { Self::Classical }
    }
}

impl ReaderChoice {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Classical, Self::Neural, Self::Fused];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classical => "classical",
            Self::Neural => "neural",
            Self::Fused => "fused",
        }
    }
}

/// Selects the finder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FinderChoice {
    /// Symbols and borders, without a network.
    Classical,
    /// Networks and borders.
    Learned,
}

impl Default for FinderChoice {
    /// The network, if the program contains it.
    fn default() -> Self {
        if Models::Shipped.has(file_of(Kind::Finder)) { Self::Learned } else { Self::Classical }
    }
}

impl FinderChoice {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Classical, Self::Learned];

    /// Whether this build has it: the classical finder needs OpenCV.
    pub const fn is_built(self) -> bool {
        cfg!(feature = "opencv") || !matches!(self, Self::Classical)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classical => "classical",
            Self::Learned => "learned",
        }
    }

    /// Loads the finder. `refiner` is the network that it shares with the reader, `without` the steps
    /// that are left out.
    ///
    /// # Errors
    /// See [`FinderError`].
    pub fn finder(
        self,
        models: &Models,
        refiner: Option<Arc<dyn RefinerNetwork>>,
        without: &[Step],
    ) -> Result<Box<dyn CardFinder>, FinderError> {
        if self == Self::Classical {
            return super::find::classical();
        }
        let mut learned = Learned::load(models, refiner)?;
        for step in without {
            match step {
                Step::Corrected => learned.params.place.enough_sides = 0.0,
                Step::Search => learned.params.place.most_searched = 0,
                Step::Panels => learned.with_panels = false,
                _ => {}
            }
        }
        Ok(Box::new(learned))
    }
}

/// Why there is no finder.
#[derive(Debug, thiserror::Error)]
pub enum FinderError {
    /// The classical finder traces contours with OpenCV.
    #[error(
        "the classical finder needs OpenCV, which this build does without: its feature \"opencv\" builds with \
         OpenCV's and libclang's headers (packages libopencv-imgproc-dev and libclang-dev)"
    )]
    NoOpenCv,
    /// Weights that it needs are missing or broken.
    #[error(transparent)]
    Models(#[from] ModelsError),
}

/// A step of a reading that can be left out, to measure what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The refiner's corners where the table is in doubt.
    Corrected,
    /// The search for other places of covered cards.
    Search,
    /// The panels that a program draws.
    Panels,
    /// The second reader on every card of a photo.
    Second,
    /// The refiner's classification of cards that are read with doubt.
    Context,
    /// The refiner's test-time augmentation.
    Augmented,
    /// The classical features of cards that are still in doubt.
    Features,
    /// The evidence of the other cards of a photo.
    Company,
    /// The network that reads copies of screens.
    Screens,
    /// The crop around the symbols of a drawing's cards.
    Closer,
    /// The groups of what is alike on a drawn table.
    Groups,
}

impl Step {
    /// All of them, in the order in which they run.
    pub const ALL: [Self; 11] = [
        Self::Corrected,
        Self::Search,
        Self::Panels,
        Self::Second,
        Self::Context,
        Self::Augmented,
        Self::Features,
        Self::Company,
        Self::Screens,
        Self::Closer,
        Self::Groups,
    ];

    /// Its name on the command line, and its help text.
    pub fn name_and_help(self) -> (&'static str, &'static str) {
        match self {
            Self::Corrected => ("corrected", "the refiner's corners where the table is in doubt"),
            Self::Search => ("search", "other places for covered cards"),
            Self::Panels => ("panels", "the panels that a program draws its cards on"),
            Self::Second => ("second", "the second reader, on every card of a photo"),
            Self::Context => ("context", "the refiner's look at cards that are read with doubt"),
            Self::Augmented => ("augmented", "the refiner's look at the same crops turned around"),
            Self::Features => ("features", "classical features of cards that are still in doubt"),
            Self::Company => ("company", "what the other cards of a photo tell of one"),
            Self::Screens => ("screens", "the network that reads copies of screens"),
            Self::Closer => ("closer", "crops around the small symbols of a drawing"),
            Self::Groups => ("groups", "groups of what is alike on a drawn table"),
        }
    }
}
