//! Every board without a set, up to symmetry, by orderly generation (Read 1978, Faradžev 1978): a
//! board that no symmetry makes smaller stays so without its last card. So all of these are met from
//! the empty board on by adding cards in ascending order, and none of the others is extended. How
//! many boards each stands for is the number of symmetries over that of those that leave it as it is.

use super::symmetry::{Affine, Exchanges, Symmetry};
use super::{Counts, sets_by_card};
use crate::rules::{Card, Rules};
use crate::solver::{Budget, Stop};

/// See [`super::count`].
pub fn count(
    rules: &Rules,
    budget: &Budget,
    counts: &mut Counts,
    see: &mut dyn FnMut(&Counts) -> Result<(), Stop>,
) -> Result<(), Stop> {
    if rules.values() == 3 {
        searched(rules, Affine::new(rules), budget, counts, see)
    } else {
        searched(rules, Exchanges::new(rules), budget, counts, see)
    }
}

fn searched(
    rules: &Rules,
    symmetry: impl Symmetry,
    budget: &Budget,
    counts: &mut Counts,
    see: &mut dyn FnMut(&Counts) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let order = symmetry.order();
    let sets = sets_by_card(rules);
    let alone = |card: &usize| sets[*card].contains(&(1 << card));
    let forbidden = (0..sets.len()).filter(alone).fold(0, |mask, card| mask | 1u128 << card);
    counts.add_class(1, [].into_iter());
    Search { symmetry, order, sets, budget, counts, see }.extend(&mut Vec::new(), 0, forbidden)
}

struct Search<'a, S> {
    symmetry: S,
    order: u128,
    /// Of each card.
    sets: Vec<Vec<u128>>,
    budget: &'a Budget,
    counts: &'a mut Counts,
    see: &'a mut dyn FnMut(&Counts) -> Result<(), Stop>,
}

impl<S: Symmetry> Search<'_, S> {
    /// Extends a board, whose cards are also the bits of `all`, by each card after its last that does not
    /// complete a set.
    fn extend(&mut self, board: &mut Vec<u8>, all: u128, forbidden: u128) -> Result<(), Stop> {
        let from = board.last().map_or(0, |&last| last + 1);
        for card in (from..self.sets.len() as u8).filter(|&card| forbidden >> card & 1 == 0) {
            board.push(card);
            if let Some(fixing) = self.symmetry.fixing(board) {
                let cards = board.iter().map(|&card| Card(u64::from(card)));
                self.counts.add_class(self.order / fixing, cards);
                (self.see)(self.counts)?;
                self.budget.time()?;
                let all = all | 1 << card;
                let lacking = self.sets[usize::from(card)].iter().map(|set| set & !all);
                let one = lacking.filter(|left| left.is_power_of_two());
                let forbidden = one.fold(forbidden, |mask, left| mask | left);
                self.extend(board, all, forbidden)?;
            }
            board.pop();
        }
        Ok(())
    }
}
