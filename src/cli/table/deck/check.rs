//! `setsight deck check`: which cards of a deck photos show.

use crate::cli::common::{BadCall, Jobs, Outcome, told, unwritten};
use crate::cli::stop;
use crate::cli::table::photos::{ReadingArgs, progress};
use setsight_eval::sheet;
use setsight_files::whole_file::write_whole;
use setsight_files::{print_result, say};
use setsight_game::cards::{Card, Deck, Edition};
use setsight_photo::source;
use setsight_vision::{TableReading, Trace, batch};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Arguments of `deck check`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight deck check photos
  setsight deck check row-1.jpg row-2.jpg row-3.jpg --sheet missing.html

Lay all cards out, in several photos if need be, and each of them once. Exit code 1: cards are missing, \
    appear twice or are unsure, or a photo could not be read.")]
pub struct Args {
    /// Photos, and folders of them
    #[arg(required = true, value_name = "PHOTO")]
    photos: Vec<PathBuf>,
    /// A page on which the missing cards are to be printed, as large as they are
    #[arg(long, value_name = "FILE")]
    sheet: Option<PathBuf>,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    reading: ReadingArgs,
}

/// Reads the photos and tells what is missing.
///
/// # Errors
/// A bad call, networks that cannot be loaded, a page that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let listed: Result<Vec<PathBuf>, _> =
        source::list_photos(&args.photos, false, &[]).into_iter().collect();
    let paths = listed.map_err(|error| BadCall(error.to_string()))?;
    let pipeline = args.reading.pipeline()?;
    let bar = progress(paths.len());
    let stop = stop::asked();
    let room = source::Room::default();
    let mut tables: Vec<(String, TableReading)> = Vec::new();
    let read = |_: usize, path: &PathBuf| -> anyhow::Result<TableReading> {
        let (photo, _held) = room.load(path, 0)?;
        Ok(pipeline.read_photo(photo, &mut Trace::default())?.table)
    };
    batch::in_order(&paths, args.jobs.count(), stop, read, |i, result| {
        bar.inc(1);
        let name = paths[i].display().to_string();
        match result.unwrap_or_else(|panic| Err(anyhow::anyhow!(panic))) {
            Ok(table) => tables.push((name, table)),
            Err(error) => bar.suspend(|| say!("{name}: {}", told(&error))),
        }
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) {
        say!("stopped: {} of {} photos read", tables.len(), paths.len());
        return Ok(Outcome::SomeFailed);
    }
    let deck = deck_of(&tables);
    let found = Found::of(&tables);
    if found.sure.is_empty() {
        let hint = "if these are a deck's cards, it is one that is not known: `setsight deck learn` teaches it";
        let _ = print_result!("no card is sure, so that nothing can be said of the deck; {hint}");
        return Ok(Outcome::SomeFailed);
    }
    let missing: Vec<Card> = deck.cards().filter(|card| !found.sure.contains_key(card)).collect();
    if let Some(file) = &args.sheet {
        let page = sheet::cards(&deck, &missing, &format!("Missing cards: {}", missing.len()));
        write_whole(file, page.as_bytes())
            .map_err(|error| unwritten(format!("{} cannot be written", file.display()), error))?;
    }
    let report = found.report(&deck, &missing);
    let _ = print_result!("{}", report.trim_end());
    let all_are_read = tables.len() == paths.len();
    Ok(if all_are_read && found.is_whole(&missing) { Outcome::Done } else { Outcome::SomeFailed })
}

/// The deck that most of the tables show.
fn deck_of(tables: &[(String, TableReading)]) -> Arc<Deck> {
    let cards = |edition: Edition| -> usize {
        let of = tables.iter().filter(|(_, table)| table.edition() == edition);
        of.map(|(_, table)| table.cards.len()).sum()
    };
    let largest = tables.iter().max_by_key(|(_, table)| cards(table.edition()));
    largest.map_or_else(Deck::classic, |(_, table)| table.deck())
}

/// Where cards lie, by the photos' names.
#[derive(Default)]
struct Found {
    sure: BTreeMap<Card, Vec<String>>,
    /// Best guesses, with their confidence.
    unsure: Vec<(Card, f32, String)>,
}

impl Found {
    fn of(tables: &[(String, TableReading)]) -> Self {
        let mut found = Self::default();
        for (name, table) in tables {
            for (i, card) in table.cards.iter().enumerate() {
                let place = format!("{name}, card {}", i + 1);
                if card.unsure {
                    found.unsure.push((card.card, card.confidence, place));
                } else {
                    found.sure.entry(card.card).or_default().push(place);
                }
            }
        }
        found
    }

    fn repeated(&self) -> impl Iterator<Item = (&Card, &Vec<String>)> {
        self.sure.iter().filter(|(_, places)| places.len() > 1)
    }

    fn is_whole(&self, missing: &[Card]) -> bool {
        missing.is_empty() && self.unsure.is_empty() && self.repeated().next().is_none()
    }

    fn report(&self, deck: &Deck, missing: &[Card]) -> String {
        let all = deck.cards().count();
        let there = all - missing.len();
        let mut text = match missing {
            [] => format!("{there} of {all}: the deck is complete\n"),
            _ => {
                let names: Vec<String> = missing.iter().map(|&card| deck.card_name(card)).collect();
                format!("{there} of {all}; missing: {}\n", names.join(", "))
            }
        };
        for (&card, places) in self.repeated() {
            text += &format!("more than once: {} ({})\n", deck.card_name(card), places.join("; "));
        }
        for (card, confidence, place) in &self.unsure {
            let percent = 100.0 * confidence;
            text += &format!("unsure: {place}: {} ({percent:.0} %)\n", deck.card_name(*card));
        }
        text
    }
}
