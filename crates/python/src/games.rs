//! Sets among codes, and the generalised game.

use cpu_time::ThreadTime;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use setsight_game::{cards::Card, sets};
use setsight_generalized::deal::{Dealer, FisherYates, Rejection};
use setsight_generalized::{Budget, Kind, Record, Rules, check};
use std::time::Duration;

/// All sets among cards that are given as codes.
#[pyfunction]
pub fn find_sets(codes: Vec<String>) -> PyResult<Vec<(usize, usize, usize)>> {
    let cards = codes.iter().enumerate().map(|(i, code)| {
        code.parse::<Card>().map_err(|error| PyValueError::new_err(format!("card {i}: {error}")))
    });
    let cards = cards.collect::<PyResult<Vec<Card>>>()?;
    let mut sorted = cards.clone();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let message = format!("{} is there twice; a deck has each card once", twice[0]);
        return Err(PyValueError::new_err(message));
    }
    Ok(sets::find_all(&cards).into_iter().map(|set| set.0.into()).collect())
}

/// A game of the generalised game.
#[pyclass(module = "setsight.general", frozen, get_all)]
pub struct Game {
    seed: u64,
    /// Cards as their values.
    sets: Vec<Vec<Vec<u32>>>,
    board_sizes: Vec<usize>,
    drawn: usize,
    seconds: f64,
}

#[pymethods]
impl Game {
    fn __repr__(&self) -> String {
        let Self { seed, drawn, .. } = self;
        format!("<Game of seed {seed}: {} sets among {drawn} drawn cards>", self.sets.len())
    }
}

/// Plays one game.
#[pyfunction]
#[pyo3(signature = (values = 3, properties = 4, sets = 1, *, seed = 1, solver = "cover", dealer = "rejection", budget = 60.0, memory = 1024))]
#[allow(clippy::too_many_arguments, reason = "they are keywords, as the command has options")]
pub fn play(
    py: Python<'_>,
    values: u64,
    properties: u64,
    sets: u64,
    seed: u64,
    solver: &str,
    dealer: &str,
    budget: f64,
    memory: usize,
) -> PyResult<Game> {
    let rules = Rules::new(values, properties, sets).map_err(|error| wrong(error.to_string()))?;
    let kind: Kind = solver.parse().map_err(wrong)?;
    let cpu =
        Duration::try_from_secs_f64(budget).ok().filter(|cpu| !cpu.is_zero()).ok_or_else(|| {
            wrong(format!("budget={budget}: expected CPU seconds above 0, such as 10 or 0.5"))
        })?;
    let shuffled: fn(&Rules, u64) -> Box<dyn Dealer> = match dealer {
        "rejection" => |rules, seed| Box::new(Rejection::new(rules, seed)),
        "fisher-yates" => |rules, seed| Box::new(FisherYates::new(rules, seed)),
        _ => {
            let message = format!("dealer={dealer:?}: expected \"rejection\" or \"fisher-yates\"");
            return Err(wrong(message));
        }
    };
    // Made where it plays: a solver stays on its thread.
    kind.solver(&rules).map_err(|error| wrong(error.to_string()))?;
    let played = py.detach(|| -> Result<(Record, f64), String> {
        let mut solver = kind.solver(&rules).map_err(|error| error.to_string())?;
        let mut dealer = shuffled(&rules, seed);
        let mut record = Record::default();
        let start = ThreadTime::now();
        let limits = Budget::new(cpu, memory.saturating_mul(1 << 20));
        let played =
            setsight_generalized::play(&rules, &mut *dealer, &mut *solver, &limits, &mut record);
        let seconds = start.elapsed().as_secs_f64();
        let sets = record.found.len();
        played.map_err(|stop| format!("seed {seed}, after {sets} sets: {stop}"))?;
        check(&rules, &record).map_err(|fault| fault.to_string())?;
        Ok((record, seconds))
    });
    let (record, seconds) = played.map_err(PyRuntimeError::new_err)?;
    let cards: Vec<Vec<u32>> =
        record.cards.iter().map(|&card| rules.values_of(card).map(u32::from).collect()).collect();
    Ok(Game {
        seed,
        sets: cards.chunks(rules.values()).map(<[_]>::to_vec).collect(),
        board_sizes: record.found.iter().map(|found| found.board).collect(),
        drawn: record.drawn.len(),
        seconds,
    })
}

fn wrong(message: String) -> PyErr {
    PyValueError::new_err(message)
}
