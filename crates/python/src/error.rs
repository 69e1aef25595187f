//! Errors as exceptions, with the sentences of the command line.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;
use setsight_photo::source::SourceError;
use setsight_vision::ReadErrorKind;
use std::{io::ErrorKind, path::Path};

create_exception!(setsight, ReadError, PyException, "A photo could not be read; `kind` says why.");

/// The exception for what the library could not read; `path` is the file, if it was one.
pub fn of_reading(
    py: Python<'_>,
    error: impl Into<setsight_vision::ReadError>,
    path: Option<&Path>,
) -> PyErr {
    let error = error.into();
    let file = path.map_or_else(String::new, |path| format!("{}: ", path.display()));
    let kind = match error.kind() {
        ReadErrorKind::Options => return PyValueError::new_err(format!("{file}{error}")),
        ReadErrorKind::NotAPhoto => "not_a_photo",
        ReadErrorKind::Damaged => "damaged",
        ReadErrorKind::TooLarge => "too_large",
        ReadErrorKind::TooSmall => "too_small",
        ReadErrorKind::NoDecoder => "no_decoder",
        ReadErrorKind::Models => "models",
        ReadErrorKind::NoEngine => "no_engine",
        _ => "failed",
    };
    let exception = ReadError::new_err(format!("{file}{error}"));
    match exception.value(py).setattr("kind", kind) {
        Ok(()) => exception,
        Err(error) => error,
    }
}

/// The exception for a photo's file: a missing one is what Python expects a missing file to be.
pub fn of_file(py: Python<'_>, error: SourceError, path: Option<&Path>) -> PyErr {
    let named = || {
        let file = path.map_or_else(String::new, |path| format!("{}: ", path.display()));
        format!("{file}{error}")
    };
    match &error {
        SourceError::Unreadable(cause) if cause.kind() == ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(named())
        }
        SourceError::Unreadable(_) | SourceError::NotAFile => PyOSError::new_err(named()),
        _ => of_reading(py, error, path),
    }
}
