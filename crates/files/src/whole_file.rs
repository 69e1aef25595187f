//! Files that are written completely or not at all: under a temporary name first, then renamed. An
//! older file is replaced with its permissions kept, through a link where it leads; a device or a pipe is left alone.
//! Also a lock for files that are read, changed and written again.

use crate::small_file::is_device;
use std::{
    collections::HashSet,
    fs::{File, Metadata, TryLockError},
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tempfile::NamedTempFile;

/// Prefix and suffix of temporary files.
const IN_THE_MAKING: (&str, &str) = (".setsight-", ".tmp");
/// The file that is locked where folders cannot be.
const LOCK: &str = ".setsight.lock";
/// Temporary files younger than this are never removed, whatever their lock says, because a file is
/// locked a moment after it is created.
const YOUNG: Duration = Duration::from_secs(60);
/// Maximum wait for another writer. Writing takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(3);
/// Maximum wait for a program that holds open a file that is to be replaced. The window waits, too.
const HELD: Duration = Duration::from_millis(500);

/// Permissions of a file that its owner alone may read and write.
const PRIVATE: u32 = 0o600;

/// Where the files in the making lie.
static MAKING: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);

fn making() -> MutexGuard<'static, HashSet<PathBuf>> {
    MAKING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes away all files in the making, for a program that ends without unwinding. No other is begun after it:
/// who tries waits for the end.
pub fn forget_all() {
    let making = making();
    for path in making.iter() {
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(making);
}

/// A file in the making. Dropped without [`WholeFile::finish`], it leaves nothing behind.
pub struct WholeFile {
    path: PathBuf,
    writer: BufWriter<NamedTempFile>,
    _listed: Listed,
}

/// Its place in the list of those in the making.
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        making().remove(&self.0);
    }
}

impl WholeFile {
    /// Creates a temporary file in the folder of `path`, hidden until it is finished.
    ///
    /// # Errors
    /// The folder does not exist or cannot be written to, or something else than a file is there.
    pub fn create(path: &Path) -> io::Result<Self> {
        // The same permissions as any new file, not for the owner alone; the umask still applies.
        Self::create_with(path, 0o666)
    }

    /// The same for the owner alone, on systems that know permissions (Unix): for secrets.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_private(path: &Path) -> io::Result<Self> {
        Self::create_with(path, PRIVATE)
    }

    fn create_with(path: &Path, mode: u32) -> io::Result<Self> {
        let older = older_file(path)?;
        let path = &behind_links(path);
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        sweep_once(folder);
        let mut builder = tempfile::Builder::new();
        builder.prefix(IN_THE_MAKING.0).suffix(IN_THE_MAKING.1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(mode));
        }
        let mut making = making();
        let file = builder.tempfile_in(folder).map_err(|error| without_name(&error))?;
        making.insert(file.path().to_path_buf());
        drop(making);
        if let Some(older) = older
            && mode != PRIVATE
        {
            // On a drive that knows no permissions there are none to keep.
            let _ = file.as_file().set_permissions(older.permissions());
        }
        // Held until the file is renamed or removed; a temporary file without a lock was left by a
        // killed run. If the system has no locks, nothing is removed either.
        let _ = file.as_file().try_lock();
        let listed = Listed(file.path().to_path_buf());
        let writer = BufWriter::new(file);
        Ok(Self { path: path.to_path_buf(), writer, _listed: listed })
    }

    /// Renames the file to its final name, replacing an older file.
    ///
    /// # Errors
    /// A file that could not be written, for example because the disk is full.
    pub fn finish(self) -> io::Result<()> {
        let path = self.path.clone();
        self.finish_as(&path)
    }

    /// Renames the file to another name in the same folder than it was created for.
    ///
    /// # Errors
    /// A file that could not be written, for example because the disk is full, or something else
    /// than a file that is there.
    pub fn finish_as(self, path: &Path) -> io::Result<()> {
        older_file(path)?;
        let file = self.writer.into_inner().map_err(|error| without_name(error.error()))?;
        // Without this, a power cut after the rename could leave an empty file.
        file.as_file().sync_all()?;
        persist(file, path)
    }
}

/// Gives a finished file its name, in place of an older one. Windows refuses while a program holds the older one
/// open, as those that search all new files for viruses or words do for a moment.
fn persist(mut file: NamedTempFile, path: &Path) -> io::Result<()> {
    // There nobody can read what is locked, under whatever name.
    #[cfg(windows)]
    let _ = file.as_file().unlock();
    let since = Instant::now();
    loop {
        let error = match file.persist(path) {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        if !is_held(&error.error) {
            return Err(error.error);
        }
        if since.elapsed() > HELD {
            let words = "another program holds the file open; close it there, then try again";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, words));
        }
        file = error.file;
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether Windows says that another program holds a file open: access denied or a sharing violation.
fn is_held(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32))
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes).map_err(|error| without_name(&error))
    }
    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| without_name(&error))
    }
}

impl io::Seek for WholeFile {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.flush()?;
        self.writer.get_mut().as_file_mut().seek(to)
    }
}

/// Where a link leads in the end, whether anything is there or not; a rename would replace the link itself.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    // As many as Linux follows. More lead to no file, as was seen before.
    for _ in 0..40 {
        let Ok(link) = path.read_link() else { break };
        path.set_file_name(link);
    }
    path
}

/// What is known of the file that will be replaced, if there is one. A rename would replace a device
/// or a pipe, too, without a word.
fn older_file(path: &Path) -> io::Result<Option<Metadata>> {
    let no_file = || {
        let reason = "a folder, a device or a pipe is there; give the name of a file";
        Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
    };
    if is_device(path) {
        return no_file();
    }
    match path.metadata() {
        // Of a file in place of it, Windows would only say that access is denied.
        Ok(metadata)
            if cfg!(windows) && metadata.permissions().readonly() && metadata.is_file() =>
        {
            let reason = "it is read-only; change that in its properties, or give another name";
            Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
        }
        Ok(metadata) if metadata.is_file() => Ok(Some(metadata)),
        Ok(_) => no_file(),
        // A link that leads nowhere counts as nothing.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Refuses to replace a file that does not begin like this: one that holds something else than is to be written
/// there. An empty file holds nothing.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`], which names the file; the system's error; something else than a file.
pub fn refuse_foreign(path: &Path, start: &[u8]) -> io::Result<()> {
    if older_file(path)?.is_none_or(|older| older.len() == 0) {
        return Ok(());
    }
    let mut head = Vec::new();
    File::open(path)?.take(start.len() as u64).read_to_end(&mut head)?;
    if head == start {
        return Ok(());
    }
    let reason = format!("{} holds something else and would be replaced", path.display());
    Err(io::Error::new(io::ErrorKind::AlreadyExists, reason))
}

/// Writes a file completely or not at all.
///
/// # Errors
/// A file that could not be written; an older file is then unchanged.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// The system's error without the name of the temporary file or folder, which `tempfile` adds and which would
/// only confuse.
pub fn without_name(error: &io::Error) -> io::Error {
    let words = error.to_string();
    io::Error::new(error.kind(), words.split(" at path ").next().unwrap_or_default().to_owned())
}

/// Whether a file has the name of a lock or of one in the making, and so is nothing of the user's.
pub fn is_no_content(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == LOCK) || is_in_the_making(path)
}

fn is_in_the_making(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(IN_THE_MAKING.0) && name.ends_with(IN_THE_MAKING.1)
}

/// Removes temporary files of killed runs from a folder, once per run of the program.
fn sweep_once(folder: &Path) {
    static SWEPT: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.insert(folder.to_path_buf()) {
        sweep(folder, YOUNG);
    }
}

/// Removes temporary files that no program is writing. Files that cannot be checked stay.
fn sweep(folder: &Path, young: Duration) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if !is_in_the_making(&path) {
            continue;
        }
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age >= young)
            && File::open(&path).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// While it exists, no other process of this program can take the lock of the same folder.
#[derive(Debug)]
pub struct FolderLock(#[allow(dead_code, reason = "held, not read")] Option<File>);

impl FolderLock {
    /// Waits a few seconds for another writer. If the system has no locks (some network drives),
    /// none is taken, and two simultaneous writers may still lose one change.
    ///
    /// # Errors
    /// The folder cannot be opened, or another process holds the lock for too long.
    pub fn wait_for(folder: &Path) -> io::Result<Self> {
        let since = Instant::now();
        loop {
            match Self::take(folder) {
                Err(error)
                    if error.kind() == io::ErrorKind::ResourceBusy
                        && since.elapsed() < PATIENCE =>
                {
                    std::thread::sleep(Duration::from_millis(5));
                }
                taken => return taken,
            }
        }
    }

    /// The same without waiting, for a run that holds it to its end.
    ///
    /// # Errors
    /// The folder cannot be opened, or another process holds the lock.
    pub fn take(folder: &Path) -> io::Result<Self> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let file = lockable(folder)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(Some(file))),
            Err(TryLockError::WouldBlock) => {
                let words =
                    "another program is writing in this folder; let it end, or name another one";
                Err(io::Error::new(io::ErrorKind::ResourceBusy, words))
            }
            Err(TryLockError::Error(_)) => Ok(Self(None)),
        }
    }
}

/// Opens the folder itself, which leaves no lock file behind.
#[cfg(unix)]
fn lockable(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Where folders cannot be locked, opens a lock file in it, which stays.
#[cfg(not(unix))]
fn lockable(folder: &Path) -> io::Result<File> {
    let path = folder.join(LOCK);
    std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_a_killed_run_left_is_swept_and_what_is_in_the_making_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join(".setsight-abc123.tmp");
        fs::write(&left, b"half").unwrap();
        fs::write(dir.path().join(".setsight-notes.txt"), b"the user's").unwrap();
        let mut making = WholeFile::create(&dir.path().join("a.json")).unwrap();
        making.write_all(b"more").unwrap();
        sweep(dir.path(), YOUNG);
        assert!(left.exists(), "it may be a moment old");
        sweep(dir.path(), Duration::ZERO);
        assert!(!left.exists());
        making.finish().unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    #[cfg(unix)]
    fn a_private_file_is_its_owners_alone_even_in_place_of_one_that_was_not() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key.json");
        fs::write(&path, b"older").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let mut file = WholeFile::create_private(&path).unwrap();
        file.write_all(b"secret").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read(&path).unwrap(), b"secret");
    }

    #[test]
    fn one_at_a_time_changes_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("count");
        write_atomic(&path, b"0").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let _lock = FolderLock::wait_for(dir.path()).unwrap();
                        let count: u32 = fs::read_to_string(&path).unwrap().parse().unwrap();
                        write_atomic(&path, (count + 1).to_string().as_bytes()).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), "100");
        assert!(FolderLock::wait_for(Path::new("/no/such/folder")).is_err());
    }

    #[test]
    fn an_unfinished_file_leaves_the_old_one_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("labels.json");
        write_atomic(&path, b"old").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        file.flush().unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        write_atomic(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn only_a_file_is_replaced_and_its_permissions_stay() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt};
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("private");
        write_atomic(&path, b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write_atomic(&path, b"new").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let fifo = dir.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        for path in [&fifo, &link, dir.path()] {
            let error = write_atomic(path, b"x").unwrap_err().to_string();
            assert!(error.contains("a device or a pipe is there"), "{error}");
        }
        assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
        let file = WholeFile::create(&path).unwrap();
        assert!(file.finish_as(&fifo).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
    }

    #[test]
    fn what_begins_otherwise_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index.html");
        let look = || refuse_foreign(&path, b"<title>ours").map_err(|error| error.kind());
        assert_eq!(look(), Ok(()), "nothing is there");
        for text in ["", "<title>ours", "<title>ours</title>"] {
            fs::write(&path, text).unwrap();
            assert_eq!(look(), Ok(()), "{text}");
        }
        for text in ["a", "<title>", "<title>yours</title>"] {
            fs::write(&path, text).unwrap();
            assert_eq!(look(), Err(io::ErrorKind::AlreadyExists), "{text}");
        }
        assert!(refuse_foreign(dir.path(), b"").is_err());
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let error = WholeFile::create(Path::new("/no/such/folder/file")).err().unwrap();
        assert!(!error.to_string().contains("setsight-"), "a name that nobody has given: {error}");
    }
}
