//! A trained network, written for others to run.

pub mod onnx;
