//! Any number of values: an exact cover within each group of checked cards, for each new card.

use super::narrow::NARROW;
use super::table::{Candidates, Search, Seen};
use crate::{
    rules::{Card, Rules},
    solver::{Budget, Solver, Stop},
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{sync::Arc, thread};

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
    /// Unchecked cards; the last one comes first.
    waiting: Vec<Card>,
    board: Checked,
    /// One for each thread.
    workers: Vec<Worker>,
}

struct Checked {
    rules: Rules,
    cards: Vec<Card>,
    /// `columns[j][i]`: value of checked card i in property j.
    columns: Vec<Vec<u8>>,
    /// A row of bits for each (property, value), [`NARROW`] words apart: the cards among the first
    /// [`FEW`] checked ones that have it.
    rows: Vec<u64>,
    /// `items[i * p + j]`: the row of checked card i in property j.
    items: Vec<u16>,
}

/// The memory of a search for the sets of one card.
#[derive(Default)]
struct Worker {
    items: Vec<u16>,
    /// Values of the current card.
    values: Vec<u8>,
    /// For each checked card, the properties in which it agrees with the current card, as bits.
    agreement: Vec<u64>,
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
        Self::on_threads(rules, 1)
    }

    /// An empty board that is searched by so many threads, each for the sets of another card, once it is
    /// large. What is found does not depend on their number.
    pub fn on_threads(rules: &Rules, threads: usize) -> Self {
        Self {
            waiting: Vec::new(),
            board: Checked {
                rules: *rules,
                cards: Vec::new(),
                columns: vec![Vec::new(); rules.properties()],
                rows: vec![0; rules.values() * rules.properties() * NARROW],
                items: Vec::new(),
            },
            workers: (0..threads.max(1)).map(|_| Worker::default()).collect(),
        }
    }

    /// Searches for a set with each of the waiting cards and cards before it, on all threads. The cards
    /// before the first that has one are checked then.
    fn search_together(&mut self, budget: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop> {
        let checked_before = self.board.cards.len();
        let cards: Vec<Card> = self.waiting.iter().rev().copied().collect();
        cards.iter().for_each(|&card| self.board.add(card));
        let (board, budget_until) = (&self.board, budget.for_workers());
        // Set once a card before that one has a set.
        let needless: Vec<Arc<AtomicBool>> = cards.iter().map(|_| Arc::default()).collect();
        let next = AtomicUsize::new(0);
        let work = |worker: &mut Worker| {
            let mut results = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(&card) = cards.get(i) else { return results };
                let budget = budget_until(&needless[i]);
                let result = budget.time().and_then(|()| {
                    worker.partners_in_groups(board, checked_before + i, card, &budget)
                });
                if !matches!(result, Ok(None)) {
                    needless[i + 1..].iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
                }
                results.push((i, result));
            }
        };
        let mut results = thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> =
                self.workers.iter_mut().map(|worker| scope.spawn(move || work(worker))).collect();
            let joined = threads.into_iter().map(|thread| thread.join().expect("no panic"));
            joined.flatten().collect::<Vec<_>>()
        });
        results.sort_unstable_by_key(|&(i, _)| i);
        let first = results.into_iter().find(|(_, result)| !matches!(result, Ok(None)));
        let checked = first.as_ref().map_or(cards.len(), |&(i, _)| i);
        while self.board.cards.len() > checked_before + checked {
            self.board.remove(self.board.cards.len() - 1);
        }
        self.waiting.truncate(cards.len() - checked);
        let Some((_, result)) = first else { return Ok(false) };
        if let Some(partners) = result? {
            set.push(cards[checked]);
            set.extend(partners.iter().map(|&place| self.board.cards[place as usize]));
        }
        Ok(true)
    }
}

impl Checked {
    fn add(&mut self, card: Card) {
        let (place, v) = (self.cards.len(), self.rules.values());
        self.cards.push(card);
        for (j, value) in self.rules.values_of(card).enumerate() {
            self.columns[j].push(value);
            self.items.push((j * v + usize::from(value)) as u16);
        }
        self.flip(place);
    }

    /// Removes a checked card; the last one moves to its place.
    fn remove(&mut self, place: usize) {
        let (p, last) = (self.columns.len(), self.cards.len() - 1);
        self.flip(place);
        if place != last {
            self.flip(last);
            self.items.copy_within(last * p.., place * p);
        }
        self.cards.swap_remove(place);
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
}

impl Worker {
    /// Indices of checked cards that make a set with the card.
    fn partners(
        &mut self,
        board: &Checked,
        card: Card,
        budget: &Budget,
    ) -> Result<Option<Vec<u32>>, Stop> {
        if board.cards.len() > FEW {
            return self.partners_in_groups(board, board.cards.len(), card, budget);
        }
        let v = board.rules.values();
        self.items.clear();
        self.items.extend(
            board
                .rules
                .values_of(card)
                .enumerate()
                .map(|(j, value)| (j * v + usize::from(value)) as u16),
        );
        let Checked { rows, items, .. } = board;
        let table = Seen { rows, items, current: &self.items, values: v };
        self.cover.run_groups(&table, budget)
    }

    /// The same among the first `checked` cards, by a table for each group.
    fn partners_in_groups(
        &mut self,
        board: &Checked,
        checked: usize,
        card: Card,
        budget: &Budget,
    ) -> Result<Option<Vec<u32>>, Stop> {
        self.values.clear();
        self.values.extend(board.rules.values_of(card));
        self.compare_with_current(board, checked);
        self.group_by_agreement(board.columns.len());
        let wanted = board.rules.values() - 1;
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
            self.open.extend((0..board.columns.len()).filter(|j| agreement >> j & 1 == 0));
            let columns = self.open.iter().map(|&j| (&board.columns[j][..], self.values[j]));
            self.root.fill(group, columns, wanted);
            if let Some(found) = self.cover.run(&self.root, budget)? {
                return Ok(Some(found.iter().map(|&i| group[i as usize]).collect()));
            }
        }
        Ok(None)
    }

    fn compare_with_current(&mut self, board: &Checked, checked: usize) {
        self.agreement.clear();
        self.agreement.resize(checked, 0);
        for (j, (column, &current)) in board.columns.iter().zip(&self.values).enumerate() {
            for (agreement, &value) in self.agreement.iter_mut().zip(column) {
                *agreement |= u64::from(value == current) << j;
            }
        }
    }

    /// Those that agree most come first, because their groups are small and a set there is found
    /// cheaply.
    fn group_by_agreement(&mut self, properties: usize) {
        self.groups.clear();
        if properties > TABLE_UP_TO {
            self.groups.extend(0..self.agreement.len() as u32);
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
        self.groups.resize(self.agreement.len(), 0);
        for (place, &agreement) in self.agreement.iter().enumerate() {
            let start = &mut self.starts[last - agreement as usize];
            self.groups[*start as usize] = place as u32;
            *start += 1;
        }
    }

    fn bytes(&self) -> usize {
        let numbers = self.groups.capacity() + self.starts.capacity();
        numbers * 4
            + self.agreement.capacity() * 8
            + self.items.capacity() * 2
            + self.root.bytes()
            + self.cover.bytes()
    }
}

impl Solver for Exact {
    fn clear(&mut self) {
        self.waiting.clear();
        self.board.cards.clear();
        self.board.columns.iter_mut().for_each(Vec::clear);
        self.board.rows.fill(0);
        self.board.items.clear();
    }

    fn drawn(&mut self, cards: &[Card]) {
        self.waiting.extend_from_slice(cards);
    }

    fn removed(&mut self, set: &[Card]) {
        for &card in set {
            if let Some(place) = self.waiting.iter().rposition(|&c| c == card) {
                self.waiting.swap_remove(place);
            } else if let Some(place) = self.board.cards.iter().position(|&c| c == card) {
                self.board.remove(place);
            }
        }
    }

    fn find(&mut self, budget: &Budget, set: &mut Vec<Card>) -> Result<bool, Stop> {
        set.clear();
        while let Some(&card) = self.waiting.last() {
            if self.workers.len() > 1 && self.board.cards.len() > FEW {
                return self.search_together(budget, set);
            }
            let worker = &mut self.workers[0];
            if let Some(partners) = worker.partners(&self.board, card, budget)? {
                set.push(card);
                set.extend(partners.iter().map(|&place| self.board.cards[place as usize]));
                return Ok(true);
            }
            self.waiting.pop();
            self.board.add(card);
        }
        Ok(false)
    }

    fn bytes(&self) -> Option<usize> {
        let cards = self.waiting.capacity() + self.board.cards.capacity();
        let columns: usize = self.board.columns.iter().map(Vec::capacity).sum();
        let rows = self.board.rows.capacity() * 8 + self.board.items.capacity() * 2;
        let workers: usize = self.workers.iter().map(Worker::bytes).sum();
        Some(cards * 8 + rows + columns + workers)
    }
}
