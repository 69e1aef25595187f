//! Makes the folder for the board and writes it completely or not at all, and verifies one: hashes, and the room in
//! the board's flash. What a file holds was checked when it was made; whole, it holds the same.
//!
//! The plain H7 keeps 128 KB of its flash as a file system: FAT with sectors and clusters of 512
//! bytes. One sector is the boot record, one the table, 32 the root directory; 222 sectors are left,
//! and a file takes whole ones. This follows from the FAT format and the size of the flash, and was
//! not measured on a board.

use super::crops::{self, Crop, Golden};
use super::float::{Agreement, agreement, card_of, int8_logits};
use super::quantise::{self, ActivationRanges, Calibration, quantise};
use super::report::{self, FORMAT, Facts, Measured};
use super::{ARENA_LIMIT_BYTES, FILE_LIMIT_BYTES, PEAK_LIMIT_BYTES, board, tflite};
use super::{float::Planes, net::Net};
use serde_json::Value;
use setsight_files::small_file::{MAX_DATA_BYTES, read_small};
use setsight_files::whole_file::without_name;
use setsight_game::cards::Card;
use setsight_nets::{engine::hex, graph::Graph, reader};
use setsight_scenes::Kind;
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, io, path::Path};
use tempfile::TempDir;

/// Size of a sector, and of a cluster.
pub const SECTOR_BYTES: u64 = 512;
/// Most sectors that the board's files may take: 110 KB, which leaves two for what the firmware puts
/// there itself.
pub const LIMIT_SECTORS: u64 = 220;

/// Number of sectors that a file takes.
fn sectors(bytes: u64) -> u64 {
    bytes.div_ceil(SECTOR_BYTES)
}

/// Number of sectors that a folder's files take, whatever they are; a folder in it takes one more.
pub fn sectors_of(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        sum += if entry.file_type()?.is_dir() {
            1 + sectors_of(&entry.path())?
        } else {
            sectors(entry.metadata()?.len())
        };
    }
    Ok(sum)
}

/// A script without comments, docstrings and empty lines, indented by one space instead of four. It
/// must have no other strings of three quotes, and no block of a docstring alone.
fn shortened(script: &str) -> String {
    const QUOTES: &str = "\"\"\"";
    let mut short = String::new();
    let mut in_docstring = false;
    for line in script.lines() {
        let text = line.trim_start();
        if in_docstring {
            in_docstring = !text.contains(QUOTES);
            continue;
        }
        if let Some(rest) = text.strip_prefix(QUOTES) {
            in_docstring = !rest.contains(QUOTES);
            continue;
        }
        let code = without_comment(text);
        if !code.is_empty() {
            let indent = (line.len() - text.len()) / 4;
            short.extend(std::iter::repeat_n(' ', indent));
            short += code;
            short.push('\n');
        }
    }
    short
}

/// A line up to its comment.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') => return line[..at].trim_end(),
            (None, '"' | '\'') => quote = Some(c),
            (Some(_), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), _) if open == c && !escaped => quote = None,
            _ => {}
        }
        escaped = false;
    }
    line.trim_end()
}

/// What goes onto the board.
pub const BOARD: &str = "board";
/// What stays beside it: the self-test, the report, instructions.
pub const DESK: &str = "desk";
/// The network.
pub const MODEL: &str = "board/card.tflite";
const LABELS: &str = "board/card.txt";
/// The self-test's pictures.
const GOLDEN: &str = "desk/golden.bin";
/// The figures as a page.
const PAGE: &str = "desk/report.md";
/// The figures in JSON, with the hashes of all other files.
pub const REPORT: &str = "desk/report.json";

/// The board's scripts. They are made short for its flash, but for `main.py`, which an owner edits.
pub(crate) const SOURCES: [(&str, &str); 4] = [
    ("board/set_finder.py", include_str!("../board/set_finder.py")),
    ("board/card_finder.py", include_str!("../board/card_finder.py")),
    (CARD_READER, include_str!("../board/card_reader.py")),
    (MAIN, include_str!("../board/main.py")),
];
/// What is copied beside them.
const BESIDE: [(&str, &str); 2] = [
    ("desk/selftest.py", include_str!("../board/selftest.py")),
    ("desk/README.md", include_str!("../board/README.md")),
];
/// The script that classifies cards.
const CARD_READER: &str = "board/card_reader.py";
const MAIN: &str = "board/main.py";
/// First line of a script that was made short.
const SHORTENED: &str =
    "# Without its explanations, to fit: they are in crates/h7/board of setsight's source.\n";

/// Why no folder can be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExportError {
    #[error("layer {place} of the network cannot be put on the board: {reason}")]
    Layer { place: usize, reason: String },
    #[error("the network is no card reader for the board: {0}")]
    Contract(String),
    #[error("{what} takes {bytes} bytes, the board has room for {limit}; train a smaller network")]
    TooLarge { what: &'static str, bytes: usize, limit: usize },
}

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// SHA-256 of the trained network's file.
    pub source_sha256: String,
    /// Photographed crops for calibration, in addition to drawn ones.
    pub photographed: Vec<Crop>,
    /// Collections for measuring agreement: a key, a description, the crops.
    pub measure: Vec<(&'static str, String, Vec<Crop>)>,
}

/// Numbers of drawn tables: for calibration, for comparing calibration methods, for measuring.
const CALIBRATION_TABLES: usize = 20;
const COMPARISON_TABLES: usize = 20;
const CALIBRATION_SEED: u64 = 7_001;
const COMPARISON_SEED: u64 = 7_002;
const GOLDEN_SEED: u64 = 7_003;
/// Number of pictures in the self-test; each takes 3 KB of the board's flash.
const GOLDENS: usize = 6;
/// The calibration methods that are compared.
const CALIBRATIONS: [Calibration; 3] =
    [Calibration::MinMax, Calibration::Percentile(0.9999), Calibration::Percentile(0.999)];

pub struct Folder {
    /// Contents by name, [`BOARD`] or [`DESK`] in front.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The quantised network.
    pub net: Net,
    pub facts: Facts,
}

pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Quantises a network, measures it and makes all files.
pub fn make(graph: &Graph, options: &Options) -> Result<Folder, ExportError> {
    quantise::check(graph)?;
    let drawn = crops::drawn(CALIBRATION_TABLES, CALIBRATION_SEED);
    let aside = crops::drawn(COMPARISON_TABLES, COMPARISON_SEED);
    // Photographed crops alternate between calibration and the comparison.
    let turn = |first: usize| options.photographed.iter().skip(first).step_by(2);
    let ranges_on: Vec<Planes> =
        drawn.iter().chain(turn(0)).map(|crop| crop.planes.clone()).collect();
    let compare_on: Vec<Crop> = aside.iter().chain(turn(1)).cloned().collect();
    let ranges = ActivationRanges::over(graph, &ranges_on);
    let mut tried: Vec<(Calibration, Net, Agreement)> = Vec::new();
    for calibration in CALIBRATIONS {
        let net = quantise(graph, &ranges, calibration)?;
        let figures = agreement(graph, &net, &compare_on);
        tried.push((calibration, net, figures));
    }
    let chosen = best(&tried);
    let net = tried[chosen].1.clone();
    let model = tflite::write(&net, "setsight card reader");
    let limits = [
        (MODEL, model.len(), FILE_LIMIT_BYTES),
        ("the arena", net.arena_bound_bytes(), ARENA_LIMIT_BYTES),
        ("the largest layer", net.peak_activation_bytes(), PEAK_LIMIT_BYTES),
    ];
    for (what, bytes, limit) in limits {
        if bytes > limit {
            return Err(ExportError::TooLarge { what, bytes, limit });
        }
    }
    let mut measured: Vec<Measured> = options
        .measure
        .iter()
        .map(|(key, what, crops)| Measured {
            key,
            what: what.clone(),
            agreement: agreement(graph, &net, crops),
        })
        .collect();
    measured.push(Measured {
        key: "drawn_board",
        what: "cards of drawn tables, the board's way".into(),
        agreement: agreement(graph, &net, &aside),
    });
    let sha = sha256(&model);
    let goldens = goldens(&net);
    let facts = Facts {
        source_sha256: options.source_sha256.clone(),
        calibrations: tried.into_iter().map(|(c, _, figures)| (c.name(), figures)).collect(),
        chosen,
        calibrated_on: format!(
            "{} drawn and {} photographed crops that went the board's way",
            drawn.len(),
            turn(0).count()
        ),
        measured,
        goldens: goldens.len(),
    };
    let mut files = scripts(&net);
    files.insert(LABELS.into(), labels().into_bytes());
    files.insert(GOLDEN.into(), crops::write(&net, &sha, &goldens));
    files.insert(MODEL.into(), model);
    let sectors = on_the_board(&files);
    if sectors > LIMIT_SECTORS {
        let bytes = |sectors: u64| (sectors * SECTOR_BYTES) as usize;
        return Err(ExportError::TooLarge {
            what: "the board's folder",
            bytes: bytes(sectors),
            limit: bytes(LIMIT_SECTORS),
        });
    }
    let page = report::markdown(&net, &facts, files[MODEL].len(), sectors, &hex(&sha));
    files.insert(PAGE.into(), page.into_bytes());
    let report = report::json(&net, &facts, &files, sha256);
    let mut text = serde_json::to_string_pretty(&report).expect("text keys only");
    text.push('\n');
    files.insert(REPORT.into(), text.into_bytes());
    Ok(Folder { files, net, facts })
}

/// Index of the calibration with the most identical readings; among equals, of the one with the
/// closest logits.
fn best(tried: &[(Calibration, Net, Agreement)]) -> usize {
    let best = (0..tried.len()).max_by(|&a, &b| {
        let (a, b) = (&tried[a].2, &tried[b].2);
        (a.same_card, -a.mean_logit_error)
            .partial_cmp(&(b.same_card, -b.mean_logit_error))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    best.expect("three ways")
}

/// The scripts of the board, as short as its flash wants them, and what lies beside them.
fn scripts(net: &Net) -> BTreeMap<String, Vec<u8>> {
    let mut files: BTreeMap<String, Vec<u8>> = BESIDE
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
        .collect();
    for (name, text) in SOURCES {
        let mut text = text.to_owned();
        if name == CARD_READER {
            let offset = format!("OUTPUT_OFFSET = {:?}", net.output_offset);
            text = with_line(&text, OFFSET_LINE, &offset);
        }
        if name != MAIN {
            text = SHORTENED.to_owned() + &shortened(&text);
        }
        files.insert(name.to_owned(), text.into_bytes());
    }
    files
}

/// The line in that script for the offset of every output from its logit.
const OFFSET_LINE: &str = "OUTPUT_OFFSET = 0.0";

/// A script with one of its lines replaced.
fn with_line(script: &str, line: &str, new: &str) -> String {
    assert!(script.contains(line), "the script has the line {line}");
    script.replacen(line, new, 1)
}

/// Number of sectors that the board's files take of its flash.
pub fn on_the_board(files: &BTreeMap<String, Vec<u8>>) -> u64 {
    let on_board = files.iter().filter(|(name, _)| name.starts_with(BOARD));
    on_board.map(|(_, bytes)| sectors(bytes.len() as u64)).sum()
}

/// The labels file: one label per line, in the order of the outputs.
fn labels() -> String {
    reader::LABELS.map(|label| format!("{label}\n")).concat()
}

/// Drawn cards for the self-test: cards that the network reads correctly, if there are enough, each
/// with a different colour and shape.
fn goldens(net: &Net) -> Vec<Golden> {
    let mut candidates: Vec<(bool, Golden)> = Vec::new();
    for index in 0..2 {
        let (frame, cards) = crops::drawn_table(Kind::Plain, GOLDEN_SEED, index);
        for (quad, card) in cards {
            let corners = quad.0.map(|p| (p.x.floor() as i32, p.y.floor() as i32));
            let picture = crops::in_few_colors(&board::card(&frame, &corners));
            let read = card_of(&int8_logits(net, &picture.network_input()));
            candidates.push((read != card, Golden { picture, card }));
        }
    }
    candidates.sort_by_key(|(wrong, _)| *wrong);
    let mut chosen: Vec<Golden> = Vec::new();
    for (_, golden) in candidates {
        let like = |card: Card| (card.color, card.shape);
        if chosen.len() < GOLDENS && chosen.iter().all(|c| like(c.card) != like(golden.card)) {
            chosen.push(golden);
        }
    }
    chosen
}

/// Checks that [`write()`] may create a folder there, and leaves nothing behind.
pub fn check_place(out: &Path) -> io::Result<()> {
    let mut above = out.ancestors().skip(1);
    let parent = above.find(|folder| folder.exists()).unwrap_or(Path::new("."));
    if out.exists() {
        std::fs::read_dir(out)?;
    }
    temporary_in(parent).map(drop)
}

fn temporary_in(parent: &Path) -> io::Result<TempDir> {
    let mut temporary = tempfile::Builder::new();
    let temporary = temporary.prefix(".setsight-").suffix(".tmp").tempdir_in(parent);
    temporary.map_err(|error| without_name(&error))
}

/// Writes the files as a folder: under a temporary name in the same parent folder, then renamed.
pub fn write(files: &BTreeMap<String, Vec<u8>>, out: &Path, replace: bool) -> io::Result<()> {
    let parent = match out.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(parent)?;
    let temporary = temporary_in(parent)?;
    let (new, old) = (temporary.path().join("new"), temporary.path().join("old"));
    for part in [BOARD, DESK] {
        std::fs::create_dir_all(new.join(part))?;
    }
    for (name, bytes) in files {
        std::fs::write(new.join(name), bytes)?;
    }
    match std::fs::read_dir(out) {
        Ok(mut entries) => {
            if entries.next().is_some() && !replace {
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is not empty"));
            }
            std::fs::rename(out, &old)?;
            if let Err(error) = std::fs::rename(&new, out) {
                std::fs::rename(&old, out)?;
                return Err(error);
            }
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::fs::rename(&new, out),
        Err(error) => Err(error),
    }
}

/// The result of verifying a folder.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Passed checks, as text.
    pub good: Vec<String>,
    /// Failed checks, and what to do.
    pub wrong: Vec<String>,
}

/// Runs all checks, even after a failure.
pub fn check(folder: &Path) -> Checked {
    let mut found = Checked::default();
    let read = |name: &str| {
        read_small(&folder.join(name), MAX_DATA_BYTES)
            .map_err(|e| format!("{name}: cannot be read: {e}"))
    };
    let report = read(REPORT).and_then(|bytes| {
        serde_json::from_slice::<Value>(&bytes)
            .map_err(|e| format!("{REPORT}: is not JSON: {e}: damaged; export the folder again"))
    });
    let report = match report {
        Ok(report) => report,
        Err(wrong) => {
            found.wrong.push(wrong);
            return found;
        }
    };
    if report["format"] != FORMAT {
        found.wrong.push(format!(
            "{REPORT}: format {}, this program knows {FORMAT}: export the folder again, or check it \
             with the program that wrote it ({})",
            report["format"], report["program"]
        ));
        return found;
    }
    hashes(&report, &read, &mut found);
    size_on_board(folder, &mut found);
    found
}

/// Checks that all that lies in the board's folder fits its flash, sector by sector.
fn size_on_board(folder: &Path, found: &mut Checked) {
    let kb = |sectors: u64| (sectors * SECTOR_BYTES) as f64 / 1024.0;
    let limit = format!("{LIMIT_SECTORS} ({:.0} KB)", kb(LIMIT_SECTORS));
    match sectors_of(&folder.join(BOARD)) {
        Err(error) => found.wrong.push(format!("{BOARD}: cannot be read: {error}")),
        Ok(sectors) if sectors > LIMIT_SECTORS => found.wrong.push(format!(
            "{BOARD}: its files take {sectors} sectors of {SECTOR_BYTES} bytes ({:.1} KB); the \
             board's internal flash has room for {limit}: take out what is not of the export, or \
             use an SD card",
            kb(sectors)
        )),
        Ok(sectors) => found.good.push(format!(
            "{BOARD}: {sectors} sectors of {SECTOR_BYTES} bytes ({:.1} KB) of {limit} in the internal \
             flash, {:.1} KB free for pictures",
            kb(sectors),
            kb(LIMIT_SECTORS - sectors)
        )),
    }
}

/// Checks that every file is listed, exists and has the listed hash.
fn hashes(report: &Value, read: &dyn Fn(&str) -> Result<Vec<u8>, String>, found: &mut Checked) {
    let empty = serde_json::Map::new();
    let files = report["files"].as_object().unwrap_or(&empty);
    let scripts = SOURCES.iter().chain(&BESIDE).map(|(name, _)| *name);
    let needed = scripts.chain([MODEL, LABELS, GOLDEN, PAGE]);
    for name in needed.filter(|name| !files.contains_key(*name)) {
        found.wrong.push(format!("{REPORT}: does not list {name}: export the folder again"));
    }
    let mut right = 0;
    for (name, listed) in files {
        // A name with another path is not a file of this folder.
        let parts = name.split_once('/').filter(|(part, _)| [BOARD, DESK].contains(part));
        if parts.is_none_or(|(_, file)| file.contains(['/', '\\']) || file.starts_with('.')) {
            found.wrong.push(format!("{REPORT}: lists {name:?}, which is no file of the folder"));
            continue;
        }
        match read(name) {
            Err(wrong) => found.wrong.push(wrong),
            Ok(bytes) => {
                let (hash, expected) = (hex(&sha256(&bytes)), listed["sha256"].as_str());
                if expected == Some(&hash) {
                    right += 1;
                } else if listed["bytes"] != bytes.len() {
                    found.wrong.push(format!(
                        "{name}: {} bytes, {REPORT} says {}: cut short or changed; copy it again",
                        bytes.len(),
                        listed["bytes"]
                    ));
                } else {
                    found.wrong.push(format!(
                        "{name}: its SHA-256 is {hash}, {REPORT} says {}: damaged or changed; copy \
                         it again",
                        expected.unwrap_or("nothing")
                    ));
                }
            }
        }
    }
    found.good.push(format!("{right} of {} files are as they were written", files.len()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_made_short() {
        let script = "# What it is.\n\nA = \"#\"  # a sign\ndef f(x):\n    \"\"\"One\n    or more.\"\"\"\n    \
                      if x:  # so\n        return '\\'#', (\n            x)\n    \"\"\"one\"\"\"\n";
        let short = "A = \"#\"\ndef f(x):\n if x:\n  return '\\'#', (\n   x)\n";
        assert_eq!(shortened(script), short);
    }

    #[test]
    fn every_block_of_the_scripts_keeps_a_body() {
        for (name, text) in SOURCES.into_iter().filter(|(name, _)| *name != MAIN) {
            let short = shortened(text);
            let lines: Vec<&str> = short.lines().collect();
            let indent = |line: &str| line.len() - line.trim_start().len();
            for pair in lines.windows(2).filter(|pair| pair[0].ends_with(':')) {
                assert!(indent(pair[1]) > indent(pair[0]), "{name}: {pair:?}");
            }
            assert!(!short.contains("\"\"\"") && short.len() < text.len(), "{name}");
        }
    }

    #[test]
    fn files_take_full_sectors() {
        assert_eq!([0, 1, 512, 513].map(sectors), [0, 1, 1, 2]);
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), [0; 513]).unwrap();
        std::fs::create_dir(dir.path().join("b")).unwrap();
        std::fs::write(dir.path().join("b/c"), [0; 5]).unwrap();
        assert_eq!(sectors_of(dir.path()).unwrap(), 4);
    }
}
