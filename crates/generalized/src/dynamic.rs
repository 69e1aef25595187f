//! Dynamic programming over partial sets, in the order in which cards are drawn.
//!
//! A partial set of k cards is stored for every 2 <= k < v, if its cards are all equal or all
//! different in every property so far. A partial set of v - 1 cards lacks exactly one card, and a
//! dictionary maps that card to it. A drawn card is first looked up in the dictionary. If it
//! completes no set, it extends every partial set that it fits, and forms a pair with each earlier
//! card. A removal drops every partial set with a removed card.
//!
//! The cost is memory: all partial sets of a board exist at once.

use super::{
    deal::CardHasher,
    mask::{self, Mask},
    rules::{Card, Rules},
    solver::{Budget, Solver, Stop},
};
use std::{collections::HashMap, hash::BuildHasherDefault};

pub(super) fn solver(rules: &Rules) -> Box<dyn Solver> {
    mask::sized!(rules, W => Box::new(Dynamic::<W>::new(rules)))
}

/// Partial sets of one size, stored column by column.
struct Layer<const W: usize> {
    /// The cards of each: indices into `Dynamic::cards`, `size` per partial set.
    places: Vec<u32>,
    size: usize,
    /// The union of its cards' values, and the values that all of them share.
    union: Vec<Mask<W>>,
    alike: Vec<Mask<W>>,
}

struct Dynamic<const W: usize> {
    rules: Rules,
    /// Drawn cards that are not processed yet; the last one is processed first.
    waiting: Vec<Card>,
    /// Processed cards. A removed card leaves an empty place.
    cards: Vec<Option<(Card, Mask<W>)>>,
    empty: Vec<u32>,
    /// `layers[i]` holds the partial sets of i + 2 cards; the last layer holds those of v - 1.
    layers: Vec<Layer<W>>,
    /// From a missing card to a partial set of the last layer that it completes.
    missing: HashMap<u64, u32, BuildHasherDefault<CardHasher>>,
    /// The missing card of each partial set of the last layer.
    missing_of: Vec<u64>,
}

impl<const W: usize> Dynamic<W> {
    fn new(rules: &Rules) -> Self {
        Self {
            rules: *rules,
            waiting: Vec::new(),
            cards: Vec::new(),
            empty: Vec::new(),
            layers: (2..rules.values())
                .map(|size| Layer {
                    places: Vec::new(),
                    size,
                    union: Vec::new(),
                    alike: Vec::new(),
                })
                .collect(),
            missing: HashMap::default(),
            missing_of: Vec::new(),
        }
    }

    /// Adds a card that completes no set: extends partial sets by it and pairs it with all others.
    fn add(&mut self, card: Card, budget: &Budget) -> Result<(), Stop> {
        let mask = mask::of_card::<W>(&self.rules, card);
        let place = self.empty.pop().unwrap_or(self.cards.len() as u32);
        let last = self.layers.len() - 1;
        // From the largest size down, so that no partial set is extended by the same card twice.
        for i in (0..last).rev() {
            let (lower, upper) = self.layers.split_at_mut(i + 1);
            let (from, to) = (&lower[i], &mut upper[0]);
            for (j, (union, alike)) in from.union.iter().zip(&from.alike).enumerate() {
                if mask::and(union, &mask) == *alike {
                    let places = &from.places[j * from.size..][..from.size];
                    to.places.extend_from_slice(places);
                    to.places.push(place);
                    to.union.push(mask::or(union, &mask));
                    to.alike.push(*alike);
                }
            }
            budget.time()?;
            budget.memory(self.held())?;
        }
        let pairs = &mut self.layers[0];
        for (other, held) in self.cards.iter().enumerate() {
            if let Some((_, other_mask)) = held {
                pairs.places.extend([other as u32, place]);
                pairs.union.push(mask::or(other_mask, &mask));
                pairs.alike.push(mask::and(other_mask, &mask));
            }
        }
        if place as usize == self.cards.len() {
            self.cards.push(None);
        }
        self.cards[place as usize] = Some((card, mask));
        self.look_for_missing();
        Ok(())
    }

    /// Adds the partial sets of the last layer that are not in the dictionary yet.
    fn look_for_missing(&mut self) {
        let last = &self.layers[self.layers.len() - 1];
        for i in self.missing_of.len()..last.union.len() {
            let card = mask::missing_card(&self.rules, &last.union[i], &last.alike[i]).0;
            self.missing_of.push(card);
            self.missing.insert(card, i as u32);
        }
    }

    fn held(&self) -> usize {
        self.layers.iter().map(|l| {
            l.places.capacity() * 4 + (l.union.capacity() + l.alike.capacity()) * W * 8
        }).sum::<usize>()
            + self.cards.capacity() * size_of::<Option<(Card, Mask<W>)>>()
            + self.missing_of.capacity() * 8
            // A slot of the standard hash map: key, value, one control byte, at most 7/8 full.
            + self.missing.capacity() * 17 * 8 / 7
    }
}

impl<const W: usize> Solver for Dynamic<W> {
    fn clear(&mut self) {
        self.waiting.clear();
        self.cards.clear();
        self.empty.clear();
        self.missing.clear();
        self.missing_of.clear();
        for layer in &mut self.layers {
            layer.places.clear();
            layer.union.clear();
            layer.alike.clear();
        }
    }

    fn drawn(&mut self, cards: &[Card]) {
        self.waiting.extend_from_slice(cards);
    }

    fn removed(&mut self, set: &[Card]) {
        self.waiting.retain(|card| !set.contains(card));
        for (place, held) in self.cards.iter_mut().enumerate() {
            if held.is_some_and(|(card, _)| set.contains(&card)) {
                *held = None;
                self.empty.push(place as u32);
            }
        }
        for layer in &mut self.layers {
            let mut kept = 0;
            for i in 0..layer.union.len() {
                let places = i * layer.size..(i + 1) * layer.size;
                let all_present = layer.places[places.clone()]
                    .iter()
                    .all(|&place| self.cards[place as usize].is_some());
                if all_present {
                    layer.places.copy_within(places, kept * layer.size);
                    layer.union[kept] = layer.union[i];
                    layer.alike[kept] = layer.alike[i];
                    kept += 1;
                }
            }
            layer.places.truncate(kept * layer.size);
            layer.union.truncate(kept);
            layer.alike.truncate(kept);
        }
        self.missing.clear();
        self.missing_of.clear();
        self.look_for_missing();
    }

    fn find(&mut self, budget: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop> {
        set.clear();
        while let Some(&card) = self.waiting.last() {
            if let Some(&partial) = self.missing.get(&card.0) {
                let last = &self.layers[self.layers.len() - 1];
                let places = &last.places[partial as usize * last.size..][..last.size];
                set.extend(
                    places.iter().filter_map(|&p| self.cards[p as usize]).map(|(card, _)| card),
                );
                set.push(card);
                return Ok(true);
            }
            self.waiting.pop();
            self.add(card, budget)?;
        }
        Ok(false)
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.held() + self.waiting.capacity() * size_of::<Card>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deal::{Dealer, FisherYates};

    #[test]
    fn each_partial_set_is_stored_once() {
        let rules = Rules::new(5, 3, 1).unwrap();
        let mut solver = Dynamic::<1>::new(&rules);
        let mut board = Vec::new();
        FisherYates::new(&rules, 3).deal(14, &mut board);
        solver.drawn(&board);
        assert_eq!(solver.find(&Budget::unlimited(), &mut Vec::new()), Ok(false));
        let mut stored: Vec<Vec<u32>> = Vec::new();
        for layer in &solver.layers {
            stored.extend(layer.places.chunks(layer.size).map(<[u32]>::to_vec));
        }
        stored.iter_mut().for_each(|places| places.sort_unstable());
        stored.sort();
        let count = stored.len();
        assert!(count > 100, "{count}");
        stored.dedup();
        assert_eq!(stored.len(), count);
    }
}
