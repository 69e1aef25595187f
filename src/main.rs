//! The `setsight` program: see `setsight --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    setsight::internals::main()
}
