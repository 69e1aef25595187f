//! `setsight render`: labelled tables drawn from a seed, or with `--video` a film and its labels on disk.

use crate::cli::common::{BadCall, Jobs, Outcome, SEED, on_threads, one_of, unwritten};
use crate::cli::stop;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use setsight_files::printable::counted;
use setsight_files::whole_file::{
    FolderLock, WholeFile, is_no_content, refuse_foreign, write_atomic,
};
use setsight_files::{print_result, say};
use setsight_game::cards::{DECK_SIZE, Deck};
use setsight_live::films::AviWriter;
use setsight_photo::labels::{LabelFile, PHOTO_LABELS, PhotoLabel, has_labels, numbered_folder};
use setsight_scenes::{
    DeckChoice, Kind, MAX_SIDE_PX, MIN_SIDE_PX, Params, RenderError, Scene,
    film::{Film, FilmFrame, FilmParams},
    suite::{self, Suite},
};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{ops::Range, sync::Arc};

/// Options that suites and the samples have set.
const OF_SINGLE_TABLES: [&str; 8] =
    ["count", "seed", "kind", "cards", "full_deck", "size", "deck", "mirrored"];

/// Arguments of `render`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder for the pictures and their labels.json; created if missing
    #[arg(short, long, value_name = "DIR", required_unless_present = "video")]
    out: Option<PathBuf>,
    /// How many tables to draw
    ///
    /// More than 1,000 go into folders of 1,000 in DIR, 0000, 0001 and so on, each with its labels.json:
    /// one data set for eval and train.
    #[arg(long, value_name = "N", default_value_t = 10)]
    count: usize,
    /// Same seed, same pictures; two kinds with the same seed lay the same cards
    ///
    /// What a kind does not change stays as it was, so that kinds can be compared on the same
    /// tables. A longer series begins like a shorter one.
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    /// What makes the tables hard to read
    ///
    /// For a film it sets the table and the light; its cards lie in rows. [default: mixed; for a film:
    /// plain]
    #[arg(long, value_parser = one_of(&Kind::ALL, Kind::name_and_help))]
    kind: Option<Kind>,
    /// Cards on each table, 0 to 81 [default: depends on the kind, mostly 12]
    #[arg(long, value_name = "N")]
    cards: Option<usize>,
    /// Deal one deck over all tables, as it is photographed for `deck learn`
    #[arg(long = "whole-deck", conflicts_with_all = ["cards", "video"])]
    full_deck: bool,
    /// Which deck: classic, rectangles, invented (a different one for each table) or a deck's file
    ///
    /// classic is today's edition, rectangles the older European one, invented-7 the one that is invented
    /// from seed 7. A file is JSON as in crates/game/decks.
    #[arg(long, value_name = "NAME|FILE", default_value = "classic")]
    deck: String,
    /// Mirror every picture, left for right, as webcams and front cameras do
    #[arg(long, conflicts_with = "video")]
    mirrored: bool,
    /// Size of the pictures in pixels, such as 1600x1200 [default: 1280x960, small: 640x480]
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,
    /// Draw the tables and the film of datasets/samples instead
    #[arg(hide = true, long, conflicts_with_all = OF_SINGLE_TABLES)]
    samples: bool,
    /// Draw a suite instead, each of its parts into a folder of its own
    #[arg(
        long,
        value_parser = one_of(&Suite::ALL, Suite::name_and_help),
        value_name = "NAME",
        conflicts_with = "samples",
        conflicts_with_all = OF_SINGLE_TABLES
    )]
    suite: Option<Suite>,
    /// Write into a folder that is not empty, replacing its labels
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    film: FilmArgs,
}

/// What the list of them takes is little then.
const MOST_TABLES: usize = 1_000_000;
/// Tables of one folder at most: labels are read and written a folder at a time.
const MOST_IN_FOLDER: usize = 1_000;

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
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    run_with(args, MOST_IN_FOLDER)
}

fn run_with(args: Args, most_in_folder: usize) -> anyhow::Result<Outcome> {
    let deck = deck(&args.deck)?;
    if let Some(video) = &args.film.video {
        return run_film(video, &args, deck);
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
    let tables = tables(&args, params);
    let folders = folders(&tables, most_in_folder);
    let stop = stop::asked();
    make(out)?;
    let lock = FolderLock::take(out)
        .with_context(|| format!("tables cannot be drawn into {}", out.display()))?;
    look(&folders, out, args.overwrite)?;
    prepare(out, &folders)?;
    let (mut done, mut cards) = (0, 0);
    let bar = progress(tables.len());
    let drawing = Drawing { tables: &tables, out, bar: &bar, stop };
    for folder in &folders {
        let photos = on_threads(args.jobs.count(), || drawing.folder(folder))?;
        done += photos.len();
        cards += photos.iter().map(|p| p.cards.len()).sum::<usize>();
        let (place, source) = (out.join(&folder.path), Some(&*folder.source));
        LabelFile::create_under(&lock, &place, source, &photos)?;
    }
    bar.finish_and_clear();
    let (film, out) = (out.join(FILM_OF_SAMPLES), out.display());
    if done < tables.len() {
        let count = tables.len();
        say!("stopped: {done} of {count} tables drawn and labelled in {out}");
        return Ok(Outcome::SomeFailed);
    }
    // Samples and suites have seeds of their own. A closed pipe is no error.
    let seeded = !args.samples && args.suite.is_none();
    let _ = print_result!(
        "{} with {cards} cards in {out}{}",
        counted(done, "table"),
        if seeded { format!(", seed {}", args.seed) } else { String::new() }
    );
    if args.samples { shoot_film_of_samples(&film) } else { Ok(Outcome::Done) }
}

fn params(args: &Args, deck: DeckChoice) -> Result<Params, BadCall> {
    let mut params = Params::for_kind(args.kind.unwrap_or(Kind::Mixed));
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
    if args.full_deck {
        params.full_deck = Some(args.count);
    }
    if let Some(size) = args.size {
        params.size_px = size;
    }
    Ok(params)
}

/// Looks, before anything is written, whether the tables may be drawn there.
fn look(folders: &[Folder], out: &Path, overwrite: bool) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(out).with_context(|| format!("cannot read {}", out.display()));
    // What a killed run was writing is replaced; the lock is our own.
    let is_empty = entries?.flatten().all(|entry| is_no_content(&entry.path()));
    if !overwrite && !is_empty {
        return Err(BadCall(format!(
            "{} is not empty; give an empty folder, or --overwrite to draw into it",
            out.display()
        ))
        .into());
    }
    let next = out.join(numbered_folder(folders.len()));
    if folders.len() > 1 && has_labels(&next, PHOTO_LABELS) {
        let message = format!("{} is of a longer series; give another folder", next.display());
        return Err(BadCall(message).into());
    }
    Ok(())
}

/// What the folders of a run share.
struct Drawing<'a> {
    tables: &'a [TableJob],
    out: &'a Path,
    bar: &'a ProgressBar,
    stop: &'a AtomicBool,
}

impl Drawing<'_> {
    /// Draws the tables of a folder until they are done or the run is stopped. Gives the labels of all that are
    /// drawn, in their order.
    fn folder(&self, folder: &Folder) -> anyhow::Result<Vec<PhotoLabel>> {
        let place = self.out.join(&folder.path);
        let tables = folder.tables.clone().into_par_iter();
        let tables = tables.filter(|_| !self.stop.load(Ordering::Relaxed));
        tables.map(|index| self.table(index, &place)).collect()
    }

    fn table(&self, index: usize, place: &Path) -> anyhow::Result<PhotoLabel> {
        let TableJob { file, draw, .. } = &self.tables[index];
        let scene = draw()?;
        let bytes = scene.jpeg().with_context(|| format!("cannot encode {file}"))?;
        let path = place.join(file);
        write_atomic(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
        self.bar.inc(1);
        Ok(scene.label(file.clone()))
    }
}

/// One table to draw.
struct TableJob {
    /// Its folder within that of the call.
    folder: Option<&'static str>,
    file: String,
    /// What the labels of its folder say of where it is from.
    source: Arc<str>,
    draw: Box<dyn Fn() -> Result<Scene, RenderError> + Send + Sync>,
}

/// Tables whose pictures and labels lie together.
struct Folder {
    /// Within that of the call.
    path: PathBuf,
    /// What its labels say of where it is from.
    source: Arc<str>,
    /// Their numbers among all tables.
    tables: Range<usize>,
}

/// Where the tables go: into the folders of a suite, and into numbered ones in such a folder if there are
/// more than `most`.
fn folders(tables: &[TableJob], most: usize) -> Vec<Folder> {
    let mut folders = Vec::new();
    let mut first = 0;
    for together in tables.chunk_by(|a, b| a.folder == b.folder) {
        let end = first + together.len();
        let path = PathBuf::from(together[0].folder.unwrap_or_default());
        let source = &together[0].source;
        for (number, from) in (first..end).step_by(most).enumerate() {
            let is_all = together.len() <= most;
            let path = if is_all { path.clone() } else { path.join(numbered_folder(number)) };
            let tables = from..end.min(from + most);
            folders.push(Folder { path, source: Arc::clone(source), tables });
        }
        first = end;
    }
    folders
}

/// What the call asks for, folder by folder.
fn tables(args: &Args, params: Params) -> Vec<TableJob> {
    if let Some(suite) = args.suite {
        return suite.parts().into_iter().flat_map(tables_of_part).collect();
    }
    if args.samples {
        return suite::samples().into_iter().map(table_of_sample).collect();
    }
    let (name, seed) = (args.kind.unwrap_or(Kind::Mixed).name(), args.seed);
    let mut source = format!("setsight render --kind {name} --seed {seed}");
    if args.deck != Deck::NAMES[0] {
        source += &format!(" --deck {}", args.deck);
    }
    if args.full_deck {
        source += &format!(" --whole-deck --count {}", args.count);
    }
    if args.mirrored {
        source += " --mirrored";
    }
    let (params, source) = (Arc::new(params), Arc::<str>::from(source));
    let tables = (0..args.count).map(|index| {
        let params = Arc::clone(&params);
        TableJob {
            folder: None,
            file: numbered(name, index, args.count),
            source: Arc::clone(&source),
            draw: Box::new(move || setsight_scenes::render(&params, seed, index as u64)),
        }
    });
    tables.collect()
}

fn tables_of_part(part: suite::Part) -> impl Iterator<Item = TableJob> {
    (0..part.count).map(move |index| {
        let part = part.clone();
        TableJob {
            folder: Some(part.name),
            file: numbered(part.name, index, part.count),
            source: part.name.into(),
            draw: Box::new(move || part.draw(index)),
        }
    })
}

fn table_of_sample(sample: suite::Sample) -> TableJob {
    TableJob {
        folder: None,
        file: sample.file.to_owned(),
        source: "setsight render --samples".into(),
        draw: Box::new(move || sample.draw()),
    }
}

fn numbered(name: &str, index: usize, count: usize) -> String {
    let digits = count.to_string().len().max(4);
    format!("{name}-{:0digits$}.jpg", index + 1)
}

/// Makes a folder, if it is not there.
fn make(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| {
        let folder = folder.display();
        format!("cannot make the folder {folder}; give --out a place you may write to")
    })
}

/// Makes the folders. Old labels must not stand beside new pictures, even for a while.
fn prepare(out: &Path, folders: &[Folder]) -> anyhow::Result<()> {
    let folders = folders.iter().map(|folder| out.join(&folder.path));
    for folder in std::iter::once(out.to_owned()).chain(folders) {
        make(&folder)?;
        let labels = folder.join(PHOTO_LABELS);
        match std::fs::remove_file(&labels) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot replace {}", labels.display()))?;
            }
            _ => {}
        }
    }
    Ok(())
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

/// Frames drawn side by side.
const BATCH: usize = 8;

/// The group of options that make one.
const FILM: &str = "A film";

/// Arguments of `render` that make a film.
#[derive(clap::Args)]
#[command(next_help_heading = FILM)]
pub struct FilmArgs {
    /// Make a film instead: this file, .avi, and its labels beside it, .jsonl, a line a frame
    ///
    /// A game under a drifting camera: a hand takes sets and deals cards, passes over the table, and
    /// the focus hunts.
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["out", "count", "samples", "cards", "suite"])]
    pub video: Option<PathBuf>,
    /// Length of the film
    #[arg(long, value_name = "S", default_value_t = 10.0, requires = "video")]
    seconds: f64,
}

/// Frames a second of a film, and the JPEG quality of each, 1 to 100.
#[derive(Clone, Copy)]
struct FilmFormat {
    fps: f64,
    quality: u8,
}

const FILM_FORMAT: FilmFormat = FilmFormat { fps: 30.0, quality: 80 };

/// The file of the film among the samples.
const FILM_OF_SAMPLES: &str = "9-film.avi";

/// Draws the film of the samples, which is kept small.
fn shoot_film_of_samples(video: &Path) -> anyhow::Result<Outcome> {
    let mut scene = Params::for_kind(Kind::Plain);
    scene.size_px = (640, 360);
    let format = FilmFormat { fps: 9.0, quality: 45 };
    let params = FilmParams { scene, seconds: 5.6, fps: format.fps, phone: false };
    shoot(video, format, params, 5)
}

fn run_film(video: &Path, args: &Args, deck: DeckChoice) -> anyhow::Result<Outcome> {
    let (seconds, kind) = (args.film.seconds, args.kind);
    if !(seconds > 0.0 && seconds <= 3600.0) {
        let message = format!("--seconds {seconds}: give a length above 0, at most 3600");
        return Err(BadCall(message).into());
    }
    if kind == Some(Kind::Screen) {
        let message =
            "--kind screen has no film; give another kind with --video, or --out DIR for pictures";
        return Err(BadCall(message.into()).into());
    }
    let mut scene = Params::for_kind(kind.unwrap_or(Kind::Plain));
    scene.size_px = args.size.unwrap_or((1280, 720));
    scene.decks = vec![(deck, 1.0)];
    let params = FilmParams { scene, seconds, fps: FILM_FORMAT.fps, phone: false };
    shoot(video, FILM_FORMAT, params, args.seed)
}

/// Draws a film into `video` (Motion JPEG in AVI) and its labels beside it.
fn shoot(
    video: &Path,
    format: FilmFormat,
    params: FilmParams,
    seed: u64,
) -> anyhow::Result<Outcome> {
    let size_px = params.scene.size_px;
    let film = Film::plan(params, seed)?;
    let count = film.frames();
    if video.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("avi")) {
        let message = format!(
            "--video {}: films are written as AVI; call it {}",
            video.display(),
            video.with_extension("avi").display()
        );
        return Err(BadCall(message).into());
    }
    let cannot = || format!("cannot write {}", video.display());
    let lines = video.with_extension("jsonl");
    if video.is_file() && !lines.is_file() {
        let message = format!(
            "{}: a film without labels beside it is there and would be replaced; name another place",
            cannot()
        );
        return Err(BadCall(message).into());
    }
    // Nobody has named this file.
    refuse_foreign(&lines, b"{\"frame\":").map_err(|error| unwritten(cannot(), error))?;
    let file = WholeFile::create(video).with_context(cannot)?;
    let mut avi = AviWriter::new(file, size_px, format.fps, format.quality).with_context(cannot)?;
    let mut labels = WholeFile::create(&lines).with_context(cannot)?;
    let stop = stop::asked();
    let bar = super::photos::progress(count);
    let mut cards = std::collections::BTreeSet::new();
    for start in (0..count).step_by(BATCH) {
        if stop.load(Ordering::Relaxed) {
            say!("stopped after {start} of {count} frames; nothing is written");
            return Ok(Outcome::SomeFailed);
        }
        let batch = start..(start + BATCH).min(count);
        let frames: Vec<FilmFrame> = batch.into_par_iter().map(|i| film.draw(i)).collect();
        for frame in &frames {
            avi.frame(&frame.image).with_context(cannot)?;
            serde_json::to_writer(&mut labels, &frame.label).with_context(cannot)?;
            labels.write_all(b"\n").with_context(cannot)?;
            cards.extend(frame.label.cards.iter().map(|card| card.code));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    // Labels never stand beside a film that is not there.
    avi.finish().and_then(WholeFile::finish).with_context(cannot)?;
    labels.finish().with_context(cannot)?;
    // A closed pipe is no error.
    let _ = print_result!(
        "{count} frames with {} cards in {}, labels in {}, seed {seed}",
        cards.len(),
        video.display(),
        lines.display()
    );
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use serde_json::json;
    use setsight_labels::find_labelled;
    use std::{ffi::OsStr, fs};

    #[derive(clap::Parser)]
    struct Call {
        #[command(flatten)]
        args: Args,
    }

    /// Draws seven tables, three to a folder.
    fn draw(out: &Path, more: &str) -> anyhow::Result<Outcome> {
        let call = "render --kind plain --cards 1 --size 32x32 --count 7 --jobs 1";
        let words = call.split(' ').chain(more.split_whitespace()).map(OsStr::new);
        let words = words.chain([OsStr::new("--out"), out.as_os_str()]);
        run_with(Call::parse_from(words).args, 3)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The labels of a data set.
    fn labels(folder: &Path) -> Vec<String> {
        let mut labels = Vec::new();
        find_labelled(folder, &mut |photo| {
            assert!(photo.path.is_file());
            labels.push(json!(photo.label).to_string());
        })
        .unwrap();
        labels
    }

    #[test]
    fn many_tables_go_into_numbered_folders_that_are_one_data_set() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("whole");
        draw(&out, "").unwrap();
        assert_eq!(names(&out), ["0000", "0001", "0002"]);
        assert_eq!(names(&out.join("0002")), ["labels.json", "plain-0007.jpg"]);
        assert_eq!(labels(&out).len(), 7);
        // Labels of tables that are not drawn anew must not stay among those that are.
        fs::rename(out.join("0000"), out.join("0003")).unwrap();
        assert!(draw(&out, "--overwrite").is_err());
        assert!(out.join("0003/labels.json").is_file() && !out.join("0000").exists());
    }
}
