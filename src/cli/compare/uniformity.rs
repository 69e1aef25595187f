//! `compare --uniformity`: is the dealer fair?

use crate::cli::common::{Format, Outcome};
use crate::cli::timed::Dealing;
use anyhow::Context;
use serde_json::json;
use setsight_files::say;
use setsight_files::whole_file::write_whole;
use setsight_game::json::VERSION;
use setsight_general::Rules;
use setsight_general::uniformity::{Histogram, histograms};
use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;

/// Deals looked at, as in the paper.
const TRIALS: u64 = 10_000;

/// The paper's decks: values and properties.
const DECKS: [(u64, u64); 2] = [(4, 3), (5, 4)];

/// A fair dealer falls below this in one of a thousand histograms.
const SUSPICIOUS: f64 = 1e-3;

/// Writes four histograms and their tests; fails where a test does.
///
/// # Errors
/// A file that cannot be written.
pub fn run(dealing: Dealing, seed: u64, folder: &Path, format: Format) -> anyhow::Result<Outcome> {
    let mut text = format!(
        "# Is the dealer fair?\n\n\
         {TRIALS} deals with the seeds from {seed}. Cards of one deal are all different, so the \
         chi-square statistic is corrected for drawing without replacement.\n\n\
         | v, p | cards | each card comes | chi-square | degrees | p-value |\n\
         |---|---|---|---|---|---|\n"
    );
    let mut csv = String::from("values,properties,cards,card,count\n");
    let mut told = Vec::new();
    let mut suspicious = 0;
    for (v, p) in DECKS {
        let rules = Rules::new(v, p, 1)?;
        let both = histograms(&rules, &mut *dealing.dealer(&rules), TRIALS, seed);
        for (histogram, (name, what)) in
            both.iter().zip([("first", "the first board"), ("drawn", "cards drawn next")])
        {
            let _ = writeln!(
                text,
                "| {v}, {p} | {what} ({}) | {:.1} times | {:.1} | {} | {:.4} |",
                histogram.per_trial,
                histogram.expected(),
                histogram.chi_square,
                histogram.degrees,
                histogram.p_value
            );
            for (card, count) in histogram.counts.iter().enumerate() {
                let _ = writeln!(csv, "{v},{p},{name},{card},{count}");
            }
            told.push(json!({
                "values": v, "properties": p, "cards": name, "cards_a_deal": histogram.per_trial,
                "expected": histogram.expected(), "chi_square": histogram.chi_square,
                "degrees": histogram.degrees, "p_value": histogram.p_value,
                "counts": histogram.counts,
            }));
            suspicious += usize::from(histogram.p_value < SUSPICIOUS);
            draw(histogram, (v, p), name, what, folder)?;
        }
    }
    if suspicious > 0 {
        let _ = writeln!(
            text,
            "\n{suspicious} of 4 p-values are below {SUSPICIOUS}: try another seed; if it happens \
             again, the dealer is not fair."
        );
    }
    for (name, contents) in [("uniformity.md", &text), ("uniformity.csv", &csv)] {
        let path = folder.join(name);
        write_whole(&path, contents.as_bytes())
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    if format == Format::Json {
        text = format!(
            "{}\n",
            json!({
                "version": VERSION, "deals": TRIALS, "seed": seed, "dealer": dealing.name(),
                "histograms": told, "suspicious": suspicious,
            })
        );
    }
    std::io::stdout().write_all(text.as_bytes()).context("cannot write the results")?;
    say!("written to {}", folder.display());
    Ok(if suspicious > 0 { Outcome::SomeFailed } else { Outcome::Done })
}

#[cfg(feature = "program")]
fn draw(
    histogram: &Histogram,
    (v, p): (u64, u64),
    name: &str,
    what: &str,
    folder: &Path,
) -> anyhow::Result<()> {
    let bars = setsight_eval::chart::Bars {
        title: format!(
            "{what}, v={v}, p={p}: chi-square {:.1} ({}), p-value {:.3}",
            histogram.chi_square, histogram.degrees, histogram.p_value
        ),
        x_label: "card".into(),
        y_label: format!("times in {} deals", histogram.trials),
        heights: histogram.counts.iter().map(|&n| n as f64).collect(),
        first: 0,
        color: (70, 120, 180),
        level: Some(histogram.expected()),
    };
    let stem = folder.join(format!("uniformity-v{v}-p{p}-{name}"));
    setsight_eval::chart::save(&bars, &stem, setsight_eval::chart::SIZE_PX)?;
    Ok(())
}

#[cfg(not(feature = "program"))]
fn draw(_: &Histogram, _: (u64, u64), _: &str, _: &str, _: &Path) -> anyhow::Result<()> {
    Ok(())
}
