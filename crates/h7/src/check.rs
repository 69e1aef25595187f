//! Verifies a folder for the board: hashes, and the room in its flash. What a file holds was checked when it was
//! made; whole, it holds the same.

use super::flash::{LIMIT_SECTORS, SECTOR_BYTES, sectors_of};
use super::folder::{BESIDE, BOARD, DESK, GOLDEN, LABELS, MODEL, PAGE, REPORT, SOURCES, sha256};
use super::{golden::hex, report::FORMAT};
use serde_json::Value;
use setsight_files::small_file::{MAX_DATA_BYTES, read_small};
use std::path::Path;

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
            .map_err(|e| format!("{REPORT}: is no JSON: {e}: damaged; export the folder again"))
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
        let own = name.split_once('/').filter(|(part, _)| [BOARD, DESK].contains(part));
        if own.is_none_or(|(_, own)| own.contains(['/', '\\']) || own.starts_with('.')) {
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
