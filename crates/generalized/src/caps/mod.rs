//! Boards without a set: the largest ones, how many there are of each size, and how often they are
//! dealt. Those of three values are known as caps.
//!
//! * [`count`] looks at all of a small deck, by one of two searches.
//! * [`sample()`] deals, for any deck.

mod layers;
mod symmetry;

use crate::deal::{Dealer, FisherYates};
use crate::rules::{Card, Rules};
use crate::solver::{Budget, Solver, Stop};

/// Cards of a deck that is counted: a bit for each.
const MOST_CARDS: u64 = 128;

/// Sets of a deck that is counted, which are all kept.
const MOST_SETS: u128 = 100_000;

/// How many boards without a set there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// For each number of cards from 0 on, up to the largest board that was found.
    pub boards: Vec<u128>,
    /// The same of boards that no symmetry of the deck takes to each other; empty where they were
    /// not distinguished.
    pub classes: Vec<u64>,
    /// One of the largest.
    pub largest: Vec<Card>,
}

impl Counts {
    /// Adds `boards` of a class, `cards` is one of them.
    fn add_class(&mut self, boards: u128, cards: impl ExactSizeIterator<Item = Card>) {
        let size = cards.len();
        if self.boards.len() <= size {
            self.boards.resize(size + 1, 0);
            self.classes.resize(size + 1, 0);
            self.largest = cards.collect();
        }
        self.boards[size] += boards;
        self.classes[size] += 1;
    }
}

/// Whether a deck is small enough for [`count`] to begin.
pub fn is_countable(rules: &Rules) -> bool {
    rules.deck() <= MOST_CARDS
        && (rules.properties() == 1 || rules.sets_of_deck().is_some_and(|n| n <= MOST_SETS))
}

/// Counts the boards without a set of each size. `counts` is replaced; `see` is told how it stands, now
/// and then, and can end it.
///
/// # Errors
/// The budget is spent, or `see` ends it; `counts` then holds what was counted by then, so that its largest board is a
/// lower bound.
///
/// # Panics
/// If the deck is not [countable](is_countable).
pub fn count(
    rules: &Rules,
    budget: &Budget,
    counts: &mut Counts,
    see: &mut dyn FnMut(&Counts) -> Result<(), Stop>,
) -> Result<(), Stop> {
    assert!(is_countable(rules), "a deck of {} cards is too large to count", rules.deck());
    *counts = Counts::default();
    if rules.properties() == 1 {
        count_of_one_property(rules, counts);
        return Ok(());
    }
    if layers::fits(rules) {
        layers::count(rules, budget, counts, see)
    } else {
        symmetry::count(rules, budget, counts, see)
    }
}

/// The only set is the whole deck.
fn count_of_one_property(rules: &Rules, counts: &mut Counts) {
    for size in 0..rules.deck() {
        let boards = choose(rules.deck(), size).expect("128 cards can be chosen in 2^128 ways");
        counts.add_class(boards, (0..size as u32).map(|card| Card(u64::from(card))));
    }
}

/// The published size of the largest board without a set, and who proved it.
pub fn published_maximum(rules: &Rules) -> Option<(u64, &'static str)> {
    let less = rules.values() as u64 - 1;
    match (rules.values(), rules.properties()) {
        (_, 1) => Some((less, "all cards but one")),
        // One card is a set, and any two of two values are.
        (1 | 2, _) => Some((less, "any so many cards are a set")),
        // No set lies in different rows and columns, so by König's theorem v - 1 lines cover the
        // board, each of which lacks a card.
        (_, 2) => Some((less * less, "König 1931")),
        (3, 3) => Some((9, "Bose 1947")),
        (3, 4) => Some((20, "Pellegrino 1971")),
        (3, 5) => Some((45, "Edel, Ferret, Landjev and Storme 2002")),
        (3, 6) => Some((112, "Potechin 2008")),
        _ => None,
    }
}

/// How many choices of k of n cards there are; `None` from 2^128 on.
pub fn choose(n: u64, k: u64) -> Option<u128> {
    (0..k).try_fold(1u128, |chosen, i| {
        // What is chosen so far times n - i is divisible by i + 1.
        let (n, k) = (u128::from(n - i), u128::from(i + 1));
        (chosen % k * n / k).checked_add((chosen / k).checked_mul(n)?)
    })
}

/// All sets of a deck as masks, by their cards.
fn sets_by_card(rules: &Rules) -> Vec<Vec<u128>> {
    let deck: Vec<Card> = (0..rules.deck()).map(Card).collect();
    let mut by_card = vec![Vec::new(); deck.len()];
    crate::all::sets_of_board(rules, &deck, &Budget::unlimited(), &mut |set: &[Card]| {
        let mask = set.iter().fold(0, |mask, card| mask | 1 << card.0);
        set.iter().for_each(|card| by_card[card.0 as usize].push(mask));
        true
    })
    .expect("nothing ends an unlimited search");
    by_card
}

/// How many of the deals are dealt to the end of the deck.
pub const FILLED: u64 = 100;

/// Cards of a deck that is dealt to its end.
const MOST_DEALT_CARDS: u64 = 1 << 16;

/// What was dealt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sampled {
    /// How many deals there were.
    pub deals: u64,
    /// For each number of cards from 0 on, in how many deals the first so many held no set.
    pub without: Vec<u64>,
    /// How many of the first [`FILLED`] deals went on to the end of a deck, passing over each card that
    /// would have completed a set: such a board takes no further card.
    pub filled: u64,
    /// Cards of the largest of those boards.
    pub largest_filled: usize,
    /// The largest board without a set that was met in any deal, also in one that was cut short.
    pub largest: Vec<Card>,
}

/// Deals so many boards, each from the next seed, card by card. `sampled` is replaced; `see` is told
/// after each deal how many there were, and can end it.
///
/// # Errors
/// The budget is spent, or `see` ends it; `sampled` then holds the deals that came to their end.
pub fn sample(
    rules: &Rules,
    (deals, seed): (u64, u64),
    budget: &Budget,
    sampled: &mut Sampled,
    see: &mut dyn FnMut(u64) -> Result<(), Stop>,
) -> Result<(), Stop> {
    *sampled = Sampled::default();
    let mut solver = crate::Kind::Cover.solver(rules).expect("every program has this solver");
    let mut dealer = FisherYates::new(rules, 0);
    let mut board = Vec::new();
    for deal in 0..deals {
        dealer.shuffle(seed.wrapping_add(deal));
        solver.clear();
        board.clear();
        let fills = deal < FILLED && rules.deck() <= MOST_DEALT_CARDS;
        let first = dealt(&mut dealer, &mut *solver, fills, budget, &mut board);
        if board.len() > sampled.largest.len() {
            sampled.largest.clone_from(&board);
        }
        let most = first?;
        if sampled.without.len() <= most {
            sampled.without.resize(most + 1, 0);
        }
        sampled.without[..=most].iter_mut().for_each(|count| *count += 1);
        sampled.deals += 1;
        if fills {
            sampled.filled += 1;
            sampled.largest_filled = sampled.largest_filled.max(board.len());
        }
        see(sampled.deals)?;
    }
    Ok(())
}

/// Deals up to the first set, or passes over what would complete one: how many cards came before it.
fn dealt(
    dealer: &mut impl Dealer,
    solver: &mut dyn Solver,
    fills: bool,
    budget: &Budget,
    board: &mut Vec<Card>,
) -> Result<usize, Stop> {
    let (mut set, mut first) = (Vec::new(), None);
    while let Some(card) = dealer.draw() {
        if board.len().is_multiple_of(64) {
            budget.time()?;
        }
        solver.drawn(&[card]);
        if solver.find(budget, &mut set)? {
            first = first.or(Some(board.len()));
            if !fills {
                break;
            }
            solver.removed(&[card]);
        } else {
            board.push(card);
        }
    }
    Ok(first.unwrap_or(board.len()))
}

#[cfg(test)]
mod tests {
    use super::symmetry::{Affine, Exchanges, Symmetry};
    use super::*;
    use proptest::prelude::*;

    fn counted(rules: &Rules) -> Counts {
        let mut counts = Counts::default();
        count(rules, &Budget::unlimited(), &mut counts, &mut |_| Ok(())).unwrap();
        assert_eq!(counts.largest.len() + 1, counts.boards.len());
        assert!(is_free(rules, &counts.largest));
        counts
    }

    fn is_free(rules: &Rules, board: &[Card]) -> bool {
        let all = crate::sets_of_board(rules, board, &Budget::unlimited(), &mut |_| true);
        board.iter().all(|card| card.0 < rules.deck()) && all == Ok(0)
    }

    /// All boards looked at, one by one.
    fn by_brute_force(rules: &Rules) -> Vec<u128> {
        let sets = sets_by_card(rules).concat();
        let mut boards = vec![0; rules.deck() as usize + 1];
        for board in 0..1u128 << rules.deck() {
            if sets.iter().all(|set| set & !board != 0) {
                boards[board.count_ones() as usize] += 1;
            }
        }
        boards.truncate(boards.iter().rposition(|&n| n > 0).unwrap() + 1);
        boards
    }

    #[test]
    fn every_board_of_small_decks_is_counted() {
        for (v, p) in [(1, 1), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2), (4, 1), (4, 2), (7, 1)] {
            let rules = Rules::new(v, p, 1).unwrap();
            assert_eq!(counted(&rules).boards, by_brute_force(&rules), "({v}, {p})");
        }
    }

    #[test]
    fn both_searches_count_the_same() {
        for (v, p) in [(4, 2), (5, 2)] {
            let rules = Rules::new(v, p, 1).unwrap();
            let mut counts = Counts::default();
            layers::count(&rules, &Budget::unlimited(), &mut counts, &mut |_| Ok(())).unwrap();
            assert_eq!(counts.boards, counted(&rules).boards, "({v}, {p})");
            assert!(is_free(&rules, &counts.largest));
            assert_eq!(counts.largest.len() + 1, counts.boards.len());
        }
    }

    #[test]
    fn the_largest_boards_match_the_literature() {
        for (v, p) in [(2, 5), (3, 1), (3, 2), (3, 3), (4, 2), (5, 2), (11, 1), (128, 1)] {
            let rules = Rules::new(v, p, 1).unwrap();
            let largest = counted(&rules).largest.len() as u64;
            assert_eq!(
                Some(largest),
                published_maximum(&rules).map(|published| published.0),
                "({v}, {p})"
            );
        }
        let three: Vec<u64> = (1..=6)
            .filter_map(|p| published_maximum(&Rules::new(3, p, 1).unwrap()))
            .map(|k| k.0)
            .collect();
        assert_eq!(three, [2, 4, 9, 20, 45, 112]);
    }

    #[test]
    fn the_caps_of_the_ordinary_deck_are_counted() {
        let counts = counted(&Rules::new(3, 4, 1).unwrap());
        // Knuth's figures, as in the odds of the ordinary game.
        assert_eq!(counts.boards[3], 84_240);
        assert_eq!(counts.boards[12], 2_284_535_476_080);
        assert_eq!(counts.boards[18..], [6_482_268_000, 13_646_880, 682_344]);
        assert_eq!(counts.classes[20], 1);
    }

    #[test]
    fn a_search_that_is_stopped_tells_what_it_has_found() {
        let rules = Rules::new(5, 3, 1).unwrap();
        let mut counts = Counts::default();
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        let budget = Budget::unlimited().until_set(&stop);
        assert_eq!(count(&rules, &budget, &mut counts, &mut |_| Ok(())), Err(Stop::Requested));
        assert!(!counts.largest.is_empty() && is_free(&rules, &counts.largest));
    }

    #[test]
    fn deals_agree_with_the_counts() {
        for (v, p) in [(3, 3), (4, 2), (2, 2), (5, 1)] {
            let rules = Rules::new(v, p, 1).unwrap();
            let counts = counted(&rules);
            let mut sampled = Sampled::default();
            let deals = 20_000;
            sample(&rules, (deals, 1), &Budget::unlimited(), &mut sampled, &mut |_| Ok(()))
                .unwrap();
            assert_eq!((sampled.deals, sampled.filled), (deals, FILLED));
            assert!(is_free(&rules, &sampled.largest));
            assert!(sampled.without.len() <= counts.boards.len());
            for (size, &without) in sampled.without.iter().enumerate() {
                let all = choose(rules.deck(), size as u64).unwrap() as f64;
                let expected = deals as f64 * counts.boards[size] as f64 / all;
                let spread = expected.sqrt() * 5.0 + 1.0;
                assert!((without as f64 - expected).abs() < spread, "({v}, {p}): {size}");
            }
        }
    }

    /// Whether a symmetry makes a smaller board can be seen by making all that it makes.
    fn smallest_and_fixing(board: &[u8], images: &[Vec<u8>]) -> Option<u128> {
        let mut fixing = 0;
        for image in images {
            let mut made: Vec<u8> = board.iter().map(|&card| image[usize::from(card)]).collect();
            made.sort_unstable();
            if made[..] < *board {
                return None;
            }
            fixing += u128::from(made == board);
        }
        Some(fixing)
    }

    /// All permutations of so many things.
    fn permutations(n: usize) -> Vec<Vec<u8>> {
        let orders = symmetry::permutations(n).into_iter();
        orders.map(|order| order.into_iter().map(|i| i as u8).collect()).collect()
    }

    /// Of three values all permutations of a deck that take sets to sets.
    fn of_three(rules: &Rules) -> Vec<Vec<u8>> {
        let sets = sets_by_card(rules).concat();
        let mut all = permutations(rules.deck() as usize);
        all.retain(|image| {
            sets.iter().all(|set| {
                let cards = (0..image.len()).filter(|card| set >> card & 1 == 1);
                sets.contains(&cards.fold(0u128, |mask, card| mask | 1 << image[card]))
            })
        });
        all
    }

    /// Of four values and two properties all exchanges.
    fn of_four() -> Vec<Vec<u8>> {
        let values = permutations(4);
        let mut all = Vec::new();
        for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
            let image = |x: usize, y: usize| a[x] * 4 + b[y];
            all.push((0..16).map(|card| image(card / 4, card % 4)).collect());
            all.push((0..16).map(|card| image(card % 4, card / 4)).collect());
        }
        all
    }

    proptest! {
        #[test]
        fn the_smallest_board_of_a_class_is_recognised(picked: u16) {
            let of = |rules: &Rules, symmetry: &mut dyn Symmetry, images: &[Vec<u8>]| {
                let board: Vec<u8> =
                    (0..rules.deck() as u8).filter(|card| picked >> card & 1 == 1).collect();
                assert_eq!(symmetry.order(), images.len() as u128);
                assert_eq!(symmetry.fixing(&board), smallest_and_fixing(&board, images));
            };
            let three = Rules::new(3, 2, 1).unwrap();
            of(&three, &mut Affine::new(&three), THREE.get_or_init(|| of_three(&three)));
            let four = Rules::new(4, 2, 1).unwrap();
            of(&four, &mut Exchanges::new(&four), FOUR.get_or_init(of_four));
        }
    }

    static THREE: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    static FOUR: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
}
