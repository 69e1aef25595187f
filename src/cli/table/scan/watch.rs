//! `setsight scan --watch`: photos as they come into a folder.
//!
//! The folders are looked at twice a second. What a system tells of changes itself would come sooner, but not
//! for folders of other machines, which is where photos are synced to.

use super::folder;
use super::scanning::{Job, Scanning, list};
use crate::cli::stop;
use indicatif::ProgressBar;
use setsight_files::say;
use setsight_photo::source::ListError;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

/// Time between two scans of the folders.
const PAUSE: Duration = Duration::from_millis(500);
/// A file that has not changed for so long is whole.
const STILL: Duration = Duration::from_secs(1);

/// Reads what is there and what comes, until Ctrl-C. That is its usual end: it was not stopped early.
///
/// # Errors
/// Results that cannot be written.
pub fn watch(scan: &mut Scanning) -> anyhow::Result<bool> {
    let stop = stop::asked();
    let names: Vec<String> = scan.args.paths.iter().map(|p| p.display().to_string()).collect();
    say!("watching {}; Ctrl-C ends it", names.join(", "));
    let mut files = Files::default();
    let mut troubles = BTreeSet::new();
    while !stop.load(Ordering::Relaxed) {
        let mut there = Vec::new();
        let mut now = BTreeSet::new();
        for path in list(scan.args) {
            match path {
                Ok(path) => there.push(path),
                Err(ListError::NoPhotos { .. }) => {}
                Err(error) => {
                    // Told once, until it is over: the folder may come back.
                    if !troubles.contains(&error.to_string()) {
                        say!("{error}");
                    }
                    now.insert(error.to_string());
                }
            }
        }
        troubles = now;
        let todo: Vec<Job> = files.whole(there).into_iter().map(|path| scan.job(path)).collect();
        if todo.is_empty() {
            sleep(PAUSE);
            continue;
        }
        if let Some(out) = &scan.args.results.out {
            let paths: Vec<&PathBuf> = todo.iter().map(|job| &job.path).collect();
            folder::refuse_photos_in(out, &paths)?;
        }
        scan.read(&todo, &ProgressBar::hidden())?;
    }
    Ok(false)
}

/// Files as they were seen last.
#[derive(Default)]
struct Files(HashMap<PathBuf, LastState>);

struct LastState {
    bytes: u64,
    changed: Option<SystemTime>,
    since: Instant,
    read: bool,
}

impl Files {
    /// Of the files that are there, those to be read now: whole, and not read as they are.
    fn whole(&mut self, there: Vec<PathBuf>) -> Vec<PathBuf> {
        let mut last = std::mem::take(&mut self.0);
        let mut whole = Vec::new();
        for path in there {
            // What is gone again is looked at when it comes again.
            let Ok(metadata) = path.metadata() else { continue };
            let (bytes, changed) = (metadata.len(), metadata.modified().ok());
            let mut seen = match last.remove(&path) {
                Some(seen) if (seen.bytes, seen.changed) == (bytes, changed) => seen,
                _ => LastState { bytes, changed, since: Instant::now(), read: false },
            };
            // Nothing of an empty file has come yet.
            if !seen.read && bytes > 0 && seen.since.elapsed() >= STILL {
                seen.read = true;
                whole.push(path.clone());
            }
            self.0.insert(path, seen);
        }
        whole
    }
}
