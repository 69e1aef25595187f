//! Statistics of many games.

use crate::cards::DECK_SIZE;
use std::ops::AddAssign;

/// Cards are added and removed in threes.
pub const STEP: usize = 3;
/// At most 21 cards are in play, because any 21 different cards contain a set.
const IN_PLAY: usize = 21 / STEP + 1;
/// At most 69 cards are in the deck, because 12 are on the table from the start.
const IN_DECK: usize = 69 / STEP + 1;

/// Number of boards with and without a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoardCount {
    /// Boards with at least one set.
    pub with: u64,
    /// Boards without any.
    pub without: u64,
}

impl BoardCount {
    /// Boards with a set per board without one; `None` if no board is without one.
    pub fn ratio(self) -> Option<f64> {
        (self.without > 0).then(|| self.with as f64 / self.without as f64)
    }
}

impl AddAssign for BoardCount {
    fn add_assign(&mut self, other: Self) {
        self.with += other.with;
        self.without += other.without;
    }
}

/// Counts over many games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Games played.
    pub games: u64,
    /// Sets taken in all games.
    pub sets: u64,
    /// Games by cards left at the end, in threes.
    left: [u64; IN_PLAY],
    /// Boards by cards in play and cards left in the deck, both divided by three.
    boards: [[BoardCount; IN_DECK]; IN_PLAY],
}

impl Default for Statistics {
    fn default() -> Self {
        let boards = [[BoardCount::default(); IN_DECK]; IN_PLAY];
        Self { games: 0, sets: 0, left: [0; IN_PLAY], boards }
    }
}

impl Statistics {
    /// Counts one board.
    #[inline]
    pub fn board(&mut self, in_play: usize, in_deck: usize, has_set: bool) {
        let count = &mut self.boards[in_play / STEP][in_deck / STEP];
        count.with += u64::from(has_set);
        count.without += u64::from(!has_set);
    }

    /// Counts one finished game.
    #[inline]
    pub fn game(&mut self, left: usize) {
        self.games += 1;
        self.sets += ((DECK_SIZE - left) / STEP) as u64;
        self.left[left / STEP] += 1;
    }

    /// Mean number of sets taken in a game.
    pub fn mean_sets(&self) -> f64 {
        self.sets as f64 / self.games as f64
    }

    /// Games by the number of cards left at the end: pairs (cards, games), without zeros.
    pub fn left(&self) -> impl Iterator<Item = (usize, u64)> {
        self.left.iter().enumerate().filter(|(_, n)| **n > 0).map(|(i, &n)| (i * STEP, n))
    }

    /// Share of the games that ended with this many cards left, 0 to 1.
    pub fn share_left(&self, cards: usize) -> f64 {
        let games = self.left.get(cards / STEP).filter(|_| cards.is_multiple_of(STEP));
        games.copied().unwrap_or(0) as f64 / self.games as f64
    }

    /// All boards that occurred: (cards in play, cards left in the deck, counts).
    pub fn boards(&self) -> impl Iterator<Item = (usize, usize, BoardCount)> {
        self.boards.iter().enumerate().flat_map(|(in_play, row)| {
            row.iter()
                .enumerate()
                .filter(|(_, count)| **count != BoardCount::default())
                .map(move |(in_deck, &count)| (in_play * STEP, in_deck * STEP, count))
        })
    }

    /// All boards with this many cards in play.
    pub fn in_play(&self, cards: usize) -> BoardCount {
        let mut sum = BoardCount::default();
        self.boards().filter(|b| b.0 == cards).for_each(|b| sum += b.2);
        sum
    }
}

impl AddAssign<&Self> for Statistics {
    fn add_assign(&mut self, other: &Self) {
        self.games += other.games;
        self.sets += other.sets;
        self.left.iter_mut().zip(other.left).for_each(|(a, b)| *a += b);
        let ours = self.boards.iter_mut().flatten();
        ours.zip(other.boards.iter().flatten()).for_each(|(a, &b)| *a += b);
    }
}
