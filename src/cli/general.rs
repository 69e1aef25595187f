//! `setsight general`: games of the generalised game, found by one solver.

mod board;

use super::page;
use super::timed::{DeckArgs, Game, LimitArgs, Series, human, paper};
use crate::cli::common::{BadCall, Format, MOST_GAMES, Outcome, OutputArgs, SeedArgs, within};
use crate::cli::{page::ReportArgs, simulate::grouped};
use maud::html;
use serde_json::json;
use setsight_eval::plots::{Bars, Curve, Curves, PlotError, Rgb};
use setsight_files::printable::counted;
use setsight_game::json::VERSION;
use setsight_generalized::{Kind, Record, Rules, Solver, Stop, check, cover};
use std::{collections::BTreeMap, fmt::Write as _, io::Write as _, path::PathBuf};

/// Options of games, which no board has.
const NOT_OF_A_BOARD: &[&str] = &["sets", "games", "seed", "jobs", "report", "open"];

/// Arguments of `general`.
#[derive(clap::Args)]
#[command(
    after_help = "A deck holds v^p cards with p properties of v values. A set is v different \
    cards that in every property are all alike or all different. The game deals v*p cards; takes a \
    set away and draws v cards, or draws v more when there is no set; and goes on until n sets are \
    found or the deck is empty. Cards are written as their values, 0 to v-1.\n\n\
    Time is CPU time of the solver, without dealing. Games that are too short to time are \
    timed together, and each gets their mean.\n\n\
    Examples:\n  \
    setsight general --values 5 --properties 4 --sets 3 --seed 1\n  \
    setsight general --board cards.txt --all"
)]
pub struct Args {
    #[command(flatten)]
    deck: DeckArgs,
    /// Sets to find, at most v^(p-1): n
    #[arg(long, value_name = "N", default_value_t = 1)]
    sets: u64,
    /// Which solver: brute, smt, smt-boolean, dynamic, dynamic-paper or cover
    #[arg(long, default_value_t = Kind::Cover)]
    solver: Kind,
    /// Search a board instead of playing: a file of cards, or - for stdin
    ///
    /// The solver looks for one set. Cards are written as in the games' results, with white
    /// space between them.
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_OF_A_BOARD)]
    board: Option<PathBuf>,
    /// List all sets of --board instead of one
    #[arg(long, requires = "board", conflicts_with = "solver")]
    all: bool,
    /// Count the sets of --board
    #[arg(long, requires = "board", conflicts_with_all = ["solver", "all"])]
    count: bool,
    /// Write the paper's constraints for --board as SMT-LIB 2, for another solver
    #[arg(long, value_name = "OUT", requires = "board")]
    smt2: Option<PathBuf>,
    /// Write them as clauses (DIMACS), for a SAT solver
    #[arg(long, value_name = "OUT", requires = "board")]
    dimacs: Option<PathBuf>,
    /// Prove that --board holds no set: write a proof (DRAT) for the clauses of --dimacs, and check it
    #[arg(long, value_name = "OUT", requires = "board")]
    proof: Option<PathBuf>,
    /// Games to play, each from a seed of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u64>(1..=MOST_GAMES))]
    games: u64,
    #[command(flatten)]
    random: SeedArgs,
    /// Threads that search one large board, for the solver cover and five values or more; 0: as many
    /// as there are cores
    ///
    /// With more than one, times and --budget are wall-clock times.
    #[arg(short, long, value_name = "N", default_value_t = 1,
          value_parser = within::<u16>(0..=1024))]
    jobs: u16,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Games that were played.
struct Played {
    rules: Rules,
    kind: Kind,
    /// CPU seconds of each.
    seconds: Vec<f64>,
    /// Cards on the board at the first set of each; none where there is no set.
    board_sizes: Vec<Option<usize>>,
    /// Sets found in each.
    found: Vec<usize>,
    /// Cards on the board at each set of the first game.
    growth: Vec<usize>,
    /// Whether each game was timed by itself, so that games have times of their own.
    timed_alone: bool,
    /// What happened, in words.
    text: String,
    /// What happened, card by card, with the seed of each game; only where it is to be printed.
    records: Vec<(u64, Record)>,
}

impl Played {
    fn mean_seconds(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.seconds.len() as f64
    }
}

/// Plays the games, checks each, and prints what was found and the CPU time of the solver.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let rules = args.deck.rules(args.sets)?;
    let kind = args.solver;
    if let Some(file) = &args.board {
        return board::look(&args, file, &rules);
    }
    let mut played = play(&args, rules, kind)?;
    let mean_seconds = played.mean_seconds();
    if args.games > 1 {
        let sizes: Vec<f64> = played.board_sizes.iter().flatten().map(|&n| n as f64).collect();
        let _ = writeln!(played.text, "mean: {} of the solver", human(mean_seconds));
        if !sizes.is_empty() {
            let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
            let _ = writeln!(played.text, "mean board at the first set: {mean:.1} cards");
        }
    }
    let mut out = std::io::stdout().lock();
    match args.output.format {
        Format::Json => {
            let figures = json!({
                "version": VERSION, "values": rules.values(), "properties": rules.properties(),
                "sets": rules.sets(), "solver": kind.name(), "games": args.games,
                "seed": args.random.seed, "seconds": played.seconds, "mean_seconds": mean_seconds,
                "board_sizes": played.board_sizes, "found": played.found,
            });
            board::write_records(&mut out, &figures, &rules, &played.records)?;
        }
        Format::Text => out.write_all(played.text.as_bytes())?,
    }
    args.report.write(|| page(&played))
}

/// That solver for games, on its threads, and whether there are several.
fn solver(args: &Args, rules: &Rules, kind: Kind) -> Result<(Box<dyn Solver>, bool), BadCall> {
    if args.jobs == 1 {
        let solver = kind.solver(rules).map_err(|error| BadCall(error.to_string()))?;
        return Ok((solver, false));
    }
    if kind != Kind::Cover || rules.values() < 5 {
        let (jobs, v) = (args.jobs, rules.values());
        return Err(BadCall(format!(
            "--jobs {jobs}: only the solver cover searches on several threads, and only with five \
             values or more; this is {kind} with {v}"
        )));
    }
    let threads = match args.jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => usize::from(jobs),
    };
    Ok((cover::solver_on(rules, threads), true))
}

fn play(args: &Args, rules: Rules, kind: Kind) -> anyhow::Result<Played> {
    let (solver, by_clock) = solver(args, &rules, kind)?;
    let limits = args.limits.limits()?;
    let mut series = Series::new(&rules, solver, args.random.seed).by_clock(by_clock);
    let text = format!(
        "{}; {} to find; solver {kind}, seed {}\n",
        deck(&rules),
        counted(rules.sets(), "set"),
        args.random.seed,
    );
    let mut played = Played {
        rules,
        kind,
        seconds: Vec::new(),
        board_sizes: Vec::new(),
        found: Vec::new(),
        growth: Vec::new(),
        timed_alone: true,
        text,
        records: Vec::new(),
    };
    while (played.seconds.len() as u64) < args.games {
        let before = played.seconds.len() as u64;
        let batch = match series.next(args.games - before, limits) {
            Ok(batch) => batch,
            Err(stop) => return Err(stopped(args, series.stopped(), before, &stop)),
        };
        played.timed_alone &= batch.games.len() == 1;
        for (number, game) in (before..).zip(batch.games) {
            let record = &game.record;
            check(&rules, record)?;
            if number == 0 {
                played.growth = record.found.iter().map(|found| found.board).collect();
            }
            played.seconds.push(batch.seconds);
            played.board_sizes.push(record.found.first().map(|first| first.board));
            played.found.push(record.found.len());
            if args.output.format == Format::Json {
                played.records.push((game.seed, record.clone()));
            }
            describe(&mut played.text, &rules, game, (number, args.games), batch.seconds);
        }
    }
    Ok(played)
}

/// The deck in words: its cards and how many sets they make.
pub fn deck(rules: &Rules) -> String {
    let sets = match rules.sets_of_deck() {
        Some(1) => "1 set".to_owned(),
        Some(sets) => format!("{} sets", grouped(sets)),
        None => "more than 10^38 sets".to_owned(),
    };
    let properties = match rules.properties() {
        1 => "1 property".to_owned(),
        n => format!("{n} properties"),
    };
    let [values, cards] = [(rules.values() as u64, "value"), (rules.deck(), "card")]
        .map(|(count, noun)| counted(count, noun));
    format!("{values}, {properties}: {cards}, {sets}")
}

/// Why a game was given up, and what would give it more.
fn stopped(args: &Args, game: &Game, before: u64, stop: &Stop) -> anyhow::Error {
    let sets = counted(game.record.found.len() as u64, "set");
    let more = more(args, stop);
    anyhow::anyhow!("game {} (seed {}) after {sets}: {stop}{more}", before + 1, game.seed)
}

/// What would give a search more that stopped so.
fn more(args: &Args, stop: &Stop) -> String {
    match stop {
        Stop::Time => {
            format!("; {} s of CPU are its budget: --budget gives it more", args.limits.budget)
        }
        Stop::Memory => {
            format!("; {} MiB are its budget: --memory gives it more", args.limits.memory)
        }
        Stop::GaveUp(_) | Stop::Requested => String::new(),
    }
}

/// One game: every set where it is the only game, a line where there are many.
fn describe(
    text: &mut String,
    rules: &Rules,
    Game { seed, record, .. }: &Game,
    (number, games): (u64, u64),
    seconds: f64,
) {
    let time = human(seconds);
    let sets = counted(record.found.len() as u64, "set");
    if games == 1 {
        for (i, (found, set)) in
            record.found.iter().zip(record.cards.chunks(rules.values())).enumerate()
        {
            let cards: Vec<String> = set.iter().map(|&card| rules.code(card)).collect();
            let board = counted(found.board, "card");
            let _ = writeln!(text, "{:>3}. among {board}: {}", i + 1, cards.join(" "));
        }
        let _ = writeln!(text, "{sets} found in {time} of the solver");
    } else {
        let first = match record.found.first() {
            Some(first) => format!("the first among {}", counted(first.board, "card")),
            None => "none".into(),
        };
        let _ = writeln!(text, "game {} (seed {seed}): {sets}, {first}, {time}", number + 1);
    }
    if (record.found.len() as u64) < rules.sets() {
        let left = record.drawn.len() - record.cards.len();
        let _ = writeln!(text, "     the deck is out; {left} cards without a set are left");
    }
}

const BLUE: Rgb = (0, 114, 178);
const ORANGE: Rgb = (213, 94, 0);

/// The page in HTML; it refers to no other file.
fn page(played: &Played) -> Result<String, PlotError> {
    let (rules, kind) = (&played.rules, played.kind);
    let fixed = format!("v={}, p={}, n={}", rules.values(), rules.properties(), rules.sets());
    let several = played.seconds.len() > 1;
    let plot = if several {
        page::plot(&first_sets(played, &fixed))?
    } else {
        page::plot(&growth(played, &fixed))?
    };
    let times = match several && played.timed_alone {
        true => Some(page::plot(&times(played, &fixed))?),
        false => None,
    };
    let mean = played.mean_seconds();
    let body = html! {
        h1 { "The generalised game: " (fixed) }
        p {
            (counted(played.seconds.len() as u64, "game")) " by the solver " (kind)
            ", on average " (human(mean)) " of its CPU time, without dealing."
            @if let Some((paper, games)) = paper(kind, rules) {
                " The paper's took " (human(paper)) " (Python, mean of " (games) " games)."
            }
        }
        "\n"
        (plot)
        p { "While the board holds no set, v more cards come." }
        @if let Some(times) = times { (times) }
        "\n"
        h2 { "The games" }
        ul { @for line in played.text.lines().skip(1) { li { (line.trim_start()) } "\n" } }
    };
    Ok(page::document("setsight: the generalised game", &body))
}

/// How many games had their first set among how many cards.
fn first_sets(played: &Played, fixed: &str) -> Bars {
    let sizes = || played.board_sizes.iter().flatten().copied();
    let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
    let mut heights = vec![0.0; most - least + 1];
    sizes().for_each(|size| heights[size - least] += 1.0);
    Bars {
        title: format!("Cards on the board at the first set, {fixed}"),
        x_label: "cards on the board".into(),
        y_label: "games".into(),
        heights,
        first: least as i64,
        color: BLUE,
        level: None,
    }
}

/// Mean time by the size of the board at the first set, and the paper's mean.
fn times(played: &Played, fixed: &str) -> Curves {
    let mut by_size: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (size, seconds) in played.board_sizes.iter().zip(&played.seconds) {
        let Some(size) = size else { continue };
        let (sum, games) = by_size.entry(*size).or_default();
        *sum += seconds;
        *games += 1.0;
    }
    let points: Vec<(f64, f64)> =
        by_size.iter().map(|(&size, (sum, games))| (size as f64, sum / games)).collect();
    let mut curves = Vec::new();
    if let (Some((paper, _)), [(first, _), .., (last, _)]) =
        (paper(played.kind, &played.rules), &points[..])
    {
        curves.push(Curve {
            name: "paper, all games".into(),
            color: ORANGE,
            points: vec![(*first, paper), (*last, paper)],
            dashed: true,
        });
    }
    curves.insert(0, Curve { name: played.kind.name().into(), color: BLUE, points, dashed: false });
    Curves {
        title: format!("CPU time of a game, {fixed}"),
        x_label: "cards on the board at the first set".into(),
        y_label: "seconds, mean".into(),
        log_y: true,
        curves,
    }
}

/// The size of the board at each set of the one game.
fn growth(played: &Played, fixed: &str) -> Bars {
    Bars {
        title: format!("Cards on the board at each set, {fixed}"),
        x_label: "set".into(),
        y_label: "cards on the board".into(),
        heights: played.growth.iter().map(|&board| board as f64).collect(),
        first: 1,
        color: BLUE,
        level: None,
    }
}
