//! The exact cover: v - 1 cards of a group that have every open value of every open property once.

use crate::general::solver::{Budget, Stop};

/// Tables up to this many words a row are searched with rows held in registers.
const NARROW: usize = 8;

/// Items that the choice of the next branch looks at: those that are rarest in the whole table.
const LOOKS: usize = 24;

/// Nodes between two looks at the clock.
const STEPS: u32 = 1 << 12;

/// Candidate cards of a group, as one set of bits for each item. An *item* is an open value of an
/// open property; a cover takes every item exactly once.
#[derive(Default)]
pub(super) struct Table {
    /// Candidates.
    cards: usize,
    /// Words of a row: a bit for each candidate.
    words: usize,
    /// Open properties: items of a card.
    properties: usize,
    /// Cards still to choose: open values of each property.
    wanted: usize,
    /// A row for each item, the rarest item first: the candidates that have it.
    rows: Vec<u64>,
    /// The items of each candidate, one for each open property.
    items: Vec<u16>,
    /// What the candidate was called in the table this one comes from.
    origin: Vec<u32>,
    /// Room for counting and ordering.
    counts: Vec<u32>,
    order: Vec<u32>,
    rank: Vec<u16>,
}

/// Words of a row: what is needed, rounded up to what [`Search::sized`] is compiled for.
fn stride(cards: usize, items: usize) -> usize {
    match (cards.div_ceil(64), items) {
        (words @ NARROW.., _) => words,
        (_, 129..) => NARROW,
        (5, _) => 6,
        (7, _) => 8,
        (words, _) => words,
    }
}

/// No item: the value is taken.
const TAKEN: u16 = u16::MAX;

impl Table {
    /// A table for a group: its cards by place in the columns; for each open property the column
    /// and the value already taken. False if some item has no candidate.
    pub fn fill<'a>(
        &mut self,
        group: &[u32],
        columns: impl Iterator<Item = (&'a [u8], u8)>,
        wanted: usize,
    ) -> bool {
        self.cards = group.len();
        self.wanted = wanted;
        self.origin.clear();
        // Values as items, property after property; the candidates' items column by column.
        self.items.clear();
        self.counts.clear();
        let mut properties = 0;
        for (column, taken) in columns {
            let first = properties * wanted;
            self.counts.resize(first + wanted, 0);
            for &place in group {
                let value = column[place as usize];
                let item = first + usize::from(value) - usize::from(value > taken);
                self.counts[item] += 1;
                self.items.push(item as u16);
            }
            if self.counts[first..].contains(&0) {
                return false;
            }
            properties += 1;
        }
        self.properties = properties;
        self.words = stride(self.cards, properties * wanted);
        self.rank_items(properties * wanted);
        // Now card by card, by rank, and as rows.
        let by_column = std::mem::take(&mut self.items);
        self.clear_rows(properties * wanted);
        self.items.reserve(by_column.len());
        for card in 0..self.cards {
            for property in 0..properties {
                let item = self.rank[usize::from(by_column[property * self.cards + card])];
                self.items.push(item);
                self.rows[usize::from(item) * self.words + card / 64] |= 1 << (card % 64);
            }
        }
        true
    }

    /// A table of the `live` candidates of another after it has chosen one of them. False if some
    /// item has no candidate.
    fn narrow(&mut self, from: &Self, live: &[u64], chosen: usize) -> bool {
        self.properties = from.properties;
        self.wanted = from.wanted - 1;
        self.counts.clear();
        self.counts.resize(from.rows.len() / from.words, 0);
        let taken = from.items_of(chosen);
        for (item, row) in from.rows.chunks_exact(from.words).enumerate() {
            self.counts[item] = row.iter().zip(live).map(|(a, b)| (a & b).count_ones()).sum();
            if self.counts[item] == 0 && !taken.contains(&(item as u16)) {
                return false;
            }
        }
        for &item in taken {
            self.counts[usize::from(item)] = u32::MAX;
        }
        self.rank_items(self.properties * self.wanted);
        self.cards = live.iter().map(|word| word.count_ones() as usize).sum();
        self.words = stride(self.cards, self.properties * self.wanted);
        self.clear_rows(self.properties * self.wanted);
        self.items.clear();
        self.origin.clear();
        for_each_bit(live, |old| {
            let card = self.origin.len();
            self.origin.push(old as u32);
            for &item in from.items_of(old) {
                let item = self.rank[usize::from(item)];
                self.items.push(item);
                self.rows[usize::from(item) * self.words + card / 64] |= 1 << (card % 64);
            }
        });
        true
    }

    /// Ranks items by `counts`, the rarest first; all but the first `kept` are taken.
    fn rank_items(&mut self, kept: usize) {
        self.order.clear();
        self.order.extend(0..self.counts.len() as u32);
        let counts = &self.counts;
        self.order.sort_unstable_by_key(|&item| (counts[item as usize], item));
        self.rank.clear();
        self.rank.resize(self.counts.len(), TAKEN);
        for (rank, &item) in self.order[..kept].iter().enumerate() {
            self.rank[item as usize] = rank as u16;
        }
    }

    fn clear_rows(&mut self, items: usize) {
        self.rows.clear();
        self.rows.resize(items * self.words, 0);
    }

    fn items_of(&self, card: usize) -> &[u16] {
        &self.items[card * self.properties..][..self.properties]
    }

    fn row(&self, item: usize) -> &[u64] {
        &self.rows[item * self.words..][..self.words]
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * 8
            + (self.items.capacity() + self.rank.capacity()) * 2
            + (self.origin.capacity() + self.counts.capacity() + self.order.capacity()) * 4
    }
}

fn for_each_bit(words: &[u64], mut act: impl FnMut(usize)) {
    for (i, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            act(i * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// Looks for exact covers, and keeps its working memory from one search to the next.
///
/// A depth-first search that always takes an item with few candidates and tries each of them
/// (Knuth, "Dancing Links", 2000). Candidates are bits, so a choice is one pass over the rows of the
/// chosen card's items. A wide table is first narrowed to the candidates that survive a choice.
pub(super) struct Search {
    arch: pulp::Arch,
    /// Narrowed tables, by number of cards chosen.
    tables: Vec<Table>,
    live: Vec<u64>,
    /// Of each node on the way to the current one: the survivors, the candidates of its branch yet
    /// to try, its open items.
    stack_live: Vec<u64>,
    stack_branch: Vec<u64>,
    stack_open: Vec<u64>,
    /// Cards chosen in the narrow search.
    path: Vec<u32>,
    steps: u32,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            arch: pulp::Arch::new(),
            tables: Vec::new(),
            live: Vec::new(),
            stack_live: Vec::new(),
            stack_branch: Vec::new(),
            stack_open: Vec::new(),
            path: Vec::new(),
            steps: 0,
        }
    }
}

impl Search {
    /// Candidates of the table that cover every item once.
    pub fn run(&mut self, table: &Table, budget: &Budget) -> Result<Option<Vec<u32>>, Stop> {
        self.descend(table, 0, budget)
    }

    fn descend(
        &mut self,
        table: &Table,
        level: usize,
        budget: &Budget,
    ) -> Result<Option<Vec<u32>>, Stop> {
        if table.wanted == 1 {
            return Ok(Some(vec![0]));
        }
        if table.words <= NARROW {
            let found = self.narrow_search(table, budget)?;
            return Ok(found.then(|| self.path.clone()));
        }
        if self.tables.len() == level {
            self.tables.push(Table::default());
        }
        let mut branch = Vec::new();
        for_each_bit(table.row(0), |card| branch.push(card));
        for card in branch {
            self.live.clear();
            self.live.resize(table.words, !0);
            // Wide tables have no spare words, only spare bits in the last.
            self.live[table.words - 1] >>= table.words * 64 - table.cards;
            for &item in table.items_of(card) {
                for (live, row) in self.live.iter_mut().zip(table.row(usize::from(item))) {
                    *live &= !row;
                }
            }
            let mut next = std::mem::take(&mut self.tables[level]);
            let found = if next.narrow(table, &self.live, card) {
                self.descend(&next, level + 1, budget)
            } else {
                Ok(None)
            };
            let found = found.map(|found| {
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

    fn narrow_search(&mut self, table: &Table, budget: &Budget) -> Result<bool, Stop> {
        match (table.words, table.rows.len() / table.words) {
            (1, ..=64) => self.sized::<1, 1>(table, budget),
            (2, ..=64) => self.sized::<2, 1>(table, budget),
            (3, ..=64) => self.sized::<3, 1>(table, budget),
            (4, ..=64) => self.sized::<4, 1>(table, budget),
            (6, ..=64) => self.sized::<6, 1>(table, budget),
            (_, ..=64) => self.sized::<8, 1>(table, budget),
            (1, ..=128) => self.sized::<1, 2>(table, budget),
            (2, ..=128) => self.sized::<2, 2>(table, budget),
            (3, ..=128) => self.sized::<3, 2>(table, budget),
            (4, ..=128) => self.sized::<4, 2>(table, budget),
            (6, ..=128) => self.sized::<6, 2>(table, budget),
            (_, ..=128) => self.sized::<8, 2>(table, budget),
            // 255 values and 8 properties are the most: 2,032 items.
            _ => self.sized::<8, 32>(table, budget),
        }
    }

    fn sized<const W: usize, const M: usize>(
        &mut self,
        table: &Table,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        // The same code is compiled twice, and the processor's better instructions (wide
        // registers, counting of bits) are used where it has them.
        let arch = self.arch;
        arch.dispatch(|| self.depth_first::<W, M>(table, budget))
    }
}

impl Search {
    /// The search in a table of `W` words a row and at most `64 * M` items, without recursion so
    /// that all of it is compiled for the same processor. The cover is left in `path`.
    #[inline(always)]
    fn depth_first<const W: usize, const M: usize>(
        &mut self,
        table: &Table,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let wanted = table.wanted;
        grow(&mut self.stack_live, wanted * W);
        grow(&mut self.stack_branch, wanted * W);
        grow(&mut self.stack_open, wanted * M);
        let lives = self.stack_live.as_chunks_mut::<W>().0;
        let branches = self.stack_branch.as_chunks_mut::<W>().0;
        let opens = self.stack_open.as_chunks_mut::<M>().0;
        let rows = table.rows.as_chunks::<W>().0;
        let properties = table.properties;

        self.path.clear();
        lives[0] = first_bits(table.cards);
        opens[0] = first_bits(rows.len());
        branches[0] = rows[0];
        let mut depth = 0;
        loop {
            let Some(card) = take_first(&mut branches[depth]) else {
                if depth == 0 {
                    return Ok(false);
                }
                depth -= 1;
                self.path.pop();
                continue;
            };
            let items = &table.items[card * properties..][..properties];
            let mut excluded = [0; W];
            for &item in items {
                let row = &rows[usize::from(item)];
                for i in 0..W {
                    excluded[i] |= row[i];
                }
            }
            let mut live = lives[depth];
            for i in 0..W {
                live[i] &= !excluded[i];
            }
            // One more card to choose after this: whoever survives has all that is open.
            if depth + 2 == wanted {
                if let Some(last) = take_first(&mut live) {
                    self.path.extend([card as u32, last as u32]);
                    return Ok(true);
                }
                continue;
            }
            let mut open = opens[depth];
            for &item in items {
                open[usize::from(item) / 64] &= !(1 << (item % 64));
            }
            let Some(branch) = rarest(rows, &live, &open) else { continue };
            self.steps += 1;
            if self.steps == STEPS {
                self.steps = 0;
                budget.time()?;
            }
            depth += 1;
            self.path.push(card as u32);
            for i in 0..W {
                branches[depth][i] = live[i] & rows[branch][i];
            }
            lives[depth] = live;
            opens[depth] = open;
        }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let words = self.live.capacity()
            + self.stack_live.capacity()
            + self.stack_branch.capacity()
            + self.stack_open.capacity();
        words * 8 + self.tables.iter().map(Table::bytes).sum::<usize>()
    }
}

/// The open item with the fewest survivors among the first [`LOOKS`] open ones; `None` if one of
/// them has none. Looking further finds better branches, but costs more than they save.
#[inline(always)]
fn rarest<const W: usize, const M: usize>(
    rows: &[[u64; W]],
    live: &[u64; W],
    open: &[u64; M],
) -> Option<usize> {
    let mut best = (u32::MAX, 0);
    let mut looks = LOOKS;
    for (i, &word) in open.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            let item = i * 64 + rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let row = &rows[item];
            let mut count = 0;
            for i in 0..W {
                count += (row[i] & live[i]).count_ones();
            }
            if count == 0 {
                return None;
            }
            if count < best.0 {
                best = (count, item);
            }
            looks -= 1;
            if looks == 0 {
                return Some(best.1);
            }
        }
    }
    Some(best.1)
}

/// The first `count` bits.
#[inline(always)]
fn first_bits<const N: usize>(count: usize) -> [u64; N] {
    std::array::from_fn(|i| match count.saturating_sub(i * 64) {
        0 => 0,
        bits @ 1..64 => (1 << bits) - 1,
        _ => !0,
    })
}

/// Takes out the first bit and returns its place.
#[inline(always)]
fn take_first<const W: usize>(words: &mut [u64; W]) -> Option<usize> {
    for (i, word) in words.iter_mut().enumerate() {
        if *word != 0 {
            let bit = word.trailing_zeros() as usize;
            *word &= *word - 1;
            return Some(i * 64 + bit);
        }
    }
    None
}

fn grow(words: &mut Vec<u64>, len: usize) {
    if words.len() < len {
        words.resize(len, 0);
    }
}
