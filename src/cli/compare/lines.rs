//! The cells of one game as a line of JSON, for runs that measure a part or go on.
//!
//! All solvers of a game are one item: their times are compared with each other, so they are of one machine.

use super::experiment::{Cell, Experiment, Limits};
use super::report;
use crate::cli::timed::{Dealing, Optimisation};
use anyhow::Context;
use serde_json::{Value, json};
use setsight_general::{Kind, Overlooked, Rules, Stop};
use std::collections::BTreeMap;

/// The line of a game of an experiment: the cells of all its solvers.
pub fn line(experiment: &Experiment, cells: &[Cell], limits: &Limits, dealing: Dealing) -> Value {
    let cell = |cell: &Cell| {
        let rules = &cell.rules;
        json!({
            "values": rules.values(), "properties": rules.properties(), "sets": rules.sets(),
            "solver": cell.kind.name(), "seconds": cell.seconds, "first_boards": cell.first_boards,
            "bytes": cell.bytes, "overlooked": cell.overlooked.map(|all| [all.boards, all.overlooked]),
            "stopped": cell.stopped.as_ref().map(ToString::to_string),
        })
    };
    let mut line = report::head(limits, dealing);
    line["experiment"] = json!(experiment.text);
    line["cells"] = json!(cells.iter().map(cell).collect::<Vec<_>>());
    line
}

/// The cells of a line.
///
/// # Errors
/// It is no such line.
pub fn cells(line: &Value) -> anyhow::Result<Vec<Cell>> {
    let cells: Option<Vec<Cell>> =
        line["cells"].as_array().and_then(|cells| cells.iter().map(cell).collect());
    cells.with_context(|| format!("no line of compare: {line}"))
}

fn cell(value: &Value) -> Option<Cell> {
    let number = |name: &str| value[name].as_u64();
    let rules = Rules::new(number("values")?, number("properties")?, number("sets")?).ok()?;
    let stopped = match &value["stopped"] {
        Value::Null => None,
        reason => Some(stop(reason.as_str()?)),
    };
    let list = |name: &str| value[name].as_array();
    Some(Cell {
        kind: kind(value["solver"].as_str()?)?,
        rules,
        seconds: list("seconds")?.iter().map(Value::as_f64).collect::<Option<_>>()?,
        first_boards: list("first_boards")?
            .iter()
            .map(|board| board.as_u64().map(|board| board as usize))
            .collect::<Option<_>>()?,
        bytes: number("bytes").map(|bytes| bytes as usize),
        overlooked: match value["overlooked"].as_array().map(Vec::as_slice) {
            Some([boards, overlooked]) => Some(Overlooked {
                boards: boards.as_u64()? as usize,
                overlooked: overlooked.as_u64()? as usize,
            }),
            _ => None,
        },
        stopped,
    })
}

/// The solver of this name, also of those that do without something.
fn kind(name: &str) -> Option<Kind> {
    use Optimisation::{DelayedDeletion, Order};
    let without = [&[Order][..], &[DelayedDeletion], &[Order, DelayedDeletion]];
    let without = without.map(|these| Kind::Smt(Optimisation::without(these)));
    Kind::ALL.into_iter().chain(without).find(|kind| kind.name() == name)
}

fn stop(reason: &str) -> Stop {
    let known = [Stop::Time, Stop::Memory].into_iter().find(|stop| stop.to_string() == reason);
    known.unwrap_or_else(|| {
        // Its own words come behind those of all such stops.
        let said = reason.split_once(": ").map_or(reason, |(_, said)| said);
        Stop::GaveUp(said.to_owned())
    })
}

/// The lines of all games, as one command would have printed them.
///
/// # Errors
/// A line that is none of `compare`.
pub fn merged(lines: &BTreeMap<usize, Value>) -> anyhow::Result<Value> {
    let mut experiments: Vec<report::Row> = Vec::new();
    let mut left = 0;
    for line in lines.values() {
        let text = line["experiment"].as_str().context("a line without an experiment")?;
        let experiment: Experiment = text.parse().map_err(anyhow::Error::msg)?;
        if left == 0 {
            left = experiment.games.len();
            experiments.push((experiment, Vec::new()));
        }
        left -= 1;
        let (_, row) = experiments.last_mut().context("no experiment")?;
        row.extend(cells(line)?);
    }
    let mut merged = lines.values().next().context("no line")?.clone();
    let members = merged.as_object_mut().context("a line without members")?;
    members.retain(|name, _| !["experiment", "cells"].contains(&name.as_str()));
    merged["experiments"] = report::experiments_to_json(&experiments);
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_cell_survives_its_line() {
        let rules = Rules::new(3, 4, 2).unwrap();
        let of = |kind, stopped| Cell {
            kind,
            rules,
            seconds: vec![0.25, 1e-7],
            first_boards: vec![12, 15],
            bytes: Some(1 << 20),
            overlooked: (kind == Kind::DynamicPaper)
                .then_some(Overlooked { boards: 9, overlooked: 2 }),
            stopped,
        };
        let mut before: Vec<Cell> = Kind::ALL.into_iter().map(|kind| of(kind, None)).collect();
        let without = Kind::Smt(Optimisation::without(&[Optimisation::Order]));
        for stop in [Stop::Time, Stop::Memory, Stop::GaveUp("unknown: no idea".into())] {
            before.push(of(without, Some(stop)));
        }
        let limits = Limits { games: 2, seed: 1, cpu: Duration::from_secs(1), bytes: 1 };
        let experiment = "v=3,p=4,n=2".parse().unwrap();
        let line = line(&experiment, &before, &limits, Dealing::Rejection);
        assert_eq!(cells(&line).unwrap(), before);
        assert!(cells(&json!({"cells": [{"solver": "nobody"}]})).is_err());
        assert!(cells(&json!({})).is_err());
    }
}
