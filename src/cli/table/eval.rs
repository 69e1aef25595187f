//! `setsight eval`: how well labelled photos and crops are read.

use super::photos::{self, LabelledArgs, ReadingArgs, report_refused};
use crate::cli::common::{BadCall, Format, Outcome, error_message, one_of, refuse_read, unwritten};
use crate::cli::stop;
use anyhow::Context;
use serde_json::{Map, Value, json};
use setsight_eval::{Baseline, Comparison, Evaluation, Item, Report, SideBySide, evaluate, plan};
use setsight_files::{
    printable::{self, print_lines},
    say,
};
use setsight_game::json::VERSION;
use setsight_labels::{LabelledCrop, LabelledPhoto, checked_photos, find_labelled};
use setsight_photo::source::MemoryBudget;
use setsight_vision::{Pipeline, ReaderChoice, Step, batch};
use std::io::{self, Write};
use std::path::PathBuf;
use std::{ops::ControlFlow, sync::atomic::Ordering};

/// Arguments of `eval`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight eval datasets/samples --report report\n  \
    setsight eval PHOTOS --format json > before.json\n  \
    setsight eval PHOTOS --baseline before.json")]
pub struct Args {
    #[command(flatten)]
    labelled: LabelledArgs,
    /// Read with every reader there is, and set the figures side by side
    #[arg(hide = true, long, conflicts_with = "reader")]
    all_readers: bool,
    /// Leave out steps of the cascade, to see what they are worth; may be given several times
    #[arg(hide = true, long, value_parser = one_of(&Step::ALL, Step::name_and_help), value_delimiter = ',', value_name = "STEP")]
    without: Vec<Step>,
    /// Compare with the figures of an earlier run: what got better, what got worse
    ///
    /// FILE is the output of `eval --format json`, or the figures.json of a report.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

/// Reads labelled photos and crops, prints the figures and writes the report.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose();
    let baseline = baseline.map_err(|error| BadCall(error_message(&error.into())))?;
    let report_folder = args.labelled.report.as_deref();
    if let Some(folder) = report_folder {
        refuse_read(&Report::figures(folder), args.baseline.as_slice())?;
    }
    let (names, pipelines) = readers(&args)?;
    let jobs = args.labelled.jobs.count();
    let (folders, crops) = labelled(&args.labelled.folders)?;
    let report = report_folder.map(|folder| {
        Report::new(folder, args.all_readers)
            .map_err(|error| unwritten(report_refused(folder), error))
    });
    let mut report = report.transpose()?;
    let mut evaluations: Vec<Evaluation> =
        names.iter().map(|name| Evaluation::of_reader(name)).collect();
    let stop = stop::asked();
    let all = folders.iter().map(|(_, photos)| photos).sum::<usize>() + crops.len();
    let bar = photos::progress(all);
    let budget = MemoryBudget::default();
    let with_pictures = report_folder.is_some();
    let keeps_outcomes = args.needs_outcomes();
    let work = |_: usize, item: &Item| evaluate(&pipelines, item, &budget, with_pictures);
    let (mut problem, mut read) = (None, 0);
    let photos = at_once(&folders).map(|photos| anyhow::Ok(plan(photos?, &[])));
    let crops = plan(Vec::new(), &crops);
    for todo in photos.chain([Ok(crops)]) {
        let todo = todo?;
        batch::in_order(&todo, jobs, stop, work, |i, result| {
            let pictures = todo[i].pictures();
            bar.inc(pictures as u64);
            read += pictures;
            let failed = match result {
                Ok(Ok(evaluated)) => {
                    for (photo, results) in &evaluated.results {
                        for (evaluation, result) in evaluations.iter_mut().zip(results) {
                            evaluation.add(&photo.label.tags, result);
                            let added =
                                report.as_mut().map(|r| r.add(photo, &evaluation.reader, result));
                            if let Some(Err(error)) = added {
                                problem = Some(error);
                                return ControlFlow::Break(());
                            }
                        }
                    }
                    evaluated.failed
                }
                Ok(Err(error)) => vec![(todo[i].path().to_path_buf(), error_message(&error))],
                Err(panic) => {
                    let reason =
                        format!("made the program fail ({panic}); please report this picture");
                    vec![(todo[i].path().to_path_buf(), reason)]
                }
            };
            for (path, reason) in failed {
                let file = path.display().to_string();
                bar.suspend(|| say!("{file}: {reason}"));
                for evaluation in &mut evaluations {
                    evaluation.failed.push((file.clone(), reason.clone()));
                }
            }
            ControlFlow::Continue(())
        });
        if problem.is_some() || stop.load(Ordering::Relaxed) {
            break;
        }
        if !keeps_outcomes {
            evaluations.iter_mut().for_each(|evaluation| evaluation.photos.clear());
        }
    }
    bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) && read < all {
        // Figures of a part would be taken for those of the whole.
        anyhow::bail!("stopped: {read} of {all} pictures read, no figures");
    }
    let comparisons = comparisons(baseline.as_ref(), &evaluations);
    if let (Some(report), Some(folder)) = (report, report_folder) {
        let written = problem.map_or_else(|| report.finish(&evaluations, &comparisons), Err);
        written.with_context(|| report_refused(folder))?;
    }
    print(&args, &evaluations, &comparisons)
}

impl Args {
    /// Whether the outcome of each photo is listed, and not the figures alone.
    fn needs_outcomes(&self) -> bool {
        let labelled = &self.labelled;
        labelled.output.format == Format::Json
            || self.baseline.is_some()
            || labelled.report.is_some()
    }
}

/// Folders, each with the number of its photos, and crops.
type Labelled = (Vec<(PathBuf, usize)>, Vec<LabelledCrop>);

/// What some folders hold.
fn labelled(datasets: &[PathBuf]) -> Result<Labelled, BadCall> {
    let (mut folders, mut crops) = (Vec::new(), Vec::new());
    for dataset in datasets {
        let found = find_labelled(dataset, &mut |_| ())
            .map_err(|error| BadCall(error_message(&error.into())))?;
        for words in found.remarks {
            say!("{words}");
        }
        folders.extend(found.folders);
        crops.extend(found.crops);
    }
    Ok((folders, crops))
}

/// Photos whose labels are in memory at once, at least; the last ones may be fewer.
const AT_ONCE: usize = 1_000;

/// The photos of folders, some at once, in order.
fn at_once(
    folders: &[(PathBuf, usize)],
) -> impl Iterator<Item = anyhow::Result<Vec<LabelledPhoto>>> {
    let mut folders = folders.iter();
    std::iter::from_fn(move || {
        let mut photos = Vec::new();
        for (folder, count) in folders.by_ref() {
            let checked = match checked_photos(folder) {
                Ok(checked) if checked.len() == *count => checked,
                Ok(_) => {
                    let changed = anyhow::anyhow!("{}: its labels have changed", folder.display());
                    return Some(Err(changed));
                }
                Err(error) => return Some(Err(error.into())),
            };
            photos.extend(checked);
            if photos.len() >= AT_ONCE {
                break;
            }
        }
        (!photos.is_empty()).then_some(Ok(photos))
    })
}

fn comparisons(baseline: Option<&Baseline>, evaluations: &[Evaluation]) -> Vec<Option<Comparison>> {
    evaluations.iter().map(|evaluation| baseline?.compare(&evaluation.to_json())).collect()
}

fn print(
    args: &Args,
    evaluations: &[Evaluation],
    comparisons: &[Option<Comparison>],
) -> anyhow::Result<Outcome> {
    let written = match args.labelled.output.format {
        Format::Text => print_lines(&text(evaluations, comparisons, args.all_readers)),
        Format::Json => {
            let json = json(evaluations, comparisons, args.all_readers);
            writeln!(io::stdout(), "{}", printable::json(&json))
        }
    };
    written.context("cannot write the figures to stdout")?;
    let all_read = evaluations.iter().all(|evaluation| evaluation.failed.is_empty());
    Ok(if all_read { Outcome::Done } else { Outcome::SomeFailed })
}

/// The readers that are asked for. With `--all-readers` those whose weights are missing are named
/// and left out; the one without a network always reads.
fn readers(args: &Args) -> anyhow::Result<(Vec<&'static str>, Vec<Pipeline>)> {
    let reading = &args.labelled.reading;
    if !args.all_readers {
        return Ok((vec![reading.reader.name()], vec![reading.pipeline_without(&args.without)?]));
    }
    let (mut names, mut pipelines) = (Vec::new(), Vec::new());
    for reader in ReaderChoice::ALL {
        match (ReadingArgs { reader, ..reading.clone() }).pipeline_without(&args.without) {
            Ok(pipeline) => {
                names.push(reader.name());
                pipelines.push(pipeline);
            }
            Err(error) => say!("without the {} reader: {}", reader.name(), error_message(&error)),
        }
    }
    Ok((names, pipelines))
}

fn text(
    evaluations: &[Evaluation],
    comparisons: &[Option<Comparison>],
    side_by_side: bool,
) -> String {
    let mut text = match evaluations {
        [only] if !side_by_side => only.to_string(),
        several => SideBySide(several).to_string(),
    };
    for (evaluation, comparison) in evaluations.iter().zip(comparisons) {
        if let Some(comparison) = comparison {
            let reader = &evaluation.reader;
            let of = if side_by_side { format!("{reader} ") } else { String::new() };
            text += &format!("\n{of}{comparison}");
        }
    }
    text
}

fn json(
    evaluations: &[Evaluation],
    comparisons: &[Option<Comparison>],
    side_by_side: bool,
) -> Value {
    let mut all = evaluations.iter().zip(comparisons).map(|(evaluation, comparison)| {
        (evaluation.reader.clone(), compared_json(evaluation, comparison.as_ref()))
    });
    if !side_by_side {
        return all.next().expect("a reader was evaluated").1;
    }
    json!({ "version": VERSION, "readers": all.collect::<Map<String, Value>>() })
}

fn compared_json(evaluation: &Evaluation, comparison: Option<&Comparison>) -> Value {
    let mut json = evaluation.to_json();
    if let Some(comparison) = comparison {
        json["against_baseline"] = comparison.to_json();
    }
    json
}
