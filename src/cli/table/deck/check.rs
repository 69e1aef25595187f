//! `setsight deck check`: which cards of a deck photos show.

use crate::cli::common::{BadCall, Jobs, Outcome, told, unwritten};
use crate::cli::stop;
use crate::cli::table::photos::{ReadingArgs, progress};
use setsight_decks::{Inventory, Spot};
use setsight_eval::sheet;
use setsight_files::whole_file::write_whole;
use setsight_files::{print_result, say};
use setsight_photo::source;
use setsight_vision::{TableReading, Trace, batch};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Arguments of `deck check`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight deck check photos
  setsight deck check row-1.jpg row-2.jpg row-3.jpg --print missing.html

Lay all cards out, in several photos if need be, and each of them once. Exit code 1: cards are missing, \
    appear twice or are unsure, or a photo could not be read.")]
pub struct Args {
    /// Photos, and folders of them
    #[arg(required = true, value_name = "PHOTO")]
    photos: Vec<PathBuf>,
    /// A page on which the missing cards are to be printed, as large as they are
    #[arg(long, value_name = "FILE")]
    print: Option<PathBuf>,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    reading: ReadingArgs,
}

/// Reads the photos and tells what is missing.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let listed: Result<Vec<PathBuf>, _> =
        source::list_photos(&args.photos, false, &[]).into_iter().collect();
    let paths = listed.map_err(|error| BadCall(error.to_string()))?;
    let pipeline = args.reading.pipeline()?;
    let bar = progress(paths.len());
    let stop = stop::asked();
    let budget = source::MemoryBudget::default();
    let mut tables: Vec<(usize, TableReading)> = Vec::new();
    let read = |_: usize, path: &PathBuf| -> anyhow::Result<TableReading> {
        let (photo, _reservation) = budget.load(path, 0)?;
        Ok(pipeline.read_photo(photo, &mut Trace::default())?.table)
    };
    batch::in_order(&paths, args.jobs.count(), stop, read, |i, result| {
        bar.inc(1);
        match result.unwrap_or_else(|panic| Err(anyhow::anyhow!(panic))) {
            Ok(table) => tables.push((i, table)),
            Err(error) => bar.suspend(|| say!("{}: {}", paths[i].display(), told(&error))),
        }
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) {
        say!("stopped: {} of {} photos read", tables.len(), paths.len());
        return Ok(Outcome::SomeFailed);
    }
    let of_photos: Vec<(usize, &TableReading)> =
        tables.iter().map(|(photo, table)| (*photo, table)).collect();
    let found = Inventory::of(&of_photos);
    if !found.is_known() {
        let hint = "if these are a deck's cards, it is one that is not known: `setsight deck learn` teaches it";
        let _ = print_result!("no card is sure, so that nothing can be said of the deck; {hint}");
        return Ok(Outcome::SomeFailed);
    }
    if let Some(file) = &args.print {
        let missing = found.missing();
        let page =
            sheet::cards(&found.deck, &missing, &format!("Missing cards: {}", missing.len()));
        write_whole(file, page.as_bytes())
            .map_err(|error| unwritten(format!("{} cannot be written", file.display()), error))?;
    }
    let _ = print_result!("{}", report(&found, &paths).trim_end());
    let all_are_read = tables.len() == paths.len();
    Ok(if all_are_read && found.is_in_order() { Outcome::Done } else { Outcome::SomeFailed })
}

fn report(found: &Inventory, photos: &[PathBuf]) -> String {
    let place = |spot: &Spot| format!("{}, card {}", photos[spot.photo].display(), spot.card + 1);
    let (deck, all, missing) = (&found.deck, found.whole(), found.missing());
    let there = all - missing.len();
    let mut text = match missing.as_slice() {
        [] => format!("{there} of {all}: the deck is complete\n"),
        missing => {
            let names: Vec<String> = missing.iter().map(|&card| deck.card_name(card)).collect();
            format!("{there} of {all}; missing: {}\n", names.join(", "))
        }
    };
    for (card, spots) in found.repeated() {
        let places: Vec<String> = spots.iter().map(place).collect();
        text += &format!("more than once: {} ({})\n", deck.card_name(card), places.join("; "));
    }
    for unsure in &found.unsure {
        let (place, name) = (place(&unsure.spot), deck.card_name(unsure.card));
        text += &format!("unsure: {place}: {name} ({:.0} %)\n", 100.0 * unsure.confidence);
    }
    text
}
