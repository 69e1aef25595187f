//! What was read.

use crate::picture;
use image::RgbImage;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList};
use setsight_photo::encode;
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

    /// Whether the inks on its cards look as if red and blue were swapped: red then is blue, and
    /// purple is pink, which no edition has.
    pub fn has_swapped_inks(&self) -> bool {
        /// Smallest share of the ink that is blue or pink, and how much more there is of these than of
        /// red and purple.
        const SHARE: f64 = 0.1;
        const MORE: f64 = 2.0;
        let [mut swapped, mut usual, mut all] = [0.0, 0.0, 0.0];
        for card in &self.read.cards {
            let corners = card.corners_in_image.0;
            // A net of points within the card.
            for (i, j) in (1..40).flat_map(|i| (1..40).map(move |j| (i, j))) {
                let (u, v) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                let [top, bottom] = [(corners[0], corners[1]), (corners[3], corners[2])]
                    .map(|(a, b)| a * (1.0 - u) + b * u);
                let p = top * (1.0 - v) + bottom * v;
                let pixel = self.picture.get_pixel_checked(p.x as u32, p.y as u32);
                let Some(hue) = pixel.and_then(|pixel| hue_of_ink(pixel.0)) else { continue };
                all += 1.0;
                match hue {
                    215.0..250.0 | 305.0..335.0 => swapped += 1.0,
                    255.0..300.0 | 340.0.. | ..20.0 => usual += 1.0,
                    _ => {}
                }
            }
        }
        swapped > SHARE * all && swapped > MORE * usual
    }
}

/// The hue of a saturated pixel in degrees.
fn hue_of_ink(rgb: [u8; 3]) -> Option<f64> {
    /// Smallest share of the brightest channel by which the darkest is below it.
    const SATURATED: f64 = 0.4;
    let [r, g, b] = rgb.map(f64::from);
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let range = most - least;
    if most < 40.0 || range < SATURATED * most {
        return None;
    }
    let sixths = if most == r {
        (g - b) / range
    } else if most == g {
        2.0 + (b - r) / range
    } else {
        4.0 + (r - g) / range
    };
    Some((60.0 * sixths).rem_euclid(360.0))
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

    fn __len__(&self) -> usize {
        self.told.cards.len()
    }

    /// Over the cards.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(
            py,
            self.cards()
                .into_iter()
                .map(|card| Bound::new(py, card))
                .collect::<PyResult<Vec<_>>>()?,
        )?
        .try_iter()
    }

    /// A table without cards is one all the same.
    fn __bool__(&self) -> bool {
        true
    }

    /// What notebooks show.
    fn _repr_jpeg_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        const QUALITY: u8 = 85;
        let jpeg = py.detach(|| {
            let drawn = self.read.draw(&self.picture);
            encode::jpeg_of(drawn.as_raw(), drawn.dimensions(), QUALITY)
        });
        let jpeg = jpeg.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &jpeg))
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
