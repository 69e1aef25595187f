//! Drawn tables with their labels.

use crate::table::{self, from_json};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use setsight_game::cards::Deck;
use setsight_scenes::{DeckChoice, Kind, Params};
use std::path::PathBuf;

/// A picture and its labels.
type Drawn<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);

/// Draws one table.
#[pyfunction]
#[pyo3(signature = (seed, *, index = 0, kind = "mixed", cards = None, deck = None, size = None, mirrored = false))]
#[allow(clippy::too_many_arguments, reason = "they are keywords, as the command has options")]
pub fn render<'py>(
    py: Python<'py>,
    seed: u64,
    index: u64,
    kind: &str,
    cards: Option<usize>,
    deck: Option<PathBuf>,
    size: Option<(u32, u32)>,
    mirrored: bool,
) -> PyResult<Drawn<'py>> {
    let scene_kind =
        Kind::ALL.into_iter().find(|scene_kind| scene_kind.name() == kind).ok_or_else(|| {
            let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            wrong(format!("kind={kind:?}: expected one of {}", names.join(", ")))
        })?;
    let mut params = Params::for_kind(scene_kind);
    params.mirrored = f64::from(u8::from(mirrored));
    if let Some(cards) = cards {
        params.cards = (cards, cards);
    }
    if let Some(size) = size {
        params.size_px = size;
    }
    if let Some(deck) = deck {
        let name = deck.to_string_lossy();
        let choice = match &*name {
            "invented" => DeckChoice::Invented,
            name => {
                DeckChoice::Known(Deck::open(name).map_err(|error| wrong(format!("deck {error}")))?)
            }
        };
        params.decks = vec![(choice, 1.0)];
    }
    let drawn = py.detach(|| {
        let scene = setsight_scenes::render(&params, seed, index).map_err(|e| Ok(e.to_string()))?;
        let picture = scene.through_jpeg().map_err(|error| Err(error.to_string()))?;
        let mut label = json!(scene.label(String::new()));
        if let Some(members) = label.as_object_mut() {
            members.shift_remove("file");
        }
        Ok((picture, label))
    });
    let (picture, label) = drawn.map_err(|error: Result<String, String>| match error {
        Ok(message) => wrong(message),
        Err(message) => PyRuntimeError::new_err(message),
    })?;
    Ok((table::into_array(py, &picture)?, from_json(py, &label)?.cast_into()?))
}

fn wrong(message: String) -> PyErr {
    PyValueError::new_err(message)
}
