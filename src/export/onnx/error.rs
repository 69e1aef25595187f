//! Why a file is not read.

use crate::model::MetadataError;

/// Why an ONNX file is no network of this program.
#[derive(Debug, thiserror::Error)]
pub enum OnnxError {
    /// Not ONNX, or cut off.
    #[error("it is no whole ONNX file ({0})")]
    Broken(String),
    /// ONNX, but not described as this program does.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// It computes something that this program's networks do not.
    #[error("node `{node}`: {problem}")]
    Node {
        /// Its name.
        node: String,
        /// What is wrong with it.
        problem: String,
    },
}
