//! `setsight deck`: decks of one's own, and whether one is complete.

mod check;

use crate::cli::common::{BadCall, Jobs, Outcome};
use crate::cli::stop;
use crate::cli::table::photos::progress;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use setsight_decks::{Draft, LearnError, Learnt, Place, SeenPhoto, check_name, detect, values_of};
use setsight_files::whole_file::write_whole;
use setsight_files::{print_result, printable, say};
use setsight_game::cards::Property;
use setsight_photo::source;
use setsight_vision::ReadingPlan;
use setsight_vision::batch;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Arguments of `deck`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    subcommand: Subcommand,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Learn a deck from photos of its cards: its outlines, fills and inks
    Learn(LearnArgs),
    /// Tell which cards of a deck are missing, from photos of all of them
    Check(check::Args),
}

/// Does what was asked for.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.subcommand {
        Subcommand::Learn(args) => learn(&args),
        Subcommand::Check(args) => check::run(&args),
    }
}

/// Arguments of `deck learn`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight deck learn photos --name ours --out ours.json\n  \
    setsight scan table.jpg --deck ours.json")]
struct LearnArgs {
    /// Photos in which the deck lies face up, no card on another, and folders of them
    #[arg(required = true, value_name = "PHOTO")]
    photos: Vec<PathBuf>,
    /// What the deck is to be called
    #[arg(long, value_name = "NAME")]
    name: String,
    /// The deck's file
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    jobs: Jobs,
}

fn learn(args: &LearnArgs) -> anyhow::Result<Outcome> {
    check_name(&args.name)
        .map_err(|error| BadCall(format!("--name {}: {error}", printable::line(&args.name))))?;
    let listed: Result<Vec<PathBuf>, _> =
        source::list_photos(&args.photos, false, &[]).into_iter().collect();
    let paths = listed.map_err(|error| BadCall(error.to_string()))?;
    let finder = ReadingPlan::default().build_finder()?;
    let bar = progress(paths.len());
    let mut seen: Vec<SeenPhoto> = Vec::new();
    let stop = stop::asked();
    let look = |_: usize, path: &PathBuf| -> anyhow::Result<SeenPhoto> {
        let name = path.display().to_string();
        let frame = source::load(path).with_context(|| name.clone())?;
        Ok(detect(&name, &frame, &*finder)?)
    };
    let mut failed = None;
    batch::in_order(&paths, args.jobs.count(), stop, look, |_, result| {
        bar.inc(1);
        match result {
            Ok(Ok(photo)) => {
                seen.push(photo);
                ControlFlow::Continue(())
            }
            Ok(Err(error)) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
            Err(panic) => {
                failed = Some(anyhow::anyhow!(panic));
                ControlFlow::Break(())
            }
        }
    })?;
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error);
    }
    if stop.load(Ordering::Relaxed) {
        say!("stopped: no deck was written");
        return Ok(Outcome::SomeFailed);
    }
    let photos = seen.len();
    let steps = steps();
    steps.set_message("putting the cards in order");
    let learnt = learnt(Draft::of(seen), &args.name, &steps);
    steps.finish_and_clear();
    let learnt = learnt?;
    for note in &learnt.notes {
        say!("{note}");
    }
    write_whole(&args.out, learnt.deck.to_text().as_bytes())
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    let _ = print_result!(
        "{}: learnt from {} cards in {} photos: {}",
        args.out.display(),
        learnt.cards,
        photos,
        learnt.deck.values_told()
    );
    Ok(Outcome::Done)
}

/// Parts into which the bar of the last step is divided.
const STEPS: u64 = 1_000;

/// A bar for what follows after the photos, on a terminal.
fn steps() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:30} {percent} %, {msg}, {elapsed}");
    bar.enable_steady_tick(Duration::from_millis(200));
    bar.with_style(style.expect("a template that is well formed"))
}

/// The deck of a draft; where two values look alike, whoever sits at the terminal is asked.
fn learnt(mut draft: Draft, name: &str, steps: &ProgressBar) -> Result<Learnt, LearnError> {
    let tell = |part: f64| {
        steps.set_message("drawing its fills");
        steps.set_position((part * STEPS as f64) as u64);
    };
    loop {
        match draft.learn(name, &tell) {
            Err(LearnError::Alike { property, first, second, .. })
                if steps.suspend(|| differ(property, &first, &second)) =>
            {
                draft.confirm(property);
            }
            outcome => return outcome,
        }
    }
}

/// Whether a person says that two cards differ in what photos do not tell apart; no where nobody can
/// be asked.
fn differ(property: Property, first: &Place, second: &Place) -> bool {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return false;
    }
    let what = values_of(property);
    let question = format!(
        "two {what} look alike in the photos. Look at {first} and {second}: do their {what} differ? [y/N] "
    );
    eprint!("{}", printable::line(&question));
    let mut answer = String::new();
    let answered = std::io::stdin().read_line(&mut answer).is_ok();
    answered && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}
