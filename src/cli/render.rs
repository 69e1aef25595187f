//! `setsight render`: labelled tables drawn from a seed.

use super::photos::stop_on_ctrl_c;
use super::{BadCall, Outcome};
use crate::cards::DECK_SIZE;
use crate::dataset::{PHOTO_LABELS, PhotoLabel, PhotoLabels};
use crate::render::{Kind, MAX_SIDE_PX, MIN_SIDE_PX, Params, Scene, samples};
use crate::whole_file::write_whole;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Arguments of `render`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder for the pictures and their labels.json; made when it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How many tables to draw
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "samples")]
    count: usize,
    /// Same seed, same pictures; two kinds with the same seed lay the same cards
    ///
    /// What a kind does not change stays as it was, so that kinds can be compared on the same
    /// tables. A longer series begins like a shorter one.
    #[arg(long, value_name = "S", default_value_t = 0, conflicts_with = "samples")]
    seed: u64,
    /// What makes the tables hard to read
    #[arg(long, value_enum, default_value_t = Kind::Mixed, conflicts_with = "samples")]
    kind: Kind,
    /// Cards on each table, 0 to 81 [default: as the kind has them, mostly 12]
    #[arg(long, value_name = "N", conflicts_with = "samples")]
    cards: Option<usize>,
    /// Size of the pictures in pixels, such as 1600x1200 [default: 1280x960, small: 640x480]
    #[arg(long, value_name = "WxH", value_parser = parse_size, conflicts_with = "samples")]
    size: Option<(u32, u32)>,
    /// Draw the tables of datasets/samples instead
    #[arg(long)]
    samples: bool,
    /// Write into a folder that is not empty, replacing its labels
    #[arg(long)]
    overwrite: bool,
    /// Tables drawn side by side [default: one a core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

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

/// Draws the tables.
///
/// # Errors
/// A call that asks for what cannot be drawn, or a folder that cannot be written.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if args.count == 0 {
        return Err(
            BadCall("--count 0 draws nothing; give 1 or more, such as --count 10".into()).into()
        );
    }
    if args.jobs == Some(0) {
        return Err(
            BadCall("--jobs 0 draws nothing; give 1 or more, or leave it out".into()).into()
        );
    }
    let mut params = Params::of(args.kind);
    if let Some(cards) = args.cards {
        if cards > DECK_SIZE {
            return Err(BadCall(format!(
                "--cards {cards}: a deck has {DECK_SIZE} cards and a table holds each once; \
                 give 0 to {DECK_SIZE}"
            ))
            .into());
        }
        params.cards = (cards, cards);
    }
    if let Some(size) = args.size {
        params.size_px = size;
    }
    prepare(&args.out, args.overwrite)?;
    let (count, source) = if args.samples {
        (samples::all().len(), serde_json::json!("setsight render --samples"))
    } else {
        let name = args.kind.name();
        (
            args.count,
            serde_json::json!(format!("setsight render --kind {name} --seed {}", args.seed)),
        )
    };
    let samples = samples::all();
    let digits = count.to_string().len().max(4);
    let draw = |index: usize| -> anyhow::Result<(String, Scene)> {
        if args.samples {
            Ok((samples[index].file.to_owned(), samples[index].draw()?))
        } else {
            let scene = crate::render::render(&params, args.seed, index as u64)?;
            Ok((format!("{}-{:0digits$}.jpg", args.kind.name(), index + 1), scene))
        }
    };

    let stop = stop_on_ctrl_c();
    let bar = progress(count);
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(args.jobs.unwrap_or(0))
        .build()
        .context("cannot start threads")?;
    let labels: Vec<Option<PhotoLabel>> = threads.install(|| {
        (0..count)
            .into_par_iter()
            .map(|index| {
                if stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                let (file, scene) = draw(index)?;
                let bytes = scene.jpeg().with_context(|| format!("cannot encode {file}"))?;
                let path = args.out.join(&file);
                write_whole(&path, &bytes)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                bar.inc(1);
                Ok(Some(scene.label(file)))
            })
            .collect::<anyhow::Result<_>>()
    })?;
    bar.finish_and_clear();
    let photos: Vec<PhotoLabel> = labels.into_iter().flatten().collect();
    let done = photos.len();
    let cards: usize = photos.iter().map(|p| p.cards.len()).sum();
    PhotoLabels { source: Some(source), photos }.write(&args.out)?;
    let out = args.out.display();
    if done < count {
        eprintln!("stopped: {done} of {count} tables drawn and labelled in {out}");
        return Ok(Outcome::SomeFailed);
    }
    // A closed pipe is no error.
    let _ = writeln!(
        std::io::stdout(),
        "{done} table{} with {cards} cards in {out}",
        if done == 1 { "" } else { "s" }
    );
    Ok(Outcome::Done)
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
