//! `setsight export h7`: a folder for the OpenMV Cam H7, and the check of one.

use crate::cli::common::{BadCall, Outcome, put};
use crate::cli::table::photos::ModelsArgs;
use anyhow::{Context, bail};
use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};
use rayon::prelude::*;
use setsight_files::{print_result, printable::print_lines, say};
use setsight_game::sets;
use setsight_h7::parts::board::{self, Framed};
use setsight_h7::parts::{crops, flash, folder, report};
use setsight_h7::{BoardReading, Crop, Net, check, read_cards};
use setsight_nets::engine::{self, Models, file_of};
use setsight_nets::graph::Graph;
use setsight_nets::{Kind, onnx, reader};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::{encode, source};
use setsight_vision::output::overlay::{offset, outline, text_centred};
use setsight_vision::{CardImage, CardOutline, PhotoReader};
use std::path::{Path, PathBuf};

/// Photographed crops taken of one folder for calibration, at most.
const CROPS_A_FOLDER: usize = 240;
const CROPS_SEED: u64 = 7_010;

/// Arguments of `export h7`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder to make: copy board/ in it to the camera's flash or SD card; desk/ is for the computer
    #[arg(short, long, value_name = "DIR", required_unless_present = "check")]
    out: Option<PathBuf>,
    /// Check an existing folder: its hashes, and whether it fits the flash
    #[arg(long, value_name = "DIR", exclusive = true)]
    check: Option<PathBuf>,
    #[command(flatten)]
    models: ModelsArgs,
    /// A folder of labelled crops (labels.csv) to calibrate on beside drawn cards; can be repeated
    #[arg(hide = true, long, value_name = "DIR")]
    crops: Vec<PathBuf>,
    /// Labelled photos to measure the integers on, for the report
    #[arg(hide = true, long, value_name = "DIR")]
    photos: Option<PathBuf>,
    /// Also write DIR-preview.png: this photo as the board would show it
    #[arg(long, value_name = "PHOTO")]
    preview: Option<PathBuf>,
    /// Replace an existing folder and its preview
    #[arg(long)]
    overwrite: bool,
}

/// Exports, or checks.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if let Some(folder) = &args.check {
        return check_folder(folder);
    }
    let out = args.out.as_deref().expect("clap requires one of the two");
    let occupied = std::fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    if occupied && !args.overwrite {
        return Err(BadCall(format!(
            "{} is not empty; give a new folder, or --overwrite to replace it",
            out.display()
        ))
        .into());
    }
    // A folder of something else is not swept away by a slip of the hand.
    if occupied && !out.join(folder::REPORT).is_file() {
        return Err(BadCall(format!(
            "{} holds something else than an exported reader (no {}); give another folder",
            out.display(),
            folder::REPORT
        ))
        .into());
    }
    let preview_path = preview_path(out);
    if args.preview.is_some() && !args.overwrite && preview_path.exists() {
        let path = preview_path.display();
        return Err(BadCall(format!("{path} already exists; --overwrite replaces it, too")).into());
    }
    folder::check_place(out).with_context(|| format!("cannot write {}", out.display()))?;
    let reader = Reader::load(&args.models.named_or_used())?;
    let mut options =
        folder::Options { source_sha256: reader.sha256, ..folder::Options::default() };
    for crops in &args.crops {
        options.photographed.extend(photographed(crops)?);
    }
    if let Some(photos) = &args.photos {
        let (desktop, board) = photo_crops(photos)?;
        options.measure = vec![
            ("photos_desktop", "cards of photos, the desktop's way".into(), desktop),
            ("photos_board", "cards of photos, the board's way".into(), board),
        ];
    }
    let made = folder::make(&reader.graph, &options)
        .with_context(|| format!("cannot export {}", reader.name))?;
    folder::write(&made.files, out, args.overwrite)
        .with_context(|| format!("cannot write {}", out.display()))?;
    let model_bytes = made.files[folder::MODEL].len();
    if let Some(photo) = &args.preview {
        write_preview(photo, &made.net, &preview_path)?;
    }
    let text = report::summary(&made.net, &made.facts, model_bytes);
    // A closed pipe is no error.
    let sectors = folder::on_the_board(&made.files);
    let kb = |sectors: u64| (sectors * flash::SECTOR_BYTES) as f64 / 1024.0;
    let summary = format!(
        "{}: {:.1} KB of the {:.0} KB that fit the internal flash; copy the folder {} to the camera; \
         for the computer, start with {}/README.md\n{text}\n\
         LiteRT computes as TFLite-Micro does with BUILTIN_REF; XNNPACK, its default, is off by some steps",
        out.display(),
        kb(sectors),
        kb(flash::LIMIT_SECTORS),
        folder::BOARD,
        folder::DESK
    );
    let _ = print_lines(&summary);
    Ok(Outcome::Done)
}

/// Beside the folder, which holds only what the board needs.
fn preview_path(out: &Path) -> PathBuf {
    let mut path = out.components().as_path().as_os_str().to_owned();
    path.push("-preview.png");
    PathBuf::from(path)
}

fn write_preview(photo: &Path, net: &Net, path: &Path) -> anyhow::Result<()> {
    let (picture, [cards, sets]) = preview(photo, net)?;
    // What else is there was named by --overwrite.
    put(path, b"", &[photo], &encode::png(&picture)?)?;
    say!("{}: {cards} cards and {sets} sets as the board would draw them", path.display());
    Ok(())
}

struct Reader {
    name: String,
    graph: Graph,
    sha256: String,
}

impl Reader {
    fn load(models: &Models) -> anyhow::Result<Self> {
        let file = file_of(Kind::Reader);
        let (name, bytes) = (models.name_of(file), models.read(file)?);
        let (graph, metadata) =
            onnx::decode(&bytes).with_context(|| format!("{name} cannot be used"))?;
        if metadata.kind != Kind::Reader {
            bail!("{name} is no card reader; give a folder with one by --models DIR");
        }
        Ok(Self { name, graph, sha256: engine::sha256(&bytes) })
    }
}

/// Some crops of a folder, evenly spread over it.
fn photographed(folder: &Path) -> anyhow::Result<Vec<Crop>> {
    let labels = setsight_photo::labels::read_crop_labels(folder)?;
    let step = labels.len().div_ceil(CROPS_A_FOLDER).max(1);
    let crops = crops::photographed(folder, step, CROPS_SEED)?;
    if crops.is_empty() {
        bail!("{}: none of its crops can be read", folder.display());
    }
    Ok(crops)
}

/// The cards with known corners of labelled photos: as the desktop straightens them, and as the
/// board does.
fn photo_crops(folder: &Path) -> anyhow::Result<(Vec<Crop>, Vec<Crop>)> {
    let photos = setsight_labels::find_photos(folder)?.photos;
    let of_photo =
        |photo: &setsight_labels::LabelledPhoto| -> anyhow::Result<(Vec<Crop>, Vec<Crop>)> {
            let loaded = source::load_photo(&photo.path)
                .with_context(|| format!("{} cannot be read", photo.path.display()))?;
            let labels = photo.label.cards_in(&loaded);
            let labelled: Vec<_> =
                labels.iter().filter_map(|l| Some((l.corners?, l.code))).collect();
            let quads: Vec<_> = labelled.iter().map(|(quad, _)| *quad).collect();
            let desktop = labelled.iter().map(|(quad, card)| {
                let card_image = CardImage::rectify(&loaded.frame, &CardOutline::at(*quad));
                let (width, height) = (reader::WIDTH as u32, reader::HEIGHT as u32);
                let small =
                    imageops::resize(&card_image.pixels, width, height, FilterType::Triangle);
                Crop::of_rgb(&small, *card)
            });
            let desktop = desktop.collect();
            let framed = board::frame_photo(&loaded.frame, &quads);
            let board = framed.map_or(Vec::new(), |framed| {
                let cards = framed.corners.iter().zip(&labelled);
                cards
                    .map(|(corners, (_, card))| {
                        Crop::from_board(&board::card(&framed.frame, corners), *card)
                    })
                    .collect()
            });
            Ok((desktop, board))
        };
    let all = photos.par_iter().map(of_photo).collect::<anyhow::Result<Vec<_>>>()?;
    let (mut desktop, mut board) = (Vec::new(), Vec::new());
    for (d, b) in all {
        desktop.extend(d);
        board.extend(b);
    }
    Ok((desktop, board))
}

fn check_folder(folder: &Path) -> anyhow::Result<Outcome> {
    if !folder.is_dir() {
        return Err(BadCall(format!(
            "{} is not a folder; give one made by setsight export h7 --out",
            folder.display()
        ))
        .into());
    }
    let checked = check(folder);
    for line in &checked.good {
        let _ = print_result!("ok: {line}");
    }
    for line in &checked.wrong {
        say!("wrong: {line}");
    }
    if checked.wrong.is_empty() {
        let _ = print_result!("{}: all good", folder.display());
        Ok(Outcome::Done)
    } else {
        Ok(Outcome::SomeFailed)
    }
}

/// The frame's pixels are drawn so many times as large.
const SCALE: u32 = 3;
const GREY: Rgb<u8> = Rgb([128, 128, 128]);
const BLACK: Rgb<u8> = Rgb([0, 0, 0]);
/// Those of `main.py`.
const SET_COLORS: [Rgb<u8>; 6] = [
    Rgb([255, 60, 60]),
    Rgb([60, 220, 60]),
    Rgb([80, 120, 255]),
    Rgb([255, 200, 0]),
    Rgb([255, 0, 255]),
    Rgb([0, 230, 230]),
];

/// A frame of the photo with the board's readings and sets, and how many cards and sets it shows.
/// Where the cards lie is found here, not by the board's own script.
fn preview(photo: &Path, net: &Net) -> anyhow::Result<(RgbImage, [usize; 2])> {
    let read = PhotoReader::new()?.read_file(photo).context("--preview")?;
    let (image, table) = read.full_resolution();
    let quads: Vec<Quad> = table.cards.iter().map(|card| card.corners_in_image).collect();
    let Some(framed) = board::frame_photo(&image, &quads) else {
        bail!("--preview {}: shows no card; give a photo of a table", photo.display());
    };
    let cards = read_cards(net, &framed);
    Ok(draw(&framed, &cards))
}

/// As `draw` of `main.py`: a code on each card, and for each set a frame around its cards.
fn draw(framed: &Framed, cards: &[BoardReading]) -> (RgbImage, [usize; 2]) {
    let frame = &framed.frame;
    let bytes = frame.channels().flatten().collect();
    let small = RgbImage::from_raw(frame.width as u32, frame.height as u32, bytes)
        .expect("three bytes for each pixel");
    let (width, height) = (small.width() * SCALE, small.height() * SCALE);
    let mut picture = imageops::resize(&small, width, height, FilterType::Nearest);
    let scale = f64::from(SCALE);
    let place = |(x, y): (i32, i32)| Point::new(f64::from(x) * scale, f64::from(y) * scale);
    let quads: Vec<Quad> =
        framed.corners.iter().map(|corners| Quad::new(corners.map(place))).collect();
    for (quad, reading) in quads.iter().zip(cards) {
        let (text, color) = match reading.unsure {
            true => (format!("{}?", reading.card), GREY),
            false => (reading.card.to_string(), BLACK),
        };
        text_centred(&mut picture, quad.center(), 9.0 * scale, color, &text);
        if reading.unsure {
            outline(&mut picture, quad, 2.0 * scale, GREY, None);
        }
    }
    let sure: Vec<usize> = (0..cards.len()).filter(|&i| !cards[i].unsure).collect();
    let codes: Vec<_> = sure.iter().map(|&i| cards[i].card).collect();
    let found = sets::find_all(&codes);
    for (number, set) in found.iter().enumerate() {
        let color = SET_COLORS[number % SET_COLORS.len()];
        let grow = f64::from(1 + 3 * (number as u32 % 4)) * scale;
        for place in set.0 {
            let quad = offset(&quads[sure[place]], grow);
            outline(&mut picture, &quad, 2.0 * scale, color, None);
        }
    }
    (picture, [cards.len(), found.len()])
}
