//! Chooses the engine that runs the networks, once per process, when the first network is loaded.

use super::library::check;
use super::onnxruntime::{Environment, start};
use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

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
    /// The engine.
    pub engine: Engine,
    /// Libraries that exist but could not be used, each with the reason.
    pub warnings: Vec<String>,
    /// The environment of ONNX Runtime; `None` for the embedded engine.
    pub(super) environment: Option<Environment>,
}

/// Why there is no engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The environment variable names no engine.
    #[error("{CHOICE_VARIABLE} is `{0}`; expected `embedded` or `onnxruntime`, or leave it unset")]
    UnknownChoice(String),
    /// ONNX Runtime was required, but no library could be opened.
    #[error(
        "ONNX Runtime is asked for, but {0}; run tools/setup.sh, set {LIBRARY_VARIABLE} to its library, or \
         ask for another engine ({CHOICE_VARIABLE})"
    )]
    NoLibrary(String),
    /// A library was opened but does not start.
    #[error("ONNX Runtime does not start ({0}); try {CHOICE_VARIABLE}=embedded")]
    NoStart(String),
    /// An engine was asked for after another one had been chosen.
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
        // Whoever reads without networks needs none.
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
        if let Err(reason) = check(&library) {
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
        let none = || format!("no {} was found", library_name());
        let reason = if warnings.is_empty() { none() } else { warnings.join("; ") };
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
pub fn library_folder() -> Option<PathBuf> {
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
        let folder = |xdg: &str, home: &str| {
            data_folder(|name| match name {
                "XDG_DATA_HOME" => Some(xdg.into()),
                "HOME" => Some(home.into()),
                _ => None,
            })
        };
        assert_eq!(folder("/data", "/home/ann"), Some("/data".into()));
        assert_eq!(folder("relative", "/home/ann"), Some("/home/ann/.local/share".into()));
        assert_eq!(folder("", ""), None);
    }
}
