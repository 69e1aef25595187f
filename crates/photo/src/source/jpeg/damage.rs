//! Where the data of a JPEG (ITU T.81) are damaged: its codes are passed over and never transformed, because
//! decoders show something for codes that no encoder writes, and do not say so.

use super::huffman::{Huffman, Place, take_interval};
use super::{SCAN, segments};

/// One of the picture's components.
struct Component {
    id: u8,
    /// Blocks in a unit, across and down.
    blocks: (usize, usize),
    /// Of a progressive picture: blocks in a row, and of each block which coefficients are not 0.
    columns: usize,
    nonzero: Vec<u64>,
}

/// A picture's tables and components, up to the scan that is read.
#[derive(Default)]
struct Walk<'a> {
    /// Of the means, and of the other coefficients.
    tables: [[Option<&'a [u8]>; 4]; 2],
    restart: usize,
    size_px: (usize, usize),
    is_progressive: bool,
    components: Vec<Component>,
}

/// The first row of pixels, as stored, that may be wrong because data are damaged or missing; `None` if all data
/// are as an encoder writes them, or nothing is known of their kind.
///
/// Damage shows at the first code that cannot be, which may be far behind it. So all from the last place on
/// is doubtful at which decoders begin anew: the last restart marker, or else the beginning.
pub(in super::super) fn damaged_from(bytes: &[u8]) -> Option<u32> {
    let mut walk = Walk::default();
    let mut found = Ok(());
    segments(bytes, |marker, content| {
        found = match marker {
            SCAN => pulp::Arch::new().dispatch(Scan { walk: &mut walk, bytes, header: content }),
            _ => walk.header(marker, content).ok_or(None),
        };
        found.is_ok()
    });
    found.err().flatten().map(|row| row as u32)
}

/// The row from which on a picture is doubtful; `None` where this does not know how it is coded.
type Doubt = Option<usize>;

/// A closure would not be inlined into the version for AVX2.
struct Scan<'w, 'a> {
    walk: &'w mut Walk<'a>,
    bytes: &'a [u8],
    header: &'a [u8],
}

impl pulp::WithSimd for Scan<'_, '_> {
    type Output = Result<(), Doubt>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        self.walk.scan(self.bytes, self.header)
    }
}

impl<'a> Walk<'a> {
    /// Takes a segment; `None` if it is of no kind that is known here.
    fn header(&mut self, marker: u8, mut content: &'a [u8]) -> Option<()> {
        match marker {
            0xc0..=0xc2 => {
                let (&[8, h1, h0, w1, w0, _], parts) = content.split_first_chunk()? else {
                    return None;
                };
                self.size_px = (
                    usize::from(w1) << 8 | usize::from(w0),
                    usize::from(h1) << 8 | usize::from(h0),
                );
                self.is_progressive = marker == 0xc2;
                self.components = parts
                    .as_chunks()
                    .0
                    .iter()
                    .map(|part: &[u8; 3]| {
                        let blocks = (usize::from(part[1] >> 4), usize::from(part[1] & 15));
                        Component { id: part[0], blocks, columns: 0, nonzero: Vec::new() }
                    })
                    .collect();
                let (across, down) = self.units();
                if across * down == 0
                    || !self.components.iter().all(|one| one.blocks.0 > 0 && one.blocks.1 > 0)
                {
                    return None;
                }
                for one in self.components.iter_mut().filter(|_| marker == 0xc2) {
                    one.columns = across * one.blocks.0;
                    one.nonzero = vec![0; one.columns * down * one.blocks.1];
                }
            }
            0xc3 | 0xc5..=0xc7 | 0xc9..=0xcf => return None,
            0xc4 => {
                while let Some((&kind, more)) = content.split_first() {
                    let count: usize =
                        more.get(..16)?.iter().map(|&count| usize::from(count)).sum();
                    let (table, more) = more.split_at_checked(16 + count)?;
                    *self
                        .tables
                        .get_mut(usize::from(kind >> 4))?
                        .get_mut(usize::from(kind & 15))? = Some(table);
                    content = more;
                }
            }
            0xdd => self.restart = usize::from(u16::from_be_bytes(*content.first_chunk()?)),
            _ => {}
        }
        Some(())
    }

    /// The most blocks in a unit, across and down.
    fn most(&self) -> (usize, usize) {
        self.components
            .iter()
            .fold((1, 1), |(h, v), one| (h.max(one.blocks.0), v.max(one.blocks.1)))
    }

    /// Units of the whole picture, across and down.
    fn units(&self) -> (usize, usize) {
        let most = self.most();
        (self.size_px.0.div_ceil(8 * most.0), self.size_px.1.div_ceil(8 * most.1))
    }

    /// Passes over a scan that begins with this header.
    #[inline(always)]
    fn scan(&mut self, bytes: &[u8], header: &[u8]) -> Result<(), Doubt> {
        let (mut coding, wanted) = self.coding(header).ok_or(None)?;
        let most = self.most();
        let (mut across, mut down) = self.units();
        let is_alone = wanted.len() == 1;
        if let &[at] = &wanted[..] {
            let (h, v) = self.components[at].blocks;
            let blocks =
                |px: usize, part: usize, most: usize| (px * part).div_ceil(most).div_ceil(8);
            (across, down) = (blocks(self.size_px.0, h, most.0), blocks(self.size_px.1, v, most.1));
        }
        let is_all = wanted.len() == self.components.len() && !self.is_progressive;
        let row = |unit: usize| Some(if is_all { unit / across * 8 * most.1 } else { 0 });
        let begin = header.as_ptr_range().end as usize - bytes.as_ptr() as usize;
        let mut rest = bytes.get(begin..).unwrap_or_default();
        let (mut data, all) = (Vec::new(), across * down);
        let step = if self.restart == 0 { all.max(1) } else { self.restart };
        for (number, first) in (0..all).step_by(step).enumerate() {
            let marker = take_interval(&mut rest, &mut data);
            let length = data.len() - 8;
            let mut place = Place::default();
            coding.ended = 0;
            for unit in first..all.min(first + step) {
                for (part, &at) in wanted.iter().enumerate() {
                    let component = &mut self.components[at];
                    let (h, v) = if is_alone { (1, 1) } else { component.blocks };
                    for (y, x) in (0..v).flat_map(|y| (0..h).map(move |x| (y, x))) {
                        let place_of =
                            (unit / across * v + y) * component.columns + unit % across * h + x;
                        let block = component.nonzero.get_mut(place_of);
                        coding.pass(part, &data, &mut place, block).ok_or_else(|| row(first))?;
                    }
                }
                if place.read() > length {
                    // Up to where a file was cut off it is right.
                    return Err(row(if marker.is_none() { unit } else { first }));
                }
            }
            let (is_last, left) = (first + step >= all, &data[place.read()..length]);
            let is_filled = left.iter().all(|&byte| byte == left[0] && matches!(byte, 0 | 0xff));
            let is_next = marker == Some(0xd0 | (number % 8) as u8);
            if (marker.is_some() || !is_last) && !(is_filled && (is_last || is_next)) {
                return Err(row(first));
            }
        }
        Ok(())
    }

    /// How a scan is coded, and its components.
    fn coding(&self, header: &[u8]) -> Option<(Coding, Vec<usize>)> {
        let (&[count], rest) = header.split_first_chunk()?;
        let (parts, &[from, to, bits]) = rest.split_at_checked(2 * usize::from(count))? else {
            return None;
        };
        let parts = parts.as_chunks::<2>().0;
        let (from, to) = if self.is_progressive { (from, to) } else { (0, 63) };
        if from > to || to > 63 {
            return None;
        }
        let (has_means, has_rest) = (from == 0, !self.is_progressive || from > 0);
        let is_refined = self.is_progressive && bits >> 4 > 0;
        let table = |is_ac: bool, number: u8| {
            let (counts, symbols) =
                (*self.tables[usize::from(is_ac)].get(usize::from(number))?)?.split_at(16);
            Huffman::new(counts, symbols, is_ac)
        };
        let mut tables = Vec::new();
        for part in parts {
            let means =
                if has_means && !is_refined { Some(table(false, part[1] >> 4)?) } else { None };
            tables.push((means, if has_rest { Some(table(true, part[1] & 15)?) } else { None }));
        }
        let wanted = parts
            .iter()
            .map(|part| self.components.iter().position(|one| one.id == part[0]))
            .collect::<Option<Vec<_>>>()?;
        let (from, to) = (usize::from(from), usize::from(to));
        Some((Coding { tables, from, to, is_refined, ended: 0 }, wanted))
    }
}

/// How the blocks of a scan are coded.
struct Coding {
    /// Of each component that of the means and that of the other coefficients, as far as they are in the scan.
    tables: Vec<(Option<Huffman>, Option<Huffman>)>,
    /// The first and the last coefficient of a progressive picture's scan.
    from: usize,
    to: usize,
    /// Whether it gives one more bit of what other scans gave.
    is_refined: bool,
    /// So many blocks to come have no more coefficients.
    ended: u32,
}

impl Coding {
    /// Passes over a block; `None` if it is damaged.
    #[inline(always)]
    fn pass(
        &mut self,
        part: usize,
        data: &[u8],
        place: &mut Place,
        block: Option<&mut u64>,
    ) -> Option<()> {
        place.refill(data);
        let (means, rest) = &self.tables[part];
        if let Some(means) = means {
            let (symbol, _) = place.take(means, |symbol| symbol & 15)?;
            if symbol > 15 {
                return None;
            }
        } else if self.from == 0 {
            place.consume(1);
        }
        match (rest, block) {
            (Some(rest), None) => rest.pass_over(data, place, 1),
            (Some(rest), Some(nonzero)) => {
                let mut k = self.from;
                while self.ended == 0 && k <= self.to {
                    place.refill(data);
                    let (length, symbol) = rest.code(place.peek(16) as u32)?;
                    place.consume(length);
                    let (zeros, size) = (symbol >> 4, symbol & 15);
                    if size == 0 && zeros < 15 {
                        self.ended = ((1 << 16 | place.peek(16)) >> (16 - zeros)) as u32;
                        place.consume(zeros);
                        break;
                    }
                    place.consume(size);
                    k = self.skip(k, zeros, *nonzero, data, place);
                    if size > 0 && (k > self.to || self.is_refined && size > 1) {
                        return None;
                    }
                    *nonzero |= u64::from(size > 0) << (k & 63);
                    k += 1;
                }
                if self.ended > 0 {
                    self.ended -= 1;
                    self.refine(*nonzero & u64::MAX.unbounded_shl(k as u32), data, place);
                }
                Some(())
            }
            (None, _) => Some(()),
        }
    }

    /// The coefficient from `k` on that so many zeros precede; passes over what refines others on the way.
    #[inline(always)]
    fn skip(&self, k: usize, zeros: u32, nonzero: u64, data: &[u8], place: &mut Place) -> usize {
        if !self.is_refined {
            return k + zeros as usize;
        }
        let (mut left, mut to) = (zeros, k);
        while to <= self.to && (left > 0 || nonzero >> to & 1 == 1) {
            left -= u32::from(nonzero >> to & 1 == 0);
            to += 1;
        }
        let passed = u64::MAX.unbounded_shl(k as u32) & !u64::MAX.unbounded_shl(to as u32);
        self.refine(nonzero & passed, data, place);
        to
    }

    /// Passes over a bit for each of these coefficients that the scan refines.
    #[inline(always)]
    fn refine(&self, coefficients: u64, data: &[u8], place: &mut Place) {
        let band = !u64::MAX.unbounded_shl(self.to as u32 + 1);
        let bits = (coefficients & band).count_ones() * u32::from(self.is_refined);
        for bits in [bits / 2, bits - bits / 2] {
            place.refill(data);
            place.consume(bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::corpus::{SIZE_PX, Scans, Shape, jpeg};
    use super::*;

    fn shape(scans: Scans, restart: usize, is_progressive: bool) -> Shape {
        Shape { sampling: vec![(2, 2), (1, 1), (1, 1)], scans, restart, is_progressive }
    }

    /// Where the data of a scan begin.
    fn data_of(bytes: &[u8]) -> usize {
        let scan = bytes.windows(2).position(|two| two == [0xff, SCAN]).unwrap();
        scan + 2 + usize::from(bytes[scan + 3])
    }

    #[test]
    fn damage_is_reported_with_the_last_place_before_it_that_is_sure() {
        let plain = jpeg(&shape(Scans::Together, 0, false));
        let by_rows = jpeg(&shape(Scans::Together, 5, false));
        let progressive = jpeg(&shape(Scans::Together, 0, true));
        let markers: Vec<usize> = (data_of(&by_rows)..by_rows.len() - 1)
            .filter(|&at| by_rows[at] == 0xff && matches!(by_rows[at + 1], 0xd0..=0xd7))
            .collect();
        assert_eq!(markers.len(), 3, "four rows of units");
        let without =
            |bytes: &[u8], at: usize, count: usize| [&bytes[..at], &bytes[at + count..]].concat();
        let with =
            |bytes: &[u8], at: usize, more: &[u8]| [&bytes[..at], more, &bytes[at..]].concat();
        let changed = |bytes: &[u8], at: usize, value: u8| {
            let mut bytes = bytes.to_vec();
            bytes[at] = value;
            bytes
        };
        let (data, end) = (data_of(&plain), plain.len() - 2);
        let first = data_of(&progressive);
        for (what, bytes, expected) in [
            ("whole", plain.clone(), None),
            ("whole, of intervals", by_rows.clone(), None),
            ("whole, progressive", progressive.clone(), None),
            ("no end marker", plain[..end].to_vec(), None),
            ("a trailer for an end marker", [&plain[..end], b"SEFH"].concat(), None),
            ("fill bytes", with(&plain, end, &[0xff, 0xff]), None),
            ("zeros before the end", with(&plain, end, &[0, 0]), None),
            (
                "a marker after the last interval",
                with(&by_rows, by_rows.len() - 2, &[0xff, 0xd3]),
                None,
            ),
            ("bytes before the end", with(&plain, end, &[7, 9, 2]), Some(0)),
            ("bytes lost", without(&plain, (data + end) / 2, 9), Some(0)),
            ("cut off", plain[..end - 4].to_vec(), Some(48)),
            ("cut off in an interval", by_rows[..markers[2] - 4].to_vec(), Some(32)),
            ("a code that is none", changed(&by_rows, markers[1] + 3, 0xfe), Some(32)),
            ("no marker", without(&by_rows, markers[0], 2), Some(0)),
            ("another marker", changed(&by_rows, markers[1] + 1, 0xd7), Some(16)),
            (
                "markers said, but there are none",
                {
                    let at = plain.windows(2).position(|two| two == [0xff, 0xdd]).unwrap();
                    changed(&plain, at + 5, 5)
                },
                Some(0),
            ),
            ("progressive, bytes lost", without(&progressive, first + 9, 3), Some(0)),
            (
                "arithmetic coding",
                changed(
                    &plain,
                    plain.windows(2).position(|two| two == [0xff, 0xc0]).unwrap() + 1,
                    0xc9,
                ),
                None,
            ),
        ] {
            assert_eq!(damaged_from(&bytes), expected, "{what}");
        }
    }

    #[test]
    fn what_is_damaged_is_found_in_most_cases() {
        assert_eq!(SIZE_PX, (75, 53));
        let mut state = 7u32;
        for (scans, restart, is_progressive, least) in [
            (Scans::Together, 0, false, 90),
            (Scans::Together, 3, true, 90),
            (Scans::Apart, 0, false, 90),
        ] {
            let bytes = jpeg(&shape(scans, restart, is_progressive));
            let data = data_of(&bytes);
            let found = (0..100).filter(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = data + (state >> 8) as usize % (bytes.len() - data - 40);
                damaged_from(&[&bytes[..at], &bytes[at + 7..]].concat()).is_some()
            });
            let found = found.count();
            assert!(
                found >= least,
                "{found} of 100 losses, {scans:?}, progressive {is_progressive}"
            );
        }
    }
}
