//! Loads the embedded weights, or those of a folder that the user chose.

use super::allowed::MAX_BYTES;
use super::network::{Network, NetworkError};
use crate::Kind;
use serde::{Deserialize, Serialize};
use setsight_files::json_fault;
use setsight_files::small_file::{MAX_SETTINGS_BYTES, read_small, read_text};
use setsight_files::whole_file::write_atomic;
use setsight_models::FILES;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// File that lists the files of a folder of models with their hashes.
pub const MANIFEST: &str = "manifest.json";
/// File of the weights that combine the classifiers' outputs.
pub const FUSION: &str = "fusion.json";
/// File of the reader network for copies of screens; its inputs and outputs are those of
/// [`Kind::Reader`].
pub const SCREEN_READER: &str = "screen-reader.onnx";
/// File of the larger reader network for all cards of a photo; its inputs and outputs are those of
/// [`Kind::Reader`].
pub const SECOND_READER: &str = "second-reader.onnx";
/// File of what distinguishes a copy of a screen from a photo, and of the weights that combine the outputs
/// there.
pub const SCREENS: &str = "screens.json";

/// All files of a folder of models but its manifest, in alphabetical order. [`Models::read`]
/// reads no others, so that [`Models::hashes`] leaves out nothing that a reading depends on.
pub const WEIGHTS: [&str; 7] = [
    file_of(Kind::Finder),
    FUSION,
    file_of(Kind::Reader),
    file_of(Kind::Refiner),
    SCREEN_READER,
    SCREENS,
    SECOND_READER,
];

/// A set of weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Models {
    /// The weights inside the program.
    #[default]
    Shipped,
    /// The weights in a folder, with the same file names as in `models/`.
    Folder(PathBuf),
}

/// The content of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The files in alphabetical order.
    pub files: Vec<ManifestFile>,
}

/// One file of a folder of models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFile {
    /// Its name within the folder.
    pub file: String,
    /// `reader`, `finder`, `refiner`, `fusion` or `screens`.
    pub kind: String,
    /// Version of the program that wrote it.
    pub version: String,
    /// Its length in bytes.
    pub bytes: usize,
    /// SHA-256 of its content, in hexadecimal.
    pub sha256: String,
}

/// Why weights cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    #[error(
        "{0} is not inside this program; a folder of models may have it, or the classical reader and finder \
         do without networks"
    )]
    NotShipped(String),
    #[error(
        "{file} cannot be read ({source}); a folder of models holds reader.onnx, finder.onnx and fusion.json"
    )]
    Unreadable { file: String, source: io::Error },
    #[error(
        "{file} is not the file that {MANIFEST} beside it names (SHA-256 {found}, expected {expected}); fetch it again, or write {MANIFEST} anew"
    )]
    Changed { file: String, found: String, expected: String },
    #[error("{file} is not as expected ({reason}); fetch or make it again")]
    Json { file: String, reason: String },
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl Models {
    /// The name of a file in error messages.
    pub fn name_of(&self, file: &str) -> String {
        match self {
            Self::Shipped => format!("models/{file}"),
            Self::Folder(folder) => folder.join(file).display().to_string(),
        }
    }

    /// Whether something is there by the name of a file, or the manifest names it; it may still be broken, or no
    /// file.
    pub fn has(&self, file: &str) -> bool {
        match self {
            Self::Shipped => FILES.iter().any(|(name, _)| *name == file),
            Self::Folder(folder) => {
                folder.join(file).symlink_metadata().is_ok()
                    || self.named(folder, file).is_ok_and(|named| named.is_some())
            }
        }
    }

    /// These models, or the shipped ones if only those have the file.
    pub fn or_shipped(&self, file: &str) -> Option<&Self> {
        [self, &Self::Shipped].into_iter().find(|models| models.has(file))
    }

    /// Reads one of the [`WEIGHTS`], or the manifest, and checks it against the manifest, if there is one.
    ///
    /// # Errors
    /// The file is missing, does not match the manifest, or is not one of the models.
    pub fn read(&self, file: &str) -> Result<Cow<'static, [u8]>, ModelsError> {
        let is_listed = file == MANIFEST || WEIGHTS.contains(&file);
        match self {
            Self::Shipped => {
                let found = FILES.iter().find(|(name, _)| is_listed && *name == file);
                found
                    .map(|(_, bytes)| Cow::Borrowed(*bytes))
                    .ok_or_else(|| ModelsError::NotShipped(self.name_of(file)))
            }
            Self::Folder(folder) => {
                let bytes = match is_listed {
                    true => read_small(&folder.join(file), MAX_BYTES as u64),
                    false => Err(io::Error::other("it is none of the files of models")),
                };
                let named = self.named(folder, file)?;
                let bytes = bytes.map_err(|source| ModelsError::Unreadable {
                    file: self.name_of(file),
                    source: if source.kind() == ErrorKind::NotFound && named.is_some() {
                        let reason = format!("{MANIFEST} names it, and it is not there");
                        io::Error::new(ErrorKind::NotFound, reason)
                    } else {
                        source
                    },
                })?;
                // The manifest need not name it.
                let found = sha256(&bytes);
                match named.map(|named| named.sha256) {
                    Some(expected) if expected != found => {
                        Err(ModelsError::Changed { file: self.name_of(file), found, expected })
                    }
                    _ => Ok(Cow::Owned(bytes)),
                }
            }
        }
    }

    /// The files that are there, each with its SHA-256 in hexadecimal.
    ///
    /// # Errors
    /// See [`Models::read`].
    pub fn hashes(&self) -> Result<Vec<(&'static str, String)>, ModelsError> {
        let files = WEIGHTS.into_iter().filter(|file| self.has(file));
        files.map(|file| Ok((file, sha256(&self.read(file)?)))).collect()
    }

    /// Loads a network.
    ///
    /// # Errors
    /// See [`ModelsError`].
    pub fn network(&self, kind: Kind) -> Result<Network, ModelsError> {
        let file = file_of(kind);
        Ok(Network::load(&self.read(file)?, &self.name_of(file), kind)?)
    }

    /// The manifest's entry for a file, if there is one.
    fn named(&self, folder: &Path, file: &str) -> Result<Option<ManifestFile>, ModelsError> {
        let name = self.name_of(MANIFEST);
        let manifest = match read_text(&folder.join(MANIFEST), MAX_SETTINGS_BYTES) {
            Ok(manifest) => manifest,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ModelsError::Unreadable { file: name, source }),
        };
        let manifest: Manifest = serde_json::from_str(&manifest)
            .map_err(|error| ModelsError::Json { file: name, reason: json_fault(&error) })?;
        Ok(manifest.files.into_iter().find(|named| named.file == file))
    }
}

/// The file name of a network in a folder of models.
pub const fn file_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Reader => "reader.onnx",
        Kind::Finder => "finder.onnx",
        Kind::Refiner => "refiner.onnx",
    }
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Two hexadecimal digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

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
    write_atomic(&file, format!("{text}\n").as_bytes())?;
    Ok(folder)
}

/// Goes back to the models inside the program.
///
/// # Errors
/// The stored choice cannot be removed.
pub fn reset() -> io::Result<()> {
    let file = choice_file().ok_or_else(no_place)?;
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn no_place() -> io::Error {
    io::Error::other("this system names no folder for settings (HOME is not set)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_the_manifest_lacks_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let models = Models::Folder(folder.path().to_owned());
        let error = models.read("reader.onnx").unwrap_err().to_string();
        assert!(error.contains("reader.onnx cannot be read"), "{error}");

        std::fs::write(folder.path().join("reader.onnx"), b"abc").unwrap();
        assert_eq!(&*models.read("reader.onnx").unwrap(), b"abc");
        let entry = ManifestFile {
            file: "reader.onnx".into(),
            kind: "reader".into(),
            version: "0.1.0".into(),
            bytes: 3,
            // The test vector of FIPS 180-2.
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".into(),
        };
        let write = |entry: &ManifestFile| {
            let manifest = Manifest { files: vec![entry.clone()] };
            let text = serde_json::to_string(&manifest).unwrap();
            std::fs::write(folder.path().join(MANIFEST), text).unwrap();
        };
        write(&entry);
        assert_eq!(&*models.read("reader.onnx").unwrap(), b"abc");
        write(&ManifestFile { sha256: "00".into(), ..entry });
        let error = models.read("reader.onnx").unwrap_err().to_string();
        assert!(error.contains("(SHA-256 ba7816bf"), "{error}");
        std::fs::remove_file(folder.path().join("reader.onnx")).unwrap();
        assert!(models.has("reader.onnx") && !models.has("finder.onnx"));
        let error = models.read("reader.onnx").unwrap_err().to_string();
        assert!(error.contains("(manifest.json names it, and it is not there)"), "{error}");
        std::fs::write(folder.path().join(MANIFEST), "[]").unwrap();
        let error = models.read("reader.onnx").unwrap_err().to_string();
        assert!(error.contains("manifest.json is not as expected"), "{error}");
    }

    #[test]
    fn every_file_of_models_is_listed_and_no_other_is_read() {
        let shipped = FILES.iter().map(|(name, _)| *name).filter(|name| *name != MANIFEST);
        assert!(shipped.eq(WEIGHTS));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("new.json"), b"{}").unwrap();
        let error = Models::Folder(folder.path().to_owned()).read("new.json").unwrap_err();
        assert!(error.to_string().contains("none of the files of models"), "{error}");
    }

    #[test]
    fn what_is_not_shipped_is_reported_with_the_fix() {
        let error = Models::Shipped.read("dog.onnx").unwrap_err().to_string();
        assert!(error.starts_with("models/dog.onnx is not inside this program"), "{error}");
        assert!(error.contains("the classical reader"), "{error}");
    }
}
