//! What leaves the window: the annotated picture, the JSON, the board as text, and pictures and a table of all
//! photos that are open, written by a thread of its own; and what comes in over the clipboard.

use crate::photos::{Photos, SAVE_JSON, SAVE_PICTURE, library::Found};
use crate::shared::{
    reasons,
    tab::{Ask, Eye},
    table::Table,
    words::t,
};
use image::{ImageFormat, RgbImage};
use setsight_files::{small_file::portable, whole_file::write_atomic};
use setsight_game::cards::picture::Ink;
use setsight_photo::encode;
use setsight_photo::source::SourceError;
use setsight_vision::output::{CSV_HEADER, Record, Style, overlay};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::{collections::HashSet, sync::Arc};

/// A name for what is written about a photo.
pub(crate) fn name(photo: &Path, ask: Ask) -> String {
    let stem = stem(photo);
    match ask {
        SAVE_PICTURE => format!("{stem}-sets.png"),
        SAVE_JSON => format!("{stem}.json"),
        _ => String::new(),
    }
}

/// The name of a photo's file, as any system takes it.
fn stem(photo: &Path) -> String {
    portable(&photo.file_stem().unwrap_or(photo.as_os_str()).to_string_lossy())
}

/// What is known of the photo that is looked at, as read and corrected.
pub(crate) fn record(photos: &Photos) -> Option<Record> {
    let (path, found) = photos.shelf.found()?;
    let result = Ok(photos.table().reading.clone());
    Some(Record { image: path.to_path_buf(), result, times: found.times.clone() })
}

/// The board as it lies and its sets, in characters.
pub(crate) fn text(photos: &Photos) -> Option<String> {
    Some(record(photos)?.to_text(Ink::PLAIN))
}

/// The photo that is looked at with its sets drawn on it.
pub(crate) fn picture(photos: &Photos, codes: bool) -> Option<RgbImage> {
    let style = Style { codes, ..Style::default() };
    let table = photos.table();
    Some(overlay::draw(photos.pixels()?, table, &style))
}

/// Writes a page that is to be printed. What came of it, in words.
pub(crate) fn write_page(path: &Path, page: &str) -> String {
    let path_name = path.display().to_string();
    match write_atomic(path, page.as_bytes()) {
        Ok(()) => t!("missing-saved", path = path_name),
        Err(error) => t!("unwritable", path = path_name, error = error.to_string()),
    }
}

/// Writes the annotated picture or the JSON, whole or not at all. What was done, in words.
pub(crate) fn write(photos: &Photos, ask: Ask, path: &Path, codes: bool) -> Result<String, String> {
    let record = record(photos).ok_or_else(|| t!("nothing-to-save"))?;
    let named = path.display().to_string();
    let unwritable = |error: String| t!("unwritable", path = named.as_str(), error = error);
    let failed = |error: std::io::Error| unwritable(error.to_string());
    if ask == SAVE_JSON {
        write_atomic(path, format!("{}\n", record.to_json()).as_bytes()).map_err(failed)?;
    } else {
        let picture = picture(photos, codes).ok_or_else(|| t!("no-picture-yet"))?;
        // As the name says; without an ending that is known, PNG.
        let bytes = match ImageFormat::from_path(path) {
            Ok(ImageFormat::Jpeg) => encode::result_jpeg(&picture),
            _ => encode::result_png(&picture),
        };
        write_atomic(path, &bytes.map_err(|error| unwritable(error.to_string()))?)
            .map_err(failed)?;
    }
    Ok(t!("saved-as", path = named.as_str()))
}

/// The paths that a text names, a line each: as typed, or as file managers copy them.
pub(crate) fn paths_in(text: &str) -> Result<Vec<PathBuf>, String> {
    let mut paths = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let line = line.trim_matches('"');
        let path = match line.strip_prefix("file://") {
            Some(uri) => PathBuf::from(decoded(uri)),
            None => expanded(line),
        };
        if !path.exists() {
            let shown: String = line.chars().take(80).collect();
            return Err(t!("no-such-path", path = shown));
        }
        paths.push(path);
    }
    if paths.is_empty() { Err(t!("nothing-to-open")) } else { Ok(paths) }
}

/// A path as it is typed, `~/` being the user's own folder.
pub(crate) fn expanded(typed: &str) -> PathBuf {
    match (typed.strip_prefix("~/"), dirs::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(typed),
    }
}

/// A URI's path without its percent signs (RFC 3986, 2.1).
fn decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = (bytes[i] == b'%')
            .then(|| uri.get(i + 1..i + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What is written beside the pictures.
const TABLE: &str = "cards.csv";

/// Writing that goes on.
pub(crate) struct FolderExport {
    done: Arc<AtomicUsize>,
    all: usize,
    outcome: Receiver<Result<Saved, Problem>>,
}

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
            let outcome = write_all(&photos, &*eye, &place, codes, |n| {
                counter.store(n, Ordering::Relaxed);
                wake();
            });
            // The window may be gone.
            let _ = sender.send(outcome);
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

fn write_all(
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
                let written = encode::result_jpeg(&picture)
                    .map_err(|error| error.to_string())
                    .and_then(|jpeg| write_atomic(&target, &jpeg).map_err(|e| e.to_string()));
                written.map_err(|error| Problem::File(target, error))?;
            }
            Err(reason) => failed.push((path.clone(), reason)),
        }
    }
    let target = folder.join(TABLE);
    write_atomic(&target, csv.as_bytes())
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
    let stem = stem(photo);
    let name = (1..)
        .map(|n| if n == 1 { format!("{stem}-sets.jpg") } else { format!("{stem}-sets-{n}.jpg") })
        .find(|name| !taken.contains(&name.to_lowercase()));
    let name = name.expect("numbers enough");
    taken.insert(name.to_lowercase());
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_paths_are_understood() {
        let dir = tempfile::tempdir().unwrap();
        let photo = dir.path().join("a b é.jpg");
        std::fs::write(&photo, b"x").unwrap();
        let plain = photo.display().to_string();
        let uri = format!("file://{}", plain.replace(' ', "%20").replace('é', "%C3%A9"));
        for text in [plain.clone(), format!("\n\"{plain}\" \n"), uri] {
            assert_eq!(paths_in(&text).unwrap(), std::slice::from_ref(&photo), "{text}");
        }
        assert!(paths_in("/no/such").unwrap_err().contains("\"/no/such\""));
        assert!(paths_in(" \n").is_err());
        assert_eq!(decoded("a%2"), "a%2");
    }

    #[test]
    fn names_are_proposed() {
        assert_eq!(name(Path::new("/a/table 1.jpg"), SAVE_PICTURE), "table 1-sets.png");
        assert_eq!(name(Path::new("x.webp"), SAVE_JSON), "x.json");
        assert_eq!(name(Path::new("a/nul.jpg"), SAVE_JSON), "_nul.json");
    }
}
