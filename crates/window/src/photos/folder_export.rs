//! Pictures and a table of all photos that are open, written by a thread of its own.

use crate::{
    photos::library::Found,
    shared::{eye::Eye, reasons, table::Table, words::t},
};
use setsight_files::whole_file::write_whole;
use setsight_photo::encode::{self, JPEG_QUALITY};
use setsight_photo::source::SourceError;
use setsight_vision::output::{CSV_HEADER, Record, Style, overlay};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::{collections::HashSet, sync::Arc};

/// What is written beside the pictures.
const TABLE: &str = "cards.csv";

/// Writing that goes on.
pub(crate) struct FolderExport {
    done: Arc<AtomicUsize>,
    all: usize,
    outcome: Receiver<Result<Saved, Problem>>,
}

/// What was written.
struct Saved {
    folder: PathBuf,
    pictures: usize,
    failed: Vec<(PathBuf, SourceError)>,
}

/// Why nothing more is written.
enum Problem {
    /// The system does not take this file.
    File(PathBuf, String),
    /// It makes no such folder.
    Folder(PathBuf, String),
    /// Here are too many already.
    Full(PathBuf),
}

impl FolderExport {
    /// Begins to write into a new folder in `place`. `wake` is called when there is news.
    pub(crate) fn begin(
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
    pub(crate) fn progress(&self) -> String {
        t!("saving", n = self.done.load(Ordering::Relaxed) + 1, all = self.all)
    }

    /// What was written, or why it was not, once that is known.
    pub(crate) fn outcome(&self) -> Option<String> {
        match self.outcome.try_recv() {
            Ok(Ok(saved)) => Some(saved.words()),
            Ok(Err(problem)) => Some(problem.words()),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(t!("saving-failed")),
        }
    }
}

fn write(
    photos: &[(PathBuf, Found, Table)],
    eye: &dyn Eye,
    place: &Path,
    codes: bool,
    done: impl Fn(usize),
) -> Result<Saved, Problem> {
    let folder = new_folder(place)?;
    let style = Style { codes, ..Style::default() };
    let mut names = HashSet::new();
    let (mut csv, mut failed) = (CSV_HEADER.to_owned(), Vec::new());
    for (i, (path, found, table)) in photos.iter().enumerate() {
        done(i);
        let (result, times) = (Ok(table.reading.clone()), found.times.clone());
        csv += &Record { image: path.clone(), result, times }.to_csv();
        match eye.load(path) {
            Ok(photo) => {
                let picture = overlay::draw(&photo.frame, table, &style);
                let target = folder.join(name_of(path, &mut names));
                let problem = |error: String| Problem::File(target.clone(), error);
                let jpeg = encode::jpeg(&picture, JPEG_QUALITY);
                let jpeg = jpeg.map_err(|error| problem(error.to_string()))?;
                write_whole(&target, &jpeg).map_err(|error| problem(error.to_string()))?;
            }
            Err(reason) => failed.push((path.clone(), reason)),
        }
    }
    let target = folder.join(TABLE);
    write_whole(&target, csv.as_bytes())
        .map_err(|error| Problem::File(target.clone(), error.to_string()))?;
    Ok(Saved { folder, pictures: photos.len() - failed.len(), failed })
}

impl Saved {
    fn words(&self) -> String {
        let pictures = t!("count-pictures", n = self.pictures);
        let folder = self.folder.display().to_string();
        let saved = t!("saved-all", pictures = pictures, table = TABLE, folder = folder);
        let Some((path, error)) = self.failed.first() else { return saved };
        let first = format!("{} {}", path.display(), reasons::photo(error));
        let photos = t!("count-photos", n = self.failed.len());
        format!("{saved} {}", t!("saved-without", photos = photos, first = first))
    }
}

impl Problem {
    fn words(&self) -> String {
        let (Self::File(path, _) | Self::Folder(path, _) | Self::Full(path)) = self;
        let path = path.display().to_string();
        match self {
            Self::File(_, error) => t!("unwritable", path = path, error = error.as_str()),
            Self::Folder(_, error) => t!("folder-unmade", path = path, error = error.as_str()),
            Self::Full(_) => t!("folder-full", path = path),
        }
    }
}

/// A folder that was not there before: nothing of the user's is written over.
fn new_folder(place: &Path) -> Result<PathBuf, Problem> {
    for n in 1..10_000 {
        let name = if n == 1 { "with-sets".to_owned() } else { format!("with-sets-{n}") };
        let folder = place.join(name);
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Problem::Folder(folder, error.to_string())),
        }
    }
    Err(Problem::Full(place.to_path_buf()))
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
