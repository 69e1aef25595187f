//! Any number of values: an exact cover within each group of checked cards, for each new card.

use super::narrow::{Branches, NARROW, for_each_bit};
use super::table::{Candidates, Search, Seen};
use crate::rules::{Card, Rules};
use crate::solver::{Budget, Stop, Watched};
use crate::trace::{Step, Watcher};

/// Maximum number of cards on a board searched directly by rows of bits; larger boards are searched
/// group by group in separate tables.
const FEW: usize = NARROW * 64;

/// Maximum number of properties for which groups are indexed by a table (2^12 groups); with more,
/// they are sorted.
const TABLE_UP_TO: usize = 12;

/// `cover` for any number of values.
///
/// Consider a set with the new card c. In the properties E where another of its cards agrees with
/// c, all of its cards agree. In all other properties its cards differ, so no card agrees with c
/// there. Every other card of the set thus agrees with c in exactly the properties E, and the
/// checked cards can be divided into *groups* by E. Within a group, v - 1 cards must have every
/// value except c's exactly once in every property outside E: an exact cover, which `Search` finds.
pub struct Exact {
    rules: Rules,
    /// Unchecked cards; the last one comes first.
    waiting: Vec<Card>,
    checked: Vec<Card>,
    /// `columns[j][i]`: value of checked card i in property j.
    columns: Vec<Vec<u8>>,
    /// A row of bits for each (property, value), [`NARROW`] words apart: the cards among the first
    /// [`FEW`] checked ones that have it.
    rows: Vec<u64>,
    /// `items[i * p + j]`: the row of checked card i in property j.
    items: Vec<u16>,
    current_items: Vec<u16>,
    /// Values of the current card.
    current: Vec<u8>,
    /// For each checked card, the properties in which it agrees with the current card, as bits.
    agreement: Vec<u32>,
    /// Checked cards (by index) sorted by agreement, those that agree most first.
    groups: Vec<u32>,
    starts: Vec<u32>,
    /// Properties in which the cards of the current group differ from the current card.
    open: Vec<usize>,
    root: Candidates,
    cover: Search,
}

impl Exact {
    /// An empty board.
    pub fn new(rules: &Rules) -> Self {
        Self {
            rules: *rules,
            waiting: Vec::new(),
            checked: Vec::new(),
            columns: vec![Vec::new(); rules.properties()],
            rows: vec![0; rules.values() * rules.properties() * NARROW],
            items: Vec::new(),
            current_items: Vec::new(),
            current: Vec::new(),
            agreement: Vec::new(),
            groups: Vec::new(),
            starts: Vec::new(),
            open: Vec::new(),
            root: Candidates::default(),
            cover: Search::default(),
        }
    }

    /// Indices of checked cards that make a set with the card.
    fn partners(
        &mut self,
        card: Card,
        budget: &Budget,
        watcher: &mut impl Watcher,
    ) -> Result<Option<Vec<u32>>, Stop> {
        self.current.clear();
        self.current.extend(self.rules.values_of(card));
        let v = self.rules.values();
        self.current_items.clear();
        self.current_items.extend(
            self.current.iter().enumerate().map(|(j, &value)| (j * v + usize::from(value)) as u16),
        );
        if self.checked.len() <= FEW {
            let Self { rows, items, current_items, checked, cover, .. } = self;
            let board = Seen { rows, items, current: current_items, values: v };
            let mut named = Named { watcher, card, checked };
            return cover.run_groups(&board, budget, &mut named);
        }
        self.compare_with_current();
        self.group_by_agreement();
        let wanted = self.rules.values() - 1;
        let mut start = 0;
        while start < self.groups.len() {
            let agreement = self.agreement[self.groups[start] as usize];
            let size = self.groups[start..]
                .iter()
                .take_while(|&&place| self.agreement[place as usize] == agreement)
                .count();
            let group = &self.groups[start..start + size];
            start += size;
            if size < wanted {
                continue;
            }
            self.open.clear();
            self.open.extend((0..self.columns.len()).filter(|j| agreement >> j & 1 == 0));
            let columns = self.open.iter().map(|&j| (&self.columns[j][..], self.current[j]));
            self.root.fill(group, columns, wanted);
            if let Some(found) = self.cover.run(&self.root, budget)? {
                return Ok(Some(found.iter().map(|&i| group[i as usize]).collect()));
            }
        }
        Ok(None)
    }

    /// Adds the current card to the checked ones.
    fn add(&mut self, card: Card) {
        let place = self.checked.len();
        self.checked.push(card);
        for (column, &value) in self.columns.iter_mut().zip(&self.current) {
            column.push(value);
        }
        self.items.extend_from_slice(&self.current_items);
        self.flip(place);
    }

    /// Removes a checked card; the last one moves to its place.
    fn remove(&mut self, place: usize) {
        let (p, last) = (self.columns.len(), self.checked.len() - 1);
        self.flip(place);
        if place != last {
            self.flip(last);
            self.items.copy_within(last * p.., place * p);
        }
        self.checked.swap_remove(place);
        for column in &mut self.columns {
            column.swap_remove(place);
        }
        self.items.truncate(last * p);
        if place != last {
            self.flip(place);
        }
    }

    /// Adds the card at a place to its rows, or removes it.
    fn flip(&mut self, place: usize) {
        if place < FEW {
            let p = self.columns.len();
            for &item in &self.items[place * p..][..p] {
                self.rows[usize::from(item) * NARROW + place / 64] ^= 1 << (place % 64);
            }
        }
    }

    fn compare_with_current(&mut self) {
        self.agreement.clear();
        self.agreement.resize(self.checked.len(), 0);
        for (j, (column, &current)) in self.columns.iter().zip(&self.current).enumerate() {
            for (agreement, &value) in self.agreement.iter_mut().zip(column) {
                *agreement |= u32::from(value == current) << j;
            }
        }
    }

    /// Those that agree most come first, because their groups are small and a set there is found
    /// cheaply.
    fn group_by_agreement(&mut self) {
        let properties = self.columns.len();
        self.groups.clear();
        if properties > TABLE_UP_TO {
            self.groups.extend(0..self.checked.len() as u32);
            let agreement = &self.agreement;
            self.groups.sort_unstable_by_key(|&place| !agreement[place as usize]);
            return;
        }
        let last = (1usize << properties) - 1;
        self.starts.clear();
        self.starts.resize(last + 1, 0);
        for &agreement in &self.agreement {
            self.starts[last - agreement as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += std::mem::replace(start, sum);
        }
        self.groups.resize(self.checked.len(), 0);
        for (place, &agreement) in self.agreement.iter().enumerate() {
            let start = &mut self.starts[last - agreement as usize];
            self.groups[*start as usize] = place as u32;
            *start += 1;
        }
    }
}

/// Gives the branches of a search to a watcher, with cards for their places.
struct Named<'a, O> {
    watcher: &'a mut O,
    card: Card,
    checked: &'a [Card],
}

impl<O: Watcher> Branches for Named<'_, O> {
    #[inline(always)]
    fn branch(&mut self, path: &[u32], chosen: Option<usize>, left: &[u64]) {
        let Self { watcher, card, checked } = self;
        watcher.see(|| {
            let path = path.iter().map(|&place| place as usize).chain(chosen);
            let cards = [*card].into_iter().chain(path.map(|place| checked[place])).collect();
            let mut fitting = Vec::new();
            for_each_bit(left, |place| fitting.push(checked[place]));
            Step::Branch { cards, left: fitting }
        });
    }
}

impl Watched for Exact {
    fn clear(&mut self) {
        self.waiting.clear();
        self.checked.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        self.rows.fill(0);
        self.items.clear();
    }

    fn drawn(&mut self, cards: &[Card]) {
        self.waiting.extend_from_slice(cards);
    }

    fn removed(&mut self, set: &[Card]) {
        for &card in set {
            if let Some(place) = self.waiting.iter().rposition(|&c| c == card) {
                self.waiting.swap_remove(place);
            } else if let Some(place) = self.checked.iter().position(|&c| c == card) {
                self.remove(place);
            }
        }
    }

    /// Branches are shown while the board has at most [`FEW`] checked cards.
    fn search(
        &mut self,
        budget: &Budget,
        set: &mut Vec<Card>,
        watcher: &mut impl Watcher,
    ) -> Result<bool, Stop> {
        while let Some(&card) = self.waiting.last() {
            watcher.see(|| Step::Turn(card));
            if let Some(partners) = self.partners(card, budget, watcher)? {
                set.push(card);
                set.extend(partners.iter().map(|&place| self.checked[place as usize]));
                return Ok(true);
            }
            self.waiting.pop();
            self.add(card);
        }
        Ok(false)
    }

    fn bytes(&self) -> Option<usize> {
        let cards = self.waiting.capacity() + self.checked.capacity();
        let columns: usize = self.columns.iter().map(Vec::capacity).sum();
        let numbers = self.agreement.capacity() + self.groups.capacity() + self.starts.capacity();
        let rows = self.rows.capacity() * 8 + self.items.capacity() * 2;
        Some(cards * 8 + rows + columns + numbers * 4 + self.root.bytes() + self.cover.bytes())
    }
}
