//! Measuring labelled photos.

use crate::{reader::Options, table::from_json};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use setsight_eval::{Evaluation, evaluate_photo};
use setsight_labels::find_photos;
use setsight_photo::source::MemoryBudget;
use setsight_vision::{ReaderChoice, batch};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{ops::ControlFlow, path::PathBuf, time::Duration};

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
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = if jobs == 0 { cores() } else { jobs.min(1024) };
    let mut evaluation = Evaluation::of_reader(ReaderChoice::default().name());
    let (stop, budget) = (AtomicBool::new(false), MemoryBudget::default());
    let work = |_: usize, photo: &_| evaluate_photo(&pipelines, photo, &budget, false);
    let (evaluation, read) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let read = batch::in_order(&photos, jobs, &stop, work, |i, result| {
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
            (evaluation, read)
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
    read.map_err(|error| PyRuntimeError::new_err(format!("cannot start threads: {error}")))?;
    Ok(from_json(py, &evaluation.to_json())?.cast_into()?)
}
