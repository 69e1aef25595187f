//! Small files read within limits and written whole, and foreign text made harmless.

mod json_fault;
pub mod printable;
pub mod small_file;
pub mod whole_file;

pub use json_fault::json_fault;
