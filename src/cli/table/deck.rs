//! `setsight deck`: decks of one's own, and whether one is complete.

use crate::cli::{
    common::{BadCall, Outcome, error_message, print_outcome, put, tick},
    stop,
    table::photos::{PhotoArgs, ReadingArgs, progress, without_rare},
    terminal,
};
use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use setsight_decks::{
    DeckPhoto, Draft, Inventory, LearnError, Learnt, Place, Spot, check_name, detect, values_of,
};
use setsight_eval::drawn_card;
use setsight_files::{print_result, printable, say};
use setsight_game::cards::{Card, Deck, Property};
use setsight_nets::engine::sha256;
use setsight_photo::source;
use setsight_vision::{ReadingPlan, TableReading, Trace, batch, find::CardFinder};
use std::path::{Path, PathBuf};
use std::{collections::HashMap, io::IsTerminal, ops::ControlFlow, sync::atomic::Ordering};

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
    /// Find out which cards of a deck are missing, from photos of all its cards
    Check(CheckArgs),
}

/// Does what was asked for.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.subcommand {
        Subcommand::Learn(args) => learn(&args),
        Subcommand::Check(args) => check(&args),
    }
}

/// Arguments of `deck learn`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight deck learn photos --name ours --out ours.json\n  \
    setsight scan table.jpg --deck ours.json\n\n\
    Photograph the cards face up and without overlaps.")]
struct LearnArgs {
    #[command(flatten)]
    photos: PhotoArgs,
    /// Name of the deck
    #[arg(long, value_name = "NAME")]
    name: String,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

fn learn(args: &LearnArgs) -> anyhow::Result<Outcome> {
    check_name(&args.name)
        .map_err(|error| BadCall(format!("--name {}: {error}", printable::line(&args.name))))?;
    // Before the work: it may be the first of the photos, taken for the name of the file.
    if args.out.is_file() && Deck::open(&args.out.to_string_lossy()).is_err() {
        let file = args.out.display();
        let problem = format!("--out {file}: it is there, and no deck; name another place");
        return Err(BadCall(problem).into());
    }
    let paths = args.photos.list()?;
    let finder = ReadingPlan::default().build_finder()?;
    let bar = progress(paths.len());
    let mut detected: Vec<DeckPhoto> = Vec::new();
    let stop = stop::asked();
    let mut failed = None;
    let detect = |_: usize, path: &PathBuf| detect_cards(path, &*finder);
    batch::in_order(&paths, args.photos.jobs.count(), stop, detect, |_, result| {
        bar.inc(1);
        match result.unwrap_or_else(|panic| Err(anyhow::anyhow!(panic))) {
            Ok(photo) => {
                detected.push(photo);
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error);
    }
    if stop.load(Ordering::Relaxed) {
        say!("stopped: no deck was written");
        return Ok(Outcome::SomeFailed);
    }
    let photos = detected.len();
    let steps = steps();
    steps.set_message("putting the cards in order");
    let learnt = learnt(Draft::from_photos(detected), &args.name, &steps);
    steps.finish_and_clear();
    let learnt = learnt?;
    for note in &learnt.notes {
        say!("{note}");
    }
    put(&args.out, b"", &paths, learnt.deck.to_text().as_bytes())?;
    let (out, cards, values) = (args.out.display(), learnt.cards, learnt.deck.value_list());
    let summary = format!("{out}: learnt from {cards} cards in {photos} photos: {values}");
    print_outcome(Some(&args.out), &summary).map(|()| Outcome::Done)
}

fn detect_cards(path: &Path, finder: &dyn CardFinder) -> anyhow::Result<DeckPhoto> {
    let name = path.display().to_string();
    let frame = source::load(path).with_context(|| name.clone())?;
    Ok(detect(&name, &frame, finder)?)
}

/// Parts into which the bar of the last step is divided.
const STEPS: u64 = 1_000;

/// A bar for what follows after the photos, on a terminal.
fn steps() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:30} {percent} %, {msg}, {elapsed}");
    tick(&bar);
    bar.with_style(style.expect("a template that is well formed"))
}

/// The deck of a draft; where two values look alike, the user at the terminal is asked.
fn learnt(mut draft: Draft, name: &str, steps: &ProgressBar) -> Result<Learnt, LearnError> {
    loop {
        match draft.learn(name, &|part| {
            steps.set_message("drawing its fills");
            steps.set_position((part * STEPS as f64) as u64);
        }) {
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

/// Arguments of `deck check`.
#[derive(clap::Args)]
#[command(mut_args(without_rare))]
#[command(after_help = "Examples:
  setsight deck check photos
  setsight deck check row-1.jpg row-2.jpg row-3.jpg --print missing.html

Lay out all the cards and photograph them, each in just one photo. Exit code 1: cards are missing, \
    repeated or unsure, or a photo could not be read.")]
struct CheckArgs {
    #[command(flatten)]
    photos: PhotoArgs,
    /// Write a page to print the missing cards at full size
    #[arg(long, value_name = "FILE")]
    print: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
}

/// Reads the photos and lists what is missing.
fn check(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let paths = args.photos.list()?;
    let pipeline = args.reading.pipeline()?;
    report_copies(&paths);
    let bar = progress(paths.len());
    let stop = stop::asked();
    let budget = source::MemoryBudget::default();
    let mut tables: Vec<(usize, TableReading)> = Vec::new();
    let read = |_: usize, path: &PathBuf| -> anyhow::Result<TableReading> {
        let (photo, _reservation) = budget.load(path, 0)?;
        Ok(pipeline.read_photo(photo, &mut Trace::default())?.table)
    };
    batch::in_order(&paths, args.photos.jobs.count(), stop, read, |i, result| {
        bar.inc(1);
        match result.unwrap_or_else(|panic| Err(anyhow::anyhow!(panic))) {
            Ok(table) => tables.push((i, table)),
            Err(error) => bar.suspend(|| say!("{}: {}", paths[i].display(), error_message(&error))),
        }
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) {
        say!("stopped: {} of {} photos read", tables.len(), paths.len());
        return Ok(Outcome::SomeFailed);
    }
    let of_photos: Vec<(usize, &TableReading)> =
        tables.iter().map(|(photo, table)| (*photo, table)).collect();
    let found = Inventory::new(&of_photos);
    if !found.has_sure_cards() {
        let hint = "If this is another deck, teach it first: setsight deck learn";
        let _ = print_result!("No card could be read with certainty. {hint}");
        return Ok(Outcome::SomeFailed);
    }
    if let Some(file) = &args.print {
        let missing = found.missing();
        let page =
            drawn_card::cards(&found.deck, &missing, &format!("Missing cards: {}", missing.len()));
        put(file, setsight_eval::html::head().as_bytes(), &paths, page.as_bytes())?;
    }
    let _ = print_outcome(args.print.as_deref(), &terminal::fitted(report(&found, &paths)));
    let all_are_read = tables.len() == paths.len();
    Ok(if all_are_read && found.is_in_order() { Outcome::Done } else { Outcome::SomeFailed })
}

/// Names the photos that are copies of another one, whose cards count as repeated.
fn report_copies(paths: &[PathBuf]) {
    let mut first: HashMap<String, &PathBuf> = HashMap::new();
    for path in paths {
        // Reading it again reports the error.
        let Ok(bytes) = source::bytes_of(path) else { continue };
        let original = *first.entry(sha256(&bytes)).or_insert(path);
        if original != path {
            let (copy, original) = (path.display(), original.display());
            say!(
                "{copy}: is a copy of {original}, so their cards count twice; give only one of them"
            );
        }
    }
}

/// The whole deck by colour, shape, shading and number; a dot where a card is missing.
fn grid(deck: &Deck, missing: &[Card]) -> String {
    let mut cards: Vec<Card> = deck.cards().collect();
    cards.sort_by_key(|card| (row(card), card.shading.index(), card.number.index()));
    let mut text = String::new();
    for cards in cards.chunk_by(|a, b| row(a) == row(b)) {
        let cells = cards.iter().map(|card| match missing.contains(card) {
            true => " .  ".to_owned(),
            false => card.to_string(),
        });
        let cells: Vec<String> = cells.collect();
        let groups: Vec<String> = cells.chunks(3).map(|three| three.join(" ")).collect();
        text += &format!("  {}\n", groups.join("   ").trim_end());
    }
    text
}

fn row(card: &Card) -> (usize, usize) {
    (card.color.index(), card.shape.index())
}

fn report(found: &Inventory, photos: &[PathBuf]) -> String {
    /// Places of one card that are named.
    const SHOWN: usize = 10;
    let place = |spot: &Spot| {
        let photo = photos[spot.photo].display().to_string();
        format!("{}, card {}", printable::line(&photo), spot.card + 1)
    };
    let (deck, all, missing) = (&found.deck, found.deck_size(), found.missing());
    let present = all - missing.len();
    let mut text = match missing.as_slice() {
        [] => format!("{present} of {all}: the deck is complete\n"),
        missing => {
            let names: Vec<String> = missing.iter().map(|&card| deck.card_name(card)).collect();
            format!("{present} of {all}; missing: {}\n{}", names.join(", "), grid(deck, missing))
        }
    };
    for (card, spots) in found.repeated() {
        let mut places: Vec<String> = spots.iter().take(SHOWN).map(place).collect();
        if spots.len() > SHOWN {
            places.push(format!("and {} more", spots.len() - SHOWN));
        }
        text += &format!("more than once: {} ({})\n", deck.card_name(card), places.join("; "));
    }
    for unsure in &found.unsure {
        let (place, name) = (place(&unsure.spot), deck.card_name(unsure.card));
        text += &format!("unsure: {place}: {name} ({:.0} %)\n", 100.0 * unsure.confidence);
    }
    text
}
