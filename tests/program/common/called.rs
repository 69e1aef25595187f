//! The program as it is called, and what it says.

#![allow(dead_code, reason = "each test file uses a part")]

use std::process::{Command, Output, Stdio};

/// The program, with nothing on its stdin.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_setsight"));
    command.stdin(Stdio::null());
    command
}

/// The stdout of a run that went well.
#[track_caller]
pub fn stdout_of(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Asserts that a run ended with this code, said these words on stderr and nothing on stdout.
#[track_caller]
pub fn refused(output: &Output, code: i32, words: &[&str]) {
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{message}");
    for word in words {
        assert!(message.contains(word), "no \"{word}\" in: {message}");
    }
    assert!(output.stdout.is_empty());
}
