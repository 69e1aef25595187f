//! Simulates whole games with their statistics, on one thread.

mod common;

use common::CpuTime;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use setsight::game::{Policy, simulate};

const GAMES: u64 = 2048;

fn games(c: &mut Criterion<CpuTime>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    let mut group = c.benchmark_group("simulate");
    group.throughput(Throughput::Elements(GAMES));
    for (name, policy) in [("first", Policy::First), ("random", Policy::Random)] {
        group.bench_function(name, |b| {
            let mut seed = 0;
            b.iter(|| {
                seed += 1;
                pool.install(|| simulate(GAMES, seed, policy, |_| ()))
            });
        });
    }
}

criterion_group!(
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = games
);
criterion_main!(benches);
