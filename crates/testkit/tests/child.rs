//! The children of tests, whatever the signals are that the tests were started with.

use setsight_testkit::child::{Running, Signal, Start};
use std::{
    io::{PipeReader, Read, pipe},
    os::unix::process::ExitStatusExt,
    panic::{AssertUnwindSafe, catch_unwind},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Set for the tests below that only another starts.
const STARTED: &str = "SETSIGHT_TEST_STARTED";
/// Far less than what is started here would take, and many times what it takes to end it.
const SOON: Duration = Duration::from_secs(20);

/// This file's tests of these names, in a process of their own behind some words of a shell.
fn tests_after(words: &str, names: &[&str]) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{words} exec \"$0\" \"$@\"")]);
    shell.arg(std::env::current_exe().unwrap()).args(["--exact", "--include-ignored"]).args(names);
    shell.env(STARTED, "").arg("--nocapture");
    shell
}

/// Alone, what is ignored below would end all tests of this process.
fn assert_started() {
    assert!(std::env::var_os(STARTED).is_some(), "this is no test: another one starts it");
}

#[test]
fn children_hear_every_signal() {
    for (signal, number) in
        [(Signal::HUP, 1), (Signal::INT, 2), (Signal::PIPE, 13), (Signal::TERM, 15)]
    {
        let child = Command::new("sleep").arg("60").started().within(SOON);
        child.signal(signal);
        assert_eq!(child.end().status.signal(), Some(number));
    }
}

#[test]
#[ignore = "run by signals_that_are_ignored_here_are_not_in_children"]
fn this_process_still_ignores_them() {
    assert_started();
    let kill = format!("for name in HUP INT TERM; do kill -s $name {}; done", std::process::id());
    assert!(Command::new("sh").args(["-c", &kill]).ended().status.success());
    std::thread::sleep(Duration::from_millis(200));
}

#[test]
fn signals_that_are_ignored_here_are_not_in_children() {
    let names = ["children_hear_every_signal", "this_process_still_ignores_them"];
    let output = tests_after("trap '' HUP INT PIPE TERM;", &names).ended();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && stdout.contains("2 passed"), "{stdout}");
}

#[test]
#[ignore = "run by children_end_with_this_process"]
fn a_child_is_waited_for() {
    assert_started();
    let child = Command::new("sleep").arg("60").started();
    println!("it sleeps");
    child.end();
}

#[test]
fn children_end_with_this_process() {
    let mut tests = tests_after("", &["a_child_is_waited_for"]);
    let mut tests = tests.stdout(Stdio::piped()).started().within(SOON);
    while !tests.line().contains("it sleeps") {}
    tests.signal(Signal::TERM);
    // The child has the same stdout, which ends with the last of the two.
    assert_eq!(tests.end().status.signal(), Some(15));
}

/// A shell that waits for another program, and what ends with the last of the two.
fn shell_that_waits() -> (Running, PipeReader) {
    let (reader, writer) = pipe().unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", "echo so far; sleep 60 & wait"]).stdout(Stdio::piped()).stderr(writer);
    let mut running = shell.started();
    assert_eq!(running.line(), "so far");
    (running.within(Duration::from_millis(100)), reader)
}

/// Asserts that all who could write have ended, and soon.
#[track_caller]
fn ends(mut reader: PipeReader) {
    let begun = Instant::now();
    reader.read_to_end(&mut Vec::new()).unwrap();
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

#[test]
fn who_lets_a_test_wait_is_ended_with_all_that_it_has_started() {
    let waits: [fn(Running); 3] = [
        |running| drop(running.end()),
        |mut running| drop(running.line()),
        |mut running| running.until(|| false),
    ];
    for wait in waits {
        let (running, reader) = shell_that_waits();
        let failure = catch_unwind(AssertUnwindSafe(|| wait(running))).unwrap_err();
        let message = failure.downcast::<String>().unwrap();
        assert!(message.contains("more than 100ms") && message.contains("so far"), "{message}");
        ends(reader);
    }
}

#[test]
fn who_is_no_longer_needed_is_ended_with_all_that_it_has_started() {
    let (running, reader) = shell_that_waits();
    drop(running);
    ends(reader);
}
