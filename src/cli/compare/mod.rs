//! `setsight compare`: the paper's experiment, and the dealer's histograms.

mod experiment;
mod report;
mod uniformity;

use super::timed::{LimitArgs, Optimisation};
use crate::cli::common::{
    BadCall, Format, MOST_GAMES, Outcome, OutputArgs, SeedArgs, tick, unwritten, within,
};
use anyhow::Context;
use experiment::{Experiment, Limits};
use indicatif::{ProgressBar, ProgressStyle};
use setsight_eval::html::refuse_other_pages;
use setsight_files::{
    say,
    whole_file::{FolderLock, refuse_foreign},
};
use setsight_generalized::{Kind, Rules, Without};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `compare`.
#[derive(clap::Args)]
#[command(after_help = "An experiment fixes two of the numbers of values (v), properties (p) and \
    sets to find (n) and varies the third: v=3,p=4,n=2..6. Each cell is the mean over fresh games; \
    every solver gets the same games, and only its own CPU time is counted, not dealing.\n\n\
    Example:\n  setsight compare --experiment v=3..5,p=4,n=2 --solver dynamic,cover")]
pub struct Args {
    /// What to vary; may be given several times [default: the paper's two rows of sets to find, and
    /// one experiment each that varies values and properties]
    #[arg(long = "experiment", value_name = "v=..,p=..,n=..")]
    experiments: Vec<Experiment>,
    /// Solvers to compare [default: all]
    #[arg(long = "solver", value_name = "NAMES", value_delimiter = ',')]
    solvers: Vec<Kind>,
    /// Optimisations of the solver smt to measure: it also plays without each, and without both
    #[arg(hide = true, long, value_name = "NAMES", value_enum, value_delimiter = ',')]
    without: Vec<Optimisation>,
    /// Games for each cell [default: 10], or deals of --uniformity [default: 10,000]
    #[arg(long, value_name = "N", value_parser = within::<u64>(1..=MOST_GAMES))]
    games: Option<u64>,
    #[command(flatten)]
    random: SeedArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Test the dealer instead: histograms of many deals, each with a chi-square test
    ///
    /// The decks are those of the experiments. Cards are counted, or values of properties where the
    /// deck is too large for each card to appear five times.
    #[arg(long, conflicts_with_all = ["solvers", "without", "budget", "memory"])]
    uniformity: bool,
    /// Folder for the page and the table
    #[arg(short, long, value_name = "DIR", default_value = "comparison")]
    out: PathBuf,
    /// Open the page in the system's browser
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Games of a cell.
const GAMES: u64 = 10;

/// The paper's rows first.
const DEFAULT_EXPERIMENTS: [&str; 4] =
    ["v=3,p=4,n=2..6", "v=4,p=5,n=2..6", "v=3..6,p=4,n=2", "v=3,p=3..8,n=4"];

/// Runs the experiments and writes `results.csv` and a page with plots.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if args.uniformity {
        return test_dealer(&args);
    }
    let limits = limits(&args)?;
    let solvers = solvers(args.solvers, &args.without)?;
    let mut experiments = args.experiments;
    if experiments.is_empty() {
        let usual = DEFAULT_EXPERIMENTS.iter().map(|text| text.parse());
        experiments = usual.collect::<Result<_, _>>().map_err(BadCall)?;
    }
    let _lock = create(&args.out, report::FILE, report::PAGE)?;

    let cells: usize = experiments.iter().map(|e| e.games.len() * solvers.len()).sum();
    let bar = progress(cells as u64);
    let mut results: Vec<report::Row> = Vec::new();
    for experiment in experiments {
        let mut row = Vec::new();
        for rules in &experiment.games {
            let (v, p, n) = (rules.values(), rules.properties(), rules.sets());
            for &kind in &solvers {
                bar.set_message(format!("v={v} p={p} n={n} {kind}"));
                row.push(experiment::measure(kind, rules, &limits)?);
                bar.inc(1);
            }
        }
        results.push((experiment, row));
        // What is known so far is on disk should the rest be interrupted.
        report::write(&args.out, &results, &solvers, &limits)?;
    }
    bar.finish_and_clear();
    let text = match args.output.format {
        Format::Text => report::text(&results, &solvers, &limits),
        Format::Json => format!("{}\n", report::to_json(&results, &limits)),
    };
    std::io::stdout().write_all(text.as_bytes()).context("cannot write the results")?;
    say!("written to {}", args.out.display());
    if args.open && !crate::cli::page::show(&args.out.join(report::PAGE)) {
        return Ok(Outcome::SomeFailed);
    }
    Ok(Outcome::Done)
}

fn limits(args: &Args) -> Result<Limits, BadCall> {
    let (cpu, bytes) = args.limits.limits()?;
    Ok(Limits { games: args.games.unwrap_or(GAMES), seed: args.random.seed, cpu, bytes })
}

fn progress(cells: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}");
    let bar =
        ProgressBar::new(cells).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    tick(&bar);
    bar
}

/// Makes the folder, in which what has the name of the file or of the page must begin as these do. Two runs at once
/// would mix them.
fn create(folder: &Path, (name, start): (&str, &str), page: &str) -> anyhow::Result<FolderLock> {
    std::fs::create_dir_all(folder)
        .map_err(|e| anyhow::anyhow!("{} cannot be made: {e}", folder.display()))?;
    refuse_foreign(&folder.join(name), start.as_bytes())
        .and_then(|()| refuse_other_pages(&folder.join(page)))
        .and_then(|()| FolderLock::take(folder))
        .map_err(|error| unwritten(format!("the results cannot go to {}", folder.display()), error))
}

/// Tests the dealer with the decks of the experiments.
fn test_dealer(args: &Args) -> anyhow::Result<Outcome> {
    let trials = args.games.unwrap_or(uniformity::TRIALS);
    if trials < uniformity::LEAST_TRIALS {
        let least = uniformity::LEAST_TRIALS;
        let message = format!("--games {trials}: a chi-square test needs {least} deals or more");
        return Err(BadCall(message).into());
    }
    let mut decks = Vec::new();
    for rules in args.experiments.iter().flat_map(|experiment| &experiment.games) {
        decks.push(Rules::new(rules.values() as u64, rules.properties() as u64, 1)?);
    }
    if decks.is_empty() {
        for (v, p) in uniformity::DECKS {
            decks.push(Rules::new(v, p, 1)?);
        }
    }
    decks.dedup();
    let _lock = create(&args.out, uniformity::FILE, uniformity::PAGE)?;
    let deals = (trials, args.random.seed);
    let outcome = uniformity::run(&decks, deals, &args.out, args.output.format)?;
    if args.open && !crate::cli::page::show(&args.out.join(uniformity::PAGE)) {
        return Ok(Outcome::SomeFailed);
    }
    Ok(outcome)
}

/// Those asked for, by default all; `smt` is followed by those that do without something.
fn solvers(asked: Vec<Kind>, without: &[Optimisation]) -> Result<Vec<Kind>, BadCall> {
    let mut solvers = if asked.is_empty() { default_solvers() } else { asked };
    if without.is_empty() {
        return Ok(solvers);
    }
    let Some(smt) = solvers.iter().position(|kind| matches!(kind, Kind::Smt(_))) else {
        let message = "--without measures the solver smt, which is not among the solvers";
        return Err(BadCall(message.to_owned()));
    };
    let mut left_out: Vec<Without> =
        without.iter().map(|&one| Optimisation::without(&[one])).collect();
    left_out.push(Optimisation::without(without));
    left_out.sort_unstable();
    left_out.dedup();
    solvers.splice(smt + 1..smt + 1, left_out.into_iter().map(Kind::Smt));
    Ok(solvers)
}

/// All that this program was built with.
fn default_solvers() -> Vec<Kind> {
    let smt = cfg!(feature = "smt");
    Kind::ALL
        .into_iter()
        .filter(|kind| smt || !matches!(kind, Kind::Smt(_) | Kind::SmtBoolean))
        .collect()
}
