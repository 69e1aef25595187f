//! The default finder and reader, chosen in this one place for every command and the window.

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

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classical => "classical",
            Self::Learned => "learned",
        }
    }

    /// Loads the finder. `refiner` is the network that it shares with the reader.
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

/// Loads the finder with networks. `refiner` is the network that it shares with the reader.
///
/// # Errors
/// The finder network is missing or broken.
pub fn learned(
    models: &Models,
    refiner: Option<Arc<dyn RefinerNetwork>>,
) -> Result<Learned, ModelsError> {
    Ok(Learned::new(Box::new(models.network(Kind::Finder)?), refiner))
}

/// The network that classifies context crops and corrects outlines. A user's own folder may lack
/// it; reading is less exact then.
///
/// # Errors
/// The network is broken.
pub fn shared_refiner(models: &Models) -> Result<Option<Arc<dyn RefinerNetwork>>, ModelsError> {
    if !models.has(file_of(Kind::Refiner)) {
        return Ok(None);
    }
    Ok(Some(Arc::new(models.network(Kind::Refiner)?)))
}

/// A step of the cascade that can be left out, to measure what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The finder's second pass, at the scale that suits the cards.
    SecondPass,
    /// The refiner's corners where the table is in doubt.
    Corrected,
    /// The search for other places of covered cards.
    Search,
    /// The refiner's classification of cards that are read with doubt.
    Context,
    /// The classical features of cards that are still in doubt.
    Features,
}

impl Step {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::SecondPass, Self::Corrected, Self::Search, Self::Context, Self::Features];

    /// Its name on the command line, and its help text.
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
    /// Weights that they need are missing or broken.
    pub fn with_defaults(models: &Models) -> Result<Self, ModelsError> {
        Self::chosen(FinderChoice::default(), ReaderChoice::default(), models)
    }

    /// The stages with the given finder and reader.
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

    /// The same as [`Self::chosen`], with steps left out. The weights of the evidence remain those
    /// fitted with all steps.
    ///
    /// # Errors
    /// Weights that they need are missing or broken.
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
