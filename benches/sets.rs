//! Finding all sets of a board, with their indices.

mod common;

use common::CpuTime;
use criterion::{Criterion, criterion_group, criterion_main};
use rand::{SeedableRng, seq::SliceRandom};
use setsight::cards::Card;
use setsight::sets::{Finder, find_all, three_more};
use std::hint::black_box;

/// Number of random boards: too many for a branch predictor to memorise.
const BOARDS: usize = 4096;

fn boards<const N: usize>() -> Vec<[Card; N]> {
    let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(12);
    let mut deck: Vec<Card> = Card::deck().collect();
    let boards = (0..BOARDS).map(|_| {
        deck.shuffle(&mut rng);
        std::array::from_fn(|i| deck[i])
    });
    boards.collect()
}

fn finder<const N: usize>(c: &mut Criterion<CpuTime>) {
    let boards = boards::<N>();
    let mut finder = Finder::new();
    let mut group = c.benchmark_group(format!("{N} cards"));
    group.bench_function("Finder::find", |b| {
        let mut next = 0;
        b.iter(|| {
            next = (next + 1) % BOARDS;
            finder.find(black_box(&boards[next])).len()
        });
    });
    group.bench_function("find_all", |b| {
        let mut next = 0;
        b.iter(|| {
            next = (next + 1) % BOARDS;
            find_all(black_box(&boards[next]))
        });
    });
}

fn chance(c: &mut Criterion<CpuTime>) {
    let boards = boards::<12>();
    c.bench_function("three_more", |b| {
        let mut next = 0;
        b.iter(|| {
            next = (next + 1) % BOARDS;
            three_more(black_box(&boards[next]))
        });
    });
}

criterion_group!(
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = finder::<12>, finder::<15>, finder::<18>, finder::<21>, chance
);
criterion_main!(benches);
