//! Which finder and reader are the default, chosen in this one place for every command and the window.

use super::Pipeline;
use super::classify::{NeuralReader, Reader, classical::ClassicalReader};
use super::engine::{Models, ModelsError};
use super::find::{CardFinder, Learned};
use super::segment;
use crate::model::Kind;

/// What reads the cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum ReaderChoice {
    /// By measuring: no network
    #[default]
    Classical,
    /// By a network
    Neural,
    /// Both, joined
    Fused,
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

    /// The reader.
    ///
    /// # Errors
    /// Weights that it needs are missing or broken.
    pub fn reader(self, models: &Models) -> Result<Box<dyn Reader>, ModelsError> {
        Ok(match self {
            Self::Classical => Box::new(ClassicalReader),
            Self::Neural => Box::new(NeuralReader::load(models)?),
            Self::Fused => return Err(ModelsError::NotShipped("models/fusion.json".into())),
        })
    }
}

/// What finds the cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum FinderChoice {
    /// By symbols and borders: no network
    #[default]
    Classical,
    /// By a network, symbols and borders
    Learned,
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
            Self::Learned => Box::new(Learned::new(Box::new(models.network(Kind::Finder)?))),
        })
    }
}

impl Pipeline {
    /// The stages with the default finder and the default reader.
    ///
    /// # Errors
    /// Weights that it needs are missing or broken.
    pub fn with_defaults(models: &Models) -> Result<Self, ModelsError> {
        let finder = FinderChoice::default().finder(models)?;
        Ok(Self::new(finder, ReaderChoice::default().reader(models)?))
    }
}
