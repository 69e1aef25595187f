//! The exact cover: v - 1 cards of a group that together have every open value of every open
//! property exactly once.

use super::narrow::{Board, Dispatched, NARROW, Narrow, Task, first_bits, for_each_bit};
use crate::solver::{Budget, Stop};

/// Candidate cards of a group, as a set of bits for each item. An *item* is an open value of an
/// open property; a cover contains every item exactly once.
#[derive(Default)]
pub(super) struct Candidates {
    /// Number of candidates.
    cards: usize,
    /// Number of words in a row, with a bit for each candidate.
    words: usize,
    /// Number of open properties, which is the number of items of a card.
    properties: usize,
    /// Number of cards still to choose: open values of each property.
    wanted: usize,
    /// A row for each item, property after property: the candidates that contain it.
    rows: Vec<u64>,
    /// The items of each candidate, one for each open property.
    items: Vec<u16>,
    /// Each candidate's index in the table that this one was derived from.
    origin: Vec<u32>,
}

/// Words between two rows: as many as needed, but a fixed number for all narrow tables.
fn stride(cards: usize) -> usize {
    cards.div_ceil(64).max(NARROW)
}

impl Candidates {
    /// Fills the table for a group. Takes its cards as indices into the columns, the column and the
    /// excluded value of each open property, and the number of cards wanted.
    pub fn fill<'a>(
        &mut self,
        group: &[u32],
        columns: impl ExactSizeIterator<Item = (&'a [u8], u8)>,
        wanted: usize,
    ) {
        self.resize(group.len(), columns.len(), wanted);
        for (property, (column, taken)) in columns.enumerate() {
            let first = property * wanted;
            let items = self.items[property..].iter_mut().step_by(self.properties);
            for (card, (&place, item)) in group.iter().zip(items).enumerate() {
                let value = column[place as usize];
                let row = first + usize::from(value) - usize::from(value > taken);
                *item = row as u16;
                self.rows[row * self.words + card / 64] |= 1 << (card % 64);
            }
        }
    }

    /// Fills the table with the `live` candidates of another one after the choice of a card.
    fn narrow(&mut self, from: &Self, live: &[u64], chosen: usize) {
        let cards = live.iter().map(|word| word.count_ones() as usize).sum();
        self.resize(cards, from.properties, from.wanted - 1);
        self.origin.clear();
        let taken = from.items_of(chosen);
        let (words, properties) = (self.words, self.properties);
        for_each_bit(live, |old| {
            let card = self.origin.len();
            self.origin.push(old as u32);
            let new_items = &mut self.items[card * properties..][..properties];
            for (property, (new_item, (&item, &taken))) in
                new_items.iter_mut().zip(from.items_of(old).iter().zip(taken)).enumerate()
            {
                // Each property has lost one item, so the items after it move up.
                let item = usize::from(item) - property - usize::from(item > taken);
                *new_item = item as u16;
                self.rows[item * words + card / 64] |= 1 << (card % 64);
            }
        });
    }

    fn resize(&mut self, cards: usize, properties: usize, wanted: usize) {
        self.cards = cards;
        self.properties = properties;
        self.wanted = wanted;
        self.words = stride(cards);
        self.rows.clear();
        self.rows.resize(properties * wanted * self.words, 0);
        self.items.clear();
        self.items.resize(cards * properties, 0);
    }

    fn items_of(&self, card: usize) -> &[u16] {
        &self.items[card * self.properties..][..self.properties]
    }

    fn row(&self, item: usize) -> &[u64] {
        &self.rows[item * self.words..][..self.words]
    }

    /// The item with the fewest candidates, and their number.
    fn rarest_item(&self) -> (usize, u32) {
        let count = |row: &[u64]| row.iter().map(|word| word.count_ones()).sum();
        let counts = self.rows.chunks_exact(self.words).map(count).enumerate();
        counts.min_by_key(|&(_, count)| count).unwrap_or((0, 0))
    }

    /// Memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * 8 + self.items.capacity() * 2 + self.origin.capacity() * 4
    }
}

/// Searches for exact covers; keeps its working memory between searches.
///
/// A depth-first search that always branches on an item with few candidates and tries each of them
/// (Knuth, "Dancing Links", 2000). Candidates are bits, so a choice is one pass over the rows of
/// the chosen card's items. A wide table is first reduced to the candidates that survive a choice.
pub(super) struct Search {
    arch: pulp::Arch,
    narrow: Narrow,
    /// Reduced tables, by number of cards chosen.
    tables: Vec<Candidates>,
    live: Vec<u64>,
    /// 0, 1, 2, ...: a table contains only open properties.
    all: Vec<u16>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            arch: pulp::Arch::new(),
            narrow: Narrow::default(),
            tables: Vec::new(),
            live: Vec::new(),
            all: (0..=u8::MAX.into()).collect(),
        }
    }
}

impl Search {
    /// Candidates of the table that cover every item exactly once.
    pub fn run(&mut self, table: &Candidates, budget: &Budget) -> Result<Option<Vec<u32>>, Stop> {
        self.descend(table, 0, budget)
    }

    /// The same within each group of a board with few cards, without separate tables.
    pub fn run_groups(
        &mut self,
        board: &Seen<'_>,
        budget: &Budget,
    ) -> Result<Option<Vec<u32>>, Stop> {
        let &Seen { items, current, values, .. } = board;
        let cards = items.len() / current.len();
        let groups = Groups { board, cards };
        let narrow = &mut self.narrow;
        let covered = (values - 1) * current.len();
        let found = match (cards.div_ceil(64), covered) {
            (_, 129..) => self.arch.dispatch(Dispatched::<_, 8, 32>(groups, narrow, budget)),
            (0..=1, ..=64) => self.arch.dispatch(Dispatched::<_, 1, 1>(groups, narrow, budget)),
            (2, ..=64) => self.arch.dispatch(Dispatched::<_, 2, 1>(groups, narrow, budget)),
            (3..=4, ..=64) => self.arch.dispatch(Dispatched::<_, 4, 1>(groups, narrow, budget)),
            (_, ..=64) => self.arch.dispatch(Dispatched::<_, 8, 1>(groups, narrow, budget)),
            (0..=2, _) => self.arch.dispatch(Dispatched::<_, 2, 2>(groups, narrow, budget)),
            (3..=4, _) => self.arch.dispatch(Dispatched::<_, 4, 2>(groups, narrow, budget)),
            _ => self.arch.dispatch(Dispatched::<_, 8, 2>(groups, narrow, budget)),
        }?;
        Ok(found.then(|| self.narrow.path.clone()))
    }

    fn descend(
        &mut self,
        table: &Candidates,
        level: usize,
        budget: &Budget,
    ) -> Result<Option<Vec<u32>>, Stop> {
        if table.cards < table.wanted {
            return Ok(None);
        }
        if table.words <= NARROW {
            let found = self.search_narrow(table, budget)?;
            return Ok(found.then(|| self.narrow.path.clone()));
        }
        if table.wanted == 1 {
            return Ok(Some(vec![0]));
        }
        if self.tables.len() == level {
            self.tables.push(Candidates::default());
        }
        let (rarest, count) = table.rarest_item();
        let mut branch = Vec::with_capacity(count as usize);
        for_each_bit(table.row(rarest), |card| branch.push(card));
        for card in branch {
            self.live.clear();
            self.live.extend((0..table.words).map(|word| first_bits(table.cards, word)));
            for &item in table.items_of(card) {
                for (live, row) in self.live.iter_mut().zip(table.row(usize::from(item))) {
                    *live &= !row;
                }
            }
            let mut next = std::mem::take(&mut self.tables[level]);
            next.narrow(table, &self.live, card);
            let found = self.descend(&next, level + 1, budget).map(|found| {
                found.map(|mut cards| {
                    cards.iter_mut().for_each(|card| *card = next.origin[*card as usize]);
                    cards.push(card as u32);
                    cards
                })
            });
            self.tables[level] = next;
            if !matches!(found, Ok(None)) {
                return found;
            }
        }
        Ok(None)
    }

    fn search_narrow(&mut self, table: &Candidates, budget: &Budget) -> Result<bool, Stop> {
        let search = TableSearch { table, open: &self.all[..table.properties] };
        let narrow = &mut self.narrow;
        match (table.cards.div_ceil(64), table.properties * table.wanted) {
            (_, 129..) => self.arch.dispatch(Dispatched::<_, 8, 32>(search, narrow, budget)),
            (0..=1, ..=64) => self.arch.dispatch(Dispatched::<_, 1, 1>(search, narrow, budget)),
            (2, ..=64) => self.arch.dispatch(Dispatched::<_, 2, 1>(search, narrow, budget)),
            (3, ..=64) => self.arch.dispatch(Dispatched::<_, 3, 1>(search, narrow, budget)),
            (4, ..=64) => self.arch.dispatch(Dispatched::<_, 4, 1>(search, narrow, budget)),
            (5..=6, ..=64) => self.arch.dispatch(Dispatched::<_, 6, 1>(search, narrow, budget)),
            (_, ..=64) => self.arch.dispatch(Dispatched::<_, 8, 1>(search, narrow, budget)),
            (0..=2, _) => self.arch.dispatch(Dispatched::<_, 2, 2>(search, narrow, budget)),
            (3..=4, _) => self.arch.dispatch(Dispatched::<_, 4, 2>(search, narrow, budget)),
            (5..=6, _) => self.arch.dispatch(Dispatched::<_, 6, 2>(search, narrow, budget)),
            _ => self.arch.dispatch(Dispatched::<_, 8, 2>(search, narrow, budget)),
        }
    }

    /// Memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        let tables: usize = self.tables.iter().map(Candidates::bytes).sum();
        tables + self.narrow.bytes() + self.live.capacity() * 8 + self.all.capacity() * 2
    }
}

/// A whole table as one search.
struct TableSearch<'a> {
    table: &'a Candidates,
    open: &'a [u16],
}

impl Task for TableSearch<'_> {
    #[inline(always)]
    fn run<const W: usize, const M: usize>(
        self,
        narrow: &mut Narrow,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let Self { table, open } = self;
        narrow.set_items(0..(table.properties * table.wanted) as u16);
        let board = Board {
            rows: table.rows.as_chunks().0,
            items: &table.items,
            per_card: table.properties,
            open,
            wanted: table.wanted,
        };
        let live = std::array::from_fn(|word| first_bits(table.cards, word));
        narrow.depth_first::<W, M>(&board, live, budget)
    }
}

/// A board with few cards from the view of a new card.
pub(super) struct Seen<'a> {
    /// A row for each (property, value), [`NARROW`] words apart.
    pub rows: &'a [u64],
    /// Indices of each card's rows, p per card.
    pub items: &'a [u16],
    /// Indices of the new card's rows.
    pub current: &'a [u16],
    pub values: usize,
}

/// One search for each group of such a board.
struct Groups<'a> {
    board: &'a Seen<'a>,
    cards: usize,
}

impl Task for Groups<'_> {
    #[inline(always)]
    fn run<const W: usize, const M: usize>(
        self,
        narrow: &mut Narrow,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let &Seen { items, current, values, .. } = self.board;
        let rows = self.board.rows.as_chunks::<NARROW>().0;
        let properties = current.len();
        let wanted = values - 1;
        // Divide the cards, property by property, into those that agree with the new card and those
        // that do not. A part with too few cards for a set is dropped.
        let mut parts = std::mem::take(&mut narrow.parts);
        parts.clear();
        parts.push((0, 0, std::array::from_fn(|word| first_bits(self.cards, word))));
        let mut result = Ok(false);
        while let Some((depth, agreement, part)) = parts.pop() {
            let mut size = 0;
            for word in &part[..W] {
                size += word.count_ones() as usize;
            }
            if size < wanted {
                continue;
            }
            if depth < properties {
                let row = &rows[usize::from(current[depth])];
                let (mut agree, mut differ) = (part, part);
                for i in 0..W {
                    agree[i] &= row[i];
                    differ[i] &= !row[i];
                }
                parts.push((depth + 1, agreement, differ));
                parts.push((depth + 1, agreement | 1 << depth, agree));
                continue;
            }
            let mut open = std::mem::take(&mut narrow.open);
            open.clear();
            open.extend((0..properties as u16).filter(|j| agreement >> j & 1 == 0));
            narrow.set_items(open.iter().flat_map(|&j| {
                let first = j * values as u16;
                (first..first + values as u16).filter(move |&item| item != current[usize::from(j)])
            }));
            let board = Board { rows, items, per_card: properties, open: &open, wanted };
            let live = std::array::from_fn(|word| part[word]);
            result = narrow.depth_first::<W, M>(&board, live, budget);
            narrow.open = open;
            if !matches!(result, Ok(false)) {
                break;
            }
        }
        narrow.parts = parts;
        result
    }
}
