//! The results as CSV, JSON and text, and as a page: plots, tables, and a sentence for each row.

use super::experiment::{Cell, Experiment, Limits};
use crate::cli::timed::{DEALER, human, paper};
use crate::cli::{page, simulate::grouped};
use anyhow::Context;
use maud::{Markup, html};
use serde_json::{Value, json};
use setsight_eval::plots::{PlotError, Rgb};
use setsight_files::{printable::counted, whole_file::write_atomic};
use setsight_game::json::VERSION;
use setsight_generalized::{Kind, Without};
use std::{fmt::Write, path::Path};

/// An experiment with its cells, game by game, and for each game solver by solver.
pub type Row = (Experiment, Vec<Cell>);

/// The page among the files.
pub const PAGE: &str = "index.html";

/// The table among the files, and how it begins.
pub const FILE: (&str, &str) = ("results.csv", "varied,values,");

/// Writes all files.
pub fn write(
    folder: &Path,
    results: &[Row],
    solvers: &[Kind],
    limits: &Limits,
) -> anyhow::Result<()> {
    for (name, text) in [(FILE.0, csv(results)), (PAGE, page(results, solvers, limits)?)] {
        let path = folder.join(name);
        write_atomic(&path, text.as_bytes())
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

/// A line for each cell: what is varied, then the members of its JSON.
fn csv(results: &[Row]) -> String {
    let mut text = String::new();
    for (experiment, cells) in results {
        for cell in cells.iter().map(cell_to_json) {
            let row: Vec<_> = cell.as_object().into_iter().flatten().collect();
            if text.is_empty() {
                text.push_str("varied");
                row.iter().for_each(|(name, _)| text += &format!(",{name}"));
                text.push('\n');
            }
            text.push(experiment.varied);
            for (name, value) in row {
                let _ = match (value, value.as_f64()) {
                    (_, Some(seconds)) if name.ends_with("_seconds") => {
                        write!(text, ",{seconds:e}")
                    }
                    (_, Some(number)) => write!(text, ",{number}"),
                    (Value::String(stop), _) if name == "stopped" => write!(text, ",\"{stop}\""),
                    _ => write!(text, ",{}", value.as_str().unwrap_or_default()),
                };
            }
            text.push('\n');
        }
    }
    text
}

/// A cell as JSON; means in seconds of CPU time.
fn cell_to_json(cell: &Cell) -> Value {
    let rules = &cell.rules;
    json!({
        "values": rules.values(), "properties": rules.properties(), "sets": rules.sets(),
        "solver": cell.kind.name(), "games": cell.seconds.len(), "mean_seconds": cell.mean(),
        "mean_first_board": cell.first_board(), "bytes": cell.bytes,
        "stopped": cell.stopped.as_ref().map(ToString::to_string),
        "paper_seconds": paper(cell.kind, rules).map(|(seconds, _)| seconds),
        "boards_with_set": cell.overlooked.map(|all| all.boards),
        "overlooked": cell.overlooked.map(|all| all.overlooked),
    })
}

fn experiments_to_json(results: &[Row]) -> Value {
    results.iter().map(experiment_to_json).collect()
}

fn experiment_to_json((experiment, cells): &Row) -> Value {
    let cells: Vec<Value> = cells.iter().map(cell_to_json).collect();
    json!({"experiment": experiment.text, "varied": experiment.varied, "cells": cells})
}

/// What holds for all cells, as JSON.
fn head(limits: &Limits) -> Value {
    json!({
        "version": VERSION,
        "games": limits.games, "seed": limits.seed, "dealer": DEALER,
        "budget_seconds": limits.cpu.as_secs_f64(), "memory_bytes": limits.bytes,
    })
}

/// All results as JSON.
pub fn to_json(results: &[Row], limits: &Limits) -> Value {
    let mut json = head(limits);
    json["experiments"] = experiments_to_json(results);
    json
}

/// What stands above all results.
fn introduction(limits: &Limits) -> String {
    format!(
        "Mean CPU time of the solver for one game, over {} with the seeds from {}, no two alike; \
         games too short for the clock are timed together, and as many more are played as last \
         20 ms (results.csv has their number). Dealing is not counted, and every game passed the \
         checker. A solver has {} s for a cell; one that needs more is given up there.",
        counted(limits.games, "game"),
        limits.seed,
        limits.cpu.as_secs_f64(),
    )
}

/// A table with words above it.
pub struct Table {
    /// Nothing for the table of the experiment itself.
    pub above: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// The tables of an experiment: its cells, the optimisations, what was overlooked, the paper's figures.
fn tables((experiment, cells): &Row, solvers: &[Kind]) -> Vec<Table> {
    let mut tables = vec![times_of(experiment, cells, solvers)];
    tables.extend(optimisations(experiment, cells, solvers));
    tables.extend(overlooked(experiment, cells));
    if experiment.varied == 'n' {
        tables.extend(compared_to_paper(cells));
    }
    tables
}

/// The report as it is printed.
pub fn text(results: &[Row], solvers: &[Kind], limits: &Limits) -> String {
    let mut text = format!("# The solvers compared\n\n{}\n", introduction(limits));
    for row in results {
        let experiment = &row.0;
        let _ = writeln!(text, "\n## {} varies, {}\n", experiment.varied, experiment.fixed());
        tables(row, solvers).iter().for_each(|table| add_table(&mut text, table));
    }
    text
}

/// Adds a table as it is printed.
pub fn add_table(text: &mut String, Table { above, head, rows }: &Table) {
    if !above.is_empty() {
        let _ = writeln!(text, "\n{above}\n");
    }
    let _ = writeln!(text, "| {} |\n{}|", head.join(" | "), "|---".repeat(head.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
}

/// A row for each game, a column for each solver.
fn times_of(experiment: &Experiment, cells: &[Cell], solvers: &[Kind]) -> Table {
    let mut head = vec![experiment.varied.to_string(), "first set at".into()];
    head.extend(solvers.iter().map(ToString::to_string));
    head.push("memory of dynamic".into());
    let rows = cells.chunks(solvers.len()).map(|row| times_of_game(experiment, row)).collect();
    Table { above: String::new(), head, rows }
}

fn times_of_game(experiment: &Experiment, row: &[Cell]) -> Vec<String> {
    let board = first_board(row).map_or("-".into(), |b| format!("{b:.1} cards"));
    let memory = row.iter().find(|c| c.kind == Kind::Dynamic).and_then(|c| c.bytes);
    let mut line = vec![experiment.position(&row[0].rules).to_string(), board];
    line.extend(row.iter().map(shown));
    line.push(memory.map_or("-".into(), size));
    line
}

/// The mean size of the board at the first set, over the most games that a solver played. One that
/// overlooks sets has its first one later.
fn first_board(of_game: &[Cell]) -> Option<f64> {
    of_game
        .iter()
        .max_by_key(|cell| (cell.overlooked.is_none(), cell.first_boards.len()))
        .and_then(Cell::first_board)
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
fn compared_to_paper(cells: &[Cell]) -> Option<Table> {
    let published: Vec<_> =
        cells.iter().filter_map(|c| Some((c, paper(c.kind, &c.rules)?))).collect();
    let (_, (_, games)) = published.first()?;
    Some(Table {
        above: format!("The paper's figures (Python, mean of {games} games) beside these:"),
        head: ["n", "solver", "paper", "here", "paper / here"].map(String::from).to_vec(),
        rows: published.iter().map(|&(cell, (paper, _))| compared_cell(cell, paper)).collect(),
    })
}

fn compared_cell(cell: &Cell, paper: f64) -> Vec<String> {
    let ratio = cell.mean().map_or("-".into(), |mean| times(paper / mean));
    let n = cell.rules.sets().to_string();
    vec![n, cell.kind.to_string(), human(paper), shown(cell), ratio]
}

/// Whether a solver is `smt` without some optimisation.
fn does_without(kind: Kind) -> bool {
    matches!(kind, Kind::Smt(without) if without != Without::NOTHING)
}

/// The time with all optimisations, and how many times as long each solver takes without one.
fn ratios(experiment: &Experiment, row: &[Cell]) -> Option<Vec<String>> {
    let complete = row.iter().find(|cell| cell.kind == Kind::Smt(Without::NOTHING))?;
    let mut line = vec![experiment.position(&complete.rules).to_string(), shown(complete)];
    line.extend(row.iter().filter(|cell| does_without(cell.kind)).map(|cell| {
        let ratio = cell.mean().zip(complete.mean()).map(|(a, b)| format!("{:.2}", a / b));
        ratio.unwrap_or_else(|| shown(cell))
    }));
    Some(line)
}

/// What each of the paper's optimisations is worth: how many times as long `smt` takes without it.
fn optimisations(experiment: &Experiment, cells: &[Cell], solvers: &[Kind]) -> Option<Table> {
    let without: Vec<Kind> = solvers.iter().copied().filter(|&kind| does_without(kind)).collect();
    if without.is_empty() {
        return None;
    }
    let mut head = vec![experiment.varied.to_string(), "smt".into()];
    head.extend(without.iter().map(|kind| kind.name().trim_start_matches("smt ").to_owned()));
    Some(Table {
        above:
            "What the optimisations of `smt` are worth: its time, and how many times as long it \
                takes without them:"
                .into(),
        head,
        rows: cells.chunks(solvers.len()).filter_map(|row| ratios(experiment, row)).collect(),
    })
}

/// How often `dynamic-paper` found no set on a board that holds one.
fn overlooked(experiment: &Experiment, cells: &[Cell]) -> Option<Table> {
    let counted = cells.iter().filter_map(|cell| Some((cell, cell.overlooked?)));
    let rows: Vec<Vec<String>> = counted
        .map(|(cell, all)| {
            let share = 100.0 * all.overlooked as f64 / all.boards.max(1) as f64;
            let position = experiment.position(&cell.rules).to_string();
            let [boards, overlooked] = [all.boards, all.overlooked].map(|n| grouped(n as u64));
            vec![position, boards, overlooked, format!("{share:.1} %")]
        })
        .collect();
    let varied = experiment.varied.to_string();
    (!rows.is_empty()).then(|| Table {
        above: "On how many boards with a set `dynamic-paper` found none:".into(),
        head: vec![varied, "boards with a set".into(), "overlooked".into(), "share".into()],
        rows,
    })
}

/// A sentence for each row of an experiment: who is fastest, how far the others are behind, and how
/// much faster than the paper's they are.
fn sentences((experiment, cells): &Row, solvers: &[Kind]) -> Vec<String> {
    cells.chunks(solvers.len()).map(|row| sentence(experiment, row)).collect()
}

fn sentence(experiment: &Experiment, row: &[Cell]) -> String {
    let at = format!("{} = {}", experiment.varied, experiment.position(&row[0].rules));
    let mut timed: Vec<(Kind, f64)> =
        row.iter().filter_map(|cell| Some((cell.kind, cell.mean()?))).collect();
    timed.sort_by(|a, b| a.1.total_cmp(&b.1));
    let Some(&(fastest, least)) = timed.first() else {
        return format!("{at}: no solver finished.");
    };
    let mut text = format!("{at}: {fastest} needs {}", human(least));
    for (i, (kind, mean)) in timed[1..].iter().enumerate() {
        let join = if i == 0 { ";" } else { "," };
        let _ = write!(text, "{join} {kind} {} times that", times(mean / least));
    }
    let given_up: Vec<&str> =
        row.iter().filter(|cell| cell.mean().is_none()).map(|cell| cell.kind.name()).collect();
    if !given_up.is_empty() {
        let _ = write!(text, "; given up: {}", given_up.join(", "));
    }
    text.push('.');
    let faster: Vec<String> = row
        .iter()
        .filter_map(|cell| {
            let (paper, _) = paper(cell.kind, &cell.rules)?;
            Some(format!("{} {}", cell.kind, times(paper / cell.mean()?)))
        })
        .collect();
    if !faster.is_empty() {
        let _ = write!(text, " The paper's time over this one: {}.", faster.join(", "));
    }
    text
}

/// How many times as long.
fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.1}") } else { grouped(ratio.round() as u64) }
}

/// The plots of an experiment: times, and boards where these vary.
fn plots(row: &Row, solvers: &[Kind]) -> Vec<setsight_eval::plots::Curves> {
    std::iter::once(chart(row, solvers)).chain(boards(row)).collect()
}

/// Cards on the board at the first set, by values or properties.
fn boards((experiment, cells): &Row) -> Option<setsight_eval::plots::Curves> {
    use setsight_eval::plots::{Curve, Curves};
    let games = cells.chunk_by(|a, b| a.rules == b.rules);
    let points: Vec<(f64, f64)> = games
        .filter_map(|game| {
            Some((experiment.position(&game.first()?.rules) as f64, first_board(game)?))
        })
        .collect();
    (experiment.varied != 'n' && points.len() > 1).then(|| Curves {
        title: format!("Cards on the board at the first set, {}", experiment.fixed()),
        x_label: axis(experiment).into(),
        y_label: "cards, mean".into(),
        log_y: false,
        curves: vec![Curve {
            name: "first set".into(),
            color: (0, 114, 178),
            points,
            dashed: false,
        }],
    })
}

const fn axis(experiment: &Experiment) -> &'static str {
    match experiment.varied {
        'v' => "values (v)",
        'p' => "properties (p)",
        _ => "sets to find (n)",
    }
}

const fn color(kind: Kind) -> Rgb {
    match kind {
        Kind::Brute => (200, 30, 30),
        Kind::Smt(Without::NOTHING) => (20, 60, 200),
        Kind::Smt(Without { delayed_deletion: false, .. }) => (150, 60, 160),
        Kind::Smt(Without { order: false, .. }) => (120, 120, 120),
        Kind::Smt(_) => (60, 60, 60),
        Kind::SmtBoolean => (90, 170, 240),
        Kind::Dynamic => (20, 140, 50),
        Kind::DynamicPaper => (150, 190, 60),
        Kind::Cover => (230, 140, 0),
    }
}

/// A solver's times in microseconds; `seconds` of a cell, if it has any.
fn points(
    (experiment, cells): &Row,
    kind: Kind,
    seconds: impl Fn(&Cell) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let cells = cells.iter().filter(|cell| cell.kind == kind);
    cells
        .filter_map(|cell| Some((experiment.position(&cell.rules) as f64, seconds(cell)? * 1e6)))
        .collect()
}

/// The curves of an experiment in microseconds, with the paper's dashed beside them.
fn chart(row: &Row, solvers: &[Kind]) -> setsight_eval::plots::Curves {
    use setsight_eval::plots::{Curve, Curves};
    let experiment = &row.0;
    let mut curves = Vec::new();
    for &kind in solvers {
        let points = points(row, kind, Cell::mean);
        curves.push(Curve { name: kind.to_string(), color: color(kind), points, dashed: false });
    }
    for &kind in solvers {
        // Solvers of one kind share the paper's one figure.
        let is_shared = kind == Kind::SmtBoolean
            || kind == Kind::DynamicPaper && solvers.contains(&Kind::Dynamic);
        let points = points(row, kind, |cell| Some(paper(cell.kind, &cell.rules)?.0));
        if !is_shared && points.len() > 1 {
            let name = format!("{kind}, paper");
            curves.push(Curve { name, color: color(kind), points, dashed: true });
        }
    }
    Curves {
        title: format!("CPU time of a game, {}", experiment.fixed()),
        x_label: axis(experiment).into(),
        y_label: "microseconds".into(),
        log_y: true,
        curves,
    }
}

/// The page in HTML; it refers to no other file.
fn page(results: &[Row], solvers: &[Kind], limits: &Limits) -> Result<String, PlotError> {
    let plots = results
        .iter()
        .map(|row| plots(row, solvers).iter().map(page::plot).collect())
        .collect::<Result<Vec<Vec<Markup>>, PlotError>>()?;
    let body = html! {
        h1 { "The solvers compared" }
        p { (introduction(limits)) }
        p { "Long dashes and hollow dots are the paper's own figures (Python, on its machine)." }
        "\n"
        @for (row, plots) in results.iter().zip(plots) {
            h2 { (row.0.varied) " varies, " (row.0.fixed()) }
            @for plot in plots { (plot) }
            "\n"
            ul { @for sentence in sentences(row, solvers) { li { (sentence) } "\n" } }
            @for Table { above, head, rows } in tables(row, solvers) {
                @if !above.is_empty() { p { (above) } }
                (page::table(&head, &rows))
            }
        }
    };
    Ok(page::document("setsight: the solvers compared", &body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_generalized::Stop;
    use std::time::Duration;

    fn results() -> (Vec<Row>, [Kind; 2], Limits) {
        let experiment: Experiment = "v=3,p=4,n=2..3".parse().unwrap();
        let cell = |kind, game: usize, seconds: &[f64], stopped| Cell {
            kind,
            rules: experiment.games[game],
            seconds: seconds.to_vec(),
            first_boards: vec![12, 15],
            bytes: Some(12_000),
            overlooked: None,
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
        let text = text(&results, &solvers, &limits);
        assert!(text.contains("## n varies, v=3, p=4"), "{text}");
        assert!(text.contains("| 2 | 13.5 cards | 20.00 µs | 200 ns | 12.0 kB |"), "{text}");
        assert!(text.contains("| 3 | 13.5 cards | out of time after 1 game |"), "{text}");
        assert!(text.contains("| 2 | dynamic | 1.253 ms | 20.00 µs | 63 |"), "{text}");
    }

    #[test]
    fn the_papers_curves_are_dashed_and_each_row_has_a_sentence() {
        let (mut results, solvers, limits) = results();
        results[0].1.iter_mut().for_each(|cell| cell.stopped = None);
        let curves = chart(&results[0], &solvers).curves;
        let names: Vec<(&str, bool)> = curves.iter().map(|c| (c.name.as_str(), c.dashed)).collect();
        assert_eq!(names, [("dynamic", false), ("cover", false), ("dynamic, paper", true)]);
        let sentences = sentences(&results[0], &solvers);
        assert_eq!(
            sentences[0],
            "n = 2: cover needs 200 ns; dynamic 100 times that. \
             The paper's time over this one: dynamic 63."
        );
        let page = super::page(&results, &solvers, &limits).unwrap();
        assert!(page.contains(&sentences[1]) && page.contains("<svg") && page.contains("<table"));
        for outside in ["src=", "href=", "url(", "@import"] {
            assert!(!page.contains(outside), "the page needs nothing else: {outside}");
        }
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
