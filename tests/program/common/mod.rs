//! A temporary world in which the real program runs.

#![allow(dead_code, reason = "each test file uses a part")]

pub mod called;
pub mod labelled;

pub use setsight_testkit::child::{Running, Signal, Start, in_time};
pub use setsight_testkit::{not_run, on_path, photos, pictures};

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Text as it is, and as editors and spreadsheets of Windows write it.
pub const ENCODINGS: [fn(Vec<u8>) -> Vec<u8>; 4] = [
    |text| text,
    |text| [b"\xef\xbb\xbf", &text[..]].concat(),
    |text| utf16(&text, u16::to_le_bytes),
    |text| utf16(&text, u16::to_be_bytes),
];

fn utf16(text: &[u8], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let text = std::str::from_utf8(text).unwrap();
    format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
}

/// A folder that goes away with the test.
pub struct World(TempDir);

/// How a run ended.
pub struct Ran {
    /// Exit code; -1 after a signal.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl World {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for temporary files"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and the folders above it.
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The program, in this world, ready to be started.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = called::program();
        command.args(args).current_dir(self.path()).env_remove("RUST_LOG");
        command
    }

    /// Runs the program to its end.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Ran {
        self.command(args).ended().into()
    }

    /// Runs the program where files may grow to 64 KiB only: writing fails as on a full disk.
    #[cfg(unix)]
    pub fn run_on_a_full_disk(&self, args: &str) -> Ran {
        self.run_after("trap '' XFSZ; ulimit -f 64", args)
    }

    /// Runs the program, and gives the most memory that it takes in megabytes.
    #[cfg(target_os = "linux")]
    pub fn run_and_weigh(&self, args: &[&str]) -> (Ran, u64) {
        let mut command = self.command(args);
        let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).started();
        let status = format!("/proc/{}/status", run.id());
        let mut most_kb = 0;
        let output = run.end_watched(|| {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kb = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok());
            most_kb = most_kb.max(kb.unwrap_or(0));
        });
        (output.into(), most_kb / 1024)
    }

    /// Runs the program in an address space of so many megabytes.
    #[cfg(unix)]
    pub fn run_in_megabytes(&self, megabytes: u32, args: &str) -> Ran {
        self.run_after(&format!("ulimit -v {}", megabytes * 1024), args)
    }

    /// Runs the program as somebody who may have no second thread; for root there is no such limit.
    #[cfg(target_os = "linux")]
    pub fn run_without_threads(&self, args: &str) -> Ran {
        let other = "setpriv --reuid=61234 --regid=61234 --clear-groups";
        self.run_after(
            &format!("chmod 777 .; exec {other} bash -c 'ulimit -u 1; exec \"$@\"' bash $*"),
            args,
        )
    }

    #[cfg(unix)]
    fn run_after(&self, limit: &str, args: &str) -> Ran {
        let program = called::program();
        let program = program.get_program().to_string_lossy();
        let script = format!("set -- {program} {args}; {limit}; exec $*");
        let mut bash = Command::new("bash");
        bash.args(["-c", &script]).current_dir(self.path()).ended().into()
    }

    /// A shell's command on a terminal of its own; what is written to the pipe is typed there.
    #[cfg(target_os = "linux")]
    pub fn on_a_terminal(&self, command: &str) -> (Running, std::io::PipeWriter) {
        let (typed, keys) = std::io::pipe().unwrap();
        let mut script = Command::new("script");
        let child = script
            .args(["-qec", command, "/dev/null"])
            .current_dir(self.path())
            .env("XDG_DATA_HOME", self.path().join("data"))
            .env("SHELL", "/bin/bash")
            .envs([("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8")])
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .stdin(typed)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .started();
        (child, keys)
    }

    /// Names in a folder of this world, hidden ones too, in order.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path().join(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Asserts the exit code and shows what was said if it is another.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// The line on stderr that names a file.
    #[track_caller]
    pub fn line_about(&self, name: &str) -> &str {
        let line = self.stderr.lines().find(|line| line.contains(name));
        line.unwrap_or_else(|| panic!("nothing about {name} in: {}", self.stderr))
    }

    /// stdout as lines of JSON.
    #[track_caller]
    pub fn json(&self) -> Vec<Value> {
        json_lines(&self.stdout)
    }
}

/// Text as lines of JSON.
#[track_caller]
pub fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}
