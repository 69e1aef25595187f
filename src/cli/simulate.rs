//! `setsight simulate`: many games.

use crate::cli::common::{Format, Jobs, Outcome, OutputArgs, SeedArgs, on_threads, within};
use crate::cli::page::ReportArgs;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use setsight_files::say;
use setsight_game::{
    game::{self, BoardCount, Policy, Statistics},
    json::VERSION,
    sets::{Chance, none_among},
};
use std::io::{self, IsTerminal, Write};
use std::{fmt::Write as _, time::Instant};

/// Some weeks of work.
const MAX_GAMES: u64 = 1_000_000_000_000;

/// Arguments of `simulate`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight simulate --games 10000000 --seed 1 --policy first
  setsight simulate --format json

The same seed gives the same result, however many games are played at once.")]
pub struct Args {
    /// How many games to play
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = within::<u64>(1..=MAX_GAMES))]
    games: u64,
    #[command(flatten)]
    random: SeedArgs,
    /// Which of several sets is taken
    #[arg(long, value_enum, default_value_t)]
    policy: PolicyName,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum PolicyName {
    /// Each with the same probability
    #[default]
    Random,
    /// The lowest first place, then the lowest second and third
    First,
    /// The first that the contest lists: the lowest sum of places
    Listed,
}

impl PolicyName {
    const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::First => "first",
            Self::Listed => "listed",
        }
    }
}

impl From<PolicyName> for Policy {
    fn from(name: PolicyName) -> Self {
        match name {
            PolicyName::Random => Self::Random,
            PolicyName::First => Self::First,
            PolicyName::Listed => Self::Listed,
        }
    }
}

/// Plays the games and prints what they add up to.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let bar = progress_bar(args.games);
    let start = Instant::now();
    let (statistics, threads) = on_threads(args.jobs.count(), || {
        let played = game::simulate(args.games, args.random.seed, args.policy.into(), |games| {
            bar.inc(games)
        });
        (played, rayon::current_num_threads())
    });
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    say!("{} games in {seconds:.2} s on {} threads", grouped(args.games), threads);

    let text = match args.output.format {
        Format::Text => text(&statistics, &args),
        Format::Json => {
            format!("{}\n", to_json(&statistics, args.random.seed, args.policy.name()))
        }
    };
    io::stdout().write_all(text.as_bytes()).context("cannot write the result")?;
    args.report.write(|| plots::page(&statistics, args.policy.name(), &text))
}

fn progress_bar(games: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {percent} %, {eta} left");
    ProgressBar::new(games).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Boards that are also listed for fresh cards, whether or not the games had them.
const FRESH: [usize; 4] = [12, 15, 18, 21];

fn text(statistics: &Statistics, args: &Args) -> String {
    let mut out = format!(
        "{} games, seed {}, policy {}\n\nSets taken in a game: {:.4}\n\n",
        grouped(statistics.games),
        args.random.seed,
        args.policy.name(),
        statistics.mean_sets()
    );
    out.push_str("Cards left at the end\n  cards          games       %\n");
    for (cards, games) in statistics.left() {
        let percent = 100.0 * statistics.share_left(cards);
        let _ = writeln!(out, "  {cards:>5} {:>14}  {percent:>8.4}", grouped(games));
    }
    out.push_str("\nBoards with and without a set, by cards in play\n");
    out.push_str("  in play           with        without   with : without   fresh cards\n");
    let mut sizes: Vec<usize> = statistics.boards().map(|board| board.0).collect();
    sizes.extend(FRESH);
    sizes.sort_unstable();
    sizes.dedup();
    for &in_play in &sizes {
        let count = statistics.in_play(in_play);
        let ratio = count.ratio().map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let fresh = match none_among(in_play).map(Chance::odds_against) {
            Some(Some(odds)) if odds >= 1000.0 => grouped(odds.round() as u64),
            Some(Some(odds)) => format!("{odds:.2}"),
            Some(None) => "always".to_owned(),
            None => "-".to_owned(),
        };
        let (with, without) = (grouped(count.with), grouped(count.without));
        let _ = writeln!(out, "  {in_play:>7} {with:>14} {without:>14}   {ratio:>14} {fresh:>13}");
    }
    out.push_str(
        "\nFresh cards are dealt from a whole deck, and counted exactly. In play sets are rarer: most\n\
         cards of a board are those that earlier sets have left behind.\n",
    );
    sizes.retain(|&in_play| statistics.boards().any(|board| board.0 == in_play));
    out.push_str(
        "\nBoards without a set in %, by cards left in the deck (down) and in play (across)\n",
    );
    let columns: Vec<usize> = sizes.into_iter().filter(|&n| n >= 12).collect();
    out.push_str("  in deck");
    out.extend(columns.iter().map(|in_play| format!("{in_play:>10}")));
    out.push('\n');
    let mut decks: Vec<usize> = statistics.boards().map(|board| board.1).collect();
    decks.sort_unstable();
    decks.dedup();
    for in_deck in decks.into_iter().rev() {
        let _ = write!(out, "  {in_deck:>7}");
        for &in_play in &columns {
            let count = statistics.boards().find(|b| (b.0, b.1) == (in_play, in_deck));
            let cell = count.map_or("-".to_owned(), |(_, _, count)| {
                format!("{:.3}", 100.0 * count.without as f64 / (count.with + count.without) as f64)
            });
            let _ = write!(out, "{cell:>10}");
        }
        out.push('\n');
    }
    out
}

fn boards_to_json(statistics: &Statistics) -> Vec<Value> {
    statistics.boards().map(board_to_json).collect()
}

fn board_to_json((in_play, in_deck, count): (usize, usize, BoardCount)) -> Value {
    json!({
        "in_play": in_play, "in_deck": in_deck,
        "with_set": count.with, "without_set": count.without,
    })
}

/// With commas between thousands.
pub fn grouped(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn to_json(statistics: &Statistics, seed: u64, policy: &str) -> Value {
    let left = statistics.left().map(|(cards, games)| {
        json!({ "cards": cards, "games": games, "share": statistics.share_left(cards) })
    });
    let boards = boards_to_json(statistics);
    let mut sizes: Vec<usize> = statistics.boards().map(|board| board.0).collect();
    sizes.extend(FRESH);
    sizes.sort_unstable();
    sizes.dedup();
    let by_in_play = sizes.into_iter().map(|in_play| {
        let count = statistics.in_play(in_play);
        json!({
            "in_play": in_play, "with_set": count.with, "without_set": count.without,
            "ratio": count.ratio(),
            "fresh_ratio": none_among(in_play).and_then(Chance::odds_against),
        })
    });
    json!({
        "version": VERSION,
        "games": statistics.games,
        "seed": seed,
        "policy": policy,
        "sets": statistics.sets,
        "mean_sets": statistics.mean_sets(),
        "left": left.collect::<Vec<_>>(),
        "by_in_play": by_in_play.collect::<Vec<_>>(),
        "boards": boards,
    })
}

mod plots {
    use crate::cli::page;
    use maud::html;
    use setsight_eval::plots::{self, Bars, Curve, Curves, PlotError};
    use setsight_game::game::Statistics;

    /// Okabe and Ito's colours, which the colour-blind can tell apart.
    const COLORS: [plots::Rgb; 3] = [(0, 114, 178), (213, 94, 0), (0, 158, 115)];

    /// The page in HTML; it refers to no other file.
    pub fn page(statistics: &Statistics, policy: &str, text: &str) -> Result<String, PlotError> {
        let games = crate::cli::simulate::grouped(statistics.games);
        let left = Bars {
            title: format!("Cards left at the end of {games} games, policy {policy}"),
            x_label: "cards left".to_owned(),
            y_label: "share of the games in %".to_owned(),
            heights: (0..=18).map(|cards| 100.0 * statistics.share_left(cards)).collect(),
            first: 0,
            color: COLORS[0],
            level: None,
        };
        let boards = Curves {
            title: format!("Boards without a set in {games} games, policy {policy}"),
            x_label: "cards left in the deck".to_owned(),
            y_label: "share without a set in %".to_owned(),
            log_y: true,
            curves: [12, 15, 18]
                .into_iter()
                .zip(COLORS)
                .map(|(in_play, color)| Curve {
                    name: format!("{in_play} in play"),
                    color,
                    points: shares_without(statistics, in_play),
                    dashed: false,
                })
                .collect(),
        };
        let body = html! {
            h1 { (games) " games" }
            (page::plot(&left)?)
            (page::plot(&boards)?)
            pre { (text) }
        };
        Ok(page::document("setsight: many games", &body))
    }

    /// The share of boards without a set in per cent, by the cards left in the deck.
    fn shares_without(statistics: &Statistics, in_play: usize) -> Vec<(f64, f64)> {
        let boards = statistics.boards().filter(|board| board.0 == in_play);
        boards
            .map(|(_, in_deck, count)| {
                let boards = (count.with + count.without) as f64;
                (in_deck as f64, 100.0 * count.without as f64 / boards)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_grouped() {
        for (number, text) in
            [(0u32, "0"), (999, "999"), (1000, "1,000"), (12_345_678, "12,345,678")]
        {
            assert_eq!(super::grouped(number), text);
        }
    }
}
