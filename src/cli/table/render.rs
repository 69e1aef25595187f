//! `setsight render`: labelled tables drawn from a seed.

use super::film;
use crate::cli::common::{BadCall, Jobs, Outcome, SEED, one_of};
use crate::cli::part::{Part, PartArgs, Whole};
use crate::cli::stop;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::json;
use setsight_files::whole_file::{is_in_the_making, write_whole};
use setsight_files::{print_result, say};
use setsight_game::cards::{DECK_SIZE, Deck};
use setsight_game::json::VERSION;
use setsight_photo::labels::{LabelFile, PHOTO_LABELS, PhotoLabel};
use setsight_scenes::suite::{self, Suite};
use setsight_scenes::{
    DeckChoice, Kind, MAX_SIDE_PX, MIN_SIDE_PX, Params, RenderError, Scene, samples,
};
use std::collections::{BTreeMap, HashSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// Arguments of `render`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder for the pictures and their labels.json; made when it does not exist
    #[arg(short, long, value_name = "DIR", required_unless_present = "video")]
    out: Option<PathBuf>,
    /// How many tables to draw
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "samples")]
    count: usize,
    /// Same seed, same pictures; two kinds with the same seed lay the same cards
    ///
    /// What a kind does not change stays as it was, so that kinds can be compared on the same
    /// tables. A longer series begins like a shorter one.
    #[arg(long, default_value_t = SEED, conflicts_with = "samples")]
    seed: u64,
    /// What makes the tables hard to read
    ///
    /// Of a film it decides the table and the light; its cards lie in rows. [default: mixed; of a
    /// film: plain]
    #[arg(long, value_parser = one_of(&Kind::ALL, Kind::name_and_help), conflicts_with = "samples")]
    kind: Option<Kind>,
    /// Cards on each table, 0 to 81 [default: as the kind has them, mostly 12]
    #[arg(long, value_name = "N", conflicts_with = "samples")]
    cards: Option<usize>,
    /// Deal one deck over all tables, in one printing: as it is photographed to be learnt
    #[arg(long, conflicts_with_all = ["samples", "cards", "suite", "video"])]
    whole_deck: bool,
    /// Which deck: classic, rectangles, invented (each table another) or a deck's file
    ///
    /// classic is today's edition, rectangles the older European one, invented-7 the one that is invented
    /// from seed 7. A file is JSON as in crates/game/decks.
    #[arg(long, value_name = "NAME|FILE", default_value = "classic", conflicts_with = "samples")]
    deck: String,
    /// Mirror every picture, left for right, as webcams and front cameras do
    #[arg(long, conflicts_with_all = ["samples", "video"])]
    mirrored: bool,
    /// Size of the pictures in pixels, such as 1600x1200 [default: 1280x960, small: 640x480]
    #[arg(long, value_name = "WxH", value_parser = parse_size, conflicts_with = "samples")]
    size: Option<(u32, u32)>,
    /// Draw the tables of datasets/samples instead
    #[arg(long)]
    samples: bool,
    /// Draw a suite instead, each of its parts into a folder of its own
    #[arg(
        long,
        value_parser = one_of(&Suite::ALL, Suite::name_and_help),
        value_name = "NAME",
        conflicts_with_all =
            ["samples", "count", "seed", "kind", "cards", "size", "deck", "mirrored"]
    )]
    suite: Option<Suite>,
    /// Write into a folder that is not empty, replacing its labels
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    film: film::Args,
}

/// What the list of them takes is little then.
const MOST_TABLES: usize = 1_000_000;

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let parts =
        text.split_once(['x', 'X']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parts {
        Some((w, h)) if [w, h].iter().all(|s| (MIN_SIDE_PX..=MAX_SIDE_PX).contains(s)) => {
            Ok((w, h))
        }
        Some(_) => Err(format!("each side must be {MIN_SIDE_PX} to {MAX_SIDE_PX} pixels")),
        None => Err("expected WIDTHxHEIGHT, such as 1600x1200".into()),
    }
}

/// The deck of this name or file.
fn deck(name: &str) -> anyhow::Result<DeckChoice> {
    if name == "invented" {
        return Ok(DeckChoice::Invented);
    }
    if let Some(seed) = name.strip_prefix("invented-").and_then(|seed| seed.parse().ok()) {
        return Ok(DeckChoice::Known(Deck::invented(seed).into()));
    }
    match Deck::open(name) {
        Ok(deck) => Ok(DeckChoice::Known(deck)),
        Err(error) => Err(BadCall(format!("--deck {error}")).into()),
    }
}

/// Draws the tables.
///
/// # Errors
/// A call that asks for what cannot be drawn, or a folder that cannot be written.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let deck = deck(&args.deck)?;
    if let Some(video) = &args.film.video {
        if args.part.is_asked() {
            let message = "a film is drawn in one run: leave out --shard and --resume";
            return Err(BadCall(message.to_owned()).into());
        }
        return film::run(video, &args.film, args.kind, args.size, deck, args.seed);
    }
    let Some(out) = args.out.as_deref() else {
        return Err(BadCall("nowhere to draw to: give --out DIR or --video FILE".into()).into());
    };
    if args.count > MOST_TABLES {
        let message =
            format!("--count {}: at most {MOST_TABLES} tables are drawn at once", args.count);
        return Err(BadCall(message).into());
    }
    if args.count == 0 {
        return Err(
            BadCall("--count 0 draws nothing; give 1 or more, such as --count 10".into()).into()
        );
    }
    let params = params(&args, deck)?;
    let drawn_with = format!("{params:?}");
    let tables = tables(&args, params);
    let part = args.part.open(&Whole {
        command: "render",
        settings: settings(&tables, &drawn_with, args.seed),
        is_ours: args.part.numbered(tables.len()),
    })?;
    let mut folders: Vec<(Option<&'static str>, String)> = Vec::new();
    for table in &tables {
        if folders.last().is_none_or(|(folder, _)| *folder != table.folder) {
            folders.push((table.folder, table.source.clone()));
        }
    }
    let (before, part) = drawn_before(&tables, part, out)?;
    // What a killed run has left is replaced, also where it came to no line.
    let goes_on = part.has_begun() || part.has_file() && holds_nothing_else(out, &tables);
    let may_hold = args.overwrite || goes_on;
    prepare(out, may_hold)?;
    for folder in folders.iter().filter_map(|(folder, _)| *folder) {
        prepare(&out.join(folder), may_hold)?;
    }
    let (mut labels, part) = draw(&tables, part, out, args.jobs)?;
    labels.extend(before);
    let count = part.own_items();
    let (mut done, mut cards) = (0, 0);
    for (folder, source) in folders {
        let own = labels.iter().filter(|(index, _)| tables[**index].folder == folder);
        let photos: Vec<PhotoLabel> = own.map(|(_, label)| label.clone()).collect();
        done += photos.len();
        cards += photos.iter().map(|p| p.cards.len()).sum::<usize>();
        LabelFile::create(&out.join(folder.unwrap_or_default()), Some(&source), &photos)?;
    }
    let out = out.display();
    if done < count {
        say!("stopped: {done} of {count} tables drawn and labelled in {out}");
        return Ok(Outcome::SomeFailed);
    }
    // Samples and suites have seeds of their own. A closed pipe is no error.
    let seeded = !args.samples && args.suite.is_none();
    let _ = print_result!(
        "{done} table{} with {cards} cards in {out}{}",
        if done == 1 { "" } else { "s" },
        if seeded { format!(", seed {}", args.seed) } else { String::new() }
    );
    Ok(Outcome::Done)
}

fn params(args: &Args, deck: DeckChoice) -> Result<Params, BadCall> {
    let mut params = Params::of(args.kind.unwrap_or(Kind::Mixed));
    params.decks = vec![(deck, 1.0)];
    params.mirrored = f64::from(u8::from(args.mirrored));
    if let Some(cards) = args.cards {
        if cards > DECK_SIZE {
            return Err(BadCall(format!(
                "--cards {cards}: a deck has {DECK_SIZE} cards and a table holds each once; \
                 give 0 to {DECK_SIZE}"
            )));
        }
        params.cards = (cards, cards);
    }
    if args.whole_deck {
        params.whole_deck = Some(args.count);
    }
    if let Some(size) = args.size {
        params.size_px = size;
    }
    Ok(params)
}

/// The labels of the tables that were drawn before, by the tables' numbers. Looks before anything is written
/// whether they were drawn into this folder.
fn drawn_before(
    tables: &[TableJob],
    mut part: Part,
    out: &Path,
) -> anyhow::Result<(BTreeMap<usize, PhotoLabel>, Part)> {
    let mut labels = BTreeMap::new();
    for (index, line) in part.lines()? {
        let label = PhotoLabel::deserialize(&line["label"]);
        labels.insert(index, label.with_context(|| format!("no line of render: {line}"))?);
        let path = out.join(tables[index].path());
        if !path.is_file() {
            let message = format!(
                "{} was drawn before but is not there; give the folder that it was drawn into, or another \
                 file for --resume",
                path.display()
            );
            return Err(BadCall(message).into());
        }
    }
    Ok((labels, part))
}

/// Whether a folder, if it is there, holds nothing but pictures of these tables and files in the making.
fn holds_nothing_else(out: &Path, tables: &[TableJob]) -> bool {
    let mut own: HashSet<PathBuf> = tables.iter().map(TableJob::path).collect();
    let folders: HashSet<&str> = tables.iter().filter_map(|table| table.folder).collect();
    own.extend(folders.iter().map(PathBuf::from));
    folders.into_iter().chain([""]).all(|folder| {
        let entries = std::fs::read_dir(out.join(folder)).into_iter().flatten();
        let mut names = entries.flatten().map(|entry| Path::new(folder).join(entry.file_name()));
        names.all(|name| own.contains(&name) || is_in_the_making(&name))
    })
}

/// Draws the tables that are this run's and not drawn yet, until they are done or the run is stopped. Gives
/// their labels by the tables' numbers.
fn draw(
    tables: &[TableJob],
    part: Part,
    out: &Path,
    jobs: Jobs,
) -> anyhow::Result<(BTreeMap<usize, PhotoLabel>, Part)> {
    let todo = part.todo().to_vec();
    let stop = stop::asked();
    let bar = progress(todo.len());
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.count())
        .build()
        .context("cannot start threads")?;
    let part = Mutex::new(part);
    let draw_one = |index: usize| -> anyhow::Result<(usize, PhotoLabel)> {
        let table = &tables[index];
        let file = &table.file;
        let scene = (table.draw)()?;
        let bytes = scene.jpeg().with_context(|| format!("cannot encode {file}"))?;
        let path = out.join(table.path());
        write_whole(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
        bar.inc(1);
        let label = scene.label(file.clone());
        let mut part = part.lock().expect("no panic while held");
        if part.has_file() {
            let line = json!({"version": VERSION, "folder": table.folder, "label": label});
            part.write(index, line)?;
        }
        Ok((index, label))
    };
    let labels = threads.install(|| {
        todo.par_iter()
            .filter_map(|&index| (!stop.load(Ordering::Relaxed)).then(|| draw_one(index)))
            .collect::<anyhow::Result<_>>()
    })?;
    bar.finish_and_clear();
    Ok((labels, part.into_inner().expect("no panic while held")))
}

/// All that the pictures depend on.
fn settings(tables: &[TableJob], params: &str, seed: u64) -> String {
    let mut text = format!("{params} seed {seed}");
    for table in tables {
        text += &format!("\n{} {}", table.folder.unwrap_or_default(), table.file);
    }
    text
}

/// One table to draw.
struct TableJob {
    /// Its folder within that of the call.
    folder: Option<&'static str>,
    file: String,
    /// What the labels of its folder say of where it is from.
    source: String,
    draw: Box<dyn Fn() -> Result<Scene, RenderError> + Send + Sync>,
}

impl TableJob {
    /// Where its picture goes, within the folder of the call.
    fn path(&self) -> PathBuf {
        Path::new(self.folder.unwrap_or_default()).join(&self.file)
    }
}

/// What the call asks for, folder by folder.
fn tables(args: &Args, params: Params) -> Vec<TableJob> {
    let numbered = |name: &str, index: usize, count: usize| {
        let digits = count.to_string().len().max(4);
        format!("{name}-{:0digits$}.jpg", index + 1)
    };
    if let Some(suite) = args.suite {
        let parts = suite.parts();
        let of_part = |part: suite::Part| {
            (0..part.count).map(move |index| {
                let part = part.clone();
                TableJob {
                    folder: Some(part.name),
                    file: numbered(part.name, index, part.count),
                    source: part.name.to_owned(),
                    draw: Box::new(move || part.draw(index)),
                }
            })
        };
        return parts.into_iter().flat_map(of_part).collect();
    }
    if args.samples {
        let table = |sample: samples::Sample| TableJob {
            folder: None,
            file: sample.file.to_owned(),
            source: "setsight render --samples".to_owned(),
            draw: Box::new(move || sample.draw()),
        };
        return samples::all().into_iter().map(table).collect();
    }
    let (name, seed) = (args.kind.unwrap_or(Kind::Mixed).name(), args.seed);
    let mut source = format!("setsight render --kind {name} --seed {seed}");
    if args.deck != Deck::NAMES[0] {
        source += &format!(" --deck {}", args.deck);
    }
    if args.whole_deck {
        source += &format!(" --whole-deck --count {}", args.count);
    }
    if args.mirrored {
        source += " --mirrored";
    }
    let table = |index: usize| {
        let params = params.clone();
        TableJob {
            folder: None,
            file: numbered(name, index, args.count),
            source: source.clone(),
            draw: Box::new(move || setsight_scenes::render(&params, seed, index as u64)),
        }
    };
    (0..args.count).map(table).collect()
}

/// Makes the folder, and refuses one that holds something.
fn prepare(out: &Path, overwrite: bool) -> anyhow::Result<()> {
    std::fs::create_dir_all(out).with_context(|| {
        format!("cannot make the folder {}; give --out a place you may write to", out.display())
    })?;
    let mut entries =
        std::fs::read_dir(out).with_context(|| format!("cannot read {}", out.display()))?;
    if entries.next().is_some() && !overwrite {
        return Err(BadCall(format!(
            "{} is not empty; give an empty folder, or --overwrite to draw into it",
            out.display()
        ))
        .into());
    }
    // Old labels must not stand beside new pictures, even for a while.
    match std::fs::remove_file(out.join(PHOTO_LABELS)) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(e).with_context(|| format!("cannot replace {}", out.join(PHOTO_LABELS).display()))
        }
        _ => Ok(()),
    }
}

fn progress(count: usize) -> ProgressBar {
    if count < 4 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("drawing {bar:30} {pos}/{len}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::stderr())
        .with_style(style)
}
