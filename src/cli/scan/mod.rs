//! `setsight scan`: photos in, cards and sets out.

mod folder;
mod printer;
mod watch;

use super::photos::{self, ReadingArgs};
use super::stop;
use super::terminal::{self, ColorChoice};
use crate::cli::common::{BadCall, Jobs, Outcome, told};
use crate::pipeline::dump::FolderSink;
use crate::pipeline::overlay::Style;
use crate::pipeline::record::{PhotoRecord, Record};
use crate::pipeline::{Pipeline, StageClock, StageSink, batch, source};
use crate::printable::say;
use anyhow::Context;
use folder::{Names, OutFolder};
use indicatif::ProgressBar;
use printer::{Format, Printer};
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Arguments of `scan`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight scan table.heic
  setsight scan photos --out found --open
  setsight scan photos --recursive --format json > found.jsonl
  setsight scan - < table.jpg
  setsight scan --watch ~/Phone/Camera --format json

A photo is known by what is in it, whatever it is called: JPEG, PNG, HEIC, WebP, BMP, TIFF, and AVIF \
    where the program ffmpeg is. In text cards count from 1, in JSON from 0.")]
pub struct Args {
    /// Photos, and folders of photos; - is one photo from stdin
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Look into folders in folders too
    #[arg(long, short)]
    recursive: bool,
    /// Stay, and read what comes into the folders until Ctrl-C; what is there is read first
    ///
    /// A photo is read once its size and its time have been still for a second, and again when they
    /// change.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    results: ResultArgs,
    #[command(flatten)]
    reading: ReadingArgs,
}

/// What becomes of the results.
#[derive(clap::Args)]
#[command(next_help_heading = "Results")]
struct ResultArgs {
    /// How results are printed
    #[arg(short, long, value_enum, default_value_t)]
    format: Format,
    /// Of each photo only its sets: no board, no places
    #[arg(long)]
    only_sets: bool,
    /// Where to put annotated pictures, a page to look through them and results.jsonl
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace files in that folder that setsight did not write
    #[arg(long, requires = "out")]
    overwrite: bool,
    /// Show the page, with the program that the system opens pages with
    #[arg(long, requires = "out")]
    open: bool,
    /// Write each card's code on the annotated pictures
    #[arg(long, requires = "out")]
    codes: bool,
    /// Where to put every stage's picture of every photo
    #[arg(long, value_name = "DIR")]
    dump_stages: Option<PathBuf>,
    /// Colours in the text
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,
}

/// The path that stands for stdin.
const STDIN: &str = "-";

/// A photo to read and what its results are to be called.
struct Job {
    path: PathBuf,
    name: String,
}

/// Reads the photos, prints and writes what they hold.
///
/// # Errors
/// A bad call; results that cannot be written. A photo that cannot be read is named and passed
/// over.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    check(&args)?;
    let mut scan = Scanning::new(&args)?;
    let stopped = if args.watch { watch::watch(&mut scan)? } else { scan.read_paths()? };
    let failed = scan.failed;
    let mut unshown = false;
    if let Some(out) = scan.out {
        let page = out.finish(stopped)?;
        if args.results.open && !stopped {
            // What it says are calls of several programs, none of which the user has.
            if open::that_detached(&page).is_err() {
                say!("{}: no program was found that shows it; open it yourself", page.display());
                unshown = true;
            }
        }
    }
    Ok(if failed > 0 || stopped || unshown { Outcome::SomeFailed } else { Outcome::Done })
}

fn check(args: &Args) -> Result<(), BadCall> {
    let results = &args.results;
    if results.only_sets && results.format == Format::Csv {
        let message = "--only-sets is for text and JSON; CSV has a line for each card";
        return Err(BadCall(message.to_owned()));
    }
    if args.watch {
        return match args.paths.iter().find(|path| !path.is_dir()) {
            Some(path) => {
                let path = path.display();
                Err(BadCall(format!(
                    "--watch {path}: is no folder; expected one that photos come into"
                )))
            }
            None => Ok(()),
        };
    }
    if args.paths.iter().any(|path| path.as_os_str() == STDIN) {
        if args.paths.len() > 1 {
            let message = "- is one photo from stdin: name no other photo beside it";
            return Err(BadCall(message.to_owned()));
        }
        if io::stdin().is_terminal() {
            let message =
                "- reads a photo from stdin, which is a terminal; setsight scan - < table.jpg";
            return Err(BadCall(message.to_owned()));
        }
    }
    Ok(())
}

/// What a run has and what it has made so far.
struct Scanning<'a> {
    args: &'a Args,
    pipeline: Pipeline,
    jobs: usize,
    names: Names,
    out: Option<OutFolder>,
    printer: Printer,
    failed: usize,
}

impl<'a> Scanning<'a> {
    fn new(args: &'a Args) -> anyhow::Result<Self> {
        let results = &args.results;
        let pipeline = args.reading.pipeline()?;
        let jobs = photos::jobs(args.jobs);
        if let Some(out) = &results.out {
            folder::refuse_photos_in(out, &list(args).filter_map(Result::ok).collect::<Vec<_>>())?;
        }
        Ok(Self {
            args,
            pipeline,
            jobs,
            names: Names::default(),
            out: results
                .out
                .as_deref()
                .map(|out| OutFolder::create(out, results.overwrite))
                .transpose()?,
            printer: Printer::new(results.format, results.only_sets, results.color),
            failed: 0,
        })
    }

    /// Reads what the call names, once. Gives whether it was stopped.
    fn read_paths(&mut self) -> anyhow::Result<bool> {
        let mut todo = Vec::new();
        for path in list(self.args) {
            match path {
                Ok(path) => todo.push(self.job(path)),
                Err(error) => self.cannot_list(error)?,
            }
        }
        let done = self.read(&todo, &photos::progress(todo.len()))?;
        let stopped = stop::asked().load(Ordering::Relaxed) && done < todo.len();
        let failed = self.failed;
        if stopped {
            say!("stopped: {done} of {} photos read", todo.len());
        } else if failed > 0 && todo.len() > 1 {
            let plural = if failed == 1 { "" } else { "s" };
            say!("{} photos, {failed} problem{plural}", todo.len());
        }
        Ok(stopped)
    }

    fn job(&mut self, path: PathBuf) -> Job {
        let name = if path.as_os_str() == STDIN { Path::new("stdin") } else { &path };
        Job { name: self.names.of(name), path }
    }

    fn cannot_list(&mut self, error: source::ListError) -> anyhow::Result<()> {
        self.failed += 1;
        say!("{error}");
        match error {
            source::ListError::Unreadable { path, reason } => {
                self.printer.print(&Record { image: path, result: Err(reason) })
            }
            source::ListError::NoPhotos { .. } => Ok(()),
        }
    }

    /// Reads photos side by side and hands on what they hold. Gives how many were read.
    fn read(&mut self, todo: &[Job], bar: &ProgressBar) -> anyhow::Result<usize> {
        let Self { args, pipeline, jobs, out, printer, failed, .. } = self;
        let results = &args.results;
        let style = Style { codes: results.codes, ..Style::default() };
        let room = source::Room::default();
        let work = |_: usize, job: &Job| read_photo(pipeline, job, &room, results, &style);
        let mut problem: Option<anyhow::Error> = None;
        let done = batch::in_order(todo, *jobs, stop::asked(), work, |i, result| {
            bar.inc(1);
            let job = &todo[i];
            let result = result.unwrap_or_else(|panic| Done {
                result: Err(format!("made the program fail ({panic}); please report this photo")),
                unwritten: None,
            });
            let record = Record { image: job.path.clone(), result: result.result };
            if let Some(warning) = record.result.as_ref().ok().and_then(|photo| photo.warning) {
                bar.suspend(|| say!("{}: warning: {warning}", job.path.display()));
            }
            for reason in record.result.as_ref().err().into_iter().chain(&result.unwritten) {
                *failed += 1;
                bar.suspend(|| say!("{}: {reason}", job.path.display()));
            }
            let picture = result.unwritten.is_none().then_some(job.name.as_str());
            if let Some(Err(error)) = out.as_mut().map(|out| out.add(&record, picture)) {
                problem = Some(error);
                return ControlFlow::Break(());
            }
            match bar.suspend(|| printer.print(&record)) {
                // Whoever read our output has seen enough; the folder is still wanted, if it was.
                Err(error) if terminal::is_closed_pipe(&error) && out.is_some() => {
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    problem = Some(error);
                    ControlFlow::Break(())
                }
                Ok(()) => ControlFlow::Continue(()),
            }
        })?;
        bar.finish_and_clear();
        problem.map_or(Ok(done), Err)
    }
}

/// The photos that the call means. What an earlier run has made is not among them.
fn list(args: &Args) -> impl Iterator<Item = Result<PathBuf, source::ListError>> + use<> {
    if args.paths[0].as_os_str() == STDIN {
        return vec![Ok(PathBuf::from(STDIN))].into_iter();
    }
    let made = [&args.results.out, &args.results.dump_stages];
    let made: Vec<&Path> = made.into_iter().flatten().map(PathBuf::as_path).collect();
    source::list_photos(&args.paths, args.recursive, &made).into_iter()
}

/// What became of a photo.
struct Done {
    result: Result<PhotoRecord, String>,
    /// Why its annotated picture is not there though it was read.
    unwritten: Option<String>,
}

fn read_photo(
    pipeline: &Pipeline,
    job: &Job,
    room: &source::Room,
    results: &ResultArgs,
    style: &Style,
) -> Done {
    let mut clock = StageClock::default();
    let mut scan = || -> anyhow::Result<_> {
        let pictures = u64::from(results.out.is_some() || results.dump_stages.is_some());
        let (photo, held) = clock.time("load", || load(&job.path, room, pictures))?;
        let (frame, warning) = (photo.frame, photo.warning);
        let sink = match &results.dump_stages {
            Some(dir) => {
                let folder = dir.join(&job.name);
                let sink = FolderSink::new(folder.clone())
                    .with_context(|| format!("cannot make the folder {}", folder.display()))?;
                Some(sink)
            }
            None => None,
        };
        let scan = pipeline.read(&frame, &mut clock, sink.as_ref().map(|s| s as &dyn StageSink))?;
        Ok((frame, scan, warning, held))
    };
    let (frame, scan, warning, _held) = match scan() {
        Ok(read) => read,
        Err(error) => return Done { result: Err(told(&error)), unwritten: None },
    };
    let unwritten = results.out.as_deref().and_then(|out| {
        let written = clock.time("overlay", || {
            folder::write_pictures(out, &job.name, &frame, &scan, style, results.overwrite)
        });
        written.err().map(|error| told(&error))
    });
    let (width, height) = frame.image.dimensions();
    let record = PhotoRecord {
        width,
        height,
        facts: Some(scan.facts),
        scan: scan.cards,
        sets: scan.sets,
        times: clock.times,
        warning,
    };
    Done { result: Ok(record), unwritten }
}

/// A photo, and its part of the room where it shares that with others.
fn load<'a>(
    path: &Path,
    room: &'a source::Room,
    copies: u64,
) -> Result<(source::Photo, Option<source::Held<'a>>), source::SourceError> {
    if path.as_os_str() == STDIN {
        return Ok((source::read(io::stdin().lock())?, None));
    }
    room.load(path, copies).map(|(photo, held)| (photo, Some(held)))
}
