//! Small files read within limits and written whole, foreign text made harmless, and other programs run in the
//! background.

pub mod printable;
pub mod programs;
pub mod small_file;
pub mod whole_file;

pub use printable::json_fault;
