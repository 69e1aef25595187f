//! Brute force: all combinations of v cards in turn, until one is a set.

use super::{
    rules::{Card, Rules},
    solver::{Budget, Solver, Stop},
};

/// Combinations between two checks of the clock.
const STEPS: u32 = 1 << 14;

pub(super) struct Brute {
    rules: Rules,
    board: Vec<Card>,
    /// Values of the board's cards, p per card.
    values: Vec<u8>,
}

impl Brute {
    pub fn new(rules: &Rules) -> Self {
        Self { rules: *rules, board: Vec::new(), values: Vec::new() }
    }
}

/// Whether the cards at these distinct places are all equal or all different in every property.
/// `values` has p for each card.
// A closure for each property would not be inlined: 34 % more instructions.
#[inline(always)]
fn is_set(values: &[u8], (v, p): (usize, usize), places: &[usize]) -> bool {
    for property in 0..p {
        let value = |place: usize| values[place * p + property];
        let first = value(places[0]);
        let mut values_met = [0u64; 4];
        let mut alike = true;
        let mut different = 0;
        for &place in places {
            let value = value(place);
            alike &= value == first;
            let word = &mut values_met[usize::from(value >> 6)];
            different += usize::from(*word >> (value & 63) & 1 == 0);
            *word |= 1 << (value & 63);
        }
        if !alike && different != v {
            return false;
        }
    }
    true
}

impl Solver for Brute {
    fn clear(&mut self) {
        self.board.clear();
        self.values.clear();
    }

    fn drawn(&mut self, cards: &[Card]) {
        self.board.extend_from_slice(cards);
        for &card in cards {
            self.values.extend(self.rules.values_of(card));
        }
    }

    fn removed(&mut self, set: &[Card]) {
        let left: Vec<Card> =
            self.board.iter().copied().filter(|card| !set.contains(card)).collect();
        self.clear();
        self.drawn(&left);
    }

    fn find(&mut self, budget: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop> {
        set.clear();
        let (v, p, n) = (self.rules.values(), self.rules.properties(), self.board.len());
        if n < v {
            return Ok(false);
        }
        let mut places: Vec<usize> = (0..v).collect();
        let mut steps = 0;
        loop {
            if is_set(&self.values, (v, p), &places) {
                set.extend(places.iter().map(|&place| self.board[place]));
                return Ok(true);
            }
            steps += 1;
            if steps == STEPS {
                steps = 0;
                budget.time()?;
            }
            // The next combination: advance the last place that can move, and put those after it
            // right behind.
            let Some(i) = (0..v).rev().find(|&i| places[i] < n - v + i) else {
                return Ok(false);
            };
            places[i] += 1;
            for j in i + 1..v {
                places[j] = places[j - 1] + 1;
            }
        }
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.board.capacity() * size_of::<Card>() + self.values.capacity())
    }
}
