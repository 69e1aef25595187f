//! Reading photos one after another, with their results printed and written.

use super::earlier::{Earlier, Origin};
use super::folder::{self, Counts, Names, OutFolder};
use crate::cli::common::{Jobs, error_message};
use crate::cli::stop;
use crate::cli::table::photos::{self, ReadingArgs};
use crate::cli::terminal;
use anyhow::Context;
use indicatif::ProgressBar;
use serde_json::Value;
use setsight_files::{printable, printable::counted, say};
use setsight_game::cards::picture::Ink;
use setsight_photo::source::{self, SourceError};
use setsight_vision::output::{CSV_HEADER, PictureFolder, Record, Style};
use setsight_vision::{PhotoReading, Pipeline, Trace, Warning, batch};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{ops::ControlFlow, sync::atomic::Ordering};

/// Arguments of `scan`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight scan table.heic
  setsight scan photos --out found --open
  setsight scan photos --recursive --format json > found.jsonl
  setsight scan - < table.jpg
  setsight scan --watch ~/Phone/Camera --format json

Photos are recognised by their content, whatever their name: JPEG, PNG, HEIC, WebP, BMP, TIFF, and \
    AVIF if the program ffmpeg is installed. Cards count from 1 in text, from 0 in JSON.")]
pub struct Args {
    /// Photos, and folders of photos; - is one photo from stdin
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Include subfolders
    #[arg(long, short)]
    pub(super) recursive: bool,
    /// Watch the folders and read photos as they arrive, until Ctrl-C; those already there come first
    ///
    /// A photo is read once its size and time have not changed for a second, and again when they change.
    /// One that seems cut off may still be arriving: it is read again after ten seconds without a change
    /// before it is reported.
    #[arg(long)]
    pub(super) watch: bool,
    #[command(flatten)]
    pub(super) jobs: Jobs,
    #[command(flatten)]
    pub(super) results: ResultArgs,
    #[command(flatten)]
    pub(super) reading: ReadingArgs,
}

/// What becomes of the results.
#[derive(clap::Args)]
#[command(next_help_heading = "Results")]
pub(super) struct ResultArgs {
    /// How results are printed
    #[arg(short, long, value_enum, default_value_t)]
    pub(super) format: RecordFormat,
    /// Print only the sets of each photo: no board, no places
    #[arg(long)]
    pub(super) only_sets: bool,
    /// With --only-sets: also sets that depend on an unsure card but are more likely real than not
    #[arg(long, requires = "only_sets")]
    pub(super) probable: bool,
    /// Where to put annotated pictures, a page to look through them and results.jsonl
    ///
    /// The same call goes on where it was stopped or killed, and reads only photos that are new or have
    /// changed; all of them if the options, the weights or the version have.
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Read all photos anew, and replace files in that folder that setsight did not write
    #[arg(long, requires = "out")]
    pub(super) overwrite: bool,
    /// Open the page in the system's browser
    #[arg(long, requires = "out")]
    pub(super) open: bool,
    /// Write each card's code on the annotated pictures
    #[arg(long, requires = "out")]
    pub(super) codes: bool,
    /// Where to put every stage's picture of every photo
    #[arg(hide = true, long, value_name = "DIR")]
    pub(super) dump_stages: Option<PathBuf>,
}

impl ResultArgs {
    /// How much of each photo is printed.
    fn extent(&self) -> Extent {
        if self.only_sets { Extent::Sets { probable: self.probable } } else { Extent::All }
    }
}

/// The path that stands for stdin.
pub(super) const STDIN: &str = "-";

/// A photo to read and what its results are to be called.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) path: PathBuf,
    pub(super) name: String,
    /// Whether the rest of a photo that is cut off may still come.
    pub(super) may_grow: bool,
}

/// What a run has and what it has made so far.
pub(super) struct Scanning<'a> {
    pub(super) args: &'a Args,
    pub(super) pipeline: Pipeline,
    pub(super) jobs: usize,
    pub(super) names: Names,
    pub(super) out: Option<OutFolder>,
    /// What an earlier run has left in that folder.
    pub(super) earlier: Option<Earlier>,
    pub(super) printer: Printer,
    pub(super) failed: usize,
    pub(super) counts: Counts,
    /// Photos of which more may come, and which are not reported yet.
    pub(super) incomplete: Vec<Job>,
}

impl<'a> Scanning<'a> {
    pub(super) fn new(args: &'a Args) -> anyhow::Result<Self> {
        let results = &args.results;
        let pipeline = args.reading.pipeline()?;
        let jobs = args.jobs.count();
        if let Some(out) = &results.out {
            let photos = list(args).filter_map(Result::ok).collect::<Vec<_>>();
            folder::refuse_photos_in(out, &photos)?;
            if !results.overwrite {
                folder::refuse_other_results(out, &photos)?;
            }
        }
        let out = results.out.as_deref();
        // Stages have pictures only where a photo is read.
        let anew = results.overwrite || results.dump_stages.is_some();
        Ok(Self {
            args,
            pipeline,
            jobs,
            names: Names::default(),
            out: out.map(|out| OutFolder::create(out, results.overwrite)).transpose()?,
            earlier: out
                .map(|out| Earlier::read(out, &args.reading.plan(), results.codes, anew))
                .transpose()?,
            printer: Printer::new(results.format, results.extent()),
            failed: 0,
            counts: Counts::default(),
            incomplete: Vec::new(),
        })
    }

    /// Reads what the call names, once. Gives whether it was stopped.
    pub(super) fn read_paths(&mut self) -> anyhow::Result<bool> {
        let mut todo = Vec::new();
        for path in list(self.args) {
            match path {
                Ok(path) => todo.push(self.job(path)),
                Err(error) => self.cannot_list(error)?,
            }
        }
        let done = self.read(&todo, &photos::progress(todo.len()))?;
        let stopped = stop::asked().load(Ordering::Relaxed) && done < todo.len();
        if stopped {
            say!("stopped: {done} of {} photos read", todo.len());
        }
        Ok(stopped)
    }

    pub(super) fn job(&mut self, path: PathBuf) -> Job {
        let name = if path.as_os_str() == STDIN { Path::new("stdin") } else { &path };
        Job { name: self.names.unique_name(name), path, may_grow: false }
    }

    pub(super) fn cannot_list(&mut self, error: source::ListError) -> anyhow::Result<()> {
        self.failed += 1;
        let advice = match error {
            source::ListError::NoPhotos { recursive: false, .. } => {
                "; --recursive looks below it too"
            }
            _ => "",
        };
        say!("{error}{advice}");
        match error {
            source::ListError::Unreadable { path, reason } => {
                self.printer.print(&Record::failed(path, reason), None)
            }
            source::ListError::NoPhotos { .. } => Ok(()),
        }
    }

    /// Reads photos side by side and hands on what they hold. Gives how many were read.
    pub(super) fn read(&mut self, todo: &[Job], bar: &ProgressBar) -> anyhow::Result<usize> {
        let Self {
            args, pipeline, jobs, out, earlier, printer, failed, counts, incomplete, ..
        } = self;
        let results = &args.results;
        let style = Style { codes: results.codes, ..Style::default() };
        let budget = source::MemoryBudget::default();
        let work = |_: usize, job: &Job| {
            let origin = earlier.as_ref().and_then(|all| all.origin(&job.path, &job.name));
            let done = read_earlier(earlier.as_ref(), job, origin.as_ref());
            Done {
                origin,
                ..done.unwrap_or_else(|| read_photo(pipeline, job, &budget, results, &style))
            }
        };
        let mut problem: Option<anyhow::Error> = None;
        let done = batch::in_order(todo, *jobs, stop::asked(), work, |i, result| {
            bar.inc(1);
            let job = &todo[i];
            let done = result.unwrap_or_else(|panic| {
                Done::failed(
                    job,
                    format!("made the program fail ({panic}); please report this photo"),
                )
            });
            let Done { record, unwritten, is_cut_off, origin, earlier_line } = done;
            if is_cut_off && job.may_grow {
                incomplete.push(job.clone());
                return ControlFlow::Continue(());
            }
            counts.add(&record);
            counts.earlier += usize::from(earlier_line.is_some());
            for warning in record.result.iter().flat_map(|table| &table.warnings) {
                bar.suspend(|| say!("{}: warning: {warning}", job.path.display()));
            }
            for reason in record.result.as_ref().err().into_iter().chain(&unwritten) {
                *failed += 1;
                bar.suspend(|| say!("{}: {reason}", job.path.display()));
            }
            let picture = unwritten.is_none().then_some(job.name.as_str());
            if let Some(out) = out.as_mut() {
                let mut line = earlier_line.clone().unwrap_or_else(|| record.to_json());
                if let (Some(origin), Ok(table), Some(_)) = (&origin, &record.result, picture) {
                    origin.add_to(&mut line, table);
                }
                if let Err(error) = out.add(&record, &line, picture) {
                    problem = Some(error);
                    return ControlFlow::Break(());
                }
            }
            match bar.suspend(|| printer.print(&record, earlier_line)) {
                // The reader of the output has closed it; the folder is still wanted, if it was.
                Err(error) if terminal::is_closed_pipe(&error) && out.is_some() => {
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    problem = Some(error);
                    ControlFlow::Break(())
                }
                Ok(()) => ControlFlow::Continue(()),
            }
        });
        bar.finish_and_clear();
        problem.map_or(Ok(done), Err)
    }
}

/// The photos that the call means. What an earlier run has made is not among them.
pub(super) fn list(
    args: &Args,
) -> impl Iterator<Item = Result<PathBuf, source::ListError>> + use<> {
    if args.paths[0].as_os_str() == STDIN {
        return vec![Ok(PathBuf::from(STDIN))].into_iter();
    }
    let made = [&args.results.out, &args.results.dump_stages];
    let made: Vec<&Path> = made.into_iter().flatten().map(PathBuf::as_path).collect();
    source::list_photos(&args.paths, args.recursive, &made).into_iter()
}

/// What the call's folders hold beside photos, as a part of a sentence; empty if that is nothing.
pub(super) fn skipped(args: &Args) -> String {
    let made = [&args.results.out, &args.results.dump_stages];
    let made: Vec<&Path> = made.into_iter().flatten().map(PathBuf::as_path).collect();
    let (kinds, results) = source::skipped_kinds(&args.paths, args.recursive, &made);
    let mut counts: Vec<String> = kinds
        .iter()
        .map(|(kind, n)| match kind.as_str() {
            "" => format!("{n} without an extension"),
            kind => format!("{n} .{kind}"),
        })
        .collect();
    if results > 0 {
        counts.push(format!("{} with results of setsight", counted(results, "picture")));
    }
    if counts.is_empty() { String::new() } else { format!("skipped: {}", counts.join(", ")) }
}

/// What became of a photo.
struct Done {
    record: Record,
    /// Why its annotated picture is not there though it was read.
    unwritten: Option<String>,
    /// Whether the file ends before the picture does.
    is_cut_off: bool,
    /// What its line depends on.
    origin: Option<Origin>,
    /// Its line, if an earlier run has read it.
    earlier_line: Option<Value>,
}

impl Done {
    fn new(record: Record) -> Self {
        Self { record, unwritten: None, is_cut_off: false, origin: None, earlier_line: None }
    }

    fn failed(job: &Job, error: String) -> Self {
        Self::new(Record::failed(job.path.clone(), error))
    }
}

/// The photo as an earlier run has read it, if that still holds.
fn read_earlier(earlier: Option<&Earlier>, job: &Job, origin: Option<&Origin>) -> Option<Done> {
    let (line, record) = earlier?.reading(&job.path, origin?)?;
    Some(Done { earlier_line: Some(line), ..Done::new(record) })
}

fn read_photo(
    pipeline: &Pipeline,
    job: &Job,
    budget: &source::MemoryBudget,
    results: &ResultArgs,
    style: &Style,
) -> Done {
    let mut trace = Trace::default();
    let (reading, _reservation) = match load_and_read(pipeline, job, budget, results, &mut trace) {
        Ok(read) => read,
        Err(error) => {
            let is_cut_off = matches!(error.downcast_ref(), Some(SourceError::Truncated { .. }));
            return Done { is_cut_off, ..Done::failed(job, error_message(&error)) };
        }
    };
    let is_cut_off = reading.table.warnings.contains(&Warning::CutOff);
    if is_cut_off && job.may_grow {
        return Done { is_cut_off, ..Done::failed(job, String::new()) };
    }
    let unwritten = results.out.as_deref().and_then(|out| {
        let written = trace.stage("overlay", |_| {
            folder::write_pictures(out, &job.name, &reading, style, results.overwrite)
        });
        written.err().map(|error| error_message(&error))
    });
    budget.done_with(reading.image);
    let record = Record { image: job.path.clone(), result: Ok(reading.table), times: trace.times };
    Done { unwritten, is_cut_off, ..Done::new(record) }
}

/// A photo, and its reservation where photos share the memory.
fn load_and_read<'a>(
    pipeline: &Pipeline,
    job: &Job,
    budget: &'a source::MemoryBudget,
    results: &ResultArgs,
    trace: &mut Trace<'_>,
) -> anyhow::Result<(PhotoReading, Option<source::Reservation<'a>>)> {
    let pictures = u64::from(results.out.is_some() || results.dump_stages.is_some());
    let (photo, reservation) = trace.stage("load", |_| load(&job.path, budget, pictures))?;
    if let Some(dir) = &results.dump_stages {
        let folder = dir.join(&job.name);
        let mut pictures = PictureFolder::new(folder.clone())
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        *trace =
            std::mem::take(trace).on_picture(move |stage, picture| pictures.write(stage, picture));
    }
    Ok((pipeline.read_photo(photo, trace)?, reservation))
}

fn load<'a>(
    path: &Path,
    budget: &'a source::MemoryBudget,
    copies: u64,
) -> Result<(source::Photo, Option<source::Reservation<'a>>), SourceError> {
    if path.as_os_str() == STDIN {
        return Ok((source::read(io::stdin().lock())?, None));
    }
    budget.load(path, copies).map(|(photo, reservation)| (photo, Some(reservation)))
}

/// How records are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum RecordFormat {
    /// For people: the board as it lies on the table, and its sets
    #[default]
    Text,
    /// A line of JSON for each photo
    Json,
    /// A line for each card
    Csv,
}

/// How much of a photo is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Its board and all its sets.
    All,
    /// Its sure sets, and the probable ones if so.
    Sets {
        /// Whether the probable sets are printed, too.
        probable: bool,
    },
}

/// Prints records as they come.
pub struct Printer {
    format: RecordFormat,
    extent: Extent,
    ink: Ink,
    begun: bool,
}

impl Printer {
    /// To stdout.
    pub fn new(format: RecordFormat, extent: Extent) -> Self {
        Self { format, extent, ink: terminal::ink(), begun: false }
    }

    /// Prints one record, at once. Its whole line of JSON is given if it was made before.
    pub fn print(&mut self, record: &Record, line: Option<Value>) -> anyhow::Result<()> {
        let mut text = String::new();
        match (self.format, self.extent) {
            // What could not be read is named on stderr.
            (RecordFormat::Text, _) if record.result.is_err() => return Ok(()),
            (RecordFormat::Text, extent) => {
                if self.begun {
                    text.push('\n');
                }
                text += &terminal::fitted(match extent {
                    Extent::All => record.to_text(self.ink) + hint(record),
                    Extent::Sets { probable } => record.sets_to_text(self.ink, probable),
                });
            }
            (RecordFormat::Json, extent) => {
                let line = match extent {
                    Extent::All => line.unwrap_or_else(|| record.to_json()),
                    Extent::Sets { probable } => record.sets_to_json(probable),
                };
                text = format!("{}\n", printable::json(&line));
            }
            (RecordFormat::Csv, _) => {
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

/// What to do about a photo that shows too few cards for a set; nothing for any other.
fn hint(record: &Record) -> &'static str {
    match record.result.as_ref().map_or(usize::MAX, |table| table.cards.len()) {
        0 => {
            "If there are cards on the table, take the photo from above, in even light, and close enough to \
             make out the symbols.\n"
        }
        1 | 2 => "A set needs three cards. Is the rest of the table in the picture?\n",
        _ => "",
    }
}
