//! `setsight eval`: how well labelled photos are read.

use super::photos::{self, ReadingArgs};
use super::{BadCall, Format, Outcome};
use crate::eval::{Evaluation, LabelledPhoto, Report, evaluate_photo, find_photos};
use crate::pipeline::batch;
use anyhow::Context;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Arguments of `eval`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  setsight eval datasets/samples --report report")]
pub struct Args {
    /// Folders with labels.json, or folders of such folders
    #[arg(required = true, value_name = "DATASET")]
    datasets: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// How the figures are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Where to put a page with every mistake in pictures
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Photos read side by side [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

/// Reads labelled photos, prints the figures and writes the report.
///
/// # Errors
/// Labels that cannot be read, a report that cannot be written. A photo that cannot be read is
/// named and passed over.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let pipeline = args.reading.pipeline()?;
    let jobs = photos::jobs(args.jobs);
    let mut todo: Vec<LabelledPhoto> = Vec::new();
    for dataset in &args.datasets {
        let photos = find_photos(dataset).map_err(|error| BadCall(error.to_string()))?;
        todo.extend(photos);
    }
    let unwritten = |path: &PathBuf| format!("the report cannot go to {}", path.display());
    let mut report = match &args.report {
        Some(folder) => Some(Report::new(folder).with_context(|| unwritten(folder))?),
        None => None,
    };
    let mut evaluation =
        Evaluation { reader: args.reading.reader.name().into(), ..Evaluation::default() };
    let stop = photos::stop_on_ctrl_c();
    let bar = photos::progress(todo.len());
    let work =
        |_: usize, photo: &LabelledPhoto| evaluate_photo(&pipeline, photo, args.report.is_some());
    let mut problem = None;
    let done = batch::in_order(&todo, jobs, stop, work, |i, result| {
        bar.inc(1);
        let photo = &todo[i];
        let result = match result {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => {
                let (file, reason) = (photo.path.display().to_string(), format!("{error:#}"));
                bar.suspend(|| eprintln!("{file}: {reason}"));
                evaluation.failed.push((file, reason));
                return ControlFlow::Continue(());
            }
            Err(panic) => {
                let file = photo.path.display().to_string();
                let reason = format!("made the program fail ({panic}); please report this photo");
                bar.suspend(|| eprintln!("{file}: {reason}"));
                evaluation.failed.push((file, reason));
                return ControlFlow::Continue(());
            }
        };
        evaluation.add(&photo.source, &photo.label.tags, &result.figures, &result.stage_cpu_ms);
        let added = report.as_mut().map(|r| r.add(photo, &result.figures, &result.mistakes));
        match added {
            Some(Err(error)) => {
                problem = Some(error);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    })?;
    bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) && done < todo.len() {
        // Figures of a part would be taken for those of the whole.
        anyhow::bail!("stopped: {done} of {} photos read, no figures", todo.len());
    }
    if let (Some(report), Some(folder)) = (report, &args.report) {
        let written = problem.map_or_else(|| report.finish(&evaluation), Err);
        written.with_context(|| unwritten(folder))?;
    }
    let text = match args.format {
        Format::Text => evaluation.to_string(),
        Format::Json => format!("{}\n", evaluation.to_json()),
    };
    io::stdout().write_all(text.as_bytes()).context("cannot write the figures to stdout")?;
    Ok(if evaluation.failed.is_empty() { Outcome::Done } else { Outcome::SomeFailed })
}
