//! Chooses the engine that runs the networks, once per process, when the first network is loaded; and
//! checks whether a file may be opened as a library. The system's loader trusts the file's header, so
//! a truncated file would end the program by a signal.

use super::onnxruntime::{Environment, start};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Environment variable that forces an engine, `embedded` or `onnxruntime`: for comparisons and
/// benches.
pub const CHOICE_VARIABLE: &str = "SETSIGHT_ENGINE";
/// Environment variable with the path of ONNX Runtime's library.
pub const LIBRARY_VARIABLE: &str = "ORT_DYLIB_PATH";

/// The engine that runs the networks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Microsoft's library, opened at run time.
    OnnxRuntime {
        /// The file that was opened.
        library: PathBuf,
        /// The library's description of its build.
        build: String,
    },
    /// Pure Rust inside this program: slower, but always available.
    Embedded,
}

impl Engine {
    /// `onnxruntime` or `embedded`, as in JSON and in [`CHOICE_VARIABLE`].
    pub fn name(&self) -> &'static str {
        match self {
            Self::OnnxRuntime { .. } => "onnxruntime",
            Self::Embedded => "embedded",
        }
    }
}

/// Selects what runs the networks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EngineChoice {
    /// ONNX Runtime if its library is installed, otherwise the engine inside the program; or as the
    /// environment variable `SETSIGHT_ENGINE` says.
    #[default]
    Auto,
    /// Microsoft's library, opened at run time.
    OnnxRuntime,
    /// Pure Rust inside this program: slower, but always available.
    Embedded,
}

/// The engine of this process.
pub struct Chosen {
    pub engine: Engine,
    /// Libraries that exist but could not be used, each with the reason.
    pub warnings: Vec<String>,
    /// The environment of ONNX Runtime; `None` for the embedded engine.
    pub(super) environment: Option<Environment>,
}

/// Why there is no engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    #[error("{CHOICE_VARIABLE} is `{0}`; expected `embedded` or `onnxruntime`, or leave it unset")]
    UnknownChoice(String),
    #[error(
        "ONNX Runtime is asked for, but {0}; run tools/setup.sh, set {LIBRARY_VARIABLE} to its library, or \
         ask for another engine ({CHOICE_VARIABLE})"
    )]
    NoLibrary(String),
    #[error("ONNX Runtime does not start ({0}); try {CHOICE_VARIABLE}=embedded")]
    NoStart(String),
    #[error(
        "networks of this process run on the {0} engine already; ask for another one before the first \
         is loaded"
    )]
    Other(&'static str),
}

/// Why a library does not run.
#[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "nothing is opened there"))]
pub(super) enum StartError {
    /// It is no library that can be used.
    NotOpened(String),
    /// It was opened, but does not start.
    NoStart(String),
}

static CHOSEN: OnceLock<Chosen> = OnceLock::new();

/// The engine of this process, chosen at the first call.
///
/// ONNX Runtime's library is searched for at [`LIBRARY_VARIABLE`] and where the set-up puts it
/// ([`library_folder`]), but not beside the program, where anybody may have put a file. The first
/// complete library is opened; if it cannot be opened, or there is none, the engine inside the
/// program runs.
///
/// # Errors
/// See [`EngineError`].
pub fn chosen() -> Result<&'static Chosen, EngineError> {
    chosen_from(EngineChoice::Auto)
}

/// Makes an engine that of this process.
///
/// # Errors
/// [`EngineError`]: another engine was chosen before, or this one is not to be had.
pub fn require(choice: EngineChoice) -> Result<(), EngineError> {
    let wanted = match choice {
        // Reading without networks needs none.
        EngineChoice::Auto => return Ok(()),
        EngineChoice::OnnxRuntime => "onnxruntime",
        EngineChoice::Embedded => "embedded",
    };
    match chosen_from(choice)?.engine.name() {
        name if name == wanted => Ok(()),
        name => Err(EngineError::Other(name)),
    }
}

fn chosen_from(choice: EngineChoice) -> Result<&'static Chosen, EngineError> {
    static CHOOSING: Mutex<()> = Mutex::new(());
    if let Some(chosen) = CHOSEN.get() {
        return Ok(chosen);
    }
    let _one_at_a_time = CHOOSING.lock().unwrap_or_else(PoisonError::into_inner);
    match CHOSEN.get() {
        Some(chosen) => Ok(chosen),
        None => {
            let made = choose(choice)?;
            Ok(CHOSEN.get_or_init(|| made))
        }
    }
}

/// The engine, once a network has been loaded.
pub fn in_use() -> Option<&'static Engine> {
    CHOSEN.get().map(|chosen| &chosen.engine)
}

fn choose(choice: EngineChoice) -> Result<Chosen, EngineError> {
    let choice = if choice == EngineChoice::Auto { by_environment()? } else { choice };
    if choice == EngineChoice::Embedded {
        return Ok(embedded(Vec::new()));
    }
    let mut warnings = Vec::new();
    for library in candidates() {
        if let Err(reason) = check_library(&library) {
            warnings.push(reason);
            continue;
        }
        match start(&library) {
            Ok((environment, build)) => {
                let engine = Engine::OnnxRuntime { library, build };
                return Ok(Chosen { engine, warnings, environment: Some(environment) });
            }
            Err(StartError::NoStart(reason)) => return Err(EngineError::NoStart(reason)),
            Err(StartError::NotOpened(reason)) => {
                warnings.push(reason);
                // `ort` accepts only one attempt to open a library.
                break;
            }
        }
    }
    if choice == EngineChoice::OnnxRuntime {
        let reason = match warnings.is_empty() {
            true => format!("no {} was found", library_name()),
            false => warnings.join("; "),
        };
        return Err(EngineError::NoLibrary(reason));
    }
    Ok(embedded(warnings))
}

/// What the environment variable asks for.
fn by_environment() -> Result<EngineChoice, EngineError> {
    match std::env::var(CHOICE_VARIABLE).unwrap_or_default().as_str() {
        "" => Ok(EngineChoice::Auto),
        "onnxruntime" => Ok(EngineChoice::OnnxRuntime),
        "embedded" => Ok(EngineChoice::Embedded),
        other => Err(EngineError::UnknownChoice(other.to_owned())),
    }
}

fn embedded(warnings: Vec<String>) -> Chosen {
    Chosen { engine: Engine::Embedded, warnings, environment: None }
}

/// The library files to try, in order. The one that the variable names is tried even if it does not
/// exist, so that a typing error is reported.
fn candidates() -> Vec<PathBuf> {
    let named = std::env::var_os(LIBRARY_VARIABLE).filter(|path| !path.is_empty());
    let found = library_folder().map(|folder| folder.join(library_name()));
    let found = found.filter(|file| file.is_file());
    named.map(PathBuf::from).into_iter().chain(found).collect()
}

/// The library's file name on this system: `libonnxruntime.so` on Linux.
pub fn library_name() -> String {
    format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}")
}

/// The folder in the user's data folder where the set-up puts ONNX Runtime's library.
fn library_folder() -> Option<PathBuf> {
    data_folder(|name| std::env::var_os(name)).map(|folder| folder.join("setsight"))
}

/// The user's data folder: XDG's on Linux, the system's own on macOS and Windows.
fn data_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // The XDG specification says to ignore relative paths.
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let in_home = |rest: &str| absolute("HOME").map(|home| home.join(Path::new(rest)));
    match std::env::consts::OS {
        "windows" => absolute("LOCALAPPDATA"),
        "macos" => in_home("Library/Application Support"),
        _ => absolute("XDG_DATA_HOME").or_else(|| in_home(".local/share")),
    }
}

/// ONNX Runtime's library is larger than this on every system.
const LEAST_BYTES: u64 = 1 << 20;
/// First bytes of Mach-O files, for one architecture and for several.
const MACH_O: [[u8; 4]; 2] = [[0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe]];

/// Checks a library's file without opening it as a library.
///
/// # Errors
/// Why the file cannot be a library: missing, no library, or cut off.
fn check_library(path: &Path) -> Result<(), String> {
    let in_file = |reason: String| format!("{}: {reason}", path.display());
    let metadata = std::fs::metadata(path).map_err(|error| in_file(error.to_string()))?;
    if !metadata.is_file() {
        return Err(in_file("is not a file; expected a library".into()));
    }
    if metadata.len() < LEAST_BYTES {
        return Err(in_file(format!(
            "{} bytes; ONNX Runtime's library is larger: fetch it again",
            metadata.len()
        )));
    }
    let mut file = File::open(path).map_err(|error| in_file(error.to_string()))?;
    match described_bytes(&mut file) {
        Err(error) => Err(in_file(error.to_string())),
        Ok(None) => Err(in_file("is not a library for this system".into())),
        Ok(Some(bytes)) if bytes > metadata.len() => {
            Err(in_file(format!("is cut off: {} of {bytes} bytes; fetch it again", metadata.len())))
        }
        Ok(Some(_)) => Ok(()),
    }
}

/// The least number of bytes that a library's header implies; `None` if the file is no library.
fn described_bytes(file: &mut File) -> io::Result<Option<u64>> {
    let mut head = [0; 64];
    file.read_exact(&mut head)?;
    if cfg!(target_os = "windows") {
        return Ok(head.starts_with(b"MZ").then_some(0));
    }
    if cfg!(target_os = "macos") {
        return Ok(MACH_O.iter().any(|magic| head.starts_with(magic)).then_some(0));
    }
    // 64-bit little-endian ELF (System V ABI, chapter 4).
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return Ok(None);
    }
    let at = |from: usize, bytes: usize| {
        let field = &head[from..from + bytes];
        field.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte))
    };
    let (segments, sections) = (at(32, 8), at(40, 8));
    let (segment_bytes, segment_count) = (at(54, 2), at(56, 2));
    let mut end = sections.saturating_add(at(58, 2) * at(60, 2));
    for i in 0..segment_count {
        let mut segment = [0; 40];
        file.seek(SeekFrom::Start(segments.saturating_add(i * segment_bytes)))?;
        if file.read_exact(&mut segment).is_err() {
            return Ok(Some(u64::MAX));
        }
        let [offset, bytes] = [8, 32].map(|from| {
            u64::from_le_bytes(segment[from..from + 8].try_into().expect("eight bytes"))
        });
        end = end.max(offset.saturating_add(bytes));
    }
    Ok(Some(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_one_engine() {
        let (same, other) = match chosen().unwrap().engine {
            Engine::Embedded => (EngineChoice::Embedded, EngineChoice::OnnxRuntime),
            Engine::OnnxRuntime { .. } => (EngineChoice::OnnxRuntime, EngineChoice::Embedded),
        };
        assert_eq!((require(EngineChoice::Auto), require(same)), (Ok(()), Ok(())));
        assert!(matches!(require(other), Err(EngineError::Other(_))));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_data_folder_is_xdgs() {
        assert_eq!(data_folder_of("/data", "/home/ann"), Some("/data".into()));
        assert_eq!(data_folder_of("relative", "/home/ann"), Some("/home/ann/.local/share".into()));
        assert_eq!(data_folder_of("", ""), None);
    }

    fn data_folder_of(xdg: &str, home: &str) -> Option<PathBuf> {
        data_folder(|name| match name {
            "XDG_DATA_HOME" => Some(xdg.into()),
            "HOME" => Some(home.into()),
            _ => None,
        })
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_incomplete_library_is_refused_before_it_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.so");
        let says = |bytes: &[u8], part: &str| {
            std::fs::write(&path, bytes).unwrap();
            let reason = check_library(&path).unwrap_err();
            assert!(reason.contains(part), "{reason}");
        };
        says(b"no library", "10 bytes");
        says(&vec![b'x'; 2 << 20], "is not a library for this system");
        // The test's own executable is as complete as a library.
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        says(&program[..program.len() / 2], "is cut off");
        std::fs::write(&path, &program).unwrap();
        check_library(&path).unwrap();
        assert!(check_library(folder.path()).unwrap_err().contains("is not a file"));
        assert!(check_library(&folder.path().join("none")).is_err());
    }
}
