//! `setsight dataset`: labels from elsewhere, and what is wrong with labels.

use crate::cli::{
    common::{BadCall, Format, Outcome, error_message, unwritten},
    stop,
    table::photos::{self, LabelledArgs, progress, report_refused},
};
use anyhow::Context;
use clap::{ValueEnum, builder::PossibleValue};
use indicatif::ProgressBar;
use setsight_eval::CheckReport;
use setsight_files::{
    print_result,
    printable::{self, counted, print_lines},
    say,
};
use setsight_labels::check::{Findings, Item, plan};
use setsight_labels::convert::{self, Converted};
use setsight_labels::find_photos;
use setsight_photo::labels::outside_warning;
use setsight_photo::source::MemoryBudget;
use setsight_vision::batch;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Arguments of `dataset`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    subcommand: Subcommand,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Convert labels from other programs
    Convert(ConvertArgs),
    /// Export labels to other programs, with copies of the photos
    Export(ExportArgs),
    /// Report what is wrong, doubtful or missing in labelled photos and crops
    #[command(
        after_help = "Wrong labels would teach something false; the exit code is then 1. Doubtful labels are \
        those where the reader is sure of something else; either may be wrong.\n\n\
        Examples:\n  \
        setsight dataset check my-photos\n  \
        setsight dataset check my-photos my-crops --report report"
    )]
    Check(LabelledArgs),
}

/// Does what was asked for.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.subcommand {
        Subcommand::Convert(args) => convert_labels(args),
        Subcommand::Export(args) => export_labels(&args),
        Subcommand::Check(args) => check(&args),
    }
}

/// Looks at labelled photos and crops.
fn check(args: &LabelledArgs) -> anyhow::Result<Outcome> {
    let plan = plan(&args.folders).map_err(|error| BadCall(error_message(&error.into())))?;
    if let Some(words) = outside_warning(&plan.outside) {
        say!("{words}");
    }
    let pipeline = args.reading.pipeline()?;
    let report = args.report.as_deref().map(|folder| {
        CheckReport::new(folder).map_err(|error| unwritten(report_refused(folder), error))
    });
    let mut report = report.transpose()?;
    let mut findings = Findings::of_plan(&plan);
    let stop = stop::asked();
    let pictures: usize = plan.items.iter().map(Item::pictures).sum();
    let bar = photos::progress(pictures);
    let (mut problem, mut failed) = (None, false);
    let budget = MemoryBudget::default();
    let with_pictures = args.report.is_some();
    let check = |_: usize, item: &Item| item.check(&pipeline, &budget, with_pictures);
    let done = batch::in_order(&plan.items, args.jobs.count(), stop, check, |i, result| {
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
            Ok(Err(error)) => error_message(&error.into()),
            Err(panic) => format!("made the program fail ({panic}); please report this picture"),
        };
        let file = match item {
            Item::Photo { path, .. } => path.display().to_string(),
            Item::Crops(crops) => format!("{} and others", crops[0].0.display()),
        };
        bar.suspend(|| say!("{file}: {reason}"));
        failed = true;
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    if problem.is_none() && done < plan.items.len() {
        // Findings of a part would be taken for those of the whole.
        anyhow::bail!("stopped: {done} of {} steps done, no findings", plan.items.len());
    }
    findings.finish();
    if let (Some(report), Some(folder)) = (report, &args.report) {
        let written = problem.map_or_else(|| report.finish(&findings), Err);
        written.with_context(|| report_refused(folder))?;
    }
    let written = match args.output.format {
        Format::Text => print_lines(&findings.to_string()),
        Format::Json => writeln!(io::stdout(), "{}", printable::json(&findings.to_json())),
    };
    written.context("cannot write the findings to stdout")?;
    let all_good = findings.wrong.is_empty() && !failed;
    Ok(if all_good { Outcome::Done } else { Outcome::SomeFailed })
}

/// Arguments of `dataset convert`.
#[derive(clap::Args)]
#[command(
    after_help = "Classes are named by their card's code (2spd) or in words (\"two striped purple \
    diamonds\", PURPLE_DIAMOND_2_STRIPED, RedOvalOneSolid). An upright box gives only the card's centre; \
    four corners are kept. Anything malformed is refused.\n\n\
    FROM is never changed, and nothing is replaced. The labels refer to the photos by their path from DIR: \
    keep the photos there, or copy them with --copy. If DIR is the photos' own folder, the labels are beside \
    them, where `setsight app` looks.\n\n\
    Examples:\n  \
    setsight dataset convert export --out labelled\n  \
    setsight dataset convert project/result.json --out labelled --copy\n  \
    setsight dataset convert photos/centres.csv --out photos"
)]
struct ConvertArgs {
    /// File or folder of labels from another program
    from: PathBuf,
    /// Folder for labels.json (photos) or labels.csv (crops); created if missing
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// What FROM is
    #[arg(long, value_enum, default_value_t)]
    from_format: From,
    /// Copy the pictures into DIR too, which must be new or empty
    #[arg(long)]
    copy: bool,
    /// A class that is not a card, such as backs, to skip; may be repeated
    #[arg(long, value_name = "CLASS")]
    leave_out: Vec<String>,
}

/// Arguments of `dataset export`.
#[derive(clap::Args)]
#[command(
    after_help = "DIR gets images/ with copies of the photos, and annotations.json (COCO: boxes, and the corners as \
    polygons) or data.yaml and labels/ (YOLO: boxes). Classes are the codes of all 81 cards. Photos that nobody \
    has checked are left out, and what the format does not hold is said.\n\n\
    Example:\n  \
    setsight dataset export my-photos --to coco --out for-others"
)]
struct ExportArgs {
    /// Folder with labels.json, or a folder of such folders
    from: PathBuf,
    /// What to write
    #[arg(long, value_enum)]
    to: To,
    /// Folder to write, new or empty
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// What is exported to.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum To {
    Coco,
    Yolo,
}

/// What is converted.
#[derive(Clone, Copy, Debug, Default)]
enum From {
    /// By its content.
    #[default]
    Auto,
    As(convert::Format),
}

impl ValueEnum for From {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [From; 1 + convert::Format::ALL.len()] = {
            let mut all = [From::Auto; 1 + convert::Format::ALL.len()];
            let mut i = 0;
            while i < convert::Format::ALL.len() {
                all[1 + i] = From::As(convert::Format::ALL[i]);
                i += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Auto => PossibleValue::new("auto").help("By the file's content"),
            Self::As(format) => {
                let value = PossibleValue::new(format.name).help(format.looks_like);
                // What it was called while a table held centres alone.
                if format.name == "csv" { value.alias("centres") } else { value }
            }
        })
    }
}

fn convert_labels(args: ConvertArgs) -> anyhow::Result<Outcome> {
    let format = match args.from_format {
        From::Auto => None,
        From::As(format) => Some(format),
    };
    let found = convert::find(&args.from, format).map_err(|error| {
        print_first(error.strange(), 5);
        BadCall(error_message(&error.into()))
    })?;
    let stop = stop::asked();
    let bar = progress(found.pictures());
    let converted = found.convert(&args.leave_out, &mut || advance(&bar, stop));
    bar.finish_and_clear();
    let converted = match converted {
        Ok(converted) => converted,
        Err(error @ convert::ConvertError::NoSuchClass { .. }) => {
            return Err(BadCall(error.to_string()).into());
        }
        Err(convert::ConvertError::Problems(all)) => {
            print_first(&all, 30);
            anyhow::bail!("nothing is written, as {} is not in order", args.from.display());
        }
        Err(error) => return Err(error).context("nothing is written"),
    };
    let summary = converted.to_string();
    let notes = notes(&converted, args.copy);
    let format = converted.format.name;
    let bar = progress(if args.copy { converted.photos.len() + converted.crops.len() } else { 0 });
    let written = converted.write(&args.out, args.copy, &mut || advance(&bar, stop));
    bar.finish_and_clear();
    let path = written?;
    for note in notes {
        say!("{note}");
    }
    // A closed pipe is no error.
    let _ = print_result!("{}: {summary}, from {format}", path.display());
    Ok(Outcome::Done)
}

fn export_labels(args: &ExportArgs) -> anyhow::Result<Outcome> {
    let found = find_photos(&args.from).map_err(|error| BadCall(error_message(&error.into())))?;
    found.remarks().for_each(|words| say!("{words}"));
    let target = match args.to {
        To::Coco => convert::Target::Coco,
        To::Yolo => convert::Target::Yolo,
    };
    let stop = stop::asked();
    let bar = progress(found.photos.len());
    let go_on = &mut || advance(&bar, stop);
    let exported = convert::export(&found.photos, &args.from, target, &args.out, go_on);
    bar.finish_and_clear();
    let exported = match exported {
        Err(convert::ConvertError::Problems(all)) => {
            print_first(&all, 30);
            anyhow::bail!("nothing is written, as {} is not in order", args.from.display());
        }
        exported => exported?,
    };
    for words in exported.lost {
        say!("{words}");
    }
    let (photos, cards) = (counted(exported.photos, "photo"), counted(exported.cards, "card"));
    // A closed pipe is no error.
    let _ = print_result!("{}: {photos}, {cards}", exported.file.display());
    Ok(Outcome::Done)
}

/// Counts a picture as done; whether there is to be another.
fn advance(bar: &ProgressBar, stop: &AtomicBool) -> bool {
    bar.inc(1);
    !stop.load(Ordering::Relaxed)
}

/// Prints the first problems, one per line.
fn print_first(problems: &[String], most: usize) {
    problems.iter().take(most).for_each(|problem| say!("{problem}"));
    if problems.len() > most {
        say!("and {} more", problems.len() - most);
    }
}

/// What people should know of the labels.
fn notes(converted: &Converted, copied: bool) -> Vec<String> {
    let bare = converted.photos.iter().filter(|(_, label)| label.cards.is_empty());
    let bare: Vec<String> = bare.map(|(path, _)| path.display().to_string()).collect();
    let shown =
        |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    let mut notes: Vec<String> = [
        (converted.skipped.clone(), "photos that nobody labelled are left out"),
        (bare, "photos without a card count as truth; take out those that nobody labelled"),
        (shown(&converted.turned), "photos are turned by their EXIF data; their labels were taken to speak of them as viewers show them"),
        (shown(&converted.as_stored), "photos are turned by their EXIF data, but their labels were taken to speak of them as stored"),
        (shown(&converted.joined), "photos have labels in several files, which were taken together"),
        (shown(&converted.lost_links), "links lead nowhere and are left out"),
    ]
    .iter()
    .filter_map(|(photos, what)| {
        Some(format!("{} {what}, such as {}", photos.len(), photos.first()?))
    })
    .collect();
    let taken = if copied { "they are copied all the same" } else { "the labels name them there" };
    let outside = converted.outside();
    if let [first, ..] = outside.as_slice() {
        notes.push(format!(
            "{} labelled pictures lie outside of the folder of the labels, such as {}; {taken}",
            outside.len(),
            first.display()
        ));
    }
    notes
}
