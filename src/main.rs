//! The `setsight` program: see `setsight --help`.

#![cfg_attr(not(feature = "program"), allow(dead_code, unused_imports))]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
