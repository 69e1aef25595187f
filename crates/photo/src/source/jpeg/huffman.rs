//! The codes of JPEGs (ITU T.81, annexes C and F) and where they are read.

use memchr::memchr;

/// Bits by which a coefficient is looked up, and those by which several are that are passed over.
pub(super) const LOOK: u32 = 11;
const SKIP: u32 = 13;
/// More zeros than a block has: its end.
pub(super) const END_OF_BLOCK: u32 = 100;
/// Of the bits of `Huffman::skip`: the block ends behind what they stand for.
const ENDS: u32 = 1 << 15;

/// A table of codes (annex C).
pub(super) struct Huffman {
    /// By the next bits: how many a code and its value take (6 bits), the zeros before the coefficient (7), and
    /// the coefficient (16). 0 where that is more than [`LOOK`].
    pub(super) values: Vec<u32>,
    /// By the next bits: length (8) and symbol (8) of the code; 0 where it is longer.
    codes: Vec<u16>,
    /// By the next bits: how many all codes and values take that are whole (5), how many coefficients they are
    /// (6), and [`ENDS`].
    skip: Vec<u16>,
    /// Of each length the code behind the last, in 16 bits, and the place of its first symbol, less that code.
    limits: [(u32, i32); 17],
    symbols: Vec<u8>,
}

impl Huffman {
    /// From how many codes each length has, and their symbols; `None` if these are no codes.
    pub(super) fn new(counts: &[u8], symbols: &[u8], is_ac: bool) -> Option<Self> {
        let mut codes = vec![0; 1 << LOOK];
        let mut limits = [(0, 0); 17];
        let (mut code, mut at) = (0u32, 0usize);
        for (length, &count) in (1u32..=16).zip(counts) {
            limits[length as usize].1 = at as i32 - code as i32;
            for &symbol in symbols.get(at..at + usize::from(count))? {
                if length <= LOOK {
                    let wide = 1 << (LOOK - length);
                    let from = code as usize * wide;
                    codes
                        .get_mut(from..from + wide)?
                        .fill((length as u16) << 8 | u16::from(symbol));
                }
                code += 1;
            }
            if code > 1 << length {
                return None;
            }
            at += usize::from(count);
            limits[length as usize].0 = code << (16 - length);
            code <<= 1;
        }
        let (values, skip) = (vec![0; 1 << LOOK], vec![0; if is_ac { 1 << SKIP } else { 0 }]);
        let mut table = Self { values, codes, skip, limits, symbols: symbols[..at].to_vec() };
        for next in 0..1u32 << LOOK {
            let code = u32::from(table.codes[next as usize]);
            let (length, symbol) = (code >> 8, code & 255);
            let (zeros, size) = match (is_ac, symbol) {
                (true, 0) => (END_OF_BLOCK, 0),
                (true, _) => (symbol >> 4, symbol & 15),
                (false, _) => (0, symbol),
            };
            if length > 0 && length + size <= LOOK {
                let value = value_of(next >> (LOOK - length - size), size);
                table.values[next as usize] = (length + size) | zeros << 6 | (value as u32) << 16;
            }
        }
        for next in 0..table.skip.len() as u32 {
            let (mut bits, mut coefficients, mut ends) = (0, 0, 0);
            while let Some((length, symbol)) = table.code((next << (16 - SKIP) << bits) & 0xffff) {
                let both = length + (symbol & 15);
                let more = if symbol == 0 { 0 } else { (symbol >> 4) + 1 };
                if bits + both > SKIP || coefficients + more > 63 {
                    break;
                }
                (bits, coefficients) = (bits + both, coefficients + more);
                if symbol == 0 {
                    ends = ENDS;
                    break;
                }
            }
            table.skip[next as usize] = (bits | coefficients << 5 | ends) as u16;
        }
        Some(table)
    }

    /// Length and symbol of the code with which these 16 bits begin.
    #[inline(always)]
    pub(super) fn code(&self, next: u32) -> Option<(u32, u32)> {
        let code = u32::from(self.codes[(next >> (16 - LOOK)) as usize]);
        if code != 0 {
            return Some((code >> 8, code & 255));
        }
        let length = (LOOK + 1..=16).find(|&length| next < self.limits[length as usize].0)?;
        let at = self.limits[length as usize].1 + (next >> (16 - length)) as i32;
        self.symbols.get(at as usize).map(|&symbol| (length, u32::from(symbol)))
    }

    /// Passes over a block's coefficients from `k` on; `None` if they are damaged.
    #[inline(always)]
    pub(super) fn pass_over(&self, data: &[u8], place: &mut Place, mut k: usize) -> Option<()> {
        while k < 64 {
            place.refill(data);
            let many = u32::from(self.skip[place.peek(SKIP)]);
            let (bits, next, ends) = (many & 31, k + (many >> 5 & 63) as usize, many & ENDS != 0);
            // What seems to end a full block is the next block's.
            if bits > 0 && next + usize::from(ends) <= 64 {
                place.consume(bits);
                k = if ends { 64 } else { next };
                continue;
            }
            let (symbol, _) = place.take(self, |symbol| symbol & 15)?;
            k = if symbol == 0 { 64 } else { k + (symbol >> 4) as usize + 1 };
            if k > 64 {
                return None;
            }
        }
        Some(())
    }
}

/// The number that the last `size` of these bits stand for (figure F.12).
#[inline(always)]
fn value_of(bits: u32, size: u32) -> i32 {
    let bits = (bits & ((1 << size) - 1)) as i32;
    if size > 0 && bits < 1 << (size - 1) { bits - (1 << size) + 1 } else { bits }
}

/// Where the data of a scan are read.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    /// The first byte that is not in `bits`.
    at: usize,
    /// The next bits, the first highest, and how many of them there are.
    bits: u64,
    count: u32,
}

impl Place {
    /// Has at least 56 bits; behind the end they are 0.
    #[inline(always)]
    pub(super) fn refill(&mut self, data: &[u8]) {
        let next = data.get(self.at..).and_then(|rest| rest.first_chunk());
        self.bits |= next.map_or(0, |&next| u64::from_be_bytes(next)) >> self.count;
        self.at += ((63 - self.count) >> 3) as usize;
        self.count |= 56;
    }

    #[inline(always)]
    pub(super) fn peek(&self, count: u32) -> usize {
        (self.bits >> (64 - count)) as usize
    }

    #[inline(always)]
    pub(super) fn consume(&mut self, count: u32) {
        self.bits <<= count;
        self.count -= count;
    }

    /// The next code and the bits of its value: its symbol and that value.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        table: &Huffman,
        size_of: impl Fn(u32) -> u32,
    ) -> Option<(u32, i32)> {
        let (length, symbol) = table.code(self.peek(16) as u32)?;
        self.consume(length);
        let size = size_of(symbol);
        let value = value_of((self.bits >> 1 >> (63 - size)) as u32, size);
        self.consume(size);
        Some((symbol, value))
    }

    /// Bytes of the data that were read, without the bits that are left.
    pub(super) fn read(&self) -> usize {
        self.at - self.count as usize / 8
    }
}

/// Takes the data up to the next marker, without what keeps them apart from markers, and with eight bytes of 0
/// behind them; gives that marker, or `None` where the file ends first.
pub(super) fn take_interval(rest: &mut &[u8], data: &mut Vec<u8>) -> Option<u8> {
    data.clear();
    let marker = loop {
        let Some((at, &marker)) = memchr(0xff, rest).and_then(|at| Some((at, rest.get(at + 1)?)))
        else {
            data.extend_from_slice(rest);
            break None;
        };
        data.extend_from_slice(&rest[..at + usize::from(marker == 0)]);
        // Before a marker 0xff may be repeated.
        *rest = &rest[at + 1 + usize::from(marker != 0xff)..];
        if !matches!(marker, 0 | 0xff) {
            break Some(marker);
        }
    };
    data.extend([0; 8]);
    marker
}
