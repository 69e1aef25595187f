//! Pictures as numpy arrays of height x width x (R, G, B), uint8, and what was read of them.

use image::{ImageBuffer, RgbImage};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyIterator, PyList, PyMemoryView, PyTuple};
use setsight_photo::encode;
use setsight_vision::PhotoReading;

/// What a picture must be.
const EXPECTED: &str = "expected height x width x 3 (R, G, B), uint8";

/// Whether it is an array of numpy.
pub fn is_array(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.is_instance(&value.py().import("numpy")?.getattr("ndarray")?)
}

/// The order of an array's channels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// R, G, B.
    Rgb,
    /// B, G, R, as OpenCV has it.
    Bgr,
}

impl Order {
    /// From what Python gives.
    ///
    /// # Errors
    /// `ValueError` for another word.
    pub fn from_word(word: &str) -> PyResult<Self> {
        match word {
            "rgb" => Ok(Self::Rgb),
            "bgr" => Ok(Self::Bgr),
            _ => Err(PyValueError::new_err(format!(
                "order={word:?}: expected \"rgb\", or \"bgr\" for what cv2.imread gives"
            ))),
        }
    }
}

/// The bytes of a memoryview, or of a file that is open, as `io.BytesIO`; `None` for other things.
///
/// # Errors
/// Those of the file; `TypeError` for a file that is open as text.
pub fn bytes_of<'py>(source: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let way = if source.is_instance_of::<PyMemoryView>() { "tobytes" } else { "read" };
    if !source.hasattr(way)? {
        return Ok(None);
    }
    let bytes = source.call_method0(way)?;
    bytes.cast_into::<PyBytes>().map(Some).map_err(|_| {
        PyTypeError::new_err("a file that is open as text: open it with open(path, \"rb\")")
    })
}

/// A picture of PIL as an array, turned as its EXIF data say; `None` for other things.
///
/// # Errors
/// Those of PIL.
pub fn of_pil<'py>(source: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = source.py();
    // Who has a picture of PIL has loaded it.
    let loaded = py.import("sys")?.getattr("modules")?;
    let Ok(pil) = loaded.get_item("PIL.Image") else { return Ok(None) };
    if !source.is_instance(&pil.getattr("Image")?)? {
        return Ok(None);
    }
    let upright = py.import("PIL.ImageOps")?.call_method1("exif_transpose", (source,))?;
    let rgb = upright.call_method1("convert", ("RGB",))?;
    Ok(Some(py.import("numpy")?.call_method1("asarray", (rgb,))?))
}

/// Takes over a picture, from any layout of its numbers. A grey one of height x width is read as grey.
///
/// # Errors
/// `TypeError` for another type of numbers, `ValueError` for another shape; both say what to do.
pub fn from_array(array: &Bound<'_, PyAny>, order: Order) -> PyResult<RgbImage> {
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    let bytes: usize = dtype.getattr("itemsize")?.extract()?;
    if (kind.as_str(), bytes) != ("u", 1) {
        let remedy = match (kind.as_str(), bytes) {
            ("f", _) => "; of values from 0 to 1 make (255 * array).round().astype(numpy.uint8)",
            ("u", 2) => "; of 16 bits make (array >> 8).astype(numpy.uint8)",
            ("b", _) => "; a mask is not a picture",
            _ => "; array.astype(numpy.uint8) if its values are 0 to 255",
        };
        return Err(PyTypeError::new_err(format!("an array of {dtype}: {EXPECTED}{remedy}")));
    }
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let dims = shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ");
    if shape.contains(&0) {
        return Err(PyValueError::new_err(format!("an empty array ({dims}): {EXPECTED}")));
    }
    let wrong = |remedy: &str| {
        Err(PyValueError::new_err(format!("an array of {dims}: {EXPECTED}{remedy}")))
    };
    // One copy, row by row, whatever the array's own layout is.
    let values = || -> PyResult<Bound<'_, PyBytes>> {
        Ok(array.call_method0("tobytes")?.cast_into::<PyBytes>()?)
    };
    let mut pixels: Vec<u8> = match shape[..] {
        [_, _] | [_, _, 1] => values()?.as_bytes().iter().flat_map(|&value| [value; 3]).collect(),
        [_, _, 3] => values()?.as_bytes().to_vec(),
        [_, _, 4] => return wrong("; of R, G, B, alpha take array[..., :3]"),
        [3, _, _] => return wrong("; this looks like channels first: array.transpose(1, 2, 0)"),
        [_, _, _, _] => return wrong("; read one picture after the other: array[0], array[1]"),
        _ => return wrong(""),
    };
    if order == Order::Bgr {
        pixels.as_chunks_mut::<3>().0.iter_mut().for_each(|pixel| pixel.swap(0, 2));
    }
    side(shape[1])
        .zip(side(shape[0]))
        .and_then(|(width, height)| ImageBuffer::from_raw(width, height, pixels))
        .map_or_else(|| wrong("; it is too large"), Ok)
}

fn side(pixels: usize) -> Option<u32> {
    u32::try_from(pixels).ok()
}

/// Hands over a picture, as an array that may be written to.
///
/// # Errors
/// Those of numpy, for lack of memory.
pub fn into_array<'py>(py: Python<'py>, picture: &RgbImage) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    let values = PyByteArray::new(py, picture.as_raw());
    let array = numpy.call_method1("frombuffer", (values, numpy.getattr("uint8")?))?;
    let shape = [picture.height() as usize, picture.width() as usize, 3];
    array.call_method1("reshape", (PyTuple::new(py, shape)?,))
}

/// The cards and sets on a table.
#[pyclass(module = "setsight", frozen)]
pub struct Table {
    read: PhotoReading,
}

impl Table {
    /// What was read, of which only the table and the picture are told.
    pub fn new(mut read: PhotoReading) -> Self {
        (read.readings, read.images) = (Vec::new(), Vec::new());
        Self { read }
    }

    /// Whether the inks on its cards look as if red and blue were swapped: red then is blue, and
    /// purple is pink, which no edition has.
    pub fn has_swapped_inks(&self) -> bool {
        /// Smallest share of the ink that is blue or pink, and how much more there is of these than of
        /// red and purple.
        const SHARE: f64 = 0.1;
        const MORE: f64 = 2.0;
        let [mut swapped, mut usual, mut all] = [0.0, 0.0, 0.0];
        for card in &self.read.table_in_image().cards {
            let corners = card.corners_in_image.0;
            // A net of points within the card.
            for (i, j) in (1..40).flat_map(|i| (1..40).map(move |j| (i, j))) {
                let (u, v) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                let [top, bottom] = [(corners[0], corners[1]), (corners[3], corners[2])]
                    .map(|(a, b)| a * (1.0 - u) + b * u);
                let p = top * (1.0 - v) + bottom * v;
                let pixel = self.read.image.get_pixel_checked(p.x as u32, p.y as u32);
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
        self.read.table.size_px.0
    }

    #[getter]
    fn height(&self) -> u32 {
        self.read.table.size_px.1
    }

    #[getter]
    fn deck(&self) -> String {
        self.read.table.facts.deck_name().to_owned()
    }

    #[getter]
    fn mirrored(&self) -> bool {
        self.read.table.is_mirrored()
    }

    #[getter]
    fn warning(&self) -> Option<String> {
        let words: Vec<String> = self.read.table.warnings.iter().map(ToString::to_string).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    #[getter]
    fn cards(&self) -> Vec<Card> {
        let deck = self.read.table.deck();
        let cards = self.read.table.cards.iter();
        let cards = cards.map(|card| Card {
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
        });
        cards.collect()
    }

    #[getter]
    fn sets(&self) -> Vec<(usize, usize, usize)> {
        self.read.table.sets.iter().map(|set| set.0.into()).collect()
    }

    #[getter]
    fn classes(&self) -> Vec<Option<(usize, usize, usize, usize)>> {
        self.read.table.classes.iter().map(|class| class.map(Into::into)).collect()
    }

    #[getter]
    fn probable_sets(&self) -> Vec<ProbableSet> {
        let sets = self.read.table.probable_sets.iter();
        let sets = sets.map(|set| ProbableSet {
            cards: set.cards.into(),
            confidence: set.confidence,
            decided_by: set.decided_by,
        });
        sets.collect()
    }

    /// What `setsight scan --format json` prints of a table.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        Ok(from_json(py, &serde_json::json!(self.read.table))?.cast_into()?)
    }

    fn __len__(&self) -> usize {
        self.read.table.cards.len()
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
            let drawn = self.read.draw();
            encode::jpeg_of(drawn.as_raw(), drawn.dimensions(), QUALITY)
        });
        let jpeg = jpeg.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &jpeg))
    }

    /// The picture with its cards and sets drawn in.
    fn draw<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let drawn = py.detach(|| self.read.draw());
        into_array(py, &drawn)
    }

    fn __repr__(&self) -> String {
        format!("<Table {}>", self.read.table.summary())
    }
}

/// JSON as Python's own values.
pub fn from_json<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}
