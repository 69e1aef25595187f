//! How often boards without a set are dealt, from a deck of any size.

use crate::{
    deal::{Dealer, FisherYates},
    rules::{Card, Rules},
    solver::{Budget, Solver, Stop},
};

/// How many of the deals are dealt to the end of the deck.
pub const FILLED: u64 = 100;

/// Cards of a deck that is dealt to its end.
const MOST_CARDS: u64 = 1 << 16;

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
        let fills = deal < FILLED && rules.deck() <= MOST_CARDS;
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
