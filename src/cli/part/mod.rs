//! Work that is split over machines (`--shard`) and that goes on after a kill (`--resume`).
//!
//! A work is a number of items in a fixed order: photos, tables, games. A run does those of its shard that have
//! no line yet. Each line of JSON says its item's place, so that lines of any shards may be mixed and are put
//! together by `setsight merge`.

mod lines;
mod shard;

use lines::{Extent, PART};
pub use lines::{Line, Lines, Place, line_at, read_lines};
pub use shard::Shard;

use crate::cli::common::BadCall;
use anyhow::Context;
use serde_json::{Value, json};
use setsight_files::say;
use setsight_game::json::VERSION;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The group of options.
const MANY: &str = "Many machines";

/// The options of commands whose work can be split.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PartArgs {
    /// Do part K of N only; all N parts together are the whole, whoever does them
    ///
    /// Photos are split by their names below the folders given, games and tables by their numbers. `setsight
    /// merge` puts the lines of all parts together.
    #[arg(help_heading = MANY, long, value_name = "K/N")]
    pub shard: Option<Shard>,
    /// Write the lines of JSON to FILE, and leave out what has a line there already
    ///
    /// The same call goes on where it was killed. A line that was cut off is dropped and done again.
    #[arg(help_heading = MANY, long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
}

/// A work of which a run does a part.
pub struct Whole {
    /// The command.
    pub command: &'static str,
    /// All that the results depend on, in words that differ where the results may.
    pub settings: String,
    /// For each item, in order, whether it is in this run's shard.
    pub is_ours: Vec<bool>,
}

/// The part of a work that a run does, and where its lines go.
pub struct Part {
    place: Place,
    is_split: bool,
    todo: Vec<usize>,
    /// Where in the file the lines begin, by their numbers in the whole.
    starts: BTreeMap<usize, u64>,
    /// Length of all lines in the file, in bytes.
    length: u64,
    file: Option<(File, PathBuf)>,
    /// How many of the lines that were there tell of a failure.
    pub failed_before: usize,
}

impl PartArgs {
    /// Whether the run is to do a part or to go on.
    pub fn is_asked(&self) -> bool {
        self.shard.is_some() || self.resume.is_some()
    }

    /// The shard; the whole where none is named.
    pub fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    /// For each of so many numbered items, whether it is in the shard.
    pub fn numbered(&self, items: usize) -> Vec<bool> {
        let shard = self.shard();
        (0..items as u64).map(|number| shard.has_number(number)).collect()
    }

    /// Opens the file to go on with, and leaves out what is done there.
    ///
    /// # Errors
    /// A file that cannot be written, that another run is writing, or that holds something else.
    pub fn open(&self, whole: &Whole) -> anyhow::Result<Part> {
        let text = format!("{}\n{}\n{}", env!("CARGO_PKG_VERSION"), whole.command, whole.settings);
        let digest = Sha256::digest(text.as_bytes());
        let ours: Vec<usize> = (0..whole.is_ours.len()).filter(|&i| whole.is_ours[i]).collect();
        let mut part = Part {
            place: Place {
                command: whole.command.to_owned(),
                shard: self.shard().to_string(),
                shard_items: ours.len(),
                index: 0,
                items: whole.is_ours.len(),
                settings: digest[..8].iter().map(|byte| format!("{byte:02x}")).collect(),
            },
            is_split: self.shard.is_some(),
            todo: ours,
            starts: BTreeMap::new(),
            length: 0,
            file: None,
            failed_before: 0,
        };
        if let Some(path) = &self.resume {
            part.go_on(path)?;
        }
        Ok(part)
    }
}

impl Part {
    /// The items to do, by their numbers in the whole, in order.
    pub fn todo(&self) -> &[usize] {
        &self.todo
    }

    /// Whether the lines go to a file.
    pub fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// How many items this run's shard has, done or not.
    pub fn own_items(&self) -> usize {
        self.place.shard_items
    }

    /// Whether some of them were done before.
    pub fn has_begun(&self) -> bool {
        self.todo.len() < self.place.shard_items
    }

    /// Whether the file has a line of an item, this run's or not.
    pub fn is_done(&self, index: usize) -> bool {
        self.starts.contains_key(&index)
    }

    /// The line of an item in the file, without its place.
    ///
    /// # Errors
    /// There is none, or the file cannot be read.
    pub fn line(&mut self, index: usize) -> anyhow::Result<Value> {
        let start = *self.starts.get(&index).context("no such line")?;
        let (file, path) = self.file.as_mut().context("no file of lines")?;
        line_at(file, start).with_context(|| format!("{} cannot be read", path.display()))
    }

    /// The lines of the file.
    pub fn lines(&mut self) -> impl Iterator<Item = anyhow::Result<(usize, Value)>> {
        let indices: Vec<usize> = self.starts.keys().copied().collect();
        indices.into_iter().map(|index| Ok((index, self.line(index)?)))
    }

    /// Whether the whole is known at the end: no other run has a part of it.
    pub fn is_whole(&self) -> bool {
        !self.is_split
    }

    /// A line with its place in the whole, as its second member: the first is the version.
    pub fn mark(&self, index: usize, mut line: Value) -> Value {
        let place = json!(Place { index, ..self.place.clone() });
        line.as_object_mut().expect("a line is an object").shift_insert(1, PART.to_owned(), place);
        line
    }

    /// Whether a text without an end can be the beginning of a line of this work, whichever shard's.
    fn begins_a_line(&self, text: &[u8]) -> bool {
        let line = self.mark(0, json!({"version": VERSION})).to_string();
        let (head, _) = line.split_once("\"shard\"").expect("a member of each place");
        let common = text.len().min(head.len());
        text[..common] == head.as_bytes()[..common]
    }

    /// Writes the line of an item to the file, or to stdout where there is none, and at once: a kill costs
    /// only what is in hand.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self, index: usize, line: Value) -> anyhow::Result<()> {
        let line = format!("{}\n", self.mark(index, line));
        match &mut self.file {
            Some((file, path)) => {
                file.write_all(line.as_bytes())
                    .with_context(|| format!("{} cannot be written", path.display()))?;
                self.starts.insert(index, self.length);
                self.length += line.len() as u64;
                Ok(())
            }
            None => {
                let mut stdout = std::io::stdout().lock();
                let written = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush());
                written.context("cannot write the results to stdout")
            }
        }
    }

    fn go_on(&mut self, path: &Path) -> anyhow::Result<()> {
        let shown = path.display().to_string();
        let unwritten = || format!("--resume {shown}: cannot be written");
        if path.exists() && !path.is_file() {
            let message = format!("--resume {shown}: is a folder, a device or a pipe; name a file");
            return Err(BadCall(message).into());
        }
        let options = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = options.with_context(unwritten)?;
        // Where the system has no locks, two runs at once would do some things twice, which is noticed.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            let message = format!(
                "--resume {shown}: another run is writing there; let it end, or name another file"
            );
            return Err(BadCall(message).into());
        }
        let mut starts = BTreeMap::new();
        let mut failed = 0;
        let Extent { length, cut_off } = read_lines(&file, path, |line| {
            let Place { command, index, items, settings, .. } = &line.place;
            let own = &self.place;
            if (command, items, settings) != (&own.command, &own.items, &own.settings) {
                let number = line.number;
                return Err(BadCall(format!(
                    "--resume {shown}, line {number}: is of another work ({command}, {items} items): its \
                     photos, options, weights or version differ; call as before, or name another file"
                ))
                .into());
            }
            if index >= items {
                let number = line.number;
                let message = format!("--resume {shown}, line {number}: item {index} of {items}");
                return Err(BadCall(message).into());
            }
            failed += usize::from(line.value.get("error").is_some());
            starts.entry(*index).or_insert(line.start);
            Ok(())
        })?;
        if !cut_off.is_empty() {
            // After whole lines of this work it can be nothing else.
            if length == 0 && !self.begins_a_line(&cut_off) {
                let message = format!(
                    "--resume {shown}: its only line has no end and is none of this work; name another file"
                );
                return Err(BadCall(message).into());
            }
            file.set_len(length).with_context(unwritten)?;
            say!("{shown}: its last line was cut off and is done again");
        }
        let all = self.todo.len();
        self.todo.retain(|index| !starts.contains_key(index));
        (self.starts, self.length) = (starts, length);
        if self.todo.len() < all {
            say!("{shown}: {} of {all} are done already", all - self.todo.len());
        }
        self.failed_before = failed;
        self.file = Some((file, path.to_path_buf()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A work of three items of which this is the whole.
    fn whole(settings: &str) -> Whole {
        Whole { command: "scan", settings: settings.to_owned(), is_ours: vec![true; 3] }
    }

    fn open(path: &Path, whole: &Whole) -> anyhow::Result<Part> {
        PartArgs { shard: None, resume: Some(path.to_path_buf()) }.open(whole)
    }

    #[test]
    fn a_file_of_something_else_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let utf16: Vec<u8> = "{\"part\":".encode_utf16().flat_map(u16::to_le_bytes).collect();
        // The first line of another work, cut off.
        let mut other = open(&path, &whole("other")).unwrap();
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
            &other[..other.len() - 1],
            &[0; 100],
        ] {
            std::fs::write(&path, bytes).unwrap();
            let error = open(&path, &whole("ours")).err().unwrap();
            assert!(error.downcast_ref::<BadCall>().is_some(), "{error}");
            assert!(error.to_string().contains("file"), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "{error}");
        }
    }

    #[test]
    fn an_item_beyond_the_whole_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let mut part = open(&path, &whole("ours")).unwrap();
        part.write(3, json!({"version": 1})).unwrap();
        drop(part);
        let error = open(&path, &whole("ours")).err().unwrap().to_string();
        assert!(error.contains("line 1: item 3 of 3"), "{error}");
    }

    #[test]
    fn a_line_that_was_cut_off_is_done_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let whole = whole("ours");
        let mut part = open(&path, &whole).unwrap();
        part.write(1, json!({"version": 1, "image": "b.jpg"})).unwrap();
        part.write(2, json!({"version": 1, "image": "c.jpg"})).unwrap();
        drop(part);
        let bytes = std::fs::read(&path).unwrap();
        let first = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for length in [0, 1, 30, first - 1, first, first + 1, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let part = open(&path, &whole).unwrap();
            let todo: &[usize] = if length < first { &[0, 1, 2] } else { &[0, 2] };
            assert_eq!(part.todo(), todo, "{length}");
            let kept = if length < first { 0 } else { first };
            assert_eq!(std::fs::metadata(&path).unwrap().len(), kept as u64, "{length}");
        }
        // Lines that name their place last, as older versions wrote them.
        let mut line: Value = serde_json::from_slice(&bytes[..first]).unwrap();
        let place = line.as_object_mut().unwrap().shift_remove(PART).unwrap();
        line[PART] = place;
        std::fs::write(&path, format!("{line}\n{{\"version\":1,\"ima")).unwrap();
        assert_eq!(open(&path, &whole).unwrap().todo(), [0, 2]);
    }
}
