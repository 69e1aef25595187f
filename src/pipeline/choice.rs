//! Which finder and reader are the default, chosen in this one place for every command and the window.

use super::classify::{
    FusedReader, Fusion, Joints, NeuralReader, Reader, classical::ClassicalReader,
};
use super::engine::{FUSION, Models, ModelsError, file_of};
use super::find::{CardFinder, Learned, RefinerNetwork};
use super::{Pipeline, board, segment};
use crate::model::Kind;
use std::io::ErrorKind;

/// What reads the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum ReaderChoice {
    /// By measuring: no network
    Classical,
    /// By a network
    Neural,
    /// Both, joined
    Fused,
}

impl Default for ReaderChoice {
    /// Both readers, if the program holds what they need.
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

    /// The reader of what a finder finds, and what makes a board of its readings.
    ///
    /// # Errors
    /// Weights that they need are missing or broken.
    pub fn reader(
        self,
        finder: FinderChoice,
        models: &Models,
    ) -> Result<(Box<dyn Reader>, board::Params), ModelsError> {
        let joints = |fusion: Fusion| match finder {
            FinderChoice::Learned => fusion.learned,
            FinderChoice::Classical => fusion.classical,
        };
        let plain = board::Calibration::default();
        let (reader, calibration): (Box<dyn Reader>, _) = match self {
            Self::Classical => (Box::new(ClassicalReader), plain),
            Self::Neural => {
                let network = NeuralReader::load(models)?;
                match fusion_if_there(models)?.map(joints) {
                    Some(Joints { neural, .. }) => {
                        let board = neural.board;
                        (Box::new(FusedReader::network_only(network, neural)), board)
                    }
                    None => (Box::new(network), plain),
                }
            }
            Self::Fused => {
                let network = NeuralReader::load(models)?;
                let Joints { fused, .. } = joints(Fusion::load(models)?);
                let board = fused.board;
                (Box::new(FusedReader::new(network, fused)), board)
            }
        };
        Ok((reader, board::Params { calibration, ..board::Params::default() }))
    }
}

/// What finds the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum FinderChoice {
    /// By symbols and borders: no network
    Classical,
    /// By a network, symbols and borders
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

    /// The finder.
    ///
    /// # Errors
    /// Weights that it needs are missing or broken.
    pub fn finder(self, models: &Models) -> Result<Box<dyn CardFinder>, ModelsError> {
        Ok(match self {
            Self::Classical => Box::new(segment::Params::default()),
            Self::Learned => Box::new(learned(models)?),
        })
    }
}

/// The finder with the networks of a set of weights.
///
/// # Errors
/// The finding network is missing, or one of them is broken.
pub fn learned(models: &Models) -> Result<Learned, ModelsError> {
    let finder = models.network(Kind::Finder)?;
    // Weights of one's own may go without: corners are less exact then.
    let refiner: Option<Box<dyn RefinerNetwork>> = if models.has(file_of(Kind::Refiner)) {
        Some(Box::new(models.network(Kind::Refiner)?))
    } else {
        None
    };
    Ok(Learned::new(Box::new(finder), refiner))
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
        let (reader, board) = reader.reader(finder, models)?;
        Ok(Self { board, ..Self::new(finder.finder(models)?, reader) })
    }
}

/// The network reads without it too, then less well calibrated.
fn fusion_if_there(models: &Models) -> Result<Option<Fusion>, ModelsError> {
    match Fusion::load(models) {
        Ok(fusion) => Ok(Some(fusion)),
        Err(ModelsError::NotShipped(_)) => Ok(None),
        Err(ModelsError::Unreadable { source, .. }) if source.kind() == ErrorKind::NotFound => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
