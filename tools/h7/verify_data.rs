//! Writes the data that `tools/h7/verify` compares the board's interpreters with: crops with the
//! outputs of the Rust reference, boards with their sets, and frames with the cards in them.
//!
//! Usage: h7-verify-data EXPORTED_FOLDER OUT [--models FOLDER] [--cards FOLDER] [--photos FOLDER]
//!
//! | file | content |
//! |---|---|
//! | `inputs.bin`, `outputs.bin` | crops of 96 x 64 x 3 bytes (int8), 17 bytes each |
//! | `crops.json` | number of crops of each kind |
//! | `boards.json` | random boards (cards 0 to 80 or null) and their sets |
//! | `frames/*.bin`, `frames.json` | 320x240 RGB565, little endian; codes in view, card length |

use anyhow::Context;
use serde_json::{Value, json};
use setsight::{cards::Card, sets::find_all};
use setsight_h7::Crop;
use setsight_h7::parts::board::{self, Rgb565};
use setsight_h7::parts::{crops, folder, reference};
use setsight_nets::engine::{Models, file_of, used};
use setsight_nets::{Kind as Network, onnx};
use setsight_photo::{
    geometry::{Point, Quad},
    print::dice::{Dice, Purpose},
    source,
};
use setsight_scenes::Kind;
use std::path::{Path, PathBuf};

const SEED: u64 = 7_100;
/// Number of drawn tables whose cards become crops, twelve each.
const TABLES: usize = 20;
/// Number of photographed crops per folder.
const CROPS_A_FOLDER: usize = 80;
const BOARDS: usize = 1000;
/// Kinds of the drawn frames for the whole program: the intended conditions, and difficult ones.
const DRAWN_FRAMES: [Kind; 12] = [
    Kind::Plain,
    Kind::Wood,
    Kind::White,
    Kind::Black,
    Kind::Cloth,
    Kind::Touching,
    Kind::Shadow,
    Kind::Warm,
    Kind::Dim,
    Kind::Blur,
    Kind::Glare,
    Kind::Clutter,
];

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let usage = "usage: h7-verify-data EXPORTED_FOLDER OUT [--models FOLDER] [--cards FOLDER] [--photos FOLDER]";
    let exported = PathBuf::from(args.next().context(usage)?);
    let out = PathBuf::from(args.next().context(usage)?);
    let (mut models, mut cards, mut photos) = (used::models(), None, None);
    while let Some(option) = args.next() {
        let value = PathBuf::from(args.next().context(usage)?);
        match option.as_str() {
            "--models" => models = Models::Folder(value),
            "--cards" => cards = Some(value),
            "--photos" => photos = Some(value),
            _ => anyhow::bail!("{option}: {usage}"),
        }
    }
    std::fs::create_dir_all(out.join("frames"))?;
    write_crops(&models, &exported, &out, cards.as_deref())?;
    write_boards(&out)?;
    write_frames(&out, photos.as_deref())
}

fn write_crops(
    models: &Models,
    exported: &Path,
    out: &Path,
    cards: Option<&Path>,
) -> anyhow::Result<()> {
    let (graph, _) = onnx::decode(&models.read(file_of(Network::Reader))?)?;
    let made = folder::make(&graph, &folder::Options::default())?;
    let file = std::fs::read(exported.join(folder::MODEL))?;
    anyhow::ensure!(
        file == made.files[folder::MODEL],
        "the exported network is not the one that its models give"
    );
    let net = made.net;
    let drawn = crops::drawn(TABLES, SEED);
    let mut real: Vec<Crop> = Vec::new();
    for folder in folders_in(cards)? {
        let labels = setsight_photo::labels::read_crop_labels(&folder)?;
        let step = labels.len().div_ceil(CROPS_A_FOLDER).max(1);
        real.extend(crops::photographed(&folder, step, SEED)?);
    }
    let all = || drawn.iter().chain(&real);
    let bytes = |values: Vec<i8>| values.into_iter().flat_map(i8::to_le_bytes);
    let inputs: Vec<u8> = all().flat_map(|crop| bytes(crop.bytes.clone())).collect();
    let outputs: Vec<u8> = all().flat_map(|c| bytes(reference::run(&net, &c.bytes))).collect();
    std::fs::write(out.join("inputs.bin"), inputs)?;
    std::fs::write(out.join("outputs.bin"), outputs)?;
    let codes: Vec<usize> = all().map(|crop| crop.card.index()).collect();
    let counts = json!({"drawn": drawn.len(), "photographed": real.len(), "cards": codes});
    std::fs::write(out.join("crops.json"), counts.to_string())?;
    Ok(())
}

/// The direct subfolders that have labels.
fn folders_in(folder: Option<&Path>) -> anyhow::Result<Vec<PathBuf>> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    found.retain(|path| path.join(setsight_photo::labels::CROP_LABELS).is_file());
    found.sort();
    Ok(found)
}

fn write_boards(out: &Path) -> anyhow::Result<()> {
    let mut dice = Dice::new(SEED, 0, Purpose::Layout);
    let boards: Vec<Value> = (0..BOARDS)
        .map(|i| {
            // Mostly twelve places; sometimes more or fewer, gaps and repeated cards.
            let places = if i % 4 == 0 { dice.below(22) } else { 12 };
            let mut deck: Vec<usize> = (0..81).collect();
            dice.shuffle(&mut deck);
            let board: Vec<Option<usize>> = (0..places)
                .map(|place| match i % 5 {
                    1 if dice.chance(0.2) => None,
                    2 => Some(dice.below(81)),
                    _ => Some(deck[place]),
                })
                .collect();
            // `find_all` takes no gaps: they are removed first, and the results mapped back to
            // places.
            let filled: Vec<usize> = (0..places).filter(|&p| board[p].is_some()).collect();
            let cards: Vec<Card> =
                board.iter().flatten().map(|&card| Card::from_index(card)).collect();
            let sets: Vec<[usize; 3]> =
                find_all(&cards).iter().map(|set| set.0.map(|i| filled[i])).collect();
            json!({"board": board, "sets": sets})
        })
        .collect();
    std::fs::write(out.join("boards.json"), Value::from(boards).to_string())?;
    Ok(())
}

fn write_frames(out: &Path, photos: Option<&Path>) -> anyhow::Result<()> {
    let mut listed: Vec<Value> = Vec::new();
    let mut write = |name: String, kind: &str, frame: &Rgb565, codes: Vec<String>, card_px: f64| {
        let bytes: Vec<u8> = frame.pixels.iter().flat_map(|p| p.to_le_bytes()).collect();
        listed.push(json!({"name": name, "kind": kind, "codes": codes, "card_px": card_px}));
        std::fs::write(out.join("frames").join(format!("{name}.bin")), bytes)
    };
    for (i, kind) in DRAWN_FRAMES.into_iter().enumerate() {
        let (frame, cards) = crops::drawn_table(kind, SEED + 1, i as u64);
        let codes = cards.iter().map(|(_, card)| card.to_string()).collect();
        let sides = cards.iter().map(|(quad, _)| long_side(quad)).collect();
        write(format!("drawn-{i:02}-{kind:?}"), "drawn", &frame, codes, median(sides))?;
    }
    for (i, photo) in photos
        .map_or(Ok(Default::default()), setsight_labels::find_photos)?
        .photos
        .iter()
        .enumerate()
    {
        let loaded = source::load_photo(&photo.path)?;
        let labels = photo.label.upright_cards(loaded.orientation);
        let quads: Vec<Quad> = labels.iter().filter_map(|label| label.corners).collect();
        let Some(framed) = board::frame_photo(&loaded.frame, &quads) else { continue };
        let codes = labels.iter().map(|label| label.code.to_string()).collect();
        let quads = framed
            .corners
            .iter()
            .map(|c| Quad::new(c.map(|(x, y)| Point::new(f64::from(x), f64::from(y)))));
        let sides = quads.map(|quad| long_side(&quad)).collect();
        let file = Path::new(&photo.label.file);
        let stem = file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let folder = photo.source.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        write(
            format!("photo-{i:02}-{folder}-{stem}"),
            "photo",
            &framed.frame,
            codes,
            median(sides),
        )?;
    }
    std::fs::write(out.join("frames.json"), Value::from(listed).to_string())?;
    Ok(())
}

fn long_side(quad: &Quad) -> f64 {
    let side = |i: usize| quad.0[i].distance(quad.0[(i + 1) % 4]);
    ((side(0) + side(2)) / 2.0).max((side(1) + side(3)) / 2.0)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2].round()
}
