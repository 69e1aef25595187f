//! The lines of JSON of a part of a work: what each says of its place in the whole.

use crate::cli::common::BadCall;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The member of a line that says its place.
pub const PART: &str = "part";
/// Longest line that is read: a game of many sets, or a table of doubts.
const MOST_BYTES: u64 = 64 << 20;

/// Where a line belongs. What all lines of a work share comes first: a line that was cut off is known by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The command that printed it.
    pub command: String,
    /// How many items the whole has.
    pub items: usize,
    /// Stands for all that the results depend on: items, options, weights, version.
    pub settings: String,
    /// What of the whole was done there, as K/N.
    pub shard: String,
    /// How many items that part has.
    pub shard_items: usize,
    /// The item's number in the whole, from 0.
    pub index: usize,
}

/// A whole line of a file.
pub struct Line {
    /// From 1.
    pub number: usize,
    /// Where it begins in the file, in bytes.
    pub start: u64,
    /// Its place.
    pub place: Place,
    /// The line without its place.
    pub value: Value,
}

/// Lines one after another, without their places: each with its number in the whole, in their order.
pub type Lines<'a> = dyn Iterator<Item = anyhow::Result<(usize, Value)>> + 'a;

/// What [`read_lines`] has read.
pub struct Extent {
    /// Length of all whole lines, in bytes.
    pub length: u64,
    /// What follows them without an end: a line that a kill cut off, or a file of something else.
    pub cut_off: Vec<u8>,
}

/// Reads the whole lines of a file, one after another. A last line without its end is left out.
///
/// # Errors
/// The file cannot be read, a line is none of a part, and what `take` says.
pub fn read_lines(
    file: &File,
    path: &Path,
    mut take: impl FnMut(Line) -> anyhow::Result<()>,
) -> anyhow::Result<Extent> {
    let mut reader = BufReader::new(file);
    let mut text = Vec::new();
    let (mut number, mut start) = (0, 0);
    loop {
        text.clear();
        number += 1;
        (&mut reader)
            .take(MOST_BYTES)
            .read_until(b'\n', &mut text)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        if text.len() as u64 == MOST_BYTES {
            return Err(stranger(path, number));
        }
        if text.last() != Some(&b'\n') {
            return Ok(Extent { length: start, cut_off: text });
        }
        let (value, place) = parsed(&text).ok_or_else(|| stranger(path, number))?;
        take(Line { number, start, place, value })?;
        start += text.len() as u64;
    }
}

/// A line and its place, if it has one.
fn parsed(text: &[u8]) -> Option<(Value, Place)> {
    let mut value: Value = serde_json::from_slice(text).ok()?;
    let place = value.as_object_mut()?.shift_remove(PART)?;
    Some((value, serde_json::from_value(place).ok()?))
}

/// The line that begins there, without its place.
///
/// # Errors
/// The file cannot be read, or was changed since its lines were read.
pub fn line_at(file: &mut File, start: u64) -> anyhow::Result<Value> {
    file.seek(SeekFrom::Start(start))?;
    let mut text = Vec::new();
    BufReader::new(file).read_until(b'\n', &mut text)?;
    let (value, _) = parsed(&text).context("a file has changed meanwhile")?;
    Ok(value)
}

fn stranger(path: &Path, number: usize) -> anyhow::Error {
    BadCall(format!(
        "{}, line {number}: is no line of a part; expected what a command prints as JSON with --shard or \
         writes with --resume",
        path.display()
    ))
    .into()
}
