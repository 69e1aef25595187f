//! Export of trained networks to other runtimes.

pub mod h7;
pub mod onnx;
