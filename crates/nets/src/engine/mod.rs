//! Runs the networks: on ONNX Runtime if its library is installed, otherwise on the engine inside
//! the program. Both are used through [`Network`].

mod allowed;
mod models;
mod network;
#[cfg_attr(target_arch = "wasm32", path = "no_onnxruntime.rs")]
mod onnxruntime;
mod runtime;
pub mod stopwatch;

pub use models::{
    FUSION, MANIFEST, Manifest, ManifestFile, Models, ModelsError, SCREEN_READER, SCREENS,
    SECOND_READER, WEIGHTS, file_of, hex, sha256,
};
pub use network::{Network, NetworkError, cpu_elsewhere};
pub use runtime::{
    CHOICE_VARIABLE, Engine, EngineChoice, EngineError, LIBRARY_VARIABLE, chosen, in_use,
    library_name, require,
};
pub use stopwatch::{Stopwatch, uncounted_so_far};

/// The models that this user has chosen: those inside the program, or a folder.
pub mod used {
    pub use super::models::{choose, chosen, models, reset};
}
