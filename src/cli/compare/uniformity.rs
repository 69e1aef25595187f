//! `compare --uniformity`: is the dealer fair?

use super::report::{Table, add_table};
use crate::cli::common::{BadCall, Format, Outcome};
use crate::cli::{page, timed::DEALER};
use anyhow::Context;
use serde_json::json;
use setsight_eval::plots::{Bars, PlotError};
use setsight_files::{printable::counted as number_of, say, whole_file::write_atomic};
use setsight_game::json::VERSION;
use setsight_generalized::uniformity::{Counted, Histogram, histograms};
use setsight_generalized::{Rules, deal::Rejection};
use std::{fmt::Write, io::Write as _, path::Path};

/// Deals looked at.
pub const TRIALS: u64 = 10_000;

/// Least deals: below, even the values of a property come less than five times each.
pub const LEAST_TRIALS: u64 = 5;

/// Decks whose cards can each be counted: values and properties.
pub const DECKS: [(u64, u64); 2] = [(4, 3), (5, 4)];

/// A fair dealer falls below this in one of a thousand histograms.
const SUSPICIOUS: f64 = 1e-3;

/// The table among the files, and how it begins.
pub const FILE: (&str, &str) = ("uniformity.csv", "values,properties,cards,");

/// The page among the files.
pub const PAGE: &str = "uniformity.html";

/// The histograms as a page; it refers to no other file.
fn page(table: &Table, verdict: &str, bars: &[Bars]) -> Result<String, PlotError> {
    let plots = bars.iter().map(page::plot).collect::<Result<Vec<_>, _>>()?;
    let body = maud::html! {
        h1 { "Is the dealer fair?" }
        p { (table.above) }
        (page::table(&table.head, &table.rows))
        p { (verdict) }
        @for plot in plots { (plot) }
    };
    Ok(page::document("setsight: is the dealer fair?", &body))
}

/// Writes two histograms of each deck and their tests; fails where a test does.
pub fn run(
    decks: &[Rules],
    (trials, seed): (u64, u64),
    folder: &Path,
    format: Format,
) -> anyhow::Result<Outcome> {
    check_decks(decks)?;
    let introduction = format!(
        "{trials} deals with the seeds from {seed}. Cards of one deal are all different, so the \
         chi-square statistic is corrected for drawing without replacement. Of a deck whose cards \
         would each come less than five times, the values of each property are counted."
    );
    let head = ["v, p", "cards", "comes", "chi-square", "degrees", "p-value"].map(String::from);
    let mut rows = Vec::new();
    let mut csv = String::from("values,properties,cards,property,card_or_value,count\n");
    let mut histograms_json = Vec::new();
    let mut suspicious = 0;
    let mut bars = Vec::new();
    for rules in decks {
        let (v, p) = (rules.values(), rules.properties());
        let counted = Counted::suited_to(rules, trials);
        let both = histograms(rules, counted, &mut Rejection::new(rules, 0), trials, seed);
        for (histogram, (name, what)) in
            both.iter().zip([("first", "the first board"), ("drawn", "cards drawn next")])
        {
            rows.push(vec![
                format!("{v}, {p}"),
                format!("{what} ({})", histogram.per_trial),
                format!("each {} {:.1} times", noun(counted), histogram.expected),
                format!("{:.1}", histogram.chi_square),
                histogram.degrees.to_string(),
                format!("{:.4}", histogram.p_value),
            ]);
            add_counts(&mut csv, histogram, counted, (v, p, name));
            histograms_json.push(json!({
                "values": v, "properties": p, "cards": name, "cards_a_deal": histogram.per_trial,
                "counted": noun(counted), "expected": histogram.expected,
                "chi_square": histogram.chi_square,
                "degrees": histogram.degrees, "p_value": histogram.p_value,
                "counts": histogram.counts,
            }));
            suspicious += usize::from(histogram.p_value < SUSPICIOUS);
            bars.push(bars_of(histogram, counted, (v, p, trials), what));
        }
    }
    let verdict = match suspicious {
        0 => String::new(),
        _ => format!(
            "{suspicious} of {} p-values are below {SUSPICIOUS}: try another seed; if it happens \
             again, the dealer is not fair.",
            2 * decks.len()
        ),
    };
    let table = Table { above: introduction, head: head.to_vec(), rows };
    write_atomic(&folder.join(PAGE), page(&table, &verdict, &bars)?.as_bytes())
        .with_context(|| format!("{} cannot be written", folder.join(PAGE).display()))?;
    let mut text = "# Is the dealer fair?\n".to_owned();
    add_table(&mut text, &table);
    if suspicious > 0 {
        let _ = writeln!(text, "\n{verdict}");
    }
    let path = folder.join(FILE.0);
    write_atomic(&path, csv.as_bytes())
        .with_context(|| format!("{} cannot be written", path.display()))?;
    if format == Format::Json {
        text = format!(
            "{}\n",
            json!({
                "version": VERSION, "deals": trials, "seed": seed, "dealer": DEALER,
                "histograms": histograms_json, "suspicious": suspicious,
            })
        );
    }
    std::io::stdout().write_all(text.as_bytes()).context("cannot write the results")?;
    say!("written to {}", folder.display());
    Ok(if suspicious > 0 { Outcome::SomeFailed } else { Outcome::Done })
}

/// Each deal has the first board and the cards drawn next.
fn check_decks(decks: &[Rules]) -> Result<(), BadCall> {
    let mut decks = decks.iter();
    let Some(rules) =
        decks.find(|rules| (rules.first_board() + rules.values()) as u64 > rules.deck())
    else {
        return Ok(());
    };
    let (v, p) = (rules.values(), rules.properties());
    Err(BadCall(format!(
        "v={v}, p={p}: the deck of {} has no {v} cards left after the first board of {}",
        number_of(rules.deck(), "card"),
        rules.first_board()
    )))
}

/// Lines of the CSV file: cards and values are counted from 0, properties from 1.
fn add_counts(
    csv: &mut String,
    histogram: &Histogram,
    counted: Counted,
    (v, p, name): (usize, usize, &str),
) {
    for (i, count) in histogram.counts.iter().enumerate() {
        let _ = match counted {
            Counted::Cards => writeln!(csv, "{v},{p},{name},,{i},{count}"),
            Counted::Values => writeln!(csv, "{v},{p},{name},{},{},{count}", i / v + 1, i % v),
        };
    }
}

const fn noun(counted: Counted) -> &'static str {
    match counted {
        Counted::Cards => "card",
        Counted::Values => "value",
    }
}

/// The plot of a histogram.
fn bars_of(
    histogram: &Histogram,
    counted: Counted,
    (v, p, trials): (usize, usize, u64),
    what: &str,
) -> Bars {
    Bars {
        title: format!(
            "{what}, v={v}, p={p}: chi-square {:.1} ({}), p-value {:.3}",
            histogram.chi_square, histogram.degrees, histogram.p_value
        ),
        x_label: match counted {
            Counted::Cards => "card".into(),
            Counted::Values => format!("value: {v} of each property, the first property first"),
        },
        y_label: format!("times in {trials} deals"),
        heights: histogram.counts.iter().map(|&n| n as f64).collect(),
        first: 0,
        color: (70, 120, 180),
        level: Some(histogram.expected),
    }
}
