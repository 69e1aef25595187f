//! The cameras of Windows, by its Media Foundation, for the program of this name: see README.md.

#[cfg(any(windows, test))]
mod formats;
#[cfg(windows)]
mod media_foundation;

#[cfg(windows)]
pub use media_foundation::{list, read};
