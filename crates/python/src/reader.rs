//! Reading photos, and measuring labelled ones.

use crate::error;
use crate::table::{self, Order, Table, from_json};
use image::RgbImage;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::{prelude::*, pybacked::PyBackedBytes, types::PyDict};
use rayon::{ThreadPool, ThreadPoolBuilder};
use setsight_eval::{Evaluation, evaluate_photo};
use setsight_game::cards::Deck;
use setsight_labels::find_photos;
use setsight_nets::engine::{EngineChoice, Models, require};
use setsight_photo::source::{self, MemoryBudget, Photo, SourceError, check_size};
use setsight_vision::{
    PhotoReading, Pipeline, PipelineError, ReaderChoice, ReadingPlan, Trace, batch,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::{ffi::CString, num::NonZeroUsize, ops::ControlFlow, time::Duration};

/// How photos are read.
#[derive(Clone)]
struct Options {
    plan: ReadingPlan,
    /// Threads within one photo.
    threads: NonZeroUsize,
}

impl Options {
    /// From what Python gives: a folder of models, a deck's name or file, and threads.
    fn new(
        models: Option<PathBuf>,
        deck: Option<PathBuf>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        // What the user of the program `setsight` has chosen does not concern other programs.
        let models = models.map_or(Models::Shipped, Models::Folder);
        let mut plan = ReadingPlan::with_models(models);
        if let Some(deck) = deck {
            let opened = Deck::open(&deck.to_string_lossy());
            let opened = opened.map_err(|error| PyValueError::new_err(format!("deck {error}")))?;
            plan.deck = Some(opened);
        }
        let threads = threads.unwrap_or(1);
        let some = NonZeroUsize::new(threads).filter(|threads| threads.get() <= 1024);
        let threads = some.ok_or_else(|| {
            PyValueError::new_err(format!("threads={threads}: expected 1 to 1024"))
        })?;
        Ok(Self { plan, threads })
    }

    /// Loads the networks.
    fn pipeline(&self, py: Python<'_>) -> PyResult<Pipeline> {
        let built = py.detach(|| {
            require(EngineChoice::default()).map_err(setsight_vision::ReadError::from)?;
            self.plan.build().map_err(setsight_vision::ReadError::from)
        });
        built.map_err(|error| error::of_reading(py, error, None))
    }
}

/// What reads, in the process that loaded it.
struct Loaded {
    process: u32,
    pipeline: Pipeline,
    pool: ThreadPool,
}

/// Reads photos with networks that are loaded once. See the package's stubs.
#[pyclass(module = "setsight", frozen)]
pub struct Reader {
    options: Options,
    loaded: Mutex<Arc<Loaded>>,
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (*, models = None, deck = None, threads = None))]
    fn new(
        py: Python<'_>,
        models: Option<PathBuf>,
        deck: Option<PathBuf>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        Self::with(py, Options::new(models, deck, threads)?)
    }

    /// Reads a photo: a path, the bytes of a file, an open file, an array, or a picture of PIL.
    #[pyo3(signature = (source, *, order = "rgb"))]
    fn read(&self, py: Python<'_>, source: &Bound<'_, PyAny>, order: &str) -> PyResult<Table> {
        let order = Order::from_word(order)?;
        let source = Source::extract(source, order)?;
        let is_array = matches!(source, Source::Picture(_));
        let loaded = self.loaded(py)?;
        let path = source.path().map(Path::to_path_buf);
        let read = py.detach(|| loaded.pool.install(|| source.read(&loaded.pipeline)));
        let table = read.map_err(|error| match error {
            Failed::File(error) => error::of_file(py, error, path.as_deref()),
            Failed::Reading(error) => error::of_reading(py, error, path.as_deref()),
        })?;
        if is_array && table.has_swapped_inks() {
            let kind = py.get_type::<PyUserWarning>();
            let other = if order == Order::Rgb { "bgr" } else { "rgb" };
            let words = format!(
                "red and blue of this picture look swapped; if so, read it with order=\"{other}\" (cv2.imread \
                 gives B, G, R)"
            );
            PyErr::warn(py, &kind, &CString::new(words)?, 1)?;
        }
        Ok(table)
    }
}

impl Reader {
    fn with(py: Python<'_>, options: Options) -> PyResult<Self> {
        let loaded = Mutex::new(Arc::new(Loaded::new(py, &options)?));
        Ok(Self { options, loaded })
    }

    /// What reads; anew in a process that was forked off, where the threads of the old one are not.
    fn loaded(&self, py: Python<'_>) -> PyResult<Arc<Loaded>> {
        let loaded = Arc::clone(&self.loaded.lock().unwrap_or_else(PoisonError::into_inner));
        if loaded.process == std::process::id() {
            return Ok(loaded);
        }
        // The old one is left as it is: its threads cannot be ended here.
        std::mem::forget(loaded);
        let new = Arc::new(Loaded::new(py, &self.options)?);
        *self.loaded.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&new);
        Ok(new)
    }
}

impl Drop for Reader {
    /// In a process that was forked off, the threads that would be waited for are not there.
    fn drop(&mut self) {
        let loaded = self.loaded.get_mut().unwrap_or_else(PoisonError::into_inner);
        if loaded.process != std::process::id() {
            std::mem::forget(Arc::clone(loaded));
        }
    }
}

/// Whether networks were loaded in this process or in one that it was forked from.
static HAS_LOADED: AtomicBool = AtomicBool::new(false);

/// Whether the engine's threads may have been running when this process was forked off.
#[pyfunction(name = "_has_loaded")]
pub fn has_loaded() -> bool {
    HAS_LOADED.load(Ordering::Relaxed)
}

impl Loaded {
    fn new(py: Python<'_>, options: &Options) -> PyResult<Self> {
        HAS_LOADED.store(true, Ordering::Relaxed);
        let pipeline = options.pipeline(py)?;
        let threads = options.threads.get();
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool
            .map_err(|error| PyRuntimeError::new_err(format!("cannot start threads: {error}")))?;
        Ok(Self { process: std::process::id(), pipeline, pool })
    }
}

/// Reads a photo with the networks inside the package, which are loaded at the first call.
#[pyfunction]
#[pyo3(signature = (source, *, order = "rgb"))]
pub fn read(py: Python<'_>, source: &Bound<'_, PyAny>, order: &str) -> PyResult<Table> {
    static READER: LazyLock<Mutex<Option<Arc<Reader>>>> = LazyLock::new(Mutex::default);
    let cached = READER.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let reader = match cached {
        Some(reader) => reader,
        None => {
            let reader = Arc::new(Reader::with(py, Options::new(None, None, None)?)?);
            *READER.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&reader));
            reader
        }
    };
    reader.read(py, source, order)
}

/// What is to be read.
enum Source {
    Path(PathBuf),
    Bytes(PyBackedBytes),
    Picture(RgbImage),
}

enum Failed {
    File(SourceError),
    Reading(PipelineError),
}

impl Source {
    fn extract(source: &Bound<'_, PyAny>, order: Order) -> PyResult<Self> {
        if let Ok(bytes) = source.extract::<PyBackedBytes>() {
            return Ok(Self::Bytes(bytes));
        }
        if let Ok(path) = source.extract::<PathBuf>() {
            return Ok(Self::Path(path));
        }
        if table::is_array(source)? {
            return Ok(Self::Picture(table::from_array(source, order)?));
        }
        if let Some(array) = table::of_pil(source)? {
            return Ok(Self::Picture(table::from_array(&array, Order::Rgb)?));
        }
        if let Some(bytes) = table::bytes_of(source)? {
            return Ok(Self::Bytes(bytes.into()));
        }
        let kind = source.get_type().qualname()?;
        Err(PyTypeError::new_err(format!(
            "a {kind}: expected a path, the bytes of a picture's file, an open file, a picture of PIL, or a \
             numpy array of height x width x 3 (R, G, B), uint8"
        )))
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Bytes(_) | Self::Picture(_) => None,
        }
    }

    fn read(self, pipeline: &Pipeline) -> Result<Table, Failed> {
        let of_photo = |photo: Photo| {
            let read = pipeline.read_photo(photo, &mut Trace::default());
            read.map(Table::new).map_err(Failed::Reading)
        };
        match self {
            Self::Path(path) => {
                source::load_to_read(&path).map_err(Failed::File).and_then(of_photo)
            }
            Self::Bytes(bytes) => {
                let photo = source::decode_to_read(&bytes, &AtomicBool::new(false));
                photo.map_err(Failed::File).and_then(of_photo)
            }
            Self::Picture(picture) => {
                let (width, height) = picture.dimensions();
                check_size(width, height).map_err(Failed::File)?;
                let photo = Photo::of_picture(picture);
                let output = pipeline.read(&photo.frame, &mut Trace::default());
                let mut read = PhotoReading::new(photo, output.map_err(Failed::Reading)?);
                // They are of files.
                read.table.warnings.clear();
                Ok(Table::new(read))
            }
        }
    }
}

/// Time between two looks for Ctrl-C.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Measures how well the labelled photos of a folder are read.
#[pyfunction]
#[pyo3(signature = (folder, *, models = None, deck = None, jobs = 0))]
pub fn evaluate<'py>(
    py: Python<'py>,
    folder: PathBuf,
    models: Option<PathBuf>,
    deck: Option<PathBuf>,
    jobs: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let pipelines = [Options::new(models, deck, None)?.pipeline(py)?];
    let found = find_photos(&folder).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let photos = found.photos;
    let jobs = match jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs.min(1024),
    };
    let mut evaluation = Evaluation::of_reader(ReaderChoice::default().name());
    let (stop, budget) = (AtomicBool::new(false), MemoryBudget::default());
    let work = |_: usize, photo: &_| evaluate_photo(&pipelines, photo, &budget, false);
    let evaluation = std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            batch::in_order(&photos, jobs, &stop, work, |i, result| {
                let file = || photos[i].path.display().to_string();
                match result {
                    Ok(Ok(results)) => evaluation.add(&photos[i].label.tags, &results[0]),
                    Ok(Err(error)) => evaluation.failed.push((file(), format!("{error:#}"))),
                    Err(panic) => {
                        let reason =
                            format!("made the program fail ({panic}); please report this photo");
                        evaluation.failed.push((file(), reason));
                    }
                }
                ControlFlow::Continue(())
            });
            evaluation
        });
        let interrupted = loop {
            py.detach(|| std::thread::sleep(LOOK_EVERY));
            if reading.is_finished() {
                break None;
            }
            if let Err(interrupt) = py.check_signals() {
                stop.store(true, Ordering::Relaxed);
                break Some(interrupt);
            }
        };
        let joined = py.detach(|| reading.join());
        match (interrupted, joined) {
            (Some(interrupt), _) => Err(interrupt),
            (None, Ok(done)) => Ok(done),
            (None, Err(_)) => Err(PyRuntimeError::new_err("the reading stopped in the middle")),
        }
    })?;
    Ok(from_json(py, &evaluation.to_json())?.cast_into()?)
}
