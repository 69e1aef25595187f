//! Tests that all solvers give the same answer to "is there a set?" on every board.

use super::cover::Exact;
use super::deal::{Dealer, FisherYates};
use super::{Budget, Card, Kind, Record, Rules, Solver, check, play};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Every solver that overlooks no set and can handle these rules in reasonable time, with its name.
fn solvers(rules: &Rules, brute: bool, smt: bool) -> Vec<(&'static str, Box<dyn Solver>)> {
    let mut all: Vec<(&'static str, Box<dyn Solver>)> = Kind::COMPLETE
        .iter()
        .copied()
        .filter(|kind| brute || *kind != Kind::Brute)
        .filter(|kind| smt || !matches!(kind, Kind::Smt(_) | Kind::SmtBoolean))
        .filter_map(|kind| kind.solver(rules).ok().map(|solver| (kind.name(), solver)))
        .collect();
    // Three and four values have special forms; the general form must agree with them.
    all.push(("exact", Box::new(Exact::new(rules))));
    all
}

/// Compares the answers of all solvers on random boards of many sizes, and checks each set. Returns
/// the number of boards with a set.
fn compare(v: u64, p: u64, boards: usize, brute: bool, smt: bool) -> usize {
    let rules = Rules::new(v, p, 1).unwrap();
    let mut random = Pcg64Mcg::seed_from_u64(v * 100 + p);
    let mut solvers = solvers(&rules, brute, smt);
    // Sizes around the one at which every second board holds a set, by expected number of sets.
    let size = likely_size(&rules);
    let mut with_set = 0;
    for seed in 0..boards as u64 {
        let mut dealer = FisherYates::new(&rules, seed);
        let size = random.random_range(size / 2..=size * 3 / 2);
        let board: Vec<Card> = (0..size).filter_map(|_| dealer.draw()).collect();
        let mut answers = Vec::new();
        for (name, solver) in &mut solvers {
            let mut set = Vec::new();
            solver.clear();
            solver.drawn(&board);
            let found = solver.find(&Budget::unlimited(), &mut set).unwrap();
            if found {
                assert!(rules.is_set(&set), "{name} ({v}, {p}) board {seed}: {set:?}");
                assert!(set.iter().all(|card| board.contains(card)), "{name} {seed}: {set:?}");
            }
            answers.push((*name, found));
        }
        assert!(answers.iter().all(|a| a.1 == answers[0].1), "({v}, {p}) {seed}: {answers:?}");
        with_set += usize::from(answers[0].1);
    }
    with_set
}

/// Number of cards at which about one set is expected.
fn likely_size(rules: &Rules) -> usize {
    let v = rules.values() as f64;
    let all_different: f64 = (1..=rules.values()).map(|i| i as f64 / v).product();
    let share = (all_different + v.powf(1.0 - v)).powi(rules.properties() as i32);
    let mut sets = share;
    let mut size = rules.values();
    while sets < 0.7 && (size as u64) < rules.deck() {
        size += 1;
        sets *= size as f64 / (size - rules.values()) as f64;
    }
    size
}

#[test]
fn all_solvers_agree_whether_a_board_has_a_set() {
    let mut boards = 0;
    let mut with_set = 0;
    for (v, p, count, brute, smt) in [
        (3, 1, 50, true, true),
        (3, 2, 300, true, true),
        (3, 3, 150, true, true),
        (3, 3, 300, true, false),
        (3, 4, 50, true, true),
        (3, 4, 500, true, false),
        (3, 5, 500, true, false),
        (3, 7, 300, true, false),
        (4, 1, 50, true, true),
        (4, 2, 100, true, true),
        (4, 2, 300, true, false),
        (4, 3, 300, true, false),
        (4, 4, 300, true, false),
        (4, 5, 300, true, false),
        (4, 6, 200, false, false),
        (5, 2, 300, true, false),
        (5, 3, 100, true, false),
        (5, 4, 200, false, false),
        (5, 5, 200, false, false),
        (5, 6, 100, false, false),
        (6, 3, 100, false, false),
        (6, 5, 30, false, false),
        (7, 3, 50, false, false),
        (7, 4, 20, false, false),
        (13, 1, 20, false, false),
    ] {
        let found = compare(v, p, count, brute, smt);
        // Both outcomes must occur, or the agreement would mean little.
        assert!(found > 0 && (found < count || p == 1), "({v}, {p}): {found} of {count}");
        boards += count;
        with_set += found;
    }
    assert!(boards > 4000 && (boards / 4..boards * 3 / 4).contains(&with_set), "{with_set}");
}

/// Cards that agree in the first property and those that agree in the thirty-third are two groups.
#[test]
fn three_cards_that_miss_a_set_in_one_of_forty_properties_are_none() {
    let rules = Rules::new(3, 40, 1).unwrap();
    for (third, is_set) in [(0, true), (1, false)] {
        let board = [(0, 0), (0, 1), (third, 2)].map(|(first, rest)| {
            let values = (0..40).map(|property| match property {
                0 => first,
                32 => 0,
                _ => rest,
            });
            rules.card(values.collect::<Vec<u8>>())
        });
        for (name, mut solver) in solvers(&rules, false, false) {
            solver.drawn(&board);
            let found = solver.find(&Budget::unlimited(), &mut Vec::new());
            assert_eq!(found, Ok(is_set), "{name}");
        }
    }
}

/// Decks of astronomical size: boards with one planted set, and without it after its removal (a
/// random set has a probability below 10^-6).
#[test]
fn a_planted_set_is_found_among_many_properties() {
    let mut random = Pcg64Mcg::seed_from_u64(9);
    for (v, p) in [(3, 14), (3, 31), (3, 40), (4, 13), (4, 31), (5, 14), (5, 27), (9, 20)] {
        let rules = Rules::new(v, p, 1).unwrap();
        for _ in 0..10 {
            let mut set = vec![Vec::new(); v as usize];
            for _ in 0..p {
                let (start, step) = (random.random_range(0..v), random.random_range(0..2));
                for (i, card) in set.iter_mut().enumerate() {
                    card.push(((start + step * i as u64) % v) as u8);
                }
            }
            // One property must differ, or all would be the same card.
            set.iter_mut().enumerate().for_each(|(i, card)| card[0] = i as u8);
            let mut board: Vec<Card> = set.into_iter().map(|card| rules.card(card)).collect();
            board.extend((0..20).map(|_| Card(random.random_range(0..rules.deck()))));
            let missing = board[0];
            for _ in 0..board.len() {
                let (a, b) =
                    (random.random_range(0..board.len()), random.random_range(0..board.len()));
                board.swap(a, b);
            }
            for (name, mut solver) in solvers(&rules, false, false) {
                let mut found = Vec::new();
                solver.drawn(&board);
                assert!(solver.find(&Budget::unlimited(), &mut found).unwrap(), "{name} {v} {p}");
                assert!(rules.is_set(&found) && found.contains(&missing), "{name} {v} {p}");
                solver.removed(&found);
                assert!(!solver.find(&Budget::unlimited(), &mut found).unwrap(), "{name} {v} {p}");
            }
        }
    }
}

/// Z3's integer encoding is slow, so it gets fewer and smaller boards.
#[test]
fn z3_agrees_on_larger_boards() {
    for (v, p, count) in [(4, 3, 12), (5, 2, 8)] {
        let found = compare(v, p, count, false, true);
        assert!(found > 0 && found < count, "({v}, {p}): {found} of {count}");
    }
}

/// Whole games test removal and later draws. The board sizes at the first set are the same for all
/// solvers, because none overlooks a set.
#[test]
fn full_games_of_all_solvers_are_valid_and_start_alike() {
    for (v, p, n, brute, smt) in [
        (3, 3, 9, true, true),
        (3, 4, 27, true, false),
        (3, 6, 20, true, false),
        (4, 3, 12, true, false),
        (4, 4, 12, true, false),
        (4, 5, 12, false, false),
        (5, 3, 8, false, false),
        (5, 4, 9, false, false),
        (6, 4, 3, false, false),
        (7, 2, 7, false, false),
    ] {
        let rules = Rules::new(v, p, n).unwrap();
        for (seed, mut dealer) in (0..8).map(|seed| (seed, FisherYates::new(&rules, seed))) {
            let mut first = None;
            for (name, mut solver) in solvers(&rules, brute, smt) {
                let mut record = Record::default();
                dealer.shuffle(seed);
                play(&rules, &mut dealer, &mut *solver, &Budget::unlimited(), &mut record).unwrap();
                check(&rules, &record).unwrap_or_else(|fault| panic!("{name} {seed}: {fault}"));
                let start = record.found.first().copied();
                assert_eq!(*first.get_or_insert(start), start, "{name} ({v}, {p}) {seed}");
            }
        }
    }
}

/// After removals, an incremental solver must give the same answers as one that starts afresh.
#[test]
fn what_is_kept_never_differs_from_a_fresh_look() {
    let mut random = Pcg64Mcg::seed_from_u64(5);
    for (v, p) in [(3, 4), (3, 5), (4, 4), (5, 3), (6, 3)] {
        let rules = Rules::new(v, p, 1).unwrap();
        for (name, mut kept) in solvers(&rules, v < 5, false) {
            let mut dealer = FisherYates::new(&rules, random.random());
            let mut board = Vec::new();
            let mut set = Vec::new();
            let (mut found, mut not) = (0, 0);
            for _ in 0..60 {
                let more: Vec<Card> =
                    (0..random.random_range(1..=v)).filter_map(|_| dealer.draw()).collect();
                kept.drawn(&more);
                board.extend(more);
                while kept.find(&Budget::unlimited(), &mut set).unwrap() {
                    assert!(rules.is_set(&set) && set.iter().all(|c| board.contains(c)), "{name}");
                    found += 1;
                    board.retain(|card| !set.contains(card));
                    kept.removed(&set);
                    // Sometimes new cards arrive while others are still unprocessed.
                    if random.random_bool(0.5) {
                        let more: Vec<Card> = dealer.draw().into_iter().collect();
                        kept.drawn(&more);
                        board.extend(more);
                    }
                }
                let mut fresh = Exact::new(&rules);
                fresh.drawn(&board);
                assert!(!fresh.find(&Budget::unlimited(), &mut set).unwrap(), "{name} ({v}, {p})");
                not += 1;
            }
            assert!(found > 3 && not > 3, "{name} ({v}, {p}): {found} and {not}");
        }
    }
}

#[test]
fn threads_change_nothing_but_the_time() {
    // Boards above 512 cards, where several threads search; removals among them.
    let rules = Rules::new(7, 7, 3).unwrap();
    let mut records = Vec::new();
    for threads in [1, 2, 5] {
        let mut solver = super::cover::solver_on(&rules, threads);
        let games = (1..5).map(|seed| {
            let mut record = Record::default();
            let mut dealer = FisherYates::new(&rules, seed);
            play(&rules, &mut dealer, &mut *solver, &Budget::unlimited(), &mut record).unwrap();
            check(&rules, &record).unwrap();
            (record.drawn, record.found, record.cards)
        });
        records.push(games.collect::<Vec<_>>());
    }
    assert!(records[0].iter().any(|game| game.1[0].board > 560));
    assert!(records.iter().all(|games| *games == records[0]));
}

#[test]
fn threads_keep_to_the_budget() {
    let rules = Rules::new(9, 9, 1).unwrap();
    let mut solver = super::cover::solver_on(&rules, 2);
    let budget = Budget::by_clock(std::time::Duration::from_millis(300), usize::MAX);
    let mut record = Record::default();
    let mut dealer = FisherYates::new(&rules, 1);
    let stopped = play(&rules, &mut dealer, &mut *solver, &budget, &mut record);
    assert_eq!(stopped, Err(super::Stop::Time));
    assert!(record.drawn.len() > 600);
}
