//! Pictures and a table of all photos that are open, written by a thread of its own.

use super::eye::Eye;
use super::library::Found;
use super::look_panel::count;
use super::table::Table;
use crate::pipeline::overlay::{self, Style};
use crate::pipeline::record::{CSV_HEADER, PhotoRecord, Record};
use crate::whole_file::{WholeFile, write_whole};
use image::ImageFormat;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// What is written beside the pictures.
const TABLE: &str = "cards.csv";

/// Writing that goes on.
pub struct FolderExport {
    done: Arc<AtomicUsize>,
    all: usize,
    outcome: Receiver<Result<String, String>>,
}

impl FolderExport {
    /// Begins to write into a new folder in `place`. `wake` is called when there is news.
    pub fn begin(
        photos: Vec<(PathBuf, Found, Table)>,
        eye: Arc<dyn Eye>,
        place: &Path,
        codes: bool,
        wake: impl Fn() + Send + 'static,
    ) -> Self {
        let (sender, outcome) = channel();
        let (done, all) = (Arc::new(AtomicUsize::new(0)), photos.len());
        let (counter, place) = (Arc::clone(&done), place.to_path_buf());
        std::thread::spawn(move || {
            let told = write(&photos, &*eye, &place, codes, |n| {
                counter.store(n, Ordering::Relaxed);
                wake();
            });
            // The window may be gone.
            let _ = sender.send(told);
            wake();
        });
        Self { done, all, outcome }
    }

    /// How far it is, in words.
    pub fn progress(&self) -> String {
        format!("Saving photo {} of {}…", self.done.load(Ordering::Relaxed) + 1, self.all)
    }

    /// What was written, or why it was not, once that is known.
    pub fn outcome(&self) -> Option<String> {
        match self.outcome.try_recv() {
            Ok(Ok(words) | Err(words)) => Some(words),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some("Saving has failed; please report this.".into())
            }
        }
    }
}

fn write(
    photos: &[(PathBuf, Found, Table)],
    eye: &dyn Eye,
    place: &Path,
    codes: bool,
    done: impl Fn(usize),
) -> Result<String, String> {
    let folder = new_folder(place)?;
    let style = Style { codes, ..Style::default() };
    let mut names = HashSet::new();
    let (mut csv, mut failed) = (CSV_HEADER.to_owned(), Vec::new());
    for (i, (path, found, table)) in photos.iter().enumerate() {
        done(i);
        let photo = PhotoRecord {
            width: found.size_px.0,
            height: found.size_px.1,
            facts: None,
            scan: table.cards.clone(),
            sets: table.sets.clone(),
            times: found.times.clone(),
            warning: None,
        };
        csv += &Record { image: path.clone(), result: Ok(photo) }.to_csv();
        match eye.load(path) {
            Ok(photo) => {
                let picture = overlay::draw(&photo.frame.image, &table.cards, &table.sets, &style);
                let target = folder.join(name_of(path, &mut names));
                let problem =
                    |error: String| format!("{}: cannot be written: {error}", target.display());
                let mut file =
                    WholeFile::create(&target).map_err(|error| problem(error.to_string()))?;
                picture
                    .write_to(&mut file, ImageFormat::Jpeg)
                    .map_err(|error| problem(error.to_string()))?;
                file.finish().map_err(|error| problem(error.to_string()))?;
            }
            Err(reason) => failed.push(format!("{} {reason}", path.display())),
        }
    }
    let target = folder.join(TABLE);
    write_whole(&target, csv.as_bytes())
        .map_err(|error| format!("{}: cannot be written: {error}", target.display()))?;
    let pictures = count(photos.len() - failed.len(), "picture");
    let mut words = format!("Saved {pictures} and {TABLE} in {}.", folder.display());
    if let Some(first) = failed.first() {
        words += &format!(" Without {}: {first}", count(failed.len(), "photo"));
    }
    Ok(words)
}

/// A folder that was not there before: nothing of the user's is written over.
fn new_folder(place: &Path) -> Result<PathBuf, String> {
    for n in 1..10_000 {
        let name = if n == 1 { "with-sets".to_owned() } else { format!("with-sets-{n}") };
        let folder = place.join(name);
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("{}: cannot be made: {error}", folder.display())),
        }
    }
    Err(format!("{}: is full of folders \"with-sets\"", place.display()))
}

/// A name for a photo's picture that no other one has.
fn name_of(photo: &Path, taken: &mut HashSet<String>) -> String {
    let stem = photo.file_stem().unwrap_or(photo.as_os_str()).to_string_lossy().into_owned();
    let numbered = |n: usize| {
        if n == 1 { format!("{stem}-sets.jpg") } else { format!("{stem}-sets-{n}.jpg") }
    };
    let name = (1..).map(numbered).find(|name| !taken.contains(&name.to_lowercase()));
    let name = name.expect("numbers enough");
    taken.insert(name.to_lowercase());
    name
}
