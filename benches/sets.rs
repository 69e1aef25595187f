//! All sets of a board, with their places.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use setsight::cards::Card;
use setsight::sets::{Set, find_all, for_each_set, three_more};
use std::hint::black_box;

/// Random boards: enough that no branch predictor learns them by heart.
const BOARDS: usize = 4096;

fn boards<const N: usize>() -> Vec<[Card; N]> {
    let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(12);
    let mut deck: Vec<Card> = Card::deck().collect();
    let mut board = || {
        deck.shuffle(&mut rng);
        std::array::from_fn(|i| deck[i])
    };
    (0..BOARDS).map(|_| board()).collect()
}

fn finder<const N: usize>(c: &mut Criterion) {
    let boards = boards::<N>();
    let mut found: Vec<Set> = Vec::with_capacity(64);
    let mut group = c.benchmark_group(format!("{N} cards"));
    group.bench_function("for_each_set", |b| {
        let mut next = boards.iter().cycle();
        b.iter(|| {
            found.clear();
            for_each_set(black_box(next.next().expect("a cycle")), |set| found.push(set));
            black_box(&found);
        });
    });
    group.bench_function("find_all", |b| {
        let mut next = boards.iter().cycle();
        b.iter(|| find_all(black_box(next.next().expect("a cycle"))));
    });
}

fn chance(c: &mut Criterion) {
    let boards = boards::<12>();
    c.bench_function("three_more", |b| {
        let mut next = boards.iter().cycle();
        b.iter_batched(|| next.next().expect("a cycle"), |b| three_more(b), BatchSize::SmallInput);
    });
}

criterion_group!(benches, finder::<12>, finder::<15>, finder::<18>, finder::<21>, chance);
criterion_main!(benches);
