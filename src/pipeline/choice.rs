//! Which finder and reader are the default, chosen in this one place for every command and the window.

use super::classify::classical::ClassicalReader;
use super::classify::fused::FusedReader;
use super::classify::fusion::Fusion;
use super::classify::neural::NeuralReader;
use super::classify::reader::Reader;
use super::compose::Pipeline;
use super::engine::{FUSION, Models, ModelsError, file_of};
use super::find::{self, Learned};
use super::finder::CardFinder;
use super::refiner::RefinerNetwork;
use super::{board, segment};
use crate::model::Kind;
use std::sync::Arc;

/// What reads the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReaderChoice {
    /// By measuring, without a network.
    Classical,
    /// By the reader network alone, each card by itself.
    Neural,
    /// By networks, and by measuring where they leave a doubt.
    Fused,
}

impl Default for ReaderChoice {
    /// The cascade, if the program holds what it needs.
    fn default() -> Self {
        let there = Models::Shipped.has(file_of(Kind::Reader)) && Models::Shipped.has(FUSION);
        if there { Self::Fused } else { Self::Classical }
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

/// What finds the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FinderChoice {
    /// By symbols and borders, without a network.
    Classical,
    /// By networks and borders.
    Learned,
}

impl Default for FinderChoice {
    /// The network, if it is inside the program.
    fn default() -> Self {
        if Models::Shipped.has(file_of(Kind::Finder)) { Self::Learned } else { Self::Classical }
    }
}

impl FinderChoice {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Classical, Self::Learned];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classical => "classical",
            Self::Learned => "learned",
        }
    }

    /// The finder, with the network that it shares with the reader.
    ///
    /// # Errors
    /// Weights that it needs are missing or broken.
    pub fn finder(
        self,
        models: &Models,
        refiner: Option<Arc<dyn RefinerNetwork>>,
    ) -> Result<Box<dyn CardFinder>, ModelsError> {
        Ok(match self {
            Self::Classical => Box::new(segment::Params::default()),
            Self::Learned => Box::new(learned(models, refiner)?),
        })
    }
}

/// The finder with networks, one of which it shares with the reader.
///
/// # Errors
/// The finding network is missing or broken.
pub fn learned(
    models: &Models,
    refiner: Option<Arc<dyn RefinerNetwork>>,
) -> Result<Learned, ModelsError> {
    Ok(Learned::new(Box::new(models.network(Kind::Finder)?), refiner))
}

/// The network that looks at cards with their surroundings, if a set of weights holds one: a folder of
/// one's own may go without, and is less exact then.
///
/// # Errors
/// It is broken.
pub fn shared_refiner(models: &Models) -> Result<Option<Arc<dyn RefinerNetwork>>, ModelsError> {
    if !models.has(file_of(Kind::Refiner)) {
        return Ok(None);
    }
    Ok(Some(Arc::new(models.network(Kind::Refiner)?)))
}

/// A step of the cascade that may be left out, to measure what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The finder's second look, at the size that suits the cards.
    SecondPass,
    /// The corners that the refiner names where the table is in doubt.
    Corrected,
    /// Other places for covered cards.
    Search,
    /// The refiner's look at cards that are read with doubt.
    Context,
    /// The classical features of cards that are still in doubt.
    Features,
}

impl Step {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::SecondPass, Self::Corrected, Self::Search, Self::Context, Self::Features];

    /// Its name on the command line, and what it is.
    pub fn name_and_help(self) -> (&'static str, &'static str) {
        match self {
            Self::SecondPass => {
                ("second-pass", "the finder's look at the size that suits the cards")
            }
            Self::Corrected => ("corrected", "the refiner's corners where the table is in doubt"),
            Self::Search => ("search", "other places for covered cards"),
            Self::Context => ("context", "the refiner's look at cards that are read with doubt"),
            Self::Features => ("features", "classical features of cards that are still in doubt"),
        }
    }
}

impl Pipeline {
    /// The stages with the default finder and the default reader.
    ///
    /// # Errors
    /// Weights that it needs are missing or broken.
    pub fn with_defaults(models: &Models) -> Result<Self, ModelsError> {
        Self::chosen(FinderChoice::default(), ReaderChoice::default(), models)
    }

    /// The stages with a finder, a reader and what goes with both.
    ///
    /// # Errors
    /// Weights that they need are missing or broken.
    pub fn chosen(
        finder: FinderChoice,
        reader: ReaderChoice,
        models: &Models,
    ) -> Result<Self, ModelsError> {
        Self::without(&[], finder, reader, models)
    }

    /// The same with steps left out; the weights of the evidence stay as fitted with them.
    ///
    /// # Errors
    /// Weights that are missing or broken.
    pub fn without(
        steps: &[Step],
        finder: FinderChoice,
        reader: ReaderChoice,
        models: &Models,
    ) -> Result<Self, ModelsError> {
        let needs_refiner = finder == FinderChoice::Learned || reader == ReaderChoice::Fused;
        let refiner = if needs_refiner { shared_refiner(models)? } else { None };
        let finder_stage: Box<dyn CardFinder> = match finder {
            FinderChoice::Classical => finder.finder(models, None)?,
            FinderChoice::Learned => {
                let mut learned = learned(models, refiner.clone())?;
                let find::Params { passes, place, .. } = &mut learned.params;
                for step in steps {
                    match step {
                        Step::SecondPass => *passes = 1,
                        Step::Corrected => place.enough_sides = 0.0,
                        Step::Search => place.search = None,
                        Step::Context | Step::Features => {}
                    }
                }
                Box::new(learned)
            }
        };
        let plain = board::Calibration::default();
        let (reader_stage, calibration): (Box<dyn Reader>, _) = match reader {
            ReaderChoice::Classical => (Box::new(ClassicalReader), plain),
            ReaderChoice::Neural => (Box::new(NeuralReader::load(models)?), plain),
            ReaderChoice::Fused => {
                let network = NeuralReader::load(models)?;
                let fusion = Fusion::load(models)?;
                let joint = match finder {
                    FinderChoice::Learned => fusion.learned,
                    FinderChoice::Classical => fusion.classical,
                };
                let calibration = joint.board;
                let refiner = refiner.filter(|_| !steps.contains(&Step::Context));
                let mut reader = FusedReader::new(network, refiner, joint);
                reader.with_features = !steps.contains(&Step::Features);
                (Box::new(reader), calibration)
            }
        };
        let board = board::Params { calibration, ..board::Params::default() };
        Ok(Self { board, ..Self::new(finder_stage, reader_stage) })
    }
}
