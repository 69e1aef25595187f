//! Deals on which programs that play the contest's game go wrong.

use super::deal::Deal;
use crate::cards::{Card, DECK_SIZE};
use crate::sets::completing;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Five deals: a table of 18 cards, one of 21, a compaction to ten cards and one to eleven, as the
/// deck runs out within a column, and cards that come twice. The same seed gives the same deals on
/// every machine.
pub fn hard_deals(seed: u64) -> Vec<Deal> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut deals: Vec<Vec<Card>> =
        [15, 18].map(|without_set| begun_without_set(without_set, DECK_SIZE, &mut rng)).to_vec();
    deals.extend([13, 14].map(|cards| begun_without_set(12, cards, &mut rng)));
    let repeated = (0..DECK_SIZE).map(|_| Card::from_index(rng.random_range(0..DECK_SIZE)));
    deals.push(repeated.collect());
    deals.into_iter().filter_map(Deal::new).collect()
}

/// So many cards of a shuffled deck: there is no set among the first, and one as soon as the column
/// after them is dealt.
fn begun_without_set(without_set: usize, cards: usize, rng: &mut Pcg64Mcg) -> Vec<Card> {
    let mut deck: Vec<Card> = Card::deck().collect();
    loop {
        deck.shuffle(rng);
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for &card in &deck {
            let fits = first.len() < without_set && !completes(&first, card);
            if fits { first.push(card) } else { rest.push(card) }
        }
        // Most shuffles end before 18 cards without a set.
        if first.len() < without_set {
            continue;
        }
        let column = &rest[..rest.len().min(3).min(cards - without_set)];
        if column.iter().any(|&card| completes(&first, card)) {
            first.extend(rest);
            first.truncate(cards);
            return first;
        }
    }
}

/// Whether the card makes a set with two of these.
fn completes(cards: &[Card], card: Card) -> bool {
    cards.iter().any(|&other| cards.contains(&completing(other, card)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Step};

    #[test]
    fn each_deal_is_hard_in_its_own_way() {
        for seed in 0..30 {
            let deals = hard_deals(seed);
            assert_eq!(deals, hard_deals(seed));
            let [grows, grows_more, ten, eleven, twice] = &deals[..] else { panic!("{seed}") };
            for (deal, most) in [(grows, 18), (grows_more, 21)] {
                let mut game = Game::new(deal);
                while !matches!(game.next(), Some(Step::Found(_))) {}
                assert_eq!(game.places().len(), most, "seed {seed}");
                assert_eq!(deal.cards().len(), DECK_SIZE);
            }
            for (deal, left) in [(ten, 10), (eleven, 11)] {
                let mut game = Game::new(deal);
                while !matches!(game.next(), Some(Step::Compacted)) {}
                assert_eq!(game.places().iter().flatten().count(), left, "seed {seed}");
                assert_eq!(game.places().len(), left, "seed {seed}");
            }
            let mut cards = twice.cards().to_vec();
            cards.sort_unstable();
            assert!(cards.windows(2).any(|pair| pair[0] == pair[1]), "seed {seed}");
        }
        assert_ne!(hard_deals(1), hard_deals(2));
    }
}
