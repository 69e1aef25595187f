//! `setsight sets`: codes to sets.

use super::terminal;
use crate::cli::common::{BadCall, Format, Outcome, OutputArgs, read_input, within};
use anyhow::Context;
use rand::{SeedableRng, seq::SliceRandom};
use serde_json::{Value, json};
use setsight_files::say;
use setsight_game::cards::picture::{self, Ink};
use setsight_game::cards::{Card, DECK_SIZE, MAX_ON_TABLE, Property, parse_codes};
use setsight_game::json::VERSION;
use setsight_game::sets::{self, Chance, Set, explain, explain_third};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Enough for [`MAX_ON_TABLE`] codes with generous white space.
const MAX_INPUT_BYTES: u64 = 1 << 16;

/// Arguments of `sets`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight sets 2spd 3frs 1ogo        why three cards are, or are not, a set
  setsight sets 2spd 3frs             the card that makes a set with two
  setsight sets --random 12 --seed 7  a random board
  setsight sets < board.txt --hint 1  one card of a set, no more

A code is number 1 2 3, shading f(illed) o(pen) s(triped), colour g(reen) p(urple) r(ed), \
    shape d(iamond) o(val) s(quiggle): 2spd is two striped purple diamonds.
In text, cards count from 1; in JSON, from 0.")]
pub struct Args {
    /// Card codes such as 2spd; without any, or with -, they are read from stdin
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
    /// Deal a random board of this many cards instead
    #[arg(long, value_name = "CARDS", conflicts_with = "codes",
          value_parser = within::<u8>(1..=DECK_SIZE as u64))]
    random: Option<u8>,
    /// Seed of the random board; the same seed gives the same board
    #[arg(long, requires = "random")]
    seed: Option<u64>,
    /// Show only this many cards of one set: 1, then 2, then all 3
    #[arg(long, value_name = "CARDS", conflicts_with = "why",
          value_parser = within::<u8>(1..=3))]
    hint: Option<u8>,
    /// Explain each set property by property; for two cards, how the third follows
    #[arg(long)]
    why: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Prints the sets.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let (cards, seed) = board(&args)?;
    let found = sets::find_all(&cards);
    let text = match args.output.format {
        Format::Text => text(&cards, &found, &args),
        Format::Json => format!("{}\n", to_json(&cards, &found, seed, &args)),
    };
    io::stdout().write_all(text.as_bytes()).context("cannot write the result")?;
    Ok(Outcome::Done)
}

/// The cards, and the seed when they are random.
fn board(args: &Args) -> anyhow::Result<(Vec<Card>, Option<u64>)> {
    if let Some(count) = args.random {
        let seed = args.seed.unwrap_or_else(|| {
            let seed = terminal::fresh_seed();
            say!("this board again: --random {count} --seed {seed}");
            seed
        });
        let mut deck: Vec<Card> = Card::deck().collect();
        deck.shuffle(&mut rand_pcg::Pcg64Mcg::seed_from_u64(seed));
        deck.truncate(usize::from(count));
        return Ok((deck, Some(seed)));
    }
    let text = match args.codes.as_slice() {
        codes if matches!(codes, [] | [_]) && codes.iter().all(|code| code == "-") => {
            read_input(None, MAX_INPUT_BYTES, "list of card codes such as 2spd")?.0
        }
        codes => codes.join(" "),
    };
    let cards = parse_codes(&text).map_err(|(i, e)| BadCall(format!("card {i}: {e}")))?;
    if cards.is_empty() {
        let message = "no cards given; try: setsight sets 2spd 3frs 1ogo";
        return Err(BadCall(message.to_owned()).into());
    }
    if cards.len() > MAX_ON_TABLE {
        let count = cards.len();
        return Err(BadCall(format!("{count} cards; a board has at most {MAX_ON_TABLE}")).into());
    }
    Ok((cards, None))
}

fn text(cards: &[Card], found: &[Set], args: &Args) -> String {
    let ink = terminal::ink();
    let columns = picture::columns_for(cards.len(), terminal::width());
    let mut out = picture::board(cards, columns, ink);
    out.push('\n');
    if let Some(step) = args.hint {
        match sets::hint(cards, usize::from(step)) {
            Some(places) => hint_line(&mut out, cards, &places, ink),
            None => no_set(&mut out, cards),
        }
        return out;
    }
    match *cards {
        [a, b] if a != b => {
            let third = sets::completing(a, b);
            let code = ink.colored(third.color, &third.to_string());
            let _ = writeln!(out, "The card that makes a set: {code}, {}", third.name());
            if args.why {
                out.extend(explain_third(a, b).map(|line| format!("  {line}\n")));
            }
        }
        [a, b, c] => {
            let verdict = explain([a, b, c]);
            let _ = writeln!(out, "{}: {verdict}", ink.bold("These three"));
            let sums = if args.why { sums([a, b, c]) } else { Default::default() };
            let lines = verdict.lines().zip(sums);
            out.extend(lines.map(|(line, sum)| format!("  {line}{sum}\n")));
        }
        _ if found.is_empty() => no_set(&mut out, cards),
        _ => {
            let _ = writeln!(out, "{}", ink.bold(&format!("Sets: {}", found.len())));
            for set in found {
                set_line(&mut out, cards, set, ink);
                if args.why {
                    let cards = set.0.map(|i| cards[i]);
                    let verdict = explain(cards);
                    let lines = verdict.lines().zip(sums(cards));
                    out.extend(lines.map(|(line, sum)| format!("      {line}{sum}\n")));
                }
            }
        }
    }
    out
}

/// Why it is a set or none in each property, as a sum: a set's is 0 modulo 3. Numbers are as the cards show them, other
/// values 0 to 2.
fn sums(cards: [Card; 3]) -> [String; 4] {
    Property::ALL.map(|property| {
        let first = usize::from(property == Property::Number);
        let values = cards.map(|card| card.value(property) + first);
        let sum: usize = values.iter().sum();
        let total = if sum < 3 { String::new() } else { format!(" = {sum}") };
        format!(": {}{total} = {} mod 3", values.map(|v| v.to_string()).join(" + "), sum % 3)
    })
}

fn set_line(out: &mut String, cards: &[Card], set: &Set, ink: Ink) {
    let [a, b, c] = set.0.map(|i| i + 1);
    let codes = set.0.map(|i| ink.colored(cards[i].color, &cards[i].to_string()));
    let _ = writeln!(out, "{a:>4} {b:>3} {c:>3}   {}", codes.join(" "));
}

fn hint_line(out: &mut String, cards: &[Card], places: &[usize], ink: Ink) {
    let what = ["One card of a set", "Two cards of a set", "A set"][places.len() - 1];
    let named = places.iter().map(|&i| {
        let code = ink.colored(cards[i].color, &cards[i].to_string());
        format!("  {:>2}  {code}  {}\n", i + 1, cards[i].name())
    });
    let named: String = named.collect();
    let _ = write!(out, "{}:\n{named}", ink.bold(what));
}

fn no_set(out: &mut String, cards: &[Card]) {
    out.push_str("No set here.\n");
    let repeated = repeated(cards);
    if let [card, ..] = repeated[..] {
        let times = match cards.iter().filter(|other| **other == card).count() {
            2 => "twice".to_owned(),
            n => format!("{n} times"),
        };
        let _ =
            writeln!(out, "{card} appears {times}, so no odds are given: they hold for one deck.");
    }
    if let Some(chance) = three_more(cards) {
        let _ = writeln!(
            out,
            "Three more cards bring one with a chance of {:.2} % ({} of {} draws).",
            100.0 * chance.value(),
            chance.favourable,
            chance.total
        );
    }
}

/// The cards that lie here more than once, each listed once.
fn repeated(cards: &[Card]) -> Vec<Card> {
    Card::deck().filter(|card| cards.iter().filter(|c| *c == card).count() > 1).collect()
}

/// The chance that three more cards bring a set; none of a board that one deck cannot make.
fn three_more(cards: &[Card]) -> Option<Chance> {
    if repeated(cards).is_empty() { sets::three_more(cards) } else { None }
}

fn to_json(cards: &[Card], found: &[Set], seed: Option<u64>, args: &Args) -> Value {
    let named = |card: Card| json!({ "code": card.to_string(), "name": card.name() });
    let mut line = json!({
        "version": VERSION,
        "cards": cards.iter().map(|&c| named(c)).collect::<Vec<_>>(),
        "sets": found.iter().map(|set| set.0).collect::<Vec<_>>(),
    });
    if let Some(seed) = seed {
        line["seed"] = seed.into();
    }
    if let Some(step) = args.hint {
        line["hint"] = json!(sets::hint(cards, usize::from(step)));
        // A hint that gives everything away is none.
        line["sets"] = json!(found.len());
    }
    if let &[a, b] = cards
        && a != b
    {
        line["completing"] = named(sets::completing(a, b));
        if args.why {
            line["third"] = json!(explain_third(a, b));
        }
    }
    if let &[a, b, c] = cards {
        let verdict = explain([a, b, c]);
        line["verdict"] = json!({
            "set": verdict.is_set(), "properties": verdict.lines().collect::<Vec<_>>(),
        });
    }
    if args.why {
        let verdicts = found.iter().map(|set| explain(set.0.map(|i| cards[i])));
        line["why"] = verdicts.map(|verdict| verdict.lines().collect::<Vec<_>>()).collect();
    }
    let repeated = repeated(cards);
    if !repeated.is_empty() {
        line["repeated"] = json!(repeated.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    if let Some(chance) = three_more(cards) {
        // A set with at least one of the three new cards in it.
        line["three_more"] = json!({
            "favourable": chance.favourable, "total": chance.total, "chance": chance.value(),
        });
    }
    line
}
