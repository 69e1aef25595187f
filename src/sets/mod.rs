//! The ordinary game: which three cards are a set, and all sets of a board.

use crate::cards::{Card, Property};

/// Three places of a board that hold a set, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Set(pub [usize; 3]);

/// The one card that makes a set with two others (with two alike: that card again).
pub fn completing(a: Card, b: Card) -> Card {
    let digit = |p: Property| (6 - a.value(p) - b.value(p)) % 3;
    Card::from_index(
        Property::ALL.into_iter().fold(0, |index, property| index * 3 + digit(property)),
    )
}

/// All sets of a board, by place. The board may hold a card more than once; a set needs three
/// different cards. Ordered by places.
pub fn find_all(board: &[Card]) -> Vec<Set> {
    let mut found = Vec::new();
    for i in 0..board.len() {
        for j in i + 1..board.len() {
            if board[i] == board[j] {
                continue;
            }
            let third = completing(board[i], board[j]);
            for (k, &card) in board.iter().enumerate().skip(j + 1) {
                if card == third {
                    found.push(Set([i, j, k]));
                }
            }
        }
    }
    found
}
