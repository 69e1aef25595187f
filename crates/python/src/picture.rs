//! Pictures as numpy arrays of height x width x (R, G, B), uint8.

use image::{ImageBuffer, RgbImage};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyTuple};

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
    pub fn of(word: &str) -> PyResult<Self> {
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
            ("b", _) => "; a mask is no picture",
            _ => "; array.astype(numpy.uint8) if its values are 0 to 255",
        };
        return Err(PyTypeError::new_err(format!("an array of {dtype}: {EXPECTED}{remedy}")));
    }
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let told = shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ");
    if shape.contains(&0) {
        return Err(PyValueError::new_err(format!("an empty array ({told}): {EXPECTED}")));
    }
    let wrong = |remedy: &str| {
        Err(PyValueError::new_err(format!("an array of {told}: {EXPECTED}{remedy}")))
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
    let side = |pixels: usize| u32::try_from(pixels).ok();
    side(shape[1])
        .zip(side(shape[0]))
        .and_then(|(width, height)| ImageBuffer::from_raw(width, height, pixels))
        .map_or_else(|| wrong("; it is too large"), Ok)
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
