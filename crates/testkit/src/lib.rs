//! What the tests of several crates share.

#![allow(missing_docs)]

pub mod camera;
pub mod child;
pub mod pictures;

use std::path::PathBuf;

/// A path of the repository, whichever crate's test asks.
pub fn in_repository(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)
}

/// The text of a file of the repository.
pub fn text_of(path: &str) -> String {
    std::fs::read_to_string(in_repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files with this ending below a folder of the repository, in order, by their paths from its root.
pub fn files_in(folder: &str, ending: &str) -> Vec<String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(in_repository(folder)).unwrap().map(Result::unwrap) {
        let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            files.extend(files_in(&name, ending));
        } else if name.ends_with(ending) {
            files.push(name);
        }
    }
    files.sort();
    files
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

/// Says why the test that calls this did not run, or not all of it. `tools/test.sh` names a file in
/// SETSIGHT_NOT_RUN, shows what was written to it as its last words, and counts it.
pub fn not_run(why: &str) {
    use std::io::Write;
    eprintln!("NOT RUN: {why}");
    let Some(path) = std::env::var_os("SETSIGHT_NOT_RUN") else { return };
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    // One write: tests run side by side.
    let written = file.and_then(|mut file| file.write_all(format!("{test}: {why}\n").as_bytes()));
    written.expect("the file that SETSIGHT_NOT_RUN names can be written");
}
