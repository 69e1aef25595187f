//! `setsight live`: a camera or a film, watched.

use super::photos::{ReadingArgs, stop_on_ctrl_c};
use super::{BadCall, Format, Outcome};
use crate::live::camera::{CameraChoice, CameraError, Cameras, Shot, SystemCameras};
use crate::live::capture::{self, Captured, Patience};
use crate::live::latest::{Latest, Taken};
use crate::live::video::Video;
use crate::live::watch::FILM_PACE;
use crate::live::{Camera, Counter, LiveView, Pace, Watch, freeze};
use crate::pipeline::StageTime;
use crate::pipeline::track::{Eyes, Params};
use anyhow::{Context, bail};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

/// Arguments of `live`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  setsight live\n  setsight live --camera webcam\n  \
                        setsight live --video game.avi --headless --format json > game.jsonl")]
pub struct Args {
    /// The camera, by number or a part of its name [default: the first]
    #[arg(long, value_name = "N|NAME", conflicts_with_all = ["video", "list"])]
    camera: Option<String>,
    /// Read a film instead, every frame of it
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    video: Option<PathBuf>,
    /// List the cameras there are
    #[arg(long)]
    list: bool,
    /// No window: print what is seen
    #[arg(long)]
    headless: bool,
    /// How it is printed: text, a line when the table changes; json, a line for each frame
    #[arg(long, value_enum, default_value_t, requires = "headless")]
    format: Format,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Write a picture of the window (PNG) once the table is known, and close
    #[arg(long, value_name = "FILE", conflicts_with = "headless")]
    screenshot: Option<PathBuf>,
    /// Stop after so many frames
    #[arg(long, value_name = "N", requires = "headless",
          value_parser = clap::value_parser!(u64).range(1..))]
    frames: Option<u64>,
}

/// Frames decoded ahead of the tracker.
const AHEAD: usize = 4;

/// Watches.
///
/// # Errors
/// No such camera or film; one that fails.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if args.list {
        return list();
    }
    let choice = args.camera.as_deref().map_or(CameraChoice::First, CameraChoice::from);
    if !args.headless {
        return window(&args, choice);
    }
    // Threads of OpenCV's own would only be in the way of ours; it fails where there are none.
    let _ = opencv::core::set_num_threads(1);
    let pipeline = args.reading.pipeline()?;
    let params = Params::of(&pipeline);
    let eyes: Arc<dyn Eyes> = Arc::new(pipeline);
    let printer = Printer { format: args.format, last: String::new(), out: io::stdout().lock() };
    match &args.video {
        Some(path) => film(path, (eyes, params), printer, args.frames),
        None => camera(&choice, (eyes, params), printer, args.frames),
    }
}

fn list() -> anyhow::Result<Outcome> {
    let cameras = SystemCameras.list();
    if cameras.is_empty() {
        eprintln!("{}; {}", CameraError::None, CameraError::None.advice());
        return Ok(Outcome::SomeFailed);
    }
    let mut out = io::stdout().lock();
    for camera in cameras {
        writeln!(out, "{camera}")?;
    }
    Ok(Outcome::Done)
}

/// The window, straight on the camera or the film.
#[cfg(feature = "window")]
fn window(args: &Args, choice: CameraChoice) -> anyhow::Result<Outcome> {
    if let Some(path) = &args.video {
        // What cannot be opened is told of here, not in a window.
        Video::open(path).with_context(|| path.display().to_string())?;
    }
    let options = crate::app::Options {
        paths: Vec::new(),
        show: crate::app::Show::default(),
        live: Some((choice, args.video.clone())),
        size: (1280.0, 800.0),
        brightness: None,
        screenshot: args.screenshot.clone(),
        measure: None,
    };
    crate::app::open(options)?;
    Ok(Outcome::Done)
}

#[cfg(not(feature = "window"))]
fn window(_: &Args, _: CameraChoice) -> anyhow::Result<Outcome> {
    Err(BadCall("this build has no window; add --headless".into()).into())
}

/// A film: decoding, tracking and looking each on a thread; every frame, in order.
fn film(
    path: &Path,
    (eyes, params): (Arc<dyn Eyes>, Params),
    mut printer: Printer<impl Write>,
    frames: Option<u64>,
) -> anyhow::Result<Outcome> {
    let name = || path.display().to_string();
    let mut video = Video::open(path).with_context(name)?;
    let mut watch = Watch::new(eyes, params, FILM_PACE)?;
    let (shots, decoded) = sync_channel::<(Shot, StageTime)>(AHEAD);
    let stop = stop_on_ctrl_c();
    let mut counter = Counter::default();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            loop {
                let start = (Instant::now(), cpu_time::ThreadTime::now());
                let Ok(Some(shot)) = video.read() else { return };
                let load = StageTime {
                    stage: "load",
                    elapsed_ms: start.0.elapsed().as_secs_f64() * 1e3,
                    cpu_ms: start.1.elapsed().as_secs_f64() * 1e3,
                };
                if shots.send((shot, load)).is_err() {
                    return;
                }
            }
        });
        let mut number = 0;
        for (shot, load) in &decoded {
            if stop.load(Ordering::Relaxed) || frames.is_some_and(|most| number >= most) {
                break;
            }
            let mut watched = watch.frame(&shot.frame, shot.time_ms).with_context(name)?;
            watched.times.insert(0, load);
            counter.update(&watched.table, shot.time_ms);
            let view = LiveView {
                frame: Some(shot.frame),
                number,
                time_ms: shot.time_ms,
                cards: watched.table.cards,
                sets: watched.table.sets,
                facts: watched.table.facts,
                score: counter.score(),
                times: watched.times,
                latency_ms: shot.taken.elapsed().as_secs_f64() * 1e3,
                ..LiveView::default()
            };
            printer.print(&view)?;
            number += 1;
        }
        // Else the decoding thread would wait for ever.
        drop(decoded);
        if number == 0 {
            bail!("{}: holds no frame that can be decoded", name());
        }
        Ok(Outcome::Done)
    })
}

/// A camera: the newest frame only.
fn camera(
    choice: &CameraChoice,
    (eyes, params): (Arc<dyn Eyes>, Params),
    mut printer: Printer<impl Write>,
    most: Option<u64>,
) -> anyhow::Result<Outcome> {
    // A camera that is not there is told of at once; one that goes later is waited for.
    let cameras = SystemCameras;
    if let Err(error) = cameras.open(choice).map(drop) {
        let message = format!("{error}; {}", error.advice());
        if error.may_pass() {
            bail!(message);
        }
        return Err(BadCall(message).into());
    }
    let mut watch = Watch::new(eyes, params, Pace::Ready)?;
    let frames: Arc<Latest<Captured>> = Arc::default();
    let (out, chosen) = (Arc::clone(&frames), choice.clone());
    // Left to itself at the end: a camera may hang in a read.
    std::thread::spawn(move || capture::run(&cameras, &chosen, &out, Patience::default()));
    let stop = stop_on_ctrl_c();
    let mut counter = Counter::default();
    let mut number = 0;
    let result = loop {
        if stop.load(Ordering::Relaxed) || most.is_some_and(|most| number >= most) {
            break Ok(Outcome::Done);
        }
        match frames.take(Duration::from_millis(200)) {
            Taken::Item(Captured::Shot(shot)) => {
                let watched = watch.frame(&shot.frame, shot.time_ms)?;
                counter.update(&watched.table, shot.time_ms);
                let view = LiveView {
                    frame: Some(shot.frame),
                    number,
                    time_ms: shot.time_ms,
                    cards: watched.table.cards,
                    sets: watched.table.sets,
                    facts: watched.table.facts,
                    score: counter.score(),
                    times: watched.times,
                    ..LiveView::default()
                };
                if let Err(error) = printer.print(&view) {
                    break Err(error.into());
                }
                number += 1;
            }
            Taken::Item(Captured::Trouble(notice)) => {
                eprintln!("{}; {}", notice.title, notice.advice);
            }
            Taken::Item(Captured::End) | Taken::Closed => break Ok(Outcome::Done),
            Taken::Nothing => {}
        }
    };
    frames.close();
    result
}

/// Prints views.
struct Printer<W: Write> {
    format: Format,
    last: String,
    out: W,
}

impl<W: Write> Printer<W> {
    fn print(&mut self, view: &LiveView) -> io::Result<()> {
        match self.format {
            Format::Json => {
                serde_json::to_writer(&mut self.out, &freeze::line(view))?;
                self.out.write_all(b"\n")?;
                self.out.flush()
            }
            Format::Text => {
                let text = summary(view);
                if text == self.last {
                    return Ok(());
                }
                let time = view.time_ms / 1e3;
                writeln!(self.out, "{time:8.2} s  {text}")?;
                self.out.flush()?;
                self.last = text;
                Ok(())
            }
        }
    }
}

/// The table in a line: "12 cards: 1fgd 2spo ..; sets: 1fgd 2fgd 3fgd; 3 taken, 60 in the deck".
fn summary(view: &LiveView) -> String {
    let mut text = match view.cards.len() {
        0 => "no cards".to_owned(),
        1 => "1 card:".to_owned(),
        n => format!("{n} cards:"),
    };
    for card in &view.cards {
        let mark = if card.card.unsure { "?" } else { "" };
        text += &format!(" {}{mark}", card.card.card);
    }
    let sets =
        view.sets.iter().map(|set| set.0.map(|i| view.cards[i].card.card.to_string()).join(" "));
    let sets: Vec<String> = sets.collect();
    text += &match sets.len() {
        0 => "; no set".to_owned(),
        _ => format!("; sets: {}", sets.join(", ")),
    };
    if sets.is_empty()
        && !view.cards.is_empty()
        && let Some(chance) = view.score.chance
    {
        text += &format!(" (three more bring one with {:.0} %)", 100.0 * chance.value());
    }
    let taken = match view.score.taken.len() {
        1 => "1 set".to_owned(),
        n => format!("{n} sets"),
    };
    text + &format!("; {taken} taken, {} cards in the deck", view.score.left)
}
