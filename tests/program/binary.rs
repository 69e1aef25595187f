//! The program as a file.
#![cfg(target_os = "linux")]

use crate::common::Start;
use std::process::Command;

/// What it needs of the system is loaded at every start, whatever it is called for, and is what a
/// package of it depends on.
#[test]
fn few_libraries_are_needed() {
    let output = Command::new("ldd").arg(env!("CARGO_BIN_EXE_setsight")).ended();
    let libraries = String::from_utf8(output.stdout).unwrap();
    assert!(libraries.contains("libopencv_core"), "{libraries}");
    assert!(libraries.lines().count() < 30, "{libraries}");
}
