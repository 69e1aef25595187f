//! Small files read within limits and written whole, foreign text made harmless, and other programs run in the
//! background.

pub mod devices;
mod json_fault;
pub mod printable;
pub mod programs;
pub mod small_file;
pub mod whole_file;

pub use json_fault::json_fault;
