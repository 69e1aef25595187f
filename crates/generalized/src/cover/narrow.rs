//! The innermost search: an exact cover among few candidates, stored as bits in registers.

use crate::solver::{Budget, Stop};

/// Number of words in a row of candidates: at most 512 candidates.
pub(super) const NARROW: usize = 8;

/// Number of items considered in the choice of the next branch: those that were rarest at the
/// start.
const INSPECTED: usize = 16;

/// Nodes between two checks of the clock.
const STEPS: u32 = 1 << 12;

/// The data of a search.
pub(super) struct Board<'a> {
    /// The candidates that have each item.
    pub rows: &'a [[u64; NARROW]],
    /// The items of each candidate, `per_card` each.
    pub items: &'a [u16],
    pub per_card: usize,
    /// The items of a candidate that count: open properties.
    pub open: &'a [u16],
    /// Number of cards to choose: values still open in each open property.
    pub wanted: usize,
}

/// A search with `W` words per row and at most `64 * M` items.
pub(super) trait Task {
    fn run<const W: usize, const M: usize>(
        self,
        narrow: &mut Narrow,
        budget: &Budget,
    ) -> Result<bool, Stop>;
}

/// A task that is compiled twice, so that better instructions (wide registers, population count)
/// are used if the processor has them. A closure would not be inlined into the better version.
pub(super) struct Dispatched<'a, T, const W: usize, const M: usize>(
    pub T,
    pub &'a mut Narrow,
    pub &'a Budget,
);

impl<T: Task, const W: usize, const M: usize> pulp::WithSimd for Dispatched<'_, T, W, M> {
    type Output = Result<bool, Stop>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        self.0.run::<W, M>(self.1, self.2)
    }
}

/// A part of the cards while they are divided into groups: number of properties processed, those
/// that agree (a bit for each of at most 63, as 2^64 cards are too many), the cards.
type Part = (usize, u64, [u64; NARROW]);

/// Working memory, reused by later searches.
#[derive(Default)]
pub(super) struct Narrow {
    /// The cards chosen so far; the cover, once it is found.
    pub path: Vec<u32>,
    pub parts: Vec<Part>,
    pub open: Vec<u16>,
    /// For each node on the current path: the surviving candidates, the untried candidates of its
    /// branch, its open items.
    live: Vec<u64>,
    branch: Vec<u64>,
    items_open: Vec<u64>,
    /// The items to cover, the number of candidates of each, the items by rank (the rarest first),
    /// and the rank of each.
    items: Vec<u16>,
    counts: Vec<u32>,
    order: Vec<u16>,
    rank: Vec<u16>,
    steps: u32,
}

impl Narrow {
    /// Sets the items to cover in the next search.
    #[inline(always)]
    pub fn set_items(&mut self, items: impl Iterator<Item = u16>) {
        self.items.clear();
        self.items.extend(items);
    }

    /// Searches for a cover without recursion, so that all of it is compiled for the same
    /// processor. Leaves the cover in `path`.
    #[inline(always)]
    #[expect(
        clippy::too_many_lines,
        reason = "the loop of a search, whose state stays in registers"
    )]
    pub fn depth_first<const W: usize, const M: usize>(
        &mut self,
        board: &Board,
        start: [u64; W],
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let rows = board.rows;
        let wanted = board.wanted;
        self.counts.clear();
        for &item in &self.items {
            let row = &rows[usize::from(item)];
            let mut count = 0;
            for i in 0..W {
                count += (row[i] & start[i]).count_ones();
            }
            if count == 0 {
                return Ok(false);
            }
            self.counts.push(count);
        }
        self.path.clear();
        if wanted == 1 {
            // Any candidate covers all open items.
            let mut start = start;
            self.path.extend(take_first(&mut start).map(|card| card as u32));
            return Ok(!self.path.is_empty());
        }
        self.rank_items(rows.len());
        grow(&mut self.live, wanted * W);
        grow(&mut self.branch, wanted * W);
        grow(&mut self.items_open, wanted * M);
        let lives = self.live.as_chunks_mut::<W>().0;
        let branches = self.branch.as_chunks_mut::<W>().0;
        let opens = self.items_open.as_chunks_mut::<M>().0;
        let order = &self.order[..self.items.len()];

        lives[0] = start;
        opens[0] = std::array::from_fn(|word| first_bits(order.len(), word));
        let first = &rows[usize::from(order[0])];
        for i in 0..W {
            branches[0][i] = start[i] & first[i];
        }
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
            let items = &board.items[card * board.per_card..][..board.per_card];
            let mut excluded = [0; W];
            for &property in board.open {
                let row = &rows[usize::from(items[usize::from(property)])];
                for i in 0..W {
                    excluded[i] |= row[i];
                }
            }
            let mut live = lives[depth];
            for i in 0..W {
                live[i] &= !excluded[i];
            }
            // Only one more card is needed after this one: any survivor covers all open items.
            if depth + 2 == wanted {
                if let Some(last) = take_first(&mut live) {
                    self.path.extend([card as u32, last as u32]);
                    return Ok(true);
                }
                continue;
            }
            let mut open = opens[depth];
            for &property in board.open {
                let rank = self.rank[usize::from(items[usize::from(property)])];
                open[usize::from(rank) / 64] &= !(1 << (rank % 64));
            }
            let Some(branch) = rarest(rows, order, &live, &open) else { continue };
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

    /// Sorts items by their counts, the smallest first. A counting sort, because every search does
    /// this and the counts are close together.
    #[inline(always)]
    fn rank_items(&mut self, all: usize) {
        const SPAN: usize = 64;
        let least = self.counts.iter().copied().min().unwrap_or(0);
        // Items beyond are far from rare, and their order does not matter.
        let bucket = |count: u32| ((count - least) as usize).min(SPAN - 1);
        let mut starts = [0u16; SPAN];
        for &count in &self.counts {
            starts[bucket(count)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        if self.rank.len() < all {
            self.order.resize(all, 0);
            self.rank.resize(all, 0);
        }
        for (&item, &count) in self.items.iter().zip(&self.counts) {
            let start = &mut starts[bucket(count)];
            self.order[usize::from(*start)] = item;
            self.rank[usize::from(item)] = *start;
            *start += 1;
        }
    }

    /// Memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        let words = self.live.capacity() + self.branch.capacity() + self.items_open.capacity();
        let numbers = self.open.capacity()
            + self.items.capacity()
            + self.order.capacity()
            + self.rank.capacity();
        words * 8
            + numbers * 2
            + (self.path.capacity() + self.counts.capacity()) * 4
            + self.parts.capacity() * size_of::<Part>()
    }
}

/// The item with the fewest survivors among the first [`INSPECTED`] open ones; `None` if one of them
/// has none. Considering more items finds better branches but costs more than it saves.
#[inline(always)]
fn rarest<const W: usize, const M: usize>(
    rows: &[[u64; NARROW]],
    order: &[u16],
    live: &[u64; W],
    open: &[u64; M],
) -> Option<usize> {
    let mut best = (u32::MAX, 0);
    let mut left = INSPECTED;
    for (i, &word) in open.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            let item = usize::from(order[i * 64 + rest.trailing_zeros() as usize]);
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
            left -= 1;
            if left == 0 {
                return Some(best.1);
            }
        }
    }
    Some(best.1)
}

/// The word with this index in a set of the first `count` bits.
#[inline(always)]
pub(super) const fn first_bits(count: usize, word: usize) -> u64 {
    match count.saturating_sub(word * 64) {
        0 => 0,
        bits @ 1..64 => (1 << bits) - 1,
        _ => !0,
    }
}

/// Removes the first bit and returns its index.
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

/// Calls for each bit that is set, with its index.
pub(super) fn for_each_bit(words: &[u64], mut act: impl FnMut(usize)) {
    for (i, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            act(i * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

fn grow(words: &mut Vec<u64>, len: usize) {
    if words.len() < len {
        words.resize(len, 0);
    }
}
