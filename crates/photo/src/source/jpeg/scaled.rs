//! Baseline JPEGs (ITU T.81) at half, a quarter or an eighth of their sides, for a fraction of the time: what
//! is finer than the smaller picture is passed over, several coefficients at a time, and never transformed.
//!
//! A block of 8 x 8 becomes one of 4 x 4, 2 x 2 or 1 pixel by a transform of that size, with each coefficient
//! weighted by what is left of its wave when whole blocks of pixels are averaged. Of a component with fewer
//! samples more is left of each block, so that nothing is enlarged.
//!
//! Whatever is unusual or damaged is nobody's loss: it is left to the decoder of whole pictures.

use super::super::budget::Budget;
use super::huffman::{END_OF_BLOCK, Huffman, LOOK, Place, take_interval};
use super::segments;
use image::RgbImage;
use std::array::from_fn;

/// Row and column of each coefficient in the order in which they are stored, as `8 * row + column`.
const ZIGZAG: [u8; 64] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
    13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59,
    52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
];

/// One of the picture's components.
struct Component {
    dc: Huffman,
    ac: Huffman,
    /// The last block's mean.
    last: i32,
    /// Blocks in a unit, across and down, and the size to which each is transformed.
    blocks: (usize, usize),
    size: (usize, usize),
    /// By what each coefficient is multiplied, in the order in which they are stored.
    steps: [f32; 64],
    /// So many of the coefficients matter.
    needed: usize,
    /// A row of units.
    plane: Vec<f32>,
}

impl Component {
    /// Reads a block's coefficients, by rows; gives the last that matters and is not 0. `None` if the data are
    /// damaged.
    #[inline(always)]
    fn block(&mut self, data: &[u8], place: &mut Place, out: &mut [f32; 64]) -> Option<usize> {
        place.refill(data);
        let (_, more) = place.take(&self.dc, |symbol| symbol & 15)?;
        self.last = self.last.wrapping_add(more);
        out.fill(0.0);
        out[0] = self.last as f32 * self.steps[0];
        let (mut last, mut k) = (0, 1);
        while k < self.needed {
            place.refill(data);
            let cached = self.ac.values[place.peek(LOOK)];
            let (zeros, value) = if cached != 0 {
                place.consume(cached & 63);
                (cached >> 6 & 127, cached as i32 >> 16)
            } else {
                let (symbol, value) = place.take(&self.ac, |symbol| symbol & 15)?;
                (if symbol == 0 { END_OF_BLOCK } else { symbol >> 4 }, value)
            };
            k += zeros as usize;
            if k > 63 {
                return (zeros == END_OF_BLOCK).then_some(last);
            }
            out[usize::from(ZIGZAG[k])] = value as f32 * self.steps[k];
            last = k;
            k += 1;
        }
        self.ac.pass_over(data, place, k)?;
        Some(last)
    }

    /// Transforms a block to `at` in a row of units of so many columns.
    #[inline(always)]
    fn put(&mut self, block: &[f32; 64], last: usize, at: usize, columns: usize, waves: &Waves) {
        let out = &mut self.plane[at..];
        if last == 0 {
            for row in out.chunks_mut(columns).take(self.size.1) {
                row[..self.size.0].fill(block[0] / 8.0);
            }
            return;
        }
        let Waves { one, two, four, eight, used } = waves;
        let used = used[last];
        match self.size {
            (1, 1) => transform(block, used, one, one, out, columns),
            (2, 2) => transform(block, used, two, two, out, columns),
            (4, 4) => transform(block, used, four, four, out, columns),
            (8, 8) => transform(block, used, eight, eight, out, columns),
            (2, 1) => transform(block, used, two, one, out, columns),
            (1, 2) => transform(block, used, one, two, out, columns),
            (4, 2) => transform(block, used, four, two, out, columns),
            (2, 4) => transform(block, used, two, four, out, columns),
            (8, 4) => transform(block, used, eight, four, out, columns),
            (4, 8) => transform(block, used, four, eight, out, columns),
            size => unreachable!("a block becomes one of {size:?}"),
        }
    }
}

/// The waves of the coefficients, by frequency and place, for each size of a block; and how many frequencies are
/// used, both ways, where the coefficients end at a place.
struct Waves {
    one: [[f32; 1]; 1],
    two: [[f32; 2]; 2],
    four: [[f32; 4]; 4],
    eight: [[f32; 8]; 8],
    used: [usize; 64],
}

impl Waves {
    fn new() -> Self {
        Self {
            one: waves(),
            two: waves(),
            four: waves(),
            eight: waves(),
            used: from_fn(|k| {
                let far = ZIGZAG[..=k].iter().map(|&at| (at / 8).max(at % 8)).max();
                usize::from(far.unwrap_or_default()) + 1
            }),
        }
    }
}

fn waves<const SIZE: usize>() -> [[f32; SIZE]; SIZE] {
    let by = 8 / SIZE;
    from_fn(|u| {
        let norm = if u == 0 { cosine(4) / 2.0 } else { 0.5 };
        // The mean of a wave over 2 and 4 samples.
        let left = [1, 2].map(|k| if by > k { cosine(k * u) } else { 1.0 });
        from_fn(|x| norm * left[0] * left[1] * cosine((2 * x + 1) * u * by))
    })
}

/// The cosine of `k` sixteenths of a half turn. Each system's own would differ in the last bit.
fn cosine(k: usize) -> f32 {
    const QUARTER: [f32; 9] = [
        1.0,
        0.980_785_3,
        0.923_879_5,
        0.831_469_6,
        0.707_106_77,
        0.555_570_25,
        0.382_683_43,
        0.195_090_32,
        0.0,
    ];
    match k % 32 {
        k @ 0..=8 => QUARTER[k],
        k @ 9..=16 => -QUARTER[16 - k],
        k @ 17..=24 => -QUARTER[k - 16],
        k => QUARTER[32 - k],
    }
}

#[inline(always)]
fn transform<const WIDTH: usize, const HEIGHT: usize>(
    block: &[f32; 64],
    used: usize,
    across: &[[f32; WIDTH]; WIDTH],
    down: &[[f32; HEIGHT]; HEIGHT],
    out: &mut [f32],
    columns: usize,
) {
    for (y, out) in out.chunks_mut(columns).take(HEIGHT).enumerate() {
        let mut row = [0.0; WIDTH];
        for (wave, block) in down.iter().zip(block.as_chunks::<8>().0).take(used) {
            (0..WIDTH).for_each(|u| row[u] += wave[y] * block[u]);
        }
        let mut mixed = [0.0; WIDTH];
        for (&share, wave) in row.iter().zip(across).take(used) {
            (0..WIDTH).for_each(|x| mixed[x] += share * wave[x]);
        }
        out[..WIDTH].copy_from_slice(&mixed);
    }
}

/// What stands before a picture's data, of a picture that this reads.
struct Header<'a> {
    size_px: (usize, usize),
    components: Vec<Component>,
    /// Units between two restart markers; 0 if there are none.
    restart: usize,
    /// Pixels of a unit.
    unit: (usize, usize),
    data: &'a [u8],
}

/// How many codes each length has, and their symbols.
type Codes<'a> = (&'a [u8], &'a [u8]);

/// The segments of a header, as they stand in the file.
#[derive(Default)]
struct Segments<'a> {
    steps: [Option<[f32; 64]>; 4],
    /// Of the means, and of the other coefficients.
    tables: [[Option<Codes<'a>>; 4]; 2],
    restart: usize,
    frame: Option<&'a [u8]>,
    scan: Option<&'a [u8]>,
}

impl<'a> Segments<'a> {
    /// Takes one; `None` if it is damaged, or none of a picture that this reads.
    fn read(&mut self, marker: u8, content: &'a [u8]) -> Option<()> {
        let mut rest = content;
        match marker {
            0xc0 | 0xc1 => self.frame = Some(content),
            // Other ways of coding, and RGB that is declared to be no luma.
            0xc2 | 0xc3 | 0xc5..=0xcf => return None,
            0xee if content.starts_with(b"Adobe") && content.get(11) == Some(&0) => return None,
            0xc4 => {
                while let Some((&[kind], more)) = rest.split_first_chunk() {
                    let (counts, more) = more.split_at_checked(16)?;
                    let count = counts.iter().map(|&count| usize::from(count)).sum();
                    let (symbols, more) = more.split_at_checked(count)?;
                    let of_kind = self.tables.get_mut(usize::from(kind >> 4))?;
                    *of_kind.get_mut(usize::from(kind & 15))? = Some((counts, symbols));
                    rest = more;
                }
            }
            0xdb => {
                while let Some((&[kind], more)) = rest.split_first_chunk() {
                    let (all, more) = more.split_at_checked(64)?;
                    let steps = self.steps.get_mut(usize::from(kind))?;
                    *steps = Some(from_fn(|k| f32::from(all[k])));
                    rest = more;
                }
            }
            0xdd => self.restart = usize::from(u16::from_be_bytes(*content.first_chunk()?)),
            0xda => self.scan = Some(content),
            _ => {}
        }
        Some(())
    }
}

impl<'a> Header<'a> {
    fn parse(bytes: &'a [u8], by: usize) -> Option<Self> {
        let mut segments_read = Segments::default();
        let mut is_read = true;
        segments(bytes, |marker, content| {
            is_read = segments_read.read(marker, content).is_some();
            is_read && marker != super::SCAN
        });
        let Segments { steps, tables, restart, frame, scan } = segments_read;
        let (frame, scan) = (frame?, scan.filter(|_| is_read)?);
        let (&[8, h1, h0, w1, w0, count], parts) = frame.split_first_chunk()? else { return None };
        let size_px = [[w1, w0], [h1, h0]].map(|side| usize::from(u16::from_be_bytes(side)));
        let parts = parts.as_chunks::<3>().0;
        let wanted = scan.get(1..)?.as_chunks::<2>().0;
        let count = usize::from(count);
        if !matches!(count, 1 | 3) || parts.len() != count || scan.len() != 4 + 2 * count {
            return None;
        }
        let sampling = |part: &[u8; 3]| match count {
            // Alone there is nothing to be coarser than.
            1 => (1, 1),
            _ => (usize::from(part[1] >> 4), usize::from(part[1] & 15)),
        };
        let most = sampling(&parts[0]);
        let mut components = Vec::new();
        for (part, wanted) in parts.iter().zip(wanted) {
            let blocks = sampling(part);
            // How many samples of the picture one of the component stands for.
            let coarse = |most: usize, blocks: usize| {
                let fits = (1..=2).contains(&most) && blocks > 0 && most.is_multiple_of(blocks);
                fits.then(|| 8 * most / blocks / by)
            };
            let size = (coarse(most.0, blocks.0)?, coarse(most.1, blocks.1)?);
            // RGB may be declared by its names alone.
            if part[0] != wanted[0] || (count == 3 && part[0] == b'R') {
                return None;
            }
            let table = |is_ac: bool, number: u8| {
                let (counts, symbols) = (*tables[usize::from(is_ac)].get(usize::from(number))?)?;
                Huffman::new(counts, symbols, is_ac)
            };
            let finest = size.0.max(size.1);
            components.push(Component {
                dc: table(false, wanted[1] >> 4)?,
                ac: table(true, wanted[1] & 15)?,
                last: 0,
                blocks,
                size,
                steps: (*steps.get(usize::from(part[2]))?)?,
                needed: ZIGZAG.iter().rposition(|at| usize::from((at / 8).max(at % 8)) < finest)?
                    + 1,
                plane: Vec::new(),
            });
        }
        let begin = scan.as_ptr_range().end as usize - bytes.as_ptr() as usize;
        let (size_px, unit) = ((size_px[0], size_px[1]), (8 * most.0, 8 * most.1));
        let data = bytes.get(begin..)?;
        // They are copied, into memory that a larger picture would have taken; no photo has so many.
        let is_usual = data.len() <= 2 * size_px.0 * size_px.1;
        is_usual.then_some(Self { size_px, components, restart, unit, data })
    }
}

/// Decodes a JPEG so many times smaller in each direction: 2, 4 or 8. `None` if it is unusual, damaged or cut
/// off, or the time for it is spent.
pub(super) fn decode(bytes: &[u8], by: u32, budget: &Budget<'_>) -> Option<RgbImage> {
    let header = Header::parse(bytes, by as usize)?;
    let (width, height) = header.size_px;
    let mut image = RgbImage::new((width as u32).div_ceil(by), (height as u32).div_ceil(by));
    let by = by as usize;
    pulp::Arch::new().dispatch(Decoding { header, by, budget, image: &mut image }).map(|()| image)
}

/// A closure would not be inlined into the version for AVX2.
struct Decoding<'a> {
    header: Header<'a>,
    by: usize,
    budget: &'a Budget<'a>,
    image: &'a mut RgbImage,
}

impl pulp::WithSimd for Decoding<'_> {
    type Output = Option<()>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Option<()> {
        let Self { header, by, budget, image } = self;
        let Header { size_px, mut components, restart, unit, data: mut rest } = header;
        let (across, down) = (size_px.0.div_ceil(unit.0), size_px.1.div_ceil(unit.1));
        let small = (unit.0 / by, unit.1 / by);
        let columns = across * small.0;
        for component in &mut components {
            component.plane = vec![0.0; columns * small.1];
        }
        let waves = Waves::new();
        let mut clock = budget.clock();
        let (mut data, mut place, mut block) = (Vec::new(), Place::default(), [0.0; 64]);
        // Units left in the picture and up to the next marker; the number of that marker.
        let (mut all, mut left, mut number) = (across * down, 0, 0);
        let line = 3 * image.width() as usize;
        for lines in image.chunks_mut(line * small.1) {
            for x in 0..across {
                if left == 0 {
                    let marker = take_interval(&mut rest, &mut data)?;
                    left = if restart == 0 { all } else { restart.min(all) };
                    if marker != if left == all { 0xd9 } else { 0xd0 + number } {
                        return None;
                    }
                    number = (number + 1) % 8;
                    place = Place::default();
                    components.iter_mut().for_each(|component| component.last = 0);
                }
                for component in &mut components {
                    let ((h, v), size) = (component.blocks, component.size);
                    for (u, v) in (0..v).flat_map(|v| (0..h).map(move |u| (u, v))) {
                        let last = component.block(&data, &mut place, &mut block)?;
                        let at = v * size.1 * columns + x * small.0 + u * size.0;
                        component.put(&block, last, at, columns, &waves);
                    }
                }
                (all, left) = (all - 1, left - 1);
                // Less than a byte fills up the last one.
                if left == 0 && place.read() + 8 != data.len() {
                    return None;
                }
            }
            for (y, line) in lines.chunks_mut(line).enumerate() {
                write_line(&components, y * columns, line);
            }
            clock.check().ok()?;
        }
        Some(())
    }
}

/// A line of the picture from that of each component, which begins at `at`.
#[inline(always)]
fn write_line(components: &[Component], at: usize, line: &mut [u8]) {
    let pixels = line.as_chunks_mut::<3>().0;
    match components {
        [luma, blue, red] => {
            let [luma, blue, red] = [luma, blue, red].map(|one| &one.plane[at..]);
            for ((pixel, luma), (blue, red)) in
                pixels.iter_mut().zip(luma).zip(blue.iter().zip(red))
            {
                let green = luma - 0.344_136 * blue - 0.714_136 * red;
                *pixel = [luma + 1.402 * red, green, luma + 1.772 * blue].map(byte);
            }
        }
        components => {
            for (pixel, &luma) in
                pixels.iter_mut().zip(components.iter().flat_map(|one| &one.plane[at..]))
            {
                *pixel = [byte(luma); 3];
            }
        }
    }
}

/// A sample around 0 as one from 0 to 255.
#[inline(always)]
fn byte(sample: f32) -> u8 {
    /// Adding this rounds to the nearest whole number, which the low bits then hold.
    const ROUNDER: f32 = 12_582_912.0; // 1.5 * 2^23
    ((sample + 128.0).clamp(0.0, 255.0) + ROUNDER).to_bits() as u8
}

#[cfg(test)]
mod tests;
