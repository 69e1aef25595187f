//! Sets that hang on cards that are not sure.

use crate::card::ReadCard;
use setsight_game::cards::{Card, DECK_SIZE, Property};
use setsight_game::sets::{completing, is_set};
use std::collections::BTreeSet;

/// Three cards that are probably a set, at least one of them unsure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbableSet {
    /// Indices of the cards, ascending.
    pub cards: [usize; 3],
    /// Probability that the three are a set, 0.5 to 1: over all that they may be, given that a deck
    /// has each card once.
    pub confidence: f32,
    /// Index of the card that decides: of the three, the one that is least sure.
    pub decided_by: usize,
}

/// Probability from which a set is probable.
const PROBABLE: f32 = 0.5;
/// Most sets that are listed. A whole deck of unsure cards would have more than a thousand.
const MOST: usize = 50;

/// The probable sets, most probable first, and how many more there are than are listed. Sets of
/// sure cards are not among them, nor those of the cards `repeated`, which lie in another place, too, nor those whose cards, in order, are in `sure_sets`, in another place.
pub(crate) fn probable_sets(
    cards: &[ReadCard],
    repeated: &[usize],
    sure_sets: &BTreeSet<[Card; 3]>,
) -> (Vec<ProbableSet>, usize) {
    let beliefs: Vec<[f32; DECK_SIZE]> = cards.iter().map(belief).collect();
    let counted: Vec<usize> = (0..cards.len()).filter(|i| !repeated.contains(i)).collect();
    let mut found = Vec::new();
    for (n, &i) in counted.iter().enumerate() {
        for (m, &j) in counted.iter().enumerate().skip(n + 1) {
            let pairs = pairs(&cards[i], &cards[j]);
            for &k in &counted[m + 1..] {
                let three = [i, j, k];
                if three.iter().all(|&i| !cards[i].unsure) || !shows_a_set(three.map(|i| &cards[i]))
                {
                    continue;
                }
                let set: f32 = pairs.iter().map(|&(third, p)| p * beliefs[k][third]).sum();
                let confidence = set / all_different(three.map(|i| &beliefs[i])).max(set);
                if confidence >= PROBABLE {
                    let sureness = |i: &usize| cards[*i].confidence;
                    let decided_by = three
                        .into_iter()
                        .filter(|&i| cards[i].unsure)
                        .min_by(|a, b| sureness(a).total_cmp(&sureness(b)))
                        .expect("one is unsure");
                    found.push(ProbableSet { cards: three, confidence, decided_by });
                }
            }
        }
    }
    found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    found.retain(|set| !sure_sets.contains(&codes(cards, set.cards)));
    let left_out = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    (found, left_out)
}

/// The values of three cards, in the order of the deck.
pub(crate) fn codes(cards: &[ReadCard], places: [usize; 3]) -> [Card; 3] {
    let mut codes = places.map(|i| cards[i].card);
    codes.sort_unstable();
    codes
}

/// Whether three cards are a set as they are shown. A set that needs another guess than the one that
/// is shown would look wrong; but where a property is unknown, nothing of it is shown.
fn shows_a_set(cards: [&ReadCard; 3]) -> bool {
    let [a, b, c] = cards.map(|card| card.card);
    is_set(a, b, c)
        || cards.into_iter().any(|card| Property::ALL.iter().any(|&p| card.property(p).is_none()))
}

/// Probability of each card of the deck.
fn belief(card: &ReadCard) -> [f32; DECK_SIZE] {
    let mut belief = [0.0; DECK_SIZE];
    for guess in card.guesses() {
        belief[guess.card.index()] = guess.confidence;
    }
    belief
}

/// The index of the card that makes a set of each two that two places may hold, and the probability
/// of the two.
fn pairs(a: &ReadCard, b: &ReadCard) -> Vec<(usize, f32)> {
    let pairs = a.guesses().flat_map(|x| b.guesses().map(move |y| (x, y)));
    pairs
        .filter(|(x, y)| x.card != y.card)
        .map(|(x, y)| (completing(x.card, y.card).index(), x.confidence * y.confidence))
        .collect()
}

/// Probability that no two of three places hold the same card, each by itself.
fn all_different(beliefs: [&[f32; DECK_SIZE]; 3]) -> f32 {
    let [a, b, c] = beliefs;
    let alike: f32 = (0..DECK_SIZE)
        .map(|k| a[k] * b[k] + a[k] * c[k] + b[k] * c[k] - 2.0 * a[k] * b[k] * c[k])
        .sum();
    1.0 - alike
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::Guess;
    use setsight_photo::geometry::Quad;

    fn card(code: &str, confidence: f32, unsure: bool, guesses: &[(&str, f32)]) -> ReadCard {
        let guesses = guesses
            .iter()
            .map(|&(code, confidence)| Guess { card: code.parse().unwrap(), confidence });
        let card =
            ReadCard::new(Quad::rectangle(90.0, 60.0), code.parse().unwrap(), confidence, unsure);
        ReadCard { alternatives: guesses.collect(), ..card }
    }

    #[test]
    fn a_set_that_lies_in_another_place_is_listed_no_more() {
        let cards = ["1fgd", "2fgd", "3fgd"].map(|code| card(code, 0.99, false, &[]));
        let copy = card("3fgd", 0.8, true, &[]);
        let all = [&cards[..], &[copy]].concat();
        assert_eq!(probable_sets(&all, &[], &BTreeSet::new()).0.len(), 1);
        let sure_sets = BTreeSet::from([codes(&all, [0, 1, 2])]);
        assert_eq!(probable_sets(&all, &[], &sure_sets).0, []);
    }

    #[test]
    fn a_set_is_as_probable_as_its_cards_allow() {
        let sure = [card("1fgd", 1.0, false, &[]), card("2fgd", 1.0, false, &[])];
        let third = |confidence| {
            let unsure = card("3fgd", confidence, true, &[("3sgd", 0.95 - confidence)]);
            let (sets, _) = probable_sets(&[&sure[..], &[unsure]].concat(), &[], &BTreeSet::new());
            sets.first().map(|set| (set.cards, set.confidence, set.decided_by))
        };
        let (cards, confidence, decided_by) = third(0.7).unwrap();
        assert_eq!((cards, decided_by), ([0, 1, 2], 2));
        assert!((confidence - 0.7).abs() < 1e-5);
        assert_eq!(third(0.45), None);
        // What is sure is not probable.
        let all = [&sure[..], &[card("3fgd", 0.99, false, &[])]].concat();
        assert_eq!(probable_sets(&all, &[], &BTreeSet::new()), (Vec::new(), 0));
    }

    /// A card whose colour nobody knows.
    fn grey(code: &str) -> ReadCard {
        const THIRD: f32 = 1.0 / 3.0;
        let [green, red, purple] = ["g", "r", "p"].map(|color| code.replace('?', color));
        card(&green, THIRD, true, &[(red.as_str(), THIRD), (purple.as_str(), THIRD)])
    }

    #[test]
    fn cards_that_differ_in_what_is_unknown_alone_make_a_set() {
        // All three colours of one card: whichever is which, they are a set.
        let (sets, _) =
            probable_sets(&[grey("2s?d"), grey("2s?d"), grey("2s?d")], &[], &BTreeSet::new());
        assert!(sets.len() == 1 && sets[0].confidence > 0.99, "{sets:?}");
        // Alike or all different in number: one in three has the colours that it needs.
        let (sets, _) =
            probable_sets(&[grey("1s?d"), grey("2s?d"), grey("3s?d")], &[], &BTreeSet::new());
        assert_eq!(sets, []);
    }

    #[test]
    fn eighty_one_doubts_make_a_bounded_list() {
        let deck: Vec<ReadCard> = (0..DECK_SIZE)
            .map(|k| {
                let card = setsight_game::cards::Card::from_index(k);
                ReadCard::new(Quad::rectangle(90.0, 60.0), card, 0.9, true)
            })
            .collect();
        let (sets, left_out) = probable_sets(&deck, &[], &BTreeSet::new());
        assert_eq!((sets.len(), sets.len() + left_out), (MOST, 1080));
    }
}
