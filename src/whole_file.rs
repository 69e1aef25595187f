//! Files that are written whole or not at all: under another name first, then renamed.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file in the making. Dropped without [`WholeFile::finish`], it leaves nothing behind.
pub struct WholeFile {
    path: PathBuf,
    writer: BufWriter<NamedTempFile>,
}

impl WholeFile {
    /// Starts a file that is to be called `path`, in the same folder under a hidden name.
    ///
    /// # Errors
    /// The folder does not exist or cannot be written to.
    pub fn create(path: &Path) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".setsight-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any other new file, not for its owner alone; the umask still applies.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder)?;
        Ok(Self { path: path.to_path_buf(), writer: BufWriter::new(file) })
    }

    /// Gives the file its name, in place of what was called so before.
    ///
    /// # Errors
    /// What could not be written, a full disk for one.
    pub fn finish(self) -> io::Result<()> {
        let path = self.path.clone();
        self.finish_as(&path)
    }

    /// Gives the file another name of the same folder than it was created for.
    ///
    /// # Errors
    /// What could not be written, a full disk for one.
    pub fn finish_as(self, path: &Path) -> io::Result<()> {
        let file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl io::Seek for WholeFile {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.writer.flush()?;
        self.writer.get_mut().as_file_mut().seek(to)
    }
}

/// Writes a file whole or not at all.
///
/// # Errors
/// What could not be written; a file that was called so before is then unchanged.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn an_unfinished_file_leaves_the_old_one_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("labels.json");
        write_whole(&path, b"old").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        file.flush().unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        write_whole(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        assert!(WholeFile::create(Path::new("/no/such/folder/file")).is_err());
    }
}
