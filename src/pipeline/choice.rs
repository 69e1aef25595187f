//! Which reader is the default, chosen in this one place for every command and the window.

use super::Pipeline;
use super::classify::{NeuralReader, Reader, classical::ClassicalReader};
use super::engine::{Models, ModelsError};

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

impl Pipeline {
    /// The stages with the default reader.
    ///
    /// # Errors
    /// Weights that it needs are missing or broken.
    pub fn with_defaults(models: &Models) -> Result<Self, ModelsError> {
        Ok(Self::with_reader(ReaderChoice::default().reader(models)?))
    }
}
