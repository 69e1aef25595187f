//! Start-up time of the program: `cargo bench --bench start`. It is wall time of whole processes,
//! because the system's loader is part of it.

use criterion::{Criterion, criterion_group, criterion_main};
use std::process::{Command, Stdio};

fn start(c: &mut Criterion) {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_setsight"));
        let status = command.args(arguments).stdout(Stdio::null()).status();
        assert!(status.is_ok_and(|status| status.success()));
    };
    c.bench_function("setsight --version", |b| b.iter(|| run(&["--version"])));
    c.bench_function("setsight sets 2spd 3frs", |b| b.iter(|| run(&["sets", "2spd", "3frs"])));
}

criterion_group!(benches, start);
criterion_main!(benches);
