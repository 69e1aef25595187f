//! Games card by card, as JSON.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use setsight_generalized::{Card, Found, Record, Rules};
use std::io::Write;

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
