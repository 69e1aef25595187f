//! `setsight live`: a camera or a film, watched.

mod printer;

use super::photos::ReadingArgs;
use crate::cli::common::{BadCall, Format, Outcome};
use crate::cli::stop;
use anyhow::{Context, bail};
use printer::Printer;
use setsight_files::say;
use setsight_live::camera::{CameraChoice, CameraError, Cameras, Shot};
use setsight_live::capture::{self, Captured, Job, Patience};
use setsight_live::input::Controls;
use setsight_live::latest::{Latest, Taken};
use setsight_live::record::{self, Recorder};
use setsight_live::video::{Video, VideoError};
use setsight_live::watch::FILM_PACE;
use setsight_live::{Address, Counter, Input, LiveView, Pace, SystemCameras, Watch, Watched};
use setsight_vision::StageTime;
use setsight_vision::track::{Eyes, Params};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Arguments of `live`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  setsight live\n  setsight live --camera webcam\n  \
                        setsight live --url http://192.168.1.20:8080/video\n  \
                        setsight live --url http://192.168.1.20:8080/video --record game.avi\n  \
                        setsight live --video game.mp4 --headless --format json > game.jsonl\n  \
                        ffmpeg -i game.mp4 -c:v mjpeg -f avi - | setsight live --video - --headless")]
pub struct Args {
    /// The camera, by number or a part of its name [default: the first]
    #[arg(long, value_name = "N|NAME", conflicts_with_all = ["video", "url", "list"])]
    camera: Option<String>,
    /// A phone or another camera of the network: Motion JPEG over HTTP, or RTSP
    ///
    /// Its app shows the address. A name and a password go before the host:
    /// http://NAME:PASSWORD@192.168.1.20:8080/video; they are shown nowhere.
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["video", "list"])]
    url: Option<String>,
    /// Read a film instead, every frame of it
    ///
    /// A file, a named pipe, - for standard input, a folder of pictures in the order of their names,
    /// or a pattern of them such as frames/%04d.png. Motion JPEG in .avi and pictures need nothing
    /// else; other films are decoded by the program ffmpeg.
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    video: Option<PathBuf>,
    /// Record the game: this film, .avi, and its lines of JSON beside it, .jsonl
    ///
    /// Motion JPEG, about 10 GB an hour at 1280x720. `live --video FILE --headless --format json` gives
    /// the same lines. Nothing is written over. In the window the game can be recorded at any time.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["video", "list"])]
    record: Option<PathBuf>,
    /// List the cameras there are
    #[arg(long)]
    list: bool,
    /// No window: print what is seen
    #[arg(long)]
    headless: bool,
    /// How it is printed: text, a line when the table changes; json, a line for each frame
    #[arg(short, long, value_enum, default_value_t, requires = "headless")]
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
/// How long a frame is waited for before Ctrl-C is looked at.
const WAIT: Duration = Duration::from_millis(200);

/// Watches.
///
/// # Errors
/// No such camera or film; one that fails.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if args.list {
        return list();
    }
    let input = match (&args.url, &args.video) {
        // Parsed here and not by clap, whose messages say again what was typed: a password perhaps.
        (Some(text), _) => {
            let address = text.parse::<Address>();
            Input::Network(address.map_err(|error| BadCall(format!("--url: {error}")))?)
        }
        (None, Some(path)) => Input::Film(path.clone()),
        (None, None) => {
            let choice = args.camera.as_deref().map_or(CameraChoice::First, CameraChoice::from);
            Input::Camera(choice)
        }
    };
    if let Some(film) = &args.record {
        record::check(film).map_err(|error| BadCall(format!("--record: {error}")))?;
    }
    if !args.headless {
        return window(&args, input);
    }
    let pipeline = args.reading.pipeline()?;
    let params = Params::of(&pipeline);
    let eyes: Arc<dyn Eyes> = Arc::new(pipeline);
    let printer = Printer::new(args.format, io::stdout().lock());
    match &input {
        Input::Film(path) => film(path, (eyes, params), printer, args.frames),
        _ => camera(&input, (eyes, params), printer, args.frames, args.record.as_deref()),
    }
}

fn list() -> anyhow::Result<Outcome> {
    let cameras = SystemCameras::default().list();
    if cameras.is_empty() {
        say!("{}", told(&CameraError::None));
        return Ok(Outcome::SomeFailed);
    }
    let mut out = io::stdout().lock();
    for camera in cameras {
        writeln!(out, "{camera}")?;
    }
    Ok(Outcome::Done)
}

/// What is wrong, what to do, and how this command does it.
fn told(error: &CameraError) -> String {
    let how = match error {
        CameraError::None => ": setsight live --url http://PHONE:8080/video or --video FILE",
        _ => "",
    };
    format!("{error}; {}{how}", error.advice())
}

/// The window, straight on the camera or the film.
fn window(args: &Args, input: Input) -> anyhow::Result<Outcome> {
    use setsight_window::{LiveOptions, Options, Show};
    if let Input::Film(path) = &input
        && !is_stream(path)
    {
        // What cannot be opened is told of here, not in a window.
        Video::open(path).with_context(|| path.display().to_string())?;
    }
    // So is what is wrong with the weights.
    args.reading.pipeline()?;
    let options = Options {
        paths: Vec::new(),
        show: Show::default(),
        live: Some(LiveOptions { input, record: args.record.clone(), plan: args.reading.plan() }),
        size: None,
        brightness: None,
        screenshot: args.screenshot.clone(),
        measure: None,
    };
    setsight_window::open(options)?;
    Ok(Outcome::Done)
}

/// Whether a film can be opened once only.
fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-" || path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// What is known after a frame.
fn view_of(shot: Shot, number: u64, watched: Watched, counter: &mut Counter) -> LiveView {
    counter.update(&watched.tracked, shot.time_ms);
    LiveView {
        number,
        time_ms: shot.time_ms,
        score: counter.score(),
        latency_ms: shot.taken.elapsed().as_secs_f64() * 1e3,
        ..LiveView::of(shot.frame, watched)
    }
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
    let (shots, decoded) = sync_channel::<Result<(Shot, StageTime), VideoError>>(AHEAD);
    let stop = stop::asked();
    let mut counter = Counter::default();
    // Not joined: a pipe may stay silent for ever.
    std::thread::spawn(move || {
        loop {
            let start = (Instant::now(), cpu_time::ThreadTime::now());
            let next = match video.next_shot() {
                Ok(Some(shot)) => {
                    let load = StageTime {
                        stage: "load",
                        elapsed_ms: start.0.elapsed().as_secs_f64() * 1e3,
                        cpu_ms: start.1.elapsed().as_secs_f64() * 1e3,
                    };
                    Ok((shot, load))
                }
                Ok(None) => return,
                Err(error) => Err(error),
            };
            let ends = next.is_err();
            if shots.send(next).is_err() || ends {
                return;
            }
        }
    });
    let mut number = 0;
    while frames.is_none_or(|most| number < most) && !stop.load(Ordering::Relaxed) {
        let next = match decoded.recv_timeout(WAIT) {
            Ok(next) => next,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let (shot, load) = next.with_context(name)?;
        let mut watched = watch.frame(&shot.frame, shot.time_ms).with_context(name)?;
        watched.times.insert(0, load);
        printer.print(&view_of(shot, number, watched, &mut counter))?;
        number += 1;
    }
    Ok(Outcome::Done)
}

/// A camera: the newest frame only.
fn camera(
    input: &Input,
    (eyes, params): (Arc<dyn Eyes>, Params),
    mut printer: Printer<impl Write>,
    most: Option<u64>,
    record: Option<&Path>,
) -> anyhow::Result<Outcome> {
    // A camera that is not there is told of at once, and so that a script knows; one that goes later
    // is waited for.
    let began = Instant::now();
    let (cameras, choice) = (input.cameras(&Controls::default()), input.choice());
    let opened = match cameras.open(&choice) {
        Ok(camera) => Some(camera),
        Err(error) => {
            let message = told(&error);
            let is_bad_call =
                matches!(error, CameraError::NoSuch { .. } | CameraError::Ambiguous { .. });
            if is_bad_call {
                return Err(BadCall(message).into());
            }
            bail!(message);
        }
    };
    let mut recorder = record.map(Recorder::create).transpose()?;
    // The film of a recording is to give the same lines.
    let pace = if recorder.is_some() { FILM_PACE } else { Pace::Ready };
    let mut watch = Watch::new(eyes, params, pace)?;
    let frames: Arc<Latest<Captured>> = Arc::default();
    let out = Arc::clone(&frames);
    // Left to itself at the end: a camera may hang in a read.
    std::thread::spawn(move || {
        let (cameras, choice, out) = (&*cameras, &choice, &*out);
        capture::run(Job { cameras, choice, opened, out, patience: Patience::default(), began });
        out.close();
    });
    let stop = stop::asked();
    let mut counter = Counter::default();
    let mut number = 0;
    let mut zero_ms = None;
    let mut outcome = Outcome::Done;
    let result = loop {
        if stop.load(Ordering::Relaxed) || most.is_some_and(|most| number >= most) {
            break Ok(outcome);
        }
        match frames.take(WAIT) {
            Taken::Item(Captured::Shot(mut shot)) => {
                outcome = Outcome::Done;
                if let Some(recorder) = &mut recorder {
                    shot.time_ms -= *zero_ms.get_or_insert(shot.time_ms);
                    match recorder.record(shot) {
                        Ok(recorded) => shot = recorded,
                        Err(error) => break Err(error.into()),
                    }
                }
                let watched = watch.frame(&shot.frame, shot.time_ms)?;
                let view = view_of(shot, number, watched, &mut counter);
                if let Some(Err(error)) = recorder.as_mut().map(|recorder| recorder.line(&view)) {
                    break Err(error.into());
                }
                if let Err(error) = printer.print(&view) {
                    break Err(error.into());
                }
                number += 1;
            }
            Taken::Item(Captured::Trouble(notice)) => {
                say!("{}; {}", notice.title, notice.advice);
                outcome = Outcome::SomeFailed;
            }
            Taken::Item(Captured::End) | Taken::Closed => break Ok(outcome),
            Taken::Nothing => {}
        }
    };
    frames.close();
    if let Some(mut recorder) = recorder {
        let frames = recorder.frames();
        recorder.end()?;
        let film = recorder.film();
        match frames {
            0 => say!("nothing was recorded: no picture came"),
            1 => say!("1 frame is recorded in {}", film.display()),
            n => say!(
                "{n} frames ({:.0} s) are recorded in {}, their lines in {}",
                recorder.length_ms() / 1e3,
                film.display(),
                record::lines_of(film).display()
            ),
        }
    }
    result
}
