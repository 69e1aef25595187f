//! Games card by card: as JSON, and judged by the checker alone (`general --check`).

use crate::cli::common::{BadCall, Format, Outcome, read_input};
use crate::cli::timed::counted;
use anyhow::Context;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use setsight_game::json::VERSION;
use setsight_general::{Card, Fault, Found, Record, Rules, check};
use std::io::Write;
use std::path::Path;

/// About a million games of the ordinary deck.
const MAX_INPUT_BYTES: u64 = 1 << 28;

/// A game as JSON.
pub fn told(rules: &Rules, seed: u64, record: &Record) -> Value {
    let codes =
        |cards: &[Card]| cards.iter().map(|&card| rules.code(card)).collect::<Vec<String>>();
    let sets = record.found.iter().zip(record.cards.chunks(rules.values())).map(
        |(Found { drawn, board }, cards)| json!({"drawn": drawn, "board": board, "cards": codes(cards)}),
    );
    json!({"seed": seed, "drawn": codes(&record.drawn), "sets": sets.collect::<Vec<_>>()})
}

/// Writes a line of JSON with the games as its last member.
///
/// # Errors
/// It cannot be written.
pub fn write(
    out: &mut impl Write,
    told: &Value,
    rules: &Rules,
    records: &[(u64, Record)],
) -> std::io::Result<()> {
    #[derive(Serialize)]
    struct Line<'a> {
        #[serde(flatten)]
        told: &'a Value,
        records: Records<'a>,
    }
    serde_json::to_writer(&mut *out, &Line { told, records: Records(rules, records) })?;
    out.write_all(b"\n")
}

/// Made one by one as they are written: a million of them would take gigabytes.
struct Records<'a>(&'a Rules, &'a [(u64, Record)]);

impl Serialize for Records<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|(seed, record)| told(self.0, *seed, record)))
    }
}

/// A line of `general --format json`, of a whole or of a part.
#[derive(Deserialize)]
struct Line {
    values: u64,
    properties: u64,
    sets: u64,
    #[serde(default)]
    records: Vec<Game>,
    record: Option<Game>,
}

#[derive(Deserialize)]
struct Game {
    seed: u64,
    drawn: Vec<String>,
    sets: Vec<Set>,
}

#[derive(Deserialize)]
struct Set {
    drawn: usize,
    board: usize,
    cards: Vec<String>,
}

/// Says of each game of a file whether it keeps the rules; fails where one does not.
///
/// # Errors
/// A file that cannot be read or is none of games, output that cannot be written.
pub fn judge(file: &Path, format: Format) -> anyhow::Result<Outcome> {
    let (bytes, name) = read_input(Some(file), MAX_INPUT_BYTES, "file of games")?;
    let (mut games, mut faults) = (0u64, Vec::new());
    for line in serde_json::Deserializer::from_slice(&bytes).into_iter::<Line>() {
        let line = line.map_err(|error| {
            BadCall(format!("{name}: not what general --format json prints: {error}"))
        })?;
        let rules = Rules::new(line.values, line.properties, line.sets)
            .map_err(|error| BadCall(format!("{name}: {error}")))?;
        for game in line.records.iter().chain(&line.record) {
            games += 1;
            if let Err(fault) = judge_game(&rules, game) {
                faults.push((games, game.seed, fault));
            }
        }
    }
    if games == 0 {
        let message = format!("{name}: no games; general --format json prints them");
        return Err(BadCall(message).into());
    }
    let text = match format {
        Format::Json => {
            let faults: Vec<Value> = faults
                .iter()
                .map(|(game, seed, fault)| json!({"game": game, "seed": seed, "fault": fault}))
                .collect();
            format!("{}\n", json!({"version": VERSION, "games": games, "faults": faults}))
        }
        Format::Text => {
            let mut text = String::new();
            for (game, seed, fault) in &faults {
                text += &format!("game {game} (seed {seed}): {fault}\n");
            }
            let faulty = match faults.len() {
                0 => "no fault".to_owned(),
                wrong => format!("{wrong} with a fault"),
            };
            text + &format!("{} checked: {faulty}\n", counted(games, "game"))
        }
    };
    std::io::stdout().lock().write_all(text.as_bytes()).context("cannot write the result")?;
    Ok(if faults.is_empty() { Outcome::Done } else { Outcome::SomeFailed })
}

/// The fault of a game in words, cards as they are written.
fn judge_game(rules: &Rules, game: &Game) -> Result<(), String> {
    let cards = |codes: &[String]| {
        let cards = codes.iter().map(|code| rules.card_of_code(code));
        cards.collect::<Result<Vec<Card>, _>>().map_err(|error| error.to_string())
    };
    let mut record = Record { drawn: cards(&game.drawn)?, ..Record::default() };
    for (number, set) in (1..).zip(&game.sets) {
        // The checker is told all cards in one list.
        if set.cards.len() != rules.values() {
            let (are, should) = (set.cards.len(), rules.values());
            return Err(format!("set {number} has {are} cards, expected {should}"));
        }
        record.found.push(Found { drawn: set.drawn, board: set.board });
        record.cards.extend(cards(&set.cards)?);
    }
    check(rules, &record).map_err(|fault| match fault {
        Fault::NoSet(number, cards) => {
            let codes: Vec<String> = cards.iter().map(|&card| rules.code(card)).collect();
            format!("set {number} is no set: {}", codes.join(" "))
        }
        Fault::NotOnBoard(number, card) => {
            format!("set {number} uses card {}, which is not on the board", rules.code(card))
        }
        fault => fault.to_string(),
    })
}
