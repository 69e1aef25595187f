//! Bounded reads of small files, atomic writes, escaping of untrusted text, and other programs run in the
//! background.

pub mod printable;
pub mod programs;
pub mod small_file;
pub mod whole_file;

pub use printable::json_fault;
