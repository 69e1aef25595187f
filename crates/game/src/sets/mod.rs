//! The ordinary game: whether three cards are a set and why, all sets of a board, hints, and the
//! probability that three more cards bring a set.
//!
//! ```
//! use setsight_game::cards::parse_codes;
//! use setsight_game::sets::{Set, completing, explain, find_all, hint};
//!
//! let board = parse_codes("1fgd 2fgd 3fgd 1opo 2opo").unwrap();
//! assert_eq!(find_all(&board), [Set([0, 1, 2])]);
//! assert_eq!(hint(&board, 1), Some(vec![0]));
//! assert_eq!(completing(board[0], board[1]), board[2]);
//! assert!(!explain([board[0], board[1], board[3]]).is_set());
//! ```

mod chance;
mod explain;
mod finder;
#[cfg(target_arch = "x86_64")]
pub(crate) mod wide;

pub use chance::{Chance, none_among, three_more, three_more_from};
pub use explain::{Relation, Set, Verdict, completing, explain, explain_third, is_set};
pub use finder::{Finder, Key, find_all, gap_key};

use crate::cards::{Card, Property};

/// A stepwise hint: the places of the first `step` cards (1 to 3) of the set that is easiest to
/// see. Each step adds a card to the one before. `None` if there is no set.
pub fn hint(board: &[Card], step: usize) -> Option<Vec<usize>> {
    let easiest = easiest_first(board).into_iter().next()?;
    Some(easiest.0[..step.clamp(1, 3)].to_vec())
}

/// All sets of a board, the easiest to see first: a set is seen sooner if more properties are
/// equal. Ties are ordered by place.
pub fn easiest_first(board: &[Card]) -> Vec<Set> {
    let mut sets = find_all(board);
    sets.sort_by_key(|set| {
        let [a, b, _] = set.0.map(|i| board[i]);
        Property::ALL.into_iter().filter(|&p| a.value(p) != b.value(p)).count()
    });
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::{DECK_SIZE, parse_codes};
    use proptest::prelude::*;

    /// The definition, literally.
    fn by_definition(cards: [Card; 3]) -> bool {
        let distinct = cards[0] != cards[1] && cards[0] != cards[2] && cards[1] != cards[2];
        distinct
            && Property::ALL.into_iter().all(|p| {
                let values: std::collections::BTreeSet<_> =
                    cards.iter().map(|c| c.value(p)).collect();
                values.len() != 2
            })
    }

    fn brute(board: &[Option<Card>]) -> Vec<Set> {
        let mut found = Vec::new();
        for i in 0..board.len() {
            for j in i + 1..board.len() {
                for k in j + 1..board.len() {
                    if let (Some(a), Some(b), Some(c)) = (board[i], board[j], board[k])
                        && by_definition([a, b, c])
                    {
                        found.push(Set([i, j, k]));
                    }
                }
            }
        }
        found
    }

    fn place() -> impl Strategy<Value = Option<Card>> {
        // Sometimes only a small part of the deck, so that cards repeat.
        prop_oneof![
            1 => Just(None),
            6 => (0..DECK_SIZE).prop_map(|i| Some(Card::from_index(i))),
            3 => (0..9usize).prop_map(|i| Some(Card::from_index(i))),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_finder_agrees_with_brute_force(board in prop::collection::vec(place(), 0..40)) {
            let mut finder = Finder::new();
            // A previous board must not affect the result.
            finder.find(&board[board.len() / 2..]);
            let mut found = finder.find(&board).to_vec();
            found.sort();
            prop_assert_eq!(found, brute(&board));
            let cards: Vec<Card> = board.iter().flatten().copied().collect();
            let full: Vec<_> = cards.iter().copied().map(Some).collect();
            prop_assert_eq!(find_all(&cards), brute(&full));
        }

        #[test]
        fn a_hint_grows_into_a_set(board in prop::collection::vec(place(), 0..22)) {
            let cards: Vec<Card> = board.into_iter().flatten().collect();
            let sets = find_all(&cards);
            prop_assert_eq!(hint(&cards, 3).is_none(), sets.is_empty());
            let Some(full) = hint(&cards, 3) else { return Ok(()) };
            prop_assert!(sets.iter().any(|set| set.0.as_slice() == full));
            prop_assert_eq!(hint(&cards, 2).unwrap(), &full[..2]);
            prop_assert_eq!(hint(&cards, 1).unwrap(), &full[..1]);
        }
    }

    #[test]
    fn the_deck_holds_1080_sets_and_each_pair_one() {
        let deck: Vec<Card> = Card::deck().collect();
        let sets = find_all(&deck);
        assert_eq!(sets.len(), 1080);
        assert!(sets.iter().all(|set| by_definition(set.0.map(|i| deck[i]))));
        for &a in &deck {
            for &b in &deck {
                let third = completing(a, b);
                assert_eq!(is_set(a, b, third), a != b);
                assert_eq!(deck.iter().filter(|&&c| is_set(a, b, c)).count(), usize::from(a != b));
            }
        }
    }

    #[test]
    fn a_repeated_card_makes_a_set_on_each_of_its_places() {
        let board = parse_codes("1fgd 2fgd 3fgd 2fgd 2fgd").unwrap();
        assert_eq!(find_all(&board), [Set([0, 1, 2]), Set([0, 2, 3]), Set([0, 2, 4])]);
        // Three copies of one card are not a set.
        assert_eq!(find_all(&[board[0]; 3]), []);
    }

    #[test]
    fn the_easiest_set_is_hinted_at() {
        // 1, 2, 3 differ in everything; 2, 4, 5 only in number.
        let board = parse_codes("1fgd 2opo 3srs 1opo 3opo").unwrap();
        assert_eq!(find_all(&board), [Set([0, 1, 2]), Set([1, 3, 4])]);
        assert_eq!(hint(&board, 3), Some(vec![1, 3, 4]));
    }
}
