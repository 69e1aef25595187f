//! Small files read within limits and written whole, and foreign text made harmless.

pub mod printable;
pub mod small_file;
pub mod whole_file;
