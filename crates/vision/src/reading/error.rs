//! Why a photo could not be read.

use crate::{PipelineError, plan::PlanError};
use setsight_nets::engine::{EngineError, ModelsError, NetworkError};
use setsight_photo::source::SourceError;
use std::{error::Error, fmt, path::Path};

/// Why a photo could not be read. The message names the file if there is one, what was expected and
/// what to do.
///
/// # Examples
/// ```
/// use setsight_vision::ReadErrorKind;
///
/// let error = setsight_vision::read_photo("Cargo.toml").unwrap_err();
/// assert_eq!(error.kind(), ReadErrorKind::NotAPhoto);
/// assert!(error.to_string().starts_with("Cargo.toml: is not a picture"));
/// ```
#[derive(Debug)]
pub struct ReadError {
    kind: ReadErrorKind,
    /// The file's name and a colon, if the error is about a file.
    file: String,
    source: Box<dyn Error + Send + Sync>,
}

/// The kind of a [`ReadError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file is missing, may not be opened, or is a folder.
    Io,
    /// The bytes are not a picture, or a picture in a format that is not read.
    NotAPhoto,
    /// The picture is cut off or violates its format.
    Damaged,
    /// The file or the picture is too large.
    TooLarge,
    /// The picture is too small to hold a card.
    TooSmall,
    /// The program that decodes the format (`ffmpeg` for AVIF) is not installed.
    NoDecoder,
    /// The networks' files are missing or broken, or are of another kind or version.
    Models,
    /// No engine can run the networks, or the one that was chosen fails.
    NoEngine,
    /// The options contradict each other.
    Options,
    /// The picture could not be processed, for instance for lack of memory.
    Failed,
}

impl ReadError {
    /// The kind of error.
    pub fn kind(&self) -> ReadErrorKind {
        self.kind
    }

    /// Names the file that the error is about.
    pub(super) fn in_file(self, path: &Path) -> Self {
        Self { file: format!("{}: ", path.display()), ..self }
    }

    fn new(kind: ReadErrorKind, source: impl Error + Send + Sync + 'static) -> Self {
        Self { kind, file: String::new(), source: Box::new(source) }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file, self.source)
    }
}

impl Error for ReadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.source()
    }
}

impl From<SourceError> for ReadError {
    fn from(error: SourceError) -> Self {
        let kind = match &error {
            SourceError::Unreadable(_) | SourceError::NotAFile => ReadErrorKind::Io,
            SourceError::Empty
            | SourceError::NotAPicture { .. }
            | SourceError::Transparent
            | SourceError::OtherFormat { .. } => ReadErrorKind::NotAPhoto,
            SourceError::Truncated { .. }
            | SourceError::Corrupt { .. }
            | SourceError::TooSlow { .. } => ReadErrorKind::Damaged,
            SourceError::TooLarge { .. } | SourceError::TooManyBytes { .. } => {
                ReadErrorKind::TooLarge
            }
            SourceError::TooSmall { .. } | SourceError::Strip { .. } => ReadErrorKind::TooSmall,
            SourceError::NoDecoder { .. } => ReadErrorKind::NoDecoder,
        };
        Self::new(kind, error)
    }
}

impl From<EngineError> for ReadError {
    fn from(error: EngineError) -> Self {
        Self::new(ReadErrorKind::NoEngine, error)
    }
}

impl From<PlanError> for ReadError {
    fn from(error: PlanError) -> Self {
        Self::new(kind_of_plan(&error), error)
    }
}

impl From<PipelineError> for ReadError {
    fn from(error: PipelineError) -> Self {
        let kind = match &error {
            PipelineError::Network(error) => kind_of_network(error),
            PipelineError::OpenCv(_) | PipelineError::Picture(_) => ReadErrorKind::Failed,
        };
        Self::new(kind, error)
    }
}

fn kind_of_plan(error: &PlanError) -> ReadErrorKind {
    match error {
        PlanError::Models(ModelsError::Network(error)) => kind_of_network(error),
        PlanError::Models(_) => ReadErrorKind::Models,
        PlanError::Chosen { error, .. } => kind_of_plan(error),
        PlanError::OwnReader { .. } | PlanError::NoOpenCv => ReadErrorKind::Options,
    }
}

fn kind_of_network(error: &NetworkError) -> ReadErrorKind {
    match error {
        NetworkError::Engine(_) | NetworkError::Run { .. } => ReadErrorKind::NoEngine,
        NetworkError::Broken { .. } | NetworkError::Foreign { .. } => ReadErrorKind::Models,
    }
}
