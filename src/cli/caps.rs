//! `setsight caps`: boards of the generalised game without a set.

use super::timed::{DeckArgs, cpu_budget};
use crate::cli::common::{Format, MOST_GAMES, Outcome, OutputArgs, SeedArgs, within};
use crate::cli::{page::ReportArgs, simulate::grouped, stop};
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use setsight_files::printable::{counted, plural};
use setsight_game::json::VERSION;
use setsight_generalized::caps::{
    Counts, Sampled, choose, count, is_countable, published_maximum, sample,
};
use setsight_generalized::{Budget, Card, Rules, Stop};
use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt::Write as _, time::Duration};

/// Arguments of `caps`.
#[derive(clap::Args)]
#[command(
    after_help = "Boards of small decks are all counted: up to six properties of two values, four of \
    three, three of four, two of six, one of 128; larger decks of up to 128 cards until the budget is \
    spent. For any deck boards are dealt card by card, to see how many have no set among that many \
    cards. The first 100 deals of a deck of up to 65,536 cards continue to its end and skip each card \
    that would complete a set.\n\n\
    Examples:\n  \
    setsight caps\n  \
    setsight caps --values 5 --properties 6 --deals 1000"
)]
pub struct Args {
    #[command(flatten)]
    deck: DeckArgs,
    /// Boards to deal, each from a seed of its own
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = within::<u64>(1..=MOST_GAMES))]
    deals: u64,
    #[command(flatten)]
    random: SeedArgs,
    /// CPU seconds that the count may take, and again the deals
    #[arg(hide = true, long, value_name = "SECONDS", default_value_t = 300.0)]
    budget: f64,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    output: OutputArgs,
}

struct Found {
    rules: Rules,
    seed: u64,
    /// All boards, where they were counted to the end.
    counts: Option<Counts>,
    /// Why they were not.
    stopped: Option<Stop>,
    sampled: Sampled,
    sample_stopped: Option<Stop>,
    /// The largest board that was met.
    largest: Vec<Card>,
}

/// Counts and deals.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let rules = args.deck.rules(1)?;
    let cpu = cpu_budget(args.budget)?;
    let found = find(&args, rules, cpu);
    let text = match args.output.format {
        Format::Text => text(&found, args.budget),
        Format::Json => format!("{}\n", to_json(&found)),
    };
    std::io::stdout().lock().write_all(text.as_bytes()).context("cannot write the result")?;
    args.report.write(|| page::page(&found, &text))
}

fn find(args: &Args, rules: Rules, cpu: Duration) -> Found {
    let stop = stop::asked();
    let bar = progress("{spinner} {msg}, {elapsed}", 0);
    let (mut counts, mut sampled) = (Counts::default(), Sampled::default());
    let counting = is_countable(&rules).then(|| {
        count(&rules, &Budget::new(cpu, usize::MAX), &mut counts, &mut |counts| {
            bar.set_message(format!("counting; the largest so far has {}", counts.largest.len()));
            bar.tick();
            check_stop(stop)
        })
    });
    bar.finish_and_clear();
    let bar = progress("dealing {bar:40} {percent} %, {eta} left", args.deals);
    let dealing = sample(
        &rules,
        (args.deals, args.random.seed),
        &Budget::new(cpu, usize::MAX),
        &mut sampled,
        &mut |n| {
            bar.set_position(n);
            check_stop(stop)
        },
    );
    bar.finish_and_clear();
    let largest = match counts.largest.len() < sampled.largest.len() {
        true => &sampled.largest,
        false => &counts.largest,
    };
    let mut largest = largest.clone();
    largest.sort();
    let is_complete = counting == Some(Ok(()));
    Found {
        rules,
        seed: args.random.seed,
        counts: is_complete.then_some(counts),
        stopped: counting.and_then(Result::err),
        sampled,
        sample_stopped: dealing.err(),
        largest,
    }
}

fn check_stop(stop: &AtomicBool) -> Result<(), Stop> {
    if stop.load(Ordering::Relaxed) { Err(Stop::Requested) } else { Ok(()) }
}

fn progress(template: &str, length: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Found {
    /// For each number of cards: the share of all boards that hold no set, and that of the deals.
    fn shares(&self) -> impl Iterator<Item = (usize, Option<f64>, Option<f64>)> {
        let counted = self.counts.as_ref().map_or(0, |counts| counts.boards.len());
        let sizes = counted.max(self.sampled.without.len());
        (0..sizes).map(|size| {
            let exact = self.counts.as_ref().and_then(|counts| {
                let boards = counts.boards.get(size).copied().unwrap_or(0);
                Some(boards as f64 / choose(self.rules.deck(), size as u64)? as f64)
            });
            let dealt = (self.sampled.deals > 0).then(|| {
                let without = self.sampled.without.get(size).copied().unwrap_or(0);
                without as f64 / self.sampled.deals as f64
            });
            (size, exact, dealt)
        })
    }

    /// How many cards have no property of the highest value. They hold no set: no property is all
    /// different, and cards alike in every property are one.
    fn without_one_value(&self) -> u64 {
        (self.rules.values() as u64 - 1).pow(self.rules.properties() as u32)
    }

    fn codes(&self) -> Vec<String> {
        self.largest.iter().map(|&card| self.rules.code(card)).collect()
    }
}

/// Cards of a board that is shown.
const MOST_SHOWN: usize = 200;

fn text(found: &Found, budget: f64) -> String {
    let rules = &found.rules;
    let cards = counted(found.largest.len() as u64, "card");
    let mut out = format!("{}\n", super::general::deck(rules));
    let _ = match (&found.counts, published_maximum(rules)) {
        (Some(_), _) => writeln!(out, "the largest board without a set has {cards}"),
        (None, Some((maximum, who))) => writeln!(
            out,
            "the largest board without a set has {} ({who}); the largest found here has {cards}",
            counted(maximum, "card")
        ),
        (None, None) => writeln!(out, "the largest board without a set that was found has {cards}"),
    };
    if found.largest.len() <= MOST_SHOWN {
        for line in found.codes().chunks(12) {
            let _ = writeln!(out, "  {}", line.join(" "));
        }
    }
    let all = found.without_one_value();
    if all > found.largest.len() as u64 {
        let highest = rules.values() - 1;
        let _ = writeln!(out, "the {} cards without a {highest} hold none", grouped(all));
    }
    if let Some(stop) = &found.stopped {
        let more = match stop {
            Stop::Time => format!("; {budget} s of CPU are its budget: --budget gives it more"),
            _ => String::new(),
        };
        let _ = writeln!(out, "not all boards were counted: {stop}{more}");
    }
    let Sampled { deals, filled, largest_filled, .. } = &found.sampled;
    let _ = write!(out, "{} from seed {}", counted_grouped(*deals, "deal"), found.seed);
    if let Some(stop) = &found.sample_stopped {
        let _ = write!(out, ", then {stop}");
    }
    if *filled > 0 {
        let largest = counted(*largest_filled as u64, "card");
        let _ = write!(out, "; of {filled} to the end the largest board had {largest}");
    }
    out.push_str("\n\nBoards without a set, by their cards\n");
    let classes = found.counts.as_ref().filter(|counts| !counts.classes.is_empty());
    out.push_str("  cards");
    if found.counts.is_some() {
        let _ = write!(out, " {:>26}", "boards");
        if classes.is_some() {
            let _ = write!(out, " {:>10}", "classes");
        }
        let _ = write!(out, " {:>12}", "% of all");
    }
    let _ = writeln!(out, " {:>12}", "% of deals");
    // Of boards that were only dealt, those so small that each is without a set say nothing.
    let uninformative = match found.counts {
        Some(_) => 0,
        None => found.shares().take_while(|(_, _, dealt)| *dealt == Some(1.0)).count(),
    };
    for (size, exact, dealt) in found.shares().skip(uninformative.saturating_sub(1)) {
        let _ = write!(out, "  {size:>5}");
        if let Some(counts) = &found.counts {
            let _ = write!(out, " {:>26}", grouped(counts.boards.get(size).copied().unwrap_or(0)));
            if let Some(counts) = classes {
                let classes = counts.classes.get(size).copied().unwrap_or(0);
                let _ = write!(out, " {:>10}", grouped(classes));
            }
            let _ = write!(out, " {:>12}", percent(exact));
        }
        let _ = writeln!(out, " {:>12}", percent(dealt));
    }
    if classes.is_some() {
        out.push_str("\nBoards of a class are alike but for a symmetry of the deck.\n");
    }
    out
}

fn percent(share: Option<f64>) -> String {
    match share {
        None => "-".to_owned(),
        Some(share) if share > 0.0 && share < 5e-6 => format!("{:.2e}", 100.0 * share),
        Some(share) => format!("{:.4}", 100.0 * share),
    }
}

fn counted_grouped(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), plural(count))
}

fn to_json(found: &Found) -> Value {
    let rules = &found.rules;
    let sizes = found.shares().map(|(size, share, dealt_share)| {
        let counts = found.counts.as_ref();
        // What is more than fits a number of JSON is given by its share.
        let boards = counts.map(|counts| counts.boards.get(size).copied().unwrap_or(0));
        let classes = counts.filter(|counts| !counts.classes.is_empty());
        json!({
            "cards": size,
            "boards": boards.and_then(|boards| u64::try_from(boards).ok()),
            "classes": classes.map(|counts| counts.classes.get(size).copied().unwrap_or(0)),
            "share": share,
            "dealt_share": dealt_share,
        })
    });
    json!({
        "version": VERSION, "values": rules.values(), "properties": rules.properties(),
        "is_counted": found.counts.is_some(),
        "known_largest": published_maximum(rules).map(|maximum| maximum.0),
        "at_least": found.without_one_value().max(found.largest.len() as u64),
        "largest": found.codes(),
        "deals": found.sampled.deals, "seed": found.seed,
        "filled": found.sampled.filled, "largest_filled": found.sampled.largest_filled,
        "sizes": sizes.collect::<Vec<_>>(),
    })
}

mod page {
    use super::Found;
    use crate::cli::page;
    use maud::html;
    use setsight_eval::plots::{Curve, Curves, PlotError};

    /// The page in HTML; it refers to no other file.
    pub fn page(found: &Found, text: &str) -> Result<String, PlotError> {
        let (v, p) = (found.rules.values(), found.rules.properties());
        let mut curves = Vec::new();
        let exact = found.shares().filter_map(|(n, exact, _)| Some((n as f64, 100.0 * exact?)));
        let exact: Vec<_> = exact.collect();
        if !exact.is_empty() {
            let (name, color) = ("all boards".into(), (0, 114, 178));
            curves.push(Curve { name, color, points: exact, dashed: false });
        }
        let dealt = found.shares().filter_map(|(n, _, dealt)| Some((n as f64, 100.0 * dealt?)));
        let name = format!("{} deals", found.sampled.deals);
        let points = dealt.collect();
        curves.push(Curve { name, color: (213, 94, 0), points, dashed: true });
        let chart = Curves {
            title: format!("Boards without a set, v={v}, p={p}"),
            x_label: "cards on the board".into(),
            y_label: "share without a set in %".into(),
            log_y: true,
            curves,
        };
        let body = html! {
            h1 { "Boards without a set: v=" (v) ", p=" (p) }
            (page::plot(&chart)?)
            pre { (text) }
        };
        Ok(page::document("setsight: boards without a set", &body))
    }
}
