//! The generalised game: whole games including dealing, and the time to the first set.
//!
//! `cargo bench --bench general`; a part by name, such as `cargo bench --bench general cover`. All
//! games differ, and the times are processor times. Nine values take too long for this bench; use
//! `setsight general --values 9 --properties 9 --games 4 --seed 1`.

mod common;

use common::CpuTime;
use criterion::{BatchSize, Criterion, SamplingMode, criterion_group, criterion_main};
use setsight::general::deal::{Dealer, FisherYates, Rejection};
use setsight::general::{Budget, Kind, Record, Rules, play};
use std::{hint::black_box, time::Duration};

/// Plays one game after another, each from the next seed: the mean over games, dealing included.
fn games(c: &mut Criterion<CpuTime>, name: &str, kind: Kind, (v, p, n): (u64, u64, u64)) {
    let rules = Rules::new(v, p, n).expect("rules that can be played");
    let Ok(mut solver) = kind.solver(&rules) else { return };
    let mut dealer = Rejection::new(&rules, 0);
    let mut record = Record::default();
    let budget = Budget::unlimited();
    let mut seed = 0;
    let mut group = c.benchmark_group(name);
    // With equally many games in each sample, the time is the plain mean over all games.
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function(format!("{kind}/v{v}p{p}n{n}"), |bencher| {
        bencher.iter(|| {
            seed += 1;
            dealer.shuffle(seed);
            play(&rules, &mut dealer, &mut *solver, &budget, &mut record).expect("no limit");
            black_box(record.found.len())
        });
    });
}

fn general(c: &mut Criterion<CpuTime>) {
    for n in 2..=6 {
        games(c, "game", Kind::Cover, (3, 4, n));
    }
    for n in 2..=6 {
        games(c, "game", Kind::Cover, (4, 5, n));
    }
    for kind in [Kind::Brute, Kind::Dynamic] {
        games(c, "game", kind, (3, 4, 6));
    }
    games(c, "game", Kind::Dynamic, (4, 5, 6));
    for (v, p) in [(5, 5), (5, 6), (6, 6), (7, 7), (8, 8)] {
        games(c, "first set", Kind::Cover, (v, p, 1));
    }
    dealing(c);
}

/// Deals 60 of 1,024 cards.
fn dealing(c: &mut Criterion<CpuTime>) {
    let rules = Rules::new(4, 5, 1).expect("rules that can be played");
    let dealers: [(&str, Box<dyn Dealer>); 2] = [
        ("rejection", Box::new(Rejection::new(&rules, 0))),
        ("fisher-yates", Box::new(FisherYates::new(&rules, 0))),
    ];
    for (name, mut dealer) in dealers {
        let mut seed = 0;
        c.bench_function(&format!("deal 60 of 1024/{name}"), |bencher| {
            bencher.iter_batched(
                || {
                    seed += 1;
                    seed
                },
                |seed| {
                    dealer.shuffle(seed);
                    (0..60).filter_map(|_| dealer.draw()).map(|card| card.0).sum::<u64>()
                },
                BatchSize::SmallInput,
            );
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .with_measurement(CpuTime)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
        .sample_size(20);
    targets = general
}
criterion_main!(benches);
