//! The Python package `setsight`: a thin layer over the crates that read, draw and play.
//!
//! Everything runs without the interpreter's lock once its arguments are taken over. What a user sees is
//! described in `python/setsight/_setsight.pyi`, and the tests are in Python beside it.

mod error;
mod games;
mod reader;
mod scenes;
mod table;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule]
fn _setsight(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ReadError", module.py().get_type::<error::ReadError>())?;
    module.add_class::<reader::Reader>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<table::Card>()?;
    module.add_class::<table::ProbableSet>()?;
    module.add_class::<games::Game>()?;
    module.add_function(wrap_pyfunction!(reader::read, module)?)?;
    module.add_function(wrap_pyfunction!(reader::has_loaded, module)?)?;
    module.add_function(wrap_pyfunction!(games::find_sets, module)?)?;
    module.add_function(wrap_pyfunction!(games::play, module)?)?;
    module.add_function(wrap_pyfunction!(scenes::render, module)?)?;
    module.add_function(wrap_pyfunction!(reader::evaluate, module)?)?;
    Ok(())
}
