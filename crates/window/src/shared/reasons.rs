//! What the rooms below say is wrong, in the words of the window. What the system or a decoder says of it
//! stays as it is.

use crate::shared::words::t;
use setsight_live::{CameraError, Notice};
use setsight_photo::source::{
    ListError, MAX_FILE_BYTES, MAX_PIXELS, MAX_SIDES, MIN_SIDE_PX, SourceError,
};
use setsight_vision::PlanError;
use std::{io, sync::Arc};

/// Why a photo of the folder holds no table.
#[derive(Clone, Debug)]
pub(crate) enum Reason {
    /// It is no photo that can be read.
    Source(Arc<SourceError>),
    /// The reader says so, in its own words.
    Reader(String),
    /// The program itself failed.
    Fault,
}

impl From<SourceError> for Reason {
    fn from(error: SourceError) -> Self {
        Self::Source(Arc::new(error))
    }
}

impl Reason {
    /// In words that go on where the photo's name, or "it", stands before them.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Source(error) => photo(error),
            Self::Reader(reason) => reason.clone(),
            Self::Fault => t!("reason-fault"),
        }
    }
}

/// Why the networks cannot read, in the reader's own words, and what to do about those that were chosen.
pub(crate) fn plan(error: &PlanError) -> String {
    match error {
        PlanError::Chosen { .. } => t!("reason-chosen-models", error = error.to_string()),
        _ => error.to_string(),
    }
}

/// Why a file is no photo that can be read: "is empty ...".
pub(crate) fn photo(error: &SourceError) -> String {
    match error {
        SourceError::Unreadable(error) => t!("reason-unreadable", error = system(error)),
        SourceError::NotAFile => t!("reason-no-file"),
        SourceError::Empty => t!("reason-empty"),
        SourceError::NotAPicture { start } => t!("reason-no-picture", start = start.as_str()),
        SourceError::OtherFormat { format } => t!("reason-other-format", format = *format),
        SourceError::NoDecoder { format, program, install } => {
            t!("reason-no-decoder", format = *format, program = *program, install = *install)
        }
        SourceError::Truncated { format } => t!("reason-cut-off", format = *format),
        SourceError::TooLarge { width, height } => {
            let megapixels = (u64::from(*width) * u64::from(*height)).div_ceil(1_000_000);
            let most = MAX_PIXELS / 1_000_000;
            t!(
                "reason-too-large",
                width = *width,
                height = *height,
                megapixels = megapixels,
                most = most
            )
        }
        SourceError::TooManyBytes { bytes } => {
            t!("reason-too-many-bytes", bytes = *bytes, most = MAX_FILE_BYTES)
        }
        SourceError::TooSmall { width, height } => {
            t!("reason-too-small", width = *width, height = *height, least = MIN_SIDE_PX)
        }
        SourceError::Strip { width, height } => {
            t!("reason-strip", width = *width, height = *height, most = MAX_SIDES)
        }
        SourceError::TooSlow { seconds } => t!("reason-too-slow", seconds = *seconds),
        SourceError::Transparent => t!("reason-transparent"),
        // What a decoder says of it, in its own language, helps nobody here.
        SourceError::Corrupt { format, .. } => t!("reason-corrupt", format = *format),
    }
}

/// What the system says is wrong, in the words of the window where it is something usual.
fn system(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => t!("system-denied"),
        io::ErrorKind::NotFound => t!("system-gone"),
        _ => error.to_string(),
    }
}

/// Why a path gives no photos.
pub(crate) fn listing(error: &ListError) -> String {
    match error {
        ListError::Unreadable { path, reason } => {
            // Asked once more: what it said the first time is English.
            let asked = match std::fs::metadata(path) {
                Ok(data) if data.is_dir() => std::fs::read_dir(path).err(),
                Ok(_) => None,
                Err(error) => Some(error),
            };
            let reason = asked.map_or_else(|| reason.clone(), |error| system(&error));
            t!("list-unreadable", path = path.display().to_string(), error = reason)
        }
        ListError::NoPhotos { path, .. } => {
            t!("list-no-photos", path = path.display().to_string())
        }
    }
}

/// What is wrong with what is watched, and what to do.
pub(crate) fn notice(notice: &Notice) -> (String, String) {
    let Some(error) = &notice.error else {
        return (first_upper(&notice.title), format!("{}.", first_upper(&notice.advice)));
    };
    let advice = match error {
        CameraError::None => t!("camera-none-advice"),
        CameraError::NoSuch { .. } | CameraError::Ambiguous { .. } => t!("camera-no-such-advice"),
        CameraError::Busy { .. } => t!("camera-busy-advice"),
        CameraError::Permission { .. } => t!("camera-permission-advice"),
        CameraError::Unplugged { .. } => t!("camera-unplugged-advice"),
        CameraError::Silent { .. } => t!("camera-silent-advice"),
        CameraError::Black { .. } => t!("camera-black-advice"),
        CameraError::Broken { .. } => t!("camera-broken-advice"),
        CameraError::Unopened { .. } => t!("camera-unopened-advice"),
        CameraError::Unreachable { .. } => t!("camera-unreachable-advice"),
        CameraError::Denied { .. } => t!("camera-denied-advice"),
        CameraError::NoPictures { .. } => t!("camera-no-pictures-advice"),
        CameraError::NoFfmpeg { .. } => t!("camera-no-ffmpeg-advice", advice = error.advice()),
        CameraError::Film { .. } => t!("camera-film-advice"),
    };
    let tried = if notice.tried_again { t!("camera-tried-again", advice = advice) } else { advice };
    (camera(error), tried)
}

fn camera(error: &CameraError) -> String {
    match error {
        CameraError::None => t!("camera-none"),
        CameraError::NoSuch { choice, .. } => t!("camera-no-such", choice = choice.as_str()),
        CameraError::Ambiguous { name, .. } => t!("camera-ambiguous", name = name.as_str()),
        CameraError::Busy { camera } => t!("camera-busy", camera = camera.as_str()),
        CameraError::Permission { camera } => t!("camera-permission", camera = camera.as_str()),
        CameraError::Unplugged { camera } => t!("camera-unplugged", camera = camera.as_str()),
        CameraError::Silent { camera, seconds } => {
            t!("camera-silent", camera = camera.as_str(), n = *seconds)
        }
        CameraError::Black { .. } => t!("camera-black"),
        CameraError::Broken { camera } => t!("camera-broken", camera = camera.as_str()),
        CameraError::Unopened { camera, reason } => {
            t!("camera-unopened", camera = camera.as_str(), error = reason.as_str())
        }
        CameraError::Unreachable { address, reason } => {
            t!("camera-unreachable", address = address.as_str(), error = reason.as_str())
        }
        CameraError::Denied { address, status } => {
            t!("camera-denied", address = address.as_str(), status = *status)
        }
        CameraError::NoPictures { address, reason } => {
            t!("camera-no-pictures", address = address.as_str(), error = reason.as_str())
        }
        CameraError::NoFfmpeg { camera } => t!("camera-no-ffmpeg", camera = camera.as_str()),
        CameraError::Film { reason } => t!("camera-film", error = reason.as_str()),
    }
}

/// A text with a large first letter.
pub(crate) fn first_upper(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + chars.as_str()
}
