//! A run that goes on where an earlier one was killed (`--resume`).
//!
//! Its lines of JSON go to a file, each with its photo's number among all that the call names. What has a line
//! there is left out.

use crate::cli::common::BadCall;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use setsight_files::{printable, say};
use setsight_game::json::VERSION;
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions, TryLockError},
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
};

/// The member of a line that says its place.
const PART: &str = "part";
/// Longest line that is read: a table of doubts.
const MOST_BYTES: u64 = 64 << 20;

/// Where a line belongs. What all lines of a call share comes first: a line that was cut off is known by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    /// How many photos the call names.
    items: usize,
    /// Stands for all that the results depend on: photos, options, weights, version.
    settings: String,
    /// The photo's number, from 0.
    index: usize,
}

/// The file of lines, and what is left to do.
pub(super) struct Lines {
    place: Place,
    done: BTreeSet<usize>,
    file: File,
    path: PathBuf,
    /// How many of the lines that were there tell of a failure.
    pub(super) failed_before: usize,
}

impl Lines {
    /// Opens the file to go on with. `settings` differ where the results of the `items` may.
    pub(super) fn open(path: &Path, items: usize, settings: &str) -> anyhow::Result<Self> {
        let shown = path.display();
        if path.as_os_str() == "-" || path.exists() && !path.is_file() {
            let message = format!("--resume {shown}: is a folder, a device or a pipe; name a file");
            return Err(BadCall(message).into());
        }
        let options = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = options.with_context(|| unwritten(path))?;
        // Where the system has no locks, two runs at once would do some things twice, which is noticed.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            let message = format!(
                "--resume {shown}: another run is writing there; let it end, or name another file"
            );
            return Err(BadCall(message).into());
        }
        let digest = Sha256::digest(format!("{}\n{settings}", env!("CARGO_PKG_VERSION")));
        let settings = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let (path, done) = (path.to_path_buf(), BTreeSet::new());
        let place = Place { items, settings, index: 0 };
        let mut lines = Self { place, done, file, path, failed_before: 0 };
        lines.read()?;
        Ok(lines)
    }

    /// Whether the file has a line of this photo.
    pub(super) fn has(&self, index: usize) -> bool {
        self.done.contains(&index)
    }

    /// Writes the line of a photo, at once: a kill costs only what is in hand.
    pub(super) fn write(&mut self, index: usize, line: Value) -> anyhow::Result<()> {
        let line = format!("{}\n", printable::json(&self.mark(index, line)));
        self.file.write_all(line.as_bytes()).with_context(|| unwritten(&self.path))
    }

    /// A line with its place, as its second member: the first is the version.
    fn mark(&self, index: usize, mut line: Value) -> Value {
        let place = json!(Place { index, ..self.place.clone() });
        line.as_object_mut().expect("a line is an object").shift_insert(1, PART.to_owned(), place);
        line
    }

    /// Notes which photos have a line, and cuts off a last line without its end.
    fn read(&mut self) -> anyhow::Result<()> {
        let shown = self.path.display().to_string();
        let mut reader = BufReader::new(&self.file);
        let mut text = Vec::new();
        let mut length = 0;
        for number in 1.. {
            text.clear();
            let line = (&mut reader).take(MOST_BYTES).read_until(b'\n', &mut text);
            line.with_context(|| format!("{shown} cannot be read"))?;
            if text.last() != Some(&b'\n') && text.len() as u64 != MOST_BYTES {
                break;
            }
            let wrong = |what: String| BadCall(format!("--resume {shown}, line {number}: {what}"));
            let (value, Place { items, settings, index }) = parsed(&text).ok_or_else(|| {
                wrong("expected what scan writes there; name another file".to_owned())
            })?;
            if (items, &settings) != (self.place.items, &self.place.settings) {
                let what = "is of another call: its photos, options, weights or version differ; call as \
                            before, or name another file";
                return Err(wrong(what.to_owned()).into());
            }
            if index >= items {
                return Err(wrong(format!("photo {index} of {items}")).into());
            }
            self.failed_before += usize::from(value.get("error").is_some());
            self.done.insert(index);
            length += text.len() as u64;
        }
        if !text.is_empty() {
            // After whole lines of this call it can be nothing else.
            if length == 0 && !self.begins_a_line(&text) {
                let message = format!(
                    "--resume {shown}: its only line has no end and is not one of scan's; name another file"
                );
                return Err(BadCall(message).into());
            }
            self.file.set_len(length).with_context(|| unwritten(&self.path))?;
            say!("{shown}: its last line was cut off and is done again");
        }
        if !self.done.is_empty() {
            say!("{shown}: {} of {} are done already", self.done.len(), self.place.items);
        }
        Ok(())
    }

    /// Whether a text without an end can be the beginning of a line of this call.
    fn begins_a_line(&self, text: &[u8]) -> bool {
        let line = self.mark(0, json!({"version": VERSION})).to_string();
        let (head, _) = line.split_once("\"index\"").expect("a member of each place");
        let common = text.len().min(head.len());
        text[..common] == head.as_bytes()[..common]
    }
}

fn unwritten(path: &Path) -> String {
    format!("--resume {}: cannot be written", path.display())
}

/// A line and its place, if it has one.
fn parsed(text: &[u8]) -> Option<(Value, Place)> {
    let mut value: Value = serde_json::from_slice(text).ok()?;
    let place = value.as_object_mut()?.shift_remove(PART)?;
    Some((value, serde_json::from_value(place).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path) -> anyhow::Result<Lines> {
        Lines::open(path, 3, "ours")
    }

    #[test]
    fn a_file_of_something_else_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let utf16: Vec<u8> = "{\"part\":".encode_utf16().flat_map(u16::to_le_bytes).collect();
        // The first line of another call, cut off.
        let mut other = Lines::open(&path, 3, "other").unwrap();
        other.write(0, json!({"version": 1})).unwrap();
        drop(other);
        let other = std::fs::read(&path).unwrap();
        for bytes in [
            &b"{\"photos\": []}"[..],
            b"\xff\xd8\xff\xe0\0\x10JFIF\0\n\xff",
            b"\xff\xd8\xff\xe0\0\x10JFIF\0",
            b"Dear diary",
            b"Dear diary\nof today",
            b"{\"version\":1,\"image\":\"a.jpg\"}",
            &utf16,
            &other,
            &other[..other.len() - 1],
            &[0; 100],
        ] {
            std::fs::write(&path, bytes).unwrap();
            let error = open(&path).err().unwrap();
            assert!(error.downcast_ref::<BadCall>().is_some(), "{error}");
            assert!(error.to_string().contains("file"), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "{error}");
        }
    }

    #[test]
    fn a_photo_beyond_those_of_the_call_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        open(&path).unwrap().write(3, json!({"version": 1})).unwrap();
        let error = open(&path).err().unwrap().to_string();
        assert!(error.contains("line 1: photo 3 of 3"), "{error}");
    }

    #[test]
    fn a_line_that_was_cut_off_is_done_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let mut lines = open(&path).unwrap();
        lines.write(1, json!({"version": 1, "image": "b.jpg"})).unwrap();
        lines.write(2, json!({"version": 1, "error": "none"})).unwrap();
        drop(lines);
        let bytes = std::fs::read(&path).unwrap();
        let first = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for length in [0, 1, 30, first - 1, first, first + 1, bytes.len() - 1, bytes.len()] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let lines = open(&path).unwrap();
            let all = length == bytes.len();
            assert_eq!((lines.has(0), lines.has(1), lines.has(2)), (false, length >= first, all));
            assert_eq!(lines.failed_before, usize::from(all));
            let kept = if all {
                length
            } else if length < first {
                0
            } else {
                first
            };
            assert_eq!(std::fs::metadata(&path).unwrap().len(), kept as u64, "{length}");
        }
    }
}
