//! A trained network, written for others to run.

pub mod h7;
pub mod onnx;
