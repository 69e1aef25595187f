//! `general --board`: a board of one's own, one set of it, all or how many.

use super::{Args, deck, kind, room};
use crate::cli::common::{BadCall, Format, Outcome, read_input};
use crate::cli::simulate::grouped;
use crate::cli::timed::{counted, human};
use anyhow::Context;
use cpu_time::ThreadTime;
use serde_json::json;
use setsight_game::json::VERSION;
use setsight_general::{Budget, Card, Rules, Stop, sets_of_board};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// A hundred thousand cards of eight properties.
const MAX_INPUT_BYTES: u64 = 1 << 20;

/// Most sets that are listed: they are kept until all are known, each card a text.
const MOST_LISTED: usize = 1_000_000;

/// Prints what the board holds.
///
/// # Errors
/// A board that cannot be read or is none, a solver that stops, output that cannot be written.
pub fn look(args: &Args, file: &Path, rules: &Rules) -> anyhow::Result<Outcome> {
    let board = read(file, rules)?;
    let (cpu, bytes) = room(args)?;
    let budget = Budget::new(cpu, bytes);
    let start = ThreadTime::now();
    let mut json = json!({
        "version": VERSION, "values": rules.values(), "properties": rules.properties(),
        "board": board.len(),
    });
    let mut text = format!("{}; a board of {}\n", deck(rules), counted(board.len() as u64, "card"));
    let codes = |set: &[Card]| set.iter().map(|&card| rules.code(card)).collect::<Vec<_>>();
    if args.all || args.count {
        let mut sets = Vec::new();
        let mut see = |set: &[Card]| {
            if args.all {
                sets.push(codes(set));
            }
            sets.len() <= MOST_LISTED
        };
        let count =
            sets_of_board(rules, &board, &budget, &mut see).map_err(|stop| stopped(args, &stop))?;
        if sets.len() > MOST_LISTED {
            let most = grouped(MOST_LISTED as u64);
            let message = format!("more than {most} sets, too many to list: --count counts them");
            return Err(BadCall(message).into());
        }
        json["count"] = json!(count);
        if args.all {
            for (i, set) in sets.iter().enumerate() {
                let _ = writeln!(text, "{:>3}. {}", i + 1, set.join(" "));
            }
            json["sets"] = json!(sets);
        }
        let noun = if count == 1 { "set" } else { "sets" };
        let _ = writeln!(text, "{} {noun}", grouped(count));
    } else {
        let kind = kind(args)?;
        let mut solver = kind.solver(rules).map_err(|error| BadCall(error.to_string()))?;
        let mut set = Vec::new();
        solver.drawn(&board);
        let found = solver.find(&budget, &mut set).map_err(|stop| stopped(args, &stop))?;
        let seconds = start.elapsed().as_secs_f64();
        let _ = match found {
            true => writeln!(text, "a set: {}", codes(&set).join(" ")),
            false => writeln!(text, "no set"),
        };
        let _ = writeln!(text, "{kind} took {}", human(seconds));
        json["solver"] = json!(kind.name());
        json["seconds"] = json!(seconds);
        json["set"] = json!(found.then(|| codes(&set)));
    }
    if args.format == Format::Json {
        text = format!("{json}\n");
    }
    std::io::stdout().lock().write_all(text.as_bytes()).context("cannot write the result")?;
    Ok(Outcome::Done)
}

/// The cards of a file, each of which a board has once.
pub fn read(file: &Path, rules: &Rules) -> anyhow::Result<Vec<Card>> {
    let (bytes, name) = read_input(Some(file), MAX_INPUT_BYTES, "file of cards")?;
    // What is no text becomes a replacement character, which the card's error then names.
    let text = String::from_utf8_lossy(&bytes);
    let mut board = Vec::new();
    let mut places = HashMap::new();
    for (number, code) in (1..).zip(text.split_whitespace()) {
        let card = rules
            .card_of_code(code)
            .map_err(|error| BadCall(format!("{name}, card {number}: {error}")))?;
        if let Some(before) = places.insert(card, number) {
            let message = format!("{name}, card {number}: {code} is card {before} already");
            return Err(BadCall(message).into());
        }
        board.push(card);
    }
    if board.is_empty() {
        let example = rules.code(Card(0));
        return Err(BadCall(format!("{name}: no cards; a card is written as {example}")).into());
    }
    Ok(board)
}

/// Why the search was given up, and what would give it more.
fn stopped(args: &Args, stop: &Stop) -> anyhow::Error {
    anyhow::anyhow!("the board: {stop}{}", super::more(args, stop))
}
