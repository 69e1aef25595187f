//! The symmetries of a deck, and whether a board is the smallest of those that they make of it.
//!
//! Boards are compared as ascending lists of cards of the same length. Of three values, sets are the
//! lines of an affine space, and every affine map is a symmetry; else the values of each property can
//! be exchanged, and the properties.
//!
//! Every board without a set, up to symmetry, comes by orderly generation (Read 1978, Faradžev 1978): a
//! board that no symmetry makes smaller stays so without its last card. So all of these are met from
//! the empty board on by adding cards in ascending order, and none of the others is extended. How
//! many boards each stands for is the number of symmetries over that of those that leave it as it is.

use super::{Counts, sets_by_card};
use crate::rules::{Card, Rules};
use crate::solver::{Budget, Stop};

/// The symmetries of a deck.
pub trait Symmetry {
    /// How many there are.
    fn order(&self) -> u128;

    /// How many of them leave a board as it is, its cards ascending; `None` if one makes a smaller
    /// board of it.
    fn fixing(&mut self, board: &[u8]) -> Option<u128>;
}

/// A smaller board was met.
struct Smaller;

/// Values of each property are exchanged, and properties: v!^p p! symmetries.
pub struct Exchanges {
    rules: Rules,
    values: Vec<Vec<u8>>,
    orders: Vec<Vec<usize>>,
    /// For each property of the image: what becomes of each value of the property that it comes
    /// from, where that is settled; and how many are. They are settled in ascending order.
    images: Vec<Vec<Option<u8>>>,
    settled: Vec<u8>,
}

/// All orders of so many things.
pub(super) fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in 0..n {
        orders = orders
            .iter()
            .flat_map(|order| {
                let next = (0..n).filter(|i| !order.contains(i));
                next.map(|i| [&order[..], &[i]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    orders
}

impl Exchanges {
    /// Those of a deck.
    pub fn new(rules: &Rules) -> Self {
        let (v, p) = (rules.values(), rules.properties());
        Self {
            rules: *rules,
            values: (0..rules.deck()).map(|card| rules.values_of(Card(card)).collect()).collect(),
            orders: permutations(p),
            images: vec![vec![None; v]; p],
            settled: vec![0; p],
        }
    }

    /// How many symmetries that begin with what is settled map the cards left, as bits, to the rest
    /// of the board from `place` on.
    fn extended(
        &mut self,
        board: &[u8],
        place: usize,
        left: u128,
        order: &[usize],
    ) -> Result<u128, Smaller> {
        let v = self.rules.values();
        let Some(&wanted) = board.get(place) else {
            let free = self.settled.iter().map(|&settled| factorial(v - usize::from(settled)));
            return Ok(free.product());
        };
        let mut sum = 0;
        let mut fits = 0u128;
        for &card in board.iter().filter(|&&card| left >> card & 1 == 1) {
            let values = &self.values[usize::from(card)];
            let least = order.iter().enumerate().fold(0, |index, (at, &from)| {
                let value = self.images[at][usize::from(values[from])].unwrap_or(self.settled[at]);
                index * v + usize::from(value)
            });
            match least.cmp(&usize::from(wanted)) {
                std::cmp::Ordering::Less => return Err(Smaller),
                std::cmp::Ordering::Equal => fits |= 1 << card,
                std::cmp::Ordering::Greater => {}
            }
        }
        for &card in board.iter().filter(|&&card| fits >> card & 1 == 1) {
            let mut new = 0u32;
            for (at, &from) in order.iter().enumerate() {
                let value = usize::from(self.values[usize::from(card)][from]);
                if self.images[at][value].is_none() {
                    self.images[at][value] = Some(self.settled[at]);
                    self.settled[at] += 1;
                    new |= 1 << at;
                }
            }
            let more = self.extended(board, place + 1, left & !(1 << card), order);
            for (at, &from) in order.iter().enumerate().filter(|(at, _)| new >> at & 1 == 1) {
                self.images[at][usize::from(self.values[usize::from(card)][from])] = None;
                self.settled[at] -= 1;
            }
            sum += more?;
        }
        Ok(sum)
    }
}

impl Symmetry for Exchanges {
    fn order(&self) -> u128 {
        let (v, p) = (self.rules.values(), self.rules.properties());
        factorial(v).pow(p as u32) * factorial(p)
    }

    fn fixing(&mut self, board: &[u8]) -> Option<u128> {
        let all = board.iter().fold(0, |all, &card| all | 1 << card);
        let orders = std::mem::take(&mut self.orders);
        let found = orders.iter().map(|order| self.extended(board, 0, all, order));
        let sum = found.sum::<Result<u128, Smaller>>().ok();
        self.orders = orders;
        sum
    }
}

fn factorial(n: usize) -> u128 {
    (1..=n as u128).product()
}

/// All affine maps, of three values.
pub struct Affine {
    deck: usize,
    properties: u32,
    /// `third[a][b]` completes a and b; it is a where both are one.
    third: Vec<Vec<u8>>,
    image: Vec<u8>,
}

impl Affine {
    /// Those of a deck of three values.
    pub fn new(rules: &Rules) -> Self {
        let deck = rules.deck() as usize;
        let third = |a: usize, b: usize| {
            let values = rules.values_of(Card(a as u64)).zip(rules.values_of(Card(b as u64)));
            rules.card(values.map(|(a, b)| (6 - a - b) % 3)).0 as u8
        };
        Self {
            deck,
            properties: rules.properties() as u32,
            third: (0..deck).map(|a| (0..deck).map(|b| third(a, b)).collect()).collect(),
            image: vec![0; deck],
        }
    }

    /// How many affine maps there are that agree in a flat of this dimension; -1 is the empty one.
    fn agreeing(&self, dimension: u32) -> u128 {
        let points = self.deck as u128;
        (dimension..self.properties).map(|d| points - 3u128.pow(d)).product()
    }

    /// How many maps take the board to itself that are settled in a flat, whose points `flat` lists
    /// with their images in `image`: these are the first 3^dimension cards.
    fn extended(
        &mut self,
        board: &[u8],
        all: u128,
        flat: &[u8],
        dimension: u32,
    ) -> Result<u128, Smaller> {
        let within = flat.iter().fold(0u128, |mask, &point| mask | 1 << point);
        if all & !within == 0 {
            return Ok(self.agreeing(dimension));
        }
        let size = flat.len();
        // What lies outside is mapped to the next card at the least.
        if all >> size & 1 == 0 {
            return Err(Smaller);
        }
        let mut sum = 0;
        let mut grown = Vec::with_capacity(3 * size);
        for &next in board.iter().filter(|&&card| within >> card & 1 == 0) {
            grown.clear();
            grown.extend_from_slice(flat);
            // x + next - origin, which is the third point to the origin and the third of x and next.
            let origin = usize::from(flat[0]);
            let along = |x: u8, by: u8| {
                self.third[origin][usize::from(self.third[usize::from(x)][usize::from(by)])]
            };
            let twice = along(next, next);
            let mut mapped = 0u128;
            for (step, by) in [(1, next), (2, twice)] {
                for &point in flat {
                    let x = along(point, by);
                    let image = self.image[usize::from(point)] + (step * size) as u8;
                    self.image[usize::from(x)] = image;
                    mapped |= (all >> x & 1) << image;
                    grown.push(x);
                }
            }
            let fresh = ((1u128 << (3 * size)) - 1) & !((1 << size) - 1);
            let differing = mapped ^ (all & fresh);
            if differing == 0 {
                sum += self.extended(board, all, &grown, dimension + 1)?;
            } else if mapped & differing & differing.wrapping_neg() != 0 {
                return Err(Smaller);
            }
        }
        Ok(sum)
    }
}

impl Symmetry for Affine {
    fn order(&self) -> u128 {
        self.deck as u128 * self.agreeing(0)
    }

    fn fixing(&mut self, board: &[u8]) -> Option<u128> {
        if board.is_empty() {
            return Some(self.order());
        }
        if board[0] != 0 {
            return None;
        }
        let all = board.iter().fold(0, |all, &card| all | 1 << card);
        board
            .iter()
            .map(|&origin| {
                self.image[usize::from(origin)] = 0;
                self.extended(board, all, &[origin], 0)
            })
            .sum::<Result<u128, Smaller>>()
            .ok()
    }
}

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
    let forbidden = (0..sets.len())
        .filter(|card| sets[*card].contains(&(1 << card)))
        .fold(0, |mask, card| mask | 1u128 << card);
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
