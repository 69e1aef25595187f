//! `setsight compare`: the paper's experiment, and the dealer's histograms.

mod experiment;
mod report;
mod uniformity;

use super::timed::Dealing;
use crate::cli::common::{BadCall, Format, MOST_GAMES, Outcome, SEED};
use anyhow::Context;
use experiment::{Experiment, Limits};
use indicatif::{ProgressBar, ProgressStyle};
use setsight_files::say;
use setsight_general::Kind;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

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
    /// Games for each cell
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=MOST_GAMES))]
    games: u64,
    /// Seed of the first game
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    /// CPU seconds a solver may take for a cell before it is given up
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    budget: f64,
    /// Memory in MiB a solver may hold, where it can be told
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory: usize,
    /// How cards are dealt
    #[arg(long, value_enum, default_value_t)]
    dealer: Dealing,
    /// Test the dealer instead: histograms of 10,000 deals, each with a chi-square test
    #[arg(long)]
    uniformity: bool,
    /// Folder for the report, the table and the plots
    #[arg(short, long, value_name = "DIR", default_value = "comparison")]
    out: PathBuf,
    /// How the results are printed
    #[arg(short, long, value_enum, default_value_t)]
    format: Format,
}

/// The paper's rows first.
const DEFAULT_EXPERIMENTS: [&str; 4] =
    ["v=3,p=4,n=2..6", "v=4,p=5,n=2..6", "v=3..6,p=4,n=2", "v=3,p=3..8,n=4"];

/// Runs the experiments and writes `results.csv`, `report.md` and the plots.
///
/// # Errors
/// An experiment that cannot be played, a file that cannot be written, a solver whose game does not
/// pass the check.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let seed = args.seed;
    if args.uniformity {
        create(&args.out)?;
        return uniformity::run(args.dealer, seed, &args.out, args.format);
    }
    let cpu = Duration::try_from_secs_f64(args.budget).ok().filter(|d| !d.is_zero()).ok_or_else(
        || BadCall(format!("--budget {}: expected CPU seconds above 0", args.budget)),
    )?;
    let limits =
        Limits { games: args.games, seed, cpu, bytes: args.memory.saturating_mul(1 << 20) };
    let solvers = if args.solvers.is_empty() { default_solvers() } else { args.solvers };
    let experiments = if args.experiments.is_empty() {
        DEFAULT_EXPERIMENTS
            .iter()
            .map(|text| text.parse())
            .collect::<Result<_, _>>()
            .map_err(BadCall)?
    } else {
        args.experiments
    };
    create(&args.out)?;

    let cells: usize = experiments.iter().map(|e| e.games.len() * solvers.len()).sum();
    let bar = ProgressBar::new(cells as u64).with_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut results: Vec<report::Row> = Vec::new();
    for experiment in experiments {
        let mut row = Vec::new();
        for rules in &experiment.games {
            for &kind in &solvers {
                bar.set_message(format!(
                    "v={} p={} n={} {kind}",
                    rules.values(),
                    rules.properties(),
                    rules.sets()
                ));
                row.push(experiment::measure(kind, rules, args.dealer, &limits)?);
                bar.inc(1);
            }
        }
        results.push((experiment, row));
        // What is known so far is on disk should the rest be interrupted.
        report::write(&args.out, &results, &solvers, &limits)?;
    }
    bar.finish_and_clear();
    let text = match args.format {
        Format::Text => report::markdown(&results, &solvers, &limits),
        Format::Json => format!("{}\n", report::to_json(&results, &limits, args.dealer)),
    };
    std::io::stdout().write_all(text.as_bytes()).context("cannot write the results")?;
    say!("written to {}", args.out.display());
    Ok(Outcome::Done)
}

fn create(folder: &std::path::Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|e| anyhow::anyhow!("{} cannot be made: {e}", folder.display()))
}

/// All that this program was built with.
fn default_solvers() -> Vec<Kind> {
    let smt = cfg!(feature = "smt");
    Kind::ALL
        .into_iter()
        .filter(|kind| smt || !matches!(kind, Kind::Smt | Kind::SmtBoolean))
        .collect()
}
