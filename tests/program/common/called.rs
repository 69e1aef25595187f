//! The program as it is called, and what it says.

#![allow(dead_code, reason = "each test file uses a part")]

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};

/// The program.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_setsight"))
}

/// Sends a signal, such as INT. By the shell's own command: not every system has a program for it.
#[cfg(unix)]
#[track_caller]
pub fn signal(child: &Child, name: &str) {
    let kill = format!("kill -s {name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success(), "{kill}");
}

/// Runs a command to its end, with something on its stdin.
pub fn fed(command: &mut Command, stdin: &[u8]) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A call that is refused may end before it has read its input.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
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
