//! What each pixel of a straightened card shows: its ink, whether it is inked, how deep it lies within a symbol.

use crate::card::CardImage;
use crate::runs::{ByArea, Run, Runs, extent};

/// A value for each pixel of a card, row by row.
#[derive(Clone)]
pub(crate) struct Grid<T> {
    pub width: usize,
    pub values: Vec<T>,
}

/// A connected part of a mask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Its first pixel, row by row.
    pub start: usize,
    pub count: usize,
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}

impl Grid<f32> {
    /// By how much each pixel differs from the stock, in levels, and the stock's R, G, B. The rim, where the
    /// table may show, counts as stock.
    pub(crate) fn ink_of(image: &CardImage) -> (Self, [f32; 3]) {
        const RIM_PX: u32 = 8;
        const RING_PX: u32 = 6;
        let (width, height) = image.pixels.dimensions();
        let to_side = |x: u32, y: u32| x.min(y).min(width - 1 - x).min(height - 1 - y);
        let pixels = image.pixels.enumerate_pixels();
        let ring: Vec<_> = pixels
            .filter(|(x, y, _)| (RIM_PX..RIM_PX + RING_PX).contains(&to_side(*x, *y)))
            .map(|(.., pixel)| pixel.0)
            .collect();
        let stock =
            [0, 1, 2].map(|c| rank_of_levels(ring.iter().map(|pixel| f32::from(pixel[c])), 0.5));
        let (rim, width) = (RIM_PX as usize, width as usize);
        let mut values = vec![0.0; width * height as usize];
        let rows =
            values.chunks_exact_mut(width).zip(image.pixels.as_raw().chunks_exact(3 * width));
        for (row, pixels) in rows.take(height as usize - rim).skip(rim) {
            let pixels = &pixels.as_chunks::<3>().0[rim..width - rim];
            for (value, pixel) in row[rim..].iter_mut().zip(pixels) {
                let off = |c: usize| (f32::from(pixel[c]) - stock[c]).powi(2);
                *value = (off(0) + off(1) + off(2)).sqrt();
            }
        }
        (Self { width, values }, stock)
    }

    pub(crate) fn rank(&self, part: f64) -> f32 {
        rank_of_levels(self.values.iter().copied(), part)
    }

    pub(crate) fn map(&self, change: impl Fn(f32) -> bool) -> Grid<bool> {
        let values = self.values.iter().map(|&value| change(value)).collect();
        Grid { width: self.width, values }
    }
}

/// The [rank](crate::probability::rank) of many levels, 0 to the length of (255, 255, 255): those with one integer
/// part are few.
fn rank_of_levels(levels: impl ExactSizeIterator<Item = f32> + Clone, part: f64) -> f32 {
    let mut at = (part * levels.len().saturating_sub(1) as f64).round() as usize;
    let mut counts = [0; 442];
    levels.clone().for_each(|level| counts[level as usize] += 1);
    let mut integer = 0;
    while at >= counts[integer] && integer + 1 < counts.len() {
        at -= counts[integer];
        integer += 1;
    }
    let mut same: Vec<f32> = levels.filter(|level| *level as usize == integer).collect();
    same.sort_unstable_by(f32::total_cmp);
    same.get(at).copied().unwrap_or_default()
}

impl Grid<bool> {
    /// The connected areas of what is set, or of what is not.
    pub(crate) fn areas(&self, set: bool) -> ByArea {
        let mut runs = Runs::default();
        for (y, row) in self.values.chunks_exact(self.width).enumerate() {
            runs.start_row();
            let mut to = 0;
            for run in row.chunk_by(|a, b| a == b) {
                let from = to;
                to += run.len();
                if run[0] == set {
                    runs.add(y as u32, from as u32..to as u32, |_| true);
                }
            }
        }
        runs.by_area()
    }

    /// What lies beside the largest area that is not set, a card's blank stock; `None` where the stock has fewer
    /// pixels than this.
    pub(crate) fn beside_stock(&self, least_px: usize) -> Option<ByArea> {
        let blank = self.areas(false);
        let (count, stock) =
            blank.areas().map(|area| (extent(area).2, area)).max_by_key(|(count, _)| *count)?;
        let mut rest = Self { width: self.width, values: vec![true; self.values.len()] };
        rest.set(stock, false);
        (count as usize >= least_px).then(|| rest.areas(true))
    }

    /// With all that is enclosed.
    pub(crate) fn without_holes(&self) -> Self {
        let (width, height) = (self.width as u32, (self.values.len() / self.width) as u32);
        let mut filled = self.clone();
        for area in self.areas(false).areas() {
            let (columns, rows, _) = extent(area);
            if columns.start > 0 && columns.end < width && rows.start > 0 && rows.end < height {
                filled.set(area, true);
            }
        }
        filled
    }

    /// With the gaps of at most so many pixels in rows and in columns: a closing by lines.
    pub(crate) fn closed(&self, most_px: usize) -> Self {
        let mut closed = self.clone();
        if most_px == 0 {
            return closed;
        }
        // For each column the first place that may begin a gap there: the one below what was set last.
        let mut open: Vec<Option<usize>> = vec![None; self.width];
        for (row, values) in self.values.chunks_exact(self.width).enumerate() {
            let start = row * self.width;
            let mut left = None;
            for (x, open) in open.iter_mut().enumerate().filter(|(x, _)| values[*x]) {
                let at = start + x;
                if let Some(from) = left.filter(|from| at - from <= most_px) {
                    closed.values[from..at].fill(true);
                }
                if let Some(from) = open.filter(|from| (at - from) / self.width <= most_px) {
                    (from..at).step_by(self.width).for_each(|at| closed.values[at] = true);
                }
                (left, *open) = (Some(at + 1), Some(at + self.width));
            }
        }
        closed
    }

    pub(crate) fn set(&mut self, area: &[Run], to: bool) {
        area.iter().for_each(|run| self.values[run.pixels(self.width)].fill(to));
    }

    pub(crate) fn parts(&self) -> Vec<Part> {
        let areas = self.areas(true);
        let parts = areas.areas().map(|area| {
            let (columns, rows, count) = extent(area);
            Part {
                start: area[0].pixels(self.width).start,
                count: count as usize,
                left: columns.start as usize,
                top: rows.start as usize,
                width: columns.len(),
                height: rows.len(),
            }
        });
        parts.collect()
    }

    /// With these parts alone.
    pub(crate) fn of_parts(&self, parts: &[Part]) -> Self {
        let mut chosen = Self { width: self.width, values: vec![false; self.values.len()] };
        for area in self.areas(true).areas() {
            let start = area[0].pixels(self.width).start;
            if parts.iter().any(|part| part.start == start) {
                chosen.set(area, true);
            }
        }
        chosen
    }

    /// Between two columns.
    pub(crate) fn between(mut self, left: usize, right: usize) -> Self {
        for row in self.values.chunks_exact_mut(self.width) {
            row[..left].fill(false);
            row[right..].fill(false);
        }
        self
    }

    /// How deep within what is set each pixel lies: its distance from the nearest one that is not, in steps along
    /// rows and columns. Beyond the grid nothing is set.
    ///
    /// In two passes (Rosenfeld, Pfaltz: Sequential Operations in Digital Picture Processing, 1966).
    pub(crate) fn depths(&self) -> Grid<u16> {
        let (width, all) = (self.width, self.values.len());
        let mut depths: Vec<u16> =
            self.values.iter().map(|&set| u16::from(set) * u16::MAX).collect();
        for at in 0..all {
            let left = if at % width == 0 { 0 } else { depths[at - 1] };
            let above = at.checked_sub(width).map_or(0, |above| depths[above]);
            depths[at] = depths[at].min(left.min(above).saturating_add(1));
        }
        for at in (0..all).rev() {
            let right = if at % width == width - 1 { 0 } else { depths[at + 1] };
            let below = depths.get(at + width).copied().unwrap_or(0);
            depths[at] = depths[at].min(right.min(below).saturating_add(1));
        }
        Grid { width, values: depths }
    }
}
