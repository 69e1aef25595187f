//! `setsight serve`: what a phone gets from the program as it runs.

use crate::common::{Running, Signal, Start, World, called, pictures::*};
use crate::json::valid;
use image::ImageFormat;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

#[cfg(target_os = "linux")]
const ON_TERMINAL: &str = concat!(env!("CARGO_BIN_EXE_setsight"), " serve --listen 127.0.0.1");

#[cfg(target_os = "linux")]
#[test]
fn enter_shows_the_code_again() {
    let world = World::new();
    let (mut terminal, mut keys) = world.on_a_terminal(&format!("exec {ON_TERMINAL}"));
    while !terminal.line().contains("Enter shows the code again, Ctrl-C ends it.") {}
    keys.write_all(b"\n").unwrap();
    while !terminal.line().contains("Scan this code with a phone") {}
    assert!(terminal.line().contains("http://127.0.0.1"));
    // What Ctrl-C types.
    keys.write_all(b"\x03").unwrap();
    assert_eq!(terminal.end().status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_job_in_the_background_leaves_the_terminal_to_the_shell() {
    let world = World::new();
    let job = format!("set -m; {ON_TERMINAL} & echo \"job $! .\"; wait");
    let (mut terminal, mut keys) = world.on_a_terminal(&job);
    let first = terminal.line();
    let job = first.split_whitespace().nth(1).unwrap().to_owned();
    while !terminal.line().contains("Ctrl-C ends it.") {}
    keys.write_all(b"\n").unwrap();
    // Longer than it takes to be looked for.
    std::thread::sleep(Duration::from_millis(500));
    let status = std::fs::read_to_string(format!("/proc/{job}/status")).unwrap();
    let state = status.lines().find(|line| line.starts_with("State:")).unwrap();
    assert!(!state.contains("stopped"), "{state}");
    std::process::Command::new("kill").args(["-INT", &job]).ended();
    let printed = String::from_utf8(terminal.end().stdout).unwrap();
    assert_eq!(printed.matches("Scan this code").count(), 1, "{printed}");
}

struct Serving {
    child: Running,
    host: String,
    key: String,
}

impl Serving {
    /// Starts it on loopback, in this folder and with a folder of data of its own.
    fn start(home: &Path, more: &[&str]) -> Self {
        let mut child = called::program()
            .args(["serve", "--listen", "127.0.0.1"])
            .args(more)
            .current_dir(home)
            .env("XDG_DATA_HOME", home.join("data"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .started();
        loop {
            let line = child.line_of_stderr();
            let Some(address) = line.trim().strip_prefix("http://") else { continue };
            let (host, key) = address.split_once("/#").unwrap();
            return Self { child, host: host.to_owned(), key: key.to_owned() };
        }
    }

    fn post(&self, photo: &[u8]) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!(
            "POST /photo HTTP/1.1\r\nHost: {}\r\nX-Setsight-Key: {}\r\n\
             X-Setsight-Phone: 0123456789abcdef\r\nContent-Length: {}\r\n\r\n",
            self.host,
            self.key,
            photo.len()
        );
        stream.write_all(&[head.as_bytes(), photo].concat()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap())
    }

    /// As Ctrl-C does it; gives the exit code.
    fn interrupt(self) -> Option<i32> {
        self.child.signal(Signal::INT);
        self.child.end().status.code()
    }
}

fn photo() -> Vec<u8> {
    encoded(table(&BOARD).0, ImageFormat::Jpeg)
}

#[test]
fn a_photo_of_a_phone_is_read_as_scan_reads_it_and_nothing_is_kept() {
    let world = World::new();
    let home = world.path();
    let serving = Serving::start(home, &[]);
    let (status, line) = serving.post(&photo());
    assert_eq!((status, &line["sets"]), (200, &serde_json::json!(BOARD_SETS)));
    assert!(line.get("image").is_none(), "{line}");
    let mut named = line;
    named["image"] = "table.jpg".into();
    assert_eq!(valid("scan", &named), Ok(()));
    let (status, line) = serving.post(b"no picture");
    assert_eq!((status, valid("serve", &line)), (422, Ok(())), "{line}");
    assert_eq!(serving.interrupt(), Some(0));
    let left: Vec<_> =
        std::fs::read_dir(home).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left, ["data"], "the certificate alone");
}

#[cfg(unix)]
#[test]
fn nobody_who_reads_messages_keeps_no_phone_waiting() {
    let world = World::new();
    let (reader, writer) = std::io::pipe().unwrap();
    let child = called::program()
        .args(["serve", "--listen", "127.0.0.1"])
        .env("XDG_DATA_HOME", world.path().join("data"))
        .stdout(Stdio::null())
        .stderr(writer)
        .started();
    let mut lines = BufReader::new(reader);
    let mut line = String::new();
    while !line.trim().starts_with("http://") {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "no address");
    }
    let (host, key) = line.trim().strip_prefix("http://").unwrap().split_once("/#").unwrap();
    let serving = Serving { child, host: host.to_owned(), key: key.to_owned() };
    // Each is reported in some 150 bytes; a pipe holds 64 KiB.
    for _ in 0..700 {
        assert_eq!(serving.post(b"no picture").0, 422);
    }
    // Now somebody reads.
    let rest = std::thread::spawn(move || {
        let mut rest = String::new();
        lines.read_to_string(&mut rest).map(|_| rest)
    });
    assert_eq!(serving.post(&photo()).0, 200);
    assert_eq!(serving.interrupt(), Some(0));
    let rest = rest.join().unwrap().unwrap();
    assert!(rest.contains(" messages are lost, as nobody read them"), "{rest}");
}

#[cfg(unix)]
#[test]
fn photos_are_kept_next_to_a_link_that_leads_nowhere() {
    let world = World::new();
    std::fs::create_dir(world.path().join("kept")).unwrap();
    std::os::unix::fs::symlink("nowhere", world.path().join("kept/serve-0001")).unwrap();
    let serving = Serving::start(world.path(), &["--keep", "kept"]);
    assert_eq!(serving.post(&photo()).0, 200);
    assert_eq!(serving.interrupt(), Some(0));
    assert!(world.path().join("kept/serve-0002/photos/photo-0001.jpg").is_file());
}

#[test]
fn what_is_kept_is_what_scan_writes() {
    let world = World::new();
    let home = world.path();
    for n in 1..=2 {
        let serving = Serving::start(home, &["--keep", "kept"]);
        assert_eq!(serving.post(b"no picture").0, 422);
        assert_eq!(serving.post(&photo()).0, 200);
        assert_eq!(serving.interrupt(), Some(0));
        let kept = home.join(format!("kept/serve-000{n}"));
        assert_eq!(std::fs::read(kept.join("photos/photo-0001.jpg")).unwrap(), photo());
        for file in ["photo-0001.jpg", "thumbnails/photo-0001.jpg", "index.html"] {
            assert!(kept.join(file).is_file(), "{file}");
        }
        let lines = std::fs::read_to_string(kept.join("results.jsonl")).unwrap();
        let line: Value = serde_json::from_str(lines.trim()).unwrap();
        assert_eq!(line["sets"], serde_json::json!(BOARD_SETS));
    }
}
