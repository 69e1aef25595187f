//! `setsight scan`: photos in, cards and sets out.

mod folder;

use super::photos::{self, ReadingArgs};
use super::terminal::{self, ColorChoice};
use super::{Outcome, told};
use crate::pipeline::dump::FolderSink;
use crate::pipeline::overlay::Style;
use crate::pipeline::record::{CSV_HEADER, PhotoRecord, Record};
use crate::pipeline::{Pipeline, StageClock, StageSink, batch, source};
use anyhow::Context;
use folder::{OutFolder, unique_names};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Arguments of `scan`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  setsight scan table.jpg\n  setsight scan photos --out found\n  \
                        setsight scan photos --recursive --format json > found.jsonl"
)]
pub struct Args {
    /// Photos, and folders of photos
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Where to put annotated pictures, a page to look through them and results.jsonl
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Look into folders in folders too
    #[arg(long, short)]
    recursive: bool,
    /// Photos read side by side [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people: the board as it lies, and its sets
    #[default]
    Text,
    /// A line of JSON for each photo
    Json,
    /// A line for each card
    Csv,
}

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
    let pipeline = args.reading.pipeline()?;
    let jobs = photos::jobs(args.jobs);
    // What an earlier run has made is not to be read.
    let results: Vec<&Path> =
        [&args.out, &args.dump_stages].into_iter().flatten().map(PathBuf::as_path).collect();
    let listed = source::list_photos(&args.paths, args.recursive, &results);
    let found: Vec<&Path> = listed.iter().filter_map(|p| p.as_deref().ok()).collect();
    if let Some(out) = &args.out {
        folder::refuse_photos_in(out, &found)?;
    }
    let mut names = unique_names(&found).into_iter();
    let mut out = args.out.as_deref().map(OutFolder::create).transpose()?;
    let mut printer = Printer::new(args.format, args.color);
    let mut failed = 0;
    let mut todo = Vec::new();
    for path in listed {
        match path {
            Ok(path) => todo.push(Job { path, name: names.next().expect("one for each photo") }),
            Err(error) => {
                failed += 1;
                eprintln!("{error}");
                if let source::ListError::Unreadable { path, reason } = error {
                    printer.print(&Record { image: path, result: Err(reason) })?;
                }
            }
        }
    }
    let style = Style { codes: args.codes, ..Style::default() };
    let stop = photos::stop_on_ctrl_c();
    let bar = photos::progress(todo.len());
    let out_path = args.out.as_deref();
    let work = |_: usize, job: &Job| {
        read_photo(&pipeline, job, args.dump_stages.as_deref(), out_path, &style)
    };
    let mut problem: Option<anyhow::Error> = None;
    let done = batch::in_order(&todo, jobs, stop, work, |i, result| {
        bar.inc(1);
        let job = &todo[i];
        let result = result.unwrap_or_else(|panic| Done {
            result: Err(format!("made the program fail ({panic}); please report this photo")),
            unwritten: None,
        });
        let record = Record { image: job.path.clone(), result: result.result };
        if let Err(reason) = &record.result {
            failed += 1;
            bar.suspend(|| eprintln!("{}: {reason}", job.path.display()));
        }
        if let Some(reason) = &result.unwritten {
            failed += 1;
            bar.suspend(|| eprintln!("{}: {reason}", job.path.display()));
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
    if let Some(error) = problem {
        return Err(error);
    }
    let stopped = stop.load(Ordering::Relaxed) && done < todo.len();
    if let Some(out) = out {
        out.finish(stopped)?;
    }
    if stopped {
        eprintln!("stopped: {done} of {} photos read", todo.len());
    } else if failed > 0 && todo.len() > 1 {
        eprintln!("{} photos, {failed} problem{}", todo.len(), if failed == 1 { "" } else { "s" });
    }
    Ok(if failed > 0 || stopped { Outcome::SomeFailed } else { Outcome::Done })
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
    dump_stages: Option<&Path>,
    out: Option<&Path>,
    style: &Style,
) -> Done {
    let mut clock = StageClock::default();
    let mut scan = || -> anyhow::Result<_> {
        let frame = clock.time("load", || source::load(&job.path))?;
        let sink = match dump_stages {
            Some(dir) => {
                let folder = dir.join(&job.name);
                let sink = FolderSink::new(folder.clone())
                    .with_context(|| format!("cannot make the folder {}", folder.display()))?;
                Some(sink)
            }
            None => None,
        };
        let scan = pipeline.read(&frame, &mut clock, sink.as_ref().map(|s| s as &dyn StageSink))?;
        Ok((frame, scan))
    };
    let (frame, scan) = match scan() {
        Ok(read) => read,
        Err(error) => return Done { result: Err(told(&error)), unwritten: None },
    };
    let unwritten = out.and_then(|out| {
        let written =
            clock.time("overlay", || folder::write_pictures(out, &job.name, &frame, &scan, style));
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
    };
    Done { result: Ok(record), unwritten }
}

/// Prints records as they come.
struct Printer {
    format: Format,
    ink: crate::cards::picture::Ink,
    begun: bool,
}

impl Printer {
    fn new(format: Format, color: ColorChoice) -> Self {
        Self { format, ink: color.ink(), begun: false }
    }

    fn print(&mut self, record: &Record) -> anyhow::Result<()> {
        let mut text = String::new();
        match self.format {
            // What could not be read is named on stderr.
            Format::Text if record.result.is_err() => return Ok(()),
            Format::Text => {
                if self.begun {
                    text.push('\n');
                }
                text += &record.to_text(self.ink);
            }
            Format::Json => text = format!("{}\n", record.to_json()),
            Format::Csv => {
                if !self.begun {
                    text += CSV_HEADER;
                }
                text += &record.to_csv();
            }
        }
        self.begun = true;
        let mut stdout = io::stdout().lock();
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
            .context("cannot write the results to stdout")
    }
}
