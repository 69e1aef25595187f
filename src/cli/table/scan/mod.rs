//! `setsight scan`: photos in, cards and sets out; with `--watch` photos as they come into a folder.
//!
//! The folders are looked at twice a second. The system's notices of changes would come sooner, but not
//! for folders of other machines, which is where photos are synced to.

mod earlier;
pub mod folder;
mod scanning;

use crate::cli::common::{BadCall, Outcome};
use crate::cli::{page, stop};
use indicatif::ProgressBar;
use scanning::{Job, RecordFormat, STDIN, Scanning, list};
use setsight_files::{say, small_file::Sample};
use setsight_photo::source::ListError;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, ErrorKind, IsTerminal};
use std::time::{Duration, Instant, SystemTime};
use std::{
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    thread::sleep,
};

pub use scanning::Args;

/// Reads the photos, prints and writes what they hold.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    check(&args)?;
    let mut scan = Scanning::new(&args)?;
    let stopped = if args.watch { watch(&mut scan)? } else { scan.read_paths()? };
    let (failed, counts) = (scan.failed, &scan.counts);
    let all_missing = !args.watch && args.paths.iter().all(|path| is_missing(path));
    let mut shown = true;
    let page = scan.out.map(|out| out.finish(stopped, counts)).transpose()?;
    // Programs that read JSON or CSV count for themselves.
    if !stopped && (page.is_some() || args.results.format == RecordFormat::Text) {
        let page = page.as_ref().map(|page| format!("; {}", page.display())).unwrap_or_default();
        let earlier = match counts.earlier {
            0 => String::new(),
            n => format!("{n} read by an earlier run (--overwrite reads all anew)"),
        };
        let totals = if counts.photos > 1 { counts.to_string() } else { String::new() };
        let parts = [totals, earlier, scanning::skipped(&args)];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        if !parts.is_empty() {
            let page = if counts.photos > 1 { page } else { String::new() };
            say!("{}{page}", parts.join("; "));
        }
    }
    if let Some(written) = page
        && args.results.open
        && !stopped
    {
        shown = page::show(&written);
    }
    if all_missing {
        return Ok(Outcome::AllMissing);
    }
    Ok(if failed > 0 || stopped || !shown { Outcome::SomeFailed } else { Outcome::Done })
}

fn is_missing(path: &Path) -> bool {
    path.as_os_str() != STDIN
        && path.metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

fn check(args: &Args) -> Result<(), BadCall> {
    let results = &args.results;
    if results.only_sets && results.format == RecordFormat::Csv {
        let message = "--only-sets is for text and JSON; CSV has a line for each card";
        return Err(BadCall(message.to_owned()));
    }
    if args.watch {
        return match args.paths.iter().find(|path| !path.is_dir()) {
            Some(path) => {
                let path = path.display();
                Err(BadCall(format!(
                    "--watch {path}: is not a folder; expected one that photos arrive in"
                )))
            }
            None => Ok(()),
        };
    }
    if args.paths.iter().any(|path| path.as_os_str() == STDIN) {
        if args.paths.len() > 1 {
            let message = "- is one photo from stdin: name no other photo beside it";
            return Err(BadCall(message.to_owned()));
        }
        if io::stdin().is_terminal() {
            let message =
                "- reads a photo from stdin, which is a terminal; setsight scan - < table.jpg";
            return Err(BadCall(message.to_owned()));
        }
    }
    Ok(())
}

/// Time between two scans of the folders.
const PAUSE: Duration = Duration::from_millis(500);
/// A file that has not changed for so long is read.
const STILL: Duration = Duration::from_secs(1);
/// A file that is cut off or has gaps and has not changed for so long stays so: uploads pause for less.
const GIVEN_UP: Duration = Duration::from_secs(10);

/// Reads what is there and what comes, until Ctrl-C. That is its usual end: it was not stopped early.
fn watch(scan: &mut Scanning) -> anyhow::Result<bool> {
    let stop = stop::asked();
    let names: Vec<String> = scan.args.paths.iter().map(|p| p.display().to_string()).collect();
    say!("watching {}; Ctrl-C ends it", names.join(", "));
    let mut files = Files::default();
    let mut troubles = BTreeSet::new();
    while !stop.load(Ordering::Relaxed) {
        let mut present = Vec::new();
        let mut now = BTreeSet::new();
        for path in list(scan.args) {
            match path {
                Ok(path) => present.push(path),
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
        let mut incomplete = std::mem::take(&mut scan.incomplete);
        let todo: Vec<Job> = files
            .ready(present, &incomplete)
            .into_iter()
            .map(|(path, may_grow)| {
                let half = incomplete.iter().position(|job| job.path == path);
                let job = half.map(|half| incomplete.swap_remove(half));
                Job { may_grow, ..job.unwrap_or_else(|| scan.job(path)) }
            })
            .collect();
        scan.incomplete = incomplete;
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

/// Files as they were at the last look.
#[derive(Default)]
struct Files(HashMap<PathBuf, LastState>);

struct LastState {
    bytes: u64,
    changed: Option<SystemTime>,
    sample: Sample,
    since: Instant,
    read: bool,
    /// Whether it was read a second time, as a half.
    given_up: bool,
}

impl Files {
    /// Of the files that are there, those to be read now: still, and not read as they are; and
    /// whether more of them may come. Those that were found to be halves are read once more.
    fn ready(&mut self, present: Vec<PathBuf>, incomplete: &[Job]) -> Vec<(PathBuf, bool)> {
        let mut last = std::mem::take(&mut self.0);
        let mut ready = Vec::new();
        for path in present {
            // What is gone again is looked at when it comes again.
            let Ok(metadata) = path.metadata() else { continue };
            let (bytes, changed) = (metadata.len(), metadata.modified().ok());
            let before = last.remove(&path);
            let before = before.filter(|state| (state.bytes, state.changed) == (bytes, changed));
            // Content may come into reserved room without a change of size, and of time where that
            // is coarse.
            let sample = match &before {
                Some(state) if state.read => state.sample,
                _ if bytes == 0 => Sample::default(),
                _ => Sample::read(&path, bytes).unwrap_or_default(),
            };
            let mut state = match before {
                Some(state) if state.sample == sample => state,
                _ => LastState {
                    bytes,
                    changed,
                    sample,
                    since: Instant::now(),
                    read: false,
                    given_up: false,
                },
            };
            let is_incomplete =
                state.read && !state.given_up && incomplete.iter().any(|job| job.path == path);
            let give_up = is_incomplete || sample.has_gap;
            let patience = if give_up { GIVEN_UP } else { STILL };
            // Nothing of an empty file has come yet.
            if (is_incomplete || !state.read) && bytes > 0 && state.since.elapsed() >= patience {
                (state.read, state.given_up) = (true, give_up);
                ready.push((path.clone(), !give_up));
            }
            self.0.insert(path, state);
        }
        ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_is_read_again_after_more_patience() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jpg");
        std::fs::write(&path, b"half").unwrap();
        let mut files = Files::default();
        let mut look = |incomplete: &[Job], seconds: u64| {
            let since = Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
            files.0.values_mut().for_each(|state| state.since = since);
            files.ready(vec![path.clone()], incomplete)
        };
        let half = [Job { path: path.clone(), name: "a".into(), may_grow: true }];
        assert!(look(&[], 0).is_empty());
        assert_eq!(look(&[], 2), [(path.clone(), true)]);
        assert!(look(&half, 2).is_empty());
        assert_eq!(look(&half, 11), [(path.clone(), false)]);
        assert!(look(&half, 11).is_empty());
        std::fs::write(&path, b"half and more").unwrap();
        assert!(look(&half, 0).is_empty());
        assert_eq!(look(&half, 2), [(path.clone(), true)]);
    }
    #[test]
    fn a_reserved_file_is_read_once_filled() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jpg");
        let time = SystemTime::now();
        let write = |filled: usize| {
            std::fs::write(&path, [vec![7u8; filled], vec![0; 9000 - filled]].concat()).unwrap();
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        };
        let mut files = Files::default();
        let mut look = |seconds: u64| {
            let since = Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
            files.0.values_mut().for_each(|state| state.since = since);
            files.ready(vec![path.clone()], &[])
        };
        for filled in [0, 4000] {
            write(filled);
            assert!(look(11).is_empty() && look(2).is_empty());
        }
        write(9000);
        assert!(look(11).is_empty());
        assert_eq!(look(2), [(path.clone(), true)]);
        // What stays half filled is read all the same.
        write(4000);
        std::fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(time - STILL)
            .unwrap();
        assert!(look(0).is_empty() && look(2).is_empty());
        assert_eq!(look(11), [(path.clone(), false)]);
    }
}
