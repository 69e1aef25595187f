//! Measures the prints of a drawn table: how many symbols a card shows, their outline, ink and filling.

use super::LEAST_CARDS;
use crate::card::CardImage;
use crate::grid::{Grid, Part};
use crate::probability::rank;
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

/// Fewest pixels of a symbol.
const LEAST_PX: usize = 60;

/// Numbers that are measured of a filling.
pub const FILL: usize = 7;
/// Further numbers of a filling, which only the second measure weighs.
pub const TEXTURE: usize = 19;

/// Measures those cards of a drawn table that `counts`; `None` for the rest, and where nothing is printed. If most show
/// copies of a symbol, the rest are no cards.
pub fn measured(images: &[CardImage], counts: impl Fn(usize) -> bool) -> Vec<Option<Measured>> {
    const MOST: f64 = 0.8;
    let mut printed: Vec<Option<Printed>> = (0..images.len())
        .map(|i| counts(i).then(|| Printed::detect(&images[i])).flatten())
        .collect();
    let all = printed.iter().flatten().count();
    let copies = printed.iter().flatten().filter(|card| card.are_copies).count();
    if copies as f64 >= MOST * all as f64 {
        for card in &mut printed {
            *card = card.take().filter(|card| card.are_copies);
        }
    }
    let widths =
        printed.iter().flatten().flat_map(|card| &card.parts).map(|part| part.width as f32);
    // On a table there are some symbols that touch no other.
    let least_px = rank(widths, 0.05);
    let cards = printed.iter().zip(images);
    cards.map(|(card, image)| card.as_ref()?.measured(image, least_px)).collect()
}

/// Whether a drawn table shows what only a board of this game does: on all that is measured copies of a symbol, and
/// often two or three.
pub(crate) fn is_board(measured: &[Option<Measured>]) -> bool {
    const OFTEN: f64 = 0.25;
    let cards = || measured.iter().flatten();
    let several = cards().filter(|card| card.number != Some(1)).count();
    cards().count() >= LEAST_CARDS
        && cards().all(|card| card.are_copies)
        && several as f64 >= OFTEN * cards().count() as f64
}

/// The measurements of a card.
#[derive(Clone, Debug)]
pub struct Measured {
    /// How many symbols there are, if that is clear.
    pub(super) number: Option<usize>,
    are_copies: bool,
    /// The outline's strongest ink: by how much it differs from the stock, and in which direction.
    pub ink: [f32; 5],
    /// Features of fillings, as shares of the outline's ink.
    pub fill: [f32; FILL],
    /// Further features of fillings, in the same shares.
    pub texture: [f32; TEXTURE],
    pub(super) outline: Outline,
}

impl Measured {
    /// All that is measured of the filling.
    pub fn filling(&self) -> Vec<f32> {
        [&self.fill[..], &self.texture].concat()
    }
}

/// A symbol's outline: which part of each cell of its box it covers, row by row.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    cells: Vec<f32>,
    /// Natural logarithm of width by height.
    log_aspect: f32,
}

impl Outline {
    /// Cells along each side, and samples along each side of a cell.
    const CELLS: usize = 24;
    const SAMPLES: usize = 2;

    fn measure(solid: &Grid<bool>, part: &Part) -> Self {
        let all = Self::CELLS * Self::SAMPLES;
        let mut cells = vec![0.0; Self::CELLS * Self::CELLS];
        for y in 0..all {
            let py = part.top + (2 * y + 1) * part.height / (2 * all);
            for x in 0..all {
                let px = part.left + (2 * x + 1) * part.width / (2 * all);
                if solid.values[py * solid.width + px] {
                    let cell = y / Self::SAMPLES * Self::CELLS + x / Self::SAMPLES;
                    cells[cell] += 1.0 / (Self::SAMPLES * Self::SAMPLES) as f32;
                }
            }
        }
        Self { cells, log_aspect: (part.width as f32 / part.height as f32).ln() }
    }

    /// What two outlines do not share, as a part of both, the smaller of either way round; and how
    /// differently long they are.
    pub(super) fn distance(&self, other: &Self) -> f32 {
        /// Weight of the aspect.
        const ASPECT: f32 = 0.3;
        let unshared =
            self.unshared(other.cells.iter()).min(self.unshared(other.cells.iter().rev()));
        unshared + ASPECT * (self.log_aspect - other.log_aspect).abs()
    }

    fn unshared<'a>(&self, cells: impl Iterator<Item = &'a f32>) -> f32 {
        let (mut both, mut either) = (0.0, 0.0);
        for (a, b) in self.cells.iter().zip(cells) {
            both += a.min(*b);
            either += a.max(*b);
        }
        1.0 - both / either.max(1e-6f32)
    }
}

/// What is printed on a card, and the connected parts of it that may be symbols.
pub(crate) struct Printed {
    /// By how much each pixel differs from the stock.
    ink: Grid<f32>,
    stock: [f32; 3],
    solid: Grid<bool>,
    pub parts: Vec<Part>,
    /// Whether they are one to three copies of a symbol in the middle of the card.
    are_copies: bool,
}

impl Printed {
    pub(crate) fn detect(image: &CardImage) -> Option<Self> {
        /// Part of the strongest ink from which a pixel is inked, and the least of it in levels.
        const INKED: f32 = 0.25;
        const LEAST_INK: f32 = 18.0;
        /// Gaps within symbols that no outline holds together: none, then wider ones until the parts are copies.
        const GAPS_PX: [usize; 4] = [0, 3, 6, 11];
        let (ink, stock) = Grid::ink_of(image);
        let full = ink.rank(0.995);
        let inked = ink.map(|ink| ink > (INKED * full).max(LEAST_INK));
        let cuts = GAPS_PX.into_iter().map(|gap_px| symbols_of(&inked, gap_px));
        let mut cuts = cuts.filter(|(_, parts)| !parts.is_empty());
        let first = cuts.next()?;
        let copies = if are_copies(&first) { Some(first.clone()) } else { cuts.find(are_copies) };
        let are_copies = copies.is_some();
        let (solid, parts) = copies.unwrap_or(first);
        Some(Self { ink, stock, solid, parts, are_copies })
    }

    /// Measures the card. `least_px` is the width of the table's narrowest symbols.
    fn measured(&self, image: &CardImage, least_px: f32) -> Option<Measured> {
        let (symbols, is_counted) = self.one_by_one(least_px);
        let inks_and_fills: Vec<_> =
            symbols.iter().filter_map(|part| self.symbol(image, part).ink_and_fill()).collect();
        let (inks, fills): (Vec<_>, Vec<_>) =
            inks_and_fills.iter().map(|both| (both.0, both.1)).unzip();
        let textures: Vec<_> = inks_and_fills.iter().map(|both| both.2).collect();
        let largest = symbols.iter().max_by_key(|part| part.width * part.height)?;
        let outline = Outline::measure(&self.solid, largest);
        let is_measured = !inks.is_empty();
        is_measured.then(|| Measured {
            number: is_counted.then_some(symbols.len()),
            are_copies: self.are_copies,
            ink: middle(&inks),
            fill: middle(&fills),
            texture: middle(&textures),
            outline,
        })
    }

    /// Parts each with one symbol, and whether their number is clear: those that touch are cut where the part is
    /// narrowest.
    pub(super) fn one_by_one(&self, least_px: f32) -> (Vec<Part>, bool) {
        // They are all there is.
        if self.are_copies && self.parts.len() > 1 {
            return (self.parts.clone(), true);
        }
        let (mut all, mut is_clear) = (Vec::new(), true);
        for part in &self.parts {
            let by_repeats = self.count_by_repeats(part);
            let count = by_repeats.or_else(|| self.count_by_width(part, least_px));
            is_clear &= count.is_some();
            let count = count.unwrap_or(1);
            let width = part.width / count;
            all.extend((0..count).map(|k| Part { left: part.left + k * width, width, ..*part }));
        }
        (all, is_clear)
    }

    /// How many copies of a symbol touch in a part, if the ink repeats itself at their distance and at none near it.
    fn count_by_repeats(&self, part: &Part) -> Option<usize> {
        const ALIKE: f32 = 0.12;
        const UNLIKE: f32 = 0.3;
        (2..=3).find(|&count| {
            let quarter = part.width as f32 / count as f32 / 4.0;
            let near = [3.0, 5.0].map(|quarters| (quarters * quarter) as usize);
            self.unlike(part, count) < ALIKE
                && near.into_iter().all(|shift| self.unlike_shifted(part, shift) > UNLIKE)
        })
    }

    /// How many copies of a symbol touch in a part, by the table's narrowest symbols; `None` where two and three fit,
    /// as with full squares.
    fn count_by_width(&self, part: &Part, least_px: f32) -> Option<usize> {
        /// Widest and narrowest symbol by the narrowest ones.
        const WIDEST: f32 = 1.75;
        const NARROWEST: f32 = 0.8;
        const AS_GOOD: f32 = 0.05;
        let fits = |count: usize| {
            let width = part.width as f32 / count as f32;
            (NARROWEST * least_px..WIDEST * least_px).contains(&width)
        };
        if (part.width as f32) < WIDEST * least_px {
            return Some(1);
        }
        match [fits(2), fits(3)] {
            [false, false] => Some(1),
            [true, false] => Some(2),
            [false, true] => Some(3),
            [true, true] => {
                let [two, three] = [2, 3].map(|count| self.unlike(part, count));
                let is_clear = (two - three).abs() > AS_GOOD;
                is_clear.then_some(if two < three { 2 } else { 3 })
            }
        }
    }

    /// How much so many symbols in a part differ, as a share of their ink. Outlines that overlap make the period
    /// shorter, gaps longer.
    fn unlike(&self, part: &Part, count: usize) -> f32 {
        let (period, reach) = (part.width / count, part.width / 12 / count);
        let shifts = period - reach..=period + reach;
        shifts.map(|shift| self.unlike_shifted(part, shift)).fold(f32::INFINITY, f32::min)
    }

    fn unlike_shifted(&self, part: &Part, shift: usize) -> f32 {
        let (mut off, mut all) = (0.0, 0.0);
        for y in part.top..part.top + part.height {
            let row = &self.ink.values[y * self.ink.width..];
            for x in part.left..part.left + part.width - shift {
                let (a, b) = (row[x], row[x + shift]);
                off += (a - b).abs();
                all += a + b;
            }
        }
        off / f32::max(all, 1.0)
    }

    /// A symbol cut out of its card, with as much around it as the measures of fillings reach.
    fn symbol(&self, image: &CardImage, part: &Part) -> Symbol {
        let (width, height) = (self.solid.width, self.solid.values.len() / self.solid.width);
        let mask = self.solid.of_parts(&[*part]).between(part.left, part.left + part.width);
        let around = |from: usize, length: usize, size: usize| {
            from.saturating_sub(REACH_PX)..(from + length + REACH_PX).min(size)
        };
        let columns = around(part.left, part.width, width);
        let rows = around(part.top, part.height, height);
        let places = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
        let mut symbol = Symbol {
            mask: Grid { width: columns.len(), values: Vec::new() },
            ink: Vec::new(),
            colors: Vec::new(),
        };
        for (x, y) in places {
            symbol.mask.values.push(mask.values[y * width + x]);
            symbol.ink.push(self.ink.values[y * width + x]);
            let pixel = image.pixels.get_pixel(x as u32, y as u32);
            symbol.colors.push([0, 1, 2].map(|c| f32::from(pixel[c]) - self.stock[c]));
        }
        symbol
    }
}

/// A symbol and what is around it, row by row.
struct Symbol {
    /// Where it is.
    mask: Grid<bool>,
    /// By how much each pixel differs from the stock, in levels, as a whole and in R, G, B.
    ink: Vec<f32>,
    colors: Vec<[f32; 3]>,
}

impl Symbol {
    /// The outline's strongest ink and the filling; `None` if it is too small.
    fn ink_and_fill(&self) -> Option<([f32; 5], [f32; FILL], [f32; TEXTURE])> {
        /// Width of an outline, in pixels, and of its outer half.
        const OUTLINE_PX: usize = 5;
        const OUTER_PX: usize = 2;
        /// Fewest pixels that show a filling.
        const LEAST_INSIDE_PX: usize = 30;
        /// Share of the outline's pixels that are not its strongest.
        const WEAKER: f64 = 0.6;
        let Self { mask, ink: levels, colors } = self;
        let depths = mask.depths();
        let places = |range: RangeInclusive<usize>| -> Vec<usize> {
            let all = 0..depths.values.len();
            all.filter(|&at| range.contains(&usize::from(depths.values[at]))).collect()
        };
        let rim = places(1..=OUTER_PX);
        let strong = rank(rim.iter().map(|&at| levels[at]), WEAKER);
        let strongest = rim.iter().filter(|&&at| levels[at] >= strong);
        let ink = middle(&strongest.map(|&at| colors[at]).collect::<Vec<_>>());
        let square: f32 = ink.iter().map(|v| v * v).sum::<f32>().max(1.0);
        let mut rim_px = OUTLINE_PX;
        let mut inside = places(rim_px + 1..=usize::MAX);
        if inside.len() < LEAST_INSIDE_PX {
            rim_px = OUTER_PX;
            inside = places(rim_px + 1..=usize::MAX);
        }
        let along = |color: &[f32; 3]| color.iter().zip(&ink).map(|(a, b)| a * b).sum::<f32>();
        let shares: Vec<f32> =
            colors.iter().map(|color| (along(color) / square).clamp(0.0, 1.3)).collect();
        let offs = inside.iter().map(|&at| {
            let off = (0..3).map(|c| (colors[at][c] - shares[at] * ink[c]).powi(2)).sum::<f32>();
            (off / square).sqrt()
        });
        let other_ink = offs.sum::<f32>() / inside.len().max(1) as f32;
        (!inside.is_empty()).then(|| {
            let filling = Filling { shares, depths, rim_px, places: inside };
            (ink_point(ink), filling.by_hand(), filling.texture(other_ink))
        })
    }
}

/// What is inked with gaps and holes filled, and the parts of it that may be symbols.
fn symbols_of(inked: &Grid<bool>, gap_px: usize) -> (Grid<bool>, Vec<Part>) {
    /// Smallest symbol, as a part of the largest, and narrowest, as a part of its height.
    const LEAST_PART: f32 = 0.3;
    const NARROWEST: f32 = 0.2;
    let solid = inked.closed(gap_px).without_holes();
    let mut parts = solid.parts();
    let largest = parts.iter().map(|part| part.count).max().unwrap_or_default() as f32;
    parts.retain(|part| {
        part.count > LEAST_PX
            && part.count as f32 > LEAST_PART * largest
            && part.width as f32 > NARROWEST * part.height as f32
    });
    (solid, parts)
}

/// Whether the parts of a card are one to three copies of a symbol in its middle.
fn are_copies((card, parts): &(Grid<bool>, Vec<Part>)) -> bool {
    let across = parts.iter().map(|part| (part.left, part.width));
    let down = parts.iter().map(|part| (part.top, part.height));
    let height = card.values.len() / card.width;
    (1..=3).contains(&parts.len())
        && are_equal_and_centered(across, card.width)
        && are_equal_and_centered(down, height)
}

/// Whether spans along a side of a card, each its first pixel and its length, are about equally long, and together lie
/// in the side's middle.
fn are_equal_and_centered(spans: impl Iterator<Item = (usize, usize)>, side_px: usize) -> bool {
    /// Greatest difference of lengths, as a part of the longest; edges are soft.
    const UNEQUAL: f64 = 0.2;
    const SOFT_PX: f64 = 3.0;
    /// Greatest distance between the middles, as a part of the side.
    const OFF_CENTER: f64 = 0.125;
    let (mut from, mut to, mut shortest, mut longest) = (side_px, 0, side_px, 0);
    for (start, length) in spans {
        (from, to) = (from.min(start), to.max(start + length));
        (shortest, longest) = (shortest.min(length), longest.max(length));
    }
    let off_center = (from + to).abs_diff(side_px) as f64 / 2.0;
    (longest - shortest) as f64 <= (UNEQUAL * longest as f64).max(SOFT_PX)
        && off_center <= OFF_CENTER * side_px as f64
}

/// Features of inks: their difference from the stock, R, G, B in levels, as parts of 255; and its direction, which
/// stays when thin or blurred lines let the stock through.
fn ink_point(ink: [f32; 3]) -> [f32; 5] {
    const DIRECTION: f32 = 0.5;
    let length = ink.iter().map(|v| v * v).sum::<f32>().sqrt().max(1.0);
    let [r, g, b] = ink.map(|v| DIRECTION * v / length);
    let [red, green, blue] = ink.map(|v| 0.5 * v / 255.0);
    [red, green, blue, (r - b) / 2.0f32.sqrt(), (2.0 * g - r - b) / 6.0f32.sqrt()]
}

/// The median of each component.
fn middle<const D: usize>(all: &[[f32; D]]) -> [f32; D] {
    std::array::from_fn(|d| rank(all.iter().map(|row| row[d]), 0.5))
}

/// The inside of a symbol: the pixels of a grid that are deeper within it than its rim.
struct Filling {
    /// The ink of each pixel, as a share of the outline's.
    shares: Vec<f32>,
    depths: Grid<u16>,
    rim_px: usize,
    /// The pixels of the inside.
    places: Vec<usize>,
}

impl Filling {
    /// Features: mean, deviation, deviation from the surroundings, differences of the halves by rows and by columns,
    /// mean differences of neighbours in both directions. The factors were chosen by hand on drawn tables; they are
    /// not fitted.
    fn by_hand(&self) -> [f32; FILL] {
        let width = self.depths.width;
        let shares = self.inside();
        let around = self.means_around();
        let fine: Vec<f32> = shares.iter().zip(around).map(|(share, mean)| share - mean).collect();
        let steep = |step: usize| {
            let differences = self.places.iter().filter(|&&at| at >= step);
            mean(differences.map(|&at| (self.shares[at] - self.shares[at - step]).abs()))
        };
        [
            mean(shares.iter().copied()),
            deviation(&shares),
            1.5 * deviation(&fine),
            0.8 * self.between_halves(|at| at / width),
            0.4 * self.between_halves(|at| at % width),
            1.5 * steep(width),
            1.5 * steep(1),
        ]
    }

    /// Further features: ranks of the shares; mean differences of pixels 2, 4 and 8 apart in rows, in columns and
    /// along both diagonals; how much rows and columns differ; the means of the outer, middle and inner third; and
    /// how much of another colour there is.
    fn texture(&self, other_ink: f32) -> [f32; TEXTURE] {
        const RANKS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];
        const LAGS: [usize; 3] = [2, 4, 8];
        const DIAGONAL: usize = 3;
        let width = self.depths.width;
        let apart = |step: usize| {
            let is_inside = |at: usize| usize::from(self.depths.values[at]) > self.rim_px;
            let pairs = self.places.iter().filter(|&&at| at >= step && is_inside(at - step));
            mean(pairs.map(|&at| (self.shares[at] - self.shares[at - step]).abs()))
        };
        let mut inwards = self.places.clone();
        inwards.sort_by_key(|&at| self.depths.values[at]);
        let thirds = [0, 1, 2].map(|k| {
            let third = &inwards[k * inwards.len() / 3..(k + 1) * inwards.len() / 3];
            mean(third.iter().map(|&at| self.shares[at]))
        });
        let ranks = RANKS.map(|part| rank(self.inside().into_iter(), part));
        let columns = LAGS.map(apart);
        let rows = LAGS.map(|lag| apart(lag * width));
        let diagonals = [DIAGONAL * width + DIAGONAL, DIAGONAL * width - DIAGONAL].map(apart);
        let lines = [self.between_lines(|at| at / width), self.between_lines(|at| at % width)];
        let mut all = ranks.into_iter().chain(columns).chain(rows).chain(diagonals).chain(lines);
        let mut all = all.by_ref().chain(thirds).chain([other_ink]);
        std::array::from_fn(|_| all.next().unwrap_or_default())
    }

    fn inside(&self) -> Vec<f32> {
        self.places.iter().map(|&at| self.shares[at]).collect()
    }

    /// The mean share around each pixel of the inside, from sums of all above and to the left of a pixel.
    fn means_around(&self) -> impl Iterator<Item = f32> {
        let (width, height) = (self.depths.width, self.shares.len() / self.depths.width);
        let stride = width + 1;
        let mut sums = vec![0.0f64; stride * (height + 1)];
        for (y, row) in self.shares.chunks_exact(width).enumerate() {
            let mut sum = 0.0;
            for (x, share) in row.iter().enumerate() {
                sum += f64::from(*share);
                sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1] + sum;
            }
        }
        self.places.iter().map(move |at| {
            let (columns, rows) = (near(at % width, width), near(at / width, height));
            let at = |x: usize, y: usize| sums[y * stride + x];
            let sum = at(columns.end, rows.end)
                - at(columns.start, rows.end)
                - at(columns.end, rows.start)
                + at(columns.start, rows.start);
            (sum / (columns.len() * rows.len()) as f64) as f32
        })
    }

    /// By how much the mean shares of the halves before and after the median coordinate differ.
    fn between_halves(&self, along: impl Fn(usize) -> usize) -> f32 {
        let middle = rank(self.places.iter().map(|&at| along(at) as f32), 0.5) as usize;
        let half = |second: bool| {
            let places = self.places.iter().filter(|&&at| (along(at) >= middle) == second);
            mean(places.map(|&at| self.shares[at]))
        };
        half(false) - half(true)
    }

    /// How much the mean shares of lines differ, as their deviation; `line` is a pixel's line.
    fn between_lines(&self, line: impl Fn(usize) -> usize) -> f32 {
        let mut lines: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
        self.places.iter().for_each(|&at| lines.entry(line(at)).or_default().push(self.shares[at]));
        let means: Vec<f32> = lines.values().map(|line| mean(line.iter().copied())).collect();
        deviation(&means)
    }
}

fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, n) = values.fold((0.0, 0), |(sum, n), v| (sum + v, n + 1));
    sum / (n as f32).max(1.0)
}

fn deviation(values: &[f32]) -> f32 {
    let center = mean(values.iter().copied());
    mean(values.iter().map(|v| (v - center).powi(2))).sqrt()
}

/// How far around a pixel its surroundings reach.
const REACH_PX: usize = 4;

/// The columns or rows around one that exist.
fn near(v: usize, size: usize) -> Range<usize> {
    v.saturating_sub(REACH_PX)..(v + REACH_PX + 1).min(size)
}
