//! The weights that setsight reads with, as bytes; `README.md` is their model card.

/// Name and content of each file: networks as ONNX, how they are combined and their hashes as JSON.
pub const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/shipped_models.rs"));
