//! What the tests of several crates share.

#![allow(missing_docs)]

pub mod child;
mod not_run;
pub mod pictures;

pub use not_run::not_run;

use std::path::PathBuf;

/// A path of the repository, whichever crate's test asks.
pub fn in_repository(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)
}

/// The folder of photos, if there is one: `../shared/photos`, or what SETSIGHT_PHOTOS names.
pub fn photos() -> Option<PathBuf> {
    let named = std::env::var_os("SETSIGHT_PHOTOS").map(PathBuf::from);
    let folder = named.clone().unwrap_or_else(|| in_repository("../shared/photos"));
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(named.is_none(), "SETSIGHT_PHOTOS: no folder {}", folder.display());
    not_run(&format!("no photos in {}; SETSIGHT_PHOTOS names another folder", folder.display()));
    None
}

/// Whether there is a program of this name.
pub fn on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}
