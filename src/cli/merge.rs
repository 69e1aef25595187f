//! `setsight merge`: what the parts of a work have found, as one command would have printed it.

use super::common::{BadCall, Outcome};
use super::part::{Line, Lines, Place, line_at, read_lines};
use anyhow::Context;
use serde_json::Value;
use setsight_files::say;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Arguments of `merge`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight scan photos --format json --shard 1/2 > one.jsonl
  setsight scan photos --format json --shard 2/2 > two.jsonl
  setsight merge one.jsonl two.jsonl > found.jsonl

The files may come in any order, and may hold lines of several parts. A line that is there twice counts once; \
    two that disagree are refused. Lines of scan are printed in the order of the photos, also where some are \
    missing, which are told on stderr (exit code 1). Figures of eval, simulate, general and compare are printed \
    only if nothing is missing: those of a part would be taken for those of the whole.")]
pub struct Args {
    /// Lines of JSON that commands printed with --shard, or wrote with --resume
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Where an item's line is, and what it says.
struct Found {
    file: usize,
    line: usize,
    start: u64,
    /// SHA-256 of what does not change when it is done again.
    digest: [u8; 32],
}

/// Puts the lines together and prints them, or what they add up to.
///
/// # Errors
/// Files that cannot be read or hold something else, lines that disagree, figures that lack a part.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut files = args.files.iter().map(|path| open(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut gathered = Gathered::default();
    for (number, file) in files.iter().enumerate() {
        let path = &args.files[number];
        let read = read_lines(file, path, |line| gathered.add(&args.files, number, line))?;
        if !read.cut_off.is_empty() {
            say!("{}: its last line was cut off and is left out", path.display());
        }
    }
    let Some(place) = &gathered.place else {
        let message = "no line in any of the files: nothing was done there yet";
        return Err(BadCall(message.to_owned()).into());
    };
    let missing = gathered.missing(place);
    let figures: fn(&mut Lines) -> anyhow::Result<Value> = match place.command.as_str() {
        "scan" => {
            print_lines(&mut files, &gathered.found)?;
            return Ok(match missing {
                None => Outcome::Done,
                Some(missing) => {
                    say!("{missing}");
                    Outcome::SomeFailed
                }
            });
        }
        "general" => |lines| super::general::merged(&lines.collect::<anyhow::Result<_>>()?),
        "simulate" => |lines| super::simulate::merged(&lines.collect::<anyhow::Result<_>>()?),
        "compare" => |lines| super::compare::merged(&lines.collect::<anyhow::Result<_>>()?),
        #[cfg(feature = "program")]
        "eval" => super::table::eval::merged,
        "render" => {
            let message = "lines of render hold labels that its folders hold, too; put the folders of all \
                           parts into one folder, which is one data set";
            return Err(BadCall(message.to_owned()).into());
        }
        other => {
            return Err(
                BadCall(format!("lines of {other}, which this program does not know")).into()
            );
        }
    };
    if let Some(missing) = missing {
        anyhow::bail!(
            "{missing}; no figures, as those of a part would be taken for those of the whole"
        );
    }
    let mut lines = gathered
        .found
        .iter()
        .map(|(&index, found)| Ok((index, line_at(&mut files[found.file], found.start)?)));
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{}", figures(&mut lines)?).context("cannot write the result")?;
    Ok(Outcome::Done)
}

fn open(path: &Path) -> anyhow::Result<File> {
    if path.exists() && !path.is_file() {
        let message = format!(
            "{}: is a folder, a device or a pipe; expected a file of lines",
            path.display()
        );
        return Err(BadCall(message).into());
    }
    let file = File::open(path);
    file.map_err(|error| BadCall(format!("{}: cannot be read: {error}", path.display())).into())
}

#[derive(Default)]
struct Gathered {
    /// Of the first line; the others are of the same work.
    place: Option<Place>,
    found: BTreeMap<usize, Found>,
    /// For each shard that has a line: how many there are, and how many items it has.
    shards: BTreeMap<String, (usize, usize)>,
}

impl Gathered {
    fn add(&mut self, paths: &[PathBuf], file: usize, line: Line) -> anyhow::Result<()> {
        let Line { number, start, place, value } = line;
        let first = self.place.get_or_insert_with(|| place.clone());
        let here = format!("{}, line {number}", paths[file].display());
        let key = |place: &Place| (place.command.clone(), place.items, place.settings.clone());
        if key(first) != key(&place) {
            return Err(BadCall(format!(
                "{here}: is of another work ({}, {} items) than {} ({}, {} items): their photos, options, \
                 weights or version differ",
                place.command,
                place.items,
                paths[0].display(),
                first.command,
                first.items,
            ))
            .into());
        }
        if place.index >= place.items {
            return Err(BadCall(format!("{here}: item {} of {}", place.index, place.items)).into());
        }
        let digest = Sha256::digest(lasting(value).to_string().as_bytes()).into();
        if let Some(before) = self.found.get(&place.index) {
            if before.digest != digest {
                let other = format!("{}, line {}", paths[before.file].display(), before.line);
                return Err(BadCall(format!(
                    "{other}, and {here}: say different things of the same item; find out which is right, \
                     and take the other out"
                ))
                .into());
            }
            return Ok(());
        }
        self.shards.entry(place.shard).or_insert((0, place.shard_items)).0 += 1;
        self.found.insert(place.index, Found { file, line: number, start, digest });
        Ok(())
    }

    /// Says what is missing, if something is.
    fn missing(&self, place: &Place) -> Option<String> {
        let count = place.items - self.found.len();
        if count == 0 {
            return None;
        }
        let mut words = Vec::new();
        let of = |shard: &str| shard.split_once('/').and_then(|(_, of)| of.parse::<u64>().ok());
        let of = of(&place.shard).unwrap_or(1);
        for number in 1..=of {
            let shard = format!("{number}/{of}");
            match self.shards.get(&shard) {
                None => words.push(format!("all of shard {shard}")),
                Some((lines, items)) if lines < items => {
                    words.push(format!("{} of {items} of shard {shard}", items - lines));
                }
                Some(_) => {}
            }
        }
        const SHOWN: usize = 20;
        let more = words.len().saturating_sub(SHOWN);
        words.truncate(SHOWN);
        if more > 0 {
            words.push(format!("parts of {more} more shards"));
        }
        Some(format!("missing: {count} of {} items: {}", place.items, words.join(", ")))
    }
}

/// What a line says that is the same however often, wherever and how fast it is found.
fn lasting(mut value: Value) -> Value {
    if let Some(members) = value.as_object_mut() {
        for measured in ["image", "image_bytes", "stage_ms", "engine", "seconds"] {
            members.remove(measured);
        }
        for result in members.get_mut("results").and_then(Value::as_array_mut).into_iter().flatten()
        {
            if let Some(result) = result.as_object_mut() {
                result.remove("stage_cpu_ms");
            }
        }
    }
    value
}

/// Prints lines in the order of their items, without their places.
fn print_lines(files: &mut [File], found: &BTreeMap<usize, Found>) -> anyhow::Result<()> {
    let mut stdout = BufWriter::new(std::io::stdout().lock());
    for found in found.values() {
        let value = line_at(&mut files[found.file], found.start)?;
        writeln!(stdout, "{value}").context("cannot write the lines")?;
    }
    stdout.flush().context("cannot write the lines")
}
