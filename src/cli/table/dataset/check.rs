//! `setsight dataset check`.

use crate::cli::common::{BadCall, Format, Jobs, Outcome, told, unwritten};
use crate::cli::stop;
use crate::cli::table::photos::{self, ReadingArgs};
use anyhow::Context;
use setsight_eval::check::{CheckReport, Findings, Item, plan};
use setsight_files::{print_result, say};
use setsight_photo::labels::told_of_outside;
use setsight_photo::source::MemoryBudget;
use setsight_vision::batch;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Arguments of `dataset check`.
#[derive(clap::Args)]
#[command(
    after_help = "Wrong is what cannot be learnt from as it is, and the exit code is 1 then. Doubtful is \
    where the reader is sure of something else than the label says; either may err.\n\n\
    Examples:\n  \
    setsight dataset check my-photos\n  \
    setsight dataset check my-photos my-crops --report report"
)]
pub struct Args {
    /// Folders with labels.json (photos) or labels.csv (crops), or folders of such folders
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Where to put a page with every doubt in pictures
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// How the findings are printed
    #[arg(short, long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    jobs: Jobs,
}

/// Looks at labelled photos and crops.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let plan = plan(&args.folders).map_err(|error| BadCall(error.to_string()))?;
    if let Some(words) = told_of_outside(&plan.outside) {
        say!("{words}");
    }
    let pipeline = args.reading.pipeline()?;
    let cannot = |folder: &Path| format!("the report cannot go to {}", folder.display());
    let report = args
        .report
        .as_deref()
        .map(|folder| CheckReport::new(folder).map_err(|error| unwritten(cannot(folder), error)));
    let mut report = report.transpose()?;
    let mut findings = Findings::of_plan(&plan);
    let stop = stop::asked();
    let pictures: usize = plan.items.iter().map(Item::pictures).sum();
    let bar = photos::progress(pictures);
    let (mut problem, mut failed) = (None, false);
    let budget = MemoryBudget::default();
    let work = |_: usize, item: &Item| item.check(&pipeline, &budget, args.report.is_some());
    let done = batch::in_order(&plan.items, args.jobs.count(), stop, work, |i, result| {
        let item = &plan.items[i];
        bar.inc(item.pictures() as u64);
        let reason = match result {
            Ok(Ok(checked)) => {
                if let Some(Err(error)) = report.as_mut().map(|report| report.add(&checked)) {
                    problem = Some(error);
                    return ControlFlow::Break(());
                }
                findings.add(checked);
                return ControlFlow::Continue(());
            }
            Ok(Err(error)) => told(&error.into()),
            Err(panic) => format!("made the program fail ({panic}); please report this picture"),
        };
        let file = match item {
            Item::Photo { path, .. } => path.display().to_string(),
            Item::Crops(crops) => format!("{} and others", crops[0].0.display()),
        };
        bar.suspend(|| say!("{file}: {reason}"));
        failed = true;
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();
    if problem.is_none() && done < plan.items.len() {
        // Findings of a part would be taken for those of the whole.
        anyhow::bail!("stopped: {done} of {} steps done, no findings", plan.items.len());
    }
    findings.finish();
    if let (Some(report), Some(folder)) = (report, &args.report) {
        let written = problem.map_or_else(|| report.finish(&findings), Err);
        written.with_context(|| cannot(folder))?;
    }
    let told = match args.format {
        Format::Text => print_result!("{}", findings.to_string().trim_end()),
        Format::Json => writeln!(io::stdout(), "{}", findings.to_json()),
    };
    told.context("cannot write the findings to stdout")?;
    let all_good = findings.wrong.is_empty() && !failed;
    Ok(if all_good { Outcome::Done } else { Outcome::SomeFailed })
}
