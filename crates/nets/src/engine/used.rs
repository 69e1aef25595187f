//! The models that this user has chosen: those inside the program, or a folder.

use super::models::Models;
use setsight_files::small_file::{MAX_SETTINGS_BYTES, read_text};
use setsight_files::whole_file::write_whole;
use std::io;
use std::path::{Path, PathBuf};

/// The file that stores the folder's path.
fn choice_file() -> Option<PathBuf> {
    Some(dirs::config_dir()?.join("setsight").join("models"))
}

/// The folder that this user has chosen, if any.
pub fn chosen() -> Option<PathBuf> {
    let text = read_text(&choice_file()?, MAX_SETTINGS_BYTES).ok()?;
    let path = text.trim_end_matches(['\r', '\n']);
    (!path.is_empty()).then(|| PathBuf::from(path))
}

/// The models to use unless the command line names others.
pub fn models() -> Models {
    chosen().map_or(Models::Shipped, Models::Folder)
}

/// Chooses a folder for all later runs; returns its canonical path.
///
/// # Errors
/// The folder does not exist, or the choice cannot be stored.
pub fn choose(folder: &Path) -> io::Result<PathBuf> {
    let folder = dunce::canonicalize(folder)?;
    let file = choice_file().ok_or_else(no_place)?;
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let text = folder.to_str().ok_or_else(|| io::Error::other("its path is no text"))?;
    write_whole(&file, format!("{text}\n").as_bytes())?;
    Ok(folder)
}

/// Goes back to the models inside the program.
///
/// # Errors
/// The stored choice cannot be removed.
pub fn reset() -> io::Result<()> {
    let file = choice_file().ok_or_else(no_place)?;
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn no_place() -> io::Error {
    io::Error::other("this system names no folder for settings (HOME is not set)")
}
