//! Errors of reading an ONNX file.

use crate::MetadataError;

/// Why an ONNX file is not a network of this program.
#[derive(Debug, thiserror::Error)]
pub enum OnnxError {
    /// Not ONNX, or truncated.
    #[error("it is no whole ONNX file ({0})")]
    Broken(String),
    /// ONNX, but without this program's metadata.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// It contains a node that this program's networks do not have.
    #[error("node `{node}`: {problem}")]
    Node {
        /// The node's name.
        node: String,
        /// What is wrong with the node.
        problem: String,
    },
}
