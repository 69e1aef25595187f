//! The probability that three more cards bring a set.

use super::{explain::completing, finder::find_all};
use crate::cards::{Card, DECK_SIZE};

/// A probability as a fraction of equally likely outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    /// Number of favourable outcomes.
    pub favourable: u64,
    /// Number of all outcomes; not 0.
    pub total: u64,
}

impl Chance {
    /// How many unfavourable outcomes there are to a favourable one; `None` if there is none.
    pub fn odds_against(self) -> Option<f64> {
        let unfavourable = (self.total - self.favourable) as f64;
        (self.favourable > 0).then(|| unfavourable / self.favourable as f64)
    }

    /// Its value, 0 to 1.
    pub fn value(self) -> f64 {
        self.favourable as f64 / self.total as f64
    }
}

/// Hands without a set among all hands of `cards` different cards, from 12 cards on: the chance that
/// a board just dealt has none. The counts are exact. From 21 cards on there is always a set.
pub fn none_among(cards: usize) -> Option<Chance> {
    const SET_FREE: [u64; 9] = [
        2_284_535_476_080,
        3_764_369_026_080,
        4_217_827_554_720,
        2_970_003_246_912,
        1_141_342_138_404,
        176_310_866_160,
        6_482_268_000,
        13_646_880,
        682_344,
    ];
    let place = cards.checked_sub(12).filter(|_| cards <= 21)?;
    let total = (0..cards as u128).fold(1, |n, i| n * (DECK_SIZE as u128 - i) / (i + 1));
    let total = u64::try_from(total).ok()?;
    Some(Chance { favourable: SET_FREE.get(place).copied().unwrap_or(0), total })
}

/// The exact probability that three more cards make a set that includes at least one of them, if
/// all choices of three from the cards not on the board are equally likely. `None` if fewer than
/// three such cards are left.
///
/// The unfavourable outcomes are counted: no card of the three completes a pair on the board, no
/// two of them make a set with a card of the board, and the three are not a set themselves.
pub fn three_more(board: &[Card]) -> Option<Chance> {
    three_more_from(board, Card::deck())
}

/// The same, if the three come from certain cards only, such as those that a game has not dealt
/// yet. Cards on the board are not dealt again.
pub fn three_more_from(board: &[Card], deck: impl Iterator<Item = Card>) -> Option<Chance> {
    let on_board = mask(board.iter().copied());
    let unseen = mask(deck) & !on_board;
    let n = u64::from(unseen.count_ones());
    let total = n.checked_sub(2).filter(|&m| m > 0)? * (n - 1) * n / 6;

    let distinct = cards_of(on_board);
    let mut completions = 0u128;
    for (i, &a) in distinct.iter().enumerate() {
        completions |= mask(distinct[i + 1..].iter().map(|&b| completing(a, b)));
    }
    let candidates = cards_of(unseen & !completions);
    // For each candidate: the later candidates that make no set with it and a card of the board.
    let harmless: Vec<u128> = candidates
        .iter()
        .enumerate()
        .map(|(i, &x)| {
            let later = candidates[i + 1..].iter().copied();
            mask(later.filter(|&y| on_board >> completing(x, y).index() & 1 == 0))
        })
        .collect();
    let triples: u64 = harmless
        .iter()
        .map(|&after_x| {
            let pairs = candidates.iter().zip(&harmless);
            let with_y = pairs.filter(|(y, _)| after_x >> y.index() & 1 == 1);
            with_y.map(|(_, &after_y)| u64::from((after_x & after_y).count_ones())).sum::<u64>()
        })
        .sum();
    // If two candidates make a set among themselves, its third card is not on the board. All pairs
    // of such a set are harmless, so it is counted among the triples.
    let sets_among = find_all(&candidates).len() as u64;
    Some(Chance { favourable: total - (triples - sets_among), total })
}

fn mask(cards: impl Iterator<Item = Card>) -> u128 {
    cards.fold(0, |mask, card| mask | 1 << card.index())
}

fn cards_of(mask: u128) -> Vec<Card> {
    Card::deck().filter(|card| mask >> card.index() & 1 == 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::{DECK_SIZE, parse_codes};
    use proptest::prelude::*;

    /// Tries every choice of three cards.
    fn by_trying(board: &[Card], deck: &[Card]) -> Option<Chance> {
        let unseen: Vec<Card> = deck.iter().copied().filter(|card| !board.contains(card)).collect();
        let mut chance = Chance { favourable: 0, total: 0 };
        for i in 0..unseen.len() {
            for j in i + 1..unseen.len() {
                for k in j + 1..unseen.len() {
                    let mut more = board.to_vec();
                    more.extend([unseen[i], unseen[j], unseen[k]]);
                    let new = find_all(&more).into_iter().any(|set| set.0[2] >= board.len());
                    chance.total += 1;
                    chance.favourable += u64::from(new);
                }
            }
        }
        (chance.total > 0).then_some(chance)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn counting_agrees_with_trying(indices in prop::collection::vec(0..DECK_SIZE, 0..80)) {
            let board: Vec<Card> = indices.into_iter().map(Card::from_index).collect();
            let deck: Vec<Card> = Card::deck().collect();
            prop_assert_eq!(three_more(&board), by_trying(&board, &deck));
            let rest = &deck[deck.len() / 2..];
            prop_assert_eq!(three_more_from(&board, rest.iter().copied()), by_trying(&board, rest));
        }
    }

    #[test]
    fn tabulated_cases() {
        // An empty table: the probability that three cards are a set.
        let empty = three_more(&[]).unwrap();
        assert_eq!((empty.favourable, empty.total), (1080, 85_320));
        // A board of sixteen without a set.
        let largest = parse_codes(
            "1fgd 1fgo 1fpd 1fpo 1ogd 1ogo 1opd 1opo 2fgd 2fgo 2fpd 2fpo 2ogd 2ogo 2opd 2opo",
        )
        .unwrap();
        assert_eq!(find_all(&largest), []);
        let deck: Vec<Card> = Card::deck().collect();
        assert_eq!(three_more(&largest), by_trying(&largest, &deck));
        assert_eq!(three_more(&deck[..79]), None);
        assert_eq!(three_more(&deck[..78]).unwrap().value(), 1.0);
    }
}
