//! `setsight render --video`: a film and its labels on disk.

use crate::cli::common::{BadCall, Outcome, unwritten};
use crate::cli::stop;
use anyhow::Context;
use rayon::prelude::*;
use setsight_files::whole_file::{WholeFile, refuse_others};
use setsight_files::{print_result, say};
use setsight_live::films::AviWriter;
use setsight_scenes::film::{Film, FilmFrame, FilmParams};
use setsight_scenes::{DeckChoice, Kind, Params};
use std::path::{Path, PathBuf};
use std::{io::Write, sync::atomic::Ordering};

/// Frames drawn side by side.
const BATCH: usize = 8;

/// The group of options that make one.
const FILM: &str = "A film";

/// Arguments of `render` that make a film.
#[derive(clap::Args)]
pub struct Args {
    /// Make a film instead: this file, .avi, and its labels beside it, .jsonl, a line a frame
    ///
    /// A game under a drifting camera: a hand takes sets and deals cards, passes over the table, and
    /// the focus hunts.
    #[arg(help_heading = FILM, long, value_name = "FILE",
          conflicts_with_all = ["out", "count", "samples", "cards", "suite"])]
    pub video: Option<PathBuf>,
    /// Length of the film
    #[arg(help_heading = FILM, long, value_name = "S", default_value_t = 10.0, requires = "video")]
    seconds: f64,
    /// Frames a second of the film
    #[arg(hide = true, help_heading = FILM, long, value_name = "N", default_value_t = 30.0, requires = "video")]
    fps: f64,
    /// JPEG quality of the film's frames, 1 to 100
    #[arg(hide = true, help_heading = FILM, long, value_name = "Q", default_value_t = 80, requires = "video",
          value_parser = clap::value_parser!(u8).range(1..=100))]
    quality: u8,
}

/// Makes a film.
pub fn run(
    video: &Path,
    args: &Args,
    kind: Option<Kind>,
    size_px: Option<(u32, u32)>,
    deck: DeckChoice,
    seed: u64,
) -> anyhow::Result<Outcome> {
    let (seconds, fps) = (args.seconds, args.fps);
    if !(seconds > 0.0 && seconds <= 3600.0) {
        let message = format!("--seconds {seconds}: give a length above 0, at most 3600");
        return Err(BadCall(message).into());
    }
    if !(1.0..=120.0).contains(&fps) {
        return Err(BadCall(format!("--fps {fps}: give 1 to 120 frames a second")).into());
    }
    if kind == Some(Kind::Screen) {
        let message =
            "--kind screen has no film; give another kind with --video, or --out DIR for pictures";
        return Err(BadCall(message.into()).into());
    }
    let mut scene = Params::of(kind.unwrap_or(Kind::Plain));
    scene.size_px = size_px.unwrap_or((1280, 720));
    scene.decks = vec![(deck, 1.0)];
    let size_px = scene.size_px;
    let film = Film::plan(FilmParams { scene, seconds, fps, phone: false }, seed)?;
    shoot(video, args, size_px, seed, film.frames(), |i| film.draw(i))
}

/// Draws a film into `video` (Motion JPEG in AVI) and its labels beside it.
fn shoot(
    video: &Path,
    args: &Args,
    size_px: (u32, u32),
    seed: u64,
    count: usize,
    draw: impl Fn(usize) -> FilmFrame + Sync,
) -> anyhow::Result<Outcome> {
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
    // Nobody has named this file.
    refuse_others(&lines, b"{\"frame\":").map_err(|error| unwritten(cannot(), error))?;
    let file = WholeFile::create(video).with_context(cannot)?;
    let mut avi = AviWriter::new(file, size_px, args.fps, args.quality).with_context(cannot)?;
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
        let frames: Vec<FilmFrame> = batch.into_par_iter().map(&draw).collect();
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
