//! `setsight scan`: photos in, cards and sets out.

mod command;
pub mod folder;
mod printer;
mod resume;
mod scanning;
mod watch;

pub use command::run;
pub use scanning::Args;
