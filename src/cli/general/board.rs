//! A board of the generalised game that a file holds, and games card by card, as JSON.

use super::{Args, deck};
use crate::cli::common::{BadCall, Format, Outcome, is_stdout, print_outcome, put, read_input};
use crate::cli::{simulate::grouped, timed::human};
use cpu_time::ThreadTime;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use setsight_files::{printable::counted, say};
use setsight_game::json::VERSION;
use setsight_generalized::{Budget, Card, Found, Record, Rules, Stop, encoded, sets_of_board};
use std::{collections::HashMap, fmt::Write as _, io::Write, path::Path};

/// A hundred thousand cards of eight properties.
const MAX_INPUT_BYTES: u64 = 1 << 20;

/// Most sets that are listed: they are kept until all are known, each card a text.
const MOST_LISTED: usize = 1_000_000;

/// Prints what the board holds.
pub fn look(args: &Args, file: &Path, rules: &Rules) -> anyhow::Result<Outcome> {
    let board = read(file, rules)?;
    let (cpu, bytes) = args.limits.limits()?;
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
        let count = sets_of_board(rules, &board, &budget, &mut |set| {
            if args.all {
                sets.push(codes(set));
            }
            sets.len() <= MOST_LISTED
        });
        let count = count.map_err(|stop| stopped(args, &stop))?;
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
        let kind = args.solver;
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
    let mut outcome = Outcome::Done;
    if let Some(clauses) = written(args, rules, &board, &budget)? {
        let _ =
            writeln!(text, "no set: the proof has {}, and was checked", counted(clauses, "clause"));
        json["proof_clauses"] = json!(clauses);
    } else if let Some(file) = &args.proof {
        say!("{}: not written, as the board holds a set", file.display());
        outcome = Outcome::SomeFailed;
    }
    if args.output.format == Format::Json {
        text = format!("{json}\n");
    }
    let made = [&args.smt2, &args.dimacs, &args.proof].into_iter().flatten();
    print_outcome(made.map(|file| &**file).find(|file| is_stdout(file)), &text).map(|()| outcome)
}

/// Writes what is for other solvers; the number of clauses of the proof, if one was wanted and there
/// is one.
fn written(
    args: &Args,
    rules: &Rules,
    board: &[Card],
    budget: &Budget,
) -> anyhow::Result<Option<u64>> {
    let stop = |stop: Stop| stopped(args, &stop);
    let from = args.board.as_slice();
    if let Some(file) = &args.smt2 {
        put(
            file,
            b"; Does the board hold a set?",
            from,
            encoded::smt2(rules, board, budget).map_err(stop)?.as_bytes(),
        )?;
    }
    if let Some(file) = &args.dimacs {
        let cnf = encoded::cnf(rules, board, budget).map_err(stop)?;
        put(file, b"p cnf ", from, cnf.dimacs().as_bytes())?;
    }
    let Some(file) = &args.proof else { return Ok(None) };
    let proof = encoded::proof_of_no_set(rules, board, budget).map_err(stop)?;
    let Some(proof) = proof else { return Ok(None) };
    let cnf = encoded::cnf(rules, board, budget).map_err(stop)?;
    anyhow::ensure!(
        encoded::proves(&cnf, &proof, budget).map_err(stop)?,
        "the proof does not hold: please report this board"
    );
    // The first clause is of the board's first card.
    put(file, b"-1 ", from, encoded::drat(&proof).as_bytes())?;
    Ok(Some(proof.len() as u64))
}

/// The cards of a file, each of which a board has once.
pub fn read(file: &Path, rules: &Rules) -> anyhow::Result<Vec<Card>> {
    let (text, name) = read_input(Some(file), MAX_INPUT_BYTES, "file of cards")?;
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

fn game(rules: &Rules, seed: u64, record: &Record) -> Value {
    let codes =
        |cards: &[Card]| cards.iter().map(|&card| rules.code(card)).collect::<Vec<String>>();
    let sets = record.found.iter().zip(record.cards.chunks(rules.values())).map(
        |(Found { drawn, board }, cards)| json!({"drawn": drawn, "board": board, "cards": codes(cards)}),
    );
    json!({"seed": seed, "drawn": codes(&record.drawn), "sets": sets.collect::<Vec<_>>()})
}

/// Writes a line of JSON with the games as its last member.
pub fn write_records(
    out: &mut impl Write,
    figures: &Value,
    rules: &Rules,
    records: &[(u64, Record)],
) -> std::io::Result<()> {
    #[derive(Serialize)]
    struct Line<'a> {
        #[serde(flatten)]
        figures: &'a Value,
        records: Records<'a>,
    }
    serde_json::to_writer(&mut *out, &Line { figures, records: Records(rules, records) })?;
    out.write_all(b"\n")
}

/// Made one by one as they are written: a million of them would take gigabytes.
struct Records<'a>(&'a Rules, &'a [(u64, Record)]);

impl Serialize for Records<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|(seed, record)| game(self.0, *seed, record)))
    }
}
