//! The results as CSV, Markdown and plots.

use super::experiment::{Cell, Experiment, Limits};
use crate::cli::timed::{Dealing, counted, human};
use anyhow::Context;
use serde_json::{Value, json};
use setsight_files::whole_file::write_whole;
use setsight_game::json::VERSION;
use setsight_general::{Kind, Rules};
use std::fmt::Write;
use std::path::Path;

/// The paper's mean CPU seconds (in Python) for n = 2 to 6, and over how many games.
struct Paper {
    values: usize,
    properties: usize,
    games: u32,
    smt: [f64; 5],
    dynamic: [f64; 5],
    brute: [f64; 5],
}

const PAPER: [Paper; 2] = [
    Paper {
        values: 3,
        properties: 4,
        games: 10,
        smt: [0.0830945, 0.1309777, 0.1469017, 0.1981986, 0.2494722],
        dynamic: [0.0012532, 0.0021258, 0.00206, 0.0031261, 0.0051556],
        brute: [0.0792278, 0.1288052, 0.1598722, 0.2002846, 0.2630714],
    },
    Paper {
        values: 4,
        properties: 5,
        games: 5,
        smt: [0.8491608, 1.7955682, 1.930447, 2.4920082, 2.2934102],
        dynamic: [0.2452296, 0.2946156, 0.4328736, 0.3662846, 0.4965884],
        brute: [1.1175872, 1.1840924, 1.7126942, 2.5330248, 2.2322826],
    },
];

/// The paper's figure for a cell, and its number of games. `cover` is not in the paper.
fn paper(kind: Kind, rules: &Rules) -> Option<(f64, u32)> {
    let table =
        PAPER.iter().find(|t| t.values == rules.values() && t.properties == rules.properties())?;
    let row = match kind {
        Kind::Smt | Kind::SmtBoolean => &table.smt,
        Kind::Dynamic => &table.dynamic,
        Kind::Brute => &table.brute,
        Kind::Cover => return None,
    };
    let column = usize::try_from(rules.sets().checked_sub(2)?).ok()?;
    row.get(column).map(|&seconds| (seconds, table.games))
}

/// An experiment with its cells, game by game, and for each game solver by solver.
pub type Row = (Experiment, Vec<Cell>);

/// Writes all files.
///
/// # Errors
/// A file that cannot be written.
pub fn write(
    folder: &Path,
    results: &[Row],
    solvers: &[Kind],
    limits: &Limits,
) -> anyhow::Result<()> {
    let put = |name: &str, text: String| {
        let path = folder.join(name);
        write_whole(&path, text.as_bytes())
            .with_context(|| format!("{} cannot be written", path.display()))
    };
    put("results.csv", csv(results))?;
    put("report.md", markdown(results, solvers, limits))?;
    #[cfg(feature = "program")]
    for (experiment, cells) in results {
        let stem = folder.join(stem(experiment));
        setsight_eval::chart::save(
            &chart(experiment, cells, solvers),
            &stem,
            setsight_eval::chart::SIZE_PX,
        )?;
    }
    Ok(())
}

/// The name of an experiment's plots, without suffix.
#[cfg(feature = "program")]
fn stem(experiment: &Experiment) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let text: String = experiment.text.chars().filter(|c| !c.is_whitespace()).map(safe).collect();
    format!("vary-{}-{text}", experiment.varied)
}

fn csv(results: &[Row]) -> String {
    let mut text = String::from(
        "varied,values,properties,sets,solver,games,mean_seconds,\
         mean_first_board,bytes,stopped,paper_seconds\n",
    );
    let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:e}"));
    for (experiment, cells) in results {
        for cell in cells {
            let rules = &cell.rules;
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{},{}",
                experiment.varied,
                rules.values(),
                rules.properties(),
                rules.sets(),
                cell.kind.name(),
                cell.seconds.len(),
                number(cell.mean()),
                cell.first_board().map_or(String::new(), |b| b.to_string()),
                cell.bytes.map_or(String::new(), |b| b.to_string()),
                cell.stopped.as_ref().map_or(String::new(), |s| format!("\"{s}\"")),
                number(paper(cell.kind, rules).map(|(seconds, _)| seconds)),
            );
        }
    }
    text
}

/// The same as one line of JSON; means in seconds of CPU time.
pub fn to_json(results: &[Row], limits: &Limits, dealing: Dealing) -> Value {
    let cell = |cell: &Cell| {
        let rules = &cell.rules;
        json!({
            "values": rules.values(), "properties": rules.properties(), "sets": rules.sets(),
            "solver": cell.kind.name(), "games": cell.seconds.len(), "mean_seconds": cell.mean(),
            "mean_first_board": cell.first_board(), "bytes": cell.bytes,
            "stopped": cell.stopped.as_ref().map(ToString::to_string),
            "paper_seconds": paper(cell.kind, rules).map(|(seconds, _)| seconds),
        })
    };
    let experiment = |(experiment, cells): &Row| {
        let cells: Vec<Value> = cells.iter().map(cell).collect();
        json!({"experiment": experiment.text, "varied": experiment.varied, "cells": cells})
    };
    json!({
        "version": VERSION,
        "games": limits.games, "seed": limits.seed, "dealer": dealing.name(),
        "budget_seconds": limits.cpu.as_secs_f64(), "memory_bytes": limits.bytes,
        "experiments": results.iter().map(experiment).collect::<Vec<_>>(),
    })
}

/// The report: a table for each experiment, the memory of `dynamic`, the paper's figures.
pub fn markdown(results: &[(Experiment, Vec<Cell>)], solvers: &[Kind], limits: &Limits) -> String {
    let mut text = format!(
        "# The solvers compared\n\n\
         Mean CPU time of the solver for one game, over {} with the seeds from {}, no two alike; \
         games too short for the clock are timed together, and as many more are played as last \
         20 ms (results.csv has their number). Dealing is not counted, and every game passed the \
         checker. A solver has {} s for a cell; one that needs more is given up there.\n",
        counted(limits.games, "game"),
        limits.seed,
        limits.cpu.as_secs_f64(),
    );
    for (experiment, cells) in results {
        let _ = writeln!(text, "\n## {} varies, {}\n", experiment.varied, experiment.fixed());
        let _ = write!(text, "| {} | first set at |", experiment.varied);
        for kind in solvers {
            let _ = write!(text, " {kind} |");
        }
        text.push_str(" memory of dynamic |\n");
        text.push_str(&"|---".repeat(solvers.len() + 3));
        text.push_str("|\n");
        for row in cells.chunks(solvers.len()) {
            let most_games = row.iter().max_by_key(|cell| cell.first_boards.len());
            let board = most_games.and_then(Cell::first_board);
            let board = board.map_or("-".into(), |b| format!("{b:.1} cards"));
            let _ = write!(text, "| {} | {board} |", experiment.position(&row[0].rules));
            for cell in row {
                let _ = write!(text, " {} |", shown(cell));
            }
            let memory = row.iter().find(|c| c.kind == Kind::Dynamic).and_then(|c| c.bytes);
            let _ = writeln!(text, " {} |", memory.map_or("-".into(), size));
        }
        if experiment.varied == 'n' {
            beside_the_paper(&mut text, cells);
        }
    }
    text
}

fn shown(cell: &Cell) -> String {
    match (cell.mean(), &cell.stopped) {
        (Some(mean), _) => human(mean),
        (None, Some(stop)) => {
            format!("{stop} after {}", counted(cell.seconds.len() as u64, "game"))
        }
        (None, None) => "-".into(),
    }
}

fn size(bytes: usize) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{:.2} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.1} kB", b / 1e3),
    }
}

/// The paper's figures beside ours, where it has them.
fn beside_the_paper(text: &mut String, cells: &[Cell]) {
    let known: Vec<_> = cells.iter().filter_map(|c| Some((c, paper(c.kind, &c.rules)?))).collect();
    let Some((_, (_, games))) = known.first() else { return };
    let _ = write!(
        text,
        "\nThe paper's figures (Python, mean of {games} games) beside these:\n\n\
         | n | solver | paper | here | paper / here |\n|---|---|---|---|---|\n"
    );
    for (cell, (paper, _)) in known {
        let ratio = cell.mean().map_or("-".into(), |mean| times(paper / mean));
        let (n, kind, here) = (cell.rules.sets(), cell.kind, shown(cell));
        let _ = writeln!(text, "| {n} | {kind} | {} | {here} | {ratio} |", human(paper));
    }
}

fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

#[cfg(feature = "program")]
fn chart(
    experiment: &Experiment,
    cells: &[Cell],
    solvers: &[Kind],
) -> setsight_eval::chart::Curves {
    use setsight_eval::chart::{Curve, Curves};
    let color = |kind| match kind {
        Kind::Brute => (200, 30, 30),
        Kind::Smt => (20, 60, 200),
        Kind::SmtBoolean => (90, 170, 240),
        Kind::Dynamic => (20, 140, 50),
        Kind::Cover => (230, 140, 0),
    };
    let curve = |&kind: &Kind| Curve {
        name: kind.name().into(),
        color: color(kind),
        points: cells
            .iter()
            .filter(|cell| cell.kind == kind)
            .filter_map(|cell| Some((experiment.position(&cell.rules) as f64, cell.mean()?)))
            .collect(),
    };
    let label = match experiment.varied {
        'v' => "values (v)",
        'p' => "properties (p)",
        _ => "sets to find (n)",
    };
    Curves {
        title: format!("CPU time of a game, {}", experiment.fixed()),
        x_label: label.into(),
        y_label: "seconds".into(),
        log_y: true,
        curves: solvers.iter().map(curve).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_general::Stop;
    use std::time::Duration;

    fn results() -> (Vec<Row>, [Kind; 2], Limits) {
        let experiment: Experiment = "v=3,p=4,n=2..3".parse().unwrap();
        let cell = |kind, game: usize, seconds: &[f64], stopped| Cell {
            kind,
            rules: experiment.games[game],
            seconds: seconds.to_vec(),
            first_boards: vec![12, 15],
            bytes: Some(12_000),
            stopped,
        };
        let cells = vec![
            cell(Kind::Dynamic, 0, &[1e-5, 3e-5], None),
            cell(Kind::Cover, 0, &[1e-7, 3e-7], None),
            cell(Kind::Dynamic, 1, &[1e-5], Some(Stop::Time)),
            cell(Kind::Cover, 1, &[1e-7, 3e-7], None),
        ];
        let limits = Limits { games: 2, seed: 1, cpu: Duration::from_secs(1), bytes: usize::MAX };
        (vec![(experiment, cells)], [Kind::Dynamic, Kind::Cover], limits)
    }

    #[test]
    fn the_report_has_means_memory_and_the_paper() {
        let (results, solvers, limits) = results();
        let text = markdown(&results, &solvers, &limits);
        assert!(text.contains("## n varies, v=3, p=4"), "{text}");
        assert!(text.contains("| 2 | 13.5 cards | 20.00 µs | 200 ns | 12.0 kB |"), "{text}");
        assert!(text.contains("| 3 | 13.5 cards | out of time after 1 game |"), "{text}");
        assert!(text.contains("| 2 | dynamic | 1.253 ms | 20.00 µs | 63 |"), "{text}");
    }

    #[test]
    fn the_table_has_a_line_for_each_cell() {
        let (results, ..) = results();
        let text = csv(&results);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        let columns = lines[0].split(',').count();
        assert!(lines.iter().all(|line| line.split(',').count() == columns), "{text}");
        assert!(lines[1].starts_with("n,3,4,2,dynamic,2,2e-5,13.5,12000,,"), "{text}");
        assert!(lines[3].contains("\"out of time\""));
    }
}
