//! Makes the folder for the board and writes it completely or not at all.

use super::{
    ARENA_LIMIT_BYTES, FILE_LIMIT_BYTES, PEAK_LIMIT_BYTES, board,
    crops::{self, Crop},
    flash,
    float::Planes,
    golden::{self, Golden, hex},
    measure::{Agreement, agreement, card_of, int8_logits},
    net::Net,
    quantise::{ActivationRanges, Calibration, QuantiseError, check, quantise},
    report::{self, Facts, Measured},
    tflite,
};
use setsight_game::cards::Card;
use setsight_nets::{graph::Graph, reader};
use setsight_scenes::Kind;
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, io, path::Path};

/// What goes onto the board.
pub const BOARD: &str = "board";
/// What stays beside it: the self-test, the report, instructions.
pub const DESK: &str = "desk";
/// The network.
pub const MODEL: &str = "board/card.tflite";
/// The labels.
pub(crate) const LABELS: &str = "board/card.txt";
/// The self-test's pictures.
pub(crate) const GOLDEN: &str = "desk/golden.bin";
/// The figures as a page.
pub(crate) const PAGE: &str = "desk/report.md";
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
pub(crate) const BESIDE: [(&str, &str); 2] = [
    ("desk/selftest.py", include_str!("../board/selftest.py")),
    ("desk/README.md", include_str!("../board/README.md")),
];
/// The script that classifies cards.
const CARD_READER: &str = "board/card_reader.py";
/// The program.
pub(crate) const MAIN: &str = "board/main.py";
/// First line of a script that was made short.
const SHORTENED: &str =
    "# Without its explanations, to fit: they are in crates/h7/board of setsight's source.\n";

/// Why no folder can be made.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The network cannot be put on the board.
    #[error(transparent)]
    Quantise(#[from] QuantiseError),
    /// A part exceeds the board's limits.
    #[error("{what} takes {bytes} bytes, the board has room for {limit}; train a smaller network")]
    TooLarge {
        /// The part.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The maximum.
        limit: usize,
    },
}

/// Options of an export.
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

/// The files of a folder.
pub struct Folder {
    /// Contents by name, [`BOARD`] or [`DESK`] in front.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The quantised network.
    pub net: Net,
    /// The facts in the report.
    pub facts: Facts,
}

/// SHA-256 of some bytes.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Quantises a network, measures it and makes all files.
pub fn make(graph: &Graph, options: &Options) -> Result<Folder, ExportError> {
    check(graph)?;
    let drawn = crops::drawn(CALIBRATION_TABLES, CALIBRATION_SEED);
    let others = crops::drawn(COMPARISON_TABLES, COMPARISON_SEED);
    // Photographed crops alternate between calibration and the comparison.
    let turn = |first: usize| options.photographed.iter().skip(first).step_by(2);
    let ranges_on: Vec<Planes> =
        drawn.iter().chain(turn(0)).map(|crop| crop.planes.clone()).collect();
    let compare_on: Vec<Crop> = others.iter().chain(turn(1)).cloned().collect();
    let seen = ActivationRanges::over(graph, &ranges_on);
    let mut tried: Vec<(Calibration, Net, Agreement)> = Vec::new();
    for calibration in CALIBRATIONS {
        let net = quantise(graph, &seen, calibration)?;
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
        agreement: agreement(graph, &net, &others),
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
    files.insert(GOLDEN.into(), golden::write(&net, &sha, &goldens));
    files.insert(MODEL.into(), model);
    let sectors = on_the_board(&files);
    if sectors > flash::LIMIT_SECTORS {
        let bytes = |sectors: u64| (sectors * flash::SECTOR_BYTES) as usize;
        return Err(ExportError::TooLarge {
            what: "the board's folder",
            bytes: bytes(sectors),
            limit: bytes(flash::LIMIT_SECTORS),
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
    let order = |&a: &usize, &b: &usize| {
        let (a, b) = (&tried[a].2, &tried[b].2);
        (a.same_card, -a.mean_logit_error)
            .partial_cmp(&(b.same_card, -b.mean_logit_error))
            .unwrap_or(std::cmp::Ordering::Equal)
    };
    (0..tried.len()).max_by(order).expect("three ways")
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
            text = SHORTENED.to_owned() + &flash::shortened(&text);
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
    on_board.map(|(_, bytes)| flash::sectors(bytes.len() as u64)).sum()
}

/// The labels file: one label per line, in the order of the outputs.
pub(crate) fn labels() -> String {
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
            let picture = golden::in_few_colors(&board::card(&frame, &corners));
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

/// Writes the files as a folder: under a temporary name in the same parent folder, then renamed.
pub fn write(files: &BTreeMap<String, Vec<u8>>, out: &Path, replace: bool) -> io::Result<()> {
    let parent = match out.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(parent)?;
    let beside = tempfile::Builder::new().prefix(".setsight-").suffix(".tmp").tempdir_in(parent)?;
    let (new, old) = (beside.path().join("new"), beside.path().join("old"));
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
