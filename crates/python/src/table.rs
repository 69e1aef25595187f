//! What was read.

use crate::picture;
use image::RgbImage;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use setsight_vision::TableReading;
use std::sync::Arc;

/// The cards and sets on a table.
#[pyclass(module = "setsight", frozen)]
pub struct Table {
    /// In pixels of the file.
    told: TableReading,
    /// In pixels of `picture`.
    read: TableReading,
    picture: Arc<RgbImage>,
}

impl Table {
    /// What is told, in pixels of the file, and what was read in the picture.
    pub fn new(told: TableReading, read: TableReading, picture: RgbImage) -> Self {
        Self { told, read, picture: Arc::new(picture) }
    }
}

/// A card of a table.
#[pyclass(module = "setsight", frozen, get_all)]
#[derive(Clone)]
pub struct Card {
    code: String,
    name: String,
    confidence: f32,
    unsure: bool,
    corners: [(f64, f64); 4],
    alternatives: Vec<(String, f32)>,
}

#[pymethods]
impl Card {
    fn __repr__(&self) -> String {
        let unsure = if self.unsure { ", unsure" } else { "" };
        format!("<Card {} ({}), {:.4}{unsure}>", self.code, self.name, self.confidence)
    }
}

/// Three cards that are probably a set.
#[pyclass(module = "setsight", frozen, get_all)]
#[derive(Clone)]
pub struct ProbableSet {
    cards: (usize, usize, usize),
    confidence: f32,
    decided_by: usize,
}

#[pymethods]
impl ProbableSet {
    fn __repr__(&self) -> String {
        format!("<ProbableSet {:?}, {:.4}>", self.cards, self.confidence)
    }
}

#[pymethods]
impl Table {
    #[getter]
    fn width(&self) -> u32 {
        self.told.size_px.0
    }

    #[getter]
    fn height(&self) -> u32 {
        self.told.size_px.1
    }

    #[getter]
    fn deck(&self) -> String {
        self.told.facts.deck_name().to_owned()
    }

    #[getter]
    fn mirrored(&self) -> bool {
        self.told.is_mirrored()
    }

    #[getter]
    fn warning(&self) -> Option<String> {
        let words: Vec<String> = self.told.warnings.iter().map(ToString::to_string).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    #[getter]
    fn cards(&self) -> Vec<Card> {
        let deck = self.told.deck();
        let card = |card: &setsight_vision::ReadCard| Card {
            code: card.card.to_string(),
            name: deck.card_name(card.card),
            confidence: card.confidence,
            unsure: card.unsure,
            corners: card.corners_in_image.0.map(|corner| (corner.x, corner.y)),
            alternatives: card
                .alternatives
                .iter()
                .map(|guess| (guess.card.to_string(), guess.confidence))
                .collect(),
        };
        self.told.cards.iter().map(card).collect()
    }

    #[getter]
    fn sets(&self) -> Vec<(usize, usize, usize)> {
        self.told.sets.iter().map(|set| set.0.into()).collect()
    }

    #[getter]
    fn probable_sets(&self) -> Vec<ProbableSet> {
        let set = |set: &setsight_vision::ProbableSet| ProbableSet {
            cards: set.cards.into(),
            confidence: set.confidence,
            decided_by: set.decided_by,
        };
        self.told.probable_sets.iter().map(set).collect()
    }

    /// What `setsight scan --format json` prints of a table.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        Ok(from_json(py, &serde_json::json!(self.told))?.cast_into()?)
    }

    /// The picture with its cards and sets drawn in.
    fn draw<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let drawn = py.detach(|| self.read.draw(&self.picture));
        picture::into_array(py, &drawn)
    }

    fn __repr__(&self) -> String {
        format!("<Table {}>", self.told.summary())
    }
}

/// JSON as Python's own values.
pub fn from_json<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}
