//! `setsight deck`: decks of one's own.

use super::stop;
use crate::cards::Deck;
use crate::cli::common::{BadCall, Jobs, Outcome};
use crate::cli::photos::{jobs, progress};
use crate::deck_learning::{self, SeenPhoto};
use crate::pipeline::engine::used;
use crate::pipeline::{FinderChoice, batch, shared_refiner, source};
use crate::printable::say;
use crate::whole_file::write_whole;
use anyhow::Context;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Arguments of `deck`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Learn a deck from photos of its cards: its outlines, fills and inks
    Learn(LearnArgs),
}

/// Does what was asked for.
///
/// # Errors
/// See the commands.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.what {
        What::Learn(args) => learn(&args),
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

/// A name that is free, and that labels and readings can carry.
fn check_name(name: &str) -> Result<(), BadCall> {
    let taken = Deck::NAMES.contains(&name)
        || ["auto", "unknown", "invented"].contains(&name)
        || name.starts_with("invented-");
    if taken {
        return Err(BadCall(format!(
            "--name {name} means another deck; give it a name of its own"
        )));
    }
    if name.trim().is_empty() || name.chars().any(char::is_control) || name.chars().count() > 60 {
        return Err(BadCall("--name: expected 1 to 60 characters of one line".into()));
    }
    Ok(())
}

fn learn(args: &LearnArgs) -> anyhow::Result<Outcome> {
    check_name(&args.name)?;
    let listed: Result<Vec<PathBuf>, _> =
        source::list_photos(&args.photos, false, &[]).into_iter().collect();
    let paths = listed.map_err(|error| BadCall(error.to_string()))?;
    let models = used::models();
    let finder = FinderChoice::default().finder(&models, shared_refiner(&models)?)?;
    let bar = progress(paths.len());
    let mut seen: Vec<SeenPhoto> = Vec::new();
    let stop = stop::asked();
    let detect = |_: usize, path: &PathBuf| -> anyhow::Result<SeenPhoto> {
        let name = path.display().to_string();
        let frame = source::load(path).with_context(|| name.clone())?;
        Ok(deck_learning::detect(&name, &frame, &*finder)?)
    };
    let mut failed = None;
    batch::in_order(&paths, jobs(args.jobs), stop, detect, |_, result| {
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
    let learnt = deck_learning::learn(&seen, &args.name)?;
    for note in &learnt.notes {
        say!("{note}");
    }
    write_whole(&args.out, learnt.deck.to_text().as_bytes())
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    let _ = writeln!(
        std::io::stdout(),
        "{}: learnt from {} cards in {} photos: {}",
        args.out.display(),
        learnt.cards,
        seen.len(),
        learnt.deck.values_told()
    );
    Ok(Outcome::Done)
}
